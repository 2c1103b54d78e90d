"""The telemetry sink against a real OTLP receiver: rotel prints what it was sent, and this reads it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor.conversation import Scope, TraceRef, Turn
from monitor.outcome import Evaluation, Outcome
from monitor.sinks.telemetry import TelemetrySink
from monitor.telemetry import setup
from tests.conftest import RequireComponent

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "b7ad6b7169203331"
AT = datetime(2026, 10, 5, 12, 0, 0, 123456, tzinfo=UTC)
PATIENCE = 20
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Receiver:
    """A running receiver: where it listens, and the file that it prints to."""

    grpc: int
    http: int
    output: Path

    def blocks(self, head: str, marks: tuple[str, ...]) -> list[str]:
        """The printed blocks that begin with *head* and hold all *marks*, waited for until they stand still."""
        end = time.monotonic() + PATIENCE
        before: list[str] = []
        while True:
            text = _COLOUR.sub("", self.output.read_text(encoding="utf-8", errors="replace"))
            parts = re.split(r"^(?=Resource(?:Spans|Log) #)", text, flags=re.MULTILINE)
            found = [part for part in parts if part.startswith(head) and all(mark in part for mark in marks)]
            if (found and found == before) or time.monotonic() > end:
                return found
            before = found
            time.sleep(0.1)


@pytest.fixture(scope="module")
def receiver(require_component: RequireComponent, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """Rotel on two free ports."""
    command = require_component("rotel-agent", "run `make emulators`")
    folder = tmp_path_factory.mktemp("rotel")
    grpc, http = _free_ports()
    receiver = Receiver(grpc, http, folder / "output.txt")
    arguments = [
        *("--otlp-grpc-endpoint", f"127.0.0.1:{grpc}", "--otlp-http-endpoint", f"127.0.0.1:{http}"),
        *("--exporter", "blackhole", "--disable-batching", "--pid-file", str(folder / "pid")),
        *("--debug-log", "traces", "--debug-log", "logs", "--debug-log-verbosity", "detailed"),
    ]
    with receiver.output.open("w") as output:
        process = subprocess.Popen([command, "start", *arguments], stdout=output, stderr=subprocess.STDOUT, cwd=folder)
    try:
        _wait_for(process, (grpc, http), receiver.output)
        yield receiver
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        return one.getsockname()[1], two.getsockname()[1]


def _wait_for(process: subprocess.Popen[bytes], ports: tuple[int, int], output: Path) -> None:
    end = time.monotonic() + PATIENCE
    for port in ports:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    pytest.fail(f"rotel did not start: {output.read_text()}")
                time.sleep(0.05)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No OTEL_ variable but those that a test sets."""
    for name in os.environ:
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)
    return monkeypatch


def evaluation(conversation_id: str) -> Evaluation:
    common = {"rule_version": "0123456789ab", "inclusion_probability": 0.25, "evaluated_at": AT}
    return Evaluation(
        conversation_id=conversation_id,
        scope=Scope(team="network", environment="production", agent="flights"),
        turn=Turn(id="t1", response_id="resp-1", trace=TraceRef(trace_id=TRACE_ID, span_id=SPAN_ID)),
        revision="e" * 32,
        outcomes=(
            Outcome.failed("12,4\u00a0% is in no row", rule="grounded", **common),
            Outcome.not_applicable("no query was refused").model_copy(update={"rule": "quiet", **common}),
            Outcome.error("KeyError", "the check broke").model_copy(update={"rule": "refusal_explained", **common}),
        ),
    )


@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_real_receiver_gets_the_events_and_the_span(
    receiver: Receiver, environment: pytest.MonkeyPatch, protocol: str, compression: str
) -> None:
    """Over both protocols the log events arrive on the evaluated span, and the span with its link and events."""
    port = receiver.grpc if protocol == "grpc" else receiver.http
    environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    environment.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    environment.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
    conversation = f"{protocol}-{compression}"
    losses: list[tuple[str, int]] = []
    telemetry = setup(lost=lambda error_type, count: losses.append((error_type, count)))
    TelemetrySink(telemetry).emit(evaluation(conversation), "nightly")
    assert telemetry.shutdown(PATIENCE)
    assert [] == losses
    mark = f"conversation_monitor.conversation.id: Str({conversation})"

    (logs,) = receiver.blocks("ResourceLog", (mark, "grounded", "refusal_explained"))
    assert "service.name: Str(conversation-monitor)" in logs
    assert "ScopeLogs SchemaURL: https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev" in logs
    first, second = re.split(r"^LogRecord #\d+$", logs, flags=re.MULTILINE)[1:]
    for record in (first, second):
        assert "EventName: gen_ai.evaluation.result\n" in record
        assert f"Trace ID       : {TRACE_ID}\n" in record
        assert f"Span ID        : {SPAN_ID}\n" in record
        assert "Timestamp: 1791201600123456000\n" in record
        assert "gen_ai.response.id: Str(resp-1)" in record
        assert "conversation_monitor.inclusion_probability: Double(0.25)" in record
    assert "SeverityText: INFO" in first
    assert "gen_ai.evaluation.name: Str(grounded)" in first
    assert "gen_ai.evaluation.score.value: Double(0)" in first
    assert "gen_ai.evaluation.score.label: Str(fail)" in first
    assert "gen_ai.evaluation.explanation: Str(12,4\u00a0% is in no row)" in first
    assert "SeverityText: WARN" in second
    assert "gen_ai.evaluation.name: Str(refusal_explained)" in second
    assert "error.type: Str(KeyError)" in second
    assert "score.value" not in second

    (spans,) = receiver.blocks("ResourceSpans", (mark,))
    assert "Name           : evaluate nightly\n" in spans
    assert "Parent ID      : \n" in spans
    assert "conversation_monitor.rule_set: Str(nightly)" in spans
    before, linked = spans.split("\nLinks:\n")
    assert f"Trace ID: {TRACE_ID}\n" in linked
    assert f"-> ID: {SPAN_ID}\n" in linked
    assert f"Trace ID       : {TRACE_ID}" not in before
    events = re.split(r"^SpanEvent #\d+$", before, flags=re.MULTILINE)[1:]
    for event, record in zip(events, (first, second), strict=True):
        assert "-> Name: gen_ai.evaluation.result\n" in event
        assert len(_attributes(record)) > 10
        assert _attributes(record) == _attributes(event)


def _attributes(block: str) -> dict[str, str]:
    """The printed attributes of a log record or span event."""
    return dict(re.findall(r"^ +-> ([a-z_.]+\.[a-z_.]+): (\w+\(.*\))$", block, flags=re.MULTILINE))
