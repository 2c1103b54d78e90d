"""
OpenAI chat messages: ``{id, messages: [{role, content, tool_calls, tool_call_id}]}``, one conversation a record.

The format has no times, no turn ids and no error flag: an error is text in a message of role ``tool``. A record
holds the whole history, so a later record of the same conversation repeats the earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from monitor.conversation import Conversation, Json, Scope
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.formats._bounds import json_only
from monitor.formats.messages import Step, drafts_of, when
from monitor.jsonio import json_fields, maybe_json

ID_KEYS = ("conversation_id", "conversation", "session_id", "thread_id", "id")
ROLES = {"system", "developer", "user", "assistant", "tool", "function"}


@register("openai_chat")
class OpenAIChat(Format):
    """Chat-completion message lists, as most home-grown logs keep them."""

    name = "openai_chat"

    def fragments(self, record: Record) -> list[Fragment]:
        """One whole fragment a record."""
        data = record.data
        if isinstance(data, list):
            data = {"messages": data}
        data = json_fields(data, ("messages", "metadata"))
        if not isinstance(data, dict) or not isinstance(data.get("messages"), list):
            raise RecordError("invalid", "no list of messages in the record")
        messages = [json_fields(message, ("tool_calls", "function_call")) for message in data["messages"]]
        if not messages:
            return []
        data = {**data, "messages": messages}
        for number, message in enumerate(messages):
            if not isinstance(message, dict) or str(message.get("role")) not in ROLES:
                raise RecordError("invalid", f"messages[{number}] has no role of {', '.join(sorted(ROLES))}")
        named = (str(data[key]) for key in ID_KEYS if isinstance(data.get(key), (str, int)) and data[key])
        with json_only():
            group = next(named, None) or f"conv-{digest(messages[:2])}"
            return [Fragment(group=group, key=digest(data), order=(str(len(messages)), ""), event=data, whole=True)]

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """The conversation in the longest of *fragments*."""
        data = max((fragment.event for fragment in fragments), key=lambda event: len(event["messages"]))
        turns = []
        for index, draft in enumerate(drafts_of(_steps(data["messages"]))):
            draft.model = data.get("model") if isinstance(data.get("model"), str) else None
            turns.append(draft.build(index, self.extract))
        return Conversation(id=group, scope=scope_of(data), started_at=when(data.get("created_at")), turns=tuple(turns))


def scope_of(data: dict[str, Any]) -> Scope:
    """Scope fields that stand beside the messages, or under ``metadata``."""
    metadata = maybe_json(data.get("metadata"))
    places = [data, metadata] if isinstance(metadata, dict) else [data]
    found: dict[str, str] = {}
    for name in Scope.model_fields:
        value = next((place[name] for place in places if isinstance(place.get(name), str)), "")
        found[name] = value
    return Scope(**found)


class _Calls:
    """Ids of tool calls, made distinct: some servers number calls from 0 in each message, old ones give names only."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def made(self, recorded: str) -> str:
        """The id of a new call that is recorded under *recorded*."""
        times = self._times[recorded] = self._times.get(recorded, 0) + 1
        return recorded if times == 1 else f"{recorded}#{times}"

    def answered(self, recorded: str) -> str:
        """The id of the newest call recorded under *recorded*."""
        times = self._times.get(recorded, 1)
        return recorded if times == 1 else f"{recorded}#{times}"


def _steps(messages: list[dict[str, Any]]) -> Iterator[Step]:
    calls = _Calls()
    for number, message in enumerate(messages):
        role, text, time = message["role"], content_text(message.get("content")), when(message.get("created_at"))
        if role in ("system", "developer"):
            yield Step("system", text=text, time=time)
        elif role == "user":
            yield Step("user", text=text, time=time)
        elif role == "assistant":
            yield from _assistant(message, text, time, number, calls)
        else:
            call_id = calls.answered(str(message.get("tool_call_id") or message.get("name") or f"m{number}"))
            yield Step("result", call_id=call_id, name=str(message.get("name") or ""), value=text, time=time)


def _assistant(message: dict[str, Any], text: str, time: Any, number: int, known: _Calls) -> Iterator[Step]:
    refusal = message.get("refusal")
    spoken = text or (refusal if isinstance(refusal, str) else "")
    if spoken:
        yield Step("text", text=spoken, time=time)
    calls = message.get("tool_calls") or []
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        calls = [{"id": legacy.get("name"), "function": legacy}]
    listed = calls if isinstance(calls, list) else []
    for position, call in enumerate(json_fields(each, ("function",)) for each in listed):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise RecordError("invalid", f"messages[{number}].tool_calls[{position}] has no function")
        yield Step(
            "call",
            call_id=known.made(str(call.get("id") or f"m{number}c{position}")),
            name=str(function.get("name") or ""),
            value=function.get("arguments"),
            time=time,
        )


def content_text(content: Json) -> str:
    """A message's text: a string, or the text parts of a list, joined by newlines."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""
