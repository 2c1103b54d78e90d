"""
The time between two dates or clock times: days, hours or minutes that the answer counts itself.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import combinations

from monitor.checks.grounded import match
from monitor.checks.grounded.claims.yearcells import YearCells
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.arithmetic import found
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import clean, column_label, row_label
from monitor.checks.grounded.sources import Found, Sources
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.dates import Moment
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import stem

MAX_MOMENTS = 40
_WORDS = {
    "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken vecka veckor",
    "month": "month months monat monate monaten mois mes meses mese mesi maand maanden månad månader",
    "quarter": "quarter quarters quartal quartale quartalen trimestre trimestres kwartaal kwartalen kvartal",
    "year": "year years jahr jahre jahren an ans année années año años anno anni jaar år",
}
_LONG = {stem(word): unit for unit, words in _WORDS.items() for word in words.split()}
_OF_A_DAY = ("h", "min")
"""What lies between two dates without times is counted in days, not in these."""
_APART = re.compile(r"\b(?:from|between|von|zwischen|de|entre|van|tussen)\s", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:first|earliest|oldest|erste\w*|älteste\w*|premi\w+|primer\w*|eerste|oudste)\b", re.IGNORECASE
)
_LAST = re.compile(
    r"\b(?:last|latest|newest|most recent|letzte\w*|neueste\w*|derni\w+|últim\w+|laatste|nieuwste)\b", re.IGNORECASE
)
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "min": 60.0}


class Spans:
    """Looks for figures that count the time between moments of the sentence, the rows it names, or the query's period."""

    def __init__(self, evidence: Evidence, sources: Sources) -> None:
        self.evidence, self.sources = evidence, sources
        self.years = YearCells(evidence)

    def explain(self, view: View) -> Found | None:
        """The two moments so far apart, or the filter so long; None where there are none, or the figure is no duration."""
        word = _LONG.get(view.after[0]) if view.after and not view.figure.unit else None
        apart = self._from_to(view) or (self._years_apart(view) if word == "year" else None)
        if apart or (view.figure.unit not in _SECONDS and word is None):
            return apart
        for start, end in self.sources.filters.periods:
            if _fits(view.figure, word, _lengths(start, end)):
                return found("span", "the length of the query's own period")
        moments = self._moments(view)
        self.evidence.spend(len(moments) ** 2)
        for index, (first, one) in enumerate(moments):
            for second, other in moments[index + 1 :]:
                timed = first.minute is not None and second.minute is not None
                if (timed or view.figure.unit not in _OF_A_DAY) and _fits(view.figure, word, _apart(first, second)):
                    return found("span", f"the time between {one} and {other}")
        return None

    def _from_to(self, view: View) -> Found | None:
        """How far two named rows lie apart in a column of the figure's unit (``2.7 km from A to B``)."""
        if view.figure.unit in ("", units.PERCENT, "ratio") or not _APART.search(view.sentence.text):
            return None
        for t, table in enumerate(self.evidence.tables):
            rows = [rows for rows in view.named(t).wide if len(rows) == 1]
            if len(rows) != 2:
                continue
            for c in range(min(len(table.columns), MAX_MOMENTS)):
                one, other = (self.evidence.value(Cell(t, min(row), c)) for row in rows)
                unit = table.units[c].unit
                if one is None or other is None or unit != view.figure.unit:
                    continue
                if match.fits(view.figure, abs(one - other), unit):
                    return found("difference", f"the difference of two rows' {column_label(table, c)}")
        return None

    def _years_apart(self, view: View) -> Found | None:
        """Years between two that the named row holds, or between the first and the last of a column, where the words say so."""
        ends = _FIRST.search(view.sentence.text) is not None and _LAST.search(view.sentence.text) is not None
        for t, table in enumerate(self.evidence.tables):
            rows = [min(rows) for rows in view.named(t).wide if len(rows) == 1]
            for row in dict.fromkeys(rows[:2]):
                years = sorted(year for c in range(len(table.columns)) for year in self.years.column(t, c).get(row, ()))
                self.evidence.spend(len(years) ** 2)
                if any(match.fits(view.figure, float(b - a)) for a, b in combinations(years[:MAX_MOMENTS], 2)):
                    return found("span", f"the years between two dates of {row_label(self.evidence, t, row)}")
            for c in range(len(table.columns)) if ends else ():
                years = sorted(year for held in self.years.column(t, c).values() for year in held)
                if years and match.fits(view.figure, float(years[-1] - years[0])):
                    return found("span", f"the years from the first to the last {column_label(table, c)}")
        return None

    def _moments(self, view: View) -> list[tuple[Moment, str]]:
        """The dates and the times at hand, with what people call them; those of a table's only row need no name."""
        out = [(f.moment, f.text) for f in view.sentence.figures() if f.moment]
        out += [
            (value, f"the query's own {name}") for name, value in self.sources.arguments() if isinstance(value, Moment)
        ]
        self.evidence.spend(len(self.evidence.moments))
        for moment, cell in self.evidence.moments:
            only = len(self.evidence.tables[cell.table].rows) == 1
            if only or any(cell.row in rows for rows in (*view.named(cell.table).wide, view.named(cell.table).rows)):
                out.append((moment, clean(str(self.evidence.raw(cell)))))
        return out[:MAX_MOMENTS]


