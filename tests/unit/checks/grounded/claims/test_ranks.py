"""Ranks in words: third, auf dem vierten Platz, troisième rang, quedó tercero, op de tweede plaats."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, figures, result, verdicts

DEPOTS = result(
    ["depot", "region", "parcels", column("avg_delay", "min", "avg")],
    ["Arnhem", "East", 5200, 12.0],
    ["Breda", "South", 9100, 7.5],
    ["Coevorden", "East", 3100, 4.0],
    ["Deventer", "East", 7400, 31.0],
    ["Eindhoven", "South", 6600, 18.0],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Eindhoven ranks third by parcels.", {"third": True}),
        ("Eindhoven ranks fourth by parcels.", {"fourth": False}),
        ("Arnhem came fourth with 5,200 parcels.", {"fourth": True, "5,200": True}),
        ("Arnhem came second with 5,200 parcels.", {"second": False, "5,200": True}),
        ("In second place is Deventer with 7,400 parcels.", {"second": True, "7,400": True}),
        ("Deventer has the third-highest number of parcels.", {"third": False}),
        ("Deventer kam nach parcels auf den zweiten Platz.", {"zweiten": True}),
        ("Deventer belegt den vierten Platz nach parcels.", {"vierten": False}),
        ("Arnhem arrive au quatrième rang des parcels.", {"quatrième": True}),
        ("Arnhem arrive au troisième rang des parcels.", {"troisième": False}),
        ("Breda quedó primero por parcels.", {"primero": True}),
        ("Breda quedó tercero por parcels.", {"tercero": False}),
        ("Eindhoven staat op de derde plaats qua parcels.", {"derde": True}),
        ("Eindhoven staat op de vijfde plaats qua parcels.", {"vijfde": False}),
    ],
)
def test_a_rank_in_words_is_checked_over_its_column(answer: str, expected: Verdicts) -> None:
    """A named row said to be third, in five languages, is grounded only when it is third by the column meant."""
    assert expected == verdicts(answer, DEPOTS)


def test_a_rank_that_is_not_so_says_which_it_is() -> None:
    """The explanation names the row, its rank and the column."""
    found = figures("Eindhoven ranks fourth by parcels.", DEPOTS)[0]
    assert found.explanation == "Eindhoven is third by parcels"


@pytest.mark.parametrize(
    "answer",
    [
        "Eindhoven ranks fourth by revenue.",
        "Eindhoven ranks fourth.",
        "Zwolle ranks fourth by parcels.",
        "First, look at Breda; the second point is Arnhem.",
        "Parcels of Breda are second to none.",
        "In the first place, Arnhem had fewer parcels.",
        "Among small depots Arnhem ranks first by parcels.",
        "Arnhem ranks first in Europe by parcels.",
        "Breda's parcels were third-party ones.",
    ],
)
def test_an_ordinal_that_cannot_be_decided_is_no_figure(answer: str) -> None:
    """Without a row, a column or a known set of rows, an ordinal says nothing that can be checked."""
    assert verdicts(answer, DEPOTS) == {}


def test_the_question_says_what_is_ranked() -> None:
    """Where the answer names no column, the question's does; of several that it names, one that agrees is enough."""
    question = "How do the depots compare in parcels?"
    assert verdicts("Eindhoven ranks fourth.", DEPOTS, question=question) == {"fourth": False}
    both = "How do the depots compare in parcels and average delay?"
    assert verdicts("Eindhoven ranks second.", DEPOTS, question=both) == {"second": True}


def test_where_less_is_better_both_orders_hold() -> None:
    """The depot with the third-shortest delay may be called third, and so may the one with the third-longest."""
    assert verdicts("Breda ranks second by average delay.", DEPOTS) == {"second": True}
    assert verdicts("Breda ranks fourth by average delay.", DEPOTS) == {"fourth": True}
    assert verdicts("Breda ranks third by average delay.", DEPOTS) == {"third": False}


def test_a_rank_within_a_group_is_taken_over_its_rows() -> None:
    """Ranked within its region, a depot is compared with the depots of that region."""
    assert verdicts("Arnhem ranks second in its region by parcels.", DEPOTS) == {"second": True}
    assert verdicts("Arnhem ranks third in its region by parcels.", DEPOTS) == {"third": False}


def test_equal_values_share_their_places() -> None:
    """Of two rows with one value each may have either place."""
    sites = result(["site", "orders"], ["Lyon", 40], ["Metz", 30], ["Nantes", 30], ["Orange", 10])
    for place in ("second", "third"):
        assert verdicts(f"Nantes ranks {place} by orders.", sites) == {place: True}
    assert verdicts("Orange ranks third by orders.", sites) == {"third": True}
    assert verdicts("Orange ranks second by orders.", sites) == {"second": False}


def test_rows_that_were_cut_off_leave_ranks_open() -> None:
    """Of rows that are not all there, only those in the column's own order have ranks."""
    rows = [["Lyon", 40, 5], ["Metz", 30, 9], ["Nantes", 20, 7]]
    cut = result(["site", "orders", "returns"], *rows, row_count=90, truncated=True)
    assert verdicts("Nantes ranks third by orders.", cut) == {"third": True}
    assert verdicts("Nantes ranks second by orders.", cut) == {"second": False}
    assert verdicts("Nantes ranks first by returns.", cut) == {}
