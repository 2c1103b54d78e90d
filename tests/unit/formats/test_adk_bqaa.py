"""Rows of agent_events, in both dialects."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from monitor.conversation import Conversation, Turn
from monitor.errors import RecordError
from monitor.formats import Fragment, Record
from monitor.formats.adk_bqaa import AdkBqaa
from monitor.formats.messages import INSTRUCTIONS

TRACE, SPAN = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b171"
QUESTION, ANSWER = "Which carrier had the most flights?", "AA had the most: 1,234."
RESULT = {"columns": ["carrier", "flights"], "rows": [["AA", 1234]]}
MCP_ERROR = "Tool returned an MCP result with isError=true."
Row = dict[str, Any]


class Recorder:
    """Writes rows as the plugin does, one a second."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.turn = "e-1"

    def row(self, kind: str, content: Any = None, attributes: Row | None = None, **more: Any) -> Row:
        number = len(self.rows)
        row = {
            "timestamp": f"2026-01-09T09:{number // 60:02d}:{number % 60:02d}.000000Z",
            "event_id": f"{number:032x}",
            "event_type": kind,
            "agent": "sub_agent",
            "user_id": "u-17",
            "session_id": "s-1",
            "invocation_id": self.turn,
            "trace_id": TRACE,
            "span_id": SPAN,
            "content": content,
            "content_parts": [],
            "attributes": {"root_agent_name": "bi", **(attributes or {})},
            "latency_ms": None,
            "status": "OK",
            "error_message": None,
            "is_truncated": False,
            **more,
        }
        self.rows.append(row)
        return row

    def asked(self, text: str = QUESTION, **more: Any) -> Row:
        return self.row("USER_MESSAGE_RECEIVED", {"text_summary": text}, **more)

    def tool(self, result: Any = None, span: str = "a" * 16, tool: str = "run_query", args: Any = None) -> None:
        args = args if args is not None else {"sql": "select 1"}
        self.row("TOOL_STARTING", {"tool": tool, "args": args, "tool_origin": "LOCAL"}, span_id=span)
        self.row("TOOL_COMPLETED", {"tool": tool, "result": result, "tool_origin": "LOCAL"}, span_id=span)

    def tool_error(self, message: str = MCP_ERROR, span: str = "b" * 16, tool: str = "run_query") -> None:
        content = {"tool": tool, "args": {"sql": "select 1"}, "tool_origin": "MCP"}
        self.row("TOOL_STARTING", content, span_id=span)
        self.row("TOOL_ERROR", content, span_id=span, status="ERROR", error_message=message)

    def request(self, *responses: Any, tool: str = "run_query") -> Row:
        parts = [
            {
                "text": f"Function response: {tool}",
                "part_attributes": orjson.dumps(
                    {"function_response": {"id": None, "name": tool, "response": response}}
                ).decode(),
            }
            for response in responses
        ]
        return self.row("LLM_REQUEST", {"prompt": ["x" * 1000], "system_prompt": "y" * 1000}, content_parts=parts)

    def answered(self, response: Any = f"text: '{ANSWER}'", **more: Any) -> Row:
        return self.row("AGENT_RESPONSE", {"response": response}, **more)

    def ended(self, **more: Any) -> Row:
        return self.row("INVOCATION_COMPLETED", **more)


def fragments(*rows: Row, **options: Any) -> list[Fragment]:
    return [fragment for row in rows for fragment in AdkBqaa(**options).fragments(Record(row))]


def joined(rows: list[Row], **options: Any) -> Conversation:
    found = {fragment.key: fragment for fragment in fragments(*rows, **options)}
    ordered = sorted(found.values(), key=lambda fragment: (fragment.order, fragment.key))
    return AdkBqaa(**options).conversation(ordered[0].group, ordered)


def the_turn(recorder: Recorder) -> Turn:
    turns = joined(recorder.rows).turns
    assert 1 == len(turns)
    return turns[0]


def a_turn(result: Any = RESULT) -> Recorder:
    recorder = Recorder()
    recorder.asked()
    recorder.tool(result)
    recorder.answered()
    recorder.ended(latency_ms={"total_ms": 687})
    return recorder


