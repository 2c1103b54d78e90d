"""The conformance cases of the grounding rules, g1 to g33, each with more of its kind."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.conversation import AgentError, Completeness
from tests.unit.checks.grounded.turns import column, figures, outcome, result, turn, value, verdicts

CARRIERS = result(
    [column("carrier"), column("avg_delay", "min", "avg"), column("flights", None, "count")],
    ["Aurora", 12.4, 1374],
    ["Cloudline", 9.1, 1113],
    ["Norwind", 17.9, 942],
)


def only(answer: str, *results: Any, **more: Any) -> bool | None:
    """The verdict on the one figure of *answer*."""
    found = figures(answer, *results, **more)
    assert 1 == len(found), found
    return found[0].grounded


@pytest.mark.parametrize(
    "written", ["84.1%", "84.12 percent", "84%", "84.12 %", "84.124 per cent", "84,1 %", "84 Prozent"]
)
def test_g1_rounding_to_the_written_precision_is_grounded(written: str) -> None:
    """A value rounded to what is written is the value."""
    assert only(f"The on-time rate was {written}.", value(84.1237, "percent")) is True


@pytest.mark.parametrize("written", ["84.9%", "85.1%", "84.2%", "84.13%", "83%", "85 percent"])
def test_g2_another_number_is_ungrounded(written: str) -> None:
    """A digit off is wrong, whatever the precision."""
    assert only(f"The on-time rate was {written}.", value(84.1237, "percent")) is False


@pytest.mark.parametrize(
    ("written", "expected"),
    [("84.1%", True), ("84.12 percent", True), ("0.841", True), ("0.84", True), ("84.1", False), ("0.841%", False)],
)
def test_g3_a_ratio_is_multiplied_only_with_a_percent_mark(written: str, expected: bool) -> None:
    """0.841 is 84.1 %, and neither 84.1 nor 0.841 %."""
    assert expected is only(f"The rate was {written} overall.", value(0.841237, "ratio", "on_time_rate"))


@pytest.mark.parametrize(
    "written",
    ["$5.7 million", "5.7M", "5,705,001", "$5,705,001.23", "5.71 million", "USD 5.7 million", "$5.7m", "5,705 k"],
)
def test_g4_magnitudes_are_grounded(written: str) -> None:
    """A value may be written in thousands, millions, or in full."""
    assert only(f"Revenue came to {written} in all.", value(5705001.23, "USD", "revenue", "sum")) is True


@pytest.mark.parametrize("written", ["5.8 million", "$5.7 billion", "$5,705", "5.7k", "$57 million"])
def test_g5_a_wrong_magnitude_or_digit_is_ungrounded(written: str) -> None:
    """A factor of a thousand is not a rounding."""
    assert only(f"Revenue came to {written} in all.", value(5705001.23, "USD", "revenue", "sum")) is False


@pytest.mark.parametrize("written", ["1.234,5", "1 234,5", "1\u202f234,5", "1’234.5", "1,234.5", "1234.5", "1 234.5"])
def test_g6_separators_of_any_locale(written: str) -> None:
    """Thousands and decimals are read as any of our locales writes them."""
    assert only(f"Der Wert liegt bei {written} Einheiten.", value(1234.5)) is True


@pytest.mark.parametrize(("content", "expected"), [(1234, True), (1.234, True), (1235, False), (1.236, False)])
def test_g6_an_ambiguous_number_tries_both_readings(content: float, expected: bool) -> None:
    """1.234 may be a thousand and some, or one and some."""
    assert expected is only("Het waren er 1.234 in totaal.", value(content))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Punctuality fell by 3.2 points.", True),
        ("Punctuality rose by 3.2 points.", False),
        ("Punctuality declined 3.2 points.", True),
        ("Punctuality improved by 3.2 points.", False),
        ("Die Pünktlichkeit sank um 3,2 Punkte.", True),
        ("Die Pünktlichkeit stieg um 3,2 Punkte.", False),
        ("La puntualidad bajó 3,2 puntos.", True),
        ("The change was −3.2 points.", True),
    ],
)
def test_g7_direction_comes_from_the_words(answer: str, expected: bool) -> None:
    """A negative change is a fall, never a rise."""
    assert expected is only(answer, value(-3.2, "points", "change_in_punctuality"))


@pytest.mark.parametrize(
    "answer",
    [
        "A had 6 more than B.",
        "A had 2.5x as many as B.",
        "A had 150 % more than B.",
        "A and B had 14 in total.",
        "A is 71 % of the total.",
        "B had 60% fewer than A.",
        "Together they handled 14 tickets.",
    ],
)
def test_g8_announced_derivations_are_grounded_and_reported(answer: str) -> None:
    """What the words announce is calculated, and said to be."""
    tickets = result(["team", column("tickets", None, "sum")], ["A", 10], ["B", 4])
    found = figures(answer, tickets)
    assert [True] == [figure.grounded for figure in found]
    assert "derived" == (found[0].source or {})["kind"]


@pytest.mark.parametrize("aggregation", ["avg", "ratio", "count_distinct", "median", "max"])
def test_g9_what_does_not_add_is_not_summed(aggregation: str) -> None:
    """Averages, rates and distinct counts have no total."""
    scores = result(["team", column("handling_time", "min", aggregation)], ["Alpha", 10], ["Beta", 4])
    assert only("The teams took 14 minutes in total.", scores) is False


@pytest.mark.parametrize(
    "answer",
    [
        "1. Aurora\n2. Cloudline\n3. Norwind",
        "First, I looked at Aurora; second, at Cloudline.",
        "In Q3 things were calm.",
        "COVID-19 hit the A320 fleet and the B-2040 line.",
        "Run `SELECT 77 FROM t` or see ```sql\nLIMIT 900\n```.",
        "SELECT carrier FROM flights WHERE delay > 15 LIMIT 20",
        "Ticket INC-4472 is at https://example.test/7/42.",
        "See [the page](page/123) [4] and write to user17@example.test.",
        "Version 7.2.1 runs 24/7, see ticket #4711.",
        "Call +49 30 1234567.",
    ],
)
def test_g10_names_lists_code_and_links_hold_no_figures(answer: str) -> None:
    """Digits that state nothing are no figures."""
    assert [] == figures(answer, CARRIERS)


@pytest.mark.parametrize("answer", ["There are 3 carriers.", "There are three carriers.", "All 3 carriers were late."])
def test_g11_counts_of_rows(answer: str) -> None:
    """The number of rows is a figure that the result gives, in digits or words."""
    assert only(answer, CARRIERS) is True


def test_g11_counts_in_other_languages() -> None:
    """Number words are read in the answer's own language."""
    assert only("Es sind drei Gesellschaften mit der Tabelle verbunden.", CARRIERS) is True


