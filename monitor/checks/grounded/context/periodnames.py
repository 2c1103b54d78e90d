"""
Periods in an answer: the rows that a date, month, quarter, week or weekday in it names, and the days a period covers.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date

from monitor.checks.grounded.context.mentions import MAX_MENTIONS, Mention
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text.calendarwords import MONTHS, ORDINALS, WEEKDAYS
from monitor.checks.grounded.text.dates import QUARTER, Moment
from monitor.checks.grounded.text.figures import Figure

MAX_PARTS = 62
"""A range of more days or weeks is not taken apart."""
_SHORT = "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mär Okt Dez Janv Févr Juil Déc Ene Abr Ago Dic".split()
_MONTH_NAME = re.compile(
    rf"\b(?:(?i:{'|'.join(sorted((m for m in MONTHS if len(m) > 3 or m == 'may'), key=len, reverse=True))})|(?:{'|'.join(_SHORT)}))\b"
)
_MONTH_CELL = re.compile(rf"(?<=\|)\s*({'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?\s*(?=\|)", re.IGNORECASE)
_QUARTER = re.compile(rf"\b(?:Q([1-4])\b|({QUARTER})\b)", re.IGNORECASE)
_HALF = re.compile(
    r"\b(?:H([12])|(first|second|erste[ns]?|zweite[ns]?|premier|primer|segundo) (?:half|halbjahr|semestre))\b"
    r"(?:\s(?:of\s|de\s)?((?:19|20)\d\d))?",
    re.IGNORECASE,
)
_WEEK_OF_MONTH = re.compile(
    rf"\b(first|second|third|fourth|last) week (?:of|in) ({'|'.join(m for m in MONTHS if len(m) > 2)})\b(?:,?\s((?:19|20)\d\d))?",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    rf"\b({'|'.join(sorted((w for w in WEEKDAYS if len(w) > 4), key=len, reverse=True))})s?\b", re.IGNORECASE
)
_JOINT = re.compile(
    rf"(?:\s?(?:[,&–-]|and|to|through|until|und|bis|et|à|y|a|en|tot)\s?|\s|{'|'.join(MONTHS)}){{0,8}}", re.IGNORECASE
)
"""What may stand between months of one year."""
_OTHER_SCRIPT = re.compile("[\u0600-\u06ff\u0900-\u097f]")
"""Scripts in which a month's name is no run of letters."""
_WORD = re.compile(r"[^\W_]+")
_DAYS = frozenset(form for word in WEEKDAYS if len(word) > 4 for form in (word, f"{word}s"))
_HALF_WORDS = frozenset("h1 h2 half halbjahr semestre".split())
_QUARTER_WORDS = frozenset("q1 q2 q3 q4 quarter quartal quartals trimestre kwartaal kvartalet".split())
_NAMES = frozenset(MONTHS) | _DAYS | _HALF_WORDS | _QUARTER_WORDS | {"week"}
"""The words without one of which a text names no period but dates and years."""
_HALVES = {"1": 1, "2": 3, "f": 1, "e": 1, "p": 1, "s": 3, "z": 3}


def find_periods(answer: str, figures: list[Figure], evidence: Evidence) -> list[Mention]:
    """Dates, months, quarters, weeks, years and weekdays in *answer* that name rows by their date cells."""
    lower = answer.lower()
    words = frozenset(_WORD.findall(lower))
    dated = any(figure.moment or figure.year for figure in figures)
    if (not dated and words.isdisjoint(_NAMES)) or not evidence.moments:
        return []
    stated = _stated(answer, lower, figures, words)
    on_days = not words.isdisjoint(_DAYS)
    out = []
    known: dict[tuple[Moment, ...], list[Cell]] = {}
    for start, end, moments in stated[:MAX_MENTIONS]:
        cells = known.get(moments)
        if cells is None:
            evidence.spend(len(evidence.moments) * len(moments))
            agree = [cell for other, cell in evidence.moments if any(moment.agrees(other) for moment in moments)]
            cells = known[moments] = list(dict.fromkeys(agree))
        if cells:
            out.append(Mention(start, end, cells, period=True))
    if on_days:
        out += _weekdays(answer, evidence, out)
    return sorted(out, key=lambda mention: mention.start)


def _stated(
    answer: str, lower: str, figures: list[Figure], words: frozenset[str]
) -> list[tuple[int, int, tuple[Moment, ...]]]:
    """(start, end, moments) of the periods in the text; a range is taken apart into its days, weeks or quarters."""
    found = [(f.start, f.end, parts(f.moment)) for f in figures if f.moment]
    found += [(f.start, f.end, (Moment(0, 0, year=int(f.readings[0].value)),)) for f in figures if f.year]
    for match in _WEEK_OF_MONTH.finditer(answer) if "week" in words else ():
        found.append((match.start(), match.end(), _week_of_month(match)))
    for match in _HALF.finditer(answer) if not words.isdisjoint(_HALF_WORDS) else ():
        first = _HALVES[(match[1] or match[2])[0].lower()]
        halves = (Moment(0, 0, _int(match[3]), quarter=first), Moment(0, 0, _int(match[3]), quarter=first + 1))
        found.append((match.start(), match.end(), halves))
    found.sort(key=lambda item: (item[0], -item[1]))
    taken = _Taken(found)
    for match in _QUARTER.finditer(answer) if not words.isdisjoint(_QUARTER_WORDS) else ():
        number = int(match[1]) if match[1] else ORDINALS[match[2].rsplit(None, 1)[0].lower()]
        if taken.free(match.start(), match.end()):
            found.append((*match.span(), (Moment(0, 0, quarter=number),)))
    months = words.intersection(MONTHS)
    if not months:
        return found
    named = [_month_names(answer, lower, months)]
    if "|" in answer:
        named.append(_MONTH_CELL.finditer(answer))
    for matches in named:
        for match in matches:
            group = match.lastindex or 0
            start, end = match.span(group)
            name = match[group]
            if taken.free(start, end) and not (name.lower() == "may" and name[0] == "m"):
                taken.add(start, end)
                month = Moment(0, 0, _year_after(answer, end, figures), MONTHS[name.lower()])
                found.append((start, end, (month,)))
    return found


