from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from structlog.testing import capture_logs

from monitor import otlp
from monitor.errors import ConfigError
from monitor.telemetry import Event, Plan, Telemetry, connect, plan, setup

EVENT = Event("gen_ai.evaluation.result", {"gen_ai.evaluation.name": "grounded"}, time.time_ns())


class Losses(Counter[str]):
    """Counts what a Telemetry says it lost."""

    def __call__(self, error_type: str, count: int) -> None:
        self[error_type] += count


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No OTEL_ variable but those that a test sets."""
    for name in os.environ:
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)
    return monkeypatch


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port at which nothing listens, kept so that nobody else takes it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture
def black_hole() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def emit(telemetry: Telemetry, count: int = 1) -> None:
    for _ in range(count):
        telemetry.events([EVENT], None)
        telemetry.span("evaluate default", {}, [EVENT], None)


@pytest.mark.parametrize(
    ("variables", "exporters", "protocol"),
    [
        ({}, (), "grpc"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"}, ("otlp",), "grpc"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, (), "grpc"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4317"}, ("otlp",), "grpc"),
        ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://collector:4317"}, (), "grpc"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, (), "http/protobuf"),
        (
            {
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            },
            ("otlp",),
            "http/protobuf",
        ),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, ("otlp",), "grpc"),
        ({"OTEL_TRACES_EXPORTER": "console, otlp"}, ("console", "otlp"), "grpc"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"}, (), "grpc"),
        ({"OTEL_LOGS_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"}, ("otlp",), "grpc"),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}, (), "grpc"),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "false"}, ("otlp",), "grpc"),
    ],
)
def test_the_standard_variables_choose_the_exporters(
    variables: dict[str, str], exporters: tuple[str, ...], protocol: str
) -> None:
    """A signal goes where OTEL_ variables say, by the protocol they say, and nowhere when they say nothing."""
    found = plan("traces", variables)
    assert (exporters, protocol) == (found.exporters, found.protocol)


def test_batches_follow_the_variables_of_their_signal() -> None:
    """OTEL_BSP_ variables shape spans, OTEL_BLRP_ ones log events; without them the SDK's defaults hold."""
    variables = {
        "OTEL_BSP_MAX_QUEUE_SIZE": "100",
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "10",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
    }
    assert Plan((), "grpc", 100, 10, 200) == plan("traces", variables)
    assert Plan((), "grpc", 2_048, 512, 1_000) == plan("logs", variables)
    assert Plan((), "grpc", 2_048, 512, 5_000) == plan("traces", {})


@pytest.mark.parametrize(
    ("variables", "message", "hint"),
    [
        (
            {"OTEL_LOGS_EXPORTER": "zipkin"},
            "OTEL_LOGS_EXPORTER names the exporter 'zipkin'",
            "use otlp, console or none",
        ),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is 'http/json'",
            "use grpc or http/protobuf",
        ),
        (
            {"OTEL_BLRP_MAX_QUEUE_SIZE": "many"},
            "OTEL_BLRP_MAX_QUEUE_SIZE is 'many'",
            "write a whole number from 1 to 999999999",
        ),
        (
            {"OTEL_BLRP_SCHEDULE_DELAY": "0"},
            "OTEL_BLRP_SCHEDULE_DELAY is '0'",
            "write a whole number from 1 to 999999999",
        ),
        (
            {"OTEL_BLRP_MAX_QUEUE_SIZE": "100"},
            "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE is 512, more than a queue of 100 can hold",
            "make it at most OTEL_BLRP_MAX_QUEUE_SIZE",
        ),
    ],
)
def test_a_variable_that_cannot_be_followed_stops_the_start(variables: dict[str, str], message: str, hint: str) -> None:
    """The message names the variable and its value, the hint what to write instead."""
    with pytest.raises(ConfigError) as caught:
        plan("logs", variables)
    assert (message, hint) == (caught.value.message, caught.value.hint)


def test_what_the_sdk_cannot_follow_stops_the_start(environment: pytest.MonkeyPatch) -> None:
    """A variable that only the SDK reads is reported with the same kind of error."""
    environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
    environment.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")
    with pytest.raises(ConfigError) as caught:
        setup()
    assert "OpenTelemetry cannot export logs: could not convert string to float: 'soon'" == caught.value.message


@pytest.mark.parametrize(
    ("protocol", "module"),
    [("grpc", "opentelemetry.exporter.otlp.proto.grpc"), ("http/protobuf", "opentelemetry.exporter.otlp.proto.http")],
)
@pytest.mark.parametrize("compression", ["", "none", "gzip", "deflate"])
def test_both_protocols_take_every_compression(
    environment: pytest.MonkeyPatch, protocol: str, module: str, compression: str
) -> None:
    """Each protocol has its exporters, and no standard value of the compression stops it."""
    environment.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
    for exporter in (otlp.log_exporter("otlp", protocol), otlp.span_exporter("otlp", protocol)):
        assert type(exporter).__module__.startswith(module)
        exporter.shutdown()


