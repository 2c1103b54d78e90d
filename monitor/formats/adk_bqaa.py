"""
Rows of the BigQuery Agent Analytics table, ``agent_events``: one row an event.

The same columns are written with two meanings. In the dialect ``adk`` (the Agent Development Kit's plugin, and others
that write like it) a session is a conversation and an invocation one turn; tools, their results and their errors are
recorded. In the dialect ``bqca`` (Conversational Analytics) a session is one turn, the conversation stands in the
session's state, and tools, queries and results are never written. JSON columns may arrive as text. Every column but
``timestamp``, ``event_type``, ``session_id`` and ``invocation_id`` may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from monitor.conversation import Conversation, Json, Scope, canonical
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.formats._adk_bqaa import turns_of_rows
from monitor.formats._adk_text import answer_of, is_hidden, question_of, spoken_text
from monitor.formats._bounds import json_only
from monitor.formats._errors import error_in, text_of
from monitor.formats.extract import unwrapped
from monitor.formats.messages import when
from monitor.jsonio import maybe_json

ENDS = ("INVOCATION_COMPLETED", "INVOCATION_ERROR")
_OF_THE_INVOCATION = ("USER_MESSAGE_RECEIVED", "INVOCATION_STARTING", *ENDS)
KEPT = frozenset(
    "USER_MESSAGE_RECEIVED INVOCATION_STARTING INVOCATION_COMPLETED INVOCATION_ERROR AGENT_STARTING AGENT_ERROR "
    "NODE_ERROR AGENT_RESPONSE LLM_REQUEST LLM_RESPONSE LLM_ERROR TOOL_STARTING TOOL_COMPLETED TOOL_ERROR TOOL_PAUSED "
    "HITL_CREDENTIAL_REQUEST HITL_CONFIRMATION_REQUEST HITL_INPUT_REQUEST HITL_CREDENTIAL_REQUEST_COMPLETED "
    "HITL_CONFIRMATION_REQUEST_COMPLETED HITL_INPUT_REQUEST_COMPLETED".split()
)
MAX_RESPONSES = 100
MAX_TOKENS = 10**12
BQCA_AGENT = "ConversationalAnalyticsAgent"
_SINCE_1_21 = ("attributes", "content_parts", "trace_id", "span_id", "latency_ms", "status")
_LOST = re.compile(
    rb"\[(?:CONTENT_PARSE_FAILED|FORMATTER_FAILED|FORMATTING FAILED|UNSUPPORTED_OBJECT|SANITIZE_BUDGET_EXCEEDED"
    rb"|MAX_DEPTH_EXCEEDED|CIRCULAR_REFERENCE|UNPARSEABLE_JSON_BLOB|BINARY DATA|UPLOAD FAILED|MEDIA OFFLOADED)\]"
    rb"|\.\.\.\[TRUNCATED\]|\.\.\. \[OFFLOADED\]"
)
_REDACTED = re.compile(rb"\[REDACTED(?:_SENSITIVE_(?:TEXT|URI))?\]")
_HEX32, _HEX16 = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")


@register("adk_bqaa")
class AdkBqaa(Format):
    """Event rows of the Agent Development Kit's analytics plugin and of Conversational Analytics."""

    name = "adk_bqaa"
    user_paths = (("user",),)

    dialect: Literal["auto", "adk", "bqca"] = Field(
        default="auto", description="whose rows they are; auto decides row by row"
    )

    def fragments(self, record: Record) -> list[Fragment]:
        """One fragment a row; none for event types that say nothing about a turn."""
        rows = record.data if isinstance(record.data, list) else [record.data]
        with json_only():
            found = [self._fragment(row) for row in rows]
        return [fragment for fragment in found if fragment is not None]

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """The turns of a session, or of a Conversational Analytics conversation, without those that were rewound."""
        events = [fragment.event for fragment in fragments]
        turns = turns_of_rows([(fragment.key, fragment.event) for fragment in fragments], self.extract)
        labels: dict[str, str] = {}
        for event in events:
            labels.update(event.get("labels", {}))
        scope = Scope(
            agent=_first(events, "root") or _first(events, "agent"), semantic_model=_first(events, "model_of")
        )
        return Conversation(
            id=group,
            scope=scope,
            user=_first(events, "user") or None,
            started_at=turns[0].started_at if turns else None,
            turns=turns,
            labels=labels,
        )

    def _fragment(self, row: Json) -> Fragment | None:
        if not isinstance(row, dict):
            raise RecordError("invalid", "a row of agent_events is a JSON object")
        kind, session = row.get("event_type"), _id(row, "session_id")
        if not isinstance(kind, str) or not kind:
            raise RecordError("invalid", "no event_type in the row")
        _refuse_1_19(row)
        time = when(row.get("timestamp"))
        if time is None:
            raise RecordError("invalid", f"timestamp {str(row.get('timestamp'))[:40]!r} is no time")
        attributes = _object(row.get("attributes"))
        metadata = _object(attributes.get("session_metadata"))
        state = _object(metadata.get("state"))
        bqca = self.dialect == "bqca" or (self.dialect == "auto" and _is_bqca(row, state))
        event = _event(kind, row, attributes, bqca)
        if event is None:
            return None
        event |= _whose(row, attributes, state, bqca)
        conversation = text_of(state.get("conversation-id")) if bqca else ""
        event["turn"] = session if bqca else _id(row, "invocation_id")
        event["time"] = time.isoformat(timespec="microseconds")
        event_id = row.get("event_id")
        key = event_id if isinstance(event_id, str) and event_id else digest(row)
        return Fragment(conversation or session, key, (event["time"], key), event, ends=kind in ENDS)


