"""
Dates, months, quarters and clock times in text: one scanner for answers, questions, definitions and cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from monitor.checks.grounded.text.calendarwords import LATIN_MONTHS, MONTHS, ORDINALS, OTHER_MONTHS, WEEKDAYS
from monitor.checks.grounded.text.names import plain_lower
from monitor.checks.grounded.text.zones import minute_in
from monitor.remember import remembered

_MONTH = rf"(?:{'|'.join(sorted(LATIN_MONTHS, key=len, reverse=True))})"
_YEAR = r"(?:19|20)\d\d"
_PAST = r"(?:1[89]|20)\d\d"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_OTHER_SCRIPT = re.compile("[\u0600-\u06ff\u0900-\u097f]")
_OTHER_DATE = re.compile(
    rf"(?<!\d)(?:(?P<d1>{_DAY})\s)?(?P<m1>{'|'.join(sorted(OTHER_MONTHS, key=len, reverse=True))})(?:[,،]?\s(?P<y1>{_YEAR}))?(?!\d)"
)
_TO = r"\s?(?:[–-]|to|bis|au|a|al|tot)\s?"
_COMMA = r"(?:\s?,\s?|\s)"
_ORDINAL = rf"(?:{'|'.join(re.escape(name) for name in sorted(ORDINALS, key=len, reverse=True))})"
QUARTER = rf"{_ORDINAL}\s(?:quarter|quartals?|trimestre|kwartaal|kvartal(?:et)?|kwartału?|kwartale)"
"""A quarter in words."""
_SCAN = re.compile(
    rf"""(?<![\w.])(?<!\d:)(?:
    (?P<iso>{_YEAR}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?|{_YEAR}\s-\s(?:0[1-9]|1[0-2])\s-\s(?:0[1-9]|[12]\d|3[01]))
        (?:[T\s](?P<isotime>[012]\d:[0-5]\d)(?::[0-5]\d)?(?:\.\d{{1,9}})?\s?(?P<zone>Z|[+-]\d\d:?\d\d|UTC)?)?(?![\w-])
  | (?P<y6>{_YEAR}),?\s(?P<m3>{_MONTH})\b\.?(?:\s(?P<d4>{_DAY})(?![\w:%]|[.,]\d))?
  | (?P<wy>{_YEAR})-?W(?P<w1>[0-5]?\d)
  | (?:weeks?|kw|kalenderwoche|semaine|semana|vecka|settimana)\s(?P<w2>[0-5]?\d)(?:\s?[–-]\s?(?P<w3>[0-5]?\d))?(?![.,:%]?\d|%)
        (?:(?:\sof\s|\s?[/,]\s?|\s)(?P<wy2>{_YEAR}))?
  | FY\s?(?P<fy>{_YEAR}|\d\d)(?:/(?P<fy2>\d\d))?
  | (?P<ys>{_YEAR})(?:[/–-]|\s-\s)(?P<ye>\d\d)
  | (?P<a>\d{{1,2}})(?P<sep>[/.]|\s/\s|\.\s)(?P<b>\d{{1,2}})(?P=sep)(?P<y>{_YEAR}|\d\d)(?![\w/])
  | (?:(?P<d0>{_DAY})(?:st|nd|rd|th|\.)?{_TO})?(?P<d1>{_DAY})(?:st|nd|rd|th|\.|º|er)?\s(?:of\s|de\s)?(?P<m1>{_MONTH})\b\.?
        (?:{_COMMA}(?:de\s|del\s)?(?P<y1>{_PAST}))?
  | (?P<m2>{_MONTH})\b\.?\s(?:(?P<d2>{_DAY})(?:st|nd|rd|th)?(?:{_TO}(?P<d3>{_DAY})(?:st|nd|rd|th)?)?(?![\d:%.,]\d|\d|\s?%|\s?[€$])
        (?:{_COMMA}(?P<y2>{_PAST}))?|(?:de\s|of\s)?(?P<y3>{_YEAR}))
  | (?P<m4>{_MONTH})(?:[-’']|\s[’'])(?P<y8>{_YEAR}|\d\d)(?![-\d])
  | (?P<mo>0[1-9]|1[0-2])/(?P<y9>{_YEAR})
  | (?P<q>[QT][1-4])(?:\s?[-/]\s?|\s(?:of\s)?|[’'](?=\d\d\b))?(?P<y4>{_YEAR}|(?<=[’'])\d\d)
  | (?P<y5>{_YEAR})(?:\s?-\s?|,?\s)?(?P<q2>[QT][1-4])
  | (?P<q3>[1-4])Q\s?(?P<y10>{_YEAR}|\d\d)
  | (?P<qw>{_ORDINAL})\s(?:quarter|quartals?|trimestre|kwartaal|kvartal(?:et)?|kwartału?|kwartale)\s(?:of\s|de\s|del\s)?(?P<y7>{_YEAR})
  | (?P<hh>[01]?\d|2[0-3]):(?P<mm>[0-5]\d)(?:\s?(?P<ap>[ap]\.?m\b\.?))?(?:\s?(?P<zone2>Z|UTC)\b)?(?![\w]|[:.]\d)
  | (?P<h2>1[0-2]|0?[1-9])\s?(?P<ap2>[ap]\.?m\b\.?)(?!\w)
    )(?!\w)
  | (?P<cy2>{_YEAR})年(?:度)?第?(?P<cq>[1-4])(?:四半期|季度)
  | (?P<cy>{_YEAR})年(?:(?P<cm>1[0-2]|0?[1-9])月(?:(?P<cd>{_DAY})日)?)?
  | (?<!\d)(?P<cm2>1[0-2]|0?[1-9])月(?P<cd2>{_DAY})日""",
    re.IGNORECASE | re.VERBOSE,
)


class Moment(NamedTuple):
    """
    A date, week, month, quarter, year span or clock time with its span in the text. Unknown parts are None.

    *first_day* is where a range of days starts, *last_year* where one of years ends (``2016-17``), *last_week* likewise;
    *swapped* marks a date that can be read day first or month first; *minute* counts from midnight, *offset* is the zone's, *local* says that
    the text gives it in another zone than the evidence, and *zone* in which, where it says so.
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    minute: int | None = None
    first_day: int | None = None
    swapped: bool = False
    week: int | None = None
    last_year: int | None = None
    last_week: int | None = None
    offset: int | None = None
    local: bool = False
    zone: str = ""

    def iso(self) -> str:
        """The moment as ISO 8601 writes it, as far as it is known: ``2026-01-03``, ``2024-Q2``, ``2026-W19``, ``07:30``."""
        day = (
            ""
            if self.year is None and self.month is None and self.week is None and self.quarter is None
            else (f"{self.year:04d}" if self.year is not None else "-")
        )
        if self.quarter is not None:
            day += f"-Q{self.quarter}"
        elif self.week is not None:
            day += f"-W{self.week:02d}"
        elif self.month is not None:
            day += f"-{self.month:02d}" + (f"-{self.day:02d}" if self.day is not None else "")
        if self.last_year is not None:
            day += f"/{self.last_year:04d}"
        clock = "" if self.minute is None else f"{self.minute // 60:02d}:{self.minute % 60:02d}"
        return "T".join(part for part in (day, clock) if part)

    def agrees(self, other: Moment) -> bool:
        """Whether *other* (from the evidence) can be what this one states: no stated part differs, none is missing."""
        if self.minute is not None:
            if not self._same_time(other):
                return False
            if self.year is None and self.month is None:
                return True
        if self.week is not None:
            return self._same_week(other)
        if self.year is not None and not _from_to(self.year, other):
            return other.year is None and self.month is not None and self._same_day(other)
        if self.quarter is not None:
            return (other.quarter or (other.month and (other.month + 2) // 3)) == self.quarter
        if self.month is not None and other.month is None:
            return other.quarter is not None and (self.month + 2) // 3 == other.quarter and self.day is None
        return (self.year is not None or self.month is not None) and self._same_day(other)

    def _same_time(self, other: Moment) -> bool:
        if other.minute is None or self.minute is None:
            return False
        if self.zone and other.offset is not None and other.year and other.month and other.day:
            return self.minute == minute_in(self.zone, other.year, other.month, other.day, other.minute, other.offset)
        if self.local and other.offset is not None:
            return (self.minute - other.minute) % 60 == 0
        if self.offset is not None and other.offset is not None:
            return (self.minute - self.offset - other.minute + other.offset) % 1440 == 0
        return other.minute == self.minute

    def _same_week(self, other: Moment) -> bool:
        year, week = other.year, other.week
        if week is None and year is not None and other.month is not None and other.day is not None:
            try:
                year, week, _ = date(year, other.month, other.day).isocalendar()
            except ValueError:
                return False
        if week is None or self.week is None:
            return False
        return self.week <= week <= (self.last_week or self.week) and (self.year is None or year in (None, self.year))

    def _same_day(self, other: Moment) -> bool:
        if self.day is None:
            return self.month is None or self.month in (other.month, other.day if other.swapped else other.month)
        if (self.month, self.day) == (other.month, other.day):
            return True
        return (self.swapped or other.swapped) and (self.day, self.month) == (other.month, other.day)

    @property
    def order(self) -> tuple[int, ...]:
        """A key that sorts moments in time."""
        month = self.month or (self.quarter or 0) * 3
        return (self.year or 0, month, self.week or 0, self.day or 0, self.minute or 0)


def shared_parts(one: Moment, other: Moment) -> list[tuple[int, int]]:
    """The parts (year, month, day, quarter, week, time) that two moments both state."""
    both = [
        (one.year, other.year),
        (one.month, other.month),
        (one.day, other.day) if one.month is not None and other.month is not None else (None, None),
        (one.quarter, other.quarter or (None if other.month is None else (other.month + 2) // 3)),
        (one.week, other.week),
        (one.minute, other.minute),
    ]
    if one.swapped or other.swapped:
        both[1] = both[2] = (None, None)
    return [(a, b) for a, b in both if a is not None and b is not None]


def _from_to(year: int, other: Moment) -> bool:
    """Whether *other* is of *year*, or from a year before to one after it."""
    if other.year is None:
        return False
    return other.year <= year <= (other.last_year or other.year)


_TOKEN = re.compile(r"[^\W_]+")
_WITH_DIGITS = re.compile(r"\d(?<![^\W_]\d)[^\W_]*")
_ORDINALS = frozenset(ORDINALS)
_SHORT_QUARTERS = [letter + number for letter in "qt" for number in "1234"]
_LEADS = frozenset(name[:3] for name in MONTHS) | frozenset(
    [
        "wee",
        "kal",
        "sem",
        "vec",
        "set",
        "kw",
        "fy",
        "qua",
        "tri",
        "kwa",
        "kva",
        *(f"fy{digit}" for digit in range(10)),
        *_SHORT_QUARTERS,
    ]
)
_QUARTER_STARTS = frozenset("qtkQTK")
_JOINTS = frozenset(["to", "bis", "au", "a", "al", "tot", "of", "de", "am", "pm", *_SHORT_QUARTERS])


def find_moments(text: str) -> list[Moment]:
    """Every date, month with a day or year, quarter with a year, and clock time in *text*, in order."""
    if "年" in text or "月" in text:
        return [moment for found in _SCAN.finditer(text) if (moment := _moment(found)) is not None]
    out = _find(text)
    if not text.isascii() and _OTHER_SCRIPT.search(text):
        dated = [found for found in _OTHER_DATE.finditer(text) if found["d1"] or found["y1"]]
        out += [_day_month(_given(found), *found.span()) for found in dated]
        out.sort(key=lambda moment: moment.start)
    return out


def _find(text: str) -> list[Moment]:
    out: list[Moment] = []
    end = 0
    for start in _places(text):
        found = _SCAN.match(text, start) if start >= end else None
        moment = _moment(found) if found else None
        if found and moment is not None:
            out.append(moment)
            end = found.end()
    return out


def _places(text: str) -> list[int]:
    """Where a date or time may begin: at a number that goes on as one does, or a word that leads one."""
    lower = plain_lower(text)
    words = _TOKEN.findall(lower)
    if not _ORDINALS.isdisjoint(words):
        return [token.start() for token in _TOKEN.finditer(text) if _leads(text, token[0], token.end())]
    numbers = [n for n in _WITH_DIGITS.finditer(text) if _continues(text, n[0], n.end())]
    places = [number.start() for number in numbers]
    for lead in _LEADS.intersection([word[:3] for word in words]):
        position = lower.find(lead)
        while position >= 0:
            if not lower[position - 1 : position].isalnum():
                places.append(position)
            position = lower.find(lead, position + 1)
    return sorted(places)


def _leads(text: str, word: str, end: int) -> bool:
    """Whether a word that ends at *end* may begin a date or time."""
    if word[0].isdigit():
        return _continues(text, word, end)
    if word[:3].lower() in _LEADS:
        return True
    return text[end + 1 : end + 2] in _QUARTER_STARTS and word.lower() in _ORDINALS


def _continues(text: str, number: str, end: int) -> bool:
    """Whether a number that ends at *end* can begin a date or time, by what follows it."""
    if not number.isdigit():
        return True
    following = text[end : end + 1]
    if not following or len(number) > 4:
        return False
    if following in "-–/:":
        return True
    if following == ".":
        return text[end + 1 : end + 2] in _AFTER_POINT or _POINTED.match(text, end) is not None
    if following not in " ,º":
        return False
    comma = following == "," and len(number) == 4 and text[end + 1 : end + 2] == " "
    word = _TOKEN.match(text, end + 2 if comma else end + 1)
    if word is None:
        return text[end + 1 : end + 2] in _DASHES
    lower = word[0].lower()
    return lower[:3] in _LEADS or lower in _JOINTS


_DASHES = frozenset("-–/")
_AFTER_POINT = frozenset(" º")
_POINTED = re.compile(r"\.\d{1,2}\.\d")
"""What follows the day in a date with points; a decimal has one point only."""


def _given(found: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in found.groupdict().items() if value is not None}


def _moment(found: re.Match[str]) -> Moment | None:
    get = _given(found)
    start, end = found.span()
    for name, build in _BUILDERS.items():
        if name in get:
            return build(get, start, end)
    return None


def _iso(get: dict[str, str], start: int, end: int) -> Moment | None:
    parts = [int(part) for part in get["iso"].split("-")]
    time = get.get("isotime")
    minute = int(time[:2]) * 60 + int(time[3:5]) if time else None
    day = parts[2] if len(parts) > 2 else None
    return Moment(start, end, parts[0], parts[1], day, minute=minute, offset=_offset(get.get("zone")))


def _offset(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone.upper() in ("Z", "UTC"):
        return 0
    digits = zone[1:].replace(":", "")
    return (1 if zone[0] == "+" else -1) * (int(digits[:2]) * 60 + int(digits[2:]))


def _span_of_years(get: dict[str, str], start: int, end: int) -> Moment | None:
    first = int(get["ys"])
    last = first // 100 * 100 + int(get["ye"])
    if last < first and int(get["ye"]) == (first + 1) % 100:
        last += 100
    return Moment(start, end, first, last_year=last) if first < last <= first + 60 else None


def _fiscal(get: dict[str, str], start: int, end: int) -> Moment | None:
    year = _full(get["fy"])
    return Moment(start, end, year, last_year=year // 100 * 100 + int(get["fy2"]) if "fy2" in get else None)


def _day_month(get: dict[str, str], start: int, end: int) -> Moment:
    first = _int(get.get("d0"))
    return Moment(start, end, _int(get.get("y1")), MONTHS[get["m1"].lower()], _int(get.get("d1")), first_day=first)


def _month_day(get: dict[str, str], start: int, end: int) -> Moment | None:
    last, first = get.get("d3") or get.get("d2"), get.get("d2") if "d3" in get else None
    year = _int(get.get("y2") or get.get("y3"))
    return Moment(start, end, year, MONTHS[get["m2"].lower()], _int(last), first_day=_int(first))


def _year_first(get: dict[str, str], start: int, end: int) -> Moment | None:
    if not get["m3"][0].isupper():
        return None
    return Moment(start, end, int(get["y6"]), MONTHS[get["m3"].lower()], _int(get.get("d4")))


def _month_of_year(get: dict[str, str], start: int, end: int) -> Moment | None:
    month = int(get["mo"]) if "mo" in get else MONTHS[get["m4"].lower()]
    return Moment(start, end, _full(get.get("y8") or get["y9"]), month)


def _quarter(get: dict[str, str], start: int, end: int) -> Moment | None:
    year = _full(get.get("y4") or get.get("y5") or get.get("y7") or get.get("cy2") or get["y10"])
    if "qw" in get:
        return Moment(start, end, year, quarter=ORDINALS[get["qw"].lower()])
    return Moment(start, end, year, quarter=int((get.get("q") or get.get("q2") or get.get("cq") or get["q3"])[-1]))


def _week(get: dict[str, str], start: int, end: int) -> Moment | None:
    year, week = _int(get.get("wy") or get.get("wy2")), int(get.get("w1") or get["w2"])
    return Moment(start, end, year, week=week, last_week=_int(get.get("w3")))


def _east_asian(get: dict[str, str], start: int, end: int) -> Moment | None:
    return Moment(
        start, end, _int(get.get("cy")), _int(get.get("cm") or get.get("cm2")), _int(get.get("cd") or get.get("cd2"))
    )


def _numeric(get: dict[str, str], start: int, end: int) -> Moment | None:
    a, b, full = int(get["a"]), int(get["b"]), _full(get["y"])
    if len(get["y"]) == 2 and len(get["sep"]) > 1:
        return None
    if a > 12 and 1 <= b <= 12:
        return Moment(start, end, full, b, a) if a <= 31 else None
    if b > 12 and 1 <= a <= 12:
        return Moment(start, end, full, a, b) if b <= 31 else None
    if not (1 <= a <= 12 and 1 <= b <= 12):
        return None
    return Moment(start, end, full, a, b, swapped=a != b)


def _time(get: dict[str, str], start: int, end: int) -> Moment | None:
    hour, minute = int(get.get("hh") or get["h2"]), int(get.get("mm") or 0)
    half = get.get("ap") or get.get("ap2")
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    return Moment(start, end, minute=hour * 60 + minute, offset=0 if "zone2" in get else None)


_BUILDERS: dict[str, Callable[[dict[str, str], int, int], Moment | None]] = {
    "iso": _iso, "m3": _year_first, "m4": _month_of_year, "mo": _month_of_year, "q3": _quarter, "qw": _quarter, "cq": _quarter, "w1": _week, "w2": _week, "fy": _fiscal, "ys": _span_of_years, "a": _numeric, "m1": _day_month,
    "m2": _month_day, "q": _quarter, "q2": _quarter, "hh": _time, "h2": _time, "cy": _east_asian, "cm2": _east_asian,
}  # fmt: skip


def _int(text: str | None) -> int | None:
    return int(text) if text else None


def _full(year: str) -> int:
    """A year of two or four digits."""
    return int(year) if len(year) == 4 else 2000 + int(year)


WEEKDAY_START = re.compile(rf"(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})\b\.?\s?,?\s?", re.IGNORECASE)
_CLOCK = re.compile(r"([012]?\d:[0-5]\d)(?::[0-5]\d)?(?:\s?\+[1-3])?")
"""A clock time, of a later day perhaps (``00:30:00+1``)."""


_NOTE = re.compile(r"\s?\([^()]{1,30}\)")
_BARE_YEAR = re.compile(r"(?<![\d.,/-])(?:1[5-9]|20)\d\d(?![\d%]|[.,]\d)")


@remembered(16_384)
def moments_within(text: str) -> tuple[Moment, ...]:
    """The dates, periods and bare years that stand in a longer text such as a note, in order."""
    found = find_moments(text)
    spans = [(moment.start, moment.end) for moment in found]
    years = [year for year in _BARE_YEAR.finditer(text) if not any(a <= year.start() < b for a, b in spans)]
    found += [Moment(year.start(), year.end(), int(year[0])) for year in years]
    return tuple(sorted(found))


@remembered(16_384)
def moment_of(text: str) -> Moment | None:
    """The date or time that a short text (a cell, an argument) is, as a whole; None when it is none."""
    stripped = text.strip()
    if not stripped:
        return None
    name = MONTHS.get(stripped.lower().rstrip("."))
    if name:
        return Moment(0, len(text), month=name)
    if not any(char.isdigit() for char in stripped):
        return None
    day = WEEKDAY_START.match(stripped) if stripped[0].isalpha() else None
    if day:
        stripped = stripped[day.end() :]
    clock = _CLOCK.fullmatch(stripped)
    found = _SCAN.match(clock[1] if clock else stripped)
    if clock:
        return _moment(found) if found else None
    if found and found.end() < len(stripped) - 1 and not _NOTE.fullmatch(stripped, found.end()):
        return None
    return _moment(found) if found else None