def _month_names(answer: str, lower: str, months: frozenset[str]) -> Iterator[re.Match[str]]:
    """The matches of _MONTH_NAME in order, tried where one of *months*, the words of *lower* that may be one, stands."""
    if len(lower) != len(answer) or _OTHER_SCRIPT.search(answer):
        yield from _MONTH_NAME.finditer(answer)
        return
    places = set()
    for month in months:
        position = lower.find(month)
        while position >= 0:
            places.add(position)
            position = lower.find(month, position + len(month))
    for position in sorted(places):
        match = _MONTH_NAME.match(answer, position)
        if match:
            yield match


class _Taken:
    """The stretches of the text that already are a period."""

    def __init__(self, found: list[tuple[int, int, tuple[Moment, ...]]]) -> None:
        self.spans = [(start, end) for start, end, _ in found]
        self.starts = {place for start, end in self.spans for place in range(start, min(end, start + 60))}

    def free(self, start: int, end: int) -> bool:
        return self.starts.isdisjoint(range(start, end))

    def add(self, start: int, end: int) -> None:
        self.starts.update(range(start, end))


def _year_after(answer: str, end: int, figures: list[Figure]) -> int | None:
    """The year that a month shares with a later one (``May and June 2024``)."""
    for figure in figures:
        if end < figure.start <= end + 40:
            moment = figure.moment
            month = moment is not None and moment.month is not None and moment.day is None
            return moment.year if moment and month and _JOINT.fullmatch(answer, end, figure.start) else None
    return None


def _week_of_month(match: re.Match[str]) -> tuple[Moment, ...]:
    month, year = MONTHS[match[2].lower()], _int(match[3])
    last = monthrange(year or 2000, month)[1]
    word = match[1].lower()
    first = last - 6 if word == "last" else (ORDINALS[word] - 1) * 7 + 1
    return tuple(Moment(0, 0, year, month, day) for day in range(first, first + 7))


def parts(moment: Moment) -> tuple[Moment, ...]:
    """A moment without its place in the text; the days or weeks of a range."""
    bare = moment._replace(start=0, end=0)
    if bare.first_day is not None and bare.day is not None and 0 < bare.day - bare.first_day < MAX_PARTS:
        return tuple(bare._replace(first_day=None, day=day) for day in range(bare.first_day, bare.day + 1))
    if bare.last_week is not None and bare.week is not None and 0 < bare.last_week - bare.week < MAX_PARTS:
        return tuple(bare._replace(last_week=None, week=week) for week in range(bare.week, bare.last_week + 1))
    return (bare,)


def _weekdays(answer: str, evidence: Evidence, dated: list[Mention]) -> list[Mention]:
    """Weekdays, but for those that the answer itself gives a date, where the rows are days."""
    out: list[Mention] = []
    near = {mention.start + gap for mention in dated for gap in range(-4, 5)}
    days = [(found.start(), found.end(), found[1].lower()) for found in _WEEKDAY.finditer(answer)]
    told = {name for _, end, name in days if end in near}
    for begin, end, name in days:
        number = WEEKDAYS[name]
        if name in told or len(out) >= MAX_MENTIONS:
            continue
        evidence.spend(2 * len(evidence.moments))
        cells = [cell for moment, cell in evidence.moments if (day := ordinal(moment)) and (day - 1) % 7 == number]
        if cells:
            out.append(Mention(begin, end, cells, period=True))
    return out


def ordinal(moment: Moment) -> int | None:
    """The number of a full date's day; None for anything else."""
    if moment.year is None or moment.month is None or moment.day is None:
        return None
    try:
        return date(moment.year, moment.month, moment.day).toordinal()
    except ValueError:
        return None


def days(moment: Moment) -> tuple[int, int] | None:
    """The numbers of the first and the last day of a dated period; None where it has no year, or there is no such day."""
    if moment.year is None:
        return None
    try:
        if moment.week is not None:
            first = date.fromisocalendar(moment.year, moment.week, 1).toordinal()
            last = date.fromisocalendar(moment.year, moment.last_week or moment.week, 7).toordinal()
            return first, last
        if moment.quarter is not None:
            return _months(moment.year, moment.quarter * 3 - 2, moment.quarter * 3)
        if moment.month is None:
            return date(moment.year, 1, 1).toordinal(), date(moment.last_year or moment.year, 12, 31).toordinal()
        if moment.day is None:
            return _months(moment.year, moment.month, moment.month)
        last = date(moment.year, moment.month, moment.day).toordinal()
        return date(moment.year, moment.month, moment.first_day or moment.day).toordinal(), last
    except ValueError:
        return None


def _months(year: int, first: int, last: int) -> tuple[int, int]:
    return date(year, first, 1).toordinal(), date(year, last, monthrange(year, last)[1]).toordinal()


def _int(text: str | None) -> int | None:
    return int(text) if text else None
