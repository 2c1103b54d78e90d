"""Tests of estimates: the interval covers the true rate as often as it says, whatever the sample looks like."""

from __future__ import annotations

import math
import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.errors import MonitorError
from monitor.estimates import Estimate, RunningEstimate, beta_cdf, beta_quantile, estimate, t_quantile

Observation = tuple[str, bool, float]

# Share of conversations and inclusion probability of each stratum.
EQUAL = ((1.0, 0.05),)
UNEQUAL = ((0.8, 0.05), (0.15, 0.5), (0.05, 1.0))


@dataclass(frozen=True)
class Cell:
    """One simulated world: *turns* a conversation (0: 1 to 10), failures correlated within it by *correlation*."""

    rate: float
    conversations: int
    turns: int
    strata: tuple[tuple[float, float], ...]
    correlation: float = 0.3

    def __str__(self) -> str:
        design = "equal" if self.strata == EQUAL else "unequal"
        return f"rate {self.rate:<6} conversations {self.conversations:<4} turns {self.turns or '1-10':<5} {design:<8}"


def seeded(seed: object) -> random.Random:
    """Numbers that are the same in every run."""
    return random.Random(str(seed))


def sampled(cell: Cell, rng: random.Random) -> Iterator[Observation]:
    """Yield the turns of one sample; failures follow a beta-binomial, drawn turn by turn from Pólya's urn."""
    kept = [share * probability for share, probability in cell.strata]
    scale = (1 - cell.correlation) / cell.correlation
    for number in range(cell.conversations):
        ((_, probability),) = rng.choices(cell.strata, kept)
        failures = 0.0
        for turn in range(cell.turns or rng.randint(1, 10)):
            failed = rng.random() * (scale + turn) < cell.rate * scale + failures
            failures += failed
            yield f"c{number}", failed, 1 / probability


def coverage(cell: Cell, repeats: int, interval: Callable[[list[Observation]], tuple[float, float]]) -> float:
    """Share of samples whose interval holds the true rate."""
    rng = seeded(cell)
    hits = 0
    for _ in range(repeats):
        low, high = interval(list(sampled(cell, rng)))
        hits += low <= cell.rate <= high
    return hits / repeats


def ours(observations: list[Observation]) -> tuple[float, float]:
    result = estimate(observations)
    assert result.low is not None
    assert result.high is not None
    return result.low, result.high


def wilson(observations: list[Observation]) -> tuple[float, float]:
    """The plain Wilson interval on turns, which takes them for independent."""
    n, z = len(observations), NormalDist().inv_cdf(0.975)
    rate = sum(failed for _, failed, _ in observations) / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return centre - half, centre + half


RATES = (0.0, 0.005, 0.02, 0.1, 0.5, 0.98, 1.0)
CELLS = [
    Cell(rate, conversations, turns, strata)
    for rate in RATES
    for conversations, turns in ((30, 1), (30, 4), (30, 0), (30, 10), (100, 10), (500, 0))
    for strata in (EQUAL, UNEQUAL)
]


def test_interval_covers_the_true_rate() -> None:
    """
    A 95 % interval holds the true rate in at least 93 % of samples.

    At every rate, with few conversations and many, 1 to 10 turns each, equal and unequal probabilities.
    """
    repeats = {30: 300, 100: 200, 500: 120}
    found = {cell: coverage(cell, repeats[cell.conversations] if 0 < cell.rate < 1 else 10, ours) for cell in CELLS}
    table = "\n".join(f"{cell} coverage {share:.3f}" for cell, share in found.items())
    assert not [cell for cell, share in found.items() if share < 0.93], f"\n{table}"


def test_plain_wilson_on_turns_covers_too_little() -> None:
    """The reason for this module: taking turns for independent covers far less than 95 % at 4 turns a conversation."""
    cell = Cell(0.1, 100, 4, EQUAL, correlation=0.3)
    assert coverage(cell, 1000, wilson) < 0.90
    assert coverage(cell, 400, ours) > 0.94


def sampled_by_turn(conversations: int, rng: random.Random) -> Iterator[Observation]:
    """
    Yield a sample as production draws it: turns with an error at 1, the rest at 0.05, by the conversation's position.

    One turn in ten has an error; those fail with 0.4, the others with 0.05: 0.085 overall.
    """
    for number in range(conversations):
        position = rng.random()
        mood = rng.choice((0.5, 1.0, 1.5))
        for _ in range(4):
            error = rng.random() < 0.1
            failed = rng.random() < mood * (0.4 if error else 0.05)
            probability = 1.0 if error else 0.05
            if position < probability:
                yield f"c{number}", failed, 1 / probability


