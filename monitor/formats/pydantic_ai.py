"""
pydantic-ai message histories: a list of ``{kind: request|response, parts: [{part_kind: …}]}``, as ``all_messages_json()``.

A turn is a run, by its ``run_id``; in the older generation, which has none, it starts at a user prompt. A tool that
asked for another try answers with ``outcome: retried`` (older: a ``retry-prompt`` part): an error like any other.
A record holds the whole history, alone or under ``messages`` beside the conversation's id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from monitor.conversation import Conversation, Definition, Json, Scope, ToolCall, Turn, Usage, canonical
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.formats._bounds import json_only
from monitor.formats._errors import leading_code
from monitor.formats.messages import INSTRUCTIONS, Draft, when
from monitor.formats.openai_chat import scope_of
from monitor.jsonio import json_fields, maybe_json

ID_KEYS = ("conversation_id", "conversation", "session_id", "thread_id", "id")
LIST_KEYS = ("messages", "all_messages", "message_history", "history")
OUTPUT_TAKEN = "Final result processed."
"""What the framework answers to the tool call that carries a structured answer."""
COMPACTED = "the history was compacted: evidence is lost"
Message = dict[str, Any]


@register("pydantic_ai")
class PydanticAI(Format):
    """Message histories of pydantic-ai, both generations."""

    name = "pydantic_ai"

    def fragments(self, record: Record) -> list[Fragment]:
        """One whole fragment a record."""
        data = record.data
        around = data if isinstance(data, dict) else {}
        messages = maybe_json(next((around[key] for key in LIST_KEYS if around.get(key) is not None), data))
        if not isinstance(messages, list):
            raise RecordError("invalid", f"no list of messages in the record, under {' or '.join(LIST_KEYS[:2])}")
        messages = [_message(message) for message in messages]
        for number, message in enumerate(messages):
            if not isinstance(message, dict) or message.get("kind") not in ("request", "response"):
                raise RecordError("invalid", f"messages[{number}] has no kind of request or response")
            if not isinstance(message.get("parts"), list):
                raise RecordError("invalid", f"messages[{number}] has no list of parts")
        if not messages:
            return []
        with json_only():
            native = next((str(around[key]) for key in ID_KEYS if around.get(key)), None)
            group = native or _text(messages[-1].get("conversation_id")) or f"conv-{digest(messages[:2])}"
            order = (_iso(messages[-1]), f"{len(messages):06d}")
            event = {"messages": messages, "scope": scope_of(around).model_dump(exclude_defaults=True)}
            return [Fragment(group=group, key=digest(event), order=order, event=event, whole=True)]

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """The turns of all messages in *fragments*, each message once."""
        events = [fragment.event for fragment in fragments]
        with json_only():
            messages = _joined([event["messages"] for event in events])
            turns = _turns(messages, self)
        return Conversation(
            id=group,
            scope=Scope(**events[-1]["scope"]),
            started_at=turns[0].started_at if turns else None,
            turns=turns,
        )


def _message(recorded: Json) -> Any:
    """A message, with its parts and each of them, also where they are JSON as text."""
    message = json_fields(recorded, ("parts", "usage"))
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list) or not any(isinstance(part, str) for part in parts):
        return message
    return {**message, "parts": [maybe_json(part) for part in parts]}


def _joined(histories: list[list[Message]]) -> list[Message]:
    """One history of several: what a later one repeats of an earlier is left out."""
    if len(histories) == 1:
        return histories[0]
    joined: list[Message] = []
    seen: set[bytes] = set()
    for history in histories:
        named = [(canonical(message), message) for message in history]
        joined += [message for name, message in named if name not in seen]
        seen.update(name for name, _ in named)
    return joined


def _turns(messages: list[Message], options: Format) -> tuple[Turn, ...]:
    drafts: list[_Run] = []
    for number, message in enumerate(messages):
        run = _text(message.get("run_id"))
        if not drafts or drafts[-1].is_over(message, run):
            drafts.append(_Run(run))
        drafts[-1].add(message, number)
    last = len(drafts) - 1
    known: set[str] = set()
    return tuple(draft.build(index, options, known, index == last) for index, draft in enumerate(drafts))


class _Run:
    """One run of the agent, as its messages come in."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.draft = Draft(id=run)
        self.responded = False
        self.state = "complete"
        self.instructions: list[str] = []
        self.output: Json = None
        self.compacted = False
        self._ids: dict[str, str] = {}
        self._times: Counter[str] = Counter()

    def is_over(self, message: Message, run: str) -> bool:
        """Whether *message* belongs to another run."""
        if run or self.run:
            return run != self.run
        return self.responded and any(part.get("part_kind") == "user-prompt" for part in _parts(message))

    def add(self, message: Message, number: int) -> None:
        """Take in one message; *number* names calls that have no id."""
        self.draft.seen(when(message.get("timestamp")))
        if message["kind"] == "response":
            self._response(message)
        else:
            instructions = message.get("instructions")
            if isinstance(instructions, str) and instructions:
                self.instructions.append(instructions)
        for position, part in enumerate(_parts(message)):
            recorded, kind = _text(part.get("tool_call_id")) or f"m{number}p{position}", _text(part.get("part_kind"))
            if kind.endswith("tool-call"):
                self._ids[recorded] = self._unused(recorded)
            self._part(part, kind, self._ids.get(recorded, recorded), when(message.get("timestamp")))

    def _unused(self, call_id: str) -> str:
        """An id for a new call: some providers number calls anew in each response."""
        self._times[call_id] += 1
        number = self._times[call_id]
        return f"{call_id}#{number}" if number > 1 else call_id

    def _response(self, message: Message) -> None:
        self.responded = True
        self.draft.answer.clear()
        self.state = _text(message.get("state")) or "complete"
        self.draft.model = _text(message.get("model_name")) or self.draft.model
        response_id = message.get("provider_response_id") or message.get("vendor_id")
        self.draft.response_id = _text(response_id) or self.draft.response_id
        usage = message.get("usage")
        if isinstance(usage, dict):
            total = self.draft.usage or Usage()
            self.draft.usage = Usage(
                input_tokens=_plus(total.input_tokens, usage.get("input_tokens", usage.get("request_tokens"))),
                output_tokens=_plus(total.output_tokens, usage.get("output_tokens", usage.get("response_tokens"))),
            )

    def _part(self, part: dict[str, Any], kind: str, call_id: str, time: Any) -> None:
        draft = self.draft
        if kind == "user-prompt":
            text = _prompt(part.get("content"))
            draft.question += [text] if text else []
            draft.answer.clear()
        elif kind == "system-prompt":
            self.instructions += [text] if (text := _text(part.get("content"))) else []
        elif kind == "text":
            draft.answer += [text] if (text := _text(part.get("content"))) else []
        elif kind in ("tool-call", "builtin-tool-call"):
            arguments = part.get("args")
            call = ToolCall(id=call_id, name=_text(part.get("tool_name")), arguments=arguments, status="pending")
            draft.call(call.model_copy(update={"started_at": time}))
        elif kind in ("tool-return", "builtin-tool-return"):
            self._returned(part, call_id, when(part.get("timestamp")) or time)
        elif kind == "retry-prompt" and part.get("tool_name"):
            self._result(part, call_id, True, None, when(part.get("timestamp")) or time)
        elif kind in ("retry-prompt", "retry-feedback"):
            draft.answer.clear()
        elif kind == "compaction":
            self.compacted = True

    def _returned(self, part: dict[str, Any], call_id: str, time: Any) -> None:
        content, outcome = part.get("content"), _text(part.get("outcome")) or "success"
        if content == OUTPUT_TAKEN and call_id in self.draft.calls:
            self.output = self.draft.calls.pop(call_id).arguments
            return
        retry = part.get("retry")
        cause = _text(retry.get("cause")) if isinstance(retry, dict) else ""
        code = outcome if outcome in ("denied", "interrupted") else cause if cause != "model_retry" else None
        if isinstance(content, str) and leading_code(content):
            code = None
        self._result(part, call_id, None if outcome == "success" else True, code or None, time)

    def _result(self, part: dict[str, Any], call_id: str, failed: bool | None, code: str | None, time: Any) -> None:
        self.draft.result(
            call_id, part.get("content"), name=_text(part.get("tool_name")), failed=failed, code=code, time=time
        )

    def build(self, index: int, options: Format, known: set[str], last: bool) -> Turn:
        """The turn. *known* are the instructions that earlier turns had; a run that another follows is over."""
        draft = self.draft
        draft.definitions += [
            Definition(name=INSTRUCTIONS, text=text) for text in dict.fromkeys(self.instructions) if text not in known
        ]
        known.update(self.instructions)
        if self.output is not None and not draft.answer:
            draft.answer = [_output(self.output)]
        if self.compacted:
            extents = dict.fromkeys(("tool_calls", "queries", "results"), "partial")
            draft.completeness = {**extents, "notes": (COMPACTED,)}
        if not last:
            return draft.build(index, options.extract, ended=True)
        return draft.build(index, options.extract, ended=None if self.state == "complete" else False)


def _parts(message: Message) -> Iterator[dict[str, Any]]:
    return (part for part in message["parts"] if isinstance(part, dict))


def _prompt(content: Json) -> str:
    """A prompt's text: a string, or the text among its parts."""
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("content", part.get("text")) if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _output(arguments: Json) -> str:
    """A structured answer as text: its one text field alone, else as JSON."""
    value = maybe_json(arguments)
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    return value if isinstance(value, str) else canonical(value).decode()


def _plus(total: int | None, more: Json) -> int | None:
    return (total or 0) + more if isinstance(more, int) and not isinstance(more, bool) and more >= 0 else total


def _iso(message: Message) -> str:
    time = when(message.get("timestamp"))
    return time.isoformat(timespec="microseconds") if time else ""


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
