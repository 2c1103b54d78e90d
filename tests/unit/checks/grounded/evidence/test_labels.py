"""What people call rows and columns."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.evidence.labels import readable, shown, verb
from tests.unit.checks.grounded.turns import column, figures, result


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("avg_delay_min", "average delay (min)"),
        ("revenue_kusd", "revenue (kUSD)"),
        ("price_eur_mwh", "price (EUR/mwh)"),
        ("flights", "flights"),
        ("cancellationRate", "cancellation rate"),
        ("sales.total_sales", "total sales"),
        ("num_orders", "number of orders"),
        ("COUNT(*)", "COUNT(*)"),
        ("On-time share, %", "On-time share, %"),
        ("订单数", "订单数"),
        ("min", "min"),
        ("m3", "m3"),
    ],
)
def test_column_names_are_read_as_words(name: str, expected: str) -> None:
    """Identifiers become words, their unit stands in brackets; what was written for people stays."""
    assert expected == readable(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Aurora's flights", "are"), ("average delay", "is"), ("number of flights", "is"), ("status", "is"), ("sales (kUSD)", "are")],
)  # fmt: skip
def test_verbs_agree(name: str, expected: str) -> None:
    """*Flights are*, *the number of flights is*."""
    assert expected == verb(name)


@pytest.mark.parametrize(
    ("content", "expected"), [(1374, "1,374"), (2012, "2012"), (12.50, "12.5"), (None, "empty"), ("1 234", "1 234")]
)
def test_values_are_shown_for_people(content: object, expected: str) -> None:
    """With separators, but for what may be a year."""
    assert expected == shown(content)


@pytest.mark.parametrize(
    ("rows", "answer", "expected"),
    [
        ([["Aurora", "Berlin", 1374], ["Solvia", "Bonn", 7]], "Aurora had 1,374.", "Aurora's flights are 1,374"),
        ([["Aurora", "Berlin", 1374], ["Aurora", "Bonn", 7]], "Aurora had 1,374.", "Aurora / Berlin's flights are 1,374"),
        ([["2026-08", "Aurora", 1374], ["2026-09", "Aurora", 7]], "It had 1,374.", "Aurora's flights for 2026-08 are 1,374"),
        ([["Aurora", 2025, 1374], ["Aurora", 2026, 7]], "It had 1,374.", "Aurora's flights for 2025 are 1,374"),
        ([[None, None, 1374], [None, None, 7]], "It had 1,374.", "row 1's flights are 1,374"),
    ],
)  # fmt: skip
def test_rows_are_called_by_what_tells_them_apart(rows: list[list[object]], answer: str, expected: str) -> None:
    """One name where it is enough, two where it is not, a date as a date, a number only for want of anything."""
    found = figures(answer, result(["a", "b", column("flights", None, "count")], *rows))
    assert [expected] == [figure.explanation for figure in found]
