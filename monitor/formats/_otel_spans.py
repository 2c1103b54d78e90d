"""
Spans and log events of OpenTelemetry, from every shape they are stored in, brought down to what a turn needs.

OTLP JSON and protobuf, rows of the ``_AllSpans`` and ``_AllLogs`` views, Cloud Logging entries and the SDK's own
printed spans all become :class:`Span`. Only spans of a generative AI operation are kept, with the root of a trace
that has some beside it in the record; everything else is of no interest.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from monitor.conversation import Json
from monitor.errors import RecordError
from monitor.formats.messages import when
from monitor.jsonio import MAX_DEPTH, maybe_json

Kind = Literal["agent", "chat", "tool", "root"]

DETAILS = "gen_ai.client.inference.operation.details"
"""The log event that carries a model call's messages."""
OPERATIONS: Mapping[str, Kind] = {
    "invoke_agent": "agent",
    "invoke_workflow": "agent",
    "chat": "chat",
    "generate_content": "chat",
    "text_completion": "chat",
    "execute_tool": "tool",
}
MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
KEEP = frozenset(
    """
    gen_ai.operation.name gen_ai.conversation.id gen_ai.agent.name gen_ai.agent.version agent_name
    gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions
    gen_ai.request.model gen_ai.response.model gen_ai.response.id gen_ai.usage.input_tokens gen_ai.usage.output_tokens
    gen_ai.tool.name gen_ai.tool.call.id gen_ai.tool.call.arguments gen_ai.tool.call.result tool_arguments tool_response
    gcp.vertex.agent.session_id gcp.vertex.agent.invocation_id gcp.vertex.agent.llm_request
    gcp.vertex.agent.llm_response gcp.vertex.agent.tool_call_args gcp.vertex.agent.tool_response
    pydantic_ai.all_messages pydantic_ai.new_message_index final_result
    error.type exception.type exception.message user.id enduser.id event.name logfire.span_type
    """.split()
)
RESOURCE = frozenset(
    "deployment.environment.name deployment.environment service.version gen_ai.agent.name gen_ai.agent.version".split()
)
_MERGED_TOOLS = "(merged tools)"
_HEX = {16: re.compile(r"[0-9a-fA-F]{32}"), 8: re.compile(r"[0-9a-fA-F]{16}")}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Span:
    """
    One span, or a log event standing for a model call. Ids are hex or empty; times are ISO text in UTC, or None.

    *key* is set for a log event and identifies it; *elsewhere* says that its messages are stored in another place.
    """

    kind: Kind
    trace: str = ""
    span: str = ""
    parent: str = ""
    start: str | None = None
    end: str | None = None
    attributes: dict[str, Json] = field(default_factory=dict)
    resource: dict[str, Json] = field(default_factory=dict)
    error: dict[str, str] | None = None
    key: str = ""
    elsewhere: bool = False

    def event(self) -> dict[str, Json]:
        """The span as JSON that ``Span(**event)`` reads back; what is empty is left out."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name))}


def outermost(spans: Iterable[Span]) -> dict[str, str]:
    """For each span id, the id of the outermost agent span that it lies in, or that it is; empty when in none."""
    known = {span.span: span for span in spans if span.span}
    tops: dict[str, str] = {}
    for start in known:
        chain: list[str] = []
        here = start
        while here in known and here not in tops:
            tops[here] = ""
            chain.append(here)
            here = known[here].parent
        top = tops.get(here, "")
        for span_id in reversed(chain):
            top = top or (span_id if known[span_id].kind == "agent" else "")
            tops[span_id] = top
    return tops


def read(data: Json, keep: frozenset[str], signal: str = "traces") -> list[Span]:
    """
    The spans of interest in a record. *keep* names the attributes to keep, *signal* what bytes hold.

    Raises RecordError (``invalid``, ``too_deep``) when *data* is none of the shapes.
    """
    if isinstance(data, bytes):
        return _with_roots(_protobuf(data, keep, signal))
    if isinstance(data, list):
        return _with_roots([span for item in data for span in _one(item, keep)])
    return _with_roots(_one(data, keep))


def _one(data: Json, keep: frozenset[str]) -> list[Span]:
    if not isinstance(data, dict):
        raise RecordError("invalid", "an OpenTelemetry record is a JSON object or OTLP protobuf")
    if "resourceSpans" in data or "resource_spans" in data:
        return list(_otlp(data, keep, ("resourceSpans", "scopeSpans", "spans"), _span))
    if "resourceLogs" in data or "resource_logs" in data:
        return list(_otlp(data, keep, ("resourceLogs", "scopeLogs", "logRecords"), _log_record))
    if "resourceMetrics" in data or "resource_metrics" in data:
        return []
    payload = maybe_json(_first(data, "json_payload", "jsonPayload"))
    if isinstance(payload, dict) or _first(data, "log_name", "logName"):
        return _log_entry(data, payload if isinstance(payload, dict) else {}, keep)
    if "attributes" in data:
        found = _span(data, {}, keep)
        return [found] if found else []
    raise RecordError("invalid", "no resourceSpans, span attributes or log payload in the record")


def _with_roots(spans: Iterable[Span]) -> list[Span]:
    """*spans* without the roots of traces that have nothing of interest: ordinary requests of the same service."""
    found = list(spans)
    interesting = {span.trace for span in found if span.kind != "root"}
    return [span for span in found if span.kind != "root" or span.trace in interesting]


def _otlp(data: dict[str, Any], keep: frozenset[str], names: tuple[str, str, str], reader: Any) -> Iterator[Span]:
    """The items of a parsed OTLP JSON request; *names* are its three levels."""
    outer, middle, inner = names
    for group in _dicts(_first(data, outer, _snake(outer))):
        resource = group.get("resource")
        about = attributes_of(resource.get("attributes"), RESOURCE) if isinstance(resource, dict) else {}
        for scope in _dicts(_first(group, middle, _snake(middle))):
            for item in _dicts(_first(scope, inner, _snake(inner))):
                span = reader(item, about, keep)
                if span is not None:
                    yield span


def _span(item: dict[str, Any], resource: dict[str, Json], keep: frozenset[str]) -> Span | None:
    """A span as OTLP JSON, as a row of a spans view, or as the SDK prints it; None when it is of no interest."""
    attributes = attributes_of(item.get("attributes"), keep)
    context = item.get("context")
    place = context if isinstance(context, dict) else item
    parent = _first(item, "parentSpanId", "parent_span_id", "parent_id")
    kind = kind_of(item.get("name"), attributes, bool(parent))
    if kind is None:
        return None
    if not resource and isinstance(about := maybe_json(item.get("resource")), dict):
        resource = attributes_of(about.get("attributes"), RESOURCE)
    start, end = _times(item)
    return Span(
        kind,
        trace=hex_id(_first(place, "traceId", "trace_id", "trace"), 16),
        span=hex_id(_first(place, "spanId", "span_id"), 8),
        parent=hex_id(parent, 8),
        start=start,
        end=end,
        attributes=attributes,
        resource=resource,
        error=_error(maybe_json(item.get("status")), maybe_json(item.get("events")), attributes),
    )


def _log_record(item: dict[str, Any], resource: dict[str, Json], keep: frozenset[str]) -> Span | None:
    """A log record of OTLP JSON that holds a model call's messages, else None."""
    attributes = attributes_of(item.get("attributes"), keep)
    if (_first(item, "eventName", "event_name") or attributes.get("event.name")) != DETAILS:
        return None
    body = any_value(item.get("body"))
    if isinstance(body, dict):
        attributes = {key: value for key, value in body.items() if key in keep} | attributes
    time = _nanoseconds(_first(item, "timeUnixNano", "time_unix_nano", "observedTimeUnixNano"))
    return _event(
        trace=hex_id(_first(item, "traceId", "trace_id"), 16),
        span=hex_id(_first(item, "spanId", "span_id"), 8),
        time=iso(time) if time else None,
        attributes=attributes,
        resource=resource,
    )


