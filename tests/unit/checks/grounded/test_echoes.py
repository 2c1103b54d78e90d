"""Numbers that a text holds too: the user's target as the result, an earlier answer's figure, an empty cell read as 0."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.evidence import evidence_of_record
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
    table = {"kind": "table", "name": "q", "columns": ["tier", "visits"], "rows": [["gold", 31_304]]}
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
