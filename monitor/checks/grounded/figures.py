"""
From text to typed figures: what numbers a text states, where, and how exactly.

Parsed once, in linear time. Code, links, ids, versions, list markers and names with digits are no figures. An
ambiguous reading (``1.234``) keeps both values. The same parser reads answers, definitions and text cells.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from monitor.checks.grounded import bounds, units
from monitor.checks.grounded.bounds import Bound
from monitor.checks.grounded.dates import Moment, find_moments
from monitor.checks.grounded.numberwords import find_words
from monitor.language import language

MAX_DIGITS = 40
_SPACES = " \u00a0\u202f\u2009"
_NUMBER = re.compile(
    rf"(?:\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*|(?<![\w.])\.\d+)(?:[eE][+-]?\d{{1,3}}(?!\w))?"
)
_MASKS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|www\.\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}|"
    r"\[redacted:\w{1,40}\]|(?<=\])\([^()\s]{1,200}\)|^[ \t]{0,6}(?:\d{1,3}[.)]|[-*•]|#{1,6})(?=\s)|\[\^?\d{1,3}\]|"
    r"\b24/7\b|\+\d{1,3}(?:[ -]\(?\d{2,12}\)?){2,6}",
    re.DOTALL | re.MULTILINE,
)
_NAMED = re.compile(
    r"(?:[#№]|\b(?:no|nr|id|ids|ticket|version|v|step|figure|fig|table|section|page|option|chapter|part|q|room|gate|phone|"
    r"abbildung|schritt|paso|étape)\.?\s?[#:]?\s?)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|ère|ème|e|º|ª)(?![^\W_])|\.\s(?=[A-ZÄÖÜ]?[a-zäöü]{3,})")
_RATIO = re.compile(r"\s(?:in|out of|von|aus|sur|de cada|op de|av|na)\s(\d{1,4})(?![\d.,%:/-]*\d|\s?%)")
_CLOCKED = re.compile(r"(?<![\d:.])(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,3})?)(?![\d:]|\.\d)")
_MINUTES = re.compile(r"\s?(\d\d)(?![\d%:]|[.,]\d)(?:\s?min(?:utes?|uten)?\b)?")
_CJK_MORE = re.compile(r"([\d,]{1,9})(万|萬)?")
_JOINTS = ("", "and", "und", "et", "y", "en", "e", "och", "i")
_DIGITS = {ord(c): str(unicodedata.digit(c)) for c in map(chr, range(0x660, 0xFF20)) if unicodedata.category(c) == "Nd"}
_TIMES = {"d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}
_NEXT_TIME = {"d": "h", "h": "min", "min": "s"}


class Reading(NamedTuple):
    """One way to read a figure: its *value*, and half of the last digit written (0: exact)."""

    value: float
    half: float


class Figure(NamedTuple):
    """
    One figure: its span, what it may mean, and how it is meant.

    *unit* is canonical (see units), *factor* the magnitude that was written out, *bound* an approximation or
    inequality; *moment* is set for dates and times; *word* marks a number written as a word, *fraction* a half, a third or
    ``1 in 5`` (as a ratio); *year* a bare number that can be a year; *signed* an explicit sign.
    """

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    unit: str = ""
    bound: Bound = ""
    moment: Moment | None = None
    word: bool = False
    fraction: bool = False
    year: bool = False
    factor: float = 1.0
    signed: bool = False


def fold(text: str) -> str:
    """*text* with ASCII digits and plain signs, character for character, so that offsets stay."""
    if text.isascii():
        return text
    return text.translate(_DIGITS).replace("％", "%").replace("−", "-").replace("．", ".").replace("，", ",")


def masked(text: str) -> str:
    """*text* (folded) with code, links, list markers and SQL blanked out, same length."""
    out = _MASKS.sub(lambda found: " " * len(found[0]), text)
    position = out.find("SELECT ")
    while position >= 0:
        source = out.find("FROM ", position, position + 4000)
        if source < 0:
            break
        end = out.find("\n\n", source)
        end = len(out) if end < 0 else end
        out = out[:position] + " " * (end - position) + out[end:]
        position = out.find("SELECT ", end)
    return out


def find_figures(text: str, *, words: bool = True) -> list[Figure]:
    """
    The figures that *text* states, in order.

    *words*: also numbers written as words. Nothing overlaps. Linear in the length of *text*.
    """
    clean = masked(fold(text))
    figures = [
        Figure(moment.start, moment.end, text[moment.start : moment.end], (), moment=moment)
        for moment in find_moments(clean)
    ]
    if ":" in clean:
        figures = _with_clocked(text, clean, figures)
    spans = [(figure.start, figure.end) for figure in figures]
    cursor = taken = 0
    for found in _NUMBER.finditer(clean):
        start, end = found.span()
        while cursor < len(spans) and spans[cursor][1] <= start:
            cursor += 1
        if start < taken or (cursor < len(spans) and spans[cursor][0] < end):
            continue
        figure = _figure(text, clean, start, end)
        gap = found[0].find(" ")
        if figure is None and gap > 0:
            start += gap + 1
            figure = _figure(text, clean, start, end)
        if figure is None:
            continue
        if cursor < len(spans) and spans[cursor][0] < figure.end:
            figure = figure._replace(end=end, text=text[figure.start : end], unit="")
        taken = figure.end
        if figures and figure.unit in _TIMES and figures[-1].unit in _NEXT_TIME:
            joined = _joined(text, clean, figures[-1], figure)
            if joined is not None:
                figures[-1] = joined
                continue
        figures.append(figure)
    if words:
        figures.extend(_words(text, clean, figures))
    figures.sort(key=lambda figure: figure.start)
    return figures


def _with_clocked(text: str, clean: str, moments: list[Figure]) -> list[Figure]:
    """*moments* with durations such as ``2:11.79`` and ``2:23:43`` among them, in seconds."""
    taken = {figure.start for figure in moments}
    ends = [(figure.start, figure.end) for figure in moments]
    out = list(moments)
    for found in _CLOCKED.finditer(clean):
        if not (found[1] or "." in found[3]) or found.start() in taken:
            continue
        if any(start < found.end() and found.start() < end for start, end in ends[:200]):
            continue
        seconds = int(found[1] or 0) * 3600 + int(found[2]) * 60 + float(found[3])
        half = 0.5 * 10.0 ** -len(found[3].partition(".")[2])
        clock = found[1] and len(found[1]) == 2 and int(found[1]) < 24
        moment = Moment(*found.span(), minute=int(found[1]) * 60 + int(found[2])) if clock else None
        written = text[found.start() : found.end()]
        out.append(Figure(*found.span(), written, (Reading(seconds, half),), unit="s", moment=moment))
    return sorted(out, key=lambda figure: figure.start)


def _words(text: str, clean: str, figures: list[Figure]) -> list[Figure]:
    taken = [(figure.start, figure.end) for figure in figures]
    out = []
    for word in find_words(clean, language(text)):
        if any(start < word.end and word.start < end for start, end in taken):
            continue
        bound = bounds.before(clean, word.start)
        if word.kind == "fraction":
            reading = Reading(word.value, 0.04 if bound == "about" else 0.025)
            out.append(_worded(text, word.start, word.end, reading, "ratio", bound)._replace(fraction=True))
            continue
        factor, unit, end = units.after(clean, word.end)
        if word.kind == "multiple":
            unit, end = units.TIMES, word.end
        reading = Reading(word.value * factor, 0.05 if unit == units.TIMES else 0.0)
        out.append(_worded(text, word.start, end, reading, unit, bound)._replace(factor=factor))
    return out


def _worded(text: str, start: int, end: int, reading: Reading, unit: str, bound: Bound) -> Figure:
    return Figure(start, end, text[start:end], (reading,), unit=unit, bound=bound, word=True)


def _joined(text: str, clean: str, first: Figure, second: Figure) -> Figure | None:
    """``2 h`` and ``23 min`` as one duration; None when they are two figures."""
    gap = clean[first.end : second.start]
    if len(gap) > 5 or _NEXT_TIME[first.unit] != second.unit or gap.strip() not in _JOINTS:
        return None
    per = _TIMES[second.unit] / _TIMES[first.unit]
    a, b = first.readings[0], second.readings[0]
    reading = Reading(a.value + b.value * per, b.half * per)
    return first._replace(end=second.end, text=text[first.start : second.end], readings=(reading,))


def _figure(text: str, clean: str, start: int, end: int) -> Figure | None:
    if end - start > MAX_DIGITS:
        return None
    first, currency, sign = _lead(clean, start)
    previous = clean[first - 1] if first else " "
    if (previous.isalpha() and not _is_cjk(previous)) or previous == "_":
        return None
    if sign and sign != "+" and (previous.isalnum() or previous in ")%°€"):
        if _is_cjk(previous) or previous.isdigit() or previous in ")%°€":
            sign, first = "", start
        else:
            return None
    if previous in "/\\" and not currency and not (first > 1 and clean[first - 2].isspace()):
        return _slashed(text, clean, start, end, first)
    if not currency and _NAMED.search(clean[max(0, first - 12) : first]):
        return None
    return _build(text, clean, start, end, first, currency, sign)


def _lead(clean: str, start: int) -> tuple[int, str, str]:
    """(first position, currency, sign) of what belongs to a number in front of it."""
    first, currency, sign = start, "", ""
    while True:
        before = clean[first - 1] if first else ""
        if before and before in "-–+±" and not sign:
            sign, first = before, first - 1
        elif before and before in "$€£¥₹" and not currency:
            currency, first = units.currency(before), first - 1
            if (
                before == "$"
                and clean[first - 2 : first] in ("US", "CA", "AU")
                and not clean[first - 3 : first - 2].isalpha()
            ):
                first -= 2
            elif before == "$" and clean[first - 1 : first] == "R":
                currency, first = "BRL", first - 1
        elif before == " " and not currency and not sign:
            code = clean[max(0, first - 4) : first - 1]
            if (
                len(code) >= 3
                and code[-3:].isupper()
                and code[-3:] in units.CURRENCY_CODES
                and not clean[first - 5 : first - 4].isalpha()
            ):
                return first - 4, code[-3:], sign
            if clean[first - 2 : first - 1] in tuple("€£₹") or (
                clean[first - 2 : first - 1] == "$" and start - first == 0
            ):
                first -= 1
                continue
            return first, currency, sign
        else:
            return first, currency, sign


def _slashed(text: str, clean: str, start: int, end: int, first: int) -> Figure | None:
    """A number after a slash: part of ``5/7``, never of a path or a name."""
    before = clean[first - 2 : first - 1]
    return _build(text, clean, start, end, first, "", "") if before.isdigit() else None


def _build(text: str, clean: str, start: int, end: int, first: int, currency: str, sign: str) -> Figure | None:
    written = clean[start:end]
    if _is_version(written):
        return None
    factor, unit, last = units.after(clean, end, priced=bool(currency))
    following = clean[last : last + 1]
    if factor == 1.0 and not unit:
        if _ORDINAL.match(clean, end) and written.isdigit():
            return None
        if following in "-/" and clean[last + 1 : last + 3].isupper() and clean[last + 1 : last + 2].isalpha():
            return None
        ratio = _RATIO.match(clean, end) if written.isdigit() and not currency and len(written) < 4 else None
        if (
            ratio
            and 0 < int(written) < int(ratio[1]) <= 1000
            and (int(ratio[1]) <= 10 or int(ratio[1]) in (20, 100, 1000))
        ):
            value, bound = int(written) / int(ratio[1]), bounds.before(clean, first)
            reading = Reading(value, max(0.5 / int(ratio[1]), 0.04 if bound == "about" else 0))
            return Figure(
                first, ratio.end(), text[first : ratio.end()], (reading,), unit="ratio", bound=bound, fraction=True
            )
    if (following.isalpha() and not _is_cjk(following)) or following == "_":
        return None
    whole = _duration(text, clean, first, last, written, unit) or _east_asian(text, clean, first, last, written, factor)
    if whole:
        return whole
    readings = _readings(written)
    negative = -1.0 if sign in ("-", "–") and sign else 1.0
    year = (
        len(written) == 4
        and written[:2] in ("19", "20")
        and factor == 1.0
        and not (unit or currency)
        and written.isdigit()
    )
    return Figure(
        first,
        last,
        text[first:last],
        tuple(Reading(negative * value * factor, half * factor) for value, half in readings),
        unit=_with_rate(currency, unit),
        bound=bounds.before(clean, first) or bounds.after(clean, last),
        year=year,
        factor=factor,
        signed=bool(sign) and sign != "±",
    )


def _duration(text: str, clean: str, first: int, last: int, written: str, unit: str) -> Figure | None:
    """``2 h 23`` and ``36 h 15 min``."""
    found = _MINUTES.match(clean, last) if unit == "h" and written.isdigit() else None
    if not found or int(found[1]) >= 60:
        return None
    reading = Reading(int(written) + int(found[1]) / 60, 0.5 / 60)
    return Figure(
        first, found.end(), text[first : found.end()], (reading,), unit="h", bound=bounds.before(clean, first)
    )


def _east_asian(text: str, clean: str, first: int, last: int, written: str, factor: float) -> Figure | None:
    """``34億2,000万円``: two magnitudes in one number."""
    found = _CJK_MORE.match(clean, last) if factor in (1e4, 1e8) and clean[last - 1] in units.SCALES else None
    if not found or not found[1].strip(","):
        return None
    step = 1e4 if found[2] else 1.0
    total = _readings(written)[0][0] * factor + float(found[1].replace(",", "")) * step
    _, unit, end = units.after(clean, found.end())
    return Figure(first, end, text[first:end], (Reading(total, step / 2),), unit=unit)


def _with_rate(currency: str, unit: str) -> str:
    if not currency:
        return unit
    return f"{currency}/{unit.partition('/')[2]}" if "/" in unit else currency


def _is_cjk(char: str) -> bool:
    return char >= "\u3040" and (char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" or char >= "\uff00")


def _is_version(written: str) -> bool:
    parts = written.split(".")
    return len(parts) > 2 and not all(len(part) == 3 for part in parts[1:]) and "," not in written


def _readings(written: str) -> list[tuple[float, float]]:
    """(value, half of the last digit) for each way to read digits with separators; most likely first."""
    if written.isdigit():
        return [(float(written), 0.5)]
    mantissa, _, exponent = written.replace("E", "e").partition("e")
    power = 10.0 ** int(exponent) if exponent else 1.0
    grouped = mantissa
    for mark in _SPACES + "'’":
        grouped = grouped.replace(mark, "")
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
        return [joined, decimal] if mark == "," else [decimal, joined]
    return [mantissa.replace(mark, ".")]