def test_a_compression_that_does_not_exist_is_named(environment: pytest.MonkeyPatch) -> None:
    """The compression of gRPC is checked as the other variables are."""
    environment.setenv("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd")
    with pytest.raises(ConfigError, match="OTEL_EXPORTER_OTLP_TRACES_COMPRESSION is 'zstd'"):
        otlp.span_exporter("otlp", "grpc")


def test_nothing_is_exported_and_nothing_imported_without_variables() -> None:
    """Without OTEL_ variables telemetry is off, and the SDK is not even imported."""
    code = (
        "import sys, monitor.sinks.telemetry, monitor.telemetry; t = monitor.telemetry.setup(); "
        "print(t.emits_events, t.emits_spans, t.shutdown(), [m for m in sys.modules if m.startswith('opentelemetry')])"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=clean)
    assert "False False True []\n" == done.stdout


@pytest.mark.parametrize(
    ("events", "spans", "expected"),
    [(True, True, (True, True)), (False, True, (False, True)), (True, False, (True, False))],
)
def test_a_signal_that_is_switched_off_is_not_set_up(
    environment: pytest.MonkeyPatch, closed_port: int, events: bool, spans: bool, expected: tuple[bool, bool]
) -> None:
    """The switches decide before the variables do."""
    environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{closed_port}")
    telemetry = setup(events, spans)
    assert expected == (telemetry.emits_events, telemetry.emits_spans)
    telemetry.shutdown()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, {"service.name": "conversation-monitor"}),
        ({"OTEL_SERVICE_NAME": "monitor-eu"}, {"service.name": "monitor-eu"}),
        (
            {"OTEL_RESOURCE_ATTRIBUTES": "service.name=from-attributes,deployment.environment.name=acceptance"},
            {"service.name": "from-attributes", "deployment.environment.name": "acceptance"},
        ),
    ],
)
def test_the_resource_is_what_the_variables_say(
    environment: pytest.MonkeyPatch, variables: dict[str, str], expected: dict[str, str]
) -> None:
    """The service is conversation-monitor unless the environment names it."""
    for name, value in variables.items():
        environment.setenv(name, value)
    spans, logs = InMemorySpanExporter(), InMemoryLogRecordExporter()  # type: ignore[no-untyped-call] # has no types
    telemetry = connect([logs], [spans])
    emit(telemetry)
    assert telemetry.flush(10)
    (span,), (record,) = spans.get_finished_spans(), logs.get_finished_logs()
    assert expected == {name: span.resource.attributes[name] for name in expected}
    assert expected == {name: record.resource.attributes[name] for name in expected}
    telemetry.shutdown()


def test_the_samplers_of_others_do_not_thin_out_evaluations(environment: pytest.MonkeyPatch) -> None:
    """What is evaluated was sampled already: every span is exported."""
    environment.setenv("OTEL_TRACES_SAMPLER", "always_off")
    spans = InMemorySpanExporter()
    telemetry = connect([], [spans])
    emit(telemetry, 20)
    assert telemetry.flush(10)
    assert 20 == len(spans.get_finished_spans())
    telemetry.shutdown()


class Exporter(SpanExporter):
    """Does with a batch what the test wants."""

    def __init__(self) -> None:
        self.failing = False
        self.raising = False
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.exported = 0
        self.ends = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.entered.set()
        self.gate.wait(30)
        if self.raising:
            raise ConnectionResetError("reset by https://me:secret@collector")
        if self.failing:
            return SpanExportResult.FAILURE
        self.exported += len(spans)
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self.ends += 1
        self.gate.set()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


@pytest.fixture
def losses() -> Losses:
    return Losses()


def spans_to(exporter: Exporter, losses: Losses, **fields: Any) -> Telemetry:
    return connect([], [exporter], traces=Plan(**fields), lost=losses)


def test_an_outage_is_counted_by_item_and_logged_once(losses: Losses) -> None:
    """Every lost item is counted, the outage is logged at its start and at its end, and nothing else is."""
    exporter = Exporter()
    telemetry = spans_to(exporter, losses)
    with capture_logs() as logs:
        exporter.failing = True
        for _ in range(3):
            emit(telemetry, 2)
            assert telemetry.flush(10)
        exporter.failing = False
        emit(telemetry)
        assert telemetry.flush(10)
    assert {"export_failed": 6} == losses
    assert 1 == exporter.exported
    assert [
        ("sink_failed", "warning", "telemetry", "traces", "export_failed"),
        ("sink_recovered", "info", "telemetry", "traces", None),
    ] == [(log["event"], log["log_level"], log["sink"], log["signal"], log.get("error_type")) for log in logs]
    assert 6 == logs[1]["lost"]
    telemetry.shutdown()


