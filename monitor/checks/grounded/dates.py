"""
Dates, months, quarters and clock times in text: one scanner for answers, questions, definitions and cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_MONTHS = (
    "january jan januar janvier enero gennaio janeiro januari janv",
    "february feb februar février fevrier febrero febbraio fevereiro februari févr",
    "march mar märz maerz mars marzo março maart mrz",
    "april apr avril abril aprile avr",
    "may mai mayo maggio maio mei",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet julio luglio julho juil",
    "august aug août aout agosto augustus augusti",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober octobre octubre ottobre outubro okt",
    "november nov novembre noviembre novembro",
    "december dec dezember décembre decembre diciembre dicembre dezembro december dez déc",
)
MONTHS: dict[str, int] = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SCAN = re.compile(
    rf"""(?<![\w.])(?:
    (?P<iso>{_YEAR}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)
        (?:[T\s](?P<isotime>[012]\d:[0-5]\d(?::[0-5]\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d|\sUTC)?)?(?![\w-])
  | (?P<a>\d{{1,2}})(?P<sep>[/.])(?P<b>\d{{1,2}})(?P=sep)(?P<y>{_YEAR}|\d\d)(?![\w/])
  | (?:(?P<d0>{_DAY})(?:st|nd|rd|th|\.)?\s?[–-]\s?)?(?P<d1>{_DAY})(?:st|nd|rd|th|\.|º|er)?\s(?:of\s|de\s)?(?P<m1>{_MONTH})\b\.?
        (?:,?\s(?:de\s|del\s)?(?P<y1>{_YEAR}))?
  | (?P<m2>{_MONTH})\b\.?\s(?:(?P<d2>{_DAY})(?:st|nd|rd|th)?(?:\s?[–-]\s?(?P<d3>{_DAY})(?:st|nd|rd|th)?)?(?![\d:%.,]\d|\d|%)
        (?:,?\s(?P<y2>{_YEAR}))?|(?:de\s|of\s)?(?P<y3>{_YEAR}))
  | (?P<q>Q[1-4])[\s-]?(?P<y4>{_YEAR})
  | (?P<y5>{_YEAR})[\s-]?(?P<q2>Q[1-4])
  | (?P<hh>[01]?\d|2[0-3])[:](?P<mm>[0-5]\d)(?::(?P<ss>[0-5]\d))?(?:\s?(?P<ap>[ap]\.?m\b\.?))?(?![\w:])
  | (?P<h2>1[0-2]|0?[1-9])\s?(?P<ap2>[ap]\.?m\b\.?)(?!\w)
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_CLUE = re.compile(rf"[:/]\d|\d\.\d+\.\d|-\d\d|Q[1-4]|\d\s?[ap]\.?m\b|\b{_MONTH}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """
    A date, month, quarter or clock time with its span. Unknown parts are None.

    *others* are further readings of the same text (day and month swapped, the first day of a range).
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

    def agrees(self, other: Moment) -> bool:
        """Whether *other* (from the evidence) can be what this one states: no stated part differs, none is missing."""
        if self.minute is not None:
            if self.year is None:
                return other.minute == self.minute
            if other.minute is not None and other.minute != self.minute:
                return False
        if self.month is None and self.quarter is None and self.year is None:
            return False
        if self.year is not None and other.year is not None and self.year != other.year:
            return False
        if self.year is not None and other.year is None and self.month is None:
            return False
        if self.quarter is not None:
            found = other.quarter or (other.month and (other.month + 2) // 3)
            return found == self.quarter and other.year == self.year
        if self.month is not None and other.month is None:
            return other.quarter is not None and (self.month + 2) // 3 == other.quarter and self.day is None
        pairs = {(self.month, self.day)} | ({(self.day, self.month)} if self.swapped else set())
        wanted = {(other.month, other.day)} | ({(other.day, other.month)} if other.swapped else set())
        if self.day is None:
            return self.month is None or any(month == self.month for month, _ in wanted)
        return bool(pairs & wanted)


def find_moments(text: str) -> list[Moment]:
    """Every date, month with a day or year, quarter with a year, and clock time in *text*, in order."""
    if not _CLUE.search(text):
        return []
    return [moment for found in _SCAN.finditer(text) if (moment := _moment(found)) is not None]


def _moment(found: re.Match[str]) -> Moment | None:
    get = found.groupdict().get
    span = {"start": found.start(), "end": found.end()}
    if get("iso"):
        parts = [int(part) for part in found["iso"].split("-")]
        day = parts[2] if len(parts) > 2 else None
        return Moment(**span, year=parts[0], month=parts[1], day=day, minute=_minutes(get("isotime")))
    if get("a"):
        return _numeric(int(found["a"]), int(found["b"]), found["y"], span)
    if get("m1"):
        first = int(found["d0"]) if get("d0") else None
        return Moment(
            **span, year=_int(get("y1")), month=MONTHS[found["m1"].lower()], day=int(found["d1"]), first_day=first
        )
    if get("m2"):
        last, first = get("d3") or get("d2"), get("d2") if get("d3") else None
        year = _int(get("y2") or get("y3"))
        return Moment(**span, year=year, month=MONTHS[found["m2"].lower()], day=_int(last), first_day=_int(first))
    if get("q") or get("q2"):
        return Moment(**span, year=_int(get("y4") or get("y5")), quarter=int((get("q") or found["q2"])[1]))
    if get("hh"):
        return Moment(**span, minute=_clock(int(found["hh"]), int(found["mm"]), get("ap")))
    return Moment(**span, minute=_clock(int(found["h2"]), 0, get("ap2")))


def _numeric(a: int, b: int, year: str, span: dict[str, int]) -> Moment | None:
    full = int(year) if len(year) == 4 else 2000 + int(year)
    if a > 12 and b <= 12:
        return Moment(**span, year=full, month=b, day=a) if a <= 31 else None
    if b > 12 and a <= 12:
        return Moment(**span, year=full, month=a, day=b) if b <= 31 else None
    if not (1 <= a <= 12 and 1 <= b <= 12):
        return None
    return Moment(**span, year=full, month=a, day=b, swapped=a != b)


def _clock(hour: int, minute: int, half: str | None) -> int:
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    return hour * 60 + minute


def _minutes(time: str | None) -> int | None:
    return int(time[:2]) * 60 + int(time[3:5]) if time else None


def _int(text: str | None) -> int | None:
    return int(text) if text else None


@lru_cache(maxsize=65_536)
def moment_of(text: str) -> Moment | None:
    """The date or time that a short text (a cell, an argument) is, as a whole; None when it is none."""
    if not text or not (text[0].isdigit() or text[0] in "Qq" or text[:3].lower() in MONTHS or text.lower() in MONTHS):
        return None
    stripped = text.strip()
    name = MONTHS.get(stripped.lower())
    if name:
        return Moment(0, len(text), month=name)
    found = _SCAN.match(stripped)
    return _moment(found) if found and found.end() >= len(stripped) - 1 else None
