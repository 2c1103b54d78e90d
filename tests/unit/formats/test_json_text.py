"""Columns of a table that hold JSON as text: exports to Parquet and warehouses have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from monitor.config import Config, SourceConfig
from monitor.conversation import Conversation
from monitor.formats import Record
from monitor.formats.detect import detect
from monitor.intake import Intake
from monitor.sources import Raw

EXAMPLES = Path(__file__).parents[2] / "formats" / "examples"
Change = Callable[[Any], Any]


def text(value: Any) -> str:
    return orjson.dumps(value).decode()


def fields(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """*value* with these fields as JSON text, where they are objects or lists."""
    return {
        name: text(item) if name in names and isinstance(item, (dict, list)) else item for name, item in value.items()
    }


def listed(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {"id": "c1", "messages": data}


def column(name: str) -> Change:
    """The list is one JSON text."""
    return lambda data: fields(data, name)


def items(name: str) -> Change:
    """The list is a list of JSON texts."""
    return lambda data: {**data, name: [text(item) for item in data[name]]}


def inner(name: str, *names: str) -> Change:
    """Fields of the list's items are JSON texts."""
    return lambda data: {**data, name: [fields(item, *names) for item in data[name]]}


def nulls(data: Any) -> Any:
    """What is missing is there as null, as in a table."""
    turns = [{"usage": None, "charts": None, "errors": None, **turn} for turn in data["turns"]]
    return {"team": None, "summaries": None, "user": None, **data, "turns": turns}


TURN = ("question", "answer", "tool_calls", "queries", "errors", "definitions", "usage", "completeness")
CASES: list[tuple[str, str, Change]] = [
    ("openai_chat", "openai_chat.jsonl", column("messages")),
    ("openai_chat", "openai_chat.jsonl", items("messages")),
    ("openai_chat", "openai_chat.jsonl", inner("messages", "tool_calls")),
    ("pydantic_ai", "pydantic_ai_messages.json", column("messages")),
    ("pydantic_ai", "pydantic_ai_messages.json", items("messages")),
    ("pydantic_ai", "pydantic_ai_messages.json", inner("messages", "parts", "usage")),
    ("gda_messages", "ca_api_messages.json", column("messages")),
    ("gda_messages", "ca_api_messages.json", items("messages")),
    ("gda_messages", "ca_api_messages.json", inner("messages", "userMessage", "systemMessage")),
    ("native", "native_conversation.json", column("turns")),
    ("native", "native_conversation.json", items("turns")),
    ("native", "native_conversation.json", inner("turns", *TURN)),
    ("native", "native_conversation.json", lambda data: fields(data, "agent", "user", "completeness", "labels")),
    ("native", "native_conversation.json", nulls),
]


def records(name: str) -> Iterator[dict[str, Any]]:
    """The records of an example, each an object with the list in a field."""
    content = (EXAMPLES / name).read_bytes()
    for line in content.splitlines() if name.endswith("l") else [content]:
        yield listed(orjson.loads(line))


def conversations(data: list[Any]) -> list[Conversation]:
    intake = Intake(SourceConfig(name="file", type="file"), Config())
    taken = intake.take([Raw(each, "a.parquet", "a.parquet row 1") for each in data])
    assert [] == taken.quarantined
    return taken.whole


@pytest.mark.parametrize(("name", "example", "change"), CASES)
def test_json_text_says_the_same(name: str, example: str, change: Change) -> None:
    """A column, its items or their fields as JSON text are recognised and read like the objects themselves."""
    plain = list(records(example))
    changed = [change(each) for each in plain]
    assert plain != changed
    assert name == detect([Record(each) for each in changed]).name
    assert conversations(plain) == conversations(changed)
    assert all(conversation.turns for conversation in conversations(changed))


def test_a_query_data_response_with_its_result_as_text() -> None:
    """The rows of a response may be JSON text too."""
    (plain,) = records("ca_api_query_data_response.json")
    changed = fields(plain, "queryResult", "query_result")
    assert plain != changed
    assert [turn.queries for c in conversations([plain]) for turn in c.turns] == [
        turn.queries for c in conversations([changed]) for turn in c.turns
    ]


def test_a_person_in_json_text_is_hidden_before_it_is_held() -> None:
    """A turn event whose user is JSON text is stored without it."""
    event = {
        "conversation_id": "c1",
        "user": text({"id": "anna@example.com"}),
        "turn": text({"id": "t1", "state": "failed"}),
    }
    taken = Intake(SourceConfig(name="file", type="file", format="native"), Config()).take([Raw(event, "a", "a:1")])
    assert ([], 1) == (taken.quarantined, len(taken.fragments))
    assert "anna" not in str(taken.fragments[0].event)


def test_text_that_only_looks_like_json_stays_text() -> None:
    """What was said is never parsed: an answer in brackets is an answer."""
    said = {"messages": [{"role": "user", "content": '{"a": 1}'}, {"role": "assistant", "content": "[1, 2]"}]}
    (conversation,) = conversations([said])
    (turn,) = conversation.turns
    assert ('{"a": 1}', "[1, 2]") == (turn.question and turn.question.text, turn.answer and turn.answer.text)
