"""Ratios written with a colon, stretches of hours, thresholds that the question sets, and units that are no count's."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

SITES = result(["site", column("returns", aggregation="count")], ["Web", 900], ["Shop", 400], ["Phone", 130])
HOURS = result(
    ["hour", column("calls", aggregation="count")],
    ["08:00", 142],
    ["09:00", 318],
    ["10:00", 295],
    ["11:00", 260],
    ["12:00", 121],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The ratio of Web to Shop returns is 9:4.", {"9:4": True}),
        ("The ratio of Web to Shop returns is 7:4.", {"7:4": False}),
        ("Das Verhältnis der returns von Web und Shop ist 9:4.", {"9:4": True}),
        ("De verhouding van de returns van Web en Shop is 7:4.", {"7:4": False}),
    ],
)
def test_a_ratio_with_a_colon_is_one_figure(answer: str, expected: Verdicts) -> None:
    """Two numbers with a colon, called a ratio, are the ratio of two values."""
    assert expected == verdicts(answer, SITES)


@pytest.mark.parametrize(
    ("answer", "calls", "expected"),
    [
        ("From 08:00 to 11:00 there were 755 calls.", "755", True),
        ("Between 08:00 and 13:00 there were 1,136 calls in all the branches.", "1,136", True),
        ("Between 08:00 and 13:00 there were 1,316 calls in all the branches.", "1,316", False),
        ("Tussen 08:00 en 13:00 kwamen 1.136 calls binnen bij de balie.", "1.136", True),
    ],
)
def test_calls_between_two_hours_add_up(answer: str, calls: str, *, expected: bool) -> None:
    """What lies between two times is the sum over the rows from the one to the other, also where the last has no row."""
    told = verdicts(answer, HOURS)
    assert told[calls] is expected


LATE = result(
    ["customer", "invoices", column("overdue_eur", "EUR", "sum")], ["Fjord", 3, 48_210.0], ["Kite", 7, 31_155.4]
)
ASKED = "Which customers have invoices more than 60 days overdue?"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("2 customers have invoices more than 60 days overdue.", {"2": True, "60 days": True}),
        ("2 customers have invoices more than 90 days overdue.", {"2": True, "90 days": False}),
        ("2 customers owe more than €30,000.", {"2": True, "€30,000": True}),
    ],
)
def test_a_threshold_is_the_questions_where_no_result_holds_it(answer: str, expected: Verdicts) -> None:
    """Another threshold than the question's cannot be counted where no column is in its unit."""
    assert expected == verdicts(answer, LATE, question=ASKED)


def test_a_number_of_parts_is_no_rate_by_its_definition() -> None:
    """A number without a unit stays in its own column, though the definition of a rate speaks of parts."""
    lines = result(
        ["line", column("produced", aggregation="sum"), column("ppm", "ppm", "ratio")],
        ["L-1", 184_000, 500],
        ["L-2", 201_500, 2199],
    )
    told = verdicts(
        "L-2 missed the target of 1,000 ppm with 2,199 ppm (443 defects in 201,500 parts).",
        lines,
        definitions={"ppm": "Defective parts per million produced. Target: below 1000 ppm."},
    )
    assert (told["2,199 ppm"], told["201,500"], told["443"]) == (True, True, False)
