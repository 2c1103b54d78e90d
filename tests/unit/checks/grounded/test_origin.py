"""What grounds a figure and what does not: labels, odd characters, thoughts, calls that failed."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.figures import find_figures
from monitor.conversation import AgentError, ToolCall
from tests.unit.checks.grounded.turns import figures, result, value, verdicts

FLIGHTS = result(["carrier", "flights"], ["Aurora", 1374], ["Cloudline", 20])


@pytest.mark.parametrize(
    "text",
    ["Option 1: HAT052", "- **Flight 2:** HAT102", "Flight 2 departs late", "Passenger 1 (Mia)", "Reservation 2, as you said",
     "bell \\u0007 and \\x07", "\x07", "a\x1b[b"],
)  # fmt: skip
def test_labels_and_unseen_characters_are_no_figures(text: str) -> None:
    """The number of an option in a list states nothing, nor does a control character."""
    assert [] == [figure.text for figure in find_figures(text)]


@pytest.mark.parametrize("text", ["arrives 00:00+1", "01:00 EST (+1 day)", "at 00:00+1."])
def test_the_next_day_of_a_time_is_no_figure(text: str) -> None:
    """In 00:00+1 the time is the figure."""
    assert [text[text.index("0") : text.index("0") + 5]] == [figure.text for figure in find_figures(text)]


@pytest.mark.parametrize("text", ["flight 2 hours late", "Flights: 2", "one passenger 3 bags", "item 2.5 kg"])
def test_a_quantity_beside_a_label_word_is_a_figure(text: str) -> None:
    """A unit, a colon or a decimal says that something is counted."""
    assert [number for number in ("2", "2.5", "3") if f" {number} " in f"{text} "] == [
        figure.text.split()[0] for figure in find_figures(text, words=False)
    ]


@pytest.mark.parametrize("char", ["\x07", "\x00", "\u200b", "\u202e", "\ufeff", "\u00ad"])
def test_an_unseen_character_does_not_part_a_figure(char: str) -> None:
    """What people read as 1374 is 1374, and its span holds what was written."""
    assert {f"1{char}374": True} == verdicts(f"Aurora{char} had 1{char}374 flights.{char}", FLIGHTS)
    assert {f"9{char}374": False} == verdicts(f"Aurora had 9{char}374 flights.", FLIGHTS)


def test_a_time_of_the_next_day_is_read_in_cells_and_answers() -> None:
    """00:00:00+1 is midnight."""
    times = result(["flight", "arrives"], ["X12", "00:00:00+1"], ["X14", "23:30:00"])
    assert {"00:00": True} == verdicts("X12 arrives at 00:00+1.", times)


THOUGHT = "The fee would be 75 dollars for each passenger because the policy says so, I think, and it is due now."


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (ToolCall(id="c", name="pay", arguments={"amount": 75}, result="done"), True),
        (ToolCall(id="c", name="pay", arguments={"amount": 75}, status="error"), False),
        (ToolCall(id="c", name="pay", arguments={"amount": 75}, result="Error: not enough balance"), False),
        (ToolCall(id="c", name="pay", arguments={"amount": 75}, error=AgentError(message="no")), False),
        (ToolCall(id="c", name="think", arguments={"thought": "It is $75."}, result=""), False),
        (ToolCall(id="c", name="think", arguments={"x": 75}, result="It is $75."), False),
        (ToolCall(id="c", name="send", arguments={"note": "It is $75."}, result="done"), False),
        (ToolCall(id="c", name="send", arguments={"body": THOUGHT}, result="done"), False),
        (ToolCall(id="c", name="search", arguments={"filter": "price <= 75"}, result=[]), True),
    ],
)  # fmt: skip
def test_what_the_agent_only_wrote_grounds_nothing(call: ToolCall, expected: bool) -> None:
    """Arguments of a call that worked may be repeated; thoughts, notes and failed calls are no evidence."""
    assert {"$75": expected} == verdicts("The fee is $75.", value(3, name="x"), tool_calls=(call,))


POLICY = {
    "policy": "If a flight is delayed, offer a certificate with the amount being $100 times the number of passengers."
}
OFFERS = result(
    ["flight", "departure", "arrival", "price", "available_seats"],
    ["HAT1", "11:00:00", "13:00:00", 100, 2],
    ["HAT2", "13:00:00", "15:30:00", 250, 4],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("You get a $100 certificate.", ["definition"]),
        ("The price is $100.", ["cell"]),
        ("There are two flights.", ["count"]),
        ("There are two seats.", ["cell"]),
    ],
)
def test_what_the_words_mean_beats_any_equal_cell(answer: str, expected: list[str]) -> None:
    """A certificate is the policy's, although a flight costs as much."""
    found = figures(answer, OFFERS, definitions=POLICY)
    assert expected == [(figure.source or {})["kind"] for figure in found]


def test_a_list_explains_by_the_line_and_its_heading() -> None:
    """Each line's word names the column, the line above names the row."""
    answer = "1. **Flight HAT1**\n   - Departure: 11:00\n   - Arrival: 13:00\n2. **Flight HAT2**\n   - Departure: 13:00"
    expected = ["HAT1's departure is 11:00:00", "HAT1's arrival is 13:00:00", "HAT2's departure is 13:00:00"]
    assert expected == [figure.explanation for figure in figures(answer, OFFERS)]