def test_an_invocation_is_a_turn() -> None:
    """Question, call with its arguments, rows, answer, times, latency and the end."""
    turn = the_turn(a_turn())
    assert ("e-1", "complete", QUESTION, ANSWER) == (turn.id, turn.state, turn.question.text, turn.answer.text)  # type: ignore[union-attr]
    assert ("run_query", {"sql": "select 1"}, "ok") == (
        turn.tool_calls[0].name,
        turn.tool_calls[0].arguments,
        turn.tool_calls[0].status,
    )
    assert ("select 1", [["AA", 1234]]) == (turn.queries[0].sql, turn.queries[0].result.rows)  # type: ignore[union-attr]
    assert (687, 4.0) == (turn.latency_ms, (turn.ended_at - turn.started_at).total_seconds())  # type: ignore[operator]


def test_a_session_is_a_conversation() -> None:
    """Its agent is the root agent; user and semantic model come from the session."""
    recorder = a_turn()
    state = {"semantic_model": "flights"}
    for row in recorder.rows:
        row["attributes"] |= {"session_metadata": {"state": state}, "custom_tags": {"channel": "web"}}
    found = joined(recorder.rows)
    assert ("s-1", "bi", "flights", "u-17", {"channel": "web"}) == (
        found.id,
        found.scope.agent,
        found.scope.semantic_model,
        found.user,
        found.labels,
    )


def test_json_columns_may_be_text() -> None:
    """An export gives strings where the client gives objects; both are the same turn."""
    recorder = a_turn()
    written = [
        {
            name: orjson.dumps(value).decode() if name in ("content", "attributes", "latency_ms") and value else value
            for name, value in row.items()
        }
        for row in recorder.rows
    ]
    assert joined(recorder.rows) == joined(written)


def test_columns_may_be_missing() -> None:
    """Without the columns that can be left out of the table, a turn still has its question and answer."""
    recorder = a_turn()
    for row in recorder.rows:
        for name in ("attributes", "content_parts", "latency_ms", "event_id", "user_id", "error_message"):
            del row[name]
    turn = the_turn(recorder)
    assert (ANSWER, 1) == (turn.answer.text, len(turn.queries))  # type: ignore[union-attr]
    assert "sub_agent" == joined(recorder.rows).scope.agent


def test_content_that_is_not_recorded_is_said_to_be_absent() -> None:
    """So that no check takes an empty record for an empty answer."""
    recorder = a_turn()
    for row in recorder.rows:
        del row["content"]
    turn = the_turn(recorder)
    assert ("complete", None) == (turn.state, turn.answer)
    assert ("absent", "absent", "absent", "partial", True) == (
        turn.completeness.tool_calls,
        turn.completeness.queries,
        turn.completeness.results,
        turn.completeness.errors,
        turn.completeness.truncated,
    )


def test_rows_are_known_again() -> None:
    """By event_id, else by their whole content: the stream delivers at least once."""
    row = Recorder().asked()
    old = {name: value for name, value in row.items() if name != "event_id"}
    assert row["event_id"] == fragments(row)[0].key
    assert fragments(old)[0].key == fragments(dict(old))[0].key
    assert fragments(old)[0].key != fragments({**old, "content": {"text_summary": "other"}})[0].key


def test_order_and_repeats_of_rows_do_not_matter() -> None:
    """The conversation depends on what was recorded only."""
    rows = a_turn().rows
    assert joined(rows) == joined([*reversed(rows), *rows])


def test_only_the_end_of_an_invocation_ends() -> None:
    """Well or badly; no other row does, not the end of one agent among several."""
    recorder = a_turn()
    recorder.row("AGENT_COMPLETED")
    recorder.row("INVOCATION_ERROR", {"error_traceback": "…"}, status="ERROR")
    assert ["INVOCATION_COMPLETED", "INVOCATION_ERROR"] == [
        fragment.event["type"] for fragment in fragments(*recorder.rows) if fragment.ends
    ]


@pytest.mark.parametrize(
    "kind",
    ["AGENT_COMPLETED", "STATE_DELTA", "AGENT_TRANSFER", "EVENT_COMPACTION", "NODE_OUTPUT", "A2A_INTERACTION", "NEW"],
)
def test_other_events_are_ignored(kind: str) -> None:
    """They say nothing about a turn."""
    assert [] == fragments(Recorder().row(kind, {"x": 1}))


