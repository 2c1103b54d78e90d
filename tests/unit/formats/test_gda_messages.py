"""Messages of the Conversational Analytics API, in every shape they are kept in."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import orjson
import pytest

from monitor.conversation import Conversation, Turn, revision
from monitor.errors import RecordError
from monitor.formats import Fragment, Record
from monitor.formats.extract import Extraction
from monitor.formats.gda_messages import GdaMessages

SQL = "SELECT carrier, COUNT(*) AS flights FROM flights GROUP BY 1"
CONVERSATION = "projects/p/locations/global/conversations/c1"
Message = dict[str, Any]


class Stream:
    """Messages as the API streams them, one every two seconds."""

    def __init__(self, ids: bool = True) -> None:
        self.messages: list[Message] = []
        self.ids = ids

    def _add(self, kind: str, body: Message) -> Stream:
        number = len(self.messages)
        message: Message = {"timestamp": f"2026-01-09T09:{number // 30:02d}:{number % 30 * 2:02d}Z", kind: body}
        if self.ids:
            message["messageId"] = f"m-{number + 1}"
        self.messages.append(message)
        return self

    def asked(self, text: str = "Which carrier?") -> Stream:
        return self._add("userMessage", {"text": text})

    def said(self, **body: Any) -> Stream:
        return self._add("systemMessage", body)

    def text(self, *parts: str, kind: str | int | None = "FINAL_RESPONSE") -> Stream:
        return self.said(text={"parts": list(parts), **({"textType": kind} if kind is not None else {})})

    def query(self, name: str = "by_carrier", sql: str = SQL) -> Stream:
        self.said(data={"query": {"question": "flights by carrier", "name": name}})
        return self.said(data={"generatedSql": sql})

    def result(self, *rows: Message, name: str = "by_carrier", **more: Any) -> Stream:
        fields = [{"name": "carrier", "type": "STRING"}, {"name": "flights", "type": "INTEGER"}]
        result = {"name": name, "schema": {"fields": fields}, "data": list(rows), **more}
        return self.said(data={"result": result})


def fragments(data: Any) -> list[Fragment]:
    return GdaMessages().fragments(Record(data))


def conversation(*records: Any, **options: Any) -> Conversation:
    format_ = GdaMessages(**options)
    found = {each.key: each for record in records for each in format_.fragments(Record(record))}
    ordered = sorted(found.values(), key=lambda each: (each.order, each.key))
    return format_.conversation(ordered[0].group, ordered)


def turns(stream: Stream, **options: Any) -> tuple[Turn, ...]:
    return conversation(stream.messages, **options).turns


def answered() -> Stream:
    stream = Stream().asked().text("Looking", kind="THOUGHT").query()
    stream.said(data={"bigQueryJob": {"projectId": "p", "jobId": "j"}})
    stream.result({"flights": "1234", "carrier": "AA"}, {"flights": "1001", "carrier": "DL"})
    return stream.text("AA: 1,234.").text("By month?", "By airport?", kind="FOLLOWUP_QUESTIONS")


def snake(value: Any, inside_rows: bool = False) -> Any:
    """The same message as the Python client spells it; the columns of rows keep their names."""
    if isinstance(value, list):
        return [snake(item, inside_rows) for item in value]
    if not isinstance(value, dict):
        return value
    spelled = {name: "".join("_" + letter.lower() if letter.isupper() else letter for letter in name) for name in value}
    return {
        name if inside_rows else spelled[name]: snake(
            item, inside_rows or (name in ("data", "formattedData") and isinstance(item, list))
        )
        for name, item in value.items()
    }


def test_a_turn_goes_from_one_user_message_to_the_next() -> None:
    """A query is put together from its messages; thoughts are no answer, follow-ups stand beside it."""
    turn = turns(answered())[0]
    assert ("m-1", "complete", "Which carrier?") == (turn.id, turn.state, turn.question.text)  # type: ignore[union-attr]
    assert ("AA: 1,234.", "unknown", ("By month?", "By airport?")) == (
        turn.answer.text,  # type: ignore[union-attr]
        turn.answer.kind,  # type: ignore[union-attr]
        turn.answer.suggestions,  # type: ignore[union-attr]
    )
    assert [(SQL, "bigquery", "ok")] == [(query.sql, query.dialect, query.status) for query in turn.queries]


def test_columns_come_in_the_schemas_order_and_cells_by_its_types() -> None:
    """Rows are objects without an order, and every value is text."""
    table = turns(answered())[0].queries[0].result
    assert table is not None
    assert ["carrier", "flights"] == [column.name for column in table.columns]
    assert [["AA", 1234], ["DL", 1001]] == table.rows


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("INTEGER", "1234", 1234),
        ("NUMERIC", "12.50", Decimal("12.50")),
        ("BIGNUMERIC", "0.1234567890123456789", Decimal("0.1234567890123456789")),
        ("FLOAT", "1.5", 1.5),
        ("BOOLEAN", "true", True),
        ("DATE", "2026-01-31", "2026-01-31"),
        ("STRING", "007", "007"),
    ],
)
def test_an_exact_number_is_never_a_float(kind: str, text: str, value: Any) -> None:
    """Cells are cast by type only."""
    schema = {"fields": [{"name": "n", "type": kind}]}
    stream = Stream().asked().query().said(data={"result": {"schema": schema, "data": [{"n": text}]}}).text("x")
    row = turns(stream)[0].queries[0].result.rows[0]  # type: ignore[union-attr]
    assert ([value], type(value)) == (row, type(row[0]))


def test_a_result_without_a_schema_still_has_columns() -> None:
    """In the order of their names; a key that a row lacks is an empty cell."""
    stream = Stream().asked().query().said(data={"result": {"data": [{"b": "1"}, {"a": "2"}]}}).text("x")
    table = turns(stream)[0].queries[0].result
    assert (["a", "b"], [[None, "1"], ["2", None]]) == ([c.name for c in table.columns], table.rows)  # type: ignore[union-attr]


def test_the_shown_form_of_rows_is_kept_beside_them() -> None:
    """An answer may quote it."""
    stream = Stream().asked().query()
    stream.result({"carrier": "AA", "flights": "1234"}, formattedData=[{"flights": "1,234", "carrier": "AA"}]).text("x")
    assert [["AA", "1,234"]] == turns(stream)[0].queries[0].result.formatted  # type: ignore[union-attr]


def test_more_rows_than_the_limit_are_cut_and_marked() -> None:
    """The type has no limit of its own."""
    stream = Stream().asked().query().result(*({"carrier": "AA", "flights": "1"} for _ in range(3))).text("x")
    table = turns(stream, extract=Extraction(max_rows=2))[0].queries[0].result
    assert (2, True) == (len(table.rows), table.truncated)  # type: ignore[union-attr]


def test_a_looker_query_is_kept_as_recorded() -> None:
    """Its result is tied to it by order, though it has another name."""
    looker = {"model": "flights", "explore": "flights", "fields": ["carrier.name"], "limit": "500", "queryId": "7"}
    stream = Stream().asked().said(data={"query": {"name": "q", "looker": looker}})
    query = turns(stream.result({"carrier": "AA", "flights": "1"}, name="other").text("x"))[0].queries[0]
    kept = {name: value for name, value in looker.items() if name != "queryId"}
    assert ("looker", kept, "ok") == (query.language, query.semantic, query.status)


def test_a_looker_query_may_come_on_its_own() -> None:
    """Older servers sent it so."""
    looker = {"model": "m", "explore": "e", "fields": ["n"]}
    stream = Stream().asked().said(data={"generatedLookerQuery": looker}).text("x")
    assert [looker] == [query.semantic for query in turns(stream)[0].queries]


def test_a_matched_example_is_the_query_until_sql_is_generated() -> None:
    """The generated SQL has the parameters filled in."""
    matched = {"matchedQuery": {"exampleQuery": {"sqlQuery": "select @p", "naturalLanguageQuestion": "?"}}}
    alone = Stream().asked().said(data=matched).result({"carrier": "AA"}).text("x")
    assert ["select @p"] == [query.sql for query in turns(alone)[0].queries]
    both = Stream().asked().said(data=matched).said(data={"generatedSql": SQL}).result({"carrier": "AA"}).text("x")
    assert [SQL] == [query.sql for query in turns(both)[0].queries]


def test_a_second_statement_is_a_second_query() -> None:
    """The agent tried another before the first gave anything."""
    matched = {"matchedQuery": {"exampleQuery": {"sqlQuery": "select @p"}}}
    stream = Stream().asked().said(data=matched).said(data={"generatedSql": "select 1"})
    found = turns(stream.said(data={"generatedSql": "select 2"}).result({"carrier": "AA"}).text("x"))[0].queries
    assert [("select 1", "unknown"), ("select 2", "ok")] == [(query.sql, query.status) for query in found]


def test_results_go_to_the_query_of_their_name() -> None:
    """Two queries may be on their way at once."""
    stream = Stream().asked().query("first", "select 1").query("second", "select 2")
    stream.result({"flights": "1"}, name="first").result({"flights": "2"}, name="second").text("x")
    assert [("select 1", 1), ("select 2", 2)] == [
        (query.sql, query.result.rows[0][1]) for query in turns(stream)[0].queries if query.result
    ]


def test_an_error_belongs_to_the_query_that_was_running() -> None:
    """The next try is another query, and the turn is fine."""
    stream = Stream().asked().query(sql="select x").said(error={"text": "unknown_field: x"})
    turn = turns(stream.said(data={"generatedSql": SQL}).result({"carrier": "AA"}).text("AA"))[0]
    assert [("unknown_field", "unknown_field: x", "refusal")] == [(e.code, e.message, e.kind) for e in turn.errors]
    assert [("select x", "error"), (SQL, "ok")] == [(query.sql, query.status) for query in turn.queries]
    assert "complete" == turn.state


def test_an_error_while_no_query_runs_is_the_turns_own() -> None:
    """No query is blamed for it."""
    turn = turns(answered().said(error={"text": "Syntax error: no chart"}))[0]
    assert (["recoverable"], ["ok"]) == ([e.kind for e in turn.errors], [query.status for query in turn.queries])


def test_charts_are_kept_with_what_they_draw() -> None:
    """Without the picture."""
    stream = Stream().asked().query().result({"carrier": "AA"}, name="by_carrier")
    stream.query("second", "select 2").result({"carrier": "DL"}, name="second")
    stream.said(chart={"query": {"instructions": "bars", "dataResultName": "by_carrier"}})
    spec = {"title": {"text": "Flights"}, "mark": "bar"}
    stream.said(chart={"result": {"vegaConfig": spec, "image": {"data": "A" * 1000}}}).text("x")
    assert [(spec, "Flights", "q1")] == [(c.spec, c.title, c.data_ref) for c in turns(stream)[0].charts]
    assert b"AAAA" not in orjson.dumps(fragments(stream.messages)[0].event)


def test_descriptions_that_the_agent_looked_up_are_definitions() -> None:
    """It may quote them."""
    fields = [{"name": "on_time", "description": "within 15 minutes"}, {"name": "carrier"}]
    stream = Stream().asked().said(schema={"result": {"datasources": [{"schema": {"fields": fields}}]}}).text("x")
    assert [("on_time", "within 15 minutes")] == [(d.name, d.text) for d in turns(stream)[0].definitions]


def test_an_analysis_is_a_tool_call_with_what_it_printed() -> None:
    """Its table is a result like any other."""
    stream = Stream().asked().said(analysis={"query": {"question": "average?", "dataResultNames": ["by_carrier"]}})
    stream.said(analysis={"progressEvent": {"code": "print(df.mean())"}})
    stream.said(analysis={"progressEvent": {"executionOutput": "1117.5"}})
    stream.said(analysis={"progressEvent": {"resultCsvData": "carrier,mean\nAA,1117.5\n"}})
    stream.said(analysis={"progressEvent": {"resultVegaChartJson": '{"title": "Mean"}'}})
    turn = turns(stream.text("1,117.5"))[0]
    assert [("analysis", {"question": "average?", "code": "print(df.mean())"}, "1117.5")] == [
        (call.name, call.arguments, call.result) for call in turn.tool_calls
    ]
    assert [[["AA", "1117.5"]]] == [query.result.rows for query in turn.queries if query.result]
    assert (["Mean"], "full") == ([chart.title for chart in turn.charts], turn.completeness.results)


def test_an_analysis_whose_output_is_missing_leaves_results_partial() -> None:
    """A figure may come from there: it cannot be called wrong."""
    stream = Stream().asked().said(analysis={"progressEvent": {"resultNaturalLanguage": "The mean is 7."}}).text("7")
    assert "partial" == turns(stream)[0].completeness.results


def test_an_analysis_that_failed_is_an_error() -> None:
    """Unless it went well the next time."""
    failed = Stream().asked().said(analysis={"progressEvent": {"executionError": "KeyError: 'x'"}})
    assert ["KeyError: 'x'"] == [error.message for error in turns(failed)[0].errors]
    again = failed.said(analysis={"progressEvent": {"executionOutput": "7"}}).text("7")
    assert () == turns(again)[0].errors


def test_queries_results_and_errors_are_recorded_tool_calls_are_not() -> None:
    """The stream shows what was queried, not which tools ran."""
    completeness = turns(answered())[0].completeness
    assert ("partial", "full", "full", "full") == (
        completeness.tool_calls,
        completeness.queries,
        completeness.results,
        completeness.errors,
    )


def test_a_deprecated_clarification_is_one() -> None:
    """Its options are offered beside the question."""
    question = {"question": "Departure or arrival?", "selectionMode": "SINGLE_SELECT", "options": ["dep", "arr"]}
    turn = turns(Stream().asked().said(clarification={"questions": [question]}))[0]
    assert ("complete", "clarification", "Departure or arrival?", ("dep", "arr")) == (
        turn.state,
        turn.answer.kind,  # type: ignore[union-attr]
        turn.answer.text,  # type: ignore[union-attr]
        turn.answer.suggestions,  # type: ignore[union-attr]
    )


def test_text_without_a_type_is_the_answer_where_no_other_is() -> None:
    """Older servers give no types; the last text counts."""
    old = Stream().asked().text("Looking", kind=None).query().result({"carrier": "AA"}).text("AA.", kind=None)
    assert ("complete", "AA.") == (turns(old)[0].state, turns(old)[0].answer.text)  # type: ignore[union-attr]
    new = Stream().asked().text("Note", kind=None).text("AA.")
    assert "AA." == turns(new)[0].answer.text  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["THOUGHT", "PROGRESS", 2, 3])
def test_thoughts_and_progress_are_no_answer(kind: str | int) -> None:
    """Types may be numbers."""
    turn = turns(Stream().asked().text("Looking", kind=kind))[0]
    assert ("in_progress", None) == (turn.state, turn.answer)


@pytest.mark.parametrize(
    ("stream", "states"),
    [
        (Stream().asked(), ["in_progress"]),
        (Stream().asked().query(), ["in_progress"]),
        (Stream().asked().text("Looking", kind=None).query(), ["in_progress"]),
        (Stream().asked().query().text("AA."), ["complete"]),
        (Stream().asked().asked(), ["failed", "in_progress"]),
        (Stream().asked().text("AA.", kind=None).asked(), ["complete", "in_progress"]),
    ],
)
def test_a_turn_is_over_with_its_final_response_or_the_next_question(stream: Stream, states: list[str]) -> None:
    """There is no other mark of its end."""
    assert states == [turn.state for turn in turns(stream)]


def test_a_stream_without_its_question_is_a_turn() -> None:
    """Those who log the response only lose the question, nothing else."""
    turn = turns(Stream().text("AA."))[0]
    assert ("t1", None, "AA.") == (turn.id, turn.question, turn.answer.text)  # type: ignore[union-attr]


def two_turns(ids: bool) -> list[Message]:
    first = answered().messages
    both = Stream(ids)
    for message in [*first, *Stream().asked("And per part?").text("No.").messages]:
        both.said()
        both.messages[-1] = {name: value for name, value in both.messages[-1].items() if name != "systemMessage"}
        both.messages[-1] |= {name: value for name, value in message.items() if name.endswith("Message")}
    return both.messages


def shapes(messages: list[Message]) -> dict[str, list[Any]]:
    """The same messages in each shape that they may be kept in."""
    stored = [{"messageId": message.get("messageId", ""), "message": message} for message in messages]
    return {
        "stream": [messages],
        "snake_case": [[snake(message) for message in messages]],
        "ListMessages": [{"messages": stored, "nextPageToken": ""}],
        "ListMessages, newest first": [{"messages": stored[::-1]}],
        "conversation": [{"conversation": CONVERSATION, "messages": messages}],
        "conversation_id": [{"conversation_id": CONVERSATION, "messages": stored}],
        "resource": [{"conversation": {"name": CONVERSATION, "agents": ["a"]}, "messages": messages}],
        "messages as text": [{"name": CONVERSATION, "messages": orjson.dumps(messages).decode()}],
        "one row each": [{"conversation": CONVERSATION, **message} for message in messages],
        "one row each, snake_case": [{"conversation": CONVERSATION, **snake(message)} for message in messages],
        "a column message": [{"conversation_id": CONVERSATION, "message": message} for message in messages],
        "a column message as text": [
            {"conversation": CONVERSATION, "message": orjson.dumps(message).decode()} for message in messages
        ],
        "stored messages": [{"conversation": CONVERSATION, **each} for each in stored],
        "a column of stored messages": [{"conversation": CONVERSATION, "message": each} for each in stored],
        "rows, mixed up and repeated": [{"conversation": CONVERSATION, **each} for each in (messages * 2)[::-1]],
    }


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("shape", shapes([]))
def test_the_same_messages_make_the_same_turns_in_every_shape(shape: str, ids: bool) -> None:
    """Ids and revisions are equal, so that nothing is scored twice when a team changes how it logs."""
    messages = two_turns(ids)
    expected, found = conversation(messages).turns, conversation(*shapes(messages)[shape]).turns
    assert (["m-1", "m-9"] if ids else ["t1", "t2"]) == [turn.id for turn in found]
    assert [revision(turn) for turn in expected] == [revision(turn) for turn in found]


def test_the_conversations_name_is_its_id() -> None:
    """Agent, labels and user stand beside the messages or in the conversation's resource."""
    resource = {"name": CONVERSATION, "agents": ["projects/p/dataAgents/a"], "labels": {"channel": "web"}}
    found = conversation({"conversation": resource, "messages": answered().messages, "user_id": "u-1", "team": "ops"})
    assert (CONVERSATION, "projects/p/dataAgents/a", "ops", "u-1", {"channel": "web"}) == (
        found.id,
        found.scope.agent,
        found.scope.team,
        found.user,
        found.labels,
    )


