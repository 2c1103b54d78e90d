"""
What digits with separators are worth: each way to read them, the most likely first.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.text.quantity import Figure
from monitor.language import languages

SPACES = " \u00a0\u202f\u2009\u2007"
"""What groups digits, besides points, commas and apostrophes."""
_MARKED = re.compile(f"[{SPACES}'’]")
_EUROPEAN = re.compile(r"(?<![\d,])\d+,\d{1,2}(?![\d,])|\d\.\d{3}(?:,\d|\.\d{3})")
_ENGLISH = re.compile(r"(?<![\d.])\d+\.\d{1,2}(?![\d.])|\d,\d{3}(?:\.\d|,\d{3})")
_COMMA = re.compile(r"(?<![\d.,])\d{1,3},\d{3}(?![\d.,])")
_POINTS = frozenset(["en", "zh", "ja", "hi"])
"""Languages that write a decimal point."""
_ONE_MARK = re.compile(r"(?<![\d.,])\d{1,3}[.,]\d{3}(?![\d.,])")


def read_digits(written: str) -> list[tuple[float, float]]:
    """(value, half of the last digit) for each way to read digits with separators; most likely first."""
    if written.isdigit():
        return [(float(written), 0.5)]
    mantissa, _, exponent = written.replace("E", "e").partition("e")
    power = 10.0 ** max(-30, min(30, int(exponent))) if exponent else 1.0
    grouped = mantissa
    if _MARKED.search(grouped):
        grouped = _MARKED.sub("", grouped)
    out = []
    for option in _options(grouped, already_grouped=grouped != mantissa):
        decimals = len(option.partition(".")[2])
        out.append((float(option) * power, 0.5 * 10.0**-decimals * power))
    return out


def _options(mantissa: str, *, already_grouped: bool) -> list[str]:
    commas, points = mantissa.count(","), mantissa.count(".")
    if not commas and not points:
        return [mantissa]
    if commas and points:
        mark = mantissa[max(mantissa.rfind(","), mantissa.rfind("."))]
        if mantissa.count(mark) > 1:
            return [mantissa.replace(",", "").replace(".", "")]
        return [mantissa.replace("," if mark == "." else ".", "").replace(mark, ".")]
    mark = "," if commas else "."
    head, *rest = mantissa.split(mark)
    if len(rest) > 1:
        return [mantissa.replace(mark, "")]
    if len(rest[0]) == 3 and 1 <= len(head) <= 3 and head.strip("0") and not already_grouped:
        joined, decimal = mantissa.replace(mark, ""), mantissa.replace(mark, ".")
        if rest[0].endswith("00" if mark == "," else "000"):
            return [joined]
        return [joined, decimal] if mark == "," else [decimal, joined]
    return [mantissa.replace(mark, ".")]


def in_language(figures: list[Figure], text: str) -> list[Figure]:
    """*figures*, where a comma before three digits only groups them if the language of *text* writes decimal points."""
    if not any(len(figure.readings) == 2 and _COMMA.search(figure.text) for figure in figures):
        return figures
    if not _POINTS.issuperset(languages(text)):
        return figures
    return [
        figure._replace(readings=figure.readings[:1])
        if len(figure.readings) == 2 and _COMMA.search(figure.text)
        else figure
        for figure in figures
    ]


def in_one_style(figures: list[Figure]) -> list[Figure]:
    """*figures*, where the others tell that commas are decimal marks with the reading first that fits (``1.234`` beside ``5,6``)."""
    if not any(len(figure.readings) > 1 for figure in figures):
        return figures
    texts = [figure.text for figure in figures if len(figure.readings) == 1]
    if not any(map(_EUROPEAN.search, texts)) or any(map(_ENGLISH.search, texts)):
        return figures
    return [
        figure._replace(readings=figure.readings[::-1])
        if len(figure.readings) == 2 and _ONE_MARK.search(figure.text)
        else figure
        for figure in figures
    ]
