"""
Messages of the Conversational Analytics API (Gemini Data Analytics), in camelCase or snake_case.

A record is the list that ``:chat`` streams, what ``ListMessages`` gives, an object with a conversation's name and its
``messages``, or one message (then with ``conversation`` and ``timestamp`` beside it; ``message`` may hold it). A
``QueryData`` response is one turn. A turn goes from a user message to the next; its id is that message's, or ``t1``,
``t2`` … where messages have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monitor.conversation import Conversation, Json, Scope
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.formats._bounds import json_only
from monitor.formats._errors import text_of
from monitor.formats._gda_query_data import is_query_data, turn_of_query_data
from monitor.formats._gda_turn import PROGRESS, THOUGHT, ends, pick, text_type, turns_of_messages
from monitor.formats.messages import when
from monitor.formats.openai_chat import scope_of
from monitor.jsonio import json_fields, maybe_json

MESSAGE_ID_KEYS = ("conversation", "conversation_id", "conversationId", "session_id")
ID_KEYS = (*MESSAGE_ID_KEYS, "name", "id")
_QUERY_DATA = ("queryResult", "query_result", "tokenUsage", "token_usage")
_SEQUENCES = ("sequence", "index", "position", "message_index")


@register("gda_messages")
class GdaMessages(Format):
    """Messages that an agent of the Conversational Analytics API exchanged with a person."""

    name = "gda_messages"
    user_paths = (("user",),)

    def fragments(self, record: Record) -> list[Fragment]:
        """One whole fragment for a list of messages or a QueryData response; one to be joined for a single message."""
        data = {"messages": record.data} if isinstance(record.data, list) else record.data
        if not isinstance(data, dict):
            raise RecordError("invalid", "a record of gda_messages is a list or an object")
        with json_only():
            if is_query_data(data):
                data = json_fields(data, _QUERY_DATA)
                group = _named(data) or f"query-{digest(data)}"
                return [Fragment(group, digest(data), ("", ""), event={"query_data": data}, whole=True)]
            listed = maybe_json(data.get("messages"))
            return self._message(data) if listed is None else self._list(data, listed)

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """The conversation in the longest list, or in the single messages together."""
        events = [fragment.event for fragment in fragments]
        if "query_data" in events[-1]:
            data = events[-1]["query_data"]
            turn = turn_of_query_data(data, self.extract)
            return Conversation(id=group, scope=scope_of(data), started_at=turn.started_at, turns=(turn,))
        lists = [event for event in events if "messages" in event]
        last = max(lists, key=lambda event: len(event["messages"])) if lists else events[-1]
        messages = last["messages"] if lists else [event["message"] for event in events]
        turns = turns_of_messages(messages, self.extract)
        return Conversation(
            id=group,
            scope=Scope(**last["scope"]),
            user=last.get("user"),
            started_at=turns[0].started_at if turns else None,
            turns=turns,
            labels=last.get("labels", {}),
        )

    def _list(self, data: dict[str, Any], listed: Json) -> list[Fragment]:
        if not isinstance(listed, list):
            raise RecordError("invalid", "messages is not a list")
        messages = [_message_in(item, f"messages[{number}]") for number, item in enumerate(listed)]
        if not messages:
            return []
        if _newest_first(messages):
            messages.reverse()
        group = _named(data) or f"conv-{digest(messages[:2])}"
        event = {"messages": messages, **_whose(data)}
        return [Fragment(group, digest(data), (str(len(messages)), ""), event, whole=True)]

    def _message(self, data: dict[str, Any]) -> list[Fragment]:
        held = maybe_json(data.get("message"))
        message = _message_in(data if held is None else {**data, "message": held}, "the record")
        group = _named(data, MESSAGE_ID_KEYS)
        if not group:
            raise RecordError("invalid", "a message without a conversation", hint="keep the column conversation")
        time = when(message.get("timestamp"))
        sequence = next((data[key] for key in _SEQUENCES if isinstance(data.get(key), int)), None)
        if time is None and sequence is None:
            raise RecordError("invalid", "a message without a timestamp cannot be put in order")
        if _is_ignored(message):
            return []
        key = text_of(message.get("messageId")) or digest(message)
        place = f"{sequence:012d}" if sequence is not None else ""
        order = (time.isoformat(timespec="microseconds") if time else "", place)
        return [Fragment(group, key, order, {"message": message, **_whose(data)}, ends=ends(message))]


def _message_in(item: Json, place: str) -> dict[str, Any]:
    """
    ``{"timestamp", "messageId", "user" or "system"}`` of one message, however it is wrapped.

    Raises RecordError (``invalid``) when it is none.
    """
    item = maybe_json(item)
    outer = item if isinstance(item, dict) else {}
    inner = maybe_json(outer.get("message"))
    while isinstance(inner, dict) and isinstance(maybe_json(inner.get("message")), dict):
        outer, inner = {**outer, **inner}, maybe_json(inner["message"])
    body = inner if isinstance(inner, dict) else outer
    user, system = maybe_json(pick(body, "userMessage")), maybe_json(pick(body, "systemMessage"))
    if not isinstance(user, dict) and not isinstance(system, dict):
        raise RecordError("invalid", f"{place} has neither userMessage nor systemMessage")
    message: dict[str, Any] = {"user": user} if isinstance(user, dict) else {"system": _light(system)}
    for name in ("timestamp", "messageId"):
        value = pick(body, name) or pick(outer, name) or (pick(outer, "createTime") if name == "timestamp" else None)
        if value:
            time = when(value) if name == "timestamp" else None
            message[name] = time.isoformat() if time else text_of(value)
    return message


def _light(system: Any) -> dict[str, Any]:
    """A system message without the picture of a chart."""
    chart = system.get("chart")
    result = chart.get("result") if isinstance(chart, dict) else None
    if isinstance(result, dict) and "image" in result:
        kept = {name: value for name, value in result.items() if name != "image"}
        return {**system, "chart": {**chart, "result": kept}}
    return dict(system)


def _is_ignored(message: dict[str, Any]) -> bool:
    return text_type(message.get("system", {}).get("text")) in (THOUGHT, PROGRESS)


def _newest_first(messages: list[dict[str, Any]]) -> bool:
    """Whether the messages' times only ever fall. Equal or mixed times say nothing: the list's order stands."""
    times = [text_of(message.get("timestamp")) for message in messages]
    return len(times) > 1 and all(times) and times[0] > times[-1] and times == sorted(times, reverse=True)


def _named(data: dict[str, Any], keys: Sequence[str] = ID_KEYS) -> str:
    """The conversation's id or resource name; ``conversation`` may be the resource itself."""
    for key in keys:
        value = maybe_json(data.get(key))
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value)
    return ""


def _whose(data: dict[str, Any]) -> dict[str, Any]:
    """Scope, user and labels that stand beside the messages, or in the conversation's own resource."""
    data = json_fields(data, ("agents", "labels"))
    resource = maybe_json(data.get("conversation"))
    resource = resource if isinstance(resource, dict) else {}
    scope = scope_of(data)
    agents = data.get("agents") or resource.get("agents")
    if not scope.agent and isinstance(agents, list) and agents and isinstance(agents[0], str):
        scope = scope.model_copy(update={"agent": agents[0]})
    labels = data.get("labels") or resource.get("labels")
    labels = labels if isinstance(labels, dict) else {}
    whose: dict[str, Any] = {"scope": {name: value for name, value in scope.__dict__.items() if value}}
    if isinstance(data.get("user_id"), (str, int)):
        whose["user"] = str(data["user_id"])
    if labels:
        whose["labels"] = {str(name): text_of(value) for name, value in labels.items() if isinstance(value, str)}
    return whose