def test_without_a_name_the_beginning_names_the_conversation() -> None:
    """A longer record of it has the same id, and the longest counts."""
    messages = two_turns(ids=True)
    short, long = fragments(messages[:8])[0], fragments(messages)[0]
    assert short.group == long.group
    assert 2 == len(GdaMessages().conversation(long.group, [long, short]).turns)


def test_a_list_is_whole_and_a_message_is_not() -> None:
    """A message waits for the others; the last word of a turn ends it."""
    stream = answered()
    assert [True] == [fragment.whole for fragment in fragments(stream.messages)]
    rows = [fragment for message in stream.messages for fragment in fragments({"conversation": "c", **message})]
    assert {False} == {fragment.whole for fragment in rows}
    assert ["AA: 1,234."] == [f.event["message"]["system"]["text"]["parts"][0] for f in rows if f.ends]


def test_thoughts_are_not_held() -> None:
    """They say nothing about a turn."""
    assert [] == fragments({"conversation": "c", **Stream().text("hm", kind="THOUGHT").messages[0]})


def test_messages_without_times_are_ordered_by_their_number() -> None:
    """Where the rows have one."""
    rows = [
        {"conversation": "c", "sequence": number, **{k: v for k, v in message.items() if k != "timestamp"}}
        for number, message in enumerate(answered().messages)
    ]
    assert "complete" == conversation(*rows[::-1]).turns[0].state


