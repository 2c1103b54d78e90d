"""Counts: the rows that a sentence's own words single out, counted; what the words leave open is not accused."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.evidence.vocabulary import root
from monitor.checks.grounded.verdict import ground
from tests.unit.checks.grounded.turns import column, figures, result, verdicts

RUNS = result(
    ["run", "date", "depot", "carrier", "status", "parcels", "audit"],
    [1, "january 3 , 2025", "North Quay", "Aurora Freight", "on time", 120, "w 12 - 3"],
    [2, "january 9 , 2025", "North Quay", "Cloudline", "delayed", 80, "l 4 - 9"],
    [3, "january 21 , 2025", "Old Mill", "Aurora Freight", "re - routed", 95, "w 8 - 1"],
    [4, "february 2 , 2025", "Old Mill", "Solvia", "on time", 140, "w 9 - 2"],
    [5, "february 14 , 2025", "North Quay", "Cloudline", "on time", 60, "l 2 - 7"],
    [6, "march 1 , 2025", "Harbour", "Solvia", "delayed", 75, "w 7 - 5"],
    [7, "march 8 , 2025", "Harbour", "Cloudline", "on time", 155, "l 1 - 6"],
)


@pytest.mark.parametrize(
    ("answer", "text", "right"),
    [
        ("{} of the runs left from North Quay.", "3", None),
        ("There were {} runs by Cloudline.", "3", True),
        ("There were {} runs by Cloudline.", "5", False),
        ("{} of the seven runs were by Aurora Freight.", "2", True),
        ("{} of the seven runs were by Aurora Freight.", "4", False),
        ("Aurora had {} runs in january.", "2", True),
        ("Aurora had {} runs in january.", "3", False),
        ("There were {} runs between january 5 and february 10.", "3", True),
        ("There were {} runs between january 5 and february 10.", "4", False),
        ("There were {} runs since february.", "4", True),
        ("There were {} runs since february.", "5", False),
        ("Only {} runs had fewer than 80 parcels.", "2", True),
        ("Only {} runs had fewer than 80 parcels.", "4", False),
        ("{} runs had more than 70 but less than 100 parcels.", "3", True),
        ("{} runs had more than 70 but less than 100 parcels.", "5", False),
        ("{} runs by Cloudline were not delayed.", "2", True),
        ("{} runs by Cloudline were not delayed.", "3", False),
        ("{} runs were re-routed or delayed.", "3", True),
        ("{} runs were re-routed or delayed.", "4", False),
        ("{} different carriers were delayed.", "2", True),
        ("{} different carriers were delayed.", "3", False),
        ("Cloudline lost {} audits.", "3", True),
        ("Cloudline lost {} audits.", "2", False),
        ("Four runs were on time and {} runs were delayed.", "2", True),
        ("Four runs were on time and {} runs were delayed.", "3", False),
        ("Cloudline delayed {} run.", "1", True),
        ("We have {} runs that were not delayed.", "5", True),
        ("At least {} runs were on time.", "4", True),
        ("At least {} runs were on time.", "5", False),
        ("Solvia is one of {} different carriers.", "3", True),
        ("Solvia is one of {} different carriers.", "5", False),
    ],
)
def test_the_rows_that_the_words_single_out_are_counted(answer: str, text: str, right: bool | None) -> None:
    """Names, parts of cells, dates, limits, negation and outcomes make one filter; the count holds or is accused."""
    found = {figure.text: (figure.grounded, figure.fault) for figure in figures(answer.format(text), RUNS)}
    expected = {True: (True, None), False: (False, "wrong_count"), None: (True, None)}[right]
    assert expected == next(value for written, value in found.items() if written == text)


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("5 runs were delayed.", "5", "2 rows have status delayed, not 5"),
        ("Two runs had over 130 parcels.", "Two", "2 rows have parcels above 130"),
        (
            "Four runs by Cloudline were not delayed.",
            "Four",
            "2 rows have carrier cloudline and status not delayed, not Four",
        ),
        (
            "Four different carriers were delayed.",
            "Four",
            "there are 2 different values of carrier where status delayed, not Four",
        ),
        ("Three of the seven runs were delayed.", "seven", "query 1 has 7 rows"),
    ],
)
def test_a_count_is_explained_by_its_filter(answer: str, text: str, expected: str) -> None:
    """A reviewer reads which rows were counted, and how many there are."""
    assert expected == {figure.text: figure.explanation for figure in figures(answer, RUNS)}[text]


@pytest.mark.parametrize(
    "answer",
    [
        "Cloudline sent 4 ships.",
        "4 runs by Cloudline were late because of snow.",
        "The depot in North Quay handled 4 breakdowns.",
        "Run 4 was by Cloudline.",
        "The top 4 runs were by Cloudline.",
        "Cloudline is behind runs 2, 4 and 7.",
        "4 more runs were by Cloudline.",
        "Four Seasons was on time.",
        "Aurora Freight won 2 audits and Cloudline lost 4 in january.",
    ],
)
def test_what_the_words_leave_open_is_not_accused(answer: str) -> None:
    """A word that no filter holds, a thing that the table does not list, a number of a name: no count is accused."""
    faults = [figure.fault for figure in figures(answer, RUNS)]
    assert "wrong_count" not in faults


def test_a_noun_that_the_table_measures_is_no_count_of_rows() -> None:
    """Wins that stand in a column are looked up there, not counted."""
    table = result(["site", column("wins", None, "sum")], ["Oslo", 6], ["Austin", 4], ["Lima", 9])
    assert {"6": True} == verdicts("Oslo has 6 wins.", table)


def test_rows_that_were_cut_off_are_not_counted() -> None:
    """A filter over part of the rows says nothing about all of them."""
    table = result(["run", "status"], ["a", "late"], ["b", "late"], ["c", "on time"], row_count=90, truncated=True)
    assert "wrong_count" not in [figure.fault for figure in figures("3 runs were late.", table)]


def test_headings_across_a_table_are_not_counted() -> None:
    """A row that repeats one text in all columns names what follows."""
    table = result(
        ["run", "depot", "status"],
        ["Spring", "Spring", "Spring"],
        ["a", "Oslo", "late"],
        ["b", "Lima", "late"],
        ["c", "Lima", "on time"],
        ["Autumn", "Autumn", "Autumn"],
    )
    assert {"2": True, "5": False} == {
        **verdicts("There are 2 depots with runs.", table),
        **verdicts("There are 5 runs in the table.", table),
    }


def test_names_stand_on_the_side_that_won() -> None:
    """Who is said to have won stands in the column of winners, who was beaten in that of losers."""
    bids = result(
        ["round", "winner", "loser"],
        ["a", "Solvia", "Aurora"],
        ["b", "Aurora", "Solvia"],
        ["c", "Solvia", "Aurora"],
        ["d", "Solvia", "Cloudline"],
    )
    assert {"2 times": True, "3": False} == {
        **verdicts("Solvia beat Aurora 2 times.", bids),
        **verdicts("Aurora lost 3 rounds to Solvia.", bids),
    }


STOCK = result(
    [
        "depot",
        "year",
        column("parcels", None, "sum"),
        column("lost_parcels", None, "sum"),
        column("points", None, "sum"),
    ],
    ["North Quay", 2023, 25, 2, 8],
    ["Old Mill", 2023, 5, 1, 12],
    ["Harbour", 2023, 20, 3, 40],
)


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        (
            "North Quay has 20 more parcels than Old Mill.",
            "20",
            (True, "the difference of North Quay's parcels and Old Mill's parcels"),
        ),
        (
            "North Quay has 25 more parcels than Old Mill.",
            "25",
            (False, "North Quay's parcels are 25; Old Mill's parcels are 5"),
        ),
        (
            "North Quay has 20 fewer parcels than Old Mill.",
            "20",
            (False, "North Quay's parcels are 25; Old Mill's parcels are 5"),
        ),
        (
            "North Quay earned four points fewer than Old Mill.",
            "four points",
            (True, "the difference of North Quay's points and Old Mill's points"),
        ),
        (
            "North Quay earned eight points fewer than Old Mill.",
            "eight points",
            (False, "North Quay's points are 8; Old Mill's points are 12"),
        ),
    ],
)
def test_a_margin_is_the_difference_of_the_two_that_are_compared(
    answer: str, text: str, expected: tuple[bool, str]
) -> None:
    """More is before less, in the column that the words name, whatever cell holds the number elsewhere."""
    found = {figure.text: (figure.grounded, figure.explanation) for figure in figures(answer, STOCK)}
    assert expected == found[text]


@pytest.mark.parametrize(
    "answer",
    [
        "North Quay has 9 more parcels than the average.",
        "North Quay has 9 more parcels than Old Mill and Harbour combined.",
        "Only 2 depots have more than 10 parcels.",
    ],
)
def test_a_margin_over_several_rows_is_left_open(answer: str) -> None:
    """Where one side is no single row, no difference is accused."""
    assert "wrong_difference" not in [figure.fault for figure in figures(answer, STOCK)]


STAFF = result(
    ["employee", "department", "office", "start_year", "remote"],
    ["Ana", "Sales", "Oslo", 2019, "yes"],
    ["Bo", "Sales", "Lima", 2021, "no"],
    ["Cy", "IT", "Oslo", 2020, "yes"],
    ["Di", "IT", "Oslo", 2023, "no"],
    ["Ed", "HR", "Lima", 2018, "yes"],
    ["Flo", "Sales", "Oslo", 2023, "yes"],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("4 employees are remote.", {"4": True}),
        ("5 employees are remote.", {"5": False}),
        ("2 employees are not remote.", {"2": True}),
        ("IT has 2 employees, both in Oslo.", {"2": True}),
        ("IT has 3 employees, both in Oslo.", {"3": False}),
        ("There are 3 departments and 6 employees.", {"3": True, "6": True}),
        ("Since 2020, 4 employees have started.", {"4": True}),
        ("Since 2020, 5 employees have started.", {"5": False}),
        ("Oslo has 2 more employees than Lima.", {"2": True}),
        ("Oslo has 3 more employees than Lima.", {"3": False}),
        ("Oslo hosts 3 remote employees.", {"3": True}),
    ],
)
def test_counts_in_a_table_of_people(answer: str, expected: dict[str, bool]) -> None:
    """Columns of yes and no, names in capitals, lists of counts, margins of counts, a verb that says nothing."""
    assert expected == {text: held for text, held in verdicts(answer, STAFF).items() if text in expected}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("winner", "winning"),
        ("directed", "director"),
        ("carriers", "carrier"),
        ("companies", "company"),
        ("late", "lately"),
    ],
)
def test_words_of_one_deed_share_their_root(one: str, other: str) -> None:
    """A verb finds the column that is named by its noun."""
    assert root(one) == root(other)


def test_counting_reads_a_table_once() -> None:
    """The tenth count of an answer costs less than a tenth of the table's cells more."""
    rows = [[n, f"depot {n % 7}", "late" if n % 3 else "on time", n * 10] for n in range(1500)]
    item = {"kind": "table", "columns": ["run", "depot", "status", "parcels"], "rows": rows}

    def work(times: int) -> int:
        evidence = evidence_of_record("", [item])
        ground(" ".join(["There are 9 late runs at depot 5."] * times), evidence)
        return evidence.work

    assert work(11) - work(1) < 10 * len(rows)


@pytest.mark.parametrize(
    "answer",
    [
        "Three carriers did: Cloudline with 15.1 minutes, Norwind with 17.9 and Tidewing with 20.9.",
        "Three carriers did.",
        "Three of them were.",
        "Drei Fluglinien waren es: Cloudline, Norwind und Tidewing.",
    ],
)
def test_what_only_the_question_says_is_not_counted(answer: str) -> None:
    """An ellipsis leaves its condition to what came before it."""
    delays = result(
        ["carrier", column("avg_delay", "min", "avg")],
        ["Tidewing", 20.86], ["Norwind", 17.9], ["Cloudline", 15.14], ["Aurora Air", 11.74], ["Solvia", 9.44],
    )  # fmt: skip
    assert False not in verdicts(answer, delays).values()
