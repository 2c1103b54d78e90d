"""Bare answers: a figure alone, whose row, column and derivation its question names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.verdict import ground
from tests.unit.checks.grounded.turns import column, result, verdicts

LEDGER: dict[str, Any] = {
    "kind": "table",
    "columns": ["", "", "Year ended June 30,", ""],
    "rows": [
        ["", "2024", "2023", "2022"],
        ["", "", "(in thousands)", ""],
        ["Ticket sales:", "", "", ""],
        ["Harbour", "$ 4,120", "$ 3,985", "$ 3,610"],
        ["Hillside", "2,764", "2,911", "2,480"],
        ["Airport", "913", "—", "655"],
        ["Total ticket sales", "7,797", "6,896", "6,745"],
        ["Operating margin", "51.2%", "46.9%", "51.5%"],
        ["Running costs:", "", "", ""],
        ["Wages", "(3,318)", "(3,052)", "(2,874)"],
        ["Energy", "(507)", "(611)", "(398)"],
    ],
}
DEPOTS = result(
    ["depot", column("vans", None, "count"), column("parcels_2023", None, "sum"), column("parcels_2024", None, "sum")],
    ["Antwerp", 14, 88_240, 91_765],
    ["Bergen", 9, 41_030, 38_912],
    ["Cadiz", 21, 120_415, 133_207],
)
NOTE = {
    "kind": "text",
    "text": "In fiscal 2024 and 2023 the ferry carried 61,480 and 57,225 bicycles, respectively. The café sold 9,310 cups.",
}


def said(answer: str, question: str, *evidence: dict[str, Any]) -> Sequence[bool | None]:
    """The verdicts on the figures of a bare answer over the ledger, or other evidence."""
    found = ground(answer, evidence_of_record(question, evidence or (LEDGER,)), question)
    return [figure.grounded for figure in found]


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What was the change in Harbour ticket sales from 2023 to 2024?", "135 thousand", "510 thousand"),
        ("What was the change in Hillside from 2023 to 2024?", "-147 thousand", "-153 thousand"),
        ("By what percentage did Harbour grow from 2022 to 2024?", "14.13%", "13.39%"),
        ("What was the average of Hillside in 2022 and 2023?", "2695.5 thousand", "2622 thousand"),
        ("What is the total of Harbour over 2022, 2023 and 2024?", "11715 thousand", "11751 thousand"),
        ("What were total running costs in 2023?", "3663 thousand", "3825 thousand"),
        ("What share of total ticket sales was Hillside in 2024?", "35.45%", "42.21%"),
        ("What is the ratio of Harbour to Hillside in 2024?", "1.49", "1.37"),
        ("What is the difference between Harbour and Hillside in 2023?", "1074 thousand", "1356 thousand"),
        ("What was the change in operating margin between 2023 and 2024?", "4.3%", "9.2%"),
        ("What was the percentage change in Harbour and Hillside together from 2023 to 2024?", "-0.17%", "-0.71%"),
        ("What was the change in Airport from 2023 to 2024?", "913 thousand", "258 thousand"),
        ("What do the top 2 ticket sales of 2024 add up to?", "6884 thousand", "7033 thousand"),
        ("What was the average change in Harbour from 2022 to 2024?", "255 thousand", "552 thousand"),
    ],
)
def test_the_question_announces_the_derivation_and_names_its_operands(question: str, right: str, wrong: str) -> None:
    """A bare figure is grounded when it follows from the cells that its question names, as its question announces."""
    assert (said(right, question), said(wrong, question)) == ([True], [False])


def test_nothing_is_derived_that_the_question_does_not_announce() -> None:
    """A difference of two cells is no answer to a question that asks for none."""
    assert said("135 thousand", "What were Harbour's ticket sales in 2024?") == [False]


def test_growth_keeps_its_sign() -> None:
    """An increase that was a fall is stated with its minus, or is wrong."""
    question = "What was the increase in Hillside from 2023 to 2024?"
    assert (said("-147 thousand", question), said("147 thousand", question)) == ([True], [False])


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("In how many years did Hillside exceed $2,500 thousand?", "2", "3"),
        ("How many ticket sales in 2024 were below $1,000 thousand?", "1", "2"),
        ("How many kinds of running costs are listed?", "2", "10"),
    ],
)
def test_counts_meet_the_condition_of_the_question(question: str, right: str, wrong: str) -> None:
    """A bare count is grounded when so many of what the question names meet its condition, or stand under its heading."""
    assert (said(right, question), said(wrong, question)) == ([True], [False])


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What were Harbour's sales in 2023?", "3,985 thousand", "4,120 thousand"),
        ("What was Hillside in 2024?", "2,764 thousand", "4,120 thousand"),
        ("What was spent on wages in 2022?", "2,874 thousand", "398 thousand"),
        ("What were Harbour's sales for 2024 to 2023 respectively?", "$4,120; $3,985", "$3,610; $3,610"),
    ],
)
def test_a_value_stands_in_the_row_and_the_period_of_the_question(question: str, right: str, wrong: str) -> None:
    """A bare value of another row, or another year, than its question names is ungrounded."""
    assert (set(said(right, question)), set(said(wrong, question))) == ({True}, {False})


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How many more bicycles did the ferry carry in 2024 than in 2023?", "4255", "4525"),
        ("What is the total number of bicycles carried by the ferry in 2023 and 2024?", "118705", "118795"),
        ("What is the average number of bicycles carried by the ferry?", "59352.5", "59325.5"),
    ],
)
def test_figures_of_texts_are_operands(question: str, right: str, wrong: str) -> None:
    """A bare figure may follow from the figures of the sentence that its question is about."""
    assert (said(right, question, NOTE), said(wrong, question, NOTE)) == ([True], [False])


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("And the change at Bergen from 2023 to 2024?", "-2,118", True),
        ("And the change at Bergen from 2023 to 2024?", "-12,792", False),
        ("And how many parcels per van at Cadiz in 2024?", "6,343.2", True),
        ("And at Antwerp in 2024?", "91,765", True),
        ("And at Antwerp in 2024?", "88,240", False),
        ("Und die Differenz zwischen Antwerp und Bergen 2024?", "52.853", True),
    ],
)
def test_a_follow_up_over_a_query_result_reads_the_same_way(question: str, answer: str, expected: bool) -> None:
    """A bare answer over a query's rows is read by its question as one over a report's table is."""
    assert verdicts(answer, DEPOTS, question=question) == {answer: expected}


def test_an_answer_with_words_of_its_own_is_read_by_them() -> None:
    """The question announces nothing for an answer that names and announces itself."""
    question = "What was the change at Bergen from 2023 to 2024?"
    assert verdicts("Cadiz handled 12,792 more parcels.", DEPOTS, question=question) == {"12,792": True}


@pytest.mark.parametrize(("cells", "expected"), [(["$ 1,046", "2,949"], True), ([1046, 2949], False)])
def test_a_printed_table_may_have_lost_its_caption(cells: list[Any], expected: bool) -> None:
    """An answer in thousands fits a report's table that says nothing of its magnitude; a query's rows are what they are."""
    table = {"kind": "table", "columns": ["", "Wages", "Energy"], "rows": [["Harbour", *cells], ["Hillside", *cells]]}
    assert said("1903 thousand", "What is the difference between wages and energy for Harbour?", table) == [expected]


FLOWS: dict[str, Any] = {
    "kind": "table",
    "columns": ["", "Year ended March 31,", "", ""],
    "rows": [
        ["", "2024", "2023", "2022"],
        ["", "(in thousands)", "", ""],
        ["Net cash from ferries", "$ 16,420", "$ 15,310", "$ 12,905"],
        ["Net cash used in repairs", "(6,114)", "(7,208)", "(5,377)"],
        ["Net increase in cash", "10,306", "8,102", "7,528"],
        ["Ferry sales", "48,870", "45,515", "41,270"],
        ["Total sales", "66,050", "61,240", "58,990"],
    ],
}
OUTLOOK = {
    "kind": "text",
    "text": "Outlays were $5.4 million in 2024; for 2025 we expect about $7.9 million. Lease costs were $3.1 million and "
    "$2.6 million in 2024 and 2023, respectively.",
}


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How much were ferry sales in 2024?", "48,870 thousand", "48,870 million"),
        ("How much were ferry sales in 2024?", "$48.9 million", "$48.9 thousand"),
        ("What was the total net cash from ferries over the three years?", "44,635 thousand", "25,936 thousand"),
        ("What was the total net cash from ferries over the three years?", "44,635 thousand", "31,730 thousand"),
        ("What was the average net cash used in repairs in 2022 and 2023?", "-6,292.5 thousand", "7,815 thousand"),
        ("What was the ratio of ferry sales to total sales in 2024?", "0.74", "1.35"),
        ("What was the ratio of total sales to ferry sales in 2024?", "1.35", "0.74"),
        ("What percentage of total sales was ferry sales in 2023?", "74.3%", "134.5%"),
        ("What was total sales as a percentage of ferry sales in 2023?", "134.5%", "74.3%"),
    ],
)
def test_a_bare_figure_is_held_to_what_its_question_asks(question: str, right: str, wrong: str) -> None:
    """The magnitude that a heading declares, the rows, the number of years and what is divided by what all count."""
    assert ([True], [False]) == (said(right, question, FLOWS), said(wrong, question, FLOWS))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("Ferry sales were $48.9 million.", True), ("Ferry sales were $48.9 thousand.", False)],
)
def test_a_magnitude_that_headings_declare_holds_in_sentences_too(answer: str, expected: bool) -> None:
    """A figure that writes out a magnitude is read against the one that the table declares."""
    sentence = f"{answer} This is the figure that the company reports for all of its ferries together."
    assert [expected] == said(sentence, "How did ferry sales do?", FLOWS)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What were outlays in 2024?", "5.4 million", "7.9 million"),
        ("What were lease costs in 2023?", "2.6 million", "3.1 million"),
        ("What were lease costs?", "3.1 million", "3.6 million"),
    ],
)
def test_a_text_gives_what_it_says_of_the_years_asked(question: str, right: str, wrong: str) -> None:
    """What a text says of another year than the question's is no answer; without a year both may be meant."""
    assert ([True], [False]) == (said(right, question, OUTLOOK), said(wrong, question, OUTLOOK))


def test_a_name_said_beside_a_longer_one_is_asked_for_too() -> None:
    """Where the question names a row and another whose name holds it, both are meant."""
    table = {
        "kind": "table",
        "columns": ["", "2024", "2023"],
        "rows": [["Profit", "41", "38"], ["Adjusted profit", "48", "40"], ["Tax", "12", "10"]],
    }
    assert [True] == said("7", "What was the difference between profit and adjusted profit in 2024?", table)


def test_a_column_of_years_is_one_whatever_its_heading_declares() -> None:
    """Rows of years stay rows of years where the corner of the table says *in thousands*."""
    table = {
        "kind": "table",
        "columns": ["(in thousands)", "Vans", "Ferries", "Total"],
        "rows": [
            ["2025", "$ 1,855", "$ 770", "$ 2,625"],
            ["2026", "1,878", "412", "2,290"],
            ["2027", "1,513", "811", "2,324"],
        ],
    }
    asked = "What were payments due in 2025 and 2026 combined under all leases?"
    assert ([True], [False]) == (said("4,915 thousand", asked, table), said("4,949 thousand", asked, table))
