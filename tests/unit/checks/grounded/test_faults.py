"""What is wrong with a figure, how much it matters, and what is no longer wrong under membership."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.checks.grounded import Grounded
from monitor.checks.grounded.faults import FAULTS, SEVERITIES
from monitor.checks.grounded.verdict import Mode
from monitor.conversation import Conversation, ResultTable
from monitor.outcome import Outcome
from tests.unit.checks.grounded.turns import column, figures, result, turn, value

CARRIERS = result(
    [column("carrier"), column("avg_delay", "min", "avg"), column("flights", None, "count")],
    ["Aurora", 12.4, 1374],
    ["Cloudline", 9.1, 1113],
)
MONTHS = result(
    ["carrier", "month", column("passengers", None, "sum")],
    ["Norwind", "2026-08", 78822],
    ["Norwind", "2026-09", 68400],
    ["Solvia", "2026-08", 5120],
)
YEARS = result(["region", "2024", "2025"], ["North", 4120, 4530], ["South", 2710, 2950])
CUT = result(["item", column("stock_value", "EUR", "sum")], ["A", 80.0], ["B", 20.0], row_count=1874, truncated=True)
NULLS = result(["airport", column("refunds", "EUR", "sum")], ["Harlow", 18240.5], ["Orrin", None])
CASES: list[tuple[str, ResultTable, str, str]] = [
    ("Cloudline's average delay was 12.4 minutes.", CARRIERS, "12.4 minutes", "wrong_row"),
    ("Aurora had 12.4 flights.", CARRIERS, "12.4", "wrong_column"),
    ("Norwind had 78,822 passengers in September 2026.", MONTHS, "78,822", "wrong_period"),
    ("Solvia had 78,822 passengers.", MONTHS, "78,822", "wrong_row"),
    ("Norwind had 78,822 passengers in July 2026.", MONTHS, "July 2026", "wrong_period"),
    ("It cost $1,200.", value(1200, "EUR", "cost"), "$1,200", "wrong_unit"),
    ("It cost €1.2 million.", value(1200, "EUR", "cost"), "€1.2 million", "wrong_unit"),
    ("It cost €1,377.", value(1200, "EUR", "cost"), "€1,377", "invented"),
    ("It was so in July 2026.", CARRIERS, "July 2026", "invented"),
    ("Punctuality rose by 3.2 points.", value(-3.2, "points", "change_in_punctuality"), "3.2 points", "direction"),
    ("The total delay is 21.5 minutes.", CARRIERS, "21.5 minutes", "not_additive"),
    ("The total stock value is €100.", CUT, "€100", "truncated_total"),
    ("Orrin paid €0.", NULLS, "€0", "null"),
    ("There are four carriers.", CARRIERS, "four", "wrong_count"),
    ("Aurora had 1,500 flights.", CARRIERS, "1,500", "wrong_value"),
    ("The share is 84.9%.", value(84.9731, "percent", "share"), "84.9%", "rounding"),
]


@pytest.mark.parametrize(("answer", "evidence", "text", "fault"), CASES)
def test_a_wrong_figure_names_its_fault(answer: str, evidence: ResultTable, text: str, fault: str) -> None:
    """Machines read what kind of mistake it is and how much it matters; the kinds are told from one another."""
    found = {figure.text: (figure.fault, figure.severity) for figure in figures(answer, evidence)}
    assert (fault, FAULTS[fault].severity) == found[text]


def test_a_right_figure_has_no_fault() -> None:
    """Fault and severity are of ungrounded figures only."""
    found = figures("Aurora had 1,374 flights; Solvia had 564.", CARRIERS, completeness={"results": "partial"})
    assert [(True, None, None), (None, None, None)] == [(f.grounded, f.fault, f.severity) for f in found]


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("It was 84.1%.", 84.1, (84.1, "percent")),
        ("It cost €5.7 million.", 5_700_000, (5_700_000.0, "EUR")),
        ("It was on 3 January 2026.", "2026-01-03", ("2026-01-03", None)),
        ("It was in Q2 2024.", "2024-Q2", ("2024-Q2", None)),
        ("It was at 07:30.", "07:30", ("07:30", None)),
    ],
)
def test_a_figure_carries_its_value_and_unit(text: str, content: Any, expected: tuple[Any, Any]) -> None:
    """Numbers in their magnitude, dates as ISO 8601, units in one spelling."""
    assert [expected] == [(figure.value, figure.unit) for figure in figures(text, value(content))]


def said(answer: str, evidence: ResultTable, mode: Mode) -> Outcome:
    return Grounded(mode=mode).run(turn(answer, evidence), Conversation(id="c"))


@pytest.mark.parametrize(("answer", "evidence", "text", "fault"), CASES)
def test_membership_accuses_only_what_the_evidence_lacks(
    answer: str, evidence: ResultTable, text: str, fault: str
) -> None:
    """A value that stands anywhere in the evidence is grounded there; what stands nowhere is as wrong as before."""
    found = {figure.text: figure.grounded for figure in said(answer, evidence, "membership").figures}
    assert (FAULTS[fault].stands and text != "July 2026") == found[text]


def test_strict_is_the_default() -> None:
    """A rule without options binds."""
    assert "strict" == Grounded().mode


def test_the_worst_figure_is_told_first() -> None:
    """A reviewer reads of the wrong row before the last digit."""
    table = result(["carrier", column("share", "percent")], ["Aurora", 84.9731], ["Cloudline", 9.15])
    found = said("Aurora's share is 84.9%. Cloudline's share is 84.97%.", table, "strict")
    assert ["info", "major"] == [figure.severity for figure in found.figures]
    assert "“84.97%”: 84.9731 is Aurora's share; Cloudline's is 9.15 (and 1 more)" == found.explanation


def test_severities_are_those_of_reviews() -> None:
    """One scale in the product, the worst first."""
    assert list(SEVERITIES) == sorted({fault.severity for fault in FAULTS.values()}, key=SEVERITIES.index)