def _event(kind: str, row: dict[str, Any], attributes: dict[str, Any], bqca: bool) -> dict[str, Any] | None:
    """What is kept of a row, or None when it is of no interest."""
    adk = _object(attributes.get("adk"))
    event: dict[str, Any] = {"type": kind}
    rewind = adk.get("rewind_before_invocation_id")
    if isinstance(rewind, str) and rewind:
        event["rewind"] = rewind
    content = _content(kind, row, attributes, bqca) if kind in KEPT else None
    if content is None and "rewind" not in event:
        return None
    event["content"] = content or {}
    event |= _flags(kind, row, event["content"])
    if isinstance(adk.get("function_call_id"), str):
        event["call"] = adk["function_call_id"]
    latency = _object(row.get("latency_ms")).get("total_ms")
    if kind in ENDS and isinstance(latency, (int, float)) and not isinstance(latency, bool):
        event["latency"] = latency
    event["span"] = text_of(row.get("span_id"))
    if kind in _OF_THE_INVOCATION:
        otel = _object(attributes.get("otel"))
        event["trace"] = _trace(row.get("trace_id"), row.get("span_id"))
        event["otel"] = _trace(otel.get("trace_id"), otel.get("span_id"))
    if bqca:
        event["bqca"] = True
    return {name: value for name, value in event.items() if value not in (None, "")}


def _content(kind: str, row: dict[str, Any], attributes: dict[str, Any], bqca: bool) -> dict[str, Any] | None:
    """The part of a row's content that a turn is made of."""
    content = maybe_json(row.get("content"))
    if kind == "USER_MESSAGE_RECEIVED":
        return question_of(content, row.get("content_parts"))
    if kind == "AGENT_RESPONSE":
        return answer_of(content, bqca)
    if kind == "LLM_REQUEST":
        return _failed_responses(row.get("content_parts"))
    if kind == "LLM_RESPONSE":
        return _model_call(content, attributes)
    if kind == "AGENT_STARTING":
        told = [text for text in (attributes.get("static_instruction"), content) if isinstance(text, str) and text]
        return {"text": "\n".join(told), "model": text_of(attributes.get("model"))} if told else None
    if kind.startswith(("TOOL_", "HITL_")):
        tool = content if isinstance(content, dict) else {}
        if kind.startswith("HITL_") or is_hidden(text_of(tool.get("tool"))):
            return {"tool": text_of(tool.get("tool"))}
        return {name: maybe_json(tool[name]) for name in ("tool", "args", "result") if tool.get(name) is not None}
    return {}


