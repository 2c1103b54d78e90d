"""
The native format: the internal model as JSON, a conversation or one turn a record.

``{"schema_version": 1, "id", "turns": […]}`` is a whole conversation. In CloudEvents the type's ending says what the
data is: ``….conversation.v1`` the same, ``….conversation.turn.v1`` one turn, ``….conversation.ended.v1`` the end.
Unknown fields are ignored; an unknown version is refused. ``monitor schema native`` prints the JSON schema.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from monitor.conversation import AgentError, Completeness, Conversation, Model, Scope, Summary, Time, Turn
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.jsonio import json_fields

M = TypeVar("M", bound="NativeHead")
_HEAD_FIELDS = ("turns", "turn", "agent", "user", "completeness", "labels", "summaries")
_TURN_FIELDS = (
    *("question", "answer", "tool_calls", "queries", "errors", "definitions", "charts"),
    *("usage", "feedback", "trace", "completeness"),
)
_PART_FIELDS = {
    "queries": ("semantic", "result", "error"),
    "tool_calls": ("error",),
    "errors": (),
    "definitions": (),
    "charts": (),
}
EVENT_TYPE = re.compile(r"(?:^|\.)conversation(?P<part>\.turn|\.ended)?\.v(?P<version>\d+)$")


class NativeAgent(Model):
    """Who answered."""

    name: str = ""
    version: str = ""
    id: str | None = None


class NativeUser(Model):
    """Who asked. The id is hashed with the configured secret, or dropped, before anything is kept."""

    id: str | None = None


class NativeHead(Model):
    """What a conversation and a turn event have in common."""

    schema_version: Literal[1] = 1
    agent: NativeAgent = NativeAgent()
    team: str = ""
    environment: str = ""
    semantic_model: str = ""
    user: NativeUser | None = None
    completeness: Completeness | None = Field(default=None, description="holds for turns that carry none themselves")


class NativeConversation(NativeHead):
    """A whole conversation."""

    id: str = Field(min_length=1)
    started_at: Time | None = None
    ended_at: Time | None = None
    state: Literal["open", "complete", "ended", "idle_closed", "abandoned"] = "open"
    turns: tuple[Turn, ...] = ()
    summaries: tuple[Summary, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)


class NativeTurn(NativeHead):
    """One turn of a conversation, as an event."""

    conversation_id: str = Field(min_length=1)
    turn: Turn
    final: bool = False


@register("native")
class Native(Format):
    """The monitor's own format."""

    name = "native"
    user_paths = (("user", "id"),)

    def fragments(self, record: Record) -> list[Fragment]:
        """A whole conversation at once, or the turn or end that an event carries."""
        data = _opened(record.data)
        if not isinstance(data, dict):
            raise RecordError("invalid", "a native record is a JSON object")
        part = _part(record)
        if part == "ended":
            group = str(data.get("conversation_id") or "")
            event = {"ended": data.get("reason") or "ended"}
            return [Fragment(group=group, key="ended", order=("9", ""), event=event, ends=True)] if group else []
        version = data.get("schema_version", 1)
        if version != 1:
            raise RecordError("unsupported", f"schema_version {version!r} is not read", hint="write schema_version 1")
        if part == "turn" or "turn" in data:
            event_turn = _validated(NativeTurn, data)
            _check(event_turn.turn)
            order = (f"{event_turn.turn.index:06d}", str(event_turn.turn.ended_at or ""))
            ends = event_turn.turn.state != "in_progress"
            return [Fragment(event_turn.conversation_id, digest(data), order, event=data, ends=ends)]
        whole = _validated(NativeConversation, data)
        for turn in whole.turns:
            _check(turn)
        twice = next((name for name, times in Counter(turn.id for turn in whole.turns).items() if times > 1), None)
        if twice is not None:
            raise RecordError("invalid", f"turn {twice} stands twice in the conversation", hint="give each turn its id")
        return [Fragment(whole.id, digest(data), (str(len(whole.turns)), ""), event=whole, whole=True)]

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """A whole conversation, or one put together from turn events (the newest of each turn counts)."""
        last = fragments[-1]
        if last.whole:
            whole = (
                last.event if isinstance(last.event, NativeConversation) else _validated(NativeConversation, last.event)
            )
            return _conversation(
                whole,
                group,
                self._classified(whole.turns),
                whole.model_dump(include={"started_at", "ended_at", "labels"}),
                whole.summaries,
                whole.state,
            )
        events = [_validated(NativeTurn, fragment.event) for fragment in fragments if "turn" in fragment.event]
        ended = any("ended" in fragment.event for fragment in fragments)
        if not events:
            return Conversation(id=group, state="ended" if ended else "open")
        newest = {event.turn.id: event.turn for event in events}
        turns = self._classified(sorted(newest.values(), key=lambda turn: (turn.index, turn.id)))
        return _conversation(events[-1], group, turns, {}, (), "ended" if ended else "open")

    def _classified(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """*turns* whose errors of no known kind have one by their code, those of queries and calls included."""
        return tuple(self._with_errors(turn) for turn in turns)

    def _with_errors(self, turn: Turn) -> Turn:
        listed = [(query.tool_call_id, query.error) for query in turn.queries if query.error]
        listed += [(call.id, call.error) for call in turn.tool_calls if call.error]
        if not turn.errors and not listed:
            return turn
        errors = [self._kind(error) for error in turn.errors]
        known = {(error.tool_call_id, error.code) for error in errors}
        for call_id, error in listed:
            if (call_id, error.code) not in known and (None, error.code) not in known:
                known.add((call_id, error.code))
                errors.append(self._kind(error.model_copy(update={"tool_call_id": error.tool_call_id or call_id})))
        queries = tuple(
            q if q.error is None else q.model_copy(update={"error": self._kind(q.error)}) for q in turn.queries
        )
        return turn.model_copy(update={"errors": tuple(errors), "queries": queries})

    def _kind(self, error: AgentError) -> AgentError:
        if error.kind != "unknown":
            return error
        return error.model_copy(update={"kind": self.extract.errors.kind(error.code, error.message)})


def _conversation(
    head: NativeHead,
    group: str,
    turns: Sequence[Turn],
    more: dict[str, Any],
    summaries: tuple[Summary, ...],
    state: str,
) -> Conversation:
    scope = Scope(
        team=head.team,
        environment=head.environment,
        semantic_model=head.semantic_model,
        agent=head.agent.name,
        agent_version=head.agent.version,
    )
    if head.completeness:
        default = head.completeness
        turns = [
            turn if "completeness" in turn.model_fields_set else turn.model_copy(update={"completeness": default})
            for turn in turns
        ]
    return Conversation(
        id=group,
        scope=scope,
        user=head.user.id if head.user else None,
        state="ended" if state == "complete" else state,
        turns=tuple(turns),
        summaries=summaries,
        **more,
    )


def _opened(data: Any) -> Any:
    """A record whose objects and lists may have come as JSON text, and what is missing as null, as from a table."""
    if not isinstance(data, dict):
        return data
    head = _without_nulls(json_fields(data, _HEAD_FIELDS))
    if "turn" in head:
        head = {**head, "turn": _opened_turn(head["turn"])}
    if isinstance(head.get("turns"), list):
        head = {**head, "turns": [_opened_turn(turn) for turn in head["turns"]]}
    return head


def _opened_turn(recorded: Any) -> Any:
    turn = json_fields(recorded, _TURN_FIELDS)
    if not isinstance(turn, dict):
        return turn
    for name, fields in _PART_FIELDS.items():
        parts = turn.get(name)
        if isinstance(parts, list) and any(isinstance(part, str) or _texts(part, fields) for part in parts):
            turn = {**turn, name: [json_fields(part, fields) for part in parts]}
    return _without_nulls(turn)


def _texts(part: Any, fields: Sequence[str]) -> bool:
    return isinstance(part, dict) and any(isinstance(part.get(name), str) for name in fields)


def _without_nulls(value: dict[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in value.items() if item is not None} if None in value.values() else value


def _part(record: Record) -> str:
    kind = EVENT_TYPE.search(record.attributes.get("ce-type", ""))
    if kind and kind["version"] != "1":
        raise RecordError("unsupported", f"event version v{kind['version']} is not read", hint="send version v1")
    return (kind["part"] or "").lstrip(".") if kind else ""


def _check(turn: Turn) -> None:
    """A turn that says it is complete must have an answer."""
    if turn.state == "complete" and turn.answer is None:
        raise RecordError(
            "invalid", f"turn {turn.id} is complete and has no answer", hint="write state in_progress or failed"
        )


def _validated(model: type[M], data: Any) -> M:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RecordError("invalid", f"{place or 'record'}: {first['msg']}") from None


def native_schema() -> dict[str, Any]:
    """The JSON schema of a native record: a whole conversation, or a turn as an event."""
    conversation = NativeConversation.model_json_schema(ref_template="#/$defs/{model}")
    turn = NativeTurn.model_json_schema(ref_template="#/$defs/{model}")
    definitions = {**turn.pop("$defs", {}), **conversation.pop("$defs", {})}
    definitions["NativeConversation"], definitions["NativeTurn"] = conversation, turn
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "conversation-monitor native record, version 1",
        "anyOf": [{"$ref": "#/$defs/NativeConversation"}, {"$ref": "#/$defs/NativeTurn"}],
        "$defs": definitions,
    }
