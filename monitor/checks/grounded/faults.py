"""
What can be wrong with a figure, and how much it matters: one table for code, people and pages.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["major", "minor", "info"]
SEVERITIES: tuple[Severity, ...] = ("major", "minor", "info")
"""The worst first; the words of a rule's ``review.severity``."""


class Fault(NamedTuple):
    """One kind of mistake. *stands*: the value does stand in the evidence, only not where the sentence puts it."""

    severity: Severity
    stands: bool
    meaning: str


FAULTS: dict[str, Fault] = {
    "wrong_row": Fault("major", True, "the value of another row"),
    "wrong_column": Fault("major", True, "the value of another column"),
    "wrong_period": Fault("major", True, "the value of another date or period, or a period that nothing gives"),
    "wrong_unit": Fault("major", False, "the number in another unit, currency or magnitude"),
    "direction": Fault("major", True, "a rise said to be a fall, or a minus left out"),
    "wrong_value": Fault("major", False, "another value than the cell has that the words name"),
    "coincidence": Fault("major", True, "a value that stands only where the words do not point"),
    "wrong_difference": Fault("major", False, "another difference than that of the two that are compared"),
    "wrong_share": Fault("major", False, "another share or multiple than that of what the words name"),
    "not_additive": Fault("major", False, "averages, rates or the like added up"),
    "invented": Fault("major", False, "in nothing that the agent saw"),
    "time_zone": Fault("major", True, "a time that is right in another zone than the one named"),
    "earlier_turn": Fault("minor", True, "the value of an earlier turn, where this one has a newer one"),
    "truncated_total": Fault("minor", False, "the sum or number of the rows that were returned, said of all"),
    "null": Fault("minor", False, "a number for a cell that holds no value"),
    "wrong_count": Fault("minor", False, "another number of rows or names than there are"),
    "wrong_extreme": Fault("minor", False, "a value said to be the highest, the lowest or of a rank that it is not"),
    "rounding": Fault("info", False, "cut off or rounded the wrong way in the last digit written"),
}
NOWHERE = "invented"
"""The fault of a figure of which nothing else is known."""


def severity(fault: str) -> Severity:
    """How much *fault* matters."""
    return FAULTS[fault].severity


def worst(severities: list[str]) -> int:
    """The position of the first of the worst among *severities*."""
    return min(range(len(severities)), key=lambda place: SEVERITIES.index(severities[place]))