@pytest.mark.parametrize("conversations", [600, 3000])
def test_interval_covers_with_turns_of_one_conversation_sampled_at_different_rates(conversations: int) -> None:
    """A conversation whose turns lie in different strata is still one cluster, and the rate unbiased."""
    rng = seeded(conversations)
    estimates = [estimate(sampled_by_turn(conversations, rng)) for _ in range(300)]
    covered = sum(e.low <= 0.085 <= e.high for e in estimates if e.low is not None and e.high is not None)
    assert covered / 300 >= 0.93
    assert 0.085 == pytest.approx(sum(e.rate or 0 for e in estimates) / 300, rel=0.05)


def test_nothing_observed_is_no_number() -> None:
    """Without observations there is no rate, and no interval either."""
    assert Estimate(None, None, None, 0.0, 0, 0) == estimate([])


@pytest.mark.parametrize(("n", "upper"), [(10, 0.30850), (100, 0.03622), (1000, 0.003682)])
def test_no_failure_gives_the_exact_interval(n: int, upper: float) -> None:
    """Without a failure among n independent turns the interval is Clopper-Pearson's, 1 - 0.025^(1/n); so without a pass."""
    none = estimate((f"c{i}", False, 1.0) for i in range(n))
    every = estimate((f"c{i}", True, 20.0) for i in range(n))
    assert (0.0, 0.0) == (none.rate, none.low)
    assert upper == pytest.approx(none.high, rel=1e-3)
    assert (1.0, 1.0) == (every.rate, every.high)
    assert 1 - upper == pytest.approx(every.low, rel=1e-3)
    assert n == pytest.approx(none.effective_n)
    assert (n, n) == (none.n, none.clusters)


def test_few_conversations_take_a_t_quantile() -> None:
    """
    Worked by hand: two of four one-turn conversations failed.

    Linearised variance 1/12, so 3 turns; pulled half-way (harmonically) to 4 conversations, 3.43; times
    (1.960 / 3.182)^2 for 3 degrees of freedom, Clopper-Pearson for 0.65 of 1.30.
    """
    result = estimate((f"c{i}", i < 2, 1.0) for i in range(4))
    assert 24 / 7 == pytest.approx(result.effective_n)
    assert (0.001962, 0.998038) == pytest.approx((result.low or 0, result.high or 0), abs=1e-5)


def test_one_conversation_says_next_to_nothing() -> None:
    """However many turns it has, one conversation is one observation."""
    result = estimate(("only", turn % 2 == 0, 1.0) for turn in range(200))
    assert 0.5 == result.rate
    assert result.low is not None
    assert result.low < 0.03
    assert result.high is not None
    assert result.high > 0.97
    assert 1.0 == pytest.approx(result.effective_n)
    assert (200, 1) == (result.n, result.clusters)


def test_rate_is_weighted_by_the_inverse_of_the_inclusion_probability() -> None:
    """A turn sampled at 5 % stands for twenty: 10 failures of weight 1 beside 10 passes of weight 20 are 1 in 21."""
    failures = [(f"f{i}", True, 1.0) for i in range(10)]
    passes = [(f"p{i}", False, 20.0) for i in range(10)]
    assert 1 / 21 == pytest.approx(estimate(failures + passes).rate)


def test_interval_ignores_the_scale_of_the_weights() -> None:
    """Only ratios of weights count: a sample at 5 % throughout says as much as one at 100 % of the same size."""
    observations = list(sampled(Cell(0.1, 60, 0, EQUAL), seeded(1)))
    one = estimate((c, failed, 1.0) for c, failed, _ in observations)
    twenty = estimate(observations)
    assert one.rate is not None
    assert (one.rate, one.low, one.high) == pytest.approx((twenty.rate, twenty.low, twenty.high))


def test_failures_that_come_together_widen_the_interval() -> None:
    """The same turns, failures in the same conversations instead of spread, say less."""
    spread = estimate((f"c{i // 4}", i % 4 == 0, 1.0) for i in range(400))
    together = estimate((f"c{i // 4}", i < 100, 1.0) for i in range(400))
    assert spread.rate == together.rate == 0.25
    assert together.effective_n < spread.effective_n / 3


