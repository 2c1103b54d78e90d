"""Cells are found by value, whatever stands around them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.evidence.index import Cell, Evidence


def table(*rows: list[Any], units: list[str] | None = None) -> Evidence:
    columns = [f"c{number}" for number in range(len(rows[0]))]
    return evidence_of_record("", [{"kind": "table", "columns": columns, "rows": list(rows), "units": units}])


def test_every_cell_between_two_values_is_found() -> None:
    """The order of rows, equal values and the other columns do not matter; bounds belong to what is found."""
    rng = random.Random(5)
    rows: list[list[Any]] = [
        [f"row {n}", rng.randrange(20), rng.choice([0.5, 2.5, None]), str(rng.randrange(9))] for n in range(60)
    ]
    evidence = table(*rows)
    for low, high in ((3, 7), (2.5, 2.5), (19, 40), (-5, -1), (0, 0.5)):
        expected = [
            Cell(0, n, c)
            for n, row in enumerate(rows)
            for c in (1, 2, 3)
            if row[c] is not None and low <= float(row[c]) <= high
        ]
        assert expected == sorted(evidence.between(low, high))


def test_a_column_in_thousands_is_found_by_its_whole_value() -> None:
    """The magnitude that a column declares counts."""
    evidence = table(["Aurora", 12.4], ["Cloudline", 9.1], units=["", "thousand EUR"])
    assert [Cell(0, 1, 1)] == evidence.between(9_099.9, 9_100.1)
    assert [] == evidence.between(9, 10)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), 10**400, True, None])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_number_hides_no_other(odd: Any, place: int) -> None:
    """Beside values that are not looked at the others of the column are found, and only they."""
    values: list[Any] = [1.5, 2.5]
    values.insert(place, odd)
    evidence = table(*([value, "x"] for value in values))
    expected = [Cell(0, row, 0) for row, value in enumerate(values) if value in (1.5, 2.5)]
    assert expected == evidence.between(1.5, 2.5)
    assert expected == sorted(evidence.between(-1e305, 1e305))


def test_names_without_digits_name_rows_and_months_are_dates() -> None:
    """A column of names may hold a month, which then is a date; a column of plain names holds none."""
    assert [] == table(["Aurora Express", 1], ["Cloudline", 2]).moments
    assert [3] == [moment.month for moment, _ in table(["Aurora Express", 1], [" March ", 2]).moments]
