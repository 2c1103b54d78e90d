"""
The process around the worker: state, metrics, telemetry, health, signals.

``serve`` is what ``monitor run`` and ``monitor demo`` do: everything started in the right order, and drained in the
opposite one.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import structlog

from monitor.config import Config, FromRecord
from monitor.conversation import Scope
from monitor.errors import ConfigError, MonitorError, StoreError
from monitor.httpserver import Health, HttpServer
from monitor.metrics import Metrics
from monitor.outcome import Evaluation
from monitor.process import tune_collector
from monitor.rules import Rule
from monitor.sinks.telemetry import TelemetrySink
from monitor.store import Commit, Committed, Store
from monitor.telemetry import setup
from monitor.worker import Observer, Worker

log = structlog.get_logger(__name__)

_GAUGE_SECONDS = 30.0
_FLUSH_SECONDS = 5.0


class _Metered(Observer):
    """Counts what the worker does."""

    def __init__(self, metrics: Metrics, health: Health) -> None:
        self._metrics, self._health = metrics, health
        self._started = time.monotonic()
        self._at_end: dict[str, float] = {}

    def committed(self, commit: Commit, committed: Committed) -> None:
        for decision in ("parsed", "ignored", "quarantined"):
            if commit.records.get(decision):
                self._metrics.record(commit.source, decision, commit.records[decision])
        for row in committed.decided:
            if row.decision != "pending":
                self._metrics.turn(commit.source, row.decision)
        for item in commit.review:
            if item.result_id in committed.new_results:
                self._metrics.review_item_filed(item.rule, item.severity)

    def evaluated(self, source: str, evaluation: Evaluation) -> None:
        for outcome, seconds in zip(evaluation.outcomes, evaluation.seconds, strict=True):
            self._metrics.outcome(outcome, seconds)
        ended = evaluation.turn.ended_at
        if ended is not None:
            self._metrics.publish_to_outcome(source, (datetime.now(UTC) - ended).total_seconds())

    def sink_failed(self, sink: str, error: StoreError) -> None:
        self._metrics.sink_error(sink, type(error).__name__)
        self._health.failing(sink, error.message)

    def sink_recovered(self, sink: str) -> None:
        self._health.recovered(sink)

    def progressed(self, source: str, *, at_end: bool) -> None:
        self._health.beat()
        now = time.monotonic()
        if at_end:
            self._at_end[source] = now
        self._metrics.set_lag(source, now - self._at_end.get(source, self._started))


class _Told(Observer):
    """Tells OpenTelemetry what the worker found."""

    def __init__(self, sink: TelemetrySink, rule_set: str) -> None:
        self._sink, self._rule_set = sink, rule_set

    def evaluated(self, source: str, evaluation: Evaluation) -> None:  # noqa: ARG002 - the protocol's
        self._sink.emit(evaluation, self._rule_set)


async def serve(
    config: Config,
    rules: Sequence[Rule],
    *,
    stay: bool = False,
    started: Callable[[int | None], None] | None = None,
) -> int | None:
    """
    Run until every source is at its end, or a signal; with *stay*, go on serving metrics until a signal.

    *started* is told the port of metrics (None: none) once it is listening.
    Returns the port that metrics were served on. Raises MonitorError when it cannot start or go on.
    """
    if not config.sources:
        raise ConfigError(
            "no source is configured", hint="name one under sources: in monitor.yaml, or try monitor demo"
        )
    store = Store.open(config.state.url, exclusive=True)
    metrics, health = Metrics(caps={str(label): cap for label, cap in config.telemetry.label_caps.items()}), Health()
    telemetry = setup(
        config.telemetry.events,
        config.telemetry.spans,
        lost=lambda error_type, count: metrics.sink_error("telemetry", error_type, count),
    )
    scopes = {_constant_scope(config, index) for index in range(len(config.sources))}
    metrics.start([rule.name for rule in rules], [source.name for source in config.sources], scopes)
    sink = TelemetrySink(telemetry)
    server = _server(config, metrics, health)
    stop = asyncio.Event()
    try:
        worker = Worker(config, rules, store, [_Metered(metrics, health), _Told(sink, _rule_set(config))])
        with _signals(stop, health):
            gauges = asyncio.create_task(_gauges(store, metrics, health, stop))
            tune_collector()
            health.started()
            log.info(
                "monitor_started", sources=len(config.sources), rules=len(rules), port=server.port if server else None
            )
            if started is not None:
                started(server.port if server else None)
            try:
                await _run(worker, stop)
                await asyncio.to_thread(_read_gauges, store, metrics)
                if stay and not stop.is_set():
                    await stop.wait()
            finally:
                health.draining()
                stop.set()
                await asyncio.gather(gauges, return_exceptions=True)
        return server.port if server else None
    finally:
        await asyncio.to_thread(telemetry.shutdown, _FLUSH_SECONDS)
        if server is not None:
            await asyncio.to_thread(server.stop)
        store.close()
        log.info("monitor_stopped")


async def _run(worker: Worker, stop: asyncio.Event) -> None:
    try:
        await worker.run(stop)
    except* MonitorError as group:
        raise _first(group) from None


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _server(config: Config, metrics: Metrics, health: Health) -> HttpServer | None:
    if config.telemetry.metrics_port is None:
        return None
    server = HttpServer(metrics, health, config.telemetry.metrics_host, config.telemetry.metrics_port)
    server.start()
    return server


@contextlib.contextmanager
def _signals(stop: asyncio.Event, health: Health) -> Iterator[None]:
    """SIGTERM and SIGINT drain; a second one ends the process as usual."""
    loop = asyncio.get_running_loop()

    def drain() -> None:
        health.draining()
        stop.set()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, drain)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _gauges(store: Store, metrics: Metrics, health: Health, stop: asyncio.Event) -> None:
    """Now and then, read what the state adds up to. Also the loop's heartbeat."""
    while not stop.is_set():
        health.beat()
        with contextlib.suppress(StoreError):
            await asyncio.to_thread(_read_gauges, store, metrics)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _GAUGE_SECONDS)


def _read_gauges(store: Store, metrics: Metrics) -> None:
    status = store.status()
    lost_records = lost_turns = 0
    for source, ledger in status.ledger.sources.items():
        metrics.set_pending(source, ledger.turns["pending"], status.waiting_since.get(source))
        lost_records += abs(ledger.lost_records)
        lost_turns += abs(ledger.lost_turns)
    metrics.set_ledger("records", lost_records)
    metrics.set_ledger("turns", lost_turns)
    metrics.set_review_open(
        {(rule, severity): n for rule, found in status.review_open.items() for severity, n in found.items()}
    )


def _constant_scope(config: Config, index: int) -> Scope:
    """What is known of a source's scope before its first record."""
    given = config.sources[index].scope
    values = {name: getattr(given, name) for name in Scope.model_fields}
    return Scope(**{name: value for name, value in values.items() if value and not isinstance(value, FromRecord)})


def _rule_set(config: Config) -> str:
    return config.rules.name if config.rules else "default"
