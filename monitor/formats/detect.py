"""
Which format records are in, by the keys that only it has.

The first records decide, at most fifty, and nine in ten must agree; a mixture is refused with its counts rather than
guessed at. Exports of other tools are recognised too, to say by name what is not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from monitor.conversation import Json
from monitor.errors import ConfigError, RecordError
from monitor.formats import Record
from monitor.formats.native import EVENT_TYPE
from monitor.formats.unwrap import unwrap
from monitor.jsonio import maybe_json

SAMPLE = 50
AGREEMENT = 0.9
FORMATS = ("native", "otel", "adk_bqaa", "gda_messages", "pydantic_ai", "openai_chat")
"""What can be recognised and read."""
FOREIGN = {
    "langsmith": "a LangSmith export",
    "langfuse": "a Langfuse export",
    "mlflow": "an MLflow trace export",
    "anthropic": "a log of Anthropic messages",
    "vertex": "a Vertex AI request-response log",
    "dialogflow_cx": "a Dialogflow CX interaction log",
    "dialogflow_event": "a Dialogflow conversation event",
    "cx_insights": "a Customer Experience Insights export",
    "otel_upload": "a message uploaded beside an OpenTelemetry trace",
}
"""What can be recognised and is not read."""
_WEAK = "openai_chat, plain"
"""Messages without tools: OpenAI's and Anthropic's look the same."""


_DETAILS = "gen_ai.client.inference.operation.details"


@dataclass(frozen=True, slots=True)
class Detection:
    """The format's *name*, the *reason* in words, and how many of the records looked at spoke for what."""

    name: str
    reason: str
    votes: Mapping[str, int] = field(default_factory=dict)


def detect(records: Sequence[Record]) -> Detection:
    """
    The format of *records*.

    Raises ConfigError when they disagree, and RecordError when they are of a format that is not read
    (``unsupported``) or of none that is known (``unknown_format``).
    """
    sample = [_unwrapped(record) for record in records[:SAMPLE]]
    if not sample:
        raise RecordError("unknown_format", "there are no records to tell the format from", hint="set `format:`")
    votes = Counter(_vote(record) for record in sample)
    plain = votes.pop(_WEAK, 0)
    if plain:
        votes["anthropic" if votes["anthropic"] > votes["openai_chat"] else "openai_chat"] += plain
    votes = +votes
    known = Counter({name: number for name, number in votes.items() if name})
    name, count = (known or votes).most_common(1)[0]
    if name and count < AGREEMENT * known.total():
        found = ", ".join(f"{kind or 'unknown'} {number}" for kind, number in votes.most_common())
        raise ConfigError(
            f"the first {len(sample)} records are of more than one format: {found}",
            hint=f"set `format:` to one of {', '.join(FORMATS)} or mapping, or split the source",
        )
    if name in FOREIGN:
        place = _place(next(record for record in sample if _vote(record) in (name, _WEAK)))
        raise RecordError(
            "unsupported",
            f"{place}the record is {FOREIGN[name]}, which is not read yet",
            hint="describe its columns with `format: mapping`, or export the same conversations as OpenTelemetry spans",
        )
    if not name:
        raise _unknown(next(record for record in sample if not _vote(record)))
    return Detection(name, f"{count} of {len(sample)} records look like {name}", dict(votes))


def guess(data: Json, attributes: Mapping[str, str]) -> str | None:
    """The format of one unwrapped record, if it is one that can be read, else None."""
    name = classify(data, attributes)
    if name == _WEAK:
        return "openai_chat"
    return name if name in FORMATS else None


def classify(data: Json, attributes: Mapping[str, str]) -> str:
    """What one unwrapped record is: a name of FORMATS or FOREIGN, ``openai_chat, plain``, or empty."""
    kind = attributes.get("ce-type", "")
    if kind.startswith("org.opentelemetry.otlp."):
        return "otel"
    if EVENT_TYPE.search(kind):
        return "native"
    if isinstance(data, list):
        return _list(data)
    if isinstance(data, dict):
        return _object(data)
    return ""


def _vote(record: Record) -> str:
    return classify(record.data, record.attributes)


def _unwrapped(record: Record) -> Record:
    """The record without envelopes, or as it is when they are damaged: it will be quarantined when it is read."""
    try:
        return unwrap(record)
    except RecordError:
        return record


