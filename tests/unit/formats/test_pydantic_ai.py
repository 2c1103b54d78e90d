"""Message histories of pydantic-ai, of both generations."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.conversation import AgentError, Conversation, revision
from monitor.errors import RecordError
from monitor.formats import Record
from monitor.formats.pydantic_ai import PydanticAI

ROWS = {"columns": ["carrier", "n"], "rows": [["AA", 1234]]}
Message = dict[str, Any]


def request(*parts: Message, run: str | None = "r1", at: int = 0, **more: Any) -> Message:
    return _message("request", parts, run, at, more)


def response(*parts: Message, run: str | None = "r1", at: int = 1, **more: Any) -> Message:
    usage = {"usage": {"input_tokens": 10, "output_tokens": 2}, "model_name": "m-1"} if run else {}
    return _message("response", parts, run, at, {**usage, **more})


def _message(kind: str, parts: tuple[Message, ...], run: str | None, at: int, more: Message) -> Message:
    newer = {"run_id": run, "conversation_id": "conv-1", "state": "complete"} if run else {}
    times = {"timestamp": f"2026-01-09T09:00:{at:02d}Z"} if run else {}
    return {"kind": kind, "parts": list(parts), **newer, **times, **more}


def prompt(content: Any) -> Message:
    return {"part_kind": "user-prompt", "content": content}


def text(content: str) -> Message:
    return {"part_kind": "text", "content": content}


def call(call_id: str = "c1", args: Any = None, name: str = "run_query", kind: str = "tool-call") -> Message:
    return {"part_kind": kind, "tool_name": name, "tool_call_id": call_id, "args": args or {"m": 1}}


def returned(content: Any, call_id: str = "c1", outcome: str | None = "success", **more: Any) -> Message:
    found = {"part_kind": "tool-return", "tool_name": "run_query", "tool_call_id": call_id, "content": content, **more}
    return {**found, "outcome": outcome} if outcome else found


def answered(run: str | None = "r1", at: int = 0) -> list[Message]:
    """A run with a question, a query and an answer."""
    return [
        request(prompt("How many?"), run=run, at=at),
        response({"part_kind": "thinking", "content": "9"}, text("Let me look."), call(), run=run, at=at + 1),
        request(returned(ROWS), run=run, at=at + 2),
        response(text("1,234."), run=run, at=at + 3),
    ]


def read(*records: Any) -> Conversation:
    fragments = [fragment for record in records for fragment in PydanticAI().fragments(Record(record))]
    assert 1 == len({fragment.group for fragment in fragments})
    assert all(fragment.whole for fragment in fragments)
    return PydanticAI().conversation(fragments[0].group, sorted(fragments, key=lambda each: each.order))


def errors_of(*parts: Message) -> tuple[AgentError, ...]:
    (turn,) = read([request(prompt("Q")), response(call()), request(*parts), response(text("A"))]).turns
    return turn.errors


def test_a_run_is_a_turn() -> None:
    """With question, call, rows, answer, tokens, model and times; thoughts and words beside a call left out."""
    conversation = read(answered())
    (turn,) = conversation.turns
    assert ("conv-1", "r1", "complete") == (conversation.id, turn.id, turn.state)
    assert ("How many?", "1,234.") == (turn.question and turn.question.text, turn.answer and turn.answer.text)
    assert [[["AA", 1234]]] == [query.result.rows for query in turn.queries if query.result]
    assert [("c1", {"m": 1}, "ok")] == [(each.id, each.arguments, each.status) for each in turn.tool_calls]
    assert (20, 4, "m-1") == (
        turn.usage and turn.usage.input_tokens,
        turn.usage and turn.usage.output_tokens,
        turn.model,
    )
    assert (0, 3) == (turn.started_at and turn.started_at.second, turn.ended_at and turn.ended_at.second)


def test_the_response_that_answers_is_named() -> None:
    """By its provider's id; calls have the times of their messages, results those of their parts."""
    messages = answered()
    messages[1]["provider_response_id"], messages[3]["provider_response_id"] = "r-1", "r-2"
    messages[2]["parts"][0]["timestamp"] = "2026-01-09T09:00:09Z"
    (turn,) = read(messages).turns
    (made,) = turn.tool_calls
    assert "r-2" == turn.response_id
    assert (1, 9) == (made.started_at and made.started_at.second, made.ended_at and made.ended_at.second)
    assert {} == turn.completeness.model_dump(exclude_defaults=True)


