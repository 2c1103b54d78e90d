"""The formulas of analysts over what the words name, and what is no formula of theirs."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

SHOPS = result(
    [
        "shop",
        "format",
        column("orders", "", "count"),
        column("returned", "", "count"),
        column("sales_eur", "EUR", "sum"),
        column("items_per_order", "", "avg"),
    ],
    ["Quayside", "outlet", 1840, 83, 92736, 2.5],
    ["Millrace", "outlet", 2215, 124, 118502, 3.1],
    ["Foundry", "store", 960, 17, 71520, 4.2],
    ["Elmgate", "store", 1385, 46, 80330, 2.8],
)
PARTS = result(
    [
        "depot",
        column("Jan", "", "count"),
        column("Feb", "", "count"),
        column("Mar", "", "count"),
        column("Apr", "", "count"),
    ],
    ["Harrow", 418, 377, 402, 461],
    ["Linton", 233, 251, 219, 264],
    ["Sedge", 608, 592, 641, 655],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Returned orders matter most at Millrace, with 5.6% of orders returned.", {"5.6%": True}),
        ("Returned orders matter most at Millrace, with 6.5% of orders returned.", {"6.5%": False}),
        ("Returned orders matter most at Millrace, with 4.5% of orders returned.", {"4.5%": False}),
    ],
)
def test_the_ratio_of_two_named_columns_needs_few_digits(answer: str, expected: Verdicts) -> None:
    """Two digits prove a ratio of the named row where the words name both columns, and no other row's."""
    assert expected == verdicts(answer, SHOPS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Harrow handed out 1,197 parts in January–March.", True),
        ("Harrow handed out 1,658 parts in January–March.", True),
        ("Harrow handed out 1,179 parts in January–March.", False),
        ("Harrow handed out 1,263 parts in January–March.", False),
    ],
)
def test_periods_of_a_row_add_up(answer: str, expected: bool) -> None:
    """A row's columns of periods, all or those from one named month to another, are summed; never another row's."""
    assert expected == all(verdicts(answer, PARTS).values())


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Items times orders comes to 19,376.5 over all shops.", True),
        ("Items times orders comes to 19,736.5 over all shops.", False),
        ("Across all orders the average is 3.0 items per order.", True),
    ],
)
def test_products_are_summed(answer: str, expected: bool) -> None:
    """A count times an average is summed over the rows, and gives the weighted mean."""
    assert expected == all(verdicts(answer, SHOPS).values())
