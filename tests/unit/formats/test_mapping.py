"""Tables with one row a turn, read by what the configuration says of their columns."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from monitor.conversation import Conversation, Turn, revision
from monitor.errors import RecordError
from monitor.formats import Fragment, Record
from monitor.formats.mapping import Mapping, MappingFields, look_up, parse_path

Row = dict[str, Any]
EVERYTHING = {name: name for name in MappingFields.model_fields}


def format_of(*names: str, **paths: str) -> Mapping:
    return Mapping(fields={"answer": "answer", **{name: name for name in names}, **paths})


def read(reader: Mapping, *rows: Row) -> Conversation:
    """The one conversation in *rows*, fragments stored and read back."""
    found = {each.key: each for row in rows for each in reader.fragments(Record(row))}
    assert 1 == len({each.group for each in found.values()})
    ordered = sorted(found.values(), key=lambda each: each.order)
    stored = [
        Fragment(e.group, e.key, e.order, orjson.loads(orjson.dumps(e.event, default=str)), e.ends) for e in ordered
    ]
    return reader.conversation(stored[0].group, stored)


def turn_of(reader: Mapping, **row: Any) -> Turn:
    (turn,) = read(reader, {"answer": "A", **row}).turns
    return turn


def refused(reader: Mapping, row: Any) -> str:
    with pytest.raises(RecordError) as error:
        reader.fragments(Record(row))
    assert "invalid" == error.value.cause
    return str(error.value)


def test_every_target_reaches_the_turn() -> None:
    """A row that has everything loses nothing."""
    row = {
        "answer": "1,234.",
        "question": "How many?",
        "conversation_id": 7,
        "turn_id": "t9",
        "model": "m",
        "sql": "SELECT 1",
        "semantic": '{"metrics": ["n"]}',
        "rows": "[[1234]]",
        "error": None,
        "error_code": None,
        "columns": [{"name": "n", "unit": "flights"}],
        "definitions": {"flights": "Departures."},
        "started_at": "2026-01-09T09:00:00Z",
        "ended_at": 1_767_949_203,
        "user": 5,
        "feedback": "up",
        "trace_id": "5B8EFFF798038103D269B633813FC60C",
        "span_id": "eee19b7ec3c1b171",
        "team": "ops",
        "environment": "prod",
        "agent": "bi",
        "agent_version": 3,
        "semantic_model": "flights",
    }
    conversation = read(Mapping(fields=EVERYTHING), row)
    scope = {"team": "ops", "environment": "prod", "agent": "bi", "agent_version": "3", "semantic_model": "flights"}
    assert ("7", "5", scope) == (conversation.id, conversation.user, conversation.scope.model_dump())
    (turn,) = conversation.turns
    expected = {
        "id": "t9",
        "question": {"text": "How many?"},
        "answer": {"text": "1,234."},
        "started_at": datetime(2026, 1, 9, 9, tzinfo=UTC),
        "ended_at": datetime(2026, 1, 9, 9, 0, 3, tzinfo=UTC),
        "queries": (
            {
                "id": "t9:0",
                "language": "semantic",
                "sql": "SELECT 1",
                "semantic": {"metrics": ["n"]},
                "status": "ok",
                "result": {"columns": ({"name": "n", "unit": "flights"},), "rows": [[1234]]},
            },
        ),
        "definitions": ({"name": "flights", "text": "Departures."},),
        "model": "m",
        "feedback": {"rating": "positive"},
        "trace": {"trace_id": "5b8efff798038103d269b633813fc60c", "span_id": "eee19b7ec3c1b171"},
        "completeness": {"tool_calls": "absent"},
    }
    assert expected == turn.model_dump(exclude_defaults=True)


def test_what_is_not_mapped_is_absent() -> None:
    """A check must not take an unmapped column for an empty one."""
    bare = turn_of(format_of()).completeness
    assert ("absent", "absent", "absent") == (bare.queries, bare.results, bare.errors)
    assert ("columns that the mapping does not name: sql, rows, error",) == bare.notes
    rows = turn_of(format_of("rows", "error"), rows=[[1]], error=None).completeness
    assert ("partial", "full", "full") == (rows.queries, rows.results, rows.errors)


def test_a_query_without_its_rows_is_partial_evidence() -> None:
    """Unless it failed: then there are none."""
    reader = format_of("sql", "rows", "error")
    assert "partial" == turn_of(reader, sql="SELECT 1", rows=None, error=None).completeness.results
    assert "full" == turn_of(reader, sql="SELECT 1", rows=None, error="busy: later").completeness.results
    assert "full" == turn_of(reader, sql=None, rows=None, error=None).completeness.results


@pytest.mark.parametrize(
    ("row", "code", "kind", "message"),
    [
        ({"error": "fan_out: would count twice"}, "fan_out", "refusal", "fan_out: would count twice"),
        ({"error": "would count twice", "error_code": "fan_out"}, "fan_out", "refusal", "would count twice"),
        ({"error": {"code": "busy", "message": "later"}}, "busy", "infrastructure", "later"),
        ({"error": '{"error": {"type": "busy", "detail": "later"}}'}, "busy", "infrastructure", "later"),
        ({"error": {"code": "busy", "error": "later"}}, "busy", "infrastructure", "later"),
        ({"error": "it broke"}, None, "unknown", "it broke"),
    ],
)
def test_errors_have_code_and_class(row: Row, code: str | None, kind: str, message: str) -> None:
    """As text, as an object, or with the code in a column of its own; the query failed with it."""
    turn = turn_of(format_of("sql", "error", "error_code"), sql="SELECT 1", **{"error_code": None, **row})
    (error,) = turn.errors
    assert (code, kind, message, "error") == (error.code, error.kind, error.message, turn.queries[0].status)
    assert error == turn.queries[0].error


@pytest.mark.parametrize("nothing", [None, "", False, {}])
def test_no_error_is_none(nothing: Any) -> None:
    """However a table writes it."""
    assert () == turn_of(format_of("error"), error=nothing).errors


def test_paths_lead_into_columns() -> None:
    """Through objects, lists and JSON in text; a column of that very name comes first."""
    row = {
        "answer": "A",
        "payload": '{"q": [{"text": "How?"}], "a.b": "dotted"}',
        "x.y": "literal",
        "x": {"y": "inner"},
    }
    for path, expected in (
        ("payload.q[0].text", "How?"),
        ("$.payload.q[0].text", "How?"),
        ("payload['a.b']", "dotted"),
        ('$["payload"]["a.b"]', "dotted"),
        ("x.y", "literal"),
        ("$.x.y", "inner"),
    ):
        question = read(format_of(question=path), row).turns[0].question
        assert (path, expected) == (path, question and question.text)
    assert None is read(format_of(question="payload.nothing[3]"), row).turns[0].question


@pytest.mark.parametrize("path", ["", "$", "$.", "a[", "a[x]", "a]", "[0]", "a..b", "a.b[0", "a['x]"])
def test_a_path_that_is_none_stops_the_start(path: str) -> None:
    """With the target it was given for."""
    with pytest.raises(ValidationError, match=r"question: .* is no column or path"):
        format_of(question=path)


def test_paths_are_read_in_steps() -> None:
    """The published form."""
    assert ("a", "b", 0, "c d") == parse_path("$.a.b[0]['c d']")
    assert None is look_up([1, 2], (5,))


def test_a_wrong_configuration_says_what_to_write() -> None:
    """The targets that exist, or the one that must be there."""
    with pytest.raises(ValidationError, match=r"unknown target anwser; use answer, question, conversation_id"):
        Mapping(fields={"answer": "a", "anwser": "b"})
    with pytest.raises(ValidationError, match="name the column that holds the answer"):
        Mapping(fields={"question": "q"})


def test_a_missing_column_is_named() -> None:
    """With what it is mapped to and what the row has; sparse exports may leave nulls out."""
    message = refused(format_of("sql"), {"answer": "A", "other": 1})
    assert "no column 'sql', which sql is mapped to" in message
    assert "it has: answer, other; set `sparse: true`" in message
    sparse = Mapping(fields=MappingFields(answer="answer", sql="sql"), sparse=True)
    assert () == read(sparse, {"answer": "A"}).turns[0].queries
    assert "no answer in column 'answer'" in refused(sparse, {})


@pytest.mark.parametrize("answer", [None, "", "  ", 5, ["x"]])
def test_a_row_without_an_answer_is_refused(answer: Any) -> None:
    """It is no turn that can be judged, and the table's owner should know."""
    assert "answer" in refused(format_of(), {"answer": answer})


