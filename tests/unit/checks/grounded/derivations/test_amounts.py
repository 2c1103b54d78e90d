"""Arithmetic of prices and payments, over what the user said, the answer states and cells hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.checks.grounded.turns import figures, result, turn, verdicts

FLIGHTS = result(["flight", "price", "seats"], ["HAT1", 174, 4], ["HAT2", 112, 9], ["HAT3", 104, 9], ["HAT4", 95, 2])
CARD = result(["card", "balance"], ["c1", 348])
PAID = result(["payment", "amount"], ["p1", 2787])


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("The total is $348 ($174 per passenger).", "Book for 2 passengers", True),
        ("The total is $348 ($174 per passenger).", "Book it", True),
        ("The total is $348 ($174 per passenger).", "Book for 3 passengers", False),
        ("The total is $358 ($174 per passenger).", "Book it", False),
        ("Two seats at $112 each come to $224.", "Book", True),
        ("Two seats at $112 each come to $226.", "Book", False),
        ("The total cost for two passengers is $348.", "Book HAT1", True),
        ("The total cost for three passengers is $348.", "Book HAT1", False),
        ("The total cost for HAT1 is $348.", "Book for us", True),
        ("The total cost is $349.", "Book for two passengers", False),
        ("HAT2, then HAT3. Total cost: $216", "Book", True),
        ("HAT2, then HAT3. Total cost: $217", "Book", False),
    ],
)
def test_so_many_times_a_price(answer: str, question: str, expected: bool) -> None:
    """Two passengers pay twice; any other multiple is made up."""
    found = {figure.text: figure.grounded for figure in figures(answer, FLIGHTS, question=question)}
    assert expected is found[max((text for text in found if text[0] == "$"), key=lambda text: int(text[1:]))]


@pytest.mark.parametrize(
    ("answer", "results", "more", "expected"),
    [
        ("You have a remaining balance of $198.", [CARD], {"question": "Use $150 of my card"}, True),
        ("You have a remaining balance of $199.", [CARD], {"question": "Use $150 of my card"}, False),
        ("You have $198 left.", [CARD], {"question": "Use $150 of my card"}, True),
        ("It costs $198.", [CARD], {"question": "Use $150 of my card"}, False),
        ("The balance is $348. $198 goes on the card.", [CARD], {"question": "Pay $150, and the rest by card"}, True),
        ("The flight is $112. The difference of $2,675 will be refunded.", [FLIGHTS, PAID], {}, True),
        ("The flight is $112. The difference of $2,676 will be refunded.", [FLIGHTS, PAID], {}, False),
    ],
)
def test_what_is_left_of_an_amount(answer: str, results: list[Any], more: dict[str, str], expected: bool) -> None:
    """The user's own figures count, and words must announce the arithmetic."""
    last = figures(answer, *results, **more)[-1]
    assert expected is last.grounded


@pytest.mark.parametrize(("last", "expected"), [("$220", True), ("$221", False)])
def test_the_last_part_of_a_payment(last: str, expected: bool) -> None:
    """Parts that make up a known price need no word for it."""
    cards = result(["card", "amount"], ["g1", 128], ["g2", 30])
    price = result(["flight", "price"], ["HAT1", 348], ["HAT2", 95])
    answer = f"- Payment:\n  - Gift card: $128\n  - Credit card: {last}"
    assert expected is figures(answer, cards, price)[-1].grounded


def test_a_count_of_an_earlier_question_counts() -> None:
    """The user said it two turns ago."""
    before = [turn("Fine.", FLIGHTS, question="There are two of us"), turn("Good.", index=1, question="HAT1 please")]
    assert {"$348": True} == verdicts("The total price is $348.", earlier=before, question="Yes")


def test_a_derived_amount_says_how() -> None:
    """A reviewer sees the operands."""
    found = figures("The total is $348 ($174 per passenger).", FLIGHTS, question="Book for 2 passengers")
    assert "2 times $174" == found[0].explanation