QUERY_DATA = {
    "generatedQuery": "SELECT COUNT(*) AS n, SUM(x) AS s FROM flights",
    "queryResult": {
        "columns": [{"name": "n", "type": "INT64"}, {"name": "s", "type": "NUMERIC"}],
        "rows": [{"values": [{"value": "5000"}, {"value": "1.10"}]}, {"values": [{"value": "7"}, {}]}],
        "totalRowCount": "9",
    },
    "naturalLanguageAnswer": "5,000 flights.",
    "tokenUsage": {"inputTokenCount": 10, "outputTokenCount": "4"},
}


@pytest.mark.parametrize("data", [QUERY_DATA, snake(QUERY_DATA)])
def test_a_query_data_response_is_one_turn(data: Message) -> None:
    """A value that is left out is null, and rows that are missing are known."""
    turn = conversation({**data, "prompt": "How many?", "conversation_id": "c1"}).turns[0]
    assert ("How many?", "5,000 flights.", "complete") == (turn.question.text, turn.answer.text, turn.state)  # type: ignore[union-attr]
    table = turn.queries[0].result
    assert ([[5000, Decimal("1.10")], [7, None]], 9, True) == (table.rows, table.row_count, table.truncated)  # type: ignore[union-attr]
    assert (10, 4) == (turn.usage.input_tokens, turn.usage.output_tokens)  # type: ignore[union-attr]


