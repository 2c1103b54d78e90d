"""
Figures of more than one number, or with signs around them: ``1 in 5``, ``2 h 23``, ``2:11.79``, ``34億2,000万円``, ``€(1.2)``.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.text import announce, bounds, units
from monitor.checks.grounded.text.dates import Moment
from monitor.checks.grounded.text.quantity import Figure, Reading

_RATIO = re.compile(r"\s(?:in|out of|von|aus|sur|de cada|op de|av|na)\s(\d{1,4})(?![\d.,%:/-]*\d|\s?%)")
_ODDS = re.compile(r"\s?:\s?(\d{1,3})(?!\d|[:.,]\d|\s?%)")
_RATIO_OF = re.compile(r"\b(?:ratio|odds|Verhältnis|rapport|proporción|relación|razón|verhouding)\b", re.IGNORECASE)
_VULGAR = re.compile(r"\s?/\s?(\d{1,3})(?=\s(?:of|der|des|de|del|van|av|di)\s)")
_CLOCKED = re.compile(r"(?<![\d:.])(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,3})?)(?![\d:]|\.\d)")
_MINUTES = re.compile(r"\s?(\d\d)(?![\d%:]|[.,]\d)(?:\s?min(?:utes?|uten)?\b)?")
_CJK_MORE = re.compile(r"([\d,]{1,9})(万|萬)?")
_JOINTS = ("", "and", "und", "et", "y", "en", "e", "och", "i")
_TO = re.compile(r"[-–—~～〜]|\s?[～〜]\s?|\s(?:to|bis|à|a|al|tot|till|do|até)\s|から")
_AND = re.compile(r"\s(?:and|und|et|y|e|en|och|i|a)\s")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tussen|tra|fra|mellan|między|pomiędzy)\s[^\w\s]?\Z", re.IGNORECASE)
_FROM = re.compile(r"\b(?:from|von|de|desde|van|från|da|od)\s[^\w\s]?\Z", re.IGNORECASE)
_WENT = re.compile(r"\b(?:went|goes|gone|moved|changed|ging|passé|passe|pasó|pasa|gick|passou|passa|passato)\b")
"""Words other than of rises and falls by which *from A to B* is a change rather than a range."""
_CURRENCY = frozenset("$€£¥₹")
_TIMES = {"d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}
_NEXT_TIME = {"d": "h", "h": "min", "min": "s"}
_WHOLES = frozenset([*range(2, 11), 20, 100, 1000])
FEW_POINTS = 0.05
"""How far a share may be from the parts of few that it is said to be."""


def fraction(text: str, clean: str, start: int, end: int) -> Figure | None:
    """``1 in 5``, ``1/3 of`` or a ratio of ``9:4``, where a whole number ends at *end*; None when it is none."""
    if clean[end : end + 1] not in " /:":
        return None
    written = clean[start:end]
    odds = _ODDS.match(clean, end) if _RATIO_OF.search(clean[max(0, start - 60) : start]) else None
    if odds and int(odds[1]):
        reading = Reading(int(written) / int(odds[1]), 0.05)
        return Figure(start, odds.end(), text[start : odds.end()], (reading,), units.TIMES, bounds.before(clean, start))
    found = _RATIO.match(clean, end) or _VULGAR.match(clean, end)
    if not found or len(written) > 3 or not 0 < int(written) < int(found[1]) or int(found[1]) not in _WHOLES:
        return None
    whole, bound = int(found[1]), bounds.before(clean, start)
    half = min(0.5 / whole, FEW_POINTS)
    reading = Reading(int(written) / whole, max(half, 0.04 if bound == "about" else 0.0))
    return Figure(start, found.end(), text[start : found.end()], (reading,), "ratio", bound, fraction=True)


def duration(text: str, clean: str, first: int, last: int, hours: str) -> Figure | None:
    """``2 h 23`` and ``36 h 15 min``, where the unit ends at *last*; None when no minutes follow."""
    found = _MINUTES.match(clean, last)
    if not found or int(found[1]) >= 60:
        return None
    reading = Reading(int(hours) + int(found[1]) / 60, 0.5 / 60)
    return Figure(first, found.end(), text[first : found.end()], (reading,), "h", bounds.before(clean, first))


def paired(text: str, clean: str, first: Figure, second: Figure) -> list[Figure]:
    """Two neighbours as what they are: one duration, the ends of a range, or two figures."""
    if second.unit:
        whole = joined(text, clean, first, second)
        if whole is not None:
            return [whole]
    return list(ranged(clean, first, second))


def joined(text: str, clean: str, first: Figure, second: Figure) -> Figure | None:
    """``2 h`` and ``23 min`` as one duration; None when they are two figures."""
    if _NEXT_TIME.get(first.unit) != second.unit or not first.readings or not second.readings:
        return None
    gap = clean[first.end : second.start]
    if len(gap) > 5 or gap.strip() not in _JOINTS:
        return None
    per = _TIMES[second.unit] / _TIMES[first.unit]
    a, b = first.readings[0], second.readings[0]
    reading = Reading(a.value + b.value * per, b.half * per)
    return first._replace(end=second.end, text=text[first.start : second.end], readings=(reading,))


def clocked(text: str, clean: str, moments: list[Figure]) -> list[Figure]:
    """*moments* with durations such as ``2:11.79`` and ``2:23:43`` among them, in seconds."""
    taken: set[int] = set()
    for figure in moments:
        taken.update(range(figure.start, figure.end))
    out = list(moments)
    for found in _CLOCKED.finditer(clean):
        start, end = found.span()
        if not (found[1] or "." in found[3]) or start in taken or end - 1 in taken:
            continue
        seconds = int(found[1] or 0) * 3600 + int(found[2]) * 60 + float(found[3])
        reading = Reading(seconds, 0.5 * 10.0 ** -len(found[3].partition(".")[2]))
        clock = found[1] and len(found[1]) == 2 and int(found[1]) < 24
        moment = Moment(start, end, minute=int(found[1]) * 60 + int(found[2])) if clock else None
        out.append(Figure(start, end, text[start:end], (reading,), "s", moment=moment))
    return sorted(out, key=lambda figure: figure.start)


def east_asian(text: str, clean: str, first: int, last: int, value: float) -> Figure | None:
    """``34億2,000万円``: *value* in 億 or 万 and what follows its magnitude; None when nothing does."""
    found = _CJK_MORE.match(clean, last)
    if not found or not found[1].strip(","):
        return None
    step = 1e4 if found[2] else 1.0
    total = value + float(found[1].replace(",", "")) * step
    _, unit, end = units.after(clean, found.end())
    return Figure(first, end, text[first:end], (Reading(total, step / 2),), unit)


def _moves(words: str) -> bool:
    return announce.both(words) or announce.falls(words) or _WENT.search(words) is not None


def ranged(clean: str, first: Figure, second: Figure) -> tuple[Figure, Figure]:
    """*first* and *second*, where they are a range, in the magnitude and the unit that is written once (``$1.2–1.5 million``)."""
    gap = clean[first.end : second.start]
    if not 0 < len(gap) < 7 or not first.readings or not second.readings or first.fraction or second.fraction:
        return first, second
    if not _TO.fullmatch(gap) and not (
        _AND.fullmatch(gap) and _BETWEEN.search(clean[max(0, first.start - 14) : first.start])
    ):
        return first, second
    if first.unit not in ("", second.unit) and not (second.unit == "" and units.is_money(first.unit)):
        return first, second
    if not first.unit and not second.unit and second.factor == 1.0 and not _AND.fullmatch(gap):
        return first, second
    if second.unit and not first.unit:
        first = first._replace(unit=second.unit, year=False)
    elif units.is_money(first.unit) and not second.unit:
        second = second._replace(unit=first.unit)
    a, b, factor = first.readings[0].value, second.readings[0].value, second.factor
    if first.factor == 1.0 != factor and first.unit == second.unit and abs(a) * factor <= abs(b):
        scaled = [Reading(value * factor, half * factor) for value, half in first.readings]
        first = first._replace(readings=tuple(scaled), factor=factor, year=False)
    head = clean[max(0, first.start - 40) : first.start]
    ends = not _FROM.search(head) or not _moves(" ".join(announce.words(head)[-3:]))
    return first._replace(ranged=ends), second._replace(ranged=ends)


def accounting(text: str, clean: str, figure: Figure) -> Figure:
    """
    *figure* as a negative where the signs around its brackets, or a trailing minus, say so: ``€(1.2)``, ``(3.2)%``, a whole
    cell ``475-``. Whether a mere ``(475)`` is one is told by the table it stands in (see View.wrapped).
    """
    start, end = figure.start, figure.end
    factor, unit, last = 1.0, figure.unit, end
    if clean[start - 1 : start] == "(" and clean[end : end + 1] == ")":
        before = clean[max(0, start - 3) : start - 1].rstrip()[-1:]
        if before and before in _CURRENCY:
            start, unit = clean.rindex(before, 0, start), units.currency(before)
            factor, _, last = units.after(clean, end + 1, priced=True)
        elif clean[end + 1 : end + 3].strip()[:1] == "%":
            start -= 1
            _, unit, last = units.after(clean, end + 1)
    elif clean[end : end + 1] == "-" and _alone(clean, start, end + 1):
        last = end + 1
    if last == end:
        return figure
    readings = tuple([Reading(-value * factor, half * factor) for value, half in figure.readings])
    text = text[start:last]
    return figure._replace(start=start, end=last, text=text, readings=readings, unit=unit, factor=factor, signed=True)


def _alone(clean: str, start: int, end: int) -> bool:
    """Whether a number is a whole cell of a Markdown table."""
    return clean[max(0, start - 20) : start].rstrip(" ")[-1:] == "|" == clean[end : end + 20].lstrip(" ")[:1]