def test_g11_a_wrong_count_is_ungrounded() -> None:
    """Four rows are not there."""
    assert only("There are 4 carriers.", CARRIERS) is False


@pytest.mark.parametrize(
    "written",
    [
        "1–14 January 2026",
        "14/01/2026",
        "January 14, 2026",
        "2026-01-14",
        "14 January 2026",
        "14. Januar 2026",
        "14.01.2026",
    ],
)
@pytest.mark.parametrize("carried", ["semantic", "sql"])
def test_g12_dates_are_grounded_by_the_querys_arguments(written: str, carried: str) -> None:
    """The period that the query asked for may be named, however it is written."""
    carriers: dict[str, dict[str, Any]] = {
        "semantic": {"semantic": {"filters": ["day BETWEEN '2026-01-01' AND '2026-01-14'"]}},
        "sql": {"sql": "SELECT COUNT(*) AS flights FROM t WHERE day BETWEEN '2026-01-01' AND '2026-01-14'"},
    }
    flights = value(314, None, "flights", "count")
    assert {written: True, "314": True} == verdicts(
        f"Between {written} there were 314 flights.", flights, **carriers[carried]
    )


def test_g12_a_date_that_nothing_gives_is_ungrounded() -> None:
    """A day outside every filter and row is invented."""
    more = {"semantic": {"filters": ["day BETWEEN '2026-01-01' AND '2026-01-14'"]}}
    assert verdicts("On 3 March 2025 there were 314 flights.", value(314), **more)["3 March 2025"] is False


def test_g13_a_limit_is_grounded_by_question_and_query() -> None:
    """What was asked for, the top 5, may be named."""
    assert only("Here are the top 5 routes.", question="Show the top 5 routes", sql="SELECT r FROM t LIMIT 5") is True


def test_g13_a_limit_is_grounded_by_the_query_alone() -> None:
    """A limit that the agent chose may be named."""
    assert only("Here are the top 5 routes.", sql="SELECT route FROM t ORDER BY n DESC LIMIT 5") is True