@pytest.mark.parametrize(
    ("target", "value", "words"),
    [
        ("sql", ["SELECT 1"], "sql is not text, in column 'sql'"),
        ("semantic", "x", "semantic is not a JSON object"),
        ("rows", "1,2", "rows is not a JSON list"),
        ("rows", [1, 2], "rows is not a list of lists or objects"),
        ("columns", "a,b", "columns is not a JSON list"),
        ("started_at", "yesterday", "started_at is no time: 'yesterday'"),
        ("started_at", 1e30, "started_at is no time"),
        ("started_at", True, "started_at is no time"),
    ],
)
def test_a_column_of_the_wrong_kind_is_refused(target: str, value: Any, words: str) -> None:
    """With what was expected and where."""
    assert words in refused(format_of("sql", target), {"answer": "A", "sql": "SELECT 1", target: value})
    assert "a row is a JSON object" in refused(format_of(), [1])


def test_a_row_longer_than_its_columns_is_refused() -> None:
    """At once, so that the record is named."""
    row = {"answer": "A", "rows": [[1, 2]], "columns": ["n"]}
    with pytest.raises(RecordError):
        format_of("rows", "columns").fragments(Record(row))


@pytest.mark.parametrize(
    "written",
    [
        "2026-01-09T09:00:00Z",
        "2026-01-09 09:00:00 UTC",
        "2026-01-09T10:00:00+01:00",
        datetime(2026, 1, 9, 9, tzinfo=UTC),
        1_767_949_200,
        1_767_949_200_000,
        1_767_949_200_000_000,
        1_767_949_200_000_000_000,
    ],
)
def test_times_are_read_as_tables_write_them(written: Any) -> None:
    """Text with or without a zone, timestamps, and numbers since 1970 in any unit."""
    assert datetime(2026, 1, 9, 9, tzinfo=UTC) == turn_of(format_of("started_at"), started_at=written).started_at