_KEYS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("native", (("id",), ("turns",))),
    ("native", (("conversation_id",), ("turn",))),
    ("otel", (("resourceSpans", "resourceLogs", "resource_spans", "resource_logs"),)),
    ("adk_bqaa", (("event_type",), ("session_id",), ("invocation_id",), ("content", "timestamp"))),
    ("dialogflow_cx", (("conversation_name",), ("turn_position",), ("request", "response"))),
    ("cx_insights", (("conversationName",), ("sentences", "transcript"))),
    ("dialogflow_event", (("newMessagePayload", "new_message_payload"),)),
    ("vertex", (("full_request",), ("full_response",))),
    ("langsmith", (("run_type",), ("dotted_order",))),
    ("langfuse", (("parent_observation_id", "parentObservationId"), ("type",), ("input", "output"))),
    ("gda_messages", (("generatedQuery", "generated_query"), ("queryResult", "query_result"))),
)
"""In this order: a name, and groups of keys of which one each must be there."""
_ALONE = ("gda_messages", "otel_upload", "dialogflow_event")
"""Formats whose records may be single messages."""
_GDA = ("userMessage", "systemMessage", "user_message", "system_message")


def _object(data: dict[str, Any]) -> str:
    for name, groups in _KEYS:
        if all(any(key in data for key in group) for group in groups):
            return name
    if str(data.get("type", "")).startswith("CONVERSATION_") and "conversation" in data:
        return "dialogflow_event"
    if _is_genai_log(data) or _is_span(data):
        return "otel"
    body = maybe_json(data.get("data"))
    if "info" in data and isinstance(body, dict) and "spans" in body:
        return "mlflow"
    for key in ("messages", "all_messages", "message_history", "history"):
        messages = maybe_json(data.get(key))
        if isinstance(messages, list):
            return _list(messages)
    kind = _message(data)
    return kind if kind in _ALONE else ""


def _is_genai_log(data: dict[str, Any]) -> bool:
    labels = maybe_json(data.get("labels"))
    event = labels.get("event.name") if isinstance(labels, dict) else None
    names = (data.get("log_name"), data.get("logName"), event)
    payload = "json_payload" in data or "jsonPayload" in data
    return payload and any(isinstance(name, str) and name.endswith(_DETAILS) for name in names)


def _is_span(data: dict[str, Any]) -> bool:
    """A span as a row, with ids and times, or with attributes of the conventions (ADK's rows may lack the ids)."""
    if "attributes" not in data:
        return False
    context = data.get("context")
    place = {**data, **context} if isinstance(context, dict) else data
    if ("trace_id" in place and "span_id" in place) or ("traceId" in place and "spanId" in place):
        return any(key in data for key in ("duration_nano", "start_time", "startTimeUnixNano", "end_time"))
    attributes = maybe_json(data["attributes"])
    names = attributes if isinstance(attributes, dict) else ()
    return any(isinstance(name, str) and name.startswith(("gen_ai.", "gcp.vertex.agent.")) for name in names)


def _list(items: list[Json]) -> str:
    """The format of a list of messages: what its items agree on, with a plain message counting for anything."""
    kinds = Counter(_message(item) for item in map(maybe_json, items[:200]) if isinstance(item, dict))
    for name in ("otel", "gda_messages", "pydantic_ai", "otel_upload", "anthropic", "dialogflow_event", "openai_chat"):
        if kinds[name]:
            return name
    return _WEAK if kinds[_WEAK] else ""


def _message(item: dict[str, Any]) -> str:
    """The format of one message, in whatever list it stands."""
    wrapped = maybe_json(item.get("message"))
    if any(key in item for key in _GDA) or (isinstance(wrapped, dict) and any(key in wrapped for key in _GDA)):
        return "gda_messages"
    if "resourceSpans" in item or _is_span(item):
        return "otel"
    if str(item.get("type", "")).startswith("CONVERSATION_") or "newMessagePayload" in item:
        return "dialogflow_event"
    if item.get("kind") in ("request", "response") and isinstance(maybe_json(item.get("parts")), list):
        return "pydantic_ai"
    if "role" not in item:
        return ""
    if isinstance(parts := item.get("parts"), list):
        return "otel_upload" if any(isinstance(part, dict) and "type" in part for part in parts) else ""
    content = item.get("content")
    blocks = [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if any(block in ("tool_use", "tool_result", "thinking") for block in blocks):
        return "anthropic"
    if (
        item.get("tool_calls")
        or item.get("tool_call_id")
        or item["role"] in ("tool", "function", "developer", "system")
    ):
        return "openai_chat"
    return _WEAK if "content" in item else ""


def _unknown(record: Record) -> RecordError:
    data = record.data
    if isinstance(data, dict):
        names = [str(name)[:60] for name in list(data)[:20]]
        seen = f"its keys are {', '.join(names)}{' …' if len(data) > 20 else ''}" if names else "it has no keys"
    elif isinstance(data, list):
        seen = "it is a list of something else than messages"
    elif isinstance(data, bytes):
        seen = "it is binary; if it is OTLP protobuf, set `format: otel`"
    else:
        seen = "it is text or a number, no object or list"
    return RecordError(
        "unknown_format",
        f"{_place(record)}the record is of no known format: {seen}",
        hint=f"set `format:` to one of {', '.join(FORMATS)}, or describe the columns with `format: mapping`",
    )


def _place(record: Record) -> str:
    return f"{record.position}: " if record.position else ""