def test_a_request_to_the_model_is_kept_only_for_the_errors_in_it() -> None:
    """It repeats the whole history: prompts and good results are dropped."""
    recorder = Recorder()
    assert [] == fragments(recorder.request())
    assert [] == fragments(recorder.request(RESULT))
    kept = fragments(recorder.request(RESULT, {"isError": True, "content": []}))
    assert 1 == len(kept[0].event["content"]["responses"])
    assert len(orjson.dumps(kept[0].event)) < 500


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("text: 'AA'", "AA"),
        ("text: 'AA' | text: 'DL'", "AA\nDL"),
        ("text: 'It's 5 o'clock'", "It's 5 o'clock"),
        ("text: 'a | b'", "a | b"),
        ("text: 'cut...[TRUNCATED]", "cut...[TRUNCATED]"),
        ("plain words", "plain words"),
        ({"answer": "AA", "confidence": 0.9}, "AA"),
        ({"verdict": "AA"}, "AA"),
        ({"a": "x", "b": "y"}, '{"a":"x","b":"y"}'),
    ],
)
def test_the_answer_is_unwrapped(response: Any, text: str) -> None:
    """Parts become lines; a tool that delivers the answer has it among its arguments."""
    recorder = Recorder()
    recorder.asked()
    recorder.answered(response)
    assert text == the_turn(recorder).answer.text  # type: ignore[union-attr]


@pytest.mark.parametrize("response", ["None", "other", "call: run_query", "text: 'a' | call: run_query", None])
def test_what_stands_for_no_text_is_no_answer(response: Any) -> None:
    """The turn is not shown with an answer that nobody read."""
    recorder = Recorder()
    recorder.asked()
    recorder.answered(response)
    recorder.ended()
    turn = the_turn(recorder)
    assert ("complete", None, True) == (turn.state, turn.answer, turn.completeness.truncated)


def test_the_last_answer_counts() -> None:
    """Of several agents in one invocation, the last one's words reach the person."""
    recorder = Recorder()
    recorder.asked()
    recorder.answered("text: 'Passing you on.'")
    recorder.answered()
    recorder.ended()
    assert ANSWER == the_turn(recorder).answer.text  # type: ignore[union-attr]


def test_without_answer_rows_the_models_last_words_count() -> None:
    """Older versions write no AGENT_RESPONSE; chunks of a stream are not the answer."""
    recorder = Recorder()
    recorder.asked()
    recorder.row("LLM_RESPONSE", {"response": "text: 'Let me look.' | call: run_query"}, {"finish_reason": "STOP"})
    recorder.tool(RESULT)
    recorder.row("LLM_RESPONSE", {"response": "text: 'AA had'"})
    recorder.row("LLM_RESPONSE", {"response": f"text: '{ANSWER}'"}, {"finish_reason": "STOP"})
    recorder.ended()
    assert ("complete", ANSWER) == (the_turn(recorder).state, the_turn(recorder).answer.text)  # type: ignore[union-attr]


def test_the_question_is_the_full_text_of_its_parts() -> None:
    """The summary stands in where there are none; attachments are no words."""
    recorder = Recorder()
    parts = [
        {"mime_type": "text/plain", "text": "first", "part_attributes": "{}"},
        {"mime_type": "image/png", "text": "[BINARY DATA]", "part_attributes": None},
        {"mime_type": "text/plain", "text": "second", "part_attributes": "{}"},
    ]
    recorder.asked("first | second", content_parts=parts)
    assert "first\nsecond" == the_turn(recorder).question.text  # type: ignore[union-attr]


def test_the_result_of_a_paused_tool_is_no_question() -> None:
    """Someone approved or delivered something; nobody asked."""
    recorder = Recorder()
    recorder.asked("Function response: approve")
    recorder.answered()
    assert (None, ANSWER) == (the_turn(recorder).question, the_turn(recorder).answer.text)  # type: ignore[union-attr]


def test_an_error_in_a_good_row_is_an_error() -> None:
    """The plugin writes a refused query as completed and OK."""
    turn = the_turn(a_turn({"error": {"code": "fan_out", "message": "would count twice"}}))
    assert [("fan_out", "refusal", "error")] == [(e.code, e.kind, turn.queries[0].status) for e in turn.errors]


def test_the_words_of_an_mcp_error_come_from_the_next_request() -> None:
    """The row itself has none, and function calls have no id there."""
    recorder = Recorder()
    recorder.asked()
    recorder.tool_error()
    recorder.request({"isError": True, "content": [{"type": "text", "text": "fan_out: would count twice"}]})
    recorder.answered()
    recorder.ended()
    turn = the_turn(recorder)
    assert [("fan_out", "fan_out: would count twice", "refusal")] == [(e.code, e.message, e.kind) for e in turn.errors]
    assert ("full", ()) == (turn.completeness.errors, turn.completeness.notes)