def _log_entry(data: dict[str, Any], payload: dict[str, Json], keep: frozenset[str]) -> list[Span]:
    """A Cloud Logging entry, as exported or as a row of its view."""
    labels = maybe_json(data.get("labels"))
    labels = labels if isinstance(labels, dict) else {}
    name = str(_first(data, "log_name", "logName") or "")
    if not name.endswith(DETAILS) and DETAILS not in (labels.get("event.name"), payload.get("event.name")):
        return []
    attributes = {key: value for key, value in {**labels, **payload}.items() if key in keep and value is not None}
    time = timestamp(data.get("timestamp"))
    found = _event(
        trace=hex_id(data.get("trace"), 16),
        span=hex_id(_first(data, "span_id", "spanId"), 8),
        time=time.isoformat(timespec="microseconds") if time else None,
        attributes=attributes,
        resource={},
    )
    if insert_id := _first(data, "insert_id", "insertId"):
        found.key = f"log {insert_id}"
    found.elsewhere = any(f"{key}_ref" in place for key in MESSAGES for place in (labels, payload))
    return [found]


def _event(*, trace: str, span: str, time: str | None, attributes: dict[str, Json], resource: dict[str, Json]) -> Span:
    error = _error(None, None, attributes)
    return Span("chat", trace, span, "", time, time, attributes, resource, error, key=f"log {span}")