def test_older_histories_have_turns_from_prompt_to_prompt() -> None:
    """They have no runs, ids or states, and token counts of another name."""
    older = answered(None)
    older[3]["usage"] = {"request_tokens": 5, "response_tokens": 1}
    conversation = read({"id": "x", "messages": [*older, request(prompt("And now?"), run=None)]})
    first, second = conversation.turns
    assert ("x", ["t1", "t2"]) == (conversation.id, [first.id, second.id])
    assert ("complete", "in_progress") == (first.state, second.state)
    assert (5, 1) == (first.usage and first.usage.input_tokens, first.usage and first.usage.output_tokens)


def test_prompts_before_the_first_response_are_one_question() -> None:
    """A prompt may be a list of parts; files in it have no text."""
    image = {"kind": "image-url", "url": "http://x"}
    messages = [
        request(prompt("A"), run=None),
        request(prompt(["B", image, {"kind": "text", "content": "C"}]), run=None),
        response(text("D"), run=None),
    ]
    (turn,) = read(messages).turns
    assert "A\nB\nC" == (turn.question and turn.question.text)


@pytest.mark.parametrize(
    ("part", "code", "kind"),
    [
        (
            returned("fan_out: would count twice", outcome="retried", retry={"cause": "model_retry"}),
            "fan_out",
            "refusal",
        ),
        (returned("fan_out: would count twice", outcome="failed"), "fan_out", "refusal"),
        (returned("fan_out: would count twice"), "fan_out", "refusal"),
        (returned({"error": {"code": "busy", "message": "later"}}, outcome=None), "busy", "infrastructure"),
        (returned("no", outcome="denied"), "denied", "unknown"),
        (returned("bad", outcome="retried", retry={"cause": "validation_error"}), "validation_error", "unknown"),
        (
            {"part_kind": "retry-prompt", "tool_name": "run_query", "tool_call_id": "c1", "content": "fan_out: twice"},
            "fan_out",
            "refusal",
        ),
    ],
)
def test_a_tool_that_did_not_succeed_is_an_error(part: Message, code: str, kind: str) -> None:
    """Whether by its outcome, its text, or the older prompt to try again."""
    (error,) = errors_of(part)
    assert ("c1", code, kind) == (error.tool_call_id, error.code, error.kind)


def test_calls_that_are_numbered_anew_in_each_response_are_told_apart() -> None:
    """Each keeps its own arguments and rows."""
    again = [response(call(args={"m": 2})), request(returned({"columns": ["n"], "rows": [[2]]}))]
    (turn,) = read([*answered()[:3], *again, response(text("A"))]).turns
    assert [("c1", {"m": 1}), ("c1#2", {"m": 2})] == [(each.id, each.arguments) for each in turn.tool_calls]
    assert [[["AA", 1234]], [[2]]] == [query.result.rows for query in turn.queries if query.result]


@pytest.mark.parametrize("kind", ["retry-prompt", "retry-feedback"])
def test_a_rejected_answer_is_none(kind: str) -> None:
    """The framework's words about it are no question, and the words before it no answer."""
    again = request({"part_kind": kind, "content": "Not valid."})
    messages = [request(prompt("Q")), response(text("{")), again]
    (turn,) = read(messages).turns
    assert ("in_progress", "Q", None) == (turn.state, turn.question and turn.question.text, turn.answer)
    (turn,) = read([*messages, response(text("A"))]).turns
    assert ("complete", "A") == (turn.state, turn.answer and turn.answer.text)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [('{"text": "1,234."}', "1,234."), ({"n": 1234, "unit": "flights"}, '{"n":1234,"unit":"flights"}')],
)
def test_a_structured_answer_is_the_output_tool_s_arguments(arguments: Any, answer: str) -> None:
    """That tool is no query of the agent."""
    taken = returned("Final result processed.", "f1")
    (turn,) = read([request(prompt("Q")), response(call("f1", arguments, "final_result")), request(taken)]).turns
    assert ("complete", answer, ()) == (turn.state, turn.answer and turn.answer.text, turn.tool_calls)


def test_tools_that_the_provider_runs_are_calls() -> None:
    """Call and return stand in one response."""
    back = {**returned({"output": "2"}, "b1"), "part_kind": "builtin-tool-return"}
    (turn,) = read([request(prompt("Q")), response(call("b1", kind="builtin-tool-call"), back, text("2."))]).turns
    assert [("b1", "2", "ok")] == [(each.id, each.result, each.status) for each in turn.tool_calls]
    assert "2." == (turn.answer and turn.answer.text)


