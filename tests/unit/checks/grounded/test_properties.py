"""
Properties of verdicts: how a true figure is written never makes it wrong, and another row's value is never right.

Derandomised and short; ``PROPERTY_EXAMPLES=2000`` looks further.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from babel.numbers import format_decimal
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from monitor.checks.grounded.evidence import evidence_of_record
from monitor.checks.grounded.figures import find_figures
from monitor.checks.grounded.verdict import ground

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "50"))
short = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

NAMES = ["Aurora", "Cloudline", "Norwind", "Ostara", "Pelagia", "Quillon", "Rivermark", "Solvane"]
SENTENCES = {
    "en_US": "In March the {column} of {row} was {figure}.",
    "de_DE": "Im März lag {column} bei {row} bei {figure}.",
    "de_CH": "Im März lag {column} bei {row} bei {figure}.",
    "fr_FR": "En mars, {column} de {row} est de {figure}.",
    "es_ES": "En marzo, {column} de {row} fue de {figure}.",
    "nl_NL": "In maart was {column} van {row} {figure}.",
    "it_IT": "A marzo {column} di {row} è di {figure}.",
    "pt_BR": "Em março, {column} de {row} foi de {figure}.",
    "sv_SE": "I mars var {column} för {row} {figure}.",
    "pl_PL": "W marcu {column} dla {row} to {figure}.",
    "en_IN": "In March the {column} of {row} was {figure}.",
    "hi_IN": "मार्च में {row} का {column} {figure} था।",
    "ja_JP": "3月の{row}の{column}は{figure}でした。",
    "zh_CN": "3月{row}的{column}是{figure}。",
    "ar_EG": "في مارس كان {column} لدى {row} {figure}.",
}
SCALES: dict[str, list[tuple[str, int]]] = {
    "en_US": [
        ("k", 10**3),
        (" thousand", 10**3),
        ("M", 10**6),
        (" million", 10**6),
        ("bn", 10**9),
        (" billion", 10**9),
    ],
    "de_DE": [(" Tsd.", 10**3), (" Mio.", 10**6), (" Millionen", 10**6), (" Mrd.", 10**9)],
    "fr_FR": [(" milliers", 10**3), (" millions", 10**6), (" milliards", 10**9)],
    "es_ES": [(" mil", 10**3), (" millones", 10**6), (" mil millones", 10**9)],
    "nl_NL": [(" duizend", 10**3), (" mln", 10**6), (" miljard", 10**9)],
    "it_IT": [(" mila", 10**3), (" milioni", 10**6), (" mld", 10**9)],
    "pt_BR": [(" mil", 10**3), (" milhões", 10**6), (" bilhões", 10**9)],
    "sv_SE": [(" tusen", 10**3), (" miljoner", 10**6), (" miljarder", 10**9)],
    "pl_PL": [(" tys.", 10**3), (" mln", 10**6), (" mld", 10**9)],
    "en_IN": [(" lakh", 10**5), (" crore", 10**7)],
    "hi_IN": [(" लाख", 10**5), (" करोड़", 10**7)],
    "ja_JP": [("万", 10**4), ("億", 10**8)],
    "zh_CN": [("万", 10**4), ("亿", 10**8)],
    "ar_EG": [(" مليون", 10**6), (" مليار", 10**9)],
}
PERCENTS = {
    "en_US": "%", "de_DE": " Prozent", "fr_FR": " %", "es_ES": " por ciento", "nl_NL": " procent", "it_IT": " per cento", "pt_BR": " por cento",
    "sv_SE": " procent", "pl_PL": " proc.", "hi_IN": " प्रतिशत", "ja_JP": "パーセント", "zh_CN": "%", "ar_EG": "٪", "de_CH": "%", "en_IN": " percent",
}  # fmt: skip


class Facts(NamedTuple):
    """A result of named rows with measures, each value unlike any other."""

    columns: list[str]
    units: dict[str, str]
    rows: list[list[Any]]

    def evidence(self) -> Any:
        table = {"kind": "table", "name": "t", "columns": self.columns, "rows": self.rows, "units": self.units}
        return evidence_of_record("", [table])


def verdicts(answer: str, facts: Facts) -> list[tuple[str, bool | None]]:
    return [(figure.text, figure.grounded) for figure in ground(answer, facts.evidence(), "")]


def rounded(value: float, decimals: int) -> Decimal:
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def written(value: Decimal, locale: str) -> str:
    decimals = -int(value.as_tuple().exponent)
    pattern = ("#,##,##0" if locale.endswith("IN") else "#,##0") + ("." + "0" * decimals if decimals > 0 else "")
    system = "arab" if locale == "ar_EG" else "deva" if locale == "hi_IN" else "latn"
    return format_decimal(value, format=pattern, locale=locale, numbering_system=system)


@st.composite
def facts(
    draw: st.DrawFn, *, low: float = 100, high: float = 9e4, decimals: int = 3, unit: str = "", least: int = 3
) -> Facts:
    """A result whose values differ by more than a tenth and less than a thousandfold, so that none is another one rounded or scaled."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=least, max_size=6, unique=True))
    measures = ["revenue", "backlog"][: draw(st.integers(1, 2))]
    count = len(names) * len(measures)
    step = (high / low) ** (1 / count)
    order = draw(st.permutations(range(count)))
    shifts = draw(st.lists(st.floats(0, 0.4), min_size=count, max_size=count))
    values = [round(low * step ** (place + shift), decimals) for place, shift in zip(order, shifts, strict=True)]
    rows = [[name, *values[index :: len(names)]] for index, name in enumerate(names)]
    return Facts(["carrier", *measures], dict.fromkeys(measures, unit), rows)


