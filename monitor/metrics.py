"""
Every metric, in one table, and the object that counts.

Labels hold no ids: conversations are found through exemplars, which carry the trace id. Every rule × label starts at
0, a label set seen for the first time is shown at 0 before it counts (:mod:`monitor.series`), each label has a cap,
and the series of agents that are gone expire. Metrics of the process itself are left to the platform.
"""

from __future__ import annotations

import platform
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.openmetrics import exposition as openmetrics

from monitor import __version__
from monitor.conversation import Scope
from monitor.outcome import CAUSES, LABELS, Label, Outcome
from monitor.semconv import METRIC_PREFIX
from monitor.series import (
    OTHER,
    Exemplar,
    Gate,
    Labels,
    OutcomeSeries,
    RuleSeries,
    ScopeSeries,
    Series,
    SourceSeries,
)

RecordDecision = Literal["parsed", "ignored", "quarantined"]
TurnDecision = Literal["evaluated", "sampled_out", "filtered", "abandoned"]
Ledger = Literal["records", "turns"]

CAPS: Mapping[str, int] = {
    "rule": 200,
    "team": 50,
    "environment": 20,
    "agent": 50,
    "scope": 200,
    "source": 50,
    "cause": len(CAUSES),
    "severity": 10,
    "sink": 20,
    "error_type": 50,
}
"""Different values of each label before ``other``. ``scope`` counts combinations of team, environment and agent."""

