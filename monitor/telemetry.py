"""
OpenTelemetry: what is exported, where to, and never at the evaluation's expense.

The standard variables decide. ``OTEL_TRACES_EXPORTER`` and ``OTEL_LOGS_EXPORTER`` name the exporters (``otlp``,
``console``, both with a comma, or ``none``). Where they are not set, a signal is exported over OTLP if
``OTEL_EXPORTER_OTLP_ENDPOINT`` or its own ``OTEL_EXPORTER_OTLP_<SIGNAL>_ENDPOINT`` is set, and not at all
otherwise: nothing is sent to a default address by surprise. ``OTEL_EXPORTER_OTLP_PROTOCOL`` (or the signal's own)
is ``grpc``, the default as in the OpenTelemetry SDK for Python, or ``http/protobuf``. Headers, compression,
certificates, time-outs, ``OTEL_SERVICE_NAME``, ``OTEL_RESOURCE_ATTRIBUTES``, ``OTEL_SDK_DISABLED`` and the batches'
``OTEL_BSP_…`` and ``OTEL_BLRP_…`` have their usual meaning. ``OTEL_TRACES_SAMPLER`` has none here: what is
evaluated was sampled already.

Emitting puts an item into a bounded queue and returns; a thread exports. What a full queue or a failing receiver
loses is counted and logged once per outage. The SDK is imported by :func:`setup` when there is something to export.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from monitor.errors import ConfigError

if TYPE_CHECKING:
    from opentelemetry.sdk._logs.export import LogRecordExporter
    from opentelemetry.sdk.trace.export import SpanExporter

    from monitor.otlp import EventPipeline, SpanPipeline

Signal = Literal["logs", "traces"]
Attributes = Mapping[str, str | int | float]
Lost = Callable[[str, int], None]
"""Told of items that will not arrive: a low-cardinality type, and how many. Called from several threads."""

_EXPORTERS = ("otlp", "console")
_PROTOCOLS = ("grpc", "http/protobuf")
_BATCHES = {"traces": ("OTEL_BSP", 5_000), "logs": ("OTEL_BLRP", 1_000)}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The span that was evaluated. *span_id* is 0 where only its trace is known."""

    trace_id: int
    span_id: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event, as a log record or on a span. *time* is in nanoseconds since 1970; *failed* makes its severity WARN."""

    name: str
    attributes: Attributes
    time: int
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How one signal is exported: by which exporters, in batches of what size, out of a queue of what size."""

    exporters: tuple[str, ...] = ()
    protocol: str = "grpc"
    queue_size: int = 2_048
    batch_size: int = 512
    delay_millis: int = 1_000


class Telemetry:
    """
    What can be emitted, and the pipelines that take it away. Without pipelines everything is a no-op.

    ``events`` and ``spans`` never block and never raise. After ``shutdown`` what is emitted counts as lost.
    """

    def __init__(
        self, events: EventPipeline | None = None, spans: SpanPipeline | None = None, lost: Lost | None = None
    ) -> None:
        self._events = events
        self._spans = spans
        self._lost = lost

    @property
    def emits_events(self) -> bool:
        """Whether log events go anywhere."""
        return self._events is not None

    @property
    def emits_spans(self) -> bool:
        """Whether spans go anywhere."""
        return self._spans is not None

    def events(self, events: Sequence[Event], evaluated: Evaluated | None) -> None:
        """Emit log events in the context of the *evaluated* span."""
        if self._events is not None:
            self._events.emit(events, evaluated)

    def span(self, name: str, attributes: Attributes, events: Sequence[Event], evaluated: Evaluated | None) -> None:
        """Emit a span with *events* in a trace of its own, linked to the *evaluated* span."""
        if self._spans is not None:
            self._spans.emit(name, attributes, events, evaluated)

    def lost(self, error_type: str, count: int) -> None:
        """Count what could not even be emitted."""
        if self._lost is not None:
            self._lost(error_type, count)

    def flush(self, timeout: float = 5.0) -> bool:
        """Export what is queued, within *timeout* seconds; whether everything left the queues, delivered or counted."""
        return self._each("flush", timeout)

    def shutdown(self, timeout: float = 5.0) -> bool:
        """Export what is queued and end, within *timeout* seconds; what is left over is counted as lost."""
        return self._each("shutdown", timeout)

    def _each(self, what: Literal["flush", "shutdown"], timeout: float) -> bool:
        pipelines = [pipeline for pipeline in (self._events, self._spans) if pipeline is not None]
        if not pipelines:
            return True
        from monitor.otlp import flush, shutdown

        return (flush if what == "flush" else shutdown)(pipelines, timeout)