def test_each_error_gets_its_own_words_not_those_of_the_history() -> None:
    """Earlier errors stand in every later request; two calls of one tool failed in this turn."""

    def said(text: str) -> Row:
        return {"isError": True, "content": [{"type": "text", "text": text}]}

    recorder = Recorder()
    recorder.asked()
    recorder.tool_error(span="1" * 16)
    recorder.request(said("no_path: a"))
    recorder.answered()
    recorder.ended()
    recorder.turn = "e-2"
    recorder.asked()
    recorder.tool_error(span="2" * 16)
    recorder.tool_error(span="3" * 16)
    recorder.tool({"error": "timeout: slow"}, span="4" * 16)
    recorder.request(said("no_path: a"), said("fan_out: b"), said("no_path: a"), {"error": "timeout: slow"})
    recorder.answered()
    recorder.ended()
    first, second = joined(recorder.rows).turns
    assert ["no_path: a"] == [error.message for error in first.errors]
    assert ["fan_out: b", "no_path: a", "timeout: slow"] == [error.message for error in second.errors]


def test_an_error_without_words_is_said_to_be_incomplete() -> None:
    """The words of the turn before are not taken for it."""
    recorder = Recorder()
    recorder.asked()
    recorder.tool_error(span="1" * 16)
    recorder.request({"isError": True, "content": [{"type": "text", "text": "no_path: a"}]})
    recorder.ended()
    recorder.turn = "e-2"
    recorder.asked()
    recorder.tool_error(span="2" * 16)
    recorder.ended()
    turn = joined(recorder.rows).turns[1]
    assert [(None, MCP_ERROR, "unknown")] == [(error.code, error.message, error.kind) for error in turn.errors]
    assert "partial" == turn.completeness.errors


def test_a_raised_error_has_its_words_in_its_row() -> None:
    """No request is needed."""
    recorder = Recorder()
    recorder.asked()
    recorder.tool_error("timeout: 30 s")
    recorder.ended()
    assert [("timeout", "infrastructure")] == [(error.code, error.kind) for error in the_turn(recorder).errors]


@pytest.mark.parametrize(
    ("kind", "source", "state"),
    [
        ("LLM_ERROR", "model", "in_progress"),
        ("AGENT_ERROR", "agent", "failed"),
        ("NODE_ERROR", "agent", "in_progress"),
        ("INVOCATION_ERROR", "run", "failed"),
    ],
)
def test_errors_outside_tools_are_kept(kind: str, source: str, state: str) -> None:
    """Whatever the row's status says: older versions wrote OK."""
    recorder = Recorder()
    recorder.asked()
    recorder.row(kind, {"error_traceback": "secret"}, error_message="429 RESOURCE_EXHAUSTED")
    turn = the_turn(recorder)
    assert [(source, "429 RESOURCE_EXHAUSTED", "infrastructure")] == [
        (e.source, e.message, e.kind) for e in turn.errors
    ]
    assert state == turn.state


def test_a_message_on_a_good_row_is_no_error() -> None:
    """The plugin notes there that it could not format something."""
    recorder = a_turn()
    recorder.rows[2]["error_message"] = "formatter failed"
    assert () == the_turn(recorder).errors


def test_parallel_calls_are_told_apart_by_their_span() -> None:
    """Results may come in another order than calls."""
    recorder = Recorder()
    recorder.asked()
    for span in ("1" * 16, "2" * 16):
        recorder.row("TOOL_STARTING", {"tool": "run_query", "args": {"sql": f"select {span[0]}"}}, span_id=span)
    for span in ("2" * 16, "1" * 16):
        recorder.row("TOOL_COMPLETED", {"tool": "run_query", "result": {"rows": [[int(span[0])]]}}, span_id=span)
    assert [("select 1", [[1]]), ("select 2", [[2]])] == [
        (query.sql, query.result and query.result.rows) for query in the_turn(recorder).queries
    ]


def test_without_spans_calls_are_paired_by_name() -> None:
    """In the order they were made."""
    recorder = a_turn()
    for row in recorder.rows:
        row["span_id"] = None
    turn = the_turn(recorder)
    assert [({"sql": "select 1"}, "ok")] == [(call.arguments, call.status) for call in turn.tool_calls]