def kind_of(name: Json, attributes: Mapping[str, Json], nested: bool) -> Kind | None:
    """What a span is to a turn; None when it is nothing."""
    operation = attributes.get("gen_ai.operation.name")
    if attributes.get("logfire.span_type") == "pending_span" or attributes.get("gen_ai.tool.name") == _MERGED_TOOLS:
        return None
    if isinstance(operation, str) and operation in OPERATIONS:
        return OPERATIONS[operation]
    if name == "call_llm":
        return "chat"
    if "pydantic_ai.all_messages" in attributes:
        return "agent"
    if operation is None and "gen_ai.tool.name" in attributes:
        return "tool"
    if operation is None and any(key in attributes for key in MESSAGES):
        return "chat"
    return None if nested else "root"


def attributes_of(value: Json, keep: frozenset[str]) -> dict[str, Json]:
    """The attributes named in *keep*: an OTLP list of pairs, an object with dotted keys, or that as text."""
    value = maybe_json(value)
    found: dict[str, Json] = {}
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if key in keep and inner is not None}
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, dict):
            key = pair.get("key")
            if isinstance(key, str) and key in keep:
                found[key] = any_value(pair.get("value"))
    return found


def any_value(value: Json, levels: int = MAX_DEPTH) -> Json:
    """What an OTLP ``AnyValue`` in JSON holds. Raises RecordError when it nests too deep."""
    if not isinstance(value, dict):
        return value
    text = value.get("stringValue")
    if isinstance(text, str):
        return text
    if levels <= 0:
        raise RecordError("too_deep", f"attribute values nested deeper than {MAX_DEPTH} levels")
    for name, inner in value.items():
        kind = name.replace("_", "").lower()
        if kind == "intvalue":
            return _integer(inner)
        if kind == "arrayvalue":
            return [any_value(item, levels - 1) for item in _values(inner)]
        if kind == "kvlistvalue":
            pairs = _dicts(_values(inner))
            return {str(pair.get("key")): any_value(pair.get("value"), levels - 1) for pair in pairs}
        if kind in ("stringvalue", "doublevalue", "boolvalue"):
            return inner
    return None


