"""
What keeps metrics true and small: new series are seen at 0 before they count, and labels take so many values only.

``increase()`` in Prometheus sees a counter only from its second sample on. A series that appears with 5 on it never
had those 5 as far as any rate or alert can tell. So what a new series counts is held back until a scrape has shown
it at 0. Nothing here locks: :class:`monitor.metrics.Metrics` does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from prometheus_client import Counter, Gauge, Histogram

from monitor.outcome import Label
from monitor.semconv import wire_text

OTHER = "other"
"""What a label says for all values beyond its cap."""
VALUE_LIMIT = 100
"""Characters of a label's value."""

Exemplar = dict[str, str]


class Series:
    """One series of a counter. Until it was shown at 0, or the *deadline* has passed, what it counts is held back."""

    __slots__ = ("_child", "_clock", "_exemplar", "_held", "deadline", "live")

    def __init__(self, child: Counter, deadline: float, clock: Callable[[], float]) -> None:
        self._child = child
        self._clock = clock
        self._held = 0.0
        self._exemplar: Exemplar | None = None
        self.deadline = deadline
        self.live = False

    def inc(self, amount: float = 1.0, exemplar: Exemplar | None = None) -> None:
        """Count *amount* more."""
        if self.live:
            self._child.inc(amount, exemplar)
            return
        self._held += amount
        self._exemplar = exemplar or self._exemplar
        if self._clock() >= self.deadline:
            self.release()

    def release(self) -> None:
        """Count what was held back; from now on count at once."""
        if not self.live:
            self.live = True
            if self._held:
                self._child.inc(self._held, self._exemplar)


class Gate:
    """
    The series that no scrape has shown yet.

    A scrape asks :meth:`scrape` before it reads the counters, and calls :meth:`shown` with the answer after its
    client has them. Where nobody scrapes, a series waits *seconds* and no longer.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._waiting: list[Series] = []

    def admit(self, child: Counter) -> Series:
        """A new series, at 0."""
        series = Series(child, self._clock() + self._seconds, self._clock)
        self._waiting.append(series)
        return series

    def scrape(self) -> list[Series]:
        """The series that the scrape which now begins will show at 0."""
        now = self._clock()
        for series in self._waiting:
            if now >= series.deadline:
                series.release()
        self._waiting = [series for series in self._waiting if not series.live]
        return list(self._waiting)

    def shown(self, waiting: Iterable[Series]) -> None:
        """A scrape has shown *waiting*."""
        for series in waiting:
            series.release()


class Labels:
    """The values of one label: at most *cap* different ones, then ``other``. Nothing recorded is no value: it is free."""

    def __init__(self, name: str, cap: int, overflowed: Callable[[str], None]) -> None:
        self._name = name
        self._cap = cap
        self._overflowed = overflowed
        self._uses: dict[str, int] = {}

    def value(self, text: str) -> str:
        """What the label says for *text*; that it says ``other`` instead is counted."""
        text = wire_text(text, VALUE_LIMIT)
        if not text or text in self._uses or len(self._uses) < self._cap:
            return text
        self._overflowed(self._name)
        return OTHER

    def hold(self, value: str) -> None:
        """*value* is in use once more."""
        if value and value != OTHER:
            self._uses[value] = self._uses.get(value, 0) + 1

    def release(self, value: str) -> None:
        """*value* is in use once less; unused it makes room for another."""
        if value in self._uses:
            self._uses[value] -= 1
            if not self._uses[value]:
                del self._uses[value]


@dataclass(slots=True)
class ScopeSeries:
    """Series of one team, environment and agent."""

    labels: tuple[str, str, str]
    pinned: bool
    seen: float
    rules: dict[str, dict[Label, OutcomeSeries]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleSeries:
    """Series of one rule."""

    name: str
    score: Histogram
    duration: Histogram
    causes: dict[str, Series]


@dataclass(frozen=True, slots=True)
class OutcomeSeries:
    """Series of one rule and label in one scope."""

    scope: ScopeSeries
    rule: RuleSeries
    count: Series
    weight: Series
    squared: Series


@dataclass(slots=True)
class SourceSeries:
    """Series of one source. *oldest* is the time of the oldest pending turn, in seconds since 1970."""

    records: dict[str, Series]
    turns: dict[str, Series]
    pending: Gauge
    lag: Gauge
    publish: Histogram
    oldest: float | None = None

    def age(self) -> float:
        """Seconds since the oldest pending turn's time."""
        return 0.0 if self.oldest is None else max(0.0, time.time() - self.oldest)
