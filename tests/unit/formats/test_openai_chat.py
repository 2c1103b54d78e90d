"""Chat-completion message lists."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.conversation import Conversation
from monitor.errors import RecordError
from monitor.formats import Fragment, Record
from monitor.formats.openai_chat import OpenAIChat

QUESTION = {"role": "user", "content": "Which carrier had the most flights?"}
ANSWER = {"role": "assistant", "content": "AA: 1,234."}
RESULT = '{"columns": ["carrier", "flights"], "rows": [["AA", 1234]]}'


def called(call_id: str | None, arguments: str = "{}") -> dict[str, Any]:
    function = {"name": "run_query", "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def returned(call_id: str, content: Any = RESULT) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def fragments(data: Any) -> list[Fragment]:
    return OpenAIChat().fragments(Record(data))


def conversation(*messages: dict[str, Any], **more: Any) -> Conversation:
    found = fragments({"id": "conv-1", "messages": list(messages), **more})
    return OpenAIChat().conversation(found[0].group, found)


def test_a_record_is_a_whole_conversation() -> None:
    """Question, query with rows, and answer."""
    turn = conversation(QUESTION, called("c1", '{"sql": "select 1"}'), returned("c1"), ANSWER).turns[0]
    assert (QUESTION["content"], ANSWER["content"]) == (turn.question.text, turn.answer.text)  # type: ignore[union-attr]
    assert ("select 1", [["AA", 1234]]) == (turn.queries[0].sql, turn.queries[0].result.rows)  # type: ignore[union-attr]
    assert fragments({"id": "conv-1", "messages": [QUESTION]})[0].whole


def test_the_longest_history_counts() -> None:
    """A record repeats the ones before it; whatever their order, no turn is counted twice."""
    short = fragments({"id": "conv-1", "messages": [QUESTION, ANSWER]})
    long = fragments({"id": "conv-1", "messages": [QUESTION, ANSWER, QUESTION, ANSWER]})
    assert 2 == len(OpenAIChat().conversation("conv-1", [*long, *short]).turns)


@pytest.mark.parametrize("key", ["conversation_id", "conversation", "session_id", "thread_id", "id"])
def test_the_conversations_id_is_the_records(key: str) -> None:
    """By any name that is common."""
    assert "abc" == fragments({key: "abc", "messages": [QUESTION]})[0].group


def test_without_an_id_the_beginning_names_the_conversation() -> None:
    """So a longer record of it has the same id, and another conversation a different one."""
    short, long = fragments([QUESTION, ANSWER])[0], fragments([QUESTION, ANSWER, QUESTION])[0]
    other = fragments([{"role": "user", "content": "Hello"}, ANSWER])[0]
    assert short.group == long.group
    assert short.group != other.group


def test_calls_that_share_an_id_stay_apart() -> None:
    """Some servers number the calls of each message from 0."""
    turn = conversation(
        QUESTION,
        called("call_0", '{"sql": "select 1"}'),
        returned("call_0", '{"rows": [[1]]}'),
        called("call_0", '{"sql": "select 2"}'),
        returned("call_0", '{"rows": [[2]]}'),
        ANSWER,
    ).turns[0]
    assert [("select 1", [[1]]), ("select 2", [[2]])] == [(q.sql, q.result and q.result.rows) for q in turn.queries]
    assert 2 == len({call.id for call in turn.tool_calls})


def test_the_old_form_of_calls_is_read() -> None:
    """One ``function_call`` a message, answered by a message of role ``function``."""

    def old(number: int) -> list[dict[str, Any]]:
        return [
            {"role": "assistant", "content": None, "function_call": {"name": "q", "arguments": '{"sql": "select 1"}'}},
            {"role": "function", "name": "q", "content": f'{{"rows": [[{number}]]}}'},
        ]

    turn = conversation(QUESTION, *old(1), *old(2), ANSWER).turns[0]
    assert [[[1]], [[2]]] == [query.result and query.result.rows for query in turn.queries]


def test_a_refusal_in_a_tools_message_is_an_error() -> None:
    """The format has no error flag: the text says it."""
    turn = conversation(QUESTION, called("c1"), returned("c1", "fan_out: would count twice"), ANSWER).turns[0]
    assert [("fan_out", "refusal")] == [(error.code, error.kind) for error in turn.errors]


def test_a_refusal_to_answer_is_the_answer() -> None:
    """The model's own ``refusal`` stands where the content would."""
    turn = conversation(QUESTION, {"role": "assistant", "content": None, "refusal": "I can't."}).turns[0]
    assert "I can't." == turn.answer.text  # type: ignore[union-attr]


def test_content_in_parts_is_joined() -> None:
    """Text parts only."""
    parts = [{"type": "text", "text": "AA"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "1,234"}]
    turn = conversation(QUESTION, {"role": "assistant", "content": parts}).turns[0]
    assert "AA\n1,234" == turn.answer.text  # type: ignore[union-attr]


def test_scope_model_and_time_stand_beside_the_messages() -> None:
    """Or under ``metadata``."""
    found = conversation(
        QUESTION, ANSWER, model="gpt", agent="bi", metadata={"team": "ops"}, created_at="2026-01-09T09:00:00Z"
    )
    assert ("bi", "ops", "gpt", 2026) == (
        found.scope.agent,
        found.scope.team,
        found.turns[0].model,
        found.started_at and found.started_at.year,
    )


def test_no_messages_are_of_no_interest() -> None:
    """An empty list is ignored, not refused."""
    assert [] == fragments({"id": "x", "messages": []})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("text", "no list of messages"),
        ({"messages": "x"}, "no list of messages"),
        ([{"role": "robot"}], r"messages\[0\] has no role"),
        ([{"role": ["user"]}], r"messages\[0\] has no role"),
        (["x"], r"messages\[0\] has no role"),
    ],
)
def test_what_is_no_list_of_messages_is_refused(data: Any, words: str) -> None:
    """With the place of the first wrong message."""
    with pytest.raises(RecordError, match=words) as raised:
        fragments(data)
    assert "invalid" == raised.value.cause


def test_a_call_without_a_function_is_refused() -> None:
    """It says which call of which message."""
    with pytest.raises(RecordError, match=r"messages\[1\]\.tool_calls\[0\]"):
        conversation(QUESTION, {"role": "assistant", "tool_calls": [{"id": "c1"}]})
