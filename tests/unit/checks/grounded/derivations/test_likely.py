"""Calculations that no word announces, and rates per something."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

FARMS = result(
    [
        "herd",
        "cows",
        column("litres_month", "l", "sum"),
        column("feed_cost", "EUR", "sum"),
        column("grazed", "%", "ratio"),
    ],
    ["Ashfield", 112, 98560, 31255, 64],
    ["Broom", 86, 70950, 20410, 51],
    ["Cinder Lane", 140, 131600, 44190, 72],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Cinder Lane gives 940 litres per cow, Broom 825 litres.", {"940 litres": True, "825 litres": True}),
        ("Cinder Lane gives 825 litres per cow.", {"825 litres": False}),
        (
            "Litres per cow last month:\n- Ashfield: 880 litres\n- Broom: 940 litres",
            {"880 litres": True, "940 litres": False},
        ),
        ("Je Tier liefert Ashfield 880 Liter.", {"880 Liter": True}),
        ("Over all herds the yield is 891 litres per cow.", {"891 litres": True}),
    ],
)
def test_a_rate_is_per_what_the_words_say(answer: str, expected: Verdicts) -> None:
    """One column over another, of the row that owns it."""
    assert expected == verdicts(answer, FARMS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The herds of this farm are all fine. 301,110 litres left it last month.", True),
        ("At Broom and Ashfield the month ended with 169,510 litres.", True),
        ("At Broom and Ashfield the month ended with 169,910 litres.", False),
        ("Ashfield did fine, and the other herds gave 202,550 litres.", True),
        ("Cinder Lane's cows spent the remaining 28 % of the days in the barn.", True),
        ("The herds of this farm are fine, and 37 of them were vaccinated.", False),
    ],
)
def test_many_digits_are_no_accident(answer: str, expected: bool) -> None:
    """What few formulas over the named rows give to the last digit follows from them; two digits prove nothing."""
    assert {expected} == set(verdicts(answer, FARMS).values())


def test_the_explanation_names_the_formula() -> None:
    """A reviewer can do the sum again."""
    (found,) = figures("Cinder Lane gives 940 litres per cow.", FARMS)
    assert found.source
    assert ("derived", "ratio") == (found.source["kind"], found.source["derivation"])


MOORINGS = result(
    ["port", "berths_booked", "berths_total", column("fees", "EUR", "sum")],
    ["Lee Haven", 412, 520, 98114],
    ["North Mole", 377, 401, 70222],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Lee Haven took €98,114, against €70,222 at North Mole.", {"€98,114": True, "€70,222": True}),
        ("Lee Haven took €98,114 versus €70,222.", {"€98,114": True, "€70,222": True}),
        ("Lee Haven took €70,222.", {"€70,222": False}),
        ("At Lee Haven the 412 guests were pleased.", {"412": True}),
    ],
)
def test_a_comparison_and_a_distinctive_value_of_the_row_are_left_alone(answer: str, expected: Verdicts) -> None:
    """What another row is set against, and what hardly stands in the named row by accident."""
    assert expected == verdicts(answer, MOORINGS)
