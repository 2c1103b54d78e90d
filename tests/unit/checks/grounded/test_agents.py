"""What agents that act for people say: what was asked for, what tools returned, ids, phone numbers, ranges."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.text.figures import find_figures
from monitor.checks.grounded.verdict import ground
from monitor.conversation import ToolCall
from tests.unit.checks.grounded.turns import figures, result, verdicts

RATES = result(
    ["supplier", "fill_rate", "orders"], ["Solvia", 0.8636, 94], ["Aurora", 0.8326, 117], ["Norwind", 0.78, 80]
)
OFFERS = [
    {"part": "PX10", "site": "Oslo", "price": {"list": 70, "net": 64}, "lines": [{"hub": "A"}, {"hub": "B"}]},
    {"part": "PX20", "site": "Bergen", "price": {"list": 95, "net": 81}, "lines": [{"hub": "C"}]},
    {"part": "PX30", "site": "Tromsø", "price": {"list": 40, "net": 33}, "lines": []},
]


def call(name: str, got: Any) -> ToolCall:
    return ToolCall(id="c", name=name, arguments={}, result=got)


def said(answer: str, *results: Any, **more: Any) -> dict[str, str]:
    """The explanation of each figure."""
    return {figure.text: figure.explanation for figure in figures(answer, *results, **more)}


@pytest.mark.parametrize(
    ("stated", "expected"), [("86.4%", True), ("86.36 %", True), ("86.9%", False), ("83.3%", False)]
)
def test_a_share_without_a_unit_is_written_as_percent(stated: str, expected: bool) -> None:
    """A column that holds 0.8636 and declares nothing states 86.4 %, and no other row's share."""
    assert [expected] == list(verdicts(f"Solvia had a fill rate of {stated}.", RATES).values())


def test_objects_inside_a_row_are_the_rows_own_fields() -> None:
    """The net price of a part is told with its part, and another part's is not taken for it."""
    offers = (call("offers", OFFERS),)
    assert {"$81": "PX20's price net is 81"} == said("PX20 costs $81 net.", tool_calls=offers)
    assert {"$64": False} == verdicts("PX20 in Bergen: $64 net.", tool_calls=offers)


def test_lists_inside_such_objects_are_results_of_their_own() -> None:
    """Nothing that a tool returned is lost, however deep it stands."""
    got = [{"site": "Oslo", "stock": {"open": {"bins": [{"bin": "B7", "units": 4410}, {"bin": "B8", "units": 20}]}}}]
    assert {"4,410": "B7's units are 4,410"} == said("Bin B7 holds 4,410 units.", tool_calls=(call("stock", got),))


@pytest.mark.parametrize("label", ["", "Result: ", "[tool offers] "])
def test_json_in_a_text_is_read_as_a_result(label: str) -> None:
    """A record may hold what a tool returned as text, after a label."""
    text = label + '[{"part": "PX10", "price": 64}, {"part": "PX20", "price": 81}]'
    found = ground("PX10 and PX20. Total price: $145", evidence_of_record("", [{"kind": "text", "text": text}]))
    assert ["the sum of price over 2 rows"] == [figure.explanation for figure in found if figure.text == "$145"]


@pytest.mark.parametrize("text", ["Offers: [not JSON]", "[1, 2", "[[[[ {]", ""])
def test_other_texts_are_left_as_they_are(text: str) -> None:
    """A bracket makes no result."""
    assert [] == evidence_of_record("", [{"kind": "text", "text": text}]).tables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call 1-800-555-0142 or 800-555-0142.", []),
        ("Call 1-800-555-HELP (4357) now", []),
        ("Call (800) 555-0142.", []),
        ("Between 800-900 orders came.", ["800", "900"]),
        ("From 2026-03-01 on", ["2026-03-01"]),
        ("- Voucher 1: $50", ["$50"]),
        ("- **Voucher 2:** $50", ["$50"]),
        ("Vouchers: 2", ["2"]),
        ("at most 5: see below", ["5"]),
        ("It costs $100 times two", ["$100", "two"]),
        ("within 7 business days", ["7 business days"]),
    ],
)
def test_what_is_a_figure_and_where_it_ends(text: str, expected: list[str]) -> None:
    """Phone numbers and numbered labels state nothing; a unit of two words is one, a word after a price is none."""
    assert expected == [figure.text for figure in find_figures(text)]


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("Added: 1 spare filter", "Please add one spare filter.", True),
        ("Added: 1 spare filter", "Please add a spare filter.", True),
        ("Added: 1 spare pump", "Please add one spare filter.", False),
        ("Hinzugefügt: 1 Filter", "Bitte einen Filter dazu.", True),
    ],
)
def test_one_in_the_question_is_1_in_the_answer(answer: str, question: str, expected: bool) -> None:
    """What the user asked for in words comes back in digits, of the same thing."""
    assert {"1": expected} == verdicts(answer, result(["hub", "orders"], ["A", 40], ["B", 50]), question=question)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It was charged to the card ending in 4784.", True),
        ("Die Karte endet auf 4784.", True),
        ("The last four digits are 4784.", True),
        ("It was charged to the card ending in 4785.", False),
        ("It shipped 4784 parts.", False),
    ],
)
def test_the_last_digits_of_an_id(answer: str, expected: bool) -> None:
    """Where the words say so, the last digits of an id in the result are grounded."""
    cards = result(["payment", "balance"], ["card_1594784", 300], ["card_1600001", 20])
    assert [expected] == list(verdicts(answer, cards).values())


