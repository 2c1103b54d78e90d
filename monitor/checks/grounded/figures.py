"""
From text to typed figures: what numbers a text states, where, and how exactly.

Parsed once, in linear time. Code, links, ids, versions, list markers and names with digits are no figures. An
ambiguous reading (``1.234``) keeps both values. The same parser reads answers, definitions and text cells.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from monitor.checks.grounded import units
from monitor.checks.grounded.dates import Moment, find_moments

Bound = Literal["", "about", "exactly", "over", "under", "at_least", "at_most"]

_SPACES = " \u00a0\u202f\u2009"
_NUMBER = re.compile(
    rf"(?:\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*|(?<![\w.])\.\d+)(?:[eE][+-]?\d{{1,3}}(?!\w))?"
)
_MASKS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|www\.\S+|\S+@\S+\.\w+|\[redacted:\w+\]|"
    r"(?<=\])\([^)\s]{1,400}\)|^\s{0,6}(?:\d{1,3}[.)]|[-*•]|#{1,6})(?=\s)|\[\^?\d{1,3}\]",
    re.DOTALL | re.MULTILINE,
)
_SQL = re.compile(r"\bSELECT\b.{0,4000}?\bFROM\b[^\n]*(?:\n[^\n]+)*", re.DOTALL)
_BOUNDS: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("exactly", re.compile(r"\b(?:exactly|precisely|genau|exactement|exactamente|precies)\s*$", re.IGNORECASE)),
    (
        "at_least",
        re.compile(r"(?:\b(?:at least|no less than|mindestens|au moins|al menos|minstens|or more)|≥|>=)\s*$", re.IGNORECASE),
    ),
    (
        "at_most",
        re.compile(r"(?:\b(?:at most|no more than|up to|höchstens|au plus|como máximo|hoogstens)|≤|<=)\s*$", re.IGNORECASE),
    ),
    (
        "over",
        re.compile(
            r"(?:\b(?:more than|over|above|greater than|exceed(?:s|ed|ing)?|just over|mehr als|über|plus de|más de|meer dan)|>)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "under",
        re.compile(
            r"(?:\b(?:less than|fewer than|under|below|almost|nearly|just under|weniger als|unter|fast|knapp|moins de|"
            r"presque|près de|menos de|casi|minder dan|bijna)|<)\s*$",
            re.IGNORECASE,
        ),
    ),
    (
        "about",
        re.compile(
            r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|some|etwa|rund|ungefähr|environ|"
            r"aproximadamente|alrededor de|unos|unas|cerca de|ongeveer)|~|≈)\s*$",
            re.IGNORECASE,
        ),
    ),
)
_BEFORE = re.compile(
    r"(?:(?P<sign>[-−–+])\s?)?(?P<currency>[$€£¥₹]|\b(?:US\$|USD|EUR|GBP|CHF|JPY|INR|CAD|AUD)\s?)?(?P<late>[-−])?$"
)
_NAMED = re.compile(
    r"(?:[#№]|\b(?:no|nr|id|ticket|version|v|step|figure|table|section|page|option|chapter|part|q)\.?\s?#?)$", re.IGNORECASE
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|\.\s(?=[A-ZÄÖÜ][a-zäöü]+)|(?:er|ère|ème|e|º|ª)\b")
_DIGITS = {ord(c): str(unicodedata.digit(c)) for c in map(chr, range(0x660, 0xFF20)) if unicodedata.category(c) == "Nd"}

WORDS: dict[str, int] = {
    **dict(zip("two three four five six seven eight nine ten eleven twelve".split(), range(2, 13), strict=True)),
    **dict(zip("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(), range(2, 13), strict=True)),
    **dict(zip("deux trois quatre cinq six sept huit neuf dix onze douze".split(), range(2, 13), strict=True)),
    **dict(zip("dos tres cuatro cinco seis siete ocho nueve diez once doce".split(), range(2, 13), strict=True)),
    **dict(zip("twee drie vier vijf zes zeven acht negen tien elf twaalf".split(), range(2, 13), strict=True)),
}
_WORD_NUMBER = re.compile(rf"\b(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})\b(?!-)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a figure: its *value*, and half of the last digit written (0: exact)."""

    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Figure:
    """
    One figure: its span, what it may mean, and how it is meant.

    *unit* is canonical (see units); *bound* an approximation or inequality; *moment* is set for dates and times;
    *word* marks a number written as a word; *year* a bare number that can be a year; *grouped* thousands separators.
    """

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    unit: str = ""
    bound: Bound = ""
    moment: Moment | None = None
    word: bool = False
    year: bool = False
    grouped: bool = False


def fold(text: str) -> str:
    """*text* with ASCII digits and plain quotes, character for character, so that offsets stay."""
    if text.isascii():
        return text
    return text.translate(_DIGITS).replace("％", "%").replace("−", "-")


def masked(text: str) -> str:
    """*text* (folded) with code, links, ids in brackets, list markers and SQL blanked out, same length."""
    out = _MASKS.sub(lambda found: " " * len(found[0]), text)
    if "SELECT" in out:
        out = _SQL.sub(lambda found: " " * len(found[0]), out)
    return out