def test_an_exporter_that_raises_costs_its_batch_only(losses: Losses) -> None:
    """An exception is a lost batch, logged with its cause and without credentials."""
    exporter = Exporter()
    exporter.raising = True
    telemetry = spans_to(exporter, losses)
    with capture_logs() as logs:
        emit(telemetry, 2)
        assert telemetry.flush(10)
    assert {"export_failed": 2} == losses
    assert ["ConnectionResetError: reset by https://…@collector"] == [log["cause"] for log in logs]
    telemetry.shutdown()


def test_a_full_queue_refuses_and_counts_and_does_not_block(losses: Losses) -> None:
    """While the exporter hangs, emitting stays quick; what has no place is counted, what has one is delivered later."""
    exporter = Exporter()
    exporter.gate.clear()
    telemetry = spans_to(exporter, losses, queue_size=8, batch_size=4, delay_millis=10)
    emit(telemetry, 4)
    assert exporter.entered.wait(10)
    started = time.monotonic()
    emit(telemetry, 1_000)
    assert time.monotonic() - started < 5
    assert {"queue_full": 992} == losses
    exporter.gate.set()
    assert telemetry.flush(10)
    assert 12 == exporter.exported
    telemetry.shutdown()


def test_shutdown_delivers_what_is_queued(losses: Losses) -> None:
    """A drain loses nothing when the receiver is there, and ends the exporter once."""
    exporter = Exporter()
    telemetry = spans_to(exporter, losses)
    emit(telemetry, 600)
    assert telemetry.shutdown(10)
    assert (600, 1) == (exporter.exported, exporter.ends)
    assert {} == losses


def test_what_is_emitted_after_the_end_is_counted(losses: Losses) -> None:
    """A late item is a lost one, not an error."""
    telemetry = spans_to(Exporter(), losses)
    assert telemetry.shutdown(10)
    emit(telemetry, 3)
    assert {"shut_down": 3} == losses


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_an_unreachable_receiver_slows_and_stops_nothing(
    environment: pytest.MonkeyPatch, closed_port: int, losses: Losses, caplog: pytest.LogCaptureFixture, protocol: str
) -> None:
    """Emitting to a closed port is quick, ends in time, counts every item, and logs once a signal with the cause."""
    environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{closed_port}")
    environment.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    environment.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    with capture_logs() as logs:
        telemetry = setup(lost=losses)
        started = time.monotonic()
        emit(telemetry, 50)
        assert time.monotonic() - started < 1
        telemetry.flush(10)
        telemetry.shutdown(5)
    assert 100 == losses.total()
    assert [("logs", "sink_failed"), ("traces", "sink_failed")] == sorted((log["signal"], log["event"]) for log in logs)
    assert all("ransient error" in log["cause"] or "Failed to export" in log["cause"] for log in logs)
    assert [] == [record.message for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_receiver_that_never_answers_does_not_hold_up_the_end(
    environment: pytest.MonkeyPatch, black_hole: int, losses: Losses, protocol: str
) -> None:
    """Shutting down takes the time it was given and no more, and what was not delivered is counted."""
    environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{black_hole}")
    environment.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    telemetry = setup(lost=losses)
    emit(telemetry, 5)
    started = time.monotonic()
    assert not telemetry.shutdown(1)
    assert time.monotonic() - started < 3
    assert 10 == losses.total()


def test_the_exporters_of_others_are_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Only what an exporter says while we export is kept from the log."""
    logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter").error("someone else's")
    assert ["someone else's"] == [record.message for record in caplog.records]


def test_two_exporters_of_a_signal_do_not_share_a_fate(losses: Losses) -> None:
    """An exporter that fails takes nothing from the one beside it."""
    good, bad = Exporter(), Exporter()
    bad.failing = True
    telemetry = connect([], [bad, good], lost=losses)
    emit(telemetry, 3)
    assert telemetry.flush(10)
    assert (3, {"export_failed": 3}) == (good.exported, losses)
    telemetry.shutdown()


def test_log_events_are_guarded_as_spans_are(losses: Losses) -> None:
    """A log exporter that fails is counted in the same way."""

    class Broken(InMemoryLogRecordExporter):
        def export(self, batch: Any) -> LogRecordExportResult:
            return LogRecordExportResult.FAILURE

    telemetry = connect([Broken()], [], lost=losses)  # type: ignore[no-untyped-call] # has no types
    emit(telemetry, 3)
    assert telemetry.flush(10)
    assert {"export_failed": 3} == losses
    telemetry.shutdown()