def cell(draw: Callable[[Any], Any], known: Facts) -> tuple[str, str, float]:
    """(row, column, value) of some cell."""
    row = draw(st.sampled_from(known.rows))
    column = draw(st.integers(1, len(known.columns) - 1))
    return row[0], known.columns[column], row[column]


@given(data=st.data(), locale=st.sampled_from(sorted(SENTENCES)), decimals=st.integers(0, 3), negative=st.booleans())
@short
def test_a_true_figure_is_grounded_rounded_and_written_in_any_locale(
    data: st.DataObject, locale: str, decimals: int, negative: bool
) -> None:
    """Half-up rounding to any precision, in any locale's digits and separators, keeps a figure true."""
    known = data.draw(facts())
    if negative:
        known = known._replace(rows=[[name, *[-value for value in values]] for name, *values in known.rows])
    row, column, value = cell(data.draw, known)
    figure = written(rounded(value, decimals), locale)
    answer = SENTENCES[locale].format(row=row, column=column, figure=figure)
    assert [True] == [grounded for text, grounded in verdicts(answer, known) if text[-1:] == figure[-1:]], answer


@given(
    data=st.data(),
    scale=st.sampled_from([(key, *one) for key, scales in SCALES.items() for one in scales]),
    decimals=st.integers(0, 2),
)
@short
def test_a_true_figure_is_grounded_in_any_magnitude(
    data: st.DataObject, scale: tuple[str, str, int], decimals: int
) -> None:
    """Thousands, millions, lakh, crore, 万 and 億 are the same number."""
    locale, word, factor = scale
    known = data.draw(facts(low=factor * 3, high=factor * 900, unit="EUR"))
    row, column, value = cell(data.draw, known)
    figure = written(rounded(float(Decimal(str(value)) / factor), decimals), locale) + word
    answer = SENTENCES[locale].format(row=row, column=column, figure=figure)
    assert [(figure.rstrip("."), True)] == [(text.rstrip("."), ok) for text, ok in verdicts(answer, known)][-1:], answer


@given(data=st.data(), locale=st.sampled_from(sorted(SENTENCES)), decimals=st.integers(1, 2))
@short
def test_a_ratio_is_grounded_as_a_percentage(data: st.DataObject, locale: str, decimals: int) -> None:
    """0.1234 is 12.34 %, in any language's words for it."""
    known = data.draw(facts(low=0.03, high=0.97, decimals=5, unit="ratio"))
    row, column, value = cell(data.draw, known)
    figure = written(rounded(value * 100, decimals), locale) + PERCENTS[locale]
    answer = SENTENCES[locale].format(row=row, column=column, figure=figure)
    assert [True] == [ok for _, ok in verdicts(answer, known)][-1:], answer


@given(
    data=st.data(),
    conversion=st.sampled_from(
        [("s", " minutes", 60), ("s", " Stunden", 3600), ("min", " heures", 60), ("kWh", " MWh", 1000), ("ratio", " bps", 0.0001), ("ratio", " ‰", 0.001)]
    ),
)  # fmt: skip
@short
def test_a_unit_converts(data: st.DataObject, conversion: tuple[str, str, float]) -> None:
    """Seconds said in minutes, a ratio in basis points."""
    unit, word, factor = conversion
    known = data.draw(facts(low=factor * 4, high=factor * 900, decimals=6, unit=unit))
    row, column, value = cell(data.draw, known)
    answer = SENTENCES["en_US"].format(row=row, column=column, figure=f"{rounded(value / factor, 1)}{word}")
    assert [True] == [ok for _, ok in verdicts(answer, known)], answer


