"""Fractions and multiples in words: what they are of must be said, and then they hold or do not."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

CLINICS = result(
    ["clinic", column("visits", aggregation="sum"), column("refunds_eur", "EUR", "sum")],
    ["Alder", 2400, 900.0],
    ["Birch", 1200, 300.0],
    ["Cedar", 900, 600.0],
    ["Dogwood", 300, 120.0],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Alder had 2,400 visits, half of the total.", {"half": True}),
        ("Alder had 2,400 visits, nearly two thirds of the total.", {"two thirds": False}),
        ("Birch had 1,200 visits, exactly half of Alder's.", {"half": True}),
        ("Birch had 1,200 visits, a third of Alder's.", {"a third": False}),
        ("Birch had 1,200 visits, a quarter of the 4,800 overall.", {"a quarter": True}),
        ("Birch had 1,200 visits, three quarters of the 4,800 overall.", {"three quarters": False}),
        ("Birch hatte 1.200 visits, ein Viertel der Gesamtzahl.", {"ein Viertel": True}),
        ("Birch hatte 1.200 visits, die Hälfte der Gesamtzahl.", {"die Hälfte": False}),
        ("Birch a eu 1 200 visits, un quart du total.", {"un quart": True}),
        ("Birch a eu 1 200 visits, la moitié du total.", {"la moitié": False}),
        ("Birch tuvo 1.200 visits, la mitad de las de Alder.", {"la mitad": True}),
        ("Birch tuvo 1.200 visits, dos tercios del total.", {"dos tercios": False}),
        ("Birch had 1.200 visits, een kwart van het totaal.", {"een kwart": True}),
        ("Birch had 1.200 visits, de helft van het totaal.", {"de helft": False}),
    ],
)
def test_a_fraction_of_what_the_words_name_is_worked_out(answer: str, expected: Verdicts) -> None:
    """The part is the amount right before it; the whole is the total, the row or the amount after *of*."""
    found = verdicts(answer, CLINICS)
    assert expected == {text: found.get(text) for text in expected}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Alder had twice as many visits as Birch.", {"twice": True}),
        ("Cedar had 900 of the visits, double that of Dogwood.", {"double": False}),
        ("Alder hatte doppelt so viele visits wie Birch und mehr als die anderen.", {"doppelt": True}),
        ("Cedar hatte doppelt so viele visits wie Dogwood und mehr als die anderen.", {"doppelt": False}),
        ("Cedar a fait 900 visits et le triple de Dogwood.", {"le triple": True}),
        ("Cedar a fait 900 visits et le double de Dogwood.", {"le double": False}),
        ("Birch superó en un tercio los visits de Cedar.", {"un tercio": True}),
        ("Birch superó en un tercio los visits de Alder.", {"un tercio": False}),
        ("Birch had a third more visits than Cedar.", {"a third": True}),
        ("Birch had a third more visits than Alder.", {"a third": False}),
    ],
)
def test_a_multiple_of_another_row_is_worked_out(answer: str, expected: Verdicts) -> None:
    """Two rows named, one of them so many times the other, or more than it by a fraction."""
    found = verdicts(answer, CLINICS)
    assert expected == {text: found.get(text) for text in expected}


@pytest.mark.parametrize(
    "answer",
    [
        "Birch had 1,200 visits, two thirds of them in the morning.",
        "Half of Birch's patients came back.",
        "Birch had 1,200 visits, two thirds in June.",
        "Visits doubled.",
    ],
)
def test_a_fraction_of_something_unnamed_is_left_out(answer: str) -> None:
    """Where nothing says what the whole is, a fraction in words is no figure that can be checked."""
    assert not {"two thirds", "Half", "doubled", "twice"} & set(verdicts(answer, CLINICS))


def test_parts_of_few_are_close_to_what_they_say() -> None:
    """1 in 2 is no share of two thirds; the amount before it is the part."""
    groups = result(["cohort", "joined", "active"], ["2025-03", 1800, 930], ["2025-04", 2000, 1310])
    answer = "Of the cohort of March 2025 930 are active, roughly {}."
    assert verdicts(answer.format("1 in 2"), groups)["1 in 2"] is True
    assert verdicts(answer.format("2 in 3"), groups)["2 in 3"] is False


def test_a_fraction_of_a_wrong_amount_is_wrong() -> None:
    """A third of a limit that nothing gives is wrong, though the division is right."""
    found = verdicts("Cedar had 900 visits, a third of the permitted 2,700.", CLINICS)
    assert (found["2,700"], found["a third"]) == (False, False)


def test_a_wrong_fraction_says_the_right_share() -> None:
    """The explanation gives the share of what the words name."""
    found = {each.text: each for each in figures("Birch had 1,200 visits, half of the total.", CLINICS)}
    assert found["half"].explanation == "Birch's visits as a share of the total visits is 25%"
