"""Derivations: what the words announce over the rows they name, and the answer's own arithmetic."""

from __future__ import annotations

import pytest

from tests.unit.checks.grounded.turns import column, figures, outcome, result, verdicts

MONTHS = result(
    ["month", column("passengers", "thousand passengers", "sum"), column("wait_min", "min", "p90")],
    ["2023-05", 1044.6, 18.4],
    ["2023-06", 1189.2, 22.7],
    ["2023-07", 1310.5, 27.3],
    ["2023-08", 1342.9, 26.1],
    ["2023-09", 1121.0, 20.5],
)
SITES = result(
    ["department", "site", column("headcount", None, "sum"), column("leavers", None, "sum")],
    ["Legal", "Oslo", 12, 3],
    ["Legal", "Austin", 20, 1],
    ["Sales", "Oslo", 30, 6],
    ["Sales", "Austin", 41, 2],
    ["Support", "Oslo", 9, 0],
)
WARDS = result(
    ["ward", column("occupied", None, "sum"), column("beds", None, "sum"), column("occupancy", "%", "ratio")],
    ["North", 13, 14, 92.9],
    ["South", 26, 28, 92.9],
    ["ICU", 9, 14, 64.3],
)


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("From June to July traffic rose by 121 thousand passengers.", "121 thousand", True),
        ("From June to July traffic fell by 121 thousand passengers.", "121 thousand", False),
        ("From June to July passengers rose 10.2 %.", "10.2 %", True),
        ("From June to July passengers rose 9.3 %.", "9.3 %", False),
        ("In the summer (June–August) that makes 3.84 million passengers.", "3.84 million", True),
        ("In the summer (June–August) that makes 3.94 million passengers.", "3.94 million", False),
        ("July had 27.3 minutes.", "27.3 minutes", True),
        ("The wait was 27.3 minutes in July.", "27.3 minutes", True),
        ("The wait was 27.3 minutes in August.", "27.3 minutes", False),
        ("It went from 22.7 minutes in June to 27.3 minutes in July.", "22.7 minutes", True),
        ("In August 1,342,900 passengers came.", "1,342,900", True),
        ("In August 1,343 passengers came.", "1,343", False),
    ],
)
def test_derivations_over_months(answer: str, text: str, expected: bool) -> None:
    """Direction, base, range and unit come from the words."""
    assert expected is verdicts(answer, MONTHS)[text]


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("Oslo has 51 people.", "51", True),
        ("Oslo has 61 people.", "61", False),
        ("In total 112 people work here.", "112", True),
        ("Legal in Oslo lost 3 people.", "3", True),
        ("Legal in Oslo lost 6 people.", "6", False),
        ("Attrition in Oslo is 17.6%.", "17.6%", True),
        ("Attrition in Oslo is 19.9%.", "19.9%", False),
        ("There are 3 departments.", "3", True),
        ("There are 5 departments.", "5", False),
    ],
)
def test_derivations_over_groups(answer: str, text: str, expected: bool) -> None:
    """A name that covers several rows stands for their sum."""
    assert expected is verdicts(answer, SITES)[text]


def test_a_part_and_a_whole_and_their_share() -> None:
    """48 of 56 beds, 86 %: two column sums and their quotient."""
    assert {"48": True, "56": True, "86%": True} == verdicts("48 of 56 beds are occupied (86%).", WARDS)


def test_a_condition_of_the_sentence_is_counted() -> None:
    """Two wards are above 90 %, not three."""
    answer = "{} wards are above 90%."
    assert {"Two": True, "90%": True} == verdicts(answer.format("Two"), WARDS)
    assert {"Three": False, "90%": True} == verdicts(answer.format("Three"), WARDS)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("the simple average of the wards is 83.4%", True), ("on average 83.4% are occupied", False)],
)
def test_a_mean_of_rates_must_be_announced_as_such(written: str, expected: bool) -> None:
    """Averaging rates is not the overall rate."""
    found = [figure.grounded for figure in figures(f"Here {written}.", WARDS) if figure.text == "83.4%"]
    assert [expected] == found


def test_two_results_with_the_same_columns_are_added_and_compared() -> None:
    """One query a channel: the words set the channels side by side."""
    columns = [column("reason"), column("returns", None, "sum")]
    store = result(columns, ["faulty", 312], ["wrong size", 1288])
    online = result(columns, ["faulty", 905], ["wrong size", 4120])
    assert {"1,217": True} == verdicts("Across both channels 1,217 returns were faulty.", store, online)


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("Fares are $282 and $177: $282 - $177 = $105.", "$105", True),
        ("Fares are $282 and $177: $282 - $177 = $115.", "$115", False),
        ("- Out: $282\n- Back: $177\n- **Total:** $459", "$459", True),
        ("- Out: $282\n- Back: $177\n- **Total:** $469", "$469", False),
        ("- Out: $282\n- Back: $177\n- **Total:** $459\n\nShall I charge $459.00 now?", "$459.00", True),
        ("Out $282, back $177, a total of $459.\n\nShall I charge $459 now?", "$459", True),
        ("It rose from $177 to $282, a rise of 59%.", "59%", True),
        ("It fell from $282 to $177, a fall of 59%.", "59%", False),
        ("It fell from $282 to $177, a fall of 37%.", "37%", True),
    ],
)
def test_the_answers_own_arithmetic(answer: str, text: str, expected: bool) -> None:
    """What follows from figures that are grounded is grounded."""
    fares = result(["leg", column("fare", "USD")], ["out", 282], ["back", 177], ["other", 99])
    assert expected is verdicts(answer, fares)[text]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Kite's oldest invoice fell due on 30 December 2024.", True),
        ("Kite's oldest invoice fell due on 9 January 2025.", False),
    ],
)
def test_a_date_belongs_to_its_row(answer: str, expected: bool) -> None:
    """A date that is a value is bound like any other value."""
    invoices = result(
        ["customer", column("invoices", None, "count"), "oldest_due"],
        ["Fjord", 3, "2025-01-09"],
        ["Kite", 7, "2024-12-30"],
    )
    assert [expected] == [figure.grounded for figure in figures(answer, invoices)]