@pytest.mark.parametrize(
    ("written", "rating", "comment"),
    [
        *((word, "positive", None) for word in ("up", "Thumbs Up", "positive", 1, 1.0, True, {"rating": 1})),
        *((word, "negative", None) for word in ("down", "THUMBS_DOWN", 0, -1, False, {"rating": "bad"})),
        ({"rating": "up", "comment": "thanks"}, "positive", "thanks"),
        ("wrong month", None, "wrong month"),
    ],
)
def test_feedback_is_a_thumb_or_words(written: Any, rating: str | None, comment: str | None) -> None:
    """In the words and numbers that tables hold."""
    feedback = turn_of(format_of("feedback"), feedback=written).feedback
    assert feedback is not None
    assert (rating, comment) == (feedback.rating, feedback.comment)


@pytest.mark.parametrize("nothing", [None, "", 5, [1]])
def test_no_feedback_is_none(nothing: Any) -> None:
    """Nor is a number of an unknown scale."""
    assert None is turn_of(format_of("feedback"), feedback=nothing).feedback


@pytest.mark.parametrize(
    "written",
    ['{"n": "Departures."}', [{"name": "n", "definition": "Departures."}], [{"name": "n", "text": "Departures."}, 1]],
)
def test_definitions_have_names(written: Any) -> None:
    """As an object, or a list of objects; plain text has none."""
    found = turn_of(format_of("definitions"), definitions=written).definitions
    assert [("n", "Departures.")] == [(each.name, each.text) for each in found]
    assert [("", "All.")] == [
        (e.name, e.text) for e in turn_of(format_of("definitions"), definitions="All.").definitions
    ]


