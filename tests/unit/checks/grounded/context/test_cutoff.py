"""Results that were cut off: the rows returned, said to be all, or said to be some of them."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import Verdicts, column, result, verdicts

ROWS: list[list[object]] = [
    ["T-01", "open", 90.0],
    ["T-02", "closed", 80.0],
    ["T-03", "open", 70.0],
    ["T-04", "closed", 60.0],
    ["T-05", "open", 50.0],
]
TICKETS = result(["ticket", "state", column("cost_eur", "EUR", "sum")], *ROWS, row_count=1874, truncated=True)
SQL = "SELECT ticket, state, cost_eur FROM tickets ORDER BY cost_eur DESC LIMIT 5"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("There are 5 tickets.", {"5": False}),
        ("We have exactly 5 tickets.", {"5": False}),
        ("Es gibt insgesamt fünf Tickets.", {"fünf": False}),
        ("Il y a cinq tickets dans la base.", {"cinq": False}),
        ("Hay cinco tickets en la base.", {"cinco": False}),
        ("Er zijn vijf tickets in het systeem.", {"vijf": False}),
        ("The 5 tickets shown cost the most.", {"5": True}),
        ("These are the top 5 of 1,874 tickets.", {"5": True, "1,874": True}),
    ],
)
def test_a_limit_is_not_how_many_there_are(answer: str, expected: Verdicts) -> None:
    """The number of rows returned is a count of those shown, and no count of all."""
    assert expected == verdicts(answer, TICKETS, sql=SQL)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The tickets returned cost €350 together.", {"€350": True}),
        ("I see only 5 of 1,874 tickets; together they cost €350.", {"5": True, "1,874": True, "€350": True}),
        ("Ich sehe nur 5 von 1.874 Tickets; zusammen kosten sie 350 €.", {"5": True, "1.874": True, "350 €": True}),
        ("All tickets together cost €350.", {"€350": False}),
    ],
)
def test_a_sum_over_the_rows_returned_must_say_so(answer: str, expected: Verdicts) -> None:
    """What is summed over some rows is grounded where the words say that they are some, and wrong as the total."""
    assert expected == verdicts(answer, TICKETS, sql=SQL)


def test_points_apart_are_no_level() -> None:
    """Points by which a rate is lower than another are not the rate itself, though it has that value."""
    ads = result(["campaign", column("ctr", "ratio", "avg")], ["Spring", 0.032], ["Autumn", 0.002])
    assert verdicts("Autumn's CTR is 0.2 percentage points lower than Spring's.", ads) == {
        "0.2 percentage points": False
    }
    assert verdicts("Autumn's CTR is 3 percentage points lower than Spring's.", ads) == {"3 percentage points": True}
    assert verdicts("Autumn's CTR is 0.2 %.", ads) == {"0.2 %": True}
