"""Figures as people write them in other languages: digits, marks, magnitudes, units, ranges, negatives, approximators."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.figures import find_figures


def read(text: str) -> list[tuple[str, float, str]]:
    """(text, value, unit) of the figures of *text*."""
    return [(f.text, round(f.readings[0].value, 6), f.unit) for f in find_figures(text) if f.readings]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234.567,5", 1234567.5), ("1 234 567,5", 1234567.5), ("1’234’567.5", 1234567.5), ("1'234'567.5", 1234567.5),
        ("12,34,567.5", 1234567.5), ("1\u202f234\u202f567,5", 1234567.5), ("١٬٢٣٤٬٥٦٧٫٥", 1234567.5), ("१२,३४,५६७.५", 1234567.5),
        ("１，２３４，５６７．５", 1234567.5), ("−12,5", -12.5), ("－12.5", -12.5),
    ],
)  # fmt: skip
def test_digits_and_marks_of_any_locale(text: str, value: float) -> None:
    """One number, whatever groups it and marks its decimals."""
    assert [(text, value, "")] == read(text)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3,5 Mio. €", 3.5e6, "EUR"), ("3,5 Mrd. Euro", 3.5e9, "EUR"), ("250 Tsd. €", 250e3, "EUR"), ("2 Bio. €", 2e12, "EUR"),
        ("3,5 M€", 3.5e6, "EUR"), ("3 Md€", 3e9, "EUR"), ("3 milliards d'euros", 3e9, "EUR"), ("12 k€", 12e3, "EUR"),
        ("2,5 millones de euros", 2.5e6, "EUR"), ("3.500 mil millones de euros", 3.5e9, "EUR"), ("250 mil €", 250e3, "EUR"),
        ("3,5 mln euro", 3.5e6, "EUR"), ("2 miljard", 2e9, ""), ("250 duizend", 250e3, ""),
        ("3,5 milioni di euro", 3.5e6, "EUR"), ("2 mld", 2e9, ""), ("5 mila", 5e3, ""),
        ("R$ 3,5 bilhões", 3.5e9, "BRL"), ("R$ 2,1 mi", 2.1e6, "BRL"), ("R$ 2,1 bi", 2.1e9, "BRL"), ("250 mil", 250e3, ""),
        ("3,5 mdkr", 3.5e9, "kr"), ("45 mkr", 45e6, "kr"), ("250 tkr", 250e3, "kr"), ("3 miljarder kronor", 3e9, "SEK"),
        ("250 tys. zł", 250e3, "PLN"), ("3,5 mld zł", 3.5e9, "PLN"), ("2,5 mln złotych", 2.5e6, "PLN"),
        ("3.5 करोड़ रुपये", 3.5e7, "INR"), ("2.5 लाख", 2.5e5, ""), ("₹3.5 crore", 3.5e7, "INR"), ("₹3.5 cr", 3.5e7, "INR"),
        ("3億2,500万円", 3.25e8, "JPY"), ("5千万円", 5e7, "JPY"), ("3百万円", 3e6, "JPY"), ("3.5亿元", 3.5e8, "CNY"), ("1.2万亿元", 1.2e12, "CNY"),
        ("٣٫٥ مليون دولار", 3.5e6, "USD"), ("¥1,200", 1200, "¥"),
    ],
)  # fmt: skip
def test_magnitudes_and_currencies_of_any_language(text: str, value: float, unit: str) -> None:
    """Abbreviated or in full, joined by a preposition or not."""
    assert [(text, value, unit)] == [(found.rstrip("."), number, what) for found, number, what in read(f"{text} z")]


@pytest.mark.parametrize(
    ("unit", "texts"),
    [
        ("percent", ["12,5 Prozent", "12,5 pour cent", "12,5 por ciento", "12,5 procent", "12,5 per cento", "12,5 por cento", "12,5 proc.",
                     "12.5 प्रतिशत", "12.5パーセント", "12.5％", "١٢٫٥٪"]),
        ("points", ["12,5 Prozentpunkte", "12,5 %-Punkte", "12,5 points de pourcentage", "12,5 puntos porcentuales", "12,5 procentpunt",
                    "12,5 punti percentuali", "12,5 pontos percentuais", "12,5 procentenheter", "12,5 punktów procentowych", "12.5ポイント",
                    "12.5%ポイント", "12.5个百分点", "12.5 pp", "12.5 प्रतिशत अंक"]),
        ("permille", ["12,5 ‰", "12,5 pour mille", "12,5 Promille"]),
        ("times", ["12,5 Mal", "12,5 fois", "12,5 veces", "12,5 keer", "12,5 volte", "12,5 vezes", "12,5 gånger", "12,5 razy", "12.5倍", "12.5 गुना"]),
        ("h", ["12,5 Stunden", "12,5 heures", "12,5 horas", "12,5 uur", "12,5 ore", "12,5 timmar", "12,5 godzin", "12.5小时", "12.5時間", "12.5 घंटे"]),
    ],
)  # fmt: skip
def test_units_of_any_language(unit: str, texts: list[str]) -> None:
    """One unit, whatever it is called."""
    assert [(12.5, unit)] * len(texts) == [(value, what) for text in texts for _, value, what in read(text)]


@pytest.mark.parametrize(("text", "value"), [("3割", 30), ("百分之十二", 12), ("百分之十二点五", 12.5)])
def test_tenths_and_hundredths_in_characters_are_percent(text: str, value: float) -> None:
    """割 is ten per cent, 百分之 one."""
    assert [(value, "percent")] == [(number, unit) for _, number, unit in read(f"增加了{text}。")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("三十五人が参加しました", [35]), ("共有三千五百家门店", [3500]), ("二億三千万円の売上", [2.3e8]), ("两个城市和三个省", [2, 3]),
        ("第三位です", []), ("千葉と三重と九州", []), ("十分な数です", []), ("数百人が参加", []), ("一部の店", []),
    ],
)  # fmt: skip
def test_numerals_in_characters_that_count_something(text: str, values: list[float]) -> None:
    """A numeral before a counter or unit is a number; in a name, an ordinal or a vague amount it is none."""
    assert values == [value for _, value, _ in read(text)]


def test_a_month_alone_is_no_figure() -> None:
    """3月 is March."""
    assert [("133", 133.0, "")] == read("3月的收入是133。")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1.2–1.5 million", [(1.2e6, "USD"), (1.5e6, "USD")]),
        ("€3-5m", [(3e6, "EUR"), (5e6, "EUR")]),
        ("von 3 bis 4 Mio. €", [(3e6, "EUR"), (4e6, "EUR")]),
        ("de 10 à 15 %", [(10, "percent"), (15, "percent")]),
        ("between 5 and 7%", [(5, "percent"), (7, "percent")]),
        ("10〜15%", [(10, "percent"), (15, "percent")]),
        ("800,000 to 1.2 million", [(8e5, ""), (1.2e6, "")]),
        ("Line 2 - 45 %", [(2, ""), (45, "percent")]),
        ("rose 5.7 % to €14", [(5.7, "percent"), (14, "EUR")]),
        ("5 flights and 7%", [(5, ""), (7, "percent")]),
    ],
)
def test_the_ends_of_a_range_share_what_is_written_once(text: str, expected: list[tuple[float, str]]) -> None:
    """Magnitude, unit and currency hold for both ends; two figures that are no range keep their own."""
    assert expected == [(value, unit) for _, value, unit in read(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| 475- |", [("475-", -475, "")]), ("€(1.2)", [("€(1.2)", -1.2, "EUR")]),
        ("$(3,456)", [("$(3,456)", -3456, "USD")]), ("(3.2)%", [("(3.2)%", -3.2, "percent")]), ("$(1.2) million", [("$(1.2) million", -1.2e6, "USD")]),
        ("in all (475)", [("475", 475, "")]), ("a 3- to 5-fold", [("3", 3, ""), ("5-fold", 5, "times")]),
    ],
)  # fmt: skip
def test_brackets_and_a_trailing_minus_are_signs_in_accounts(text: str, expected: list[tuple[str, float, str]]) -> None:
    """An amount with its currency or per cent outside, a whole cell with a minus behind; brackets in prose are brackets."""
    assert expected == read(text)


def test_other_figures_tell_what_a_point_means() -> None:
    """Beside 5,6 a 1.234 is more likely a thousand; beside 5.6 a fraction."""
    assert [1234, 5.6] == [value for _, value, _ in read("1.234 und 5,6")]
    assert [1.234, 5.6] == [value for _, value, _ in read("1.234 and 5.6")]


@pytest.mark.parametrize(
    ("bound", "texts"),
    [
        ("about", ["rund 50", "environ 50", "unos 50", "ongeveer 50", "circa 50", "cerca de 50", "ungefär 50", "około 50", "लगभग 50", "約50", "50人左右"]),
        ("over", ["mehr als 50", "plus de 50", "más de 50", "meer dan 50", "oltre 50", "mais de 50", "drygt 50", "ponad 50", "超过50", "50 से अधिक"]),
        ("under", ["weniger als 50", "moins de 50", "menos de 50", "minder dan 50", "meno di 50", "färre än 50", "poniżej 50", "不到50", "50件未満"]),
        ("at_least", ["mindestens 50", "au moins 50", "al menos 50", "minstens 50", "almeno 50", "pelo menos 50", "minst 50", "co najmniej 50", "50人以上"]),
        ("at_most", ["höchstens 50", "au plus 50", "hasta 50", "hoogstens 50", "al massimo 50", "no máximo 50", "högst 50", "co najwyżej 50", "50円以下"]),
        ("nearly", ["knapp 50", "presque 50", "casi 50", "bijna 50", "quasi 50", "quase 50", "nästan 50", "prawie 50", "将近50"]),
    ],
)  # fmt: skip
def test_approximators_of_any_language(bound: str, texts: list[str]) -> None:
    """How a number is meant stands before or after it."""
    assert [bound] * len(texts) == [figure.bound for text in texts for figure in find_figures(text)]
