"""Binding in ordinary sentences: whose value, of what, and when."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

CARRIERS = result(
    ["carrier", column("avg_delay", "min", "avg"), "flights", "cancelled"],
    ["Aurora", 12.4, 1200, 12],
    ["Cloudline", 9.1, 900, 8],
    ["Norwind", 17.9, 942, 31],
)
TIMES = result(
    ["flight_number", "scheduled_departure", "scheduled_arrival", "price"],
    ["HAT052", "03:00:00", "07:00:00", 125],
    ["HAT102", "21:00:00", "01:00:00+1", 100],
    ["HAT139", "17:00:00", "19:00:00", 114],
)
ORDERS = result(["order", "shipped", "paid"], ["A17", "2026-04-02", "2026-03-30"], ["B20", "2026-04-09", "2026-04-01"])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "Cloudline was late by 12.4 minutes and Aurora by 9.1 minutes.",
            {"12.4 minutes": False, "9.1 minutes": False},
        ),
        ("Aurora was late by 12.4 minutes and Cloudline by 9.1 minutes.", {"12.4 minutes": True, "9.1 minutes": True}),
        ("Cloudline had 1,200 flights and Aurora 900.", {"1,200": False, "900": False}),
        ("Cloudline had 1,200, Aurora 900, and Norwind 942.", {"1,200": False, "900": False, "942": True}),
        ("Cloudline was late by 12.4 minutes.", {"12.4 minutes": False}),
        ("Aurora's delay exceeded Cloudline's by 3.3 minutes.", {"3.3 minutes": True}),
    ],
)
def test_each_clause_has_its_own_row(answer: str, expected: Verdicts) -> None:
    """Swapped values are both wrong."""
    assert expected == verdicts(answer, CARRIERS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Aurora cancelled 1,200 flights.", False),
        ("Aurora cancelled 12 flights.", True),
        ("1,200 Aurora flights were cancelled.", False),
        ("At Aurora, 1,200 flights were cancelled.", False),
        ("At Aurora, 12 flights were cancelled.", True),
        ("Aurora had 1,200 cancelled flights.", False),
        ("Aurora operated 1,200 flights.", True),
        ("Aurora cancelled 12 of its 1,200 flights.", True),
        ("Aurora flew 1,200 flights, of which 12 were cancelled.", True),
        ("The 1,200 delayed Aurora flights.", True),
    ],
)
def test_a_verb_names_the_column_of_what_was_done(answer: str, expected: bool) -> None:
    """Cancelled flights are no flights."""
    assert expected is verdicts(answer, CARRIERS)["1,200" if "1,200" in answer else "12"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("HAT052 departs at 21:00 and HAT102 at 03:00.", {"21:00": False, "03:00": False}),
        ("HAT052 departs at 03:00 and HAT102 at 21:00.", {"03:00": True, "21:00": True}),
        ("HAT052 departs at 3:00 AM and arrives at 7:00 AM today.", {"3:00 AM": True, "7:00 AM": True}),
        ("HAT052 departs at 07:00.", {"07:00": False}),
        ("HAT052 departs at 03:00, connecting at 17:00.", {"03:00": True, "17:00": True}),
        ("There are departures at 03:00, 17:00 and 21:00.", {"03:00": True, "17:00": True, "21:00": True}),
    ],
)
def test_a_time_belongs_to_its_row_and_column(answer: str, expected: Verdicts) -> None:
    """A clock time is a value like any other."""
    assert expected == verdicts(answer, TIMES)


@pytest.mark.parametrize(
    ("answer", "more", "expected"),
    [
        ("A17 was shipped on 2026-04-09.", {}, False),
        ("A17 was shipped on 2026-04-02.", {}, True),
        ("A17 was shipped on 9 April 2026.", {}, False),
        ("Orders shipped on 2026-04-09 went out.", {}, True),
        ("A17 was shipped before 2026-04-09.", {}, True),
        ("A17 was not shipped on 2026-04-09.", {"question": "Was A17 shipped on 2026-04-09?"}, True),
    ],
)
def test_a_date_in_a_cell_is_a_figure(answer: str, more: dict[str, str], expected: bool) -> None:
    """A date is checked, not taken for a name; one that the question sets may be repeated."""
    assert [expected] == [figure.grounded for figure in figures(answer, ORDERS, **more)]


@pytest.mark.parametrize(("answer", "expected"), [("X2 leaves JFK at 9 pm.", True), ("X2 leaves JFK at 5 pm.", False)])
def test_a_name_in_two_columns_means_either(answer: str, expected: bool) -> None:
    """JFK is one flight's origin and another's destination."""
    legs = result(
        ["flight", "origin", "destination", "departure"],
        ["X1", "ATL", "JFK", "03:00:00"],
        ["X2", "JFK", "MCO", "21:00:00"],
        ["X3", "ATL", "MCO", "17:00:00"],
    )
    assert [expected] == [figure.grounded for figure in figures(answer, legs)]


def test_of_several_cells_the_nearest_is_named() -> None:
    """A time that departs here and arrives there is explained by the word beside it."""
    hub = result(["flight", "departure", "arrival"], ["X1", "11:00", "13:00"], ["X2", "13:00", "15:00"])
    explained = [figure.explanation for figure in figures("Departs 11:00\nArrival: 13:00", hub)]
    assert ["X1's departure is 11:00", "X1's arrival is 13:00"] == explained


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A17 took 3 days from payment to shipping.", True),
        ("A17 took 4 days from 30 March to 2 April 2026.", True),
        ("A17 took 6 days from payment to shipping.", False),
        ("B20 was shipped 7 days later than A17.", True),
    ],
)
def test_days_between_dates_are_counted(answer: str, expected: bool) -> None:
    """The answer may count days between the dates of the rows it names, both ends counted or not."""
    found = {figure.text: figure.grounded for figure in figures(answer, ORDERS)}
    assert expected is next(grounded for text, grounded in found.items() if "days" in text)


def test_hours_between_times_are_counted() -> None:
    """Also past midnight."""
    assert {"4 hours": True} == verdicts("HAT102 takes 4 hours.", TIMES)
    assert {"5 hours": False} == verdicts("HAT102 takes 5 hours.", TIMES)
