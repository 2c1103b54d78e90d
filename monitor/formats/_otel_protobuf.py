"""
OTLP as protobuf, brought to the form that its JSON has, with only the attributes that are wanted.

Apart from the rest because the protobuf classes are imported only when bytes arrive.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from monitor.conversation import Json
from monitor.errors import RecordError


def read_traces(data: bytes, keep: frozenset[str]) -> dict[str, Any]:
    """An ``ExportTraceServiceRequest``. Raises RecordError (``invalid``) when *data* is none."""
    request = _decoded(ExportTraceServiceRequest, data)
    if data and not request.resource_spans:
        raise RecordError("invalid", "the bytes hold no OTLP spans", hint=_HINT)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _all(group.resource.attributes)},
                "scopeSpans": [{"spans": [_span(span, keep) for span in scope.spans]} for scope in group.scope_spans],
            }
            for group in request.resource_spans
        ]
    }


def read_logs(data: bytes, keep: frozenset[str]) -> dict[str, Any]:
    """An ``ExportLogsServiceRequest``. Raises RecordError (``invalid``) when *data* is none."""
    request = _decoded(ExportLogsServiceRequest, data)
    if data and not request.resource_logs:
        raise RecordError("invalid", "the bytes hold no OTLP log records", hint=_HINT)
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": _all(group.resource.attributes)},
                "scopeLogs": [
                    {"logRecords": [_log(record, keep) for record in scope.log_records]} for scope in group.scope_logs
                ],
            }
            for group in request.resource_logs
        ]
    }


_HINT = "send OTLP requests as they are, or name their encoding in the message's attributes"


def _decoded(kind: Any, data: bytes) -> Any:
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise RecordError("invalid", f"not OTLP protobuf: {error}"[:200], hint=_HINT) from None


def _span(span: Any, keep: frozenset[str]) -> dict[str, Any]:
    return {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": span.parent_span_id.hex(),
        "name": span.name,
        "startTimeUnixNano": span.start_time_unix_nano or None,
        "endTimeUnixNano": span.end_time_unix_nano or None,
        "attributes": {pair.key: _value(pair.value) for pair in span.attributes if pair.key in keep},
        "status": {"code": span.status.code, "message": span.status.message},
        "events": [
            {"name": event.name, "attributes": _all(event.attributes)}
            for event in span.events
            if event.name == "exception"
        ],
    }


def _log(record: Any, keep: frozenset[str]) -> dict[str, Any]:
    body = _value(record.body)
    inside = {key: value for key, value in body.items() if key in keep} if isinstance(body, dict) else {}
    return {
        "traceId": record.trace_id.hex(),
        "spanId": record.span_id.hex(),
        "timeUnixNano": record.time_unix_nano or record.observed_time_unix_nano or None,
        "eventName": record.event_name,
        "attributes": inside | {pair.key: _value(pair.value) for pair in record.attributes if pair.key in keep},
    }


def _all(pairs: Any) -> dict[str, Json]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Json:
    """What an ``AnyValue`` holds; the protobuf parser has bounded its depth. Bytes are left out."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _all(value.kvlist_value.values)
    return None if kind is None or kind == "bytes_value" else getattr(value, kind)