def test_a_lost_span_does_not_split_a_call() -> None:
    """One row of the two has it."""
    recorder = a_turn()
    recorder.rows[1]["span_id"] = None
    assert [({"sql": "select 1"}, "ok")] == [(call.arguments, call.status) for call in the_turn(recorder).tool_calls]


@pytest.mark.parametrize("tool", ["transfer_to_agent", "adk_request_confirmation"])
def test_tools_that_only_move_the_conversation_are_left_out(tool: str) -> None:
    """They answer nothing."""
    recorder = Recorder()
    recorder.asked()
    recorder.tool({"ok": True}, tool=tool, args={})
    recorder.answered()
    assert () == the_turn(recorder).tool_calls


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        (["asked"], "in_progress"),
        (["asked", "started"], "in_progress"),
        (["asked", "answered"], "complete"),
        (["asked", "tool", "answered"], "complete"),
        (["asked", "answered", "started"], "in_progress"),
        (["asked", "answered", "ended"], "complete"),
        (["answered", "ended"], "complete"),
        (["asked", "ended"], "failed"),
    ],
)
def test_a_turns_state_needs_no_row_that_may_be_lost(rows: list[str], state: str) -> None:
    """An answer that no more work follows is the end, also where the last row was lost."""
    recorder = Recorder()
    for name in rows:
        if name == "started":
            recorder.row("TOOL_STARTING", {"tool": "run_query", "args": {}})
        else:
            getattr(recorder, name)()
    assert state == the_turn(recorder).state


def paused(recorder: Recorder) -> None:
    attributes = {"adk": {"pause_kind": "tool", "function_call_id": "fc-1"}}
    args = {"sql": "select 1"}
    recorder.asked()
    recorder.row("TOOL_PAUSED", {"tool": "long_query", "args": args}, attributes)
    recorder.row("TOOL_STARTING", {"tool": "long_query", "args": args}, span_id="c" * 16)
    recorder.ended()


def resumed(recorder: Recorder) -> None:
    attributes = {"adk": {"pause_kind": "tool", "function_call_id": "fc-1"}}
    recorder.asked("Function response: long_query")
    recorder.row("TOOL_COMPLETED", {"tool": "long_query", "result": RESULT}, attributes)
    recorder.answered()
    recorder.ended()


def test_a_turn_whose_tool_waits_is_paused() -> None:
    """It has no answer yet, and one call that is pending."""
    recorder = Recorder()
    paused(recorder)
    turn = the_turn(recorder)
    assert ("paused", None, ["pending"]) == (turn.state, turn.answer, [call.status for call in turn.tool_calls])


def test_the_turn_that_resumes_has_the_calls_arguments() -> None:
    """The result comes in a later invocation, without them."""
    recorder = Recorder()
    paused(recorder)
    recorder.turn = "e-2"
    resumed(recorder)
    first, second = joined(recorder.rows).turns
    assert ("paused", "complete", None) == (first.state, second.state, second.question)
    assert ("select 1", [["AA", 1234]]) == (second.queries[0].sql, second.queries[0].result.rows)  # type: ignore[union-attr]


def test_an_invocation_that_is_resumed_goes_on() -> None:
    """Some apps keep the invocation's id: then it is one turn, with one call."""
    recorder = Recorder()
    paused(recorder)
    resumed(recorder)
    turn = the_turn(recorder)
    assert ("complete", QUESTION, ["ok"]) == (turn.state, turn.question.text, [c.status for c in turn.tool_calls])  # type: ignore[union-attr]


def test_an_invocation_that_was_resumed_is_in_progress_until_it_is_answered() -> None:
    """Its first end was a pause."""
    recorder = Recorder()
    paused(recorder)
    resumed(recorder)
    del recorder.rows[-2:]
    assert "in_progress" == the_turn(recorder).state


@pytest.mark.parametrize(("kind", "state"), [("TOOL_PAUSED", "paused"), ("TOOL_STARTING", "in_progress")])
def test_words_before_a_tool_that_waits_or_runs_are_no_answer(kind: str, state: str) -> None:
    """Also where the answer has no row of its own."""
    recorder = Recorder()
    recorder.asked()
    recorder.row("LLM_RESPONSE", {"response": "text: 'One moment.'"}, {"finish_reason": "STOP"})
    recorder.row(kind, {"tool": "long_query", "args": {}})
    assert (state, None) == (the_turn(recorder).state, the_turn(recorder).answer)