def test_the_nearest_of_several_texts_is_quoted() -> None:
    """Of the places that say 5 the one with the answer's own words is its source."""
    texts = {"sites": "An order may go to at most 5 sites.", "refunds": "Refunds take 5 to 7 business days."}
    found = said("The refund takes 5 to 7 business days.", definitions=texts)
    assert {
        "5": "“5” stands in the definition refunds",
        "7 business days": "“7 business days” stands in the definition refunds",
    } == found


def test_what_the_user_set_is_the_users() -> None:
    """A budget that some cell happens to hold too comes from the question."""
    parts = result(["part", "cost"], ["PX10", 600], ["PX20", 120])
    assert (
        "“$600” stands in the question"
        == said("No site is within your budget of $600.", parts, question="My budget is $600. Which site?")["$600"]
    )


@pytest.mark.parametrize("answer", ["It takes 2 to 3 weeks.", "You get 3 free filters per order."])
def test_a_range_and_a_rate_count_no_rows(answer: str) -> None:
    """That a result has three rows says nothing of weeks or of filters per order."""
    rows = result(["site", "orders"], ["Oslo", 40], ["Bergen", 50], ["Voss", 60])
    assert False is verdicts(answer, rows)["3"]


@pytest.mark.parametrize("verb", ["did", "were"])
def test_a_short_answer_counts_what_it_lists(verb: str) -> None:
    """The question holds the condition of a sentence without one of its own; the names that follow are as many as it says."""
    answer = f"Two suppliers {verb}: Solvia and Aurora."
    assert {"Two": True} == verdicts(answer, RATES, question="How many suppliers had a fill rate above 80 %?")


def test_the_list_that_is_named_is_counted() -> None:
    """Three drivers are the three entries of the tool's own list of drivers."""
    tour = {"tour": "T7", "drivers": [{"name": "Mia"}, {"name": "Omar"}, {"name": "Lena"}], "stops": ["a", "b", "c"]}
    found = said("The tour costs the same for all three drivers.", tool_calls=(call("get_tour", tour),))
    assert {"three": "get_tour has 3 entries in drivers"} == found


def test_a_digit_within_a_code_states_nothing() -> None:
    """KX4QF is no 4."""
    codes = result(["order", "amount"], ["KX4QF", 120], ["ZZ9AB", 340])
    assert {"4": False} == verdicts("You may return 4 parts.", codes)


def test_two_dates_are_days_apart() -> None:
    """Dates without times lie days apart; the hours between them are nobody's."""
    days = result(["first", "last"], ["2026-03-01", "2026-03-02"])
    assert {"24-hour": False} == verdicts("It is beyond the 24-hour window.", days)


@pytest.mark.parametrize(("part", "expected"), [("$171", True), ("$172", False)])
def test_the_rest_of_what_a_tool_calculated(part: str, expected: bool) -> None:
    """Parts of a payment make up the only number that a tool returned."""
    cards = result(["card", "amount"], ["g1", 128], ["g2", 30])
    found = verdicts(
        f"Payment:\n- Gift card: $128\n- Credit card: {part}", cards, tool_calls=(call("calculate", 299.0),)
    )
    assert expected is found[part]


def test_a_total_beside_its_parts_is_their_sum() -> None:
    """A total is the sum of the prices above it, although some other row happens to cost as much."""
    prices = result(["part", "price"], ["PX10", 122], ["PX20", 121], ["PX30", 243], ["PX40", 15])
    answer = "- PX10\n  - Price: $122\n- PX20\n  - Price: $121\n\nTotal: $243"
    assert "the sum of the 2 figures before it" == said(answer, prices)["$243"]
