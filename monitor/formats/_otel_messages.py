"""
The messages in GenAI spans, in the conventions' own form and in Gemini's, and the tool calls that they tell of.

Every model call repeats the history before it, so one tool call is told many times, and recorders number calls
anew in each message (``run_query_0``): :class:`Calls` recognises a repeat by its id, its arguments and its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from monitor.conversation import Json, canonical
from monitor.jsonio import maybe_json

DROPPED_TOOLS = frozenset({"transfer_to_agent", "(merged tools)"})
"""Tools of the framework itself, which read nothing."""
OUTPUT_TAKEN = "Final result processed."
"""What pydantic-ai answers to the call that carries a structured answer."""
NOT_CONTENT = ("<not specified>", "<not serializable>", "N/A")
_PERSON = ("user", "human")
Message = dict[str, Any]


class Part(NamedTuple):
    """One part of a message; *value* holds a call's arguments or a result's content, None where not recorded."""

    kind: Literal["text", "call", "result", "compaction"]
    text: str = ""
    id: str = ""
    name: str = ""
    value: Json = None


class Messages(NamedTuple):
    """A list of messages; *broken* when there was text that is no JSON, which a size limit has cut."""

    items: list[Message]
    broken: bool = False


def messages_in(value: Json) -> Messages:
    """The messages in an attribute, given as JSON text or structured."""
    value = maybe_json(value)
    if isinstance(value, str):
        return Messages([], value not in NOT_CONTENT and bool(value.strip()))
    found = value if isinstance(value, list) else [value]
    return Messages([message for message in found if isinstance(message, dict)])


def instructions_in(value: Json) -> str:
    """The text of system instructions: a list of parts, or plain text."""
    value = maybe_json(value)
    return value if isinstance(value, str) else text_of({"parts": value})


def gemini_messages(request: Json, response: Json) -> tuple[Messages, Messages, str]:
    """Input, output and instructions of a Gemini call, as ADK's own attributes keep it."""
    asked, told = messages_in(request), messages_in(response)
    body = asked.items[0] if asked.items else {}
    contents = messages_in(body.get("contents"))
    config = body.get("config")
    content = told.items[0].get("content") if told.items else None
    return (
        Messages(contents.items, asked.broken),
        Messages([content] if isinstance(content, dict) else [], told.broken),
        text_of({"parts": _listed(config.get("system_instruction"))} if isinstance(config, dict) else {}),
    )


def parts_of(message: Message) -> Iterator[Part]:
    """What a message says. Reasoning, files and parts of unknown type are left out."""
    parts = message.get("parts")
    if parts is None:
        parts = message.get("content")
    for index, part in enumerate(_listed(parts)):
        if isinstance(part, str):
            yield Part("text", part)
        elif isinstance(part, dict):
            found = _part(part, part.get("type"), index)
            if found is not None:
                yield found


def _part(part: dict[str, Any], kind: Json, index: int) -> Part | None:
    if kind == "text":
        text = part.get("content", part.get("text", ""))
        return Part("text", text) if isinstance(text, str) else None
    if kind in ("tool_call", "server_tool_call"):
        arguments = part.get("arguments") if kind == "tool_call" else part.get("server_tool_call")
        return Part("call", id=_id(part, index), name=_text(part.get("name")), value=arguments)
    if kind in ("tool_call_response", "server_tool_call_response"):
        value = next((part[key] for key in ("response", "result", kind) if part.get(key) is not None), None)
        return Part("result", id=_id(part, index), name=_text(part.get("name")), value=value)
    if kind == "compaction":
        return Part("compaction")
    return _gemini_part(part, index) if kind is None else None


def _gemini_part(part: dict[str, Any], index: int) -> Part | None:
    """A part without a type: Gemini names its kind by the key that is set."""
    text = part.get("text")
    if isinstance(text, str):
        return None if part.get("thought") is True else Part("text", text)
    call = part.get("function_call") or part.get("functionCall")
    if isinstance(call, dict):
        return Part("call", id=_id(call, index), name=_text(call.get("name")), value=call.get("args"))
    result = part.get("function_response") or part.get("functionResponse")
    if isinstance(result, dict):
        return Part("result", id=_id(result, index), name=_text(result.get("name")), value=result.get("response"))
    return None


def _id(part: dict[str, Any], index: int) -> str:
    given = part.get("id")
    return _text(given) if given not in (None, "") else f"{_text(part.get('name'))}_{index}"


def text_of(message: Message) -> str:
    """A message's text, its parts joined by newlines."""
    return "\n".join(part.text for part in parts_of(message) if part.kind == "text" and part.text)