def test_instructions_stand_where_they_first_appear() -> None:
    """As instructions or as system prompts, once in a conversation."""
    system = {"part_kind": "system-prompt", "content": "Be brief."}
    messages = [
        request(system, prompt("Q"), instructions="Only governed."),
        response(text("A")),
        request(prompt("Q2"), run="r2", instructions="Only governed."),
        response(text("A2"), run="r2"),
    ]
    found = [[definition.text for definition in turn.definitions] for turn in read(messages).turns]
    assert [["Only governed.", "Be brief."], []] == found


@pytest.mark.parametrize("state", ["incomplete", "suspended", "interrupted"])
def test_a_response_that_was_cut_off_is_no_answer_yet(state: str) -> None:
    """The state says that more may come."""
    assert "in_progress" == read([request(prompt("Q")), response(text("A"), state=state)]).turns[0].state


def test_a_run_that_another_follows_is_over() -> None:
    """Without an answer it has failed."""
    messages = [request(prompt("Q")), response(call()), *answered("r2", 5)]
    assert ["failed", "complete"] == [turn.state for turn in read(messages).turns]


def test_a_compacted_history_has_lost_evidence() -> None:
    """What a summary replaced cannot ground a figure."""
    messages = [request({"part_kind": "compaction", "content": "…"}, prompt("Q")), response(text("A"))]
    assert "partial" == read(messages).turns[0].completeness.results


def test_records_that_repeat_the_history_are_one_conversation() -> None:
    """The longest has everything; records of one run each are put together."""
    first, second = answered("r1"), answered("r2", 10)
    for records in ([first, first + second], [first + second, first], [first, second], [second, first, second]):
        assert [("r1", 0), ("r2", 1)] == [(turn.id, turn.index) for turn in read(*records).turns]


def test_equal_messages_of_one_history_are_not_merged() -> None:
    """Older histories have no times: asking the same again looks the same."""
    assert 2 == len(read([*answered(None), *answered(None)]).turns)


def test_scope_stands_beside_the_messages() -> None:
    """As in other message logs."""
    conversation = read({"conversation_id": "c", "all_messages": answered(), "metadata": {"team": "ops"}})
    assert ("c", "ops") == (conversation.id, conversation.scope.team)


def test_messages_may_be_text() -> None:
    """A JSON column comes as text from some clients."""
    (turn,) = read({"id": "c", "messages": orjson.dumps(answered()).decode()}).turns
    assert "1,234." == (turn.answer and turn.answer.text)


@pytest.mark.parametrize(
    "data",
    [
        None,
        1,
        "x",
        {},
        {"messages": {}},
        {"messages": "x"},
        [1],
        [{"kind": "x"}],
        [{"kind": "request"}],
        [{"parts": []}],
    ],
)
def test_what_is_no_history_is_refused(data: Any) -> None:
    """With the place of what is wrong."""
    with pytest.raises(RecordError) as refused:
        PydanticAI().fragments(Record(data))
    assert "invalid" == refused.value.cause
    assert [] == PydanticAI().fragments(Record({"messages": []}))


def test_deep_content_is_refused() -> None:
    """It could not be stored."""
    deep: Any = []
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(RecordError) as refused:
        PydanticAI().fragments(Record([request(prompt("Q")), response(call(args={"x": deep}))]))
    assert "too_deep" == refused.value.cause


WRONG: tuple[Any, ...] = (None, True, -1, 1.5, 2**60, "", "x", "[", [], [[]], [None, 1], {}, {"a": {}}, "9999-12-31")


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(choices=st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(WRONG)), min_size=1, max_size=4))
def test_wrong_values_anywhere_are_read_or_refused(choices: list[tuple[int, Any]]) -> None:
    """A record ends in fragments or in a RecordError."""
    retried = returned("x", outcome="retried", retry={"cause": "model_retry"})
    messages = [*answered(), *answered(None), request(retried, run="r3"), response(text("A"), run="r3")]
    for place, wrong in choices:
        holders: list[tuple[Any, Any]] = []
        stack: list[Any] = [messages]
        while stack:
            item = stack.pop()
            keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
            holders += [(item, key) for key in keys]
            stack += [item[key] for key in keys]
        holder, key = holders[place % len(holders)]
        holder[key] = copy.deepcopy(wrong)
    with suppress(RecordError):
        assert all(revision(turn) for turn in read(messages).turns)
