from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from monitor.conversation import Scope
from monitor.outcome import LABELS, Outcome
from monitor.sinks.review import DAYS_KEPT, ReviewFiler, share

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE = Scope(team="sales")


@dataclass
class Review:
    file: bool = True
    control_rate: float = 0.0
    cap_per_day: int = 50
    severity: str = "major"


@dataclass
class Rule:
    name: str = "grounded"
    review: Review = field(default_factory=Review)


class Filed:
    """What a store holds of each day, and how often it was asked."""

    def __init__(self, days: dict[date, dict[str, dict[str, float]]] | None = None) -> None:
        self.days = days or {}
        self.asked: list[date] = []

    def filed(self, day: date) -> dict[str, dict[str, float]]:
        self.asked.append(day)
        return self.days.get(day, {})


def outcomes(count: int, label: str = "fail", *, day: int = 0, rule: str = "grounded", **more: Any) -> list[Outcome]:
    at = NOON + timedelta(days=day)
    ids = (hashlib.sha256(f"{day}/{rule}/{label}/{number}".encode()).hexdigest()[:32] for number in range(count))
    return [Outcome(label=label, result_id=each, rule=rule, scope=SCOPE, evaluated_at=at, **more) for each in ids]


def filer(store: Filed | None = None, **review: Any) -> ReviewFiler:
    return ReviewFiler([Rule(review=Review(**review))], store or Filed())


def test_few_fails_are_all_filed() -> None:
    """Up to half the cap every fail is filed, with all that a person needs to choose it."""
    given = outcomes(25)
    items = filer(severity="critical").file(given)
    assert [each.result_id for each in given] == [item.result_id for item in items]
    expected = ("grounded", "critical", "fail", SCOPE, NOON.date(), 1.0)
    first = items[0]
    assert expected == (first.rule, first.severity, first.reason, first.scope, first.day, first.probability)


@pytest.mark.parametrize("cap", [1, 2, 3, 10, 50])
def test_cap_is_hard(cap: int) -> None:
    """However many fail, no more than the cap are filed in a day; a day later there is room again."""
    filing = filer(cap_per_day=cap)
    assert cap >= len(filing.file(outcomes(3_000))) >= (cap + 1) // 2
    assert (cap + 1) // 2 <= len(filing.file(outcomes(cap, day=1)))


def test_rules_have_their_own_caps() -> None:
    """A rule that fails all day takes nothing from another."""
    filing = ReviewFiler([Rule(), Rule("refusal_explained")], Filed())
    filing.file(outcomes(3_000))
    assert 25 == len(filing.file(outcomes(25, rule="refusal_explained")))


def test_bad_day_is_seen_until_late() -> None:
    """When thousands fail, the cap is not used up by the first fifty: items come from after hundreds and thousands."""
    after_200, after_2000 = [], []
    for day in range(8):
        given = outcomes(4_000, day=day)
        place = {each.result_id: number for number, each in enumerate(given)}
        places = [place[item.result_id] for item in filer().file(given)]
        after_200.append(sum(1 for each in places if each >= 200))
        after_2000.append(sum(1 for each in places if each >= 2_000))
    assert min(after_200) >= 5
    assert sum(after_2000) >= 8


def test_probability_is_that_of_the_sample() -> None:
    """Weighted by the probability that stands on them, the items filed count the fails that there were."""
    estimates = []
    for day in range(40):
        items = filer().file(outcomes(500, day=day))
        estimates.append(sum(1 / item.probability for item in items))
    assert 500 == pytest.approx(sum(estimates) / len(estimates), rel=0.15)


def test_share_falls_by_halves() -> None:
    """Everything for the first half of the cap, then half as much step by step, and nothing beyond the cap."""
    shares = [share(filed, 20) for filed in range(22)]
    assert [1.0] * 10 + [0.5**step for step in range(1, 11)] + [0.0, 0.0] == shares
    assert 0.0 == share(0, 0)


def test_control_share_of_passes_is_filed() -> None:
    """A random share of the passes is filed as control, whatever failed before, and none at rate 0."""
    filing = filer(control_rate=0.1)
    filing.file(outcomes(3_000))
    items = filing.file(outcomes(5_000, "pass"))
    assert 500 == pytest.approx(len(items), rel=0.15)
    assert {("control", 0.1)} == {(item.reason, item.probability) for item in items}
    assert [] == filer().file(outcomes(5_000, "pass"))
    assert 100 == len(filer(control_rate=1.0).file(outcomes(100, "pass")))


def test_suspected_injection_is_always_filed() -> None:
    """A turn that seems to talk to its judge is filed, even when the day is full and fails are not filed."""
    filing = filer(file=False, cap_per_day=0)
    items = filing.file(outcomes(100, "not_evaluable", cause="injection_suspected"))
    assert (100, {"cause"}) == (len(items), {item.reason for item in items})


@pytest.mark.parametrize("label", sorted(set(LABELS) - {"fail", "pass"}))
@pytest.mark.parametrize("cause", [None, "truncated"])
def test_nothing_else_is_filed(label: str, cause: str | None) -> None:
    """Outcomes that decide nothing are no work for people."""
    assert [] == filer(control_rate=1.0).file(outcomes(50, label, cause=cause))


def test_rule_may_file_nothing() -> None:
    """A rule with `file: false` or a cap of 0 files no fail, and an outcome of an unknown rule is nobody's."""
    assert [] == filer(file=False).file(outcomes(10))
    assert [] == filer(cap_per_day=0).file(outcomes(10))
    assert [] == filer().file(outcomes(10, rule="gone"))


def test_same_outcomes_become_the_same_items() -> None:
    """A batch that comes again is decided as it was and uses up nothing of the cap."""
    filing, first, second = filer(), outcomes(300), outcomes(25, rule="grounded", day=0, cause="x")
    once = filing.file(first)
    assert once == filing.file(first)
    reference = filer()
    reference.file(first)
    assert reference.file(second) == filing.file(second)


def test_restarted_filer_goes_on_where_the_day_was() -> None:
    """With what the store holds of the day, a new process decides as the old one would have."""
    given = outcomes(2_000)
    whole = filer().file(given)
    before = filer().file(given[:700])
    held = {NOON.date(): {"grounded": {item.result_id: item.probability for item in before}}}
    assert whole == before + filer(Filed(held)).file(given[700:])
    assert before == filer(Filed(held)).file(given[:700])


def test_store_is_asked_once_a_day() -> None:
    """The store is asked when a day begins, and the memory holds a few days only."""
    store = Filed()
    filing = filer(store)
    for day in (0, 0, *range(1, DAYS_KEPT + 1), 0):
        filing.file(outcomes(3, day=day))
    days = [NOON.date() + timedelta(days=day) for day in (*range(DAYS_KEPT + 1), 0)]
    assert days == store.asked
    assert DAYS_KEPT == len(filing._days)