def test_g14_a_definition_may_be_quoted() -> None:
    """A threshold that a definition states is grounded."""
    defined = {"on_time_rate": "Share of flights that leave within 15 minutes of schedule."}
    assert only("On time means within 15 minutes.", CARRIERS, definitions=defined) is True


def test_g15_a_definition_misquoted_is_ungrounded() -> None:
    """Another threshold than the definition's is wrong."""
    defined = {"on_time_rate": "Share of flights that leave within 15 minutes of schedule."}
    assert only("On time means within 20 minutes.", CARRIERS, definitions=defined) is False


@pytest.mark.parametrize(
    "answer", ["In 2019 nobody was late.", "Since FY2019 nobody was late.", "In May 2019 nobody was."]
)
def test_g16_years_get_no_free_pass(answer: str) -> None:
    """A year that stands nowhere is invented."""
    assert only(answer, CARRIERS) is False


def test_g17_a_count_that_looks_like_a_year_is_a_value() -> None:
    """2,012 flights are 2012 of them."""
    assert only("There were 2,012 flights.", value(2012, None, "flights", "count")) is True


def test_g18_an_earlier_result_may_be_quoted() -> None:
    """A follow-up is grounded by what an earlier turn's query returned."""
    before = turn("Aurora flew 1,374 times.", CARRIERS)
    found = figures("As said, Aurora flew 1,374 times.", earlier=[before])
    assert [(True, "earlier_turn")] == [(figure.grounded, (figure.source or {})["kind"]) for figure in found]


def test_g18_the_answer_of_an_earlier_turn_is_no_evidence() -> None:
    """Repeating an invented figure does not make it true."""
    before = turn("Aurora flew 9,999 times.", CARRIERS)
    assert only("Aurora flew 9,999 times.", earlier=[before]) is False


def test_g19_a_row_that_the_agent_was_not_shown_is_grounded_and_marked() -> None:
    """Right by luck or by another way: grounded, and said to be unseen."""
    rows = [[f"route {number}", 1000 + 7 * number] for number in range(400)]
    shown = result(["route", "flights"], *rows, rows_shown=50)
    found = figures("route 399 had 3,793 flights.", shown)
    assert [True] == [figure.grounded for figure in found]
    assert {"unseen": True}.items() <= (found[0].source or {}).items()


def test_g20_null_is_not_zero() -> None:
    """Nothing was counted, so nothing is 0."""
    refunds = result(["airport", column("refunds", "EUR", "sum")], ["Harlow", 18240.5], ["Orrin", None])
    assert only("Orrin paid €0.", refunds) is False


@pytest.mark.parametrize("answer", ["There were 0 flights.", "The count was 0."])
def test_g20_zero_rows_are_zero(answer: str) -> None:
    """A query that returned no rows found 0 of what it looked for."""
    assert only(answer, result(["flight_id"])) is True


@pytest.mark.parametrize("answer", ["No data.", "No flights found.", "Es wurden keine Flüge gefunden."])
def test_g20_no_data_states_no_figure(answer: str) -> None:
    """Saying that there is nothing states no figure."""
    assert "not_applicable" == outcome(answer, result(["flight_id"])).label


def test_g21_a_figure_after_nothing_but_an_error_is_ungrounded() -> None:
    """A refused query gives no figures."""
    error = AgentError(code="fan_out", message="the split would count rows twice", kind="refusal")
    found = outcome("There were about 1,200 of them.", errors=(error,))
    assert "fail" == found.label


@pytest.mark.parametrize("written", ["$1,200", "1,200 minutes", "£1,200", "1,200 %", "1,200 kg"])
def test_g22_another_unit_is_ungrounded(written: str) -> None:
    """1,200 EUR are neither dollars nor minutes."""
    assert only(f"It came to {written} in May.", value(1200, "EUR", "cost", "sum"), question="May?") is False


@pytest.mark.parametrize("written", ["€1,200", "1,200 EUR", "1.200 €", "EUR 1,200", "1,200 euros"])
def test_g22_the_same_unit_in_any_writing_is_grounded(written: str) -> None:
    """A currency may be a sign, a code or a word, in front or behind."""
    assert only(f"It came to {written} then.", value(1200, "EUR", "cost", "sum")) is True