@pytest.mark.parametrize("name", ["CONFIRMATION", "CREDENTIAL", "INPUT"])
def test_a_turn_that_waits_for_a_person_is_paused(name: str) -> None:
    """Until the person did what was asked."""
    recorder = Recorder()
    content = {"tool": f"adk_request_{name.lower()}", "args": {}}
    recorder.asked()
    recorder.row(f"HITL_{name}_REQUEST", content)
    recorder.row("TOOL_PAUSED", content, {"adk": {"function_call_id": "fc-9"}})
    recorder.ended()
    assert "paused" == the_turn(recorder).state
    recorder.row(f"HITL_{name}_REQUEST_COMPLETED", content)
    recorder.answered()
    assert "complete" == the_turn(recorder).state


@pytest.mark.parametrize("kind", ["HITL_CREDENTIAL_REQUEST_COMPLETED", "TOOL_COMPLETED", "TOOL_PAUSED"])
def test_what_people_give_to_a_request_is_not_kept(kind: str) -> None:
    """It may be a credential, and no turn needs it."""
    content = {"tool": "adk_request_credential", "args": {"key": "k"}, "result": {"access": "secret"}}
    event = fragments(Recorder().row(kind, content))[0].event
    assert {"tool": "adk_request_credential"} == event["content"]


def test_turns_that_were_rewound_are_left_out() -> None:
    """Those at and after the one that the person went back to; later ones count again."""
    recorder = Recorder()
    for number in (1, 2, 3):
        recorder.turn = f"e-{number}"
        recorder.asked(f"{number}?")
        recorder.answered()
        recorder.ended()
    recorder.turn = "e-4"
    recorder.row("STATE_DELTA", None, {"adk": {"rewind_before_invocation_id": "e-2"}})
    recorder.turn = "e-5"
    recorder.asked("5?")
    assert [("e-1", 0), ("e-5", 1)] == [(turn.id, turn.index) for turn in joined(recorder.rows).turns]


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_a_row_that_lost_data_makes_the_turn_truncated(row: int) -> None:
    """Question, arguments, result or answer."""
    recorder = a_turn()
    recorder.rows[row]["is_truncated"] = True
    assert the_turn(recorder).completeness.truncated


def test_a_prompt_that_was_cut_does_no_harm() -> None:
    """Nothing is read from it, or from the state of a session."""
    recorder = a_turn()
    recorder.rows.insert(1, {**recorder.request(RESULT), "is_truncated": True})
    recorder.row("LLM_RESPONSE", {"response": "call: run_query"}, is_truncated=True)
    recorder.row("INVOCATION_STARTING", is_truncated=True)
    assert not the_turn(recorder).completeness.truncated


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("[CONTENT_PARSE_FAILED]", (True, False)),
        ("[FORMATTER_FAILED]", (True, False)),
        ("[FORMATTING FAILED]", (True, False)),
        ("[UNSUPPORTED_OBJECT]", (True, False)),
        ("[SANITIZE_BUDGET_EXCEEDED]", (True, False)),
        ("[MAX_DEPTH_EXCEEDED]", (True, False)),
        ("[CIRCULAR_REFERENCE]", (True, False)),
        ("[UNPARSEABLE_JSON_BLOB]", (True, False)),
        ("[BINARY DATA]", (True, False)),
        ("[UPLOAD FAILED]", (True, False)),
        ("[MEDIA OFFLOADED]", (True, False)),
        ("long text...[TRUNCATED]", (True, False)),
        ("long text... [OFFLOADED]", (True, False)),
        ("[REDACTED]", (False, True)),
        ("[REDACTED_SENSITIVE_TEXT]", (False, True)),
    ],
)
def test_sentinels_are_no_content(mark: str, expected: tuple[bool, bool]) -> None:
    """Also in a cell, where the row itself does not say so."""
    completeness = the_turn(a_turn({"columns": ["token"], "rows": [[mark]]})).completeness
    assert expected == (completeness.truncated, completeness.redacted)


