"""Explanations: one sentence that a reviewer understands at a glance."""

from __future__ import annotations

import pytest

from monitor.checks.grounded import Grounded
from monitor.conversation import Conversation, ResultTable
from tests.unit.checks.grounded.turns import column, figures, outcome, result, turn, value

CARRIERS = result(
    [column("carrier"), column("avg_delay", "min", "avg"), column("flights", None, "count")],
    ["Aurora", 12.4, 1374],
    ["Cloudline", 9.1, 1113],
)
CHANGE = value(-3.2, "points", "change_in_punctuality")
NULLS = result(["airport", column("refunds", "EUR", "sum")], ["Harlow", 18240.5], ["Orrin", None])
LOSS = result(["carrier", column("profit", "EUR", "sum")], ["Aurora", -3200], ["Cloudline", 100])
CUT = result(["item", column("stock_value", "EUR", "sum")], ["A", 80.0], ["B", 20.0], row_count=1874, truncated=True)


LIMITED = result(["route", column("flights", None, "sum")], ["A", 10], ["B", 20])


@pytest.mark.parametrize(
    ("answer", "evidence", "text", "explanation"),
    [
        ("Cloudline's delay was 12.4 minutes.", CARRIERS, "12.4 minutes",
         "12.4 is Aurora's average delay; Cloudline's is 9.1"),
        ("Aurora's flights: 12.4.", CARRIERS, "12.4", "12.4 is Aurora's average delay; Aurora's flights are 1,374"),
        ("Punctuality rose by 3.2 points.", CHANGE, "3.2 points",
         "change in punctuality is -3.2: a fall, not a rise"),
        ("Aurora had 1,374 flights.", CARRIERS, "1,374", "Aurora's flights are 1,374"),
        ("Aurora had 1,500 flights.", CARRIERS, "1,500", "Aurora's flights are 1,374"),
        ("It cost $1,200.", value(1200, "EUR", "cost"), "$1,200", "cost is 1,200 EUR, not USD"),
        ("It cost €1.2 million.", value(1200, "EUR", "cost"), "€1.2 million", "cost is 1,200 EUR: off by a factor of 1,000"),
        ("The total stock value is €100.", CUT, "€100",
         "that is the sum of stock value over only the 2 rows returned of 1,874, not the total"),
        ("The total delay is 21.5 minutes.", CARRIERS, "21.5 minutes",
         "that is the sum of average delay over 2 rows; averages and rates do not add"),
        ("It was 77 in all.", CARRIERS, "77", "nothing gives it: no result, definition, question or query argument"),
        ("Aurora had 3.3 minutes more delay than Cloudline.", CARRIERS, "3.3 minutes",
         "the difference of Aurora's average delay and Cloudline's average delay"),
        ("Aurora ran 15 minutes late.", CARRIERS, "15 minutes", "nothing gives it; Aurora's average delay is 12.4"),
        ("Orrin paid €0.", NULLS, "€0", "Orrin's refunds are empty: no value, not 0"),
        ("The total is 30 flights.", LIMITED, "30",
         "that is the sum of flights over only the 2 rows returned under LIMIT 2, not the total"),
        ("There are four carriers.", CARRIERS, "four", "query 1 has 2 rows"),
        ("Aurora's delay is far from the benchmark of 3 minutes.", CARRIERS, "3 minutes",
         "nothing gives it: no result, definition, question or query argument"),
        ("90% of Aurora's flights were late.", CARRIERS, "90%",
         "nothing gives it: no result, definition, question or query argument"),
        ("Aurora made a profit of €3,200.", LOSS, "€3,200", "Aurora's profit is -3,200: the minus is missing"),
    ],
)  # fmt: skip
def test_an_explanation_says_what_is_and_what_should_be(
    answer: str, evidence: ResultTable, text: str, explanation: str
) -> None:
    """Whose value it is, and what stands where it should."""
    more = {"semantic": {"limit": 2}} if evidence is LIMITED else {}
    assert {text: explanation} == {figure.text: figure.explanation for figure in figures(answer, evidence, **more)}