def test_a_query_data_response_may_be_an_error_or_a_question() -> None:
    """A query that failed has no table; an ambiguous one is asked back."""
    failed = conversation({"generatedQuery": "select 1", "queryResult": {"queryExecutionError": "access_denied: x"}})
    assert [("error", "refusal", "failed")] == [
        (query.status, query.error and query.error.kind, turn.state) for turn in failed.turns for query in turn.queries
    ]
    asked = conversation({"generatedQuery": "", "disambiguationQuestion": ["Which year?"]}).turns[0]
    assert ("Which year?", "clarification") == (asked.answer.text, asked.answer.kind)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("text", "a list or an object"),
        ({"messages": "x"}, "messages is not a list"),
        ([{"role": "user", "content": "Hi"}], r"messages\[0\] has neither userMessage nor systemMessage"),
        ([1], r"messages\[0\] has neither"),
        ({"conversation": "c", "text": "x"}, "the record has neither"),
        ({"userMessage": {"text": "x"}, "timestamp": "2026-01-09T09:00:00Z"}, "without a conversation"),
        ({"userMessage": {"text": "x"}, "conversation": "c"}, "without a timestamp"),
        (
            {"generatedQuery": "x", "queryResult": {"columns": [{"name": "n"}], "rows": [{"values": [{}, {}]}]}},
            "row 0 has 2 values for 1 columns",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(data: Any, words: str) -> None:
    """With what is missing and where."""
    with pytest.raises(RecordError, match=words) as raised:
        conversation(data)
    assert "invalid" == raised.value.cause


def test_no_messages_are_of_no_interest() -> None:
    """An empty conversation is ignored, not refused."""
    assert [] == fragments([])