def plan(signal: Signal, environment: Mapping[str, str] | None = None) -> Plan:
    """How the environment variables want *signal* exported. Raises ConfigError for a value that means nothing."""
    environment = os.environ if environment is None else environment
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return Plan()
    prefix, delay = _BATCHES[signal]
    result = Plan(
        exporters=_exporters(signal, environment),
        protocol=_protocol(signal, environment),
        queue_size=_positive(f"{prefix}_MAX_QUEUE_SIZE", 2_048, environment),
        batch_size=_positive(f"{prefix}_MAX_EXPORT_BATCH_SIZE", 512, environment),
        delay_millis=_positive(f"{prefix}_SCHEDULE_DELAY", delay, environment),
    )
    if result.batch_size > result.queue_size:
        raise ConfigError(
            f"{prefix}_MAX_EXPORT_BATCH_SIZE is {result.batch_size}, more than a queue of {result.queue_size} can hold",
            hint=f"make it at most {prefix}_MAX_QUEUE_SIZE",
        )
    return result


def setup(events: bool = True, spans: bool = True, *, lost: Lost | None = None) -> Telemetry:
    """
    What the environment asks for, of the signals that are switched on. *lost* is told of every item that is lost.

    Nothing is connected to yet, and an unreachable receiver is no error. Raises ConfigError for variables that
    cannot be followed.
    """
    logs = plan("logs") if events else Plan()
    traces = plan("traces") if spans else Plan()
    if not logs.exporters and not traces.exporters:
        return Telemetry()
    from monitor import otlp

    return connect(
        log_exporters=[otlp.log_exporter(name, logs.protocol) for name in logs.exporters],
        span_exporters=[otlp.span_exporter(name, traces.protocol) for name in traces.exporters],
        logs=logs,
        traces=traces,
        lost=lost,
    )


def connect(
    log_exporters: Sequence[LogRecordExporter] = (),
    span_exporters: Sequence[SpanExporter] = (),
    *,
    logs: Plan = Plan(),
    traces: Plan = Plan(),
    lost: Lost | None = None,
) -> Telemetry:
    """What exports by exporters at hand: of a signal without one, nothing."""
    from monitor import otlp

    return Telemetry(
        otlp.event_pipeline(log_exporters, logs, lost) if log_exporters else None,
        otlp.span_pipeline(span_exporters, traces, lost) if span_exporters else None,
        lost,
    )


def _value(name: str, environment: Mapping[str, str]) -> str:
    return environment.get(name, "").strip()


def _exporters(signal: Signal, environment: Mapping[str, str]) -> tuple[str, ...]:
    variable = f"OTEL_{signal.upper()}_EXPORTER"
    names = _value(variable, environment).lower()
    if not names:
        endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
        return ("otlp",) if any(_value(name, environment) for name in endpoints) else ()
    chosen = [name for name in dict.fromkeys(part.strip() for part in names.split(",")) if name not in ("", "none")]
    for name in chosen:
        if name not in _EXPORTERS:
            raise ConfigError(f"{variable} names the exporter {name!r}", hint="use otlp, console or none")
    return tuple(chosen)


def _protocol(signal: Signal, environment: Mapping[str, str]) -> str:
    for variable in (f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        value = _value(variable, environment).lower()
        if value and value not in _PROTOCOLS:
            raise ConfigError(f"{variable} is {value!r}", hint="use grpc or http/protobuf")
        if value:
            return value
    return "grpc"


def _positive(name: str, default: int, environment: Mapping[str, str]) -> int:
    text = _value(name, environment)
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
        raise ConfigError(f"{name} is {text!r}", hint="write a whole number from 1 to 999999999")
    return int(text)
