"""
The OpenTelemetry SDK's side of :mod:`monitor.telemetry`: exporters, bounded queues, what got lost.

Each exporter sits behind a :class:`Guard` and is fed by the SDK's batch processor. The guard lets in no more than the
queue holds (the newest is refused, where the SDK would drop the oldest uncounted), counts what an export lost, and
logs the first failure of an outage with what the exporter said about it, then the recovery.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import structlog
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.sdk._logs import LoggerProvider, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import (
    BatchLogRecordProcessor,
    ConsoleLogRecordExporter,
    LogRecordExporter,
    LogRecordExportResult,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    INVALID_SPAN_CONTEXT,
    Link,
    NonRecordingSpan,
    SpanContext,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from monitor import __version__, semconv
from monitor.errors import ConfigError
from monitor.telemetry import Attributes, Evaluated, Event, Lost, Plan, Signal

_log = structlog.get_logger(__name__)
_NOWHERE = set_span_in_context(NonRecordingSpan(INVALID_SPAN_CONTEXT), Context())
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_SPEAKERS = (
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.proto.http._log_exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
)
_CREDENTIALS = re.compile(r"[^\s/@]{1,200}@")


class _Overheard(logging.Filter):
    """Keeps what exporters log while a guard exports, so that an outage is logged once and not at every retry."""

    def __init__(self) -> None:
        super().__init__()
        self._here = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        said: list[str] | None = getattr(self._here, "said", None)
        if said is None:
            return True
        said.append(record.getMessage())
        return False

    @contextmanager
    def listen(self) -> Iterator[list[str]]:
        """What this thread's exporters say meanwhile."""
        said: list[str] = []
        self._here.said = said
        try:
            yield said
        finally:
            self._here.said = None


_overheard = _Overheard()
for _name in _SPEAKERS:
    logging.getLogger(_name).addFilter(_overheard)


class Guard(SpanExporter, LogRecordExporter):
    """One exporter, with a count of what its queue holds and of what was lost. See the module's docstring."""

    def __init__(self, inner: SpanExporter | LogRecordExporter, signal: Signal, room: int, lost: Lost | None) -> None:
        self._inner: Any = inner
        self._signal = signal
        self._room = room
        self._lost = lost
        self._lock = threading.Lock()
        self._queued = 0
        self._undecided = 0
        self._closed = False
        self._down = False
        self._missing = 0

    @property
    def queued(self) -> int:
        """Items that wait to be exported."""
        return self._queued

    def admit(self) -> bool:
        """Take a place in the queue; False when there is none, which is counted."""
        with self._lock:
            if not self._closed and self._queued < self._room:
                self._queued += 1
                self._undecided += 1
                return True
        self._count("shut_down" if self._closed else "queue_full", 1, "")
        return False

    def export(self, batch: Sequence[Any], /) -> Any:
        """Export *batch*. Never raises: what fails is counted."""
        with self._lock:
            self._queued -= len(batch)
        result = None
        with _overheard.listen() as said:
            try:
                result = self._inner.export(batch)
            except Exception as error:  # noqa: BLE001 - whatever an exporter raises costs this batch and nothing else
                said.append(f"{type(error).__name__}: {error}")
        with self._lock:
            decided = min(len(batch), self._undecided)
            self._undecided -= decided
        if result in (SpanExportResult.SUCCESS, LogRecordExportResult.SUCCESS):
            self._recovered()
        elif decided:
            self._count("export_failed", decided, said[0] if said else "")
        return result

    def close(self) -> None:
        """Let nothing more in."""
        self._closed = True

    def abandon(self) -> None:
        """Count as lost what was neither delivered nor counted yet."""
        with self._lock:
            left, self._undecided = self._undecided, 0
        if left:
            self._count("shut_down", left, "")

    def shutdown(self) -> None:
        """End the exporter, which ends its waiting for a retry. A second call does nothing."""
        with self._lock:
            inner, self._inner = self._inner, _Ended()
        inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return bool(self._inner.force_flush(timeout_millis))

    def _count(self, error_type: str, count: int, cause: str) -> None:
        with self._lock:
            first, self._down = not self._down, True
            self._missing += count
        if self._lost is not None:
            self._lost(error_type, count)
        if first:
            _log.warning(
                "sink_failed",
                sink="telemetry",
                signal=self._signal,
                error_type=error_type,
                cause=_CREDENTIALS.sub("…@", semconv.wire_text(cause, 500)),
                hint="is the receiver up, and is OTEL_EXPORTER_OTLP_PROTOCOL what it speaks at that port?",
            )

    def _recovered(self) -> None:
        if not self._down:
            return
        with self._lock:
            self._down, missing, self._missing = False, self._missing, 0
        _log.info("sink_recovered", sink="telemetry", signal=self._signal, lost=missing)


