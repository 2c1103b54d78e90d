"""What something rose or fell to, held against the period before."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

WEEKS = result(
    ["iso_week", column("sign_ups", aggregation="count"), column("no_show_rate", "ratio", "avg")],
    ["2025-W21", 610, 0.31],
    ["2025-W22", 640, 0.29],
    ["2025-W23", 590, 0.33],
    ["2025-W24", 720, 0.26],
)
UNITS = result(
    ["unit", column("fy2023_keur", "EUR thousand", "sum"), column("fy2024_keur", "EUR thousand", "sum")],
    ["Harbour", 4200, 5100],
    ["Depot", 9800, 9300],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The no-show rate fell to 26 %.", {"26 %": True}),
        ("The no-show rate rose to 26 %.", {"26 %": False}),
        ("Sign-ups climbed to 720.", {"720": True}),
        ("Sign-ups dropped to 720.", {"720": False}),
        ("Die no_show_rate stieg auf 26 %.", {"26 %": False}),
        ("Die no_show_rate sank auf 26 %.", {"26 %": True}),
        ("Le no_show_rate a augmenté à 26 %.", {"26 %": False}),
        ("Le no_show_rate a baissé à 26 %.", {"26 %": True}),
        ("La no_show_rate subió a 26 %.", {"26 %": False}),
        ("La no_show_rate bajó a 26 %.", {"26 %": True}),
        ("De no_show_rate steeg naar 26 %.", {"26 %": False}),
        ("De no_show_rate daalde naar 26 %.", {"26 %": True}),
        ("The no-show rate rose from 26 % to 33 %.", {"26 %": True, "33 %": True}),
        ("The no-show rate rose from 33 % to 26 %.", {"33 %": True, "26 %": False}),
    ],
)
def test_a_change_to_a_value_is_held_against_the_period_before(answer: str, expected: Verdicts) -> None:
    """In five languages, what rose to a value was lower before, and what fell to it higher."""
    assert expected == verdicts(answer, WEEKS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Harbour grew to 5,100 thousand.", {"5,100 thousand": True}),
        ("Harbour slipped to 5,100 thousand.", {"5,100 thousand": False}),
        ("Depot slipped to 9,300 thousand.", {"9,300 thousand": True}),
        ("Depot slipped to 9,800 thousand.", {"9,800 thousand": False}),
    ],
)
def test_columns_of_periods_are_compared_too(answer: str, expected: Verdicts) -> None:
    """Of columns of years the later one is what a value changed to, and the earlier one what it changed from."""
    assert expected == verdicts(answer, UNITS)


@pytest.mark.parametrize(
    ("answer", "figure"),
    [
        ("In week 23 the no-show rate was 33 %, and the no-show rate rose to 31 % in week 21.", "31 %"),
        ("The no-show rate would rise to 26 % if nothing was done.", "26 %"),
        ("Compared with the plan, the no-show rate rose to 26 %.", "26 %"),
    ],
)
def test_a_change_against_something_else_is_not_judged(answer: str, figure: str) -> None:
    """A named period, a condition or a plan may be what the change is against."""
    assert verdicts(answer, WEEKS)[figure] is True


def test_a_change_against_the_words_says_what_was_before() -> None:
    """The explanation gives the value of the period before."""
    assert figures("Sign-ups dropped to 720.", WEEKS)[0].explanation == "before it sign ups for 2025-W23 is 590"
