"""Tables as people read them: headings over several rows, sections, totals, years."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.evidence.headings import Grid, period_order, years_in


def grid(columns: Sequence[str], *rows: Sequence[Any]) -> Grid:
    """The first table of a record, read."""
    return Grid(evidence_of_record("", [{"kind": "table", "columns": columns, "rows": rows}]), 0)


QUARTERS = grid(
    ["", "", "Fiscal 2024", "", "Fiscal 2023"],
    ["", "High", "Low", "High", "Low"],
    ["First quarter", "$ 31.20", "$ 27.45", "$ 29.80", "$ 25.10"],
    ["Second quarter", "33.05", "29.90", "30.15", "26.40"],
)
COSTS = grid(
    ["", "2024", "2023"],
    ["Depots:", "", ""],
    ["Rent", "410", "395"],
    ["Heating", "65", "80"],
    ["", "475", "475"],
    ["Vans:", "", ""],
    ["Fuel", "220", "—"],
    ["Tyres", "30", "25"],
    ["Cost of vans", "250", "25"],
)


def test_a_centred_heading_stands_over_its_share_of_the_columns() -> None:
    """Two years centred over four columns stand over two each."""
    assert [set(QUARTERS.head(1, c).years) for c in QUARTERS.measures] == [{2024}, {2024}, {2023}, {2023}]


def test_rows_know_the_section_above_them_and_their_totals() -> None:
    """A row belongs to the last heading; a row without a name, and one that adds up its section, is a total."""
    assert {COSTS.title(COSTS.sections[r]) for r in (1, 2)} == {"Depots:"}
    assert COSTS.totals == {3, 7}


def test_a_dash_is_nothing() -> None:
    """A dash among amounts is 0, an empty cell is no value."""
    assert (COSTS.value(5, 2), COSTS.value(0, 1)) == (0.0, None)


def test_one_percent_sign_speaks_for_its_column() -> None:
    """Cells without a sign beneath one with it are percentages, unless the column holds amounts as well."""
    shares = grid(["channel", "share"], ["Desk", "62%"], ["Phone", "38"])
    mixed = grid(["line", "2024"], ["Sales", "4,120"], ["Margin", "38%"])
    assert (shares.percent(1, 1), mixed.percent(0, 1)) == (True, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FY24", {2024}),
        ("fy2024_keur", {2024}),
        ("Year ended 30 June 2023", {2023}),
        ("2018/19", {2018, 2019}),
        ("2,019 tickets", set()),
        ("Q3 '22", {2022}),
    ],
)
def test_years_are_read_as_people_write_them(text: str, expected: set[int]) -> None:
    """Years stand in full, as fiscal years, and as seasons; a count is none."""
    assert years_in(text) == expected


@pytest.mark.parametrize(
    ("later", "earlier", "expected"),
    [("fares_2024", "fares_2023", 1), ("fares", "fares_previous", 1), ("前年売上", "売上", -1), ("fares", "riders", 0)],
)
def test_columns_of_two_periods_have_an_order(later: str, earlier: str, expected: int) -> None:
    """Of two columns the later is told by its year, or by the other's being the previous one."""
    table = grid([later, earlier], [1, 2]).table
    assert period_order(table, 0, 1) == expected