def test_more_confidence_is_a_wider_interval() -> None:
    """The 99 % interval holds the 80 % one."""
    observations = list(sampled(Cell(0.1, 60, 0, UNEQUAL), seeded(2)))
    narrow, wide = estimate(observations, 0.8), estimate(observations, 0.99)
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low < narrow.low < narrow.high < wide.high


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans(), st.floats(1.0, 1e12)), min_size=1, max_size=40),
    st.floats(0.01, 0.999),
)
def test_interval_is_always_sound(observations: list[Observation], confidence: float) -> None:
    """Whatever the weights: 0 <= low <= rate <= high <= 1 and an effective n of at least 1 and at most n."""
    result = estimate(observations, confidence)
    assert result.low is not None
    assert result.high is not None
    assert result.rate is not None
    assert 0 <= result.low <= result.rate <= result.high <= 1
    assert 1 - 1e-9 <= result.effective_n <= len(observations) * (1 + 1e-9)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.inf, math.nan])
def test_impossible_weight_is_refused(weight: float) -> None:
    """A weight that is no inverse of a probability is a defect upstream and never averaged in."""
    with pytest.raises(MonitorError, match="1 / inclusion probability"):
        estimate([("c", True, weight)])


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    """A confidence in per cent gets the hint what to write."""
    with pytest.raises(MonitorError, match=r"write 0\.95"):
        estimate([("c", True, 1.0)], confidence)


def test_memory_grows_with_conversations_and_not_with_turns() -> None:
    """Observations are read as a stream: 200 000 turns of ten conversations take no room."""
    tracemalloc.start()
    result = estimate((f"c{turn % 10}", turn % 7 == 0, 1.0) for turn in range(200_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 200_000 == result.n
    assert peak < 100_000


# Quantiles from published tables of Student's t, and of the beta distribution in closed form.
@pytest.mark.parametrize(
    ("probability", "degrees", "expected"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 10, 2.228), (0.95, 29, 1.699), (0.995, 120, 2.617)],
)
def test_t_quantile_agrees_with_tables(probability: float, degrees: float, expected: float) -> None:
    """Quantiles of Student's t are those of the printed tables, and symmetric."""
    assert expected == pytest.approx(t_quantile(probability, degrees), abs=6e-4)
    assert -expected == pytest.approx(t_quantile(1 - probability, degrees), abs=6e-4)


def test_t_quantile_becomes_the_normal_one() -> None:
    """With many degrees of freedom Student's t is the normal distribution."""
    assert 1.959964 == pytest.approx(t_quantile(0.975, 1e7), abs=1e-5)


@pytest.mark.parametrize(("x", "a"), [(0.3, 1.0), (0.3, 5.0), (0.999, 250.0), (1e-6, 0.5)])
def test_beta_cdf_has_its_closed_forms(x: float, a: float) -> None:
    """I_x(a, 1) = x^a, I_x(1, a) = 1 - (1-x)^a, I_1/2(a, a) = 1/2."""
    assert x**a == pytest.approx(beta_cdf(x, a, 1))
    assert 1 - (1 - x) ** a == pytest.approx(beta_cdf(x, 1, a))
    assert 0.5 == pytest.approx(beta_cdf(0.5, a, a))
    assert (0.0, 1.0) == (beta_cdf(0.0, a, 1), beta_cdf(1.0, a, 1))


@given(st.floats(0.001, 0.999), st.floats(0.05, 5000), st.floats(0.05, 5000))
def test_beta_quantile_inverts_the_cdf(probability: float, a: float, b: float) -> None:
    """The quantile is where the distribution function reaches the probability."""
    x = beta_quantile(probability, a, b)
    below, above = beta_cdf(max(0.0, x - 1e-9), a, b), beta_cdf(min(1.0, x + 1e-9), a, b)
    assert below - 1e-8 <= probability <= above + 1e-8


def test_closing_conversations_changes_no_number() -> None:
    """A conversation that is closed, and so forgotten, counts as before."""
    observations = list(sampled(Cell(0.1, 40, 0, UNEQUAL), seeded(3)))
    running = RunningEstimate()
    for index, (conversation, failed, weight) in enumerate(observations):
        running.add(conversation, failed, weight)
        if index + 1 == len(observations) or observations[index + 1][0] != conversation:
            running.close(conversation)
    running.close("never seen")
    whole, closed = estimate(observations), running.estimate()
    assert (whole.n, whole.clusters) == (closed.n, closed.clusters)
    assert (whole.rate, whole.low, whole.high) == pytest.approx((closed.rate, closed.low, closed.high))
    assert whole.effective_n == pytest.approx(closed.effective_n)


def test_memory_does_not_grow_with_closed_conversations() -> None:
    """50 000 conversations that end one after another take no room."""
    running = RunningEstimate()
    tracemalloc.start()
    for number in range(50_000):
        running.add(f"c{number}", number % 7 == 0, 1.0)
        running.close(f"c{number}")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 50_000 == running.estimate().clusters
    assert peak < 100_000
