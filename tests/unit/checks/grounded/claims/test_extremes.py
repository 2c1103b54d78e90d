"""Claims about the highest, the lowest and the bounds of a range."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

CARRIERS = result(
    ["carrier", column("avg_delay", "min", "avg"), "flights", "cancelled"],
    ["Aurora", 12.4, 1200, 12],
    ["Cloudline", 19.1, 900, 8],
    ["Norwind", 17.9, 942, 31],
    ["Solvia", 8.3, 310, 2],
)
LOADS = result(
    ["site", "load_mw", "reserve_mw", "measured_at"],
    ["Ems", 12.5, 3.1, "2026-03-02 06:00:00"],
    ["Ems", 18.2, 2.4, "2026-03-02 18:00:00"],
    ["Ems", 11.7, 4.0, "2026-03-03 06:00:00"],
    ["Ems", 21.9, 1.2, "2026-03-03 18:00:00"],
    ["Ems", 14.4, 2.8, "2026-03-04 06:00:00"],
    ["Ems", 16.3, 3.5, "2026-03-04 18:00:00"],
)
MONTHS = result(
    ["month", "orders"], ["2026-01", 410], ["2026-02", 388], ["2026-03", 502], ["2026-04", 467], ["2026-05", 455]
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The highest average delay was 19.1 minutes.", {"19.1 minutes": True}),
        ("The highest average delay was 17.9 minutes.", {"17.9 minutes": False}),
        ("The highest average delay is Norwind's 17.9 minutes.", {"17.9 minutes": False}),
        ("The lowest average delay was 12.4 minutes.", {"12.4 minutes": False}),
        ("Delays ranged from 8.3 to 19.1 minutes.", {"8.3": True, "19.1 minutes": True}),
        ("Delays ranged from 12.4 to 17.9 minutes.", {"12.4": False, "17.9 minutes": False}),
        ("Delays were between 8 and 20 minutes.", {"8": True, "20 minutes": True}),
        ("The second highest average delay was 17.9 minutes.", {"17.9 minutes": True}),
        ("The second highest average delay was 12.4 minutes.", {"12.4 minutes": False}),
        ("Aurora's average delay of 12.4 minutes is the lowest.", {"12.4 minutes": False}),
    ],
)
def test_a_superlative_is_checked_over_the_column(answer: str, expected: Verdicts) -> None:
    """A figure said to be the highest, the lowest, a bound or in a place is grounded only when it is so."""
    assert expected == verdicts(answer, CARRIERS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Die höchste Anzahl cancelled war 12.", False),
        ("Die höchste Anzahl cancelled war 31.", True),
        ("Le maximum de flights était 942.", False),
        ("El máximo de flights fue 942.", False),
        ("Het hoogste aantal flights was 942.", False),
        ("Het hoogste aantal flights was 1200.", True),
    ],
)
def test_superlatives_in_other_languages(answer: str, expected: bool) -> None:
    """Words for the highest are known in German, French, Spanish and Dutch."""
    assert list(verdicts(answer, CARRIERS).values()) == [expected]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("On 3 March the load ranged from 11.7 to 21.9 MW.", {"3 March": True, "11.7": True, "21.9 MW": True}),
        ("On 2 March the load ranged from 11.7 to 21.9 MW.", {"2 March": True, "11.7": False, "21.9 MW": False}),
        ("On 4 March, the load reached a high of 16.3 MW.", {"4 March": True, "16.3 MW": True}),
        ("The second day had a load of up to 21.9 MW.", {"21.9 MW": True}),
        ("The second day had a peak load of 18.2 MW.", {"18.2 MW": False}),
        ("From 2 to 3 March the load peaked at 21.9 MW.", {"2 to 3 March": True, "21.9 MW": True}),
        (
            "On 3 March, all was calm. The load ranged from 11.7 to 21.9 MW.",
            {"3 March": True, "11.7": True, "21.9 MW": True},
        ),
    ],
)
def test_the_rows_of_the_named_day(answer: str, expected: Verdicts) -> None:
    """The highest and lowest of a day are those of its rows, although their column of dates stands last."""
    assert expected == verdicts(answer, LOADS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Orders peaked in March 2026.", True),
        ("Orders peaked in April 2026.", False),
        ("The lowest number of orders was recorded in February 2026.", True),
        ("The lowest number of orders was recorded in January 2026.", False),
    ],
)
def test_the_month_of_a_peak(answer: str, expected: bool) -> None:
    """A month said to have the peak must have it."""
    assert list(verdicts(answer, MONTHS).values()) == [expected]


@pytest.mark.parametrize(
    "answer",
    [
        "The highest average delay among the small carriers was 12.4 minutes.",
        "The largest increase in flights was 12.",
        "The spread between the highest and the lowest delay is 10.8 minutes.",
        "Norwind's highest average delay was 17.9 minutes.",
        "The best months brought another peak of 12.4 minutes.",
        "Solvia has the lowest delays, up to 12.4 minutes shorter than others.",
        "Their delays were between 8.3 and 19.1 minutes.",
    ],
)
def test_what_is_not_worked_out_is_not_accused(answer: str) -> None:
    """A superlative over rows or amounts that the words do not settle is no reason to flag a figure that stands there."""
    assert False not in verdicts(answer, CARRIERS).values()


def test_the_highest_of_sums_is_left_to_the_sums() -> None:
    """What is highest among totals by name is no single cell, and is not held against one."""
    rows = result(["region", column("orders", None, "count")], ["North", 4], ["North", 5], ["South", 6], ["South", 2])
    assert {"9": True} == verdicts("The highest total orders are North's 9.", rows)


def test_rows_that_are_cut_off_have_no_extreme() -> None:
    """What is the highest of a cut-off result cannot be said wrong."""
    rows = result(["carrier", "delay"], ["Aurora", 12.4], ["Cloudline", 19.1], truncated=True)
    assert {"12.4": True} == verdicts("The highest delay was 12.4.", rows)


def test_the_explanation_names_the_true_extreme() -> None:
    """A reviewer reads which row has the extreme, and its value."""
    [found] = figures("The highest average delay was 17.9 minutes.", CARRIERS)
    assert "the highest average delay is Cloudline's 19.1" == found.explanation
    assert "wrong_extreme" == found.fault


def test_a_date_inside_a_longer_text_is_given() -> None:
    """A month that a note in a cell states, year first or not, is grounded; another is not."""
    notes = result(["field", "value"], ["Status", "Available. Released 2023, November 14"], ["Plan", "2023, May"])
    assert {"November 2023": True} == verdicts("It was released in November 2023.", notes)
    assert {"October 2023": False} == verdicts("It was released in October 2023.", notes)


def test_a_figure_in_a_long_text_cell_is_given() -> None:
    """What a long text in a cell states with its unit is grounded; another value is not."""
    text = "The unit runs at 48 MW for most of the day, is cooled by river water and stands still on Sundays in July."
    plants = result(["plant", "remarks"], ["Ems", text], ["Lek", "none"])
    assert {"48 MW": True} == verdicts("It runs at 48 MW.", plants)
    assert {"47 MW": False} == verdicts("It runs at 47 MW.", plants)


def test_a_value_of_another_day_is_wrong() -> None:
    """A date names rows by the only column of dates, wherever that stands."""
    assert {"3 March": True, "12.5 MW": False} == verdicts("On 3 March the load was 12.5 MW.", LOADS)


def test_a_unit_glued_to_its_number_is_read() -> None:
    """A length in millimetres is a figure, and one in centimetres converts."""
    rain = result([column("rain", "mm")], [12.5])
    assert {"12.5mm": True} == verdicts("It rained 12.5mm.", rain)
    assert {"1.25 cm": True} == verdicts("It rained 1.25 cm.", rain)
    assert {"13.5mm": False} == verdicts("It rained 13.5mm.", rain)