def _failed_responses(parts: Json) -> dict[str, Any] | None:
    """
    The tool results in a request to the model that report an error.

    A tool that answers with an MCP error has a row without its text; the text is only here, among the whole history.
    """
    failed = []
    parts = maybe_json(parts)
    for part in parts if isinstance(parts, list) else []:
        attributes = part.get("part_attributes") if isinstance(part, dict) else None
        if isinstance(attributes, str) and '"function_response"' not in attributes:
            continue
        response = _object(_object(attributes).get("function_response"))
        if error_in(unwrapped(response.get("response"))) is not None:
            failed.append({name: response.get(name) for name in ("id", "name", "response")})
    return {"responses": failed[-MAX_RESPONSES:]} if failed else None


def _model_call(content: Json, attributes: dict[str, Any]) -> dict[str, Any]:
    """Text, tokens and model of a model's reply; *final* unless it is a chunk of a stream."""
    body = content if isinstance(content, dict) else {}
    counted, summary = _object(attributes.get("usage_metadata")), _object(body.get("usage"))
    thoughts = _count(counted.get("thoughts_token_count")) or 0
    output = _count(counted.get("candidates_token_count"))
    call: dict[str, Any] = {
        "text": spoken_text(body.get("response")),
        "input": _count(counted.get("prompt_token_count"), summary.get("prompt")),
        "output": _count(summary.get("completion")) if output is None else output + thoughts,
        "model": text_of(attributes.get("model_version")) or text_of(attributes.get("model")),
        "final": bool(attributes.get("finish_reason") or attributes.get("cache_type")),
    }
    return {name: value for name, value in call.items() if value not in (None, "")}


def _flags(kind: str, row: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    """Whether the row reports an error, and whether its content was cut or blanked."""
    flags: dict[str, Any] = {}
    message = text_of(row.get("error_message"))
    if kind.endswith("_ERROR") or row.get("status") == "ERROR":
        flags |= {"failed": True, "error": message[:4000]}
    written = canonical(content)
    if row.get("is_truncated") is True or _LOST.search(written):
        flags["cut"] = True
    if _REDACTED.search(written) or (flags.get("failed") and _REDACTED.search(message.encode())):
        flags["redacted"] = True
    return flags


def _whose(row: dict[str, Any], attributes: dict[str, Any], state: dict[str, Any], bqca: bool) -> dict[str, Any]:
    """Agent, user, semantic model and labels, as far as the row names them."""
    labels = _object(state.get("custom_labels") if bqca else attributes.get("custom_tags"))
    whose = {
        "root": text_of(state.get("data-agent-id")) if bqca else text_of(attributes.get("root_agent_name")),
        "agent": text_of(row.get("agent")),
        "user": text_of(row.get("user_id")),
        "model_of": text_of(state.get("semantic_model")),
        "labels": {name: value for name, value in labels.items() if isinstance(value, str)},
    }
    return {name: value for name, value in whose.items() if value}


def _refuse_1_19(row: dict[str, Any]) -> None:
    if not any(column in row for column in _SINCE_1_21) and not isinstance(maybe_json(row.get("content")), dict):
        raise RecordError(
            "unsupported",
            "adk_bqaa rows of google-adk 1.19 hold text cut at 500 characters instead of JSON: no turn can be made of it",
            hint="log with google-adk 1.21 or newer; if it is newer, select the columns attributes and span_id too",
        )


def _is_bqca(row: dict[str, Any], state: dict[str, Any]) -> bool:
    return row.get("agent") == BQCA_AGENT or "data-agent-id" in state


def _id(row: dict[str, Any], column: str) -> str:
    value = row.get(column)
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise RecordError("invalid", f"no {column} in the row")
    return str(value)


def _object(value: Json) -> dict[str, Any]:
    value = maybe_json(value)
    return value if isinstance(value, dict) else {}


def _count(*values: Json) -> int | None:
    counts = (value for value in values if isinstance(value, int) and not isinstance(value, bool))
    return next((count for count in counts if 0 <= count < MAX_TOKENS), None)


def _trace(trace_id: Json, span_id: Json) -> list[str] | None:
    """Trace and span id, when the first is one: 32 hex digits."""
    if not isinstance(trace_id, str) or not _HEX32.fullmatch(trace_id):
        return None
    return [trace_id, span_id if isinstance(span_id, str) and _HEX16.fullmatch(span_id) else ""]


def _first(events: Sequence[dict[str, Any]], name: str) -> str:
    return next((event[name] for event in events if event.get(name)), "")
