"""Figures in text: what is one, where it stands, what it is worth."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.figures import find_figures


def read(text: str) -> list[tuple[str, float, str]]:
    """(text, value, unit) of the plain figures of *text*."""
    return [(f.text, round(f.readings[0].value, 6), f.unit) for f in find_figures(text) if f.readings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it was 5.7 million.", [("5.7 million", 5.7e6, "")]),
        ("€12,4 M€ sur", [("€12,4 M€", 12.4e6, "EUR")]),
        ("1 540 k€ à la", [("1 540 k€", 1.54e6, "EUR")]),
        ("US$5.7bn", [("US$5.7bn", 5.7e9, "USD")]),
        ("EUR 238,629", [("EUR 238,629", 238629.0, "EUR")]),
        ("R$ 5,2", [("R$ 5,2", 5.2, "BRL")]),
        ("€61.84/MWh", [("€61.84/MWh", 61.84, "EUR/MWh")]),
        ("7,3 t/ha", [("7,3 t/ha", 7.3, "t/ha")]),
        ("−8.1%", [("−8.1%", -8.1, "percent")]),
        ("rose 2 points", [("2 points", 2.0, "points")]),
        ("3.1 percentage points ahead", [("3.1 percentage points", 3.1, "points")]),
        ("25 bps", [("25 bps", 25.0, "basis_points")]),
        ("1,285 ppm", [("1,285 ppm", 1285.0, "ppm")]),
        ("−18.8 °C", [("−18.8 °C", -18.8, "°C")]),
        ("12 Mio. € gesamt", [("12 Mio. €", 12e6, "EUR")]),
        ("1.2 lakh ₹3.5 crore", [("1.2 lakh", 120_000.0, ""), ("₹3.5 crore", 3.5e7, "INR")]),
        ("34億2,000万円", [("34億2,000万円", 3.42e9, "JPY")]),
        ("前年比2.9%増、15,744人", [("2.9%", 2.9, "percent"), ("15,744", 15744.0, "")]),
        ("64%-65%", [("64%", 64.0, "percent"), ("65%", 65.0, "percent")]),
        ("3.2x more", [("3.2x", 3.2, "times")]),
        ("the A220 218,540 and", [("218,540", 218540.0, "")]),
        ("(1,234)", [("1,234", 1234.0, "")]),
    ],
)
def test_a_number_is_read_with_what_belongs_to_it(text: str, expected: list[tuple[str, float, str]]) -> None:
    """Sign, currency, magnitude and unit are part of the figure, in any locale."""
    assert expected == read(text)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("36 h 15 min still", 2175),
        ("2 h 23 (Tri 5)", 143),
        ("de 1 h 14.", 74),
        ("13分30秒", 13.5),
        ("2 minuten en 28 seconden", 148 / 60),
    ],
)
def test_a_duration_of_two_units_is_one_figure(text: str, minutes: float) -> None:
    """2 h 23 is one length of time."""
    found = [f for f in find_figures(text) if f.unit in ("h", "min")]
    assert [round(minutes, 4)] == [round(f.readings[0].value * (60 if f.unit == "h" else 1), 4) for f in found]


@pytest.mark.parametrize(("text", "seconds"), [("in 2:11.79", 131.79), ("clocked 2:23:43", 8623.0)])
def test_a_race_time_is_one_figure(text: str, seconds: float) -> None:
    """Minutes, seconds and fractions are not three figures."""
    assert [("s", seconds)] == [(f.unit, f.readings[0].value) for f in find_figures(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two thirds of", 2 / 3),
        ("2 in 3 left", 2 / 3),
        ("1/3 of the", 1 / 3),
        ("un tercio", 1 / 3),
        ("half of", 0.5),
        ("la moitié", 0.5),
    ],
)
def test_a_fraction_is_a_share(text: str, value: float) -> None:
    """Words and numbers of a fraction are one figure."""
    padded = {"un tercio": "fue un tercio de los", "la moitié": "c'est la moitié des"}.get(text, text)
    assert [(True, round(value, 6))] == [(f.fraction, round(f.readings[0].value, 6)) for f in find_figures(padded)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There are twenty-one carriers", 21),
        ("Es gibt einundzwanzig Züge und die sind da", 21),
        ("Il y a vingt et une séances dans la salle", 21),
        ("Son treinta y dos casas en el pueblo", 32),
        ("Het zijn tweeëndertig huizen in de stad", 32),
    ],
)
def test_number_words_are_read_in_the_texts_own_language(text: str, value: int) -> None:
    """Tens and ones together are one number."""
    assert [value] == [f.readings[0].value for f in find_figures(text)]


def test_words_of_another_language_are_no_numbers() -> None:
    """*Once* is eleven in Spanish only."""
    assert [] == find_figures("Once the gate closes, the flight is gone and it was the last of the day.")


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("more than 1,200", "over"),
        ("at least 5", "at_least"),
        ("5 or more", "at_least"),
        ("roughly 3%", "about"),
        ("~3%", "about"),
        ("≥ 90", "at_least"),
        ("just under 800,000", "nearly"),
        ("mehr als 1.200", "over"),
        ("près de 40", "nearly"),
        ("exactly 50", "exactly"),
        ("weekly 50", ""),
        ("turnover 50", ""),
    ],
)
def test_approximators_and_inequalities(text: str, bound: str) -> None:
    """How a number is meant stands beside it, as whole words."""
    assert [bound] == [f.bound for f in find_figures(text)]


def test_a_number_too_long_to_be_one_is_left_alone() -> None:
    """Nobody states a figure of fifty digits."""
    assert [] == find_figures("9" * 50)


@pytest.mark.parametrize("text", ["\n0", "\r\n12", "\t7", "\u20287"])
def test_a_text_that_begins_with_white_space_is_read(text: str) -> None:
    """Nothing but a line break stands before the figure."""
    assert [text.strip()] == [figure.text for figure in find_figures(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Each extra bag costs $50. Also, insurance is $30 each.", ["$50", "$30"]),
        ("The total was 50. Next came 5.", ["50", "5"]),
        ("Es waren 50. Danach 5.", ["50", "5"]),
        ("Corvus liegt auf dem 3. Platz mit 50.", ["50"]),
        ("Am 2. Tag waren es 7.", ["7"]),
    ],
)
def test_a_full_stop_ends_a_sentence(text: str, expected: list[str]) -> None:
    """A number that ends a sentence is a figure; one that a German article and a full stop make an ordinal is not."""
    assert expected == [figure.text for figure in find_figures(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Aurora had 7,000 flights.", [7000.0]),
        ("Aurora hatte 7.000 Flüge.", [7000.0]),
        ("The rate is 5,412 of them.", [5412.0]),
        ("Aurora hatte im Schnitt 5,412 Flüge.", [5412.0, 5.412]),
        ("The mean of it was 1.234 in all.", [1.234, 1234.0]),
    ],
)
def test_a_separator_is_read_as_the_language_writes_it(text: str, values: list[float]) -> None:
    """A comma groups digits in English, and nobody writes three zeros of decimals; else both readings are kept."""
    assert values == [reading.value for reading in find_figures(text)[0].readings]