def _fits(figure: Figure, word: str | None, lengths: list[tuple[str, float]]) -> bool:
    """Whether a figure with a unit of time, or with the *word* week, month, quarter or year after it, is one of *lengths*."""
    if word is None:
        return any(unit == "s" and match.fits(figure, value, "s") for unit, value in lengths)
    return any(unit == word and match.fits(figure, value) for unit, value in lengths)


def _lengths(first: int, last: int) -> list[tuple[str, float]]:
    """How long a period of days *first* to *last*, both included, is: in seconds and in the units of a calendar."""
    start, end = date.fromordinal(first), date.fromordinal(last + 1)
    return [("s", (last + 1 - first) * 86_400.0), *_calendar(start, end)]


def _calendar(start: date, end: date) -> list[tuple[str, float]]:
    """Whole weeks, months, quarters and years from *start* to *end*, the later one."""
    out = []
    days = (end - start).days
    if days % 7 == 0:
        out.append(("week", days / 7))
    months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day and months:
        out.append(("month", float(months)))
        out += [("quarter", months / 3)] if months % 3 == 0 else []
        out += [("year", months / 12)] if months % 12 == 0 else []
    return out


def _apart(a: Moment, b: Moment) -> list[tuple[str, float]]:
    """How far apart two moments are: whole days (also with both ends counted), the time of day, months or years."""
    if a.month is None and b.month is None and a.year and b.year:
        return [("year", float(abs(a.year - b.year)))]
    return [("s", seconds) for seconds in _seconds(a, b)] + _dates_apart(a, b)


def _dates_apart(a: Moment, b: Moment) -> list[tuple[str, float]]:
    first, second = _ordinal(a), _ordinal(b)
    if first is None or second is None or first == second:
        return []
    return _calendar(date.fromordinal(min(first, second)), date.fromordinal(max(first, second)))


def _seconds(a: Moment, b: Moment) -> list[float]:
    first, second = _ordinal(a), _ordinal(b)
    if first is None or second is None:
        if a.minute is None or b.minute is None or first != second:
            return []
        return [abs(a.minute - b.minute) * 60.0, 86_400.0 - abs(a.minute - b.minute) * 60.0]
    days = abs(first - second)
    out = [days * 86_400.0, (days + 1) * 86_400.0] if days else []
    if a.minute is not None and b.minute is not None:
        out.append(abs((first - second) * 1440 + a.minute - b.minute) * 60.0)
    return out


def _ordinal(moment: Moment) -> int | None:
    """The day's number; None for a moment without month and day. A missing year is some leap year."""
    if moment.month is None or moment.day is None:
        return None
    try:
        return date(moment.year or 2000, moment.month, moment.day).toordinal()
    except ValueError:
        return None