def test_ids_that_are_no_span_s_are_kept_apart() -> None:
    """They must not be sent as OpenTelemetry's."""
    reader = format_of("trace_id", "span_id")
    own = turn_of(reader, trace_id="run-1", span_id="s").trace
    assert ("run-1", "s", False) == (own and (own.trace_id, own.span_id, own.otel))
    cloud = turn_of(reader, trace_id="projects/p/traces/" + "a" * 32, span_id="bad").trace
    assert ("a" * 32, "", True) == (cloud and (cloud.trace_id, cloud.span_id, cloud.otel))


def test_rows_of_a_conversation_are_turns_in_their_order() -> None:
    """By time, else by a numbered turn id; the later of two rows for a turn counts."""
    timed = format_of("conversation_id", "started_at")
    rows = [{"answer": str(n), "conversation_id": "c", "started_at": f"2026-01-09T09:00:{n:02d}Z"} for n in (5, 1, 3)]
    found = read(timed, *rows)
    assert ([("1", 0), ("3", 1), ("5", 2)], 1) == (
        [(turn.answer and turn.answer.text, turn.index) for turn in found.turns],
        found.started_at and found.started_at.second,
    )
    numbered = format_of("conversation_id", "turn_id")
    rows = [{"answer": f"a{n}", "conversation_id": "c", "turn_id": str(n)} for n in (10, 9, 1)]
    assert ["1", "9", "10"] == [turn.id for turn in read(numbered, *rows).turns]
    again = [
        fragment for row in [*rows, {**rows[0], "answer": "newer"}] for fragment in numbered.fragments(Record(row))
    ]
    last = numbered.conversation("c", sorted(again, key=lambda each: each.order)).turns[-1]
    assert ("10", "newer") == (last.id, last.answer and last.answer.text)


def test_the_last_row_says_whose_the_conversation_is() -> None:
    """A release may come between two turns."""
    reader = format_of("conversation_id", "turn_id", "agent_version")
    rows = [{"answer": "A", "conversation_id": "c", "turn_id": n, "agent_version": f"v{n}"} for n in "12"]
    assert "v2" == read(reader, *rows).scope.agent_version


def test_each_row_ends_its_turn() -> None:
    """Nothing more is waited for."""
    (fragment,) = format_of().fragments(Record({"answer": "A"}))
    assert (True, False) == (fragment.ends, fragment.whole)


def test_a_row_without_ids_is_its_own_conversation() -> None:
    """The same row again is the same turn; another is another."""
    reader = format_of("question")
    ids = [reader.fragments(Record({"answer": "A", "question": asked}))[0].group for asked in ("x", "x", "y")]
    assert (True, False) == (ids[0] == ids[1], ids[1] == ids[2])


def test_values_of_a_warehouse_are_kept_exactly() -> None:
    """An exact number stays one; dates become text."""
    rows = [[Decimal("0.1"), date(2026, 1, 9)]]
    reader = format_of("rows")
    (fragment,) = reader.fragments(Record({"answer": "A", "rows": rows}))
    (query,) = reader.conversation(fragment.group, [fragment]).turns[0].queries
    assert [[Decimal("0.1"), "2026-01-09"]] == (query.result and query.result.rows)
    assert "is no JSON" in refused(format_of("user"), {"answer": "A", "user": b"x"})


def test_deep_columns_are_refused() -> None:
    """Before anything recurses into them."""
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(RecordError) as error:
        format_of("rows").fragments(Record({"answer": "A", "rows": deep}))
    assert "too_deep" == error.value.cause


VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        1.5,
        2**62,
        1e300,
        float("inf"),
        "",
        "x",
        "[",
        "9" * 400,
        "0001-01-01",
        "9999-12-31T23:59:59-23:00",
    ),
    *([], [[]], [None, 1], [{}, []], {}, {"a": {}}, [{"name": 1}], {"error": {"error": 1}}, '{"metrics": 1}'),
)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(row=st.fixed_dictionaries(dict.fromkeys(EVERYTHING, st.sampled_from(VALUES))), answered=st.booleans())
def test_any_row_is_read_or_refused(row: Row, answered: bool) -> None:
    """Whatever its columns hold."""
    reader = Mapping(fields=EVERYTHING)
    try:
        (fragment,) = reader.fragments(Record({**row, "answer": "A"} if answered else row))
    except RecordError:
        return
    assert revision(reader.conversation(fragment.group, [fragment]).turns[0])