def hex_id(value: Json, size: int) -> str:
    """
    An id of *size* bytes in lower-case hex; empty where there is none (absent, or all zero).

    Hex, ``0x…``, ``projects/P/traces/HEX`` and base64 are read; anything else raises RecordError (``invalid``).
    """
    if value is None or value == "":
        return ""
    text = str(value)
    if not _HEX[size].fullmatch(text):
        text = _other_id(text, size)
    return text.lower() if text.strip("0") else ""


def _other_id(text: str, size: int) -> str:
    short = text.rpartition("/")[2] if text.startswith("projects/") else text.removeprefix("0x")
    if _HEX[size].fullmatch(short):
        return short
    try:
        raw = base64.b64decode(text, validate=True) if len(text) < 64 else b""
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != size:
        raise RecordError("invalid", f"{text[:40]!r} is no id of {size} bytes, in hex or base64")
    return raw.hex()


def iso(nanoseconds: int) -> str | None:
    """ISO text in UTC with microseconds; None for a time that no calendar has."""
    try:
        return (_EPOCH + timedelta(microseconds=nanoseconds // 1000)).isoformat(timespec="microseconds")
    except OverflowError:
        return None


def timestamp(value: Json) -> datetime | None:
    """A time as rows hold it: ISO text, the same with `` UTC`` after it, seconds, or a datetime."""
    if isinstance(value, str) and value.endswith(" UTC"):
        value = value[:-4] + "+00:00"
    return when(value)


def _times(item: dict[str, Any]) -> tuple[str | None, str | None]:
    first = _nanoseconds(_first(item, "startTimeUnixNano", "start_time_unix_nano"))
    if first is not None:
        last = _nanoseconds(_first(item, "endTimeUnixNano", "end_time_unix_nano"))
        return iso(first), iso(last) if last is not None else None
    start, end = timestamp(item.get("start_time")), timestamp(item.get("end_time"))
    lasted = _nanoseconds(item.get("duration_nano"))
    try:
        if start and end is None and lasted is not None:
            end = start + timedelta(microseconds=lasted // 1000)
    except OverflowError:
        end = None
    return (
        start.isoformat(timespec="microseconds") if start else None,
        end.isoformat(timespec="microseconds") if end else None,
    )


def _error(status: Json, events: Json, attributes: dict[str, Json]) -> dict[str, str] | None:
    """Type and message of the error that a span ended in, or None."""
    code = _first(status, "code", "status_code") if isinstance(status, dict) else status
    kind = attributes.get("error.type")
    if code not in (2, "2", "STATUS_CODE_ERROR", "ERROR") and not kind:
        return None
    message = _first(status, "message", "description") if isinstance(status, dict) else None
    for event in _dicts(events):
        if event.get("name") == "exception":
            said = attributes_of(event.get("attributes"), KEEP)
            kind = kind or said.get("exception.type")
            message = message or said.get("exception.message")
    return {"type": str(kind or "")[:200], "message": str(message or "")[:4000]}


def _protobuf(data: bytes, keep: frozenset[str], signal: str) -> list[Span]:
    from monitor.formats._otel_protobuf import read_logs, read_traces

    if signal == "metrics":
        return []
    request = read_logs(data, keep) if signal == "logs" else read_traces(data, keep)
    return list(_otlp(request, keep, *_READERS[signal == "logs"]))


_READERS: tuple[Any, Any] = (
    (("resourceSpans", "scopeSpans", "spans"), _span),
    (("resourceLogs", "scopeLogs", "logRecords"), _log_record),
)


def _first(place: dict[str, Any], *names: str) -> Json:
    for name in names:
        value = place.get(name)
        if value is not None and value != "":
            return value
    return None


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def _dicts(value: Json) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _values(value: Json) -> list[Json]:
    inner = value.get("values") if isinstance(value, dict) else value
    return inner if isinstance(inner, list) else []


def _integer(value: Json) -> int | None:
    """A 64-bit integer, which JSON may write as text; None for anything else."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -(2**63) <= number < 2**63 else None


def _nanoseconds(value: Json) -> int | None:
    return None if value is None or isinstance(value, bool) else _integer(value)
