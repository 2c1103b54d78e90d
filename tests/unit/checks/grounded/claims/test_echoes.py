"""Numbers that a text holds too: the user's target as the result, an earlier answer's figure, an empty cell read as 0."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.verdict import ground
from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

DESK = result(
    ["site", "tickets", column("first_reply_rate", "ratio", "ratio")], ["Porto", 18_640, 0.92], ["Gent", 7_210, 0.97]
)
QUESTION = "Did Porto exceed its 95% first reply target and take more than 20,000 tickets?"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes, Porto reached 95%.", {"95%": False}),
        ("Ja, Porto erreichte 95 %.", {"95 %": False}),
        ("Oui, Porto a atteint 95 %.", {"95 %": False}),
        ("Sí, Porto alcanzó 95 %.", {"95 %": False}),
        ("Ja, Porto haalde 95 %.", {"95 %": False}),
        ("Porto took 20,000 tickets.", {"20,000": False}),
        ("Porto reached 92%.", {"92%": True}),
        ("No, Porto missed the target of 95%.", {"95%": True}),
        ("No, Porto stayed below 95% with 92%.", {"95%": True, "92%": True}),
        ("Porto took 18,640 tickets, fewer than the 20,000 tickets asked about.", {"18,640": True, "20,000": True}),
    ],
)
def test_a_target_of_the_question_is_no_result(answer: str, expected: Verdicts) -> None:
    """What the user asked about is grounded as a limit, and wrong as what a named row reached."""
    assert expected == verdicts(answer, DESK, question=QUESTION)


def _with_text(answer: str, text: str) -> Verdicts:
    table: dict[str, object] = {"kind": "table", "name": "q", "columns": ["tier", "visits"], "rows": [["gold", 31_304]]}
    table["aggregations"] = {"visits": "count"}
    evidence = evidence_of_record("And for gold only?", [{"kind": "text", "text": text}, table])
    return {each.text: each.grounded for each in ground(answer, evidence, "And for gold only?")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Earlier answer: 48,912 visits of all tiers.", False),
        ("Earlier answer: the gold tier had 48,912 visits.", True),
    ],
)
def test_a_text_about_others_does_not_explain_a_named_row(text: str, *, expected: bool) -> None:
    """A number that a text states of all, or of another, is not the named row's when the result says otherwise."""
    assert _with_text("The gold tier had 48,912 visits.", text) == {"48,912": expected}


def test_an_empty_cell_is_not_zero() -> None:
    """A 0 in the unit of an empty cell is not taken from another column that holds 0."""
    lines = result(["line", "made", column("scrap_ppm", "ppm", "ratio")], ["L-A", 900, 440], ["L-B", 0, None])
    assert verdicts("L-B had 0 ppm.", lines) == {"0 ppm": False}
    assert verdicts("L-B made 0 pieces.", lines) == {"0": True}
    assert verdicts("L-A had 440 ppm.", lines) == {"440 ppm": True}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Porto's budget was 18,640.", {"18,640": False}),
        ("Das Ziel war 18.640.", {"18.640": False}),
        ("L'objectif était 18 640.", {"18 640": False}),
        ("El objetivo era 18.640.", {"18.640": False}),
        ("Het doel was 18.640.", {"18.640": False}),
        ("Porto took 18,640 tickets.", {"18,640": True}),
    ],
)
def test_a_target_that_nothing_gives_is_wrong(answer: str, expected: Verdicts) -> None:
    """A result's value said to be the target is wrong where no column, definition, question or text speaks of a target."""
    assert expected == verdicts(answer, DESK, question="How busy were the desks?")


def test_a_target_that_is_given_is_not_judged_here() -> None:
    """A column of targets, or a definition with one, leaves the value to the other rules."""
    goals = result(["site", "tickets", "target"], ["Porto", 18_640, 20_000], ["Gent", 7_210, 7_000])
    assert verdicts("Porto's target was 20,000.", goals) == {"20,000": True}


def test_a_count_is_no_part_of_a_code() -> None:
    """A number of things is not explained by the digit of a name such as TH-3; the name's own number is."""
    sensors = result(["sensor", "readings"], ["TH-1", 55], ["TH-3", 54], ["TH-4", 55])
    assert verdicts("Two sensors sent 55 readings; 9 battery warnings were raised.", sensors)["9"] is False
    assert verdicts("TH-3 sent 54 readings.", sensors) == {"54": True}
    odd = result(["sensor", "readings"], ["TH-7", 55], ["TH-9", 54])
    assert verdicts("9 battery warnings were raised.", odd) == {"9": False}


def test_a_column_of_percentiles_gives_its_share() -> None:
    """What share lies below a percentile stands in the column's name."""
    times = result(["service", column("p90_h", "h"), "parcels"], ["Express", 26.4, 20_410], ["Standard", 71.0, 88_125])
    found = verdicts("90% of Standard parcels arrive within 71 hours.", times)
    assert found == {"90%": True, "71 hours": True}
    assert verdicts("80% of Standard parcels arrive within 71 hours.", times)["80%"] is False
