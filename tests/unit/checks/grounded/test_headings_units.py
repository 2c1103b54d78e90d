"""Units and magnitudes that headings and column names declare, and what they keep from being mistaken."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

METERS = result(
    [
        "site",
        column("energy", "kWh", "sum"),
        column("corks_mil", None, "sum"),
        "arrears_90d",
        column("on_target", None, "ratio"),
    ],
    ["Lindau", 82333, 6480, 12, 0.861],
    ["Coburg", 104230, 22310, 7, 0.531],
    ["Utility Agency", 51010, 3100, 3, 0.774],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("| Site | Energy (MWh) |\n|---|---|\n| Lindau | 82.3 |\n| Coburg | 104.2 |", {"82.3": True, "104.2": True}),
        ("| Site | Energy (MWh) |\n|---|---|\n| Lindau | 104.2 |", {"104.2": False}),
        ("Lindau fez 6,48 milhões de corks.", {"6,48 milhões": True}),
        ("Coburg has 7 arrears of more than 90 days.", {"7": True, "90 days": True}),
        ("Utility Agencies used 51,010 kWh.", {"51,010 kWh": True}),
    ],
)
def test_headings_and_names_declare_units(answer: str, expected: Verdicts) -> None:
    """Brackets in a Markdown heading, a scale word or a number in a column's name; a fraction is no count."""
    assert expected == verdicts(answer, METERS, definitions={"on_target": "share of calls on target"})


MONTHS = result(
    ["service", "2025-03", "2025-04", "budget"], ["Compute", 48210.5, 51300.2, 50000], ["Egress", 9100, 10844, 7000]
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("April 2025 came in at 51,300 for Compute.", {"April 2025": True, "51,300": True}),
        ("May 2025 came in at 51,300 for Compute.", {"May 2025": False, "51,300": True}),
    ],
)
def test_a_heading_can_be_a_period(answer: str, expected: Verdicts) -> None:
    """Columns that are months give these months."""
    assert expected == verdicts(answer, MONTHS)