_OUTCOME = ("rule", "label", "team", "environment", "agent")
_TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_DURATIONS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)
_DELAYS = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0)
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_EXPIRY_INTERVAL = 60.0


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric as it is published, its name without the prefix ``conversation_monitor_``."""

    name: str
    type: Literal["counter", "gauge", "histogram", "info"]
    help: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    buckets: tuple[float, ...] = ()


TABLE: tuple[Metric, ...] = (
    Metric("records_total", "counter", "Records read, by what became of them.", ("source", "decision")),
    Metric("turns_total", "counter", "Turns seen, by what became of them.", ("source", "decision")),
    Metric("turns_pending", "gauge", "Turns that are not decided yet.", ("source",)),
    Metric("oldest_pending_seconds", "gauge", "Age of the oldest turn not decided yet.", ("source",), "seconds"),
    Metric("source_lag_seconds", "gauge", "How far reading is behind what the source holds.", ("source",), "seconds"),
    Metric("outcomes_total", "counter", "Outcomes, one of each rule about each turn.", _OUTCOME),
    Metric("outcome_weight_total", "counter", "Sum of 1 / inclusion probability of outcomes.", _OUTCOME),
    Metric("outcome_weight_squared_total", "counter", "Sum of the squares of those weights.", _OUTCOME),
    Metric("not_evaluable_total", "counter", "Outcomes that could not be decided, by cause.", ("rule", "cause")),
    Metric("outcome_score", "histogram", "Scores of decided outcomes.", ("rule",), buckets=_TENTHS),
    Metric("evaluation_duration_seconds", "histogram", "Time a rule took on a turn.", ("rule",), "seconds", _DURATIONS),
    Metric(
        "publish_to_outcome_seconds",
        "histogram",
        "Time from a turn's publication to its durable outcomes.",
        ("source",),
        "seconds",
        _DELAYS,
    ),
    Metric("review_items_filed_total", "counter", "Items filed for review.", ("rule", "severity")),
    Metric("review_items_open", "gauge", "Items that wait for a review.", ("rule", "severity")),
    Metric("sink_errors_total", "counter", "Items that a sink could not deliver.", ("sink", "error_type")),
    Metric("ledger_imbalance", "gauge", "Sum seen minus sum accounted for; anything but 0 is a defect.", ("ledger",)),
    Metric("config_last_reload_successful", "gauge", "Whether the configuration was loaded when last tried."),
    Metric("label_overflow_total", "counter", "Uses of `other` because a label had its cap of values.", ("label",)),
    Metric("build_info", "info", "Version of the monitor and of Python."),
)


@dataclass(frozen=True, slots=True)
class Exposition:
    """One answer to a scrape. Call *delivered* once the client has it."""

    content_type: str
    body: bytes
    delivered: Callable[[], None]


class Metrics:
    """
    Counts, from any thread; :meth:`render` shows it.

    *caps* override :data:`CAPS`; *hold_seconds* is how long a new series waits for a scrape, *expire_seconds* how long
    an agent's series stay without an outcome; *clock* gives seconds.
    """

    def __init__(
        self,
        *,
        caps: Mapping[str, int] | None = None,
        hold_seconds: float = 300.0,
        expire_seconds: float = 86_400.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call] # has no types
        self.registry = CollectorRegistry()
        self._clock = clock
        self._expire_seconds = expire_seconds
        self._lock = threading.RLock()
        self._gate = Gate(hold_seconds, clock)
        self._families: dict[str, Any] = {metric.name: _family(metric, self.registry) for metric in TABLE}
        self._outcomes: list[Counter] = [self._families[metric.name] for metric in TABLE if metric.labels == _OUTCOME]
        self._series: dict[tuple[str, ...], Series] = {}
        caps = {**CAPS, **(caps or {})}
        self._labels = {name: Labels(name, cap, self._overflowed) for name, cap in caps.items()}
        self._scope_cap = caps["scope"]
        self._scopes: dict[tuple[str, str, str], ScopeSeries] = {}
        self._rules: dict[str, RuleSeries] = {}
        self._sources: dict[str, SourceSeries] = {}
        self._known: dict[tuple[str, ...], OutcomeSeries] = {}
        self._open: set[tuple[str, str]] = set()
        self._expired = clock()
        for name in self._labels:
            self._count("label_overflow_total", name)
        for ledger in get_args(Ledger):
            self.set_ledger(ledger, 0)
        self.set_reload(successful=True)
        self._families["build_info"].info({"version": __version__, "python": platform.python_version()})

    def start(
        self, rules: Iterable[str] = (), sources: Iterable[str] = (), scopes: Iterable[Scope] = (Scope(),)
    ) -> None:
        """Show every rule × label in each of *scopes*, and every *source* × decision, at 0. These never expire."""
        with self._lock:
            for source in sources:
                self._source(source)
            rules = list(rules)
            for scope in scopes:
                entry = self._scope(scope)
                entry.pinned = True
                for rule in rules:
                    self._in_scope(entry, self._rule(rule))

    def record(self, source: str, decision: RecordDecision, n: int = 1) -> None:
        """*n* records were read and decided."""
        with self._lock:
            self._source(source).records[decision].inc(n)

    def turn(self, source: str, decision: TurnDecision, n: int = 1) -> None:
        """*n* turns were decided."""
        with self._lock:
            self._source(source).turns[decision].inc(n)

    def outcome(self, outcome: Outcome, seconds: float | None = None) -> None:
        """A new outcome, and how long its rule took on the turn."""
        scope, weight = outcome.scope, outcome.weight
        key = (outcome.rule, outcome.label, scope.team, scope.environment, scope.agent)
        with self._lock:
            series = self._known.get(key) or self._outcome_series(key, outcome)
            series.scope.seen = self._clock()
            exemplar = _exemplar(outcome.trace_id)
            series.count.inc(1.0, exemplar)
            series.weight.inc(weight)
            series.squared.inc(weight * weight)
            if outcome.label == "not_evaluable":
                self._cause(series.rule, outcome.cause).inc()
            elif outcome.score is not None and outcome.label != "error" and 0.0 <= outcome.score <= 1.0:
                series.rule.score.observe(outcome.score, exemplar)
            if seconds is not None:
                series.rule.duration.observe(seconds)

    def publish_to_outcome(self, source: str, seconds: float) -> None:
        """A turn's outcomes became durable, *seconds* after the turn was published."""
        with self._lock:
            self._source(source).publish.observe(max(0.0, seconds))

    def set_pending(self, source: str, turns: int, oldest: datetime | None = None) -> None:
        """Turns that wait now, and since when the oldest does: its age grows by itself until the next call."""
        with self._lock:
            entry = self._source(source)
            entry.pending.set(turns)
            entry.oldest = None if oldest is None else oldest.timestamp()

    def set_lag(self, source: str, seconds: float) -> None:
        """How far reading is behind."""
        with self._lock:
            self._source(source).lag.set(max(0.0, seconds))

    def review_item_filed(self, rule: str, severity: str, n: int = 1) -> None:
        """*n* items were filed."""
        with self._lock:
            self._count("review_items_filed_total", self._held("rule", rule), self._held("severity", severity)).inc(n)

    def set_review_open(self, counts: Mapping[tuple[str, str], int]) -> None:
        """All open items, by rule and severity."""
        with self._lock:
            totals: dict[tuple[str, str], int] = {}
            for (rule, severity), count in counts.items():
                values = (self._held("rule", rule), self._held("severity", severity))
                totals[values] = totals.get(values, 0) + count
            family = self._families["review_items_open"]
            for values in self._open - totals.keys():
                family.labels(*values).set(0)
            for values, count in totals.items():
                family.labels(*values).set(count)
            self._open |= totals.keys()

    def sink_error(self, sink: str, error_type: str, n: int = 1) -> None:
        """*n* items could not be delivered."""
        with self._lock:
            self._count("sink_errors_total", self._held("sink", sink), self._held("error_type", error_type)).inc(n)

    def set_ledger(self, ledger: Ledger, imbalance: int) -> None:
        """By how much a ledger does not add up."""
        self._families["ledger_imbalance"].labels(ledger).set(imbalance)

    def set_reload(self, successful: bool) -> None:
        """Whether the configuration that was last tried is the one in use."""
        self._families["config_last_reload_successful"].set(int(successful))

    def render(self, accept: str = "") -> Exposition:
        """Everything, as OpenMetrics when the ``Accept`` header asks for it, else as Prometheus text."""
        with self._lock:
            self._expire()
            waiting = self._gate.scrape()
        if "application/openmetrics-text" in accept.lower():
            content_type, body = openmetrics.CONTENT_TYPE_LATEST, _openmetrics(self.registry)
        else:
            content_type, body = (
                prometheus_client.CONTENT_TYPE_PLAIN_0_0_4,
                prometheus_client.generate_latest(self.registry),
            )
        return Exposition(content_type, body, lambda: self._shown(waiting))

    def _shown(self, waiting: list[Series]) -> None:
        with self._lock:
            self._gate.shown(waiting)

    def _overflowed(self, label: str) -> None:
        self._count("label_overflow_total", label).inc()

    def _count(self, name: str, *values: str) -> Series:
        """The series of a counter, made when seen for the first time."""
        series = self._series.get((name, *values))
        if series is None:
            series = self._series[(name, *values)] = self._gate.admit(self._families[name].labels(*values))
        return series

    def _held(self, label: str, text: str) -> str:
        """What *label* says for *text*, from now on for good."""
        labels = self._labels[label]
        value = labels.value(text)
        labels.hold(value)
        return value

    def _source(self, name: str) -> SourceSeries:
        entry = self._sources.get(name)
        if entry is not None:
            return entry
        value = self._held("source", name)
        entry = self._sources.get(value)
        if entry is None:
            entry = self._sources[value] = SourceSeries(
                records={one: self._count("records_total", value, one) for one in get_args(RecordDecision)},
                turns={one: self._count("turns_total", value, one) for one in get_args(TurnDecision)},
                pending=self._families["turns_pending"].labels(value),
                lag=self._families["source_lag_seconds"].labels(value),
                publish=self._families["publish_to_outcome_seconds"].labels(value),
            )
            self._families["oldest_pending_seconds"].labels(value).set_function(entry.age)
        return entry

    def _rule(self, name: str) -> RuleSeries:
        entry = self._rules.get(name)
        if entry is not None:
            return entry
        value = self._held("rule", name)
        if value not in self._rules:
            self._rules[value] = RuleSeries(
                value,
                self._families["outcome_score"].labels(value),
                self._families["evaluation_duration_seconds"].labels(value),
                {cause: self._count("not_evaluable_total", value, self._held("cause", cause)) for cause in CAUSES},
            )
        return self._rules[value]

    def _cause(self, rule: RuleSeries, cause: str | None) -> Series:
        if cause in rule.causes:
            return rule.causes[cause]
        return self._count("not_evaluable_total", rule.name, self._held("cause", cause) if cause else OTHER)

    def _scope(self, scope: Scope) -> ScopeSeries:
        texts = {"team": scope.team, "environment": scope.environment, "agent": scope.agent}
        team, environment, agent = (self._labels[name].value(text) for name, text in texts.items())
        values = (team, environment, agent)
        if values not in self._scopes and len(self._scopes) >= self._scope_cap:
            self._overflowed("scope")
            values = (OTHER, OTHER, OTHER)
        if values not in self._scopes:
            self._scopes[values] = ScopeSeries(values, pinned=False, seen=self._clock())
            for name, value in zip(texts, values, strict=True):
                self._labels[name].hold(value)
        return self._scopes[values]

    def _in_scope(self, scope: ScopeSeries, rule: RuleSeries) -> dict[Label, OutcomeSeries]:
        """The series of *rule* there, for all labels at once."""
        if rule.name not in scope.rules:
            scope.rules[rule.name] = {
                label: OutcomeSeries(
                    scope,
                    rule,
                    *(self._gate.admit(family.labels(rule.name, label, *scope.labels)) for family in self._outcomes),
                )
                for label in LABELS
            }
        return scope.rules[rule.name]

    def _outcome_series(self, key: tuple[str, ...], outcome: Outcome) -> OutcomeSeries:
        """The series for *key*, remembered under it unless a value was cut or became ``other``."""
        scope, rule = self._scope(outcome.scope), self._rule(outcome.rule)
        series = self._in_scope(scope, rule)[outcome.label]
        if key == (rule.name, outcome.label, *scope.labels):
            self._known[key] = series
        return series

    def _expire(self) -> None:
        """Forget the scopes without an outcome for too long, and make room for others; not at every scrape."""
        now = self._clock()
        if now - self._expired < min(_EXPIRY_INTERVAL, self._expire_seconds):
            return
        self._expired = now
        gone = [
            scope for scope in self._scopes.values() if not scope.pinned and now - scope.seen > self._expire_seconds
        ]
        for scope in gone:
            del self._scopes[scope.labels]
            for name, value in zip(("team", "environment", "agent"), scope.labels, strict=True):
                self._labels[name].release(value)
            for rule, by_label in scope.rules.items():
                for label, series in by_label.items():
                    for family in self._outcomes:
                        family.remove(rule, label, *scope.labels)
                    for one in (series.count, series.weight, series.squared):
                        one.release()
        if gone:
            self._known.clear()


def _family(metric: Metric, registry: CollectorRegistry) -> Counter | Gauge | Histogram | Info:
    name = METRIC_PREFIX + metric.name
    if metric.type == "histogram":
        return Histogram(name, metric.help, metric.labels, unit=metric.unit, registry=registry, buckets=metric.buckets)
    if metric.type == "info":
        return Info(name.removesuffix("_info"), metric.help, metric.labels, registry=registry)
    cls = Counter if metric.type == "counter" else Gauge
    return cls(name, metric.help, metric.labels, unit=metric.unit, registry=registry)


def _exemplar(trace_id: str | None) -> Exemplar | None:
    if trace_id is None or not _TRACE_ID.fullmatch(trace_id):
        return None
    return {"trace_id": trace_id}


def _openmetrics(registry: CollectorRegistry) -> bytes:
    body: bytes = openmetrics.generate_latest(registry)  # type: ignore[no-untyped-call] # has no types
    return body