@given(data=st.data())
@short
def test_the_order_of_rows_changes_no_verdict(data: st.DataObject) -> None:
    """A result is a set of rows, for true figures and false ones."""
    known = data.draw(facts())
    lines = []
    for _ in range(3):
        row, column, value = cell(data.draw, known)
        other = cell(data.draw, known)[2]
        lines.append(f"The {column} of {row} was {data.draw(st.sampled_from([value, other, other * 1.37])):,.2f}.")
    shuffled = known._replace(rows=data.draw(st.permutations(known.rows)))
    answer = " ".join(lines)
    assert verdicts(answer, known) == verdicts(answer, shuffled)


@pytest.mark.parametrize(
    "template",
    [
        "{a} had a {column} of {x} and {b} one of {y}.",
        "The {column} of {a} was {x}. The {column} of {b} was {y}.",
        "{a}: {x}, {b}: {y}",
        "By {column}: **{a}** ({x}), **{b}** ({y}).",
        "{column} was {x} at {a} and {y} at {b}.",
        "{a} reached {x}, while {b} came to {y}.",
        "{a} and {b} had {x} and {y}, respectively.",
        "The values are {x} and {y} for {a} and {b} respectively.",
        "| carrier | {column} |\n|---|---|\n| {a} | {x} |\n| {b} | {y} |",
        "- {a} has a {column} of {x}\n- {b} has a {column} of {y}",
    ],
)
@given(data=st.data(), decimals=st.integers(0, 2))
@short
def test_swapped_values_of_two_rows_are_flagged(template: str, data: st.DataObject, decimals: int) -> None:
    """Each row's value is its own; the other's is wrong, however the two are set side by side."""
    known = data.draw(facts())
    first, second = data.draw(st.permutations(known.rows))[:2]
    column = data.draw(st.integers(1, len(known.columns) - 1))
    x, y = (f"{rounded(row[column], decimals):,}" for row in (first, second))
    assume(x != y)
    names = {"a": first[0], "b": second[0], "column": known.columns[column]}
    assert [(x, True), (y, True)] == verdicts(template.format(x=x, y=y, **names), known)
    assert [(y, False), (x, False)] == verdicts(template.format(x=y, y=x, **names), known)


@given(data=st.data(), decimals=st.integers(0, 2), wide=st.booleans())
@short
def test_more_rows_and_columns_do_not_unground(data: st.DataObject, decimals: int, wide: bool) -> None:
    """A row or column that the answer does not name is no reason for doubt, whatever values it has."""
    known = data.draw(facts())
    row, column, value = cell(data.draw, known)
    values = st.one_of(st.just(value), st.floats(1, 1e6), st.none())
    if wide:
        more = known._replace(
            columns=[*known.columns, "spares"], rows=[[*each, data.draw(values)] for each in known.rows]
        )
    else:
        more = known._replace(rows=[*known.rows, ["Tamaril", *[data.draw(values) for _ in known.columns[1:]]]])
    answer = SENTENCES["en_US"].format(row=row, column=column, figure=f"{rounded(value, decimals):,}")
    assert [True] == [ok for _, ok in verdicts(answer, more)], answer


PIECES = st.sampled_from(
    "1 12 1,234 1.234,5 3.5 % € $ ( ) - – − | . , : / million Mio. 万 億 割 two and a half hundred eine halbe quatre vingt "
    "2024 2024-05-12 12:30 Q1 to bis zwischen ± ~ ×  ٣ ٫ १ लाख 三 百分之 \u200b \u00a0 İ ß mil millones".split(" ")
)


@given(
    text=st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join), st.lists(PIECES, max_size=25).map(" ".join))
)
@settings(short, max_examples=EXAMPLES * 8)
def test_figures_are_spans_of_the_text(text: str) -> None:
    """For any text: no error, figures in order, none over another, and each is what stands there."""
    found = find_figures(text)
    assert [text[figure.start : figure.end] for figure in found] == [figure.text for figure in found]
    assert all(figure.start < figure.end for figure in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(data=st.data(), locale=st.sampled_from(sorted(SENTENCES)), decimals=st.integers(0, 2))
@short
def test_swapped_values_are_flagged_in_any_language(data: st.DataObject, locale: str, decimals: int) -> None:
    """Whose value it is does not depend on the language that says so."""
    known = data.draw(facts())
    first, second = data.draw(st.permutations(known.rows))[:2]
    column = data.draw(st.integers(1, len(known.columns) - 1))
    values = [written(rounded(row[column], decimals), locale) for row in (first, second)]
    for pair, expected in ((values, True), (values[::-1], False)):
        lines = [
            SENTENCES[locale].format(row=row[0], column=known.columns[column], figure=figure)
            for row, figure in zip((first, second), pair, strict=True)
        ]
        answer = " ".join(lines)
        assert [expected, expected] == [ok for _, ok in verdicts(answer, known)], answer
