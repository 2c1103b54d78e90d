"""Negative amounts: written without their minus where words or the column say what they are, wrong elsewhere."""

from __future__ import annotations

import pytest

from monitor.conversation import ResultTable
from tests.unit.checks.grounded.turns import column, figures, result, value

PAYMENTS = result(["payment_id", "amount"], ["p1", 2787], ["p1", -2544])
PROFIT = result(["carrier", column("profit", "EUR", "sum")], ["Aurora", -3200], ["Cloudline", 100])
TRADE = result(["country", column("trade_gap", "million USD", "sum")], ["Norland", -320], ["Sudland", 150])


@pytest.mark.parametrize(
    ("answer", "evidence", "expected"),
    [
        ("A refund of $2,544 will be made.", PAYMENTS, True),
        ("The amount was $2,544.", PAYMENTS, True),
        ("We will credit $2,544 to your card.", PAYMENTS, True),
        ("A refund of $2,545 will be made.", PAYMENTS, False),
        ("The amount rose by $2,544.", PAYMENTS, False),
        ("Aurora made a loss of €3,200.", PROFIT, True),
        ("Aurora machte einen Verlust von 3.200 €.", PROFIT, True),
        ("Aurora made a profit of €3,200.", PROFIT, False),
        ("Norland ran a deficit of $320 million.", TRADE, True),
        ("Sudland ran a deficit of $320 million.", TRADE, False),
        ("Norland's trade gap was $320 million.", TRADE, False),
        ("The margin is 3.2 %.", value(-3.2, "percent", "margin"), False),
        ("It is 5 °C.", value(-5, "°C", "temperature"), False),
    ],
)
def test_the_sign_of_an_amount_comes_from_words_or_its_column(
    answer: str, evidence: ResultTable, expected: bool
) -> None:
    """A refund is a negative payment; a profit, a share or a temperature needs its minus."""
    assert [expected] == [figure.grounded for figure in figures(answer, evidence)]