def test_tokens_of_streams_are_counted_once() -> None:
    """Chunks repeat the count of their call; thinking is output."""
    recorder = Recorder()
    recorder.asked()
    for span in ("1" * 16, "2" * 16):
        usage = {"prompt_token_count": 800, "candidates_token_count": 40, "thoughts_token_count": 2}
        recorder.row("LLM_RESPONSE", None, {"usage_metadata": usage}, span_id=span)
        recorder.row("LLM_RESPONSE", None, {"usage_metadata": usage, "finish_reason": "STOP"}, span_id=span)
    usage_of = the_turn(recorder).usage
    assert (1600, 84) == (usage_of.input_tokens, usage_of.output_tokens)  # type: ignore[union-attr]


def test_tokens_of_older_streams_are_counted_once() -> None:
    """Their rows do not say which is the last of a call."""
    recorder = Recorder()
    recorder.asked()
    for count in (10, 20, 40):
        recorder.row("LLM_RESPONSE", {"response": "text: 'AA'", "usage": {"prompt": 800, "completion": count}})
    usage = the_turn(recorder).usage
    assert (800, 40) == (usage.input_tokens, usage.output_tokens)  # type: ignore[union-attr]


def test_model_and_tokens_are_read_without_attributes_too() -> None:
    """From the content of the row."""
    recorder = Recorder()
    recorder.asked()
    recorder.row("AGENT_STARTING", "Only governed queries.", {"model": "gemini"})
    recorder.row("LLM_RESPONSE", {"response": "call: x", "usage": {"prompt": 8, "completion": 4, "total": 12}})
    turn = the_turn(recorder)
    assert ("gemini", 8, 4) == (turn.model, turn.usage.input_tokens, turn.usage.output_tokens)  # type: ignore[union-attr]
    recorder.row("LLM_RESPONSE", {"response": "call: x"}, {"model_version": "gemini-1"})
    assert "gemini-1" == the_turn(recorder).model


def test_instructions_stand_once() -> None:
    """In the turn that shows them first, though each turn repeats them."""
    recorder = Recorder()
    for number in (1, 2):
        recorder.turn = f"e-{number}"
        recorder.asked()
        recorder.row("AGENT_STARTING", "Only governed queries.")
    assert [[(INSTRUCTIONS, "Only governed queries.")], []] == [
        [(definition.name, definition.text) for definition in turn.definitions] for turn in joined(recorder.rows).turns
    ]


def test_the_trace_is_the_recorders_own_unless_it_names_opentelemetrys() -> None:
    """Only then can a back end find the span."""
    recorder = a_turn()
    trace = the_turn(recorder).trace
    assert (TRACE, SPAN, False) == (trace.trace_id, trace.span_id, trace.otel)  # type: ignore[union-attr]
    recorder.rows[0]["attributes"]["otel"] = {"trace_id": "a" * 32, "span_id": "b" * 16}
    trace = the_turn(recorder).trace
    assert ("a" * 32, "b" * 16, True) == (trace.trace_id, trace.span_id, trace.otel)  # type: ignore[union-attr]


def test_a_trace_id_that_is_none_is_left_out() -> None:
    """The plugin falls back to the invocation's id."""
    recorder = a_turn()
    for row in recorder.rows:
        row["trace_id"] = "e-1"
    assert the_turn(recorder).trace is None


def bqca(kind: str, content: Any = None, session: str = "turn-1", **more: Any) -> Row:
    state = {"data-agent-id": "agent_flights", "conversation-id": "conv-77", "custom_labels": {"team": "ops"}}
    number = {"USER_MESSAGE_RECEIVED": 1, "LLM_RESPONSE": 2, "AGENT_RESPONSE": 3, "INVOCATION_COMPLETED": 4}
    return {
        "timestamp": f"2026-01-09T09:00:{number.get(kind, 9):02d}Z",
        "event_id": f"{session}-{kind}",
        "event_type": kind,
        "agent": "ConversationalAnalyticsAgent",
        "session_id": session,
        "invocation_id": f"inv-{session}",
        "user_id": "ana@example.com",
        "content": content,
        "attributes": {"session_metadata": {"state": state}},
        "status": "OK",
        **more,
    }


def bqca_turn(response: Any) -> Turn:
    rows = [
        bqca("USER_MESSAGE_RECEIVED", {"text_summary": QUESTION}),
        bqca("AGENT_RESPONSE", response),
        bqca("INVOCATION_COMPLETED"),
    ]
    return joined(rows).turns[0]