@pytest.mark.parametrize(
    ("answer", "evidence", "fault"),
    [
        ("Punctuality rose by 3.2 points.", CHANGE, "direction"),
        ("Aurora made a profit of €3,200.", LOSS, "direction"),
        ("The total stock value is €100.", CUT, "truncated_total"),
        ("Orrin paid €0.", NULLS, "null"),
    ],
)
def test_a_near_miss_names_its_fault(answer: str, evidence: ResultTable, fault: str) -> None:
    """Machines read what kind of mistake it is."""
    assert [fault] == [figure.fault for figure in figures(answer, evidence)]


def test_the_outcome_quotes_the_first_fault_and_counts_the_rest() -> None:
    """A reviewer reads one sentence and knows how much more there is."""
    found = outcome("Cloudline's delay was 12.4 minutes. Aurora had 1,500 flights.", CARRIERS)
    expected = "“12.4 minutes”: 12.4 is Aurora's average delay; Cloudline's is 9.1 (and 1 more)"
    assert ("fail", expected) == (found.label, found.explanation)


def test_a_stale_value_is_set_against_the_new_one() -> None:
    """What an earlier turn returned is not what this one asked."""
    before = turn("August: 78,822.", result(["month", "carrier", "passengers"], ["2026-08", "Norwind", 78822]))
    now = result(["month", "carrier", "passengers"], ["2026-09", "Norwind", 68400])
    found = figures("Norwind carried 78,822 passengers.", now, earlier=[before])
    assert [("earlier_turn", False)] == [(f.fault, f.grounded) for f in found]
    expected = "78,822 is Norwind's passengers for 2026-08 in turn 1; now Norwind's passengers for 2026-09 are 68,400"
    assert expected == found[0].explanation


@pytest.mark.parametrize("name", ["x" * 5000, "a\nb\x00\x1b[31mred", "tab\there", "<b>bold</b>" * 200])
def test_hostile_labels_are_bounded_and_printable(name: str) -> None:
    """A row's name can neither flood nor forge a line."""
    table = result(["who", column("amount", name)], [name, 5123], ["Other", 17])
    for figure in figures(f"Other paid 5,123 and $17. {name[:40]} paid 99,999 or 5.1 million.", table):
        assert figure.explanation.isprintable()
        assert len(figure.explanation) <= 300


@pytest.mark.parametrize(
    ("answer", "text", "explanation"),
    [
        ("Aurora and Cloudline had 2,500 flights together.", "2,500", "the sum of flights over 2 rows is 2,487"),
        ("There were 3,100 flights in total.", "3,100", "the sum of flights over 3 rows is 2,987"),
        ("The delays of Aurora and Cloudline differ by 4.3 minutes.", "4.3 minutes",
         "Aurora's average delay and Cloudline's average delay differ by 3.3"),
        ("Aurora has 60 % of flights.", "60 %", "Aurora's flights are 46 % of the total"),
        ("The average number of flights was 900.", "900", "the mean of flights over 3 rows is 996"),
    ],
)  # fmt: skip
def test_a_wrong_calculation_is_told_with_the_right_value(answer: str, text: str, explanation: str) -> None:
    """What the words announce is calculated for the reviewer where column and rows are clear."""
    three = result(CARRIERS.columns, *CARRIERS.rows, ["Solvia", 8.3, 500])
    found = {figure.text: (figure.grounded, figure.explanation) for figure in figures(answer, three)}
    assert found[text] == (False, f"nothing gives it; {explanation}")


def test_a_wrong_calculation_over_unclear_columns_promises_no_right_value() -> None:
    """Where two columns could be meant, nothing is calculated."""
    two = result(["city", "orders", "returns"], ["Berlin", 452, 31], ["Paris", 381, 44])
    assert [f.explanation for f in figures("It was 9,999 in all.", two)] == [
        "nothing gives it: no result, definition, question or query argument"
    ]


def test_membership_says_where_the_value_stands_and_not_whose_it_should_be() -> None:
    """An explanation never contradicts its verdict."""
    found = Grounded(mode="membership").run(turn("Cloudline's delay was 12.4 minutes.", CARRIERS), Conversation(id="c"))
    assert [(f.grounded, f.explanation) for f in found.figures] == [(True, "Aurora's average delay is 12.4")]
