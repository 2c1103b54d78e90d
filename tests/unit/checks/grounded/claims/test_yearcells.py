"""Bare years, and years and distances between what the named rows hold."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, result, verdicts

MILLS = result(
    ["mill", "town", "founded", "rebuilt", "fate"],
    ["Red Mill", "Oldby", 1887, "May 4, 1921", "closed 1962"],
    ["Far Mill", "Oldby", 1904, "June 9, 1933", "sold 1971"],
    ["Low Mill", "Tarn", 1911, "July 1, 1940", "closed 1985"],
)
STOPS = result(
    ["stop", "distance (km)", "riders"], ["Harbour", 3.1, 410], ["Hillside", 7.4, 220], ["Airport", 15.9, 905]
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Far Mill was founded in 1904.", {"1904": True}),
        ("Far Mill was founded in 1887.", {"1887": False}),
        ("Far Mill, founded in 1911, was sold later.", {"1911": False}),
        ("far mill of oldby was set up in 1887.", {"1887": False}),
        ("far mill of oldby was set up in 1904.", {"1904": True}),
        ("Far Mill was sold in 1971.", {"1971": True}),
        ("Far Mill was founded before 1911.", {"1911": True}),
        ("In 1911, nobody spoke of Far Mill.", {"1911": True}),
        ("Far Mill is older than Low Mill of 1911.", {"1911": True}),
    ],
)
def test_a_year_belongs_to_the_row_that_is_named(answer: str, expected: Verdicts) -> None:
    """A year of another row's is wrong for the one named, unless the words set it before, after or beside."""
    assert expected == verdicts(answer, MILLS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Red Mill closed 41 years after it was rebuilt.", {"41": True}),
        ("Red Mill closed 44 years after it was rebuilt.", {"44": False}),
        ("The last mill was founded 24 years after the first.", {"24": True}),
    ],
)
def test_years_between_two_dates_are_counted(answer: str, expected: Verdicts) -> None:
    """The years between two of a row's dates, or from the first to the last, follow from them."""
    assert expected == verdicts(answer, MILLS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is 8.5 km from Hillside to Airport.", {"8.5 km": True}),
        ("It is 9.5 km from Hillside to Airport.", {"9.5 km": False}),
    ],
)
def test_the_distance_of_two_rows_is_the_difference_of_theirs(answer: str, expected: Verdicts) -> None:
    """From one named row to another it is as far as their values in that unit lie apart."""
    assert expected == verdicts(answer, STOPS)