def find_figures(text: str, *, words: bool = True) -> list[Figure]:
    """
    The figures that *text* states, in order.

    *words*: also numbers written as words. Nothing overlaps. Linear in the length of *text*.
    """
    clean = masked(fold(text))
    figures: list[Figure] = []
    taken = 0
    moments = find_moments(clean)
    for moment in moments:
        figures.append(Figure(moment.start, moment.end, text[moment.start : moment.end], (), moment=moment))
    spans = [(moment.start, moment.end) for moment in moments]
    cursor = 0
    for found in _NUMBER.finditer(clean):
        start, end = found.span()
        while cursor < len(spans) and spans[cursor][1] <= start:
            cursor += 1
        if start < taken or (cursor < len(spans) and spans[cursor][0] < end):
            continue
        figure = _figure(text, clean, start, end)
        if figure is not None:
            figures.append(figure)
            taken = figure.end
    if words:
        for found in _WORD_NUMBER.finditer(clean):
            value = float(WORDS[found[0].lower()])
            unit, end = units.unit_after(clean, found.end())
            figures.append(
                Figure(
                    found.start(),
                    end,
                    text[found.start() : end],
                    (Reading(value, 0.0),),
                    unit=unit,
                    bound=_bound(clean, found.start()),
                    word=True,
                )
            )
    figures.sort(key=lambda figure: figure.start)
    return figures


def _figure(text: str, clean: str, start: int, end: int) -> Figure | None:
    before = clean[max(0, start - 12) : start]
    lead = _BEFORE.search(before)
    currency, sign, first = "", "", start
    if lead:
        currency = units.currency(lead["currency"] or "")
        sign = lead["sign"] or lead["late"] or ""
        first = start - (len(before) - lead.start())
    previous = clean[first - 1] if first else " "
    if sign and sign != "+" and (previous.isalnum() or previous in "_%)$€£"):
        if currency or previous.isalpha() or previous == "_":
            return (
                None if previous.isalpha() or previous == "_" else _build(text, clean, start, end, start, currency, "")
            )
        sign, first = "", start
        previous = clean[first - 1] if first else " "
        return _build(text, clean, start, end, first, currency, sign)
    if previous.isalpha() or (previous in "_/\\" and not currency):
        if previous == "/" and first > 1 and clean[first - 2].isspace():
            pass
        else:
            return None
    if _NAMED.search(clean[max(0, first - 10) : first]) and not currency:
        return None
    return _build(text, clean, start, end, first, currency, sign)


def _build(text: str, clean: str, start: int, end: int, first: int, currency: str, sign: str) -> Figure | None:
    written = clean[start:end]
    if _is_version(written):
        return None
    readings = _readings(written)
    factor, after = units.scale_after(clean, end)
    unit, last = units.unit_after(clean, after)
    following = clean[last : last + 1]
    if factor == 1.0 and not unit:
        if _ORDINAL.match(clean, end):
            return None
        if following.isalpha() or following == "_":
            return None
        if following in "-/" and clean[last + 1 : last + 2].isalpha() and clean[last + 1 : last + 2].isupper():
            return None
    elif following.isalpha() or following == "_":
        return None
    if factor != 1.0 and unit == "" and currency:
        unit = currency
    negative = -1.0 if sign in ("-", "−", "–") or _bracketed(clean, first, last) else 1.0
    year = bool(re.fullmatch(r"(?:19|20)\d\d", written)) and factor == 1.0 and not (unit or currency)
    return Figure(
        first,
        last,
        text[first:last],
        tuple(Reading(negative * value * factor, half * factor) for value, half in readings),
        unit=currency or unit,
        bound=_bound(clean, first) or _bound_after(clean, last),
        year=year,
        grouped=not written.isdigit(),
    )


def _bracketed(clean: str, first: int, last: int) -> bool:
    """Accountants write a negative as ``(1,234)``; a bracketed figure with nothing else inside is not that in prose."""
    return False


def _is_version(written: str) -> bool:
    parts = written.split(".")
    return len(parts) > 2 and not all(len(part) == 3 for part in parts[1:]) and "," not in written


def _readings(written: str) -> list[tuple[float, float]]:
    """(value, half of the last digit) for each way to read digits with separators; most likely first."""
    mantissa, _, exponent = written.replace("E", "e").partition("e")
    power = 10.0 ** int(exponent) if exponent else 1.0
    for space in _SPACES:
        mantissa = mantissa.replace(space, "'")
    mantissa = mantissa.replace("’", "'")
    grouped_by_quote = "'" in mantissa
    mantissa = mantissa.replace("'", "")
    commas, points = mantissa.count(","), mantissa.count(".")
    options: list[str]
    if not commas and not points:
        options = [mantissa]
    elif commas and points:
        decimal = max(mantissa.rfind(","), mantissa.rfind("."))
        mark, group = mantissa[decimal], "," if mantissa[decimal] == "." else "."
        if mantissa.count(mark) > 1:
            options = [mantissa.replace(",", "").replace(".", "")]
        else:
            options = [mantissa.replace(group, "").replace(mark, ".")]
    else:
        mark = "," if commas else "."
        head, *rest = mantissa.split(mark)
        thousands = len(rest[-1]) == 3 and all(2 <= len(part) <= 3 for part in rest) and 1 <= len(head) <= 3
        if len(rest) > 1:
            options = [mantissa.replace(mark, "")]
        elif thousands and head.strip("0") and not grouped_by_quote:
            joined, decimal_text = mantissa.replace(mark, ""), mantissa.replace(mark, ".")
            options = [joined, decimal_text] if mark == "," else [decimal_text, joined]
        else:
            options = [mantissa.replace(mark, ".")]
    out = []
    for option in options:
        decimals = len(option.partition(".")[2])
        out.append((float(option) * power, 0.5 * 10.0**-decimals * power))
    return out


def _bound(clean: str, start: int) -> Bound:
    before = clean[max(0, start - 24) : start]
    if not before or before[-1].isalnum():
        return ""
    for bound, pattern in _BOUNDS:
        if pattern.search(before):
            return bound
    return ""


def _bound_after(clean: str, end: int) -> Bound:
    after = clean[end : end + 12].lower()
    if after.startswith((" or more", "+ ", " or higher")):
        return "at_least"
    return "at_most" if after.startswith((" or less", " or fewer")) else ""
