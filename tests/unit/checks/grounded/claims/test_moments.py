"""Dates, years and clock times are those of the row that the sentence names."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, figures, result, verdicts

CUSTOMERS = result(
    ["customer", "region", "first_order", "orders"],
    ["Aurora Media", "North", "2024-03-05", 12],
    ["Kite Foods", "North", "2024-04-09", 14],
    ["Nord Steel", "South", "2024-05-11", 19],
)
SITES = result(
    ["site", "opened", "renovated"],
    ["Halle 4", "1998", "2016"],
    ["Dach Süd", "2011", "2019"],
    ["Carport", "2019", "2021 - 2022"],
)
INCIDENTS = result(
    ["incident", "started_at", "ended_at"],
    ["INC-1", "2025-03-30T01:10:00Z", "2025-03-30T01:25:00Z"],
    ["INC-2", "2025-07-01T10:00:00Z", "2025-07-01T10:20:00Z"],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Kite Foods placed its first order on 9 April 2024.", True),
        ("Aurora Media placed its first order on 9 April 2024.", False),
        ("Aurora Media first ordered in April 2024.", False),
        ("Aurora Media first ordered in March 2024.", True),
        ("Aurora Media has 12 orders; the first one, on 9 April 2024.", False),
        ("Aurora Media did not order on 9 April 2024.", True),
        ("Aurora Media ordered before 9 April 2024.", True),
        ("Aurora Media and Kite Foods ordered by 9 April 2024.", True),
        ("The first orders came on 9 April 2024.", True),
        ("Aurora Media in North ordered on 9 April 2024.", True),
    ],
)
def test_a_date_belongs_to_the_row_named(answer: str, expected: bool) -> None:
    """Another row's date is wrong, unless a name is that row's too, or the words only place something near it."""
    dates = [figure.grounded for figure in figures(answer, CUSTOMERS) if "2024" in figure.text or figure.text == "9"]
    assert [expected] == dates


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Halle 4 was opened in 1998.", {"1998": True}),
        ("Halle 4 was opened in 2011.", {"2011": False}),
        ("Halle 4 was renovated in 2019.", {"2019": False}),
        ("Carport was renovated in 2021.", {"2021": True}),
        ("Carport was renovated between 2021 and 2022.", {"2021": True, "2022": True}),
        ("Dach Süd opened in 2011 and Carport in 2019.", {"2011": True, "2019": True}),
        ("Dach Süd opened in 2019 and Carport in 2011.", {"2019": False, "2011": False}),
        ("Halle 4 has been there since before 2011.", {"2011": True}),
        ("Halle 4 opened in 1998 with the roof of 2011.", {"1998": True, "2011": True}),
        ("Two sites were opened after 2011.", {"2011": True}),
    ],
)
def test_a_year_written_as_text_is_a_date(answer: str, expected: Verdicts) -> None:
    """A year that another row has does not explain the named row's; years in a cell's stretch of years do."""
    found = verdicts(answer, SITES)
    assert expected == {text: found[text] for text in expected}


def test_a_year_that_the_query_sets_may_be_repeated() -> None:
    """A filter on the year explains it, whatever the row says."""
    said = verdicts("Halle 4 was in use in 2011.", SITES, sql="SELECT * FROM sites WHERE year = 2011")
    assert {"2011": True} == said


def test_a_year_that_the_question_gives_may_be_repeated() -> None:
    """What the user said explains a year, whatever the row says."""
    said = verdicts("Halle 4 was opened in 2011.", SITES, question="Was Halle 4 opened in 2011?")
    assert {"2011": True} == said


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("Kite Foods first ordered on 10 April 2024.", ["10"]),
        ("Kite Foods first ordered on 9 April 2023.", ["2023"]),
        ("Kite Foods first ordered on 9 May 2023.", ["9 May 2023"]),
        ("Orders came on 12 May 2024.", ["12"]),
    ],
)
def test_of_a_wrong_date_only_the_wrong_part_is_flagged(answer: str, wrong: list[str]) -> None:
    """The day, or the year, where all else is right; its place is in the answer."""
    flagged = [figure for figure in figures(answer, CUSTOMERS) if figure.grounded is False]
    assert wrong == [answer[figure.start : figure.end] for figure in flagged]


def test_a_date_that_nothing_gives_is_told_the_row_s_own() -> None:
    """The reviewer sees what the row says instead."""
    said = [figure.explanation for figure in figures("Kite Foods first ordered on 9 May 2023.", CUSTOMERS)]
    assert [
        "no result, question, definition or filter has this date or period; Kite Foods' first order is 2024-04-09"
    ] == said


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("INC-1 ended at 03:25 Berlin time.", True),
        ("INC-1 ended at 02:25 Berlin time.", False),
        ("INC-1 ended at 01:25 Berlin time.", False),
        ("INC-1 ended at 01:25 UTC.", True),
        ("INC-2 endete um 12:20 Berliner Zeit.", True),
        ("INC-2 ended at 06:20 New York time.", True),
        ("INC-2 ended at 05:20 New York time.", False),
    ],
)
def test_a_time_of_a_place_is_converted(answer: str, expected: bool) -> None:
    """Summer time included."""
    assert [expected] == [figure.grounded for figure in figures(answer, INCIDENTS)]


def test_a_note_in_the_row_named_gives_its_years() -> None:
    """What the row's own note says is not another row's."""
    sites = result(["site", "opened", "note"], ["Halle 4", "1998", "closed 2011"], ["Dach Süd", "2011", ""])
    assert {"2011": True} == verdicts("Halle 4 was shut in 2011.", sites)


def test_a_note_in_a_cell_gives_its_dates() -> None:
    """A date inside a longer text explains one in another writing."""
    notes = result(["device", "note"], ["Sensor A", "Announced 2009, February. Released 2009, October"])
    answer = "Sensor A was released in October 2009 and shipped in March 2010."
    assert {"October 2009": True, "March 2010": False} == verdicts(answer, notes)
