"""Limits that are said of none, of all, of one only, or of what a count counts."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.figures import find_figures
from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

DEPOTS = result(
    ["depot", "region", "roof area (km2)", "vans", "opened"],
    ["Amsel", "north", 0.8, 41, 1874],
    ["Birke", "north", 1.9, 17, 1921],
    ["Calla", "south", 2.6, 33, 1958],
    ["Dahlie", "south", 3.4, 52, 1990],
    ["Erika", "south", 0.5, 26, 1849],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("No depot has more than 60 vans.", {"60": True}),
        ("No depot has more than 50 vans.", {"50": False}),
        ("All depots have fewer than 60 vans.", {"60": True}),
        ("All depots have fewer than 45 vans.", {"45": False}),
        ("Every depot has more than 15 vans.", {"15": True}),
        ("Every depot has more than 30 vans.", {"30": False}),
        ("Dahlie is the only depot with over 45 vans.", {"45": True}),
        ("Dahlie is the only depot with over 35 vans.", {"35": False}),
        ("Amsel is the only depot with over 45 vans.", {"45": False}),
        ("The only depot with over 45 vans is Dahlie.", {"45": True}),
        ("Only Amsel and Dahlie have more than 35 vans.", {"35": True}),
        ("Only Amsel and Dahlie have more than 30 vans.", {"30": False}),
    ],
)
def test_a_limit_of_none_all_or_one_is_held_against_every_row(answer: str, expected: Verdicts) -> None:
    """A limit said of none, all or one holds only if the rows bear it out."""
    assert expected == verdicts(answer, DEPOTS)


def test_no_more_than_denies_nothing() -> None:
    """*No more than* is a limit, not a claim about no row."""
    assert {"3": True} == verdicts("No more than 3 depots are in the south.", DEPOTS)


def test_a_quantity_of_which_the_table_has_no_column_is_not_judged() -> None:
    """Where no one column is meant, the number of rows above a limit accuses nobody of it."""
    assert {"7 %"} == set(verdicts("No depot lost more than 7 % of its drivers.", DEPOTS))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("2 depots opened after 1950.", {"2": True, "1950": True}),
        ("3 depots opened before 1925.", {"3": True, "1925": True}),
        ("3 depots opened after 1950.", {"3": False, "1950": True}),
        ("2 depots opened before 1880.", {"2": True, "1880": True}),
        ("3 depots with a roof area larger than 1 km2 are listed.", {"3": True, "1": True}),
    ],
)
def test_the_limit_of_a_count_is_no_value_of_its_own(answer: str, expected: Verdicts) -> None:
    """What a count is limited by is taken for a limit, and the count is counted by it."""
    assert expected == verdicts(answer, DEPOTS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("Output topped 80 kWh on 2 days.", {"80 kWh": True}), ("Output was 80 kWh on 2 May.", {"80 kWh": False})],
)
def test_what_was_passed_so_often_is_a_limit(answer: str, expected: Verdicts) -> None:
    """A round number that was topped on so many days is a limit; one that simply was is a value."""
    table = result(["day", column("output", "kWh")], ["2026-05-02", 71.5], ["2026-05-03", 121.2], ["2026-05-04", 133.9])
    found = verdicts(answer, table)
    assert expected == {text: found[text] for text in expected}


def test_a_negated_limit_ends_where_it_is_said_to() -> None:
    """*Never more than* its highest value is true."""
    bounds = [
        figure.bound for figure in find_figures("never more than 52, nor longer than 6, not below 3, more than 4")
    ]
    assert ["at_most", "at_most", "at_least", "over"] == bounds


def test_rows_of_an_hour_each_are_counted_in_hours() -> None:
    """Hours are counted where each row is one, and under the sentence's own condition."""
    prices = result(
        ["time", column("price", "EUR/MWh")],
        *[[f"2026-02-03 {hour:02}:00", 60 + 5 * hour] for hour in range(24)],
    )
    found = verdicts("Prices exceeded €100/MWh in 15 hours; the average over all 24 hours was €117.50.", prices)
    assert (True, True) == (found["15 hours"], found["24 hours"])
    assert {"14 hours": False} == {
        text: verdict
        for text, verdict in verdicts("Prices exceeded €100/MWh in 14 hours.", prices).items()
        if "hours" in text
    }


def test_a_verb_of_the_columns_stem_names_it() -> None:
    """*Certified* speaks of the column certification and *built* of builder, so that a count by it can be judged."""
    plants = result(
        ["plant", "certification", "owner"],
        ["Alder", "gold", "Nord"], ["Beech", "silver", "Nord"], ["Cedar", "gold", "Sud"], ["Elm", "gold", "Nord"],
    )  # fmt: skip
    assert {"3": True} == verdicts("3 plants were certified gold.", plants)
    assert {"2": False} == verdicts("2 plants were certified gold.", plants)
    ships = result(
        ["ship", "builder", "crew"],
        ["Ada", "Kelder Yard", 2], ["Bea", "Royal Dock", 4], ["Cleo", "Kelder Yard", 6], ["Dora", "Kelder Yard", 9],
    )  # fmt: skip
    assert {"3": True} == verdicts("Kelder Yard built 3 of the ships.", ships)
    assert {"2": False} == verdicts("Kelder Yard built 2 of the ships.", ships)


def test_a_name_in_two_columns_is_counted_in_either() -> None:
    """A name that two columns hold may be counted in each, or in both together."""
    roads = result(
        ["road", "western terminus", "eastern terminus"],
        ["R1", "Tarn", "Loch"], ["R2", "Loch", "Ferry"], ["R3", "Ferry", "Tarn"], ["R4", "Ferry", "Loch"], ["R5", "Loch", "Ferry"],
    )  # fmt: skip
    assert {"4": True} == verdicts("Ferry is a terminus of 4 roads.", roads)
