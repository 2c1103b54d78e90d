"""
The time between two dates or clock times: days, hours or minutes that the answer counts itself.
"""

from __future__ import annotations

from datetime import date

from monitor.checks.grounded import match
from monitor.checks.grounded.arithmetic import found
from monitor.checks.grounded.dates import Moment
from monitor.checks.grounded.index import Evidence
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.sources import Found, Sources

MAX_MOMENTS = 40
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "min": 60.0}


class Spans:
    """Looks for figures that count the time between moments of the sentence, the rows it names, or the query's period."""

    def __init__(self, evidence: Evidence, sources: Sources) -> None:
        self.evidence, self.sources = evidence, sources

    def explain(self, view: View) -> Found | None:
        """The two moments so far apart; None where there are none, or the figure is no duration."""
        if view.figure.unit not in _SECONDS:
            return None
        moments = self._moments(view)
        self.evidence.spend(len(moments) ** 2)
        for index, (first, one) in enumerate(moments):
            for second, other in moments[index + 1 :]:
                if any(match.fits(view.figure, seconds, "s") for seconds in _apart(first, second)):
                    return found("span", f"the time between {one} and {other}")
        return None

    def _moments(self, view: View) -> list[tuple[Moment, str]]:
        """The full dates and the times at hand, with what people call them."""
        out = [(f.moment, f.text) for f in view.sentence.figures() if f.moment]
        out += [
            (value, f"the query's own {name}") for name, value in self.sources.arguments() if isinstance(value, Moment)
        ]
        self.evidence.spend(len(self.evidence.moments))
        for moment, cell in self.evidence.moments:
            if any(cell.row in rows for rows in (*view.named(cell.table).wide, view.named(cell.table).rows)):
                out.append((moment, str(self.evidence.raw(cell))))
        return out[:MAX_MOMENTS]


def _apart(a: Moment, b: Moment) -> list[float]:
    """The seconds between two moments: whole days (also with both ends counted), or the time of day."""
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
