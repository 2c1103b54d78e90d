"""Numbers in text cells: how a table writes them is told by the table."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.checks.grounded.evidence.contents import number
from tests.unit.checks.grounded.turns import result, verdicts

TOWNS = ["Alm", "Bode", "Calw"]


def said(answer: str, *columns: list[Any]) -> dict[str, bool | None]:
    names = ["town", *(f"measure{number}" for number in range(len(columns)))]
    return verdicts(answer, result(names, *map(list, zip(TOWNS, *columns, strict=True))))


@pytest.mark.parametrize(
    "shows", [["1.204,5", "880,0", "2.000,1"], ["4.120.500", "2.385.250", "5.904.000"], ["2,6", "11,4", "9,0"]]
)
def test_a_decimal_comma_anywhere_tells_what_points_mean(shows: list[str]) -> None:
    """Where commas are decimal marks, 52.330 is fifty-two thousand."""
    texts = ["38.210", "21.904", "52.330"]
    assert {"52,330": True} == said("Calw has a measure0 of 52,330.", texts, shows)
    assert {"52.3": False} == said("Calw has a measure0 of 52.3.", texts, shows)


@pytest.mark.parametrize("shows", [["1,204.5", "880.0", "2,000.1"], ["2.6", "11.4", "9.0"], [1, 2, 3]])
def test_three_decimals_stay_decimals(shows: list[Any]) -> None:
    """Three digits after every point are no proof: lap times have them too."""
    texts = ["38.210", "21.904", "52.330"]
    assert {"52.3": True} == said("Calw has a measure0 of 52.3.", texts, shows)


def test_a_derivation_reads_cells_as_the_table_writes_them() -> None:
    """A ratio of two text numbers takes both in one locale."""
    answer = "Per measure0 Calw used 113 measure1 on average."
    texts, litres = ["38.210", "21.904", "52.330"], ["4.120.500", "2.385.250", "5.904.000"]
    assert {"113": True} == said(answer, texts, litres)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("(1.204,5)", -1204.5), ("−1.204,5", -1204.5), ("1.204,5-", -1204.5), ("(1.204,5) €", -1204.5), ("€ (1,204.5)", -1204.5),
        ("(475)", -475), ("(3.2%)", -3.2), ("(3.2)%", -3.2), ("1’204.50", 1204.5), ("1 204,5 €", 1204.5), ("12,5 %", 12.5), ("٪١٢٫٥", 12.5),
        ("١٬٢٠٤٫٥", 1204.5), ("१,२०,४००", 120400), ("3,5 Mio. €", 3.5e6), ("3.5億円", 3.5e8), ("12.05.2024", None), ("2024-05-12", None),
        ("A-12", None), ("", None),
    ],
)  # fmt: skip
def test_a_text_cell_is_the_number_it_says(cell: str, value: float | None) -> None:
    """Brackets and a trailing minus are signs; digits and marks of any script are read; dates and codes are no numbers."""
    assert value == number(cell)
