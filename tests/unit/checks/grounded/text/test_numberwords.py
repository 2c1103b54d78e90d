"""Numbers in words, language by language."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.figures import find_figures
from monitor.checks.grounded.text.numberwords import find_words, may_hold_words
from tests.unit.checks.grounded.turns import result, verdicts

CASES: dict[str, list[tuple[str, list[float]]]] = {
    "en": [
        ("a hundred and five", [105]),
        ("two and a half million", [2_500_000]),
        ("two thousand three hundred and forty-one", [2341]),
        ("half a million", [500_000]),
        ("two dozen", [24]),
        ("between one hundred and five hundred", [100, 500]),
        ("between two million and three million", [2_000_000, 3_000_000]),
        ("one and a half", [1.5]),
        ("two point five million", [2_500_000]),
        ("three quarters", [0.75]),
        ("several hundred flights", []),
        ("twenty-one", [21]),
        ("three-month", []),
        ("nineteen hundred", [1900]),
        ("twofold", [2]),
        ("five and six", [5, 6]),
        ("two hundred and fifty thousand", [250_000]),
        ("a quarter", [0.25]),
        ("four-fifths", [0.8]),
        ("half a dozen", [6]),
        ("of the two", [2]),
        ("a million", [1_000_000]),
    ],
    "de": [
        ("einhundertfünfundzwanzig", [125]),
        ("zweitausenddreihundert", [2300]),
        ("anderthalb Millionen", [1_500_000]),
        ("dreieinhalb", [3.5]),
        ("ein Fünftel", [0.2]),
        ("doppelt", [2]),
        ("zwei Dutzend", [24]),
        ("ein paar hundert", []),
        ("hundertfünf", [105]),
        ("einundzwanzig", [21]),
        ("tausend", [1000]),
        ("eine Million", [1_000_000]),
        ("zweieinhalb Millionen", [2_500_000]),
        ("dreihunderttausend", [300_000]),
        ("siebenundneunzig", [97]),
        ("neunhundertneunundneunzig", [999]),
        ("eine halbe Million", [500_000]),
        ("zwei Komma fünf Millionen", [2_500_000]),
        ("achtzehnhundert", [1800]),
        ("drei Viertel", [0.75]),
        ("zwei Millionen dreihunderttausend", [2_300_000]),
        ("zwei und drei", [2, 3]),
    ],
    "fr": [
        ("quatre-vingt-dix-sept", [97]),
        ("soixante et onze", [71]),
        ("soixante-dix-huit", [78]),
        ("quatre-vingts", [80]),
        ("quatre-vingt-deux", [82]),
        ("deux millions et demi", [2_500_000]),
        ("mille deux cents", [1200]),
        ("une dizaine", [10]),
        ("le double", [2]),
        ("sept dixièmes", [0.7]),
        ("vingt et une", [21]),
        ("cent vingt-trois", [123]),
        ("deux cent mille", [200_000]),
        ("trois et quatre", [3, 4]),
        ("un demi-million", [500_000]),
        ("quatre-vingt mille", [80_000]),
        ("un million", [1_000_000]),
        ("des dizaines", []),
        ("deux virgule cinq", [2.5]),
        ("nonante-deux", [92]),
        ("dix-sept", [17]),
        ("cinq pour cent", [5]),
        ("deux et demi", [2.5]),
        ("les trois quarts", [0.75]),
    ],
    "es": [
        ("veintiún mil", [21_000]),
        ("doscientos cincuenta y tres mil", [253_000]),
        ("dos millones y medio", [2_500_000]),
        ("el triple", [3]),
        ("una docena", [12]),
        ("tres quintas partes", [0.6]),
        ("ciento cinco", [105]),
        ("mil millones", [1_000_000_000]),
        ("dos mil trescientos millones", [2_300_000_000]),
        ("treinta y dos", [32]),
        ("medio millón", [500_000]),
        ("dos y tres", [2, 3]),
        ("cien", [100]),
        ("un tercio", [1 / 3]),
        ("mil doscientos treinta y cuatro", [1234]),
        ("un millón doscientos mil", [1_200_000]),
        ("cinco por ciento", [5]),
    ],
    "nl": [
        ("vijfentwintig", [25]),
        ("honderdvijf", [105]),
        ("tweeënhalf miljoen", [2_500_000]),
        ("anderhalf miljoen", [1_500_000]),
        ("tweehonderdduizend", [200_000]),
        ("tweeëndertig", [32]),
        ("het dubbele", [2]),
        ("een kwart", [0.25]),
        ("twee derde", [2 / 3]),
        ("duizend vijfhonderd", [1500]),
        ("een miljoen", [1_000_000]),
        ("een half miljoen", [500_000]),
        ("twee en drie", [2, 3]),
        ("honderdvijfentwintig", [125]),
        ("driehonderdvijfentwintigduizend", [325_000]),
        ("vier vijfde", [0.8]),
    ],
    "it": [
        ("ventuno", [21]),
        ("centoventicinque", [125]),
        ("due milioni e mezzo", [2_500_000]),
        ("duemila", [2000]),
        ("il doppio", [2]),
        ("un quinto", [0.2]),
        ("una decina", [10]),
        ("trentadue", [32]),
        ("due terzi", [2 / 3]),
    ],
    "pt": [
        ("vinte e um", [21]),
        ("cento e cinco", [105]),
        ("dois milhões e meio", [2_500_000]),
        ("o dobro", [2]),
        ("duzentos e cinquenta mil", [250_000]),
        ("uma dúzia", [12]),
    ],
    "sv": [
        ("tjugofem", [25]),
        ("etthundrafem", [105]),
        ("två och en halv miljon", [2_500_000]),
        ("ett dussin", [12]),
        ("två tredjedelar", [2 / 3]),
    ],
    "pl": [
        ("dwadzieścia pięć", [25]),
        ("sto pięć", [105]),
        ("półtora miliona", [1_500_000]),
        ("dwie trzecie", [2 / 3]),
        ("dwa i pół", [2.5]),
    ],
}


@pytest.mark.parametrize(("code", "text", "values"), [(code, *case) for code, cases in CASES.items() for case in cases])
def test_words_make_one_number(code: str, text: str, values: list[float]) -> None:
    """A compound is one number, a list is several, and a vague amount is none."""
    found = find_words(f"xx {text} yy", code)
    assert [round(value, 6) for value in values] == [round(word.value, 6) for word in found]
    assert may_hold_words(text) or not values


@pytest.mark.parametrize(
    ("code", "text"), [(code, case[0]) for code, cases in CASES.items() for case in cases if len(case[1]) == 1]
)
def test_a_number_in_words_spans_all_its_words(code: str, text: str) -> None:
    """Nothing of the number is left outside its span."""
    bare = text.removeprefix("des ").removeprefix("les ").removeprefix("of the ").split(" pour ")[0].split(" por ")[0]
    assert [bare] == [f"xx {text} yy"[word.start : word.end] for word in find_words(f"xx {text} yy", code)]


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("two and a half million", 2.5e6, 5e4),
        ("two million", 2e6, 5e5),
        ("two hundred and five", 205, 0),
        ("half a million", 5e5, 5e4),
    ],
)
def test_a_magnitude_in_words_is_rounded_to_it(text: str, value: float, half: float) -> None:
    """*Two million* says no more than *2 million*; a number without magnitude is meant exactly."""
    assert [(value, half)] == [(word.value, word.half) for word in find_words(text, "en")]


def test_a_lot_is_a_rough_number() -> None:
    """*Une dizaine* is about ten, *a dozen* is twelve."""
    assert [(10, True)] == [(word.value, word.about) for word in find_words("une dizaine de cas", "fr")]
    assert [(12, False)] == [(word.value, word.about) for word in find_words("a dozen cases", "en")]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("Es waren zweieinhalb Prozent der Summe", "percent", 2.5),
        ("Il y a vingt-cinq pour cent des cas", "percent", 25),
        ("Son dos millones y medio de euros en total", "", 2.5e6),
        ("It was one and a half times the value of the rest", "times", 1.5),
    ],
)
def test_a_unit_follows_words_as_it_follows_digits(text: str, unit: str, value: float) -> None:
    """Per cent and times belong to the number."""
    assert [(unit, value)] == [(f.unit, f.readings[0].value) for f in find_figures(text)]


@pytest.mark.parametrize(
    ("answer", "grounded"),
    [
        ("Alm had two hundred and five cases.", True),
        ("Alm had two hundred and six cases.", False),
        ("Bode had two hundred and five cases.", False),
        ("Alm hatte zweihundertfünf Fälle, das ist die Zahl der Fälle in der Stadt.", True),
        ("Alm hatte zweihundertsechs Fälle, das ist die Zahl der Fälle in der Stadt.", False),
    ],
)
def test_a_large_number_in_words_is_checked_as_digits_are(answer: str, grounded: bool) -> None:
    """Two hundred and six is as definite as 206."""
    cases = result(["town", "cases"], ["Alm", 205], ["Bode", 931], ["Calw", 77])
    assert [grounded] == list(verdicts(answer, cases).values())