def test_objects_inside_rows_are_evidence() -> None:
    """A price per class inside a flight's row is as good as a column."""
    flights = result(["flight", "prices"], ["HAT1", {"economy": 125, "business": 410}], ["HAT2", {"economy": 117}])
    assert "pass" == outcome("HAT1 costs $125, in business $410.", flights).label


FERRIES = result(
    ["route", "year", column("riders", None, "sum"), column("riders_previous_year", None, "sum")],
    ["Harbour", 2023, 6_112, 5_840],
    ["Harbour", 2024, 7_305, 6_112],
    ["Island", 2023, 4_287, 4_611],
    ["Island", 2024, 3_958, 4_287],
)
PROBES = result(
    ["taken_at", "probe", column("celsius", "°C", "avg")],
    ["2025-03-01 01:00", "P-1", -18.8],
    ["2025-03-01 01:00", "P-2", -13.1],
    ["2025-03-01 02:00", "P-1", -17.9],
    ["2025-03-01 02:00", "P-2", -12.6],
    ["2025-03-01 03:00", "P-1", -16.4],
    ["2025-03-01 03:00", "P-2", -11.3],
    ["2025-03-01 04:00", "P-1", -16.1],
    ["2025-03-01 05:00", "P-1", -15.8],
)
DESK = result(["reason", column("complaints", None, "count")], ["late", 310], ["lost", 1_290], ["rude", 2_400])
PHONE = result(["reason", column("complaints", None, "count")], ["late", 902], ["lost", 4_118], ["rude", 3_980])


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("In 2024 the routes carried 11,263 riders in total.", "11,263", True),
        ("In 2023 the routes carried 11,263 riders in total.", "11,263", False),
        ("On Island in 2024 riders fell by 329 on the previous year.", "329", True),
        ("On Island in 2024 riders rose by 329 on the previous year.", "329", False),
    ],
)
def test_years_name_rows_and_order_columns(answer: str, text: str, expected: bool) -> None:
    """A plain year names the rows of its column; of two columns the earlier period is the base."""
    assert verdicts(answer, FERRIES)[text] is expected


def test_a_pronoun_may_speak_of_the_whole_column() -> None:
    """A sentence without a name of its own may set the extremes of the whole column against each other."""
    answer = "The coldest reading was −18.8 °C at 01:00 on P-1. A gap of 7.5 °C separates it from the warmest."
    assert verdicts(answer, PROBES)["7.5 °C"] is True


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("Across both channels there were 13,000 complaints.", "13,000", True),
        ("Across both channels late arrivals were 9.3 % of complaints.", "9.3 %", True),
        ("Across both channels late arrivals were 8.7 % of complaints.", "8.7 %", False),
    ],
)
def test_two_results_add_up(answer: str, text: str, expected: bool) -> None:
    """Sums and shares may be over two results with the same columns."""
    assert verdicts(answer, DESK, PHONE)[text] is expected


def test_the_base_of_a_rate_claims_nothing() -> None:
    """A round number after "per" is what a rate is counted on."""
    rate = result([column("complaints_per_1000", None, "ratio")], [4.2])
    assert verdicts("There were 4.2 complaints per 1,000 riders.", rate)["1,000"] is True


def test_a_share_of_one_named_row_is_of_the_whole() -> None:
    """A named row is no share of a row that nothing names."""
    answer = "Late complaints make up 24 % of the total."
    assert verdicts(answer, DESK) == {"24 %": False}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Aurora has half of the total flights.", {}),
        ("Aurora has 50% of the flights.", {"50%": False}),
        ("Aurora has 67% of the flights.", {"67%": True}),
        ("Bento has 50% of Aurora's flights.", {"50%": True}),
    ],
)
def test_a_share_is_of_the_whole_and_not_of_the_named_row(answer: str, expected: dict[str, bool]) -> None:
    """Another row as a share of the named one is not what the words say."""
    two = result(["carrier", column("flights", None, "count")], ["Aurora", 200], ["Bento", 100])
    assert expected == {text: held for text, held in verdicts(answer, two).items() if text in expected}


@pytest.mark.parametrize(("unit", "right"), [("%", False), (" Prozentpunkte", True)])
def test_a_difference_of_percentages_is_in_points(unit: str, right: bool) -> None:
    """``3 % höher`` is not what 83 and 80 % are apart."""
    use = result(["Linie", column("Auslastung", "percent", "avg")], ["Norwind", 83], ["Aurora", 80])
    assert [right] == list(verdicts(f"Die Auslastung von Norwind ist 3{unit} höher als die von Aurora.", use).values())
