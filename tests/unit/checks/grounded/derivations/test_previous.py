"""Changes since the period before, peaks on a date, what follows a semicolon, and what remains of an earlier total."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.verdict import ground
from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

LINES = result(["line", column("scrap_rate", "percent", "avg")], ["Press", 2.0], ["Paint", 3.0], ["Pack", 4.5])
MONTHS = result(["month", column("scrap_rate", "percent", "avg")], ["2026-01", 3.0], ["2026-02", 2.0])


@pytest.mark.parametrize(
    "answer",
    [
        "The scrap rate fell by 1 percentage point from the previous month.",
        "Die scrap_rate sank zum Vormonat um 1 Prozentpunkt.",
        "Le scrap_rate a baissé de 1 point par rapport au mois précédent.",
        "La scrap_rate bajó 1 punto frente al mes anterior.",
        "De scrap_rate daalde met 1 procentpunt ten opzichte van vorige maand.",
    ],
)
def test_a_change_since_the_period_before_needs_periods(answer: str) -> None:
    """Rows of one period give no change since the one before; rows of two periods do."""
    assert list(verdicts(answer, LINES).values()) == [False]
    assert list(verdicts(answer, MONTHS).values()) == [True]


def test_rows_may_be_compared_with_each_other() -> None:
    """A difference between rows that is not said to be one in time stays grounded."""
    assert verdicts("Press is 1 percentage point below Paint.", LINES) == {"1 percentage point": True}


VISITS = result(
    ["iso_week", "visits", column("bounce_rate", "ratio", "avg")],
    ["2026-W07", 4100, 0.41],
    ["2026-W08", 5300, 0.39],
    ["2026-W09", 4700, 0.44],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Peak in week 8 with 5,300.", {"week 8": True, "5,300": True}),
        ("Peak in week 9 with 5,300.", {"week 9": False, "5,300": False}),
        ("Visits in week 9: 4,700.", {"week 9": True, "4,700": True}),
    ],
)
def test_the_figure_after_a_date_says_what_peaked(answer: str, expected: Verdicts) -> None:
    """Where no column is named, the one in which the next figure stands is the one that peaked."""
    assert expected == verdicts(answer, VISITS)


SHOPS = result(
    ["shop", "orders", column("sales_eur", "EUR", "sum")],
    ["Aalst", 900, 7100.0],
    ["Brugge", 400, 5200.0],
    ["Genk", 700, 6300.0],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Over the whole of the summer Aalst had 900 orders; sales were €7,100.", {"900": True, "€7,100": True}),
        ("Over the whole of the summer Aalst had 900 orders; sales were €5,200.", {"900": True, "€5,200": False}),
        (
            "Over the whole of the summer Aalst had 900 orders; total sales were €18,600.",
            {"900": True, "€18,600": True},
        ),
    ],
)
def test_what_follows_a_semicolon_is_of_the_same_row(answer: str, expected: Verdicts) -> None:
    """Without a name of its own, the part after a semicolon goes on about the row named before, but for totals."""
    assert expected == verdicts(answer, SHOPS)


@pytest.mark.parametrize(("rest", "expected"), [("17,608", True), ("17,806", False)])
def test_what_remains_of_an_earlier_total(rest: str, *, expected: bool) -> None:
    """What an earlier answer's total leaves, after a part said in the sentence before, is grounded as the remainder."""
    table = {"kind": "table", "name": "q", "columns": ["tier", "visits"], "rows": [["gold", 31_304]]}
    text = {"kind": "text", "text": "Earlier answer: 48,912 visits of all tiers."}
    evidence = evidence_of_record("And gold?", [text, table])
    told = ground(f"Gold made 31,304 visits; the remaining {rest} came from others.", evidence, "And gold?")
    assert {each.text: each.grounded for each in told} == {"31,304": True, rest: expected}
