"""
Failure rates with intervals, from sampled outcomes.

Outcomes carry the probability with which they were sampled, and turns of one conversation fail together. So the
rate is weighted (Hájek), its variance is linearised and clustered by conversation, and the interval is the exact
binomial one (Clopper-Pearson) at an effective number of independent turns, after Korn and Graubard. A plain
Wilson interval on turns is too narrow: see ``tests/unit/test_estimates.py``, which measures both.

Where few conversations failed their variance says little about how failures cluster, so the effective number is
pulled towards one observation a conversation, by the weight of two failed conversations. In the simulation (rates
0.5 % to 98 %, 30 to 500 conversations of 1 to 10 turns, equal and unequal probabilities) a logit, a Wilson and an
unpulled Korn-Graubard interval each fell below 93 % somewhere, this one nowhere; its price is a wider interval
while failures are few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist

from monitor.errors import MonitorError

PRIOR_FAILED_CONVERSATIONS = 2.0
"""How many failed conversations the prior knowledge "all turns of a conversation agree" weighs."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """
    A rate in [0, 1] with its confidence interval; all three are None when nothing was observed.

    *effective_n*: as many independent, equally likely turns would say as much. *n*: turns observed. *clusters*:
    conversations observed.
    """

    rate: float | None
    low: float | None
    high: float | None
    effective_n: float
    n: int
    clusters: int


def estimate(observations: Iterable[tuple[str, bool, float]], confidence: float = 0.95) -> Estimate:
    """
    Estimate a failure rate from (conversation id, failed, weight = 1 / inclusion probability).

    Reads the observations once and holds one entry a conversation. Raises MonitorError on a weight that is not a
    positive number and on a confidence outside (0, 1).
    """
    running = RunningEstimate()
    for conversation_id, failed, weight in observations:
        running.add(conversation_id, failed, weight)
    return running.estimate(confidence)


@dataclass(slots=True)
class RunningEstimate:
    """
    An estimate in the making: sums over conversations, and an entry for each that is still open.

    A conversation that will not come again is closed, so that memory does not grow with how many there were.
    """

    n: int = 0
    failures: int = 0
    squares: float = 0.0
    _open: dict[str, list[float]] = field(default_factory=dict)
    _closed: list[float] = field(default_factory=lambda: [0.0] * 6)

    def add(self, conversation_id: str, failed: bool, weight: float) -> None:
        """One more outcome. Raises MonitorError on a weight that is not a positive number."""
        if not 0 < weight < math.inf:
            raise MonitorError(
                f"weight {weight} of conversation {conversation_id!r} is not a positive number",
                hint="a weight is 1 / inclusion probability; what has probability 0 can't have been observed",
            )
        sums = self._open.setdefault(conversation_id, [0.0, 0.0])
        sums[0] += weight
        self.n += 1
        self.squares += weight * weight
        if failed:
            sums[1] += weight
            self.failures += 1

    def close(self, conversation_id: str) -> None:
        """Nothing more comes of this conversation. If something does, it counts as another one."""
        sums = self._open.pop(conversation_id, None)
        if sums is not None:
            _fold(self._closed, *sums)

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The estimate so far. Raises MonitorError on a confidence outside (0, 1)."""
        if not 0 < confidence < 1:
            raise MonitorError(f"confidence {confidence} is not between 0 and 1", hint="write 0.95 for 95 %")
        if not self.n:
            return Estimate(None, None, None, 0.0, 0, 0)
        folded = list(self._closed)
        for weight, failed in self._open.values():
            _fold(folded, weight, failed)
        sums = _Sums(*folded)
        rate = float(self.failures > 0) if self.failures in (0, self.n) else min(1.0, sums.failed / sums.weight)
        effective_n, degrees = self._effective_n(sums, rate)
        low, high = _interval(rate, effective_n, degrees, confidence)
        return Estimate(rate, low, high, effective_n, self.n, int(sums.count))

    def _effective_n(self, sums: _Sums, rate: float) -> tuple[float, float]:
        """Return the effective number of turns and the degrees of freedom of its variance (infinite: none was needed)."""
        conversations = sums.weight**2 / sums.weight_squared
        if self.failures in (0, self.n):
            return conversations, math.inf
        turns = max(1.0, min(sums.weight**2 / self.squares, rate * (1 - rate) / sums.variance(rate)))
        failing = sums.failing_conversations(minority=rate < 0.5)
        share = failing / (failing + PRIOR_FAILED_CONVERSATIONS)
        return 1 / (share / turns + (1 - share) / conversations), max(1.0, sums.count - 1)


def _fold(sums: list[float], weight: float, failed: float) -> None:
    """Add one conversation to the sums, in the order of the fields of ``_Sums``."""
    for index, value in enumerate((1.0, weight, failed, weight * weight, failed * failed, weight * failed)):
        sums[index] += value


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over conversations of their weights and of the weights that failed."""

    count: float
    weight: float
    failed: float
    weight_squared: float
    failed_squared: float
    product: float

    def variance(self, rate: float) -> float:
        """The rate's linearised variance, conversations as clusters; of one conversation, that of one observation."""
        if self.count == 1:
            return rate * (1 - rate)
        squares = self.failed_squared - 2 * rate * self.product + rate * rate * self.weight_squared
        return max(squares * self.count / (self.count - 1) / self.weight**2, 1e-300)

    def failing_conversations(self, *, minority: bool) -> float:
        """Kish's effective number of conversations with a failure (with a pass, where failures are the rule)."""
        if minority:
            return self.failed**2 / self.failed_squared
        passed_squared = self.weight_squared - 2 * self.product + self.failed_squared
        return (self.weight - self.failed) ** 2 / max(passed_squared, 1e-300)


def _interval(rate: float, n: float, degrees: float, confidence: float) -> tuple[float, float]:
    """Clopper-Pearson for *rate* of *n* turns, made wider for a variance known with few *degrees* of freedom."""
    tail = (1 - confidence) / 2
    if degrees < math.inf:
        n *= (NormalDist().inv_cdf(tail) / t_quantile(1 - tail, degrees)) ** 2
    failed, passed = n * rate, n * (1 - rate)
    low = beta_quantile(tail, failed, passed + 1) if failed > 0 else 0.0
    high = beta_quantile(1 - tail, failed + 1, passed) if passed > 0 else 1.0
    return min(low, rate), max(high, rate)


@lru_cache(maxsize=1024)
def t_quantile(probability: float, degrees: float) -> float:
    """Quantile of Student's t for *probability* in (0, 1) and *degrees* > 0 (any real number)."""
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    x = beta_quantile(2 * (1 - probability), degrees / 2, 0.5)
    return math.sqrt(degrees * (1 - x) / x) if x > 0 else math.inf


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution with *a*, *b* > 0; bisection that Newton's method hurries, to about 1e-12."""
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(200):
        above = beta_cdf(x, a, b) - probability
        if above > 0:
            high = x
        else:
            low = x
        log_density = (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log_beta if 0 < x < 1 else -math.inf
        step = x - above * math.exp(min(-log_density, 700.0))
        new = step if low < step < high else (low + high) / 2
        if abs(new - x) <= 1e-13 + 1e-13 * x:
            return new
        x = new
    return x


def beta_cdf(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b) for *a*, *b* > 0 and x in [0, 1]."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_front)
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of I_x(a, b), by Lentz's method; about sqrt(max(a, b)) steps."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 100_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result