def user_text(message: Message) -> str:
    """What a person says in *message*; empty for other roles, and for tool results, which may have the same role."""
    return text_of(message) if message.get("role") in _PERSON else ""


def spoken(messages: list[Message]) -> str | None:
    """The agent's words in a model's output, or None when it called a tool instead. One choice counts, the first."""
    text: str = ""
    for message in messages:
        for part in parts_of(message):
            if part.kind == "call":
                return None
        text = text or text_of(message)
    return text


def last_question(messages: list[Message]) -> str:
    """The person's last words in a history."""
    return next((text for message in reversed(messages) if (text := user_text(message))), "")


def since(messages: list[Message], question: str) -> list[Message]:
    """What follows *question* in a history, or the person's last words when it is not there, or has no content."""
    last = -1
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.get("role") not in _PERSON:
            continue
        text = text_of(message)
        if text and text == question:
            return messages[index + 1 :]
        if last < 0 and (text or any(part.kind == "text" for part in parts_of(message))):
            last = index
    return messages[last + 1 :]


@dataclass(slots=True)
class Call:
    """A tool call put together from what messages and spans tell of it."""

    id: str
    name: str = ""
    arguments: Json = None
    result: Json = None
    answered: bool = False
    ran: bool = False
    failed: bool | None = None
    code: str | None = None
    message: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(slots=True)
class Calls:
    """The tool calls of a turn, each once. *compacted* when a history was replaced by a summary of it."""

    items: list[Call] = field(default_factory=list)
    compacted: bool = False
    _same: dict[tuple[str, str, bytes], list[Call]] = field(default_factory=dict)
    _by_id: dict[str, list[Call]] = field(default_factory=dict)

    def tell(self, *histories: list[Message]) -> None:
        """Take in messages that belong together: one history, and what the model made of it."""
        seen: dict[tuple[str, str, bytes], int] = {}
        latest: dict[str, Call] = {}
        for history in histories:
            for message in history:
                for part in parts_of(message):
                    if part.kind == "call":
                        latest[part.id] = self._asked(part, seen)
                    elif part.kind == "result":
                        self._answered(part, latest.get(part.id))
                    elif part.kind == "compaction":
                        self.compacted = True

    def _asked(self, part: Part, seen: dict[tuple[str, str, bytes], int]) -> Call:
        key = (part.id, part.name, plain(part.value))
        number = seen.get(key, 0)
        seen[key] = number + 1
        known = self._same.setdefault(key, [])
        if number < len(known):
            return known[number]
        call = self.add(part.id, part.name, part.value)
        known.append(call)
        return call

    def _answered(self, part: Part, call: Call | None) -> None:
        if call is None:
            call = next(reversed(self._by_id.get(part.id, [])), None) or self.add(part.id, part.name, None)
        call.answered = True
        if call.result is None:
            call.result = part.value

    def add(self, call_id: str, name: str, arguments: Json) -> Call:
        """A new call. An id that is taken gets a number."""
        same = self._by_id.setdefault(call_id, [])
        call = Call(f"{call_id}#{len(same) + 1}" if same else call_id, name, arguments)
        same.append(call)
        self.items.append(call)
        return call

    def matching(self, spans: list[tuple[str, str, Json]]) -> list[Call]:
        """For each tool span, given as (call id, name, arguments), the call that it ran; a new one if none told of it."""
        by_id = {call_id: calls[::-1] for call_id, calls in self._by_id.items()}
        by_content: dict[tuple[str, bytes], list[Call]] = {}
        by_name: dict[str, list[Call]] = {}
        for told in reversed(self.items):
            by_content.setdefault((told.name, plain(told.arguments)), []).append(told)
            by_name.setdefault(told.name, []).append(told)
        found: list[Call] = []
        for call_id, name, arguments in spans:
            places = [by_id.get(call_id), by_content.get((name, plain(arguments))), by_content.get((name, plain(None)))]
            places.append(by_name.get(name) if arguments is None else None)
            ran = next((call for place in places if (call := _take(place)) is not None), None)
            if ran is None:
                ran = self.add(call_id or f"{name}_{len(self.items)}", name, arguments)
            ran.ran = True
            found.append(ran)
        return found


def _take(place: list[Call] | None) -> Call | None:
    """The next call in *place* that no span has run yet."""
    while place:
        call = place[-1]
        if not call.ran:
            return call
        place.pop()
    return None


def plain(value: Json) -> bytes:
    """The same bytes for the same arguments, whether structured or as text."""
    return canonical(maybe_json(value))


def _listed(value: Json) -> list[Json]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
