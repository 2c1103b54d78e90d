"""
Which outcomes a person gets to see.

Every fail, as long as there are few; a random share of the passes, to find what a rule misses; and every turn that
seems to talk to the one who judges it. What is decided about an outcome depends on its id and on what was filed that
day before it, so a batch that comes again is decided as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Protocol

from monitor.outcome import Outcome
from monitor.sampling import review_position
from monitor.store.batch import Reason, ReviewItem

LEVELS = 10
"""Steps in which the second half of a day's cap is given out, each to half the share of the one before."""
DAYS_KEPT = 4
"""Days whose filed results are held in memory; others are asked for again."""


class ReviewOptions(Protocol):
    """A rule's ``review`` block."""

    @property
    def file(self) -> bool:
        """Whether each fail is filed."""

    @property
    def control_rate(self) -> float:
        """Share of the passes that is filed, 0 to 1."""

    @property
    def cap_per_day(self) -> int:
        """The most fails filed a day; 0: none."""

    @property
    def severity(self) -> str:
        """How bad a fail is."""


class ReviewedRule(Protocol):
    """What the filer needs of a rule."""

    @property
    def name(self) -> str:
        """The rule's name, as outcomes have it."""

    @property
    def review(self) -> ReviewOptions:
        """What people see of its outcomes."""


class FiledResults(Protocol):
    """Where it stands what was filed: the store."""

    def filed(self, day: date) -> Mapping[str, Mapping[str, float]]:
        """The fails filed on *day*: by rule and result id the probability with which each was filed."""


def share(filed: int, cap: int) -> float:
    """
    With which probability the next fail of a rule is filed when *filed* of *cap* have been that day.

    1 for the first half, so that the fails of a good day are all seen. Then in ten steps 1/2, 1/4, … 1/1024, so that
    on a bad day the rest of the cap lasts for about a hundred times as many fails instead of being gone by dawn.
    """
    if filed >= cap:
        return 0.0
    whole = (cap + 1) // 2
    if filed < whole:
        return 1.0
    return 0.5 ** (1 + (filed - whole) * LEVELS // (cap - whole))


class ReviewFiler:
    """Decides for *rules*, continuing from what *store* holds of the day."""

    def __init__(self, rules: Iterable[ReviewedRule], store: FiledResults) -> None:
        self._rules = {rule.name: rule for rule in rules}
        self._store = store
        self._days: dict[date, dict[str, dict[str, float]]] = {}

    def file(self, outcomes: Iterable[Outcome]) -> list[ReviewItem]:
        """
        The review items that *outcomes* become, in their order.

        Asking again about the same outcomes gives the same items. The day is that of the evaluation, in UTC.
        """
        items = []
        for outcome in outcomes:
            rule = self._rules.get(outcome.rule)
            if rule is not None and (item := self._item(rule, outcome)) is not None:
                items.append(item)
        return items

    def _item(self, rule: ReviewedRule, outcome: Outcome) -> ReviewItem | None:
        reason: Reason
        day = (outcome.evaluated_at or datetime.now(UTC)).astimezone(UTC).date()
        if outcome.label == "fail":
            reason, probability = "fail", self._fail_share(rule, outcome, day)
        elif outcome.label == "pass":
            reason, probability = "control", rule.review.control_rate
            if _position(outcome, day) >= probability:
                return None
        elif outcome.label == "not_evaluable" and outcome.cause == "injection_suspected":
            reason, probability = "cause", 1.0
        else:
            return None
        if probability == 0.0:
            return None
        return ReviewItem(
            outcome.result_id, outcome.rule, rule.review.severity, reason, outcome.scope, day, probability
        )

    def _fail_share(self, rule: ReviewedRule, outcome: Outcome, day: date) -> float:
        """The probability with which this fail is filed; 0 when it is not."""
        if not rule.review.file:
            return 0.0
        filed = self._filed(day).setdefault(rule.name, {})
        if outcome.result_id in filed:
            return filed[outcome.result_id]
        probability = share(len(filed), rule.review.cap_per_day)
        if _position(outcome, day) >= probability:
            return 0.0
        filed[outcome.result_id] = probability
        return probability

    def _filed(self, day: date) -> dict[str, dict[str, float]]:
        if day not in self._days:
            if len(self._days) >= DAYS_KEPT:
                del self._days[min(self._days)]
            self._days[day] = {rule: dict(results) for rule, results in self._store.filed(day).items()}
        return self._days[day]


def _position(outcome: Outcome, day: date) -> float:
    return review_position(outcome.result_id, outcome.rule, day.isoformat())