class _Ended:
    """Stands for an exporter that was shut down: exports fail, and its end is not asked for again."""

    def export(self, _batch: Sequence[Any]) -> None:
        """Fail."""

    def force_flush(self, _timeout_millis: int) -> bool:
        return True

    def shutdown(self) -> None:
        """Nothing is left to end."""


class _LogProcessor(BatchLogRecordProcessor):
    """The SDK's batches of log records behind a guard."""

    def __init__(self, guard: Guard, plan: Plan) -> None:
        super().__init__(guard, plan.delay_millis, plan.batch_size, None, plan.queue_size)
        self.guard = guard

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        if self.guard.admit():
            super().on_emit(log_record)


class _SpanProcessor(BatchSpanProcessor):
    """The SDK's batches of spans behind a guard."""

    def __init__(self, guard: Guard, plan: Plan) -> None:
        super().__init__(guard, plan.queue_size, plan.delay_millis, plan.batch_size)
        self.guard = guard

    def on_end(self, span: ReadableSpan) -> None:
        if self.guard.admit():
            super().on_end(span)


class EventPipeline:
    """Log events, from the API to the exporters."""

    def __init__(self, provider: LoggerProvider, processors: Sequence[_LogProcessor]) -> None:
        self.processors = processors
        self._logger = provider.get_logger(semconv.SCOPE, __version__, semconv.SCHEMA_URL)

    def emit(self, events: Sequence[Event], evaluated: Evaluated | None) -> None:
        """Emit *events* as log records in the context of the *evaluated* span."""
        context = _NOWHERE
        if evaluated is not None:
            context = set_span_in_context(NonRecordingSpan(_span_context(evaluated)), Context())
        now = time.time_ns()
        for event in events:
            self._logger.emit(
                LogRecord(
                    timestamp=event.time,
                    observed_timestamp=now,
                    context=context,
                    severity_number=SeverityNumber.WARN if event.failed else SeverityNumber.INFO,
                    severity_text="WARN" if event.failed else "INFO",
                    attributes=event.attributes,
                    event_name=event.name,
                )
            )


class SpanPipeline:
    """Spans, from the API to the exporters."""

    def __init__(self, provider: TracerProvider, processors: Sequence[_SpanProcessor]) -> None:
        self.processors = processors
        self._tracer = provider.get_tracer(semconv.SCOPE, __version__, semconv.SCHEMA_URL)

    def emit(self, name: str, attributes: Attributes, events: Sequence[Event], evaluated: Evaluated | None) -> None:
        """Emit a root span that lasts from the first to the last of *events*, or no time now."""
        links = (Link(_span_context(evaluated)),) if evaluated is not None and evaluated.span_id else ()
        times = [event.time for event in events] or [time.time_ns()]
        span = self._tracer.start_span(
            name, context=_NOWHERE, attributes=attributes, links=links, start_time=min(times)
        )
        for event in events:
            span.add_event(event.name, event.attributes, event.time)
        broken = sum(event.failed for event in events)
        if broken:
            span.set_status(StatusCode.ERROR, f"{broken} of {len(events)} rules broke")
        span.end(max(times))


Pipeline = EventPipeline | SpanPipeline


def event_pipeline(exporters: Sequence[LogRecordExporter], plan: Plan, lost: Lost | None) -> EventPipeline:
    """Log events to *exporters*, each with a queue of its own. Raises ConfigError."""
    with _understood("logs"):
        provider = LoggerProvider(_resource(), shutdown_on_exit=False)
    processors = [_LogProcessor(Guard(exporter, "logs", plan.queue_size, lost), plan) for exporter in exporters]
    for processor in processors:
        provider.add_log_record_processor(processor)
    return EventPipeline(provider, processors)