def test_in_conversational_analytics_a_session_is_a_turn() -> None:
    """The conversation's id stands in the session's state, the agent's id beside it."""
    rows = [bqca("USER_MESSAGE_RECEIVED", {"text_summary": QUESTION}, session) for session in ("turn-1", "turn-2")]
    found = joined(rows)
    assert ("conv-77", ["turn-1", "turn-2"], "agent_flights", {"team": "ops"}) == (
        found.id,
        [turn.id for turn in found.turns],
        found.scope.agent,
        found.labels,
    )


def test_conversational_analytics_records_no_queries() -> None:
    """A check that needs them cannot decide."""
    completeness = bqca_turn({"response": {"parts": [{"markdown": ANSWER}]}}).completeness
    assert ("absent", "absent", "absent", "absent") == (
        completeness.tool_calls,
        completeness.queries,
        completeness.results,
        completeness.errors,
    )


@pytest.mark.parametrize(
    ("content", "text", "kind"),
    [
        ({"response": {"parts": [{"markdown": "AA"}, {"markdown": "DL"}]}}, "AA\nDL", "answer"),
        ({"response": {"parts": [], "clarifying_question": "By departure?"}}, "By departure?", "clarification"),
        (
            {"response": {"parts": [{"markdown": "One thing."}], "clarifying_question": "By departure?"}},
            "One thing.\nBy departure?",
            "clarification",
        ),
        ({"response": '{"parts": [{"markdown": "AA"}]}'}, "AA", "answer"),
        ({"text_summary": "AA"}, "AA", "answer"),
        ({"parts": [{"text": "AA"}]}, "AA", "answer"),
        ({"response": "AA"}, "AA", "answer"),
        ({"response": "text: 'AA'"}, "AA", "answer"),
    ],
)
def test_its_answers_and_clarifying_questions_are_told_apart(content: Any, text: str, kind: str) -> None:
    """Where the answer stands has changed; a clarifying question has its own field."""
    answer = bqca_turn(content).answer
    assert (text, kind) == (answer.text, answer.kind)  # type: ignore[union-attr]


def test_its_redacted_errors_are_marked() -> None:
    """The message is blanked in every row."""
    rows = [
        bqca("USER_MESSAGE_RECEIVED", {"text_summary": QUESTION}),
        bqca("INVOCATION_ERROR", status="ERROR", error_message="[REDACTED]"),
    ]
    turn = joined(rows).turns[0]
    assert ("failed", True) == (turn.state, turn.completeness.redacted)


def test_the_dialect_may_be_set() -> None:
    """Where the rows do not show it."""
    row = Recorder().asked()
    assert ("e-1", "s-1") == (fragments(row)[0].event["turn"], fragments(row, dialect="bqca")[0].event["turn"])


def test_rows_of_1_19_get_a_clear_message() -> None:
    """They hold text instead of JSON; the message says so and what to do."""
    row = {
        "timestamp": "2026-01-09T09:00:01Z",
        "event_type": "USER_MESSAGE_RECEIVED",
        "session_id": "s",
        "invocation_id": "e",
        "content": "User Content: text: 'Hi'",
    }
    with pytest.raises(RecordError, match=r"1\.19") as raised:
        fragments(row)
    assert ("unsupported", True) == (raised.value.cause, "1.21" in raised.value.hint)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"event_type": None}, "no event_type"),
        ({"session_id": None}, "no session_id"),
        ({"session_id": {}}, "no session_id"),
        ({"invocation_id": ""}, "no invocation_id"),
        ({"timestamp": None}, "timestamp 'None' is no time"),
        ({"timestamp": "soon"}, "timestamp 'soon' is no time"),
    ],
)
def test_a_row_that_cannot_be_placed_is_refused(change: Row, words: str) -> None:
    """It says which column."""
    with pytest.raises(RecordError, match=words) as raised:
        fragments({**Recorder().asked(), **change})
    assert "invalid" == raised.value.cause


@pytest.mark.parametrize("data", ["text", 1, None, ["row"]])
def test_what_is_no_row_is_refused(data: Any) -> None:
    """Rows may come in a list."""
    with pytest.raises(RecordError, match="JSON object"):
        AdkBqaa().fragments(Record(data))


def test_rows_may_come_in_a_list() -> None:
    """As an export to one JSON file has them."""
    assert 4 == len(AdkBqaa().fragments(Record(a_turn().rows))) - 1