@pytest.mark.parametrize(
    "answer",
    [
        "Cloudline 12.4",
        "Cloudline: 12.4 minutes",
        "Cloudline's average delay was 12.4 minutes.",
        "Cloudline (12.4 min) was late.",
        "Aurora is fine. Cloudline had an average delay of 12.4 minutes.",
        "- Cloudline: 12.4",
        "| Carrier | Delay |\n|---|---|\n| Cloudline | 12.4 |",
    ],
)
def test_g23_another_rows_value_is_ungrounded(answer: str) -> None:
    """A value belongs to the row that the words name."""
    found = figures(answer, CARRIERS)
    assert [False] == [figure.grounded for figure in found]
    assert "wrong_row" == found[0].fault
    assert "12.4 is Aurora's average delay; Cloudline's is 9.1" == found[0].explanation


@pytest.mark.parametrize(
    "answer",
    [
        "Aurora 12.4, Cloudline 9.1",
        "Cloudline's 9.1 is less than Aurora's 12.4.",
        "Aurora had 12.4 minutes, Cloudline 9.1 and Norwind 17.9.",
        "Compared with Cloudline, 12.4 minutes is a lot.",
        "Aurora, Cloudline and Norwind had 12.4, 9.1 and 17.9.",
    ],
)
def test_g23_values_beside_their_rows_are_grounded(answer: str) -> None:
    """Lists and comparisons are read as people mean them."""
    assert {True} == set(verdicts(answer, CARRIERS).values())


COLUMNS = result(
    ["carrier", column("avg_delay", "min", "avg"), column("cancellation_rate", "percent", "ratio")],
    ["Aurora", 12.4, 3.1],
    ["Cloudline", 9.1, 12.4],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Aurora's average delay is 12.4 minutes.", True),
        ("Cloudline's cancellation rate is 12.4%.", True),
        ("Aurora's cancellation rate is 12.4%.", False),
        ("Cloudline's delay is 12.4 minutes.", False),
    ],
)
def test_g24_a_value_is_bound_to_its_column(answer: str, expected: bool) -> None:
    """The same number in two columns is two things."""
    assert expected is only(answer, COLUMNS)


@pytest.mark.parametrize(
    ("written", "unit", "expected"),
    [
        ("1.2m", "USD", True),
        ("1.2 M", "USD", True),
        ("1.2 million", "USD", True),
        ("1.2 m minutes", "min", True),
        ("1.2 m", "USD", True),
        ("1.3 m", "USD", False),
    ],
)
def test_g25_the_columns_unit_decides_what_m_means(written: str, unit: str, expected: bool) -> None:
    """1.2 m of money are millions."""
    assert expected is only(f"It came to {written} in all.", value(1200000, unit, "total", "sum"))


@pytest.mark.parametrize(
    ("written", "expected"), [("50", True), ("exactly 50", False), ("exactly 49.96", True), ("49.9", False)]
)
def test_g26_exactly_means_exactly(written: str, expected: bool) -> None:
    """Rounding is for figures that do not claim to be exact."""
    assert expected is only(f"The score is {written} points.", value(49.96))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("roughly 1,200", True),
        ("more than 1,200", True),
        ("more than 1,300", False),
        ("at least 1,234", True),
        ("over 1,234", False),
        ("nearly 1,300", True),
        ("fewer than 1,200", False),
        ("fewer than 1,300", True),
        ("mehr als 1.200", True),
        ("plus de 1 300", False),
        ("about 1,300", False),
    ],
)
def test_g27_inequalities_are_true_or_false(written: str, expected: bool) -> None:
    """The value must lie on the side that the words say, and near."""
    assert expected is only(f"There were {written} flights.", value(1234, None, "flights", "count"))


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ("It takes half of the day.", 0.5),
        ("Two thirds of the flights were late.", 0.6667),
        ("A third of the flights were late.", 1 / 3),
        ("1 in 5 flights was late.", 0.2),
        ("A dozen flights were late.", 12),
        ("There were 1e6 rows.", 1_000_000),
        ("There were １２３４ flights.", 1234),
        ("There were ١٢٣٤ flights.", 1234),
        ("There were १२३४ flights.", 1234),
        ("There were 1,23,456 flights.", 123456),
        ("There were 1.2 lakh flights.", 120_000),
        ("Revenue is ₹3.5 crore.", 35_000_000),
        ("売上は34億2,000万円です。", 3_420_000_000),
        ("订单362.8万单。", 3_628_000),
        ("It is 2 h 30 in all.", 9000),
        ("1/3 of the flights were late.", 1 / 3),
        ("It may be off by ±3 points.", 3),
    ],
)
def test_g28_numbers_in_any_script_and_shape(answer: str, content: float) -> None:
    """Fractions, words, exponents, digits of any script and magnitudes of any country are read once."""
    units = {9000: "s", 3_420_000_000: "JPY", 35_000_000: "INR"}
    unit = units.get(int(content)) or ("ratio" if content < 1 else None)
    assert {True} == {figure.grounded for figure in figures(answer, value(content, unit))}


