"""A figure belongs to the cell that its words name: row by name or pronoun, column by name, definition or heading."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

MEANING = {
    "ord_n": "orders placed (purchases, buys)",
    "rtn_n": "orders returned",
    "aov": "average order value",
    "nps_pct": "share of promoters (recommendation rate)",
    "shp_n": "parcels shipped on time",
}
SHOPS = result(
    ["shop", "ord_n", "rtn_n", "aov", "nps_pct", "shp_n"],
    ["Harbour Lane", 41, 7, 18, 62, 39],
    ["Mill Road", 37, 9, 22, 55, 30],
    ["Old Quay", 52, 4, 19, 71, 48],
    ["Station Yard", 29, 6, 41, 48, 27],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Mill Road had 37 purchases and 9 returned orders.", {"37": True, "9": True}),
        ("Mill Road had 41 purchases and 4 returned orders.", {"41": False, "4": False}),
        ("Mill Road had 30 purchases.", {"30": False}),
        ("Old Quay shipped 48 parcels on time.", {"48": True}),
        ("Old Quay shipped 52 parcels on time.", {"52": False}),
        ("Old Quay has 71 % promoters, Station Yard 48 %.", {"71 %": True, "48 %": True}),
        ("The AOV of Harbour Lane was 41.", {"41": False}),
    ],
)
def test_a_definition_names_a_column(answer: str, expected: Verdicts) -> None:
    """What a column is called in words is how people speak of it."""
    assert expected == verdicts(answer, SHOPS, definitions=MEANING)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Harbour Lane had 41 purchases. It also had 7 returned orders.", {"41": True, "7": True}),
        ("Harbour Lane had 41 purchases. It also had 4 returned orders.", {"41": True, "4": False}),
        ("Harbour Lane led with 41 purchases, while Mill Road followed with 37 purchases.", {"41": True, "37": True}),
        ("Harbour Lane led with 37 purchases, while Mill Road followed with 41 purchases.", {"37": False, "41": False}),
        ("Both Mill Road and Old Quay had 41 purchases.", {"41": False}),
    ],
)
def test_the_nearest_name_owns_the_figure(answer: str, expected: Verdicts) -> None:
    """A name before the figure, or the one that a pronoun stands for."""
    assert expected == verdicts(answer, SHOPS, definitions=MEANING)


@pytest.mark.parametrize(
    "answer",
    [
        "Harbour Lane beat Mill Road with 41 purchases.",
        "Harbour Lane had 41 purchases, but Riverside Walk had 52 purchases.",
        "Harbour Lane had 41 of the 159 purchases.",
        "In its last 12 weeks Harbour Lane had 41 purchases.",
        "Harbour Lane had 11 more purchases than parcels shipped on time.",
    ],
)
def test_what_the_words_leave_open_is_not_held_against_a_row(answer: str) -> None:
    """A rival, an unknown name, the base of a share, a stretch of time and a difference are no value of the named row."""
    faults = [f.fault for f in figures(answer, SHOPS, definitions=MEANING)]
    assert {None} == {fault for fault in faults if fault in (None, "wrong_value", "wrong_column", "wrong_row")}


SEASONS = result(
    ["depot", column("checks_passed", None, "count"), column("checks_failed", None, "count"), "crew", "vans"],
    ["Aurora", 31, 12, 9, 12],
    ["Bellmont", 22, 20, 7, 31],
    ["Corvane", 12, 31, 20, 22],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Aurora (31-12) did best.", {"31": True, "12": True}),
        ("Bellmont (31-12) did best.", {"31": False, "12": False}),
        ("Aurora passed and failed 31-20 checks.", {"31": True, "20": False}),
        ("Aurora and Bellmont passed 31–22 checks.", {"31": True, "22": True}),
    ],
)
def test_a_pair_stands_in_two_places_that_belong_together(answer: str, expected: Verdicts) -> None:
    """Two columns of one row, or two rows of one column; never two cells that happen to match."""
    assert expected == verdicts(answer, SEASONS)


WIDE = result(
    ["shop", *[f"measure_{letter}" for letter in "abcdefgh"]],
    *[[f"Shop {name}", *[5 + (row * 3 + c) % 12 for c in range(8)]] for row, name in enumerate("KLMNOP")],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("All in all the evening was a lively one, and there were 9 changes of the lead.", False),
        ("Shop K has a measure_a of 5.", True),
    ],
)
def test_a_coincidence_explains_nothing(answer: str, expected: bool) -> None:
    """Where every small number stands somewhere, a cell that no word names gives no figure."""
    assert [expected] == list(verdicts(answer, WIDE).values())


def test_the_explanation_says_where_the_value_stands_and_what_should() -> None:
    """A reviewer sees both cells."""
    found = figures("Mill Road had 41 purchases.", SHOPS, definitions=MEANING)
    assert ["41 is Harbour Lane's ord n; Mill Road's is 37"] == [f.explanation for f in found]


def test_a_share_without_a_unit_is_written_as_percent() -> None:
    """What a heading and a row name is a ratio as it stands in the result, and a percentage in the answer."""
    shares = result(["airport", "flights", "on_time_rate"], ["Harlow", 730, 0.7961], ["Vellmar", 728, 0.8123])
    answer = "| Airport | Flights | On-time rate |\n|---|---|---|\n| Harlow | 730 | {} |\n| Vellmar | 728 | {} |"
    right = {f.text: f.grounded for f in figures(answer.format("79.6%", "81.2%"), shares)}
    swapped = {f.text: f.grounded for f in figures(answer.format("81.2%", "79.6%"), shares)}
    assert {"730": True, "79.6%": True, "728": True, "81.2%": True} == right
    assert {"730": True, "81.2%": False, "728": True, "79.6%": False} == swapped