def span_pipeline(exporters: Sequence[SpanExporter], plan: Plan, lost: Lost | None) -> SpanPipeline:
    """Spans to *exporters*, each with a queue of its own, all of them sampled. Raises ConfigError."""
    with _understood("traces"):
        provider = TracerProvider(ALWAYS_ON, _resource(), shutdown_on_exit=False)
    processors = [_SpanProcessor(Guard(exporter, "traces", plan.queue_size, lost), plan) for exporter in exporters]
    for processor in processors:
        provider.add_span_processor(processor)
    return SpanPipeline(provider, processors)


def log_exporter(name: str, protocol: str) -> LogRecordExporter:
    """The exporter *name* of log records, as the environment configures it. Raises ConfigError."""
    if name == "console":
        return ConsoleLogRecordExporter(sys.stdout)
    with _understood("logs"):
        if protocol == "grpc":
            from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogExporter

            return GrpcLogExporter(compression=_grpc_compression("LOGS"))
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

        return OTLPLogExporter()


def span_exporter(name: str, protocol: str) -> SpanExporter:
    """The exporter *name* of spans, as the environment configures it. Raises ConfigError."""
    if name == "console":
        return ConsoleSpanExporter(out=sys.stdout)
    with _understood("traces"):
        if protocol == "grpc":
            from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpanExporter

            return GrpcSpanExporter(compression=_grpc_compression("TRACES"))
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter()


def flush(pipelines: Sequence[Pipeline], timeout: float) -> bool:
    """Export what is queued; whether all of it left the queues within *timeout* seconds."""
    processors = [processor for pipeline in pipelines for processor in pipeline.processors]
    done = _ended(_started([processor.force_flush for processor in processors]), timeout)
    return done and all(processor.guard.queued == 0 for processor in processors)


def shutdown(pipelines: Sequence[Pipeline], timeout: float) -> bool:
    """
    Export what is queued and end; whether that took less than *timeout* seconds.

    A tenth of the time is kept for breaking off exports that wait for a retry, so that what they held is counted.
    """
    processors = [processor for pipeline in pipelines for processor in pipeline.processors]
    for processor in processors:
        processor.guard.close()
    threads = _started([processor.shutdown for processor in processors])
    done = _ended(threads, timeout * 0.9)
    if not done:
        _ended([*_started([processor.guard.shutdown for processor in processors]), *threads], timeout * 0.1)
    for processor in processors:
        processor.guard.abandon()
    return done


def _started(calls: Sequence[Callable[[], object]]) -> list[threading.Thread]:
    """All *calls* at once, each in a thread that the end of the process does not wait for."""
    threads = [threading.Thread(target=call, name="telemetry-end", daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    return threads


def _ended(threads: Sequence[threading.Thread], timeout: float) -> bool:
    """Whether all *threads* have ended after at most *timeout* seconds."""
    end = time.monotonic() + timeout
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)


def _span_context(evaluated: Evaluated) -> SpanContext:
    return SpanContext(evaluated.trace_id, evaluated.span_id, is_remote=True, trace_flags=_SAMPLED)


def _resource() -> Resource:
    resource = Resource.create({semconv.SERVICE_VERSION: __version__})
    if str(resource.attributes[semconv.SERVICE_NAME]).startswith("unknown_service"):
        return resource.merge(Resource({semconv.SERVICE_NAME: semconv.DEFAULT_SERVICE_NAME}))
    return resource


def _grpc_compression(signal: str) -> Any:
    """The compression that the environment names; the SDK's own reading of it does not know ``none`` and ``deflate``."""
    from grpc import Compression

    known = {"": None, "none": Compression.NoCompression, "gzip": Compression.Gzip, "deflate": Compression.Deflate}
    for variable in (f"OTEL_EXPORTER_OTLP_{signal}_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION"):
        value = os.environ.get(variable, "").strip().lower()
        if value not in known:
            raise ConfigError(f"{variable} is {value!r}", hint="use gzip, deflate or none")
        if value:
            return known[value]
    return cast("Any", Compression.NoCompression)


@contextmanager
def _understood(signal: Signal) -> Iterator[None]:
    """Turn what the SDK raises at variables it cannot follow into a ConfigError."""
    try:
        yield
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(
            f"OpenTelemetry cannot export {signal}: {error}",
            hint=f"check the variables OTEL_… of this process, those for {signal} first",
        ) from error