def test_g28_a_range_is_two_figures_without_a_sign() -> None:
    """The dash of 10–15 is no minus."""
    assert {"10": True, "15 minutes": True} == verdicts(
        "It takes 10–15 minutes.", result(["low", column("high", "min")], [10, 15])
    )


MARKDOWN = """
| Carrier | Delay (min) | Flights |
|---------|-------------|---------|
| Aurora | 12.4 | 1,374 |
| Cloudline | {} | 1,113 |
"""


def test_g29_a_markdown_table_is_grounded_cell_by_cell() -> None:
    """Every cell is checked against its own row."""
    assert {True} == set(verdicts(MARKDOWN.format("9.1"), CARRIERS).values())


def test_g29_a_markdown_cell_with_another_rows_value_is_ungrounded() -> None:
    """The row's first cell says whose value it is."""
    wrong = [figure.text for figure in figures(MARKDOWN.format("17.9"), CARRIERS) if figure.grounded is False]
    assert ["17.9"] == wrong


def test_g29_a_markdown_cell_under_another_columns_heading_is_ungrounded() -> None:
    """The heading says which column it is."""
    answer = "| Carrier | Flights | Delay |\n|---|---|---|\n| Aurora | 12.4 | 1,374 |"
    assert {"12.4": False, "1,374": False} == verdicts(answer, CARRIERS)


@pytest.mark.parametrize("answer", ["All good.", "Which carrier do you mean?", "Aurora was the latest of all."])
def test_g30_an_answer_without_figures_is_not_applicable(answer: str) -> None:
    """Nothing to say is never a pass."""
    assert "not_applicable" == outcome(answer, CARRIERS).label


def test_g30_no_answer_is_not_applicable() -> None:
    """A turn without an answer has no figures."""
    assert "not_applicable" == outcome("  ", CARRIERS).label


@pytest.mark.parametrize(
    ("cause", "more"),
    [
        ("truncated", {"completeness": Completeness(truncated=True)}),
        ("redacted", {"completeness": Completeness(redacted=True)}),
        ("not_recorded", {"completeness": Completeness(results="absent")}),
        ("not_recorded", {"completeness": Completeness(results="partial")}),
    ],
)
def test_g31_what_may_stand_in_a_missing_part_is_undecided(cause: str, more: dict[str, Any]) -> None:
    """A figure that is not found in evidence with gaps is neither right nor wrong."""
    found = outcome("Tidewing had 288 flights.", CARRIERS, **more)
    assert ("not_evaluable", cause) == (found.label, found.cause)
    assert [None] == [figure.grounded for figure in found.figures]


def test_g31_a_truncated_result_leaves_the_rest_decided() -> None:
    """A figure that is found is grounded all the same, and only the other one is undecided."""
    cut = result(["carrier", "flights"], ["Aurora", 1374], truncated=True)
    assert {"1,374": True, "288": None} == verdicts("Aurora had 1,374 flights and Tidewing 288.", cut)


LOAD = result(["year", column("share", "percent", "ratio")], [2024, 4.0], [2025, 6.0])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The share rose 2 points.", True),
        ("The share rose 2 percentage points.", True),
        ("The share rose 2 %.", False),
        ("The share rose 50 %.", True),
        ("The share fell 2 points.", False),
        ("The share rose 3 points.", False),
    ],
)
def test_g32_points_are_not_percent(answer: str, expected: bool) -> None:
    """From 4 % to 6 % is two points, or fifty percent."""
    assert expected is only(answer, LOAD)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("about 150", True), ("about 100", False), ("around 149", True), ("roughly 160", False), ("some 140", False)],
)
def test_g33_an_approximator_allows_half_a_unit_of_the_last_digit(written: str, expected: bool) -> None:
    """About 150 is 149; about 100 is not."""
    assert expected is only(f"There were {written} flights.", value(149, None, "flights", "count"))
