"""
Counts: rows, different names, rows that meet the sentence's own condition.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from typing import Any

from monitor.checks.grounded.claims.quantified import Quantified
from monitor.checks.grounded.claims.tally import Tally
from monitor.checks.grounded.context.cutoff import speaks_of_shown
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.contents import number
from monitor.checks.grounded.evidence.index import Evidence, Table
from monitor.checks.grounded.evidence.labels import clean, column_label
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.dates import Moment
from monitor.checks.grounded.text.names import telling_words, words_in
from monitor.remember import remembered

MAX_SAME = 20
MAX_COUNTED = 10_000
STEPS = {"h": 60, "d": 1440}
"""Units of time that rows can stand for, in minutes."""
_ABOVE = re.compile(
    r"\b(?:above|over|exceed\w*|more than|at least|higher|greater|breach\w*|über|mehr als|mindestens|plus de|más de|meer dan|over)\b|[>≥]",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:below|under|less than|fewer than|at most|lower|within|unter|weniger als|moins de|menos de|minder dan|breach\w*)\b|[<≤]",
    re.IGNORECASE,
)


_OTHERS = re.compile(
    r"\b(?:other|remaining|another|übrigen?|anderen?|restlichen?|autres|restants?|otr[oa]s|demás|restantes|altr[ei]|outr[oa]s|"
    r"andere|overige|övriga|andra|pozostałe)\s$|(?:其他|其余|其餘|他の|残りの)$",
    re.IGNORECASE,
)
_RANGE_START = re.compile(r"\s(?:to|–|bis|à|a|tot|till)\s\d")
_RANGE_END = re.compile(r"(?<!from )(?<!von )(?<!de )(?<!van )(?<!från )\b\d{1,4}\s(?:to|–|bis|à|a|tot|till)\s$")
_RATE = re.compile(r"(?:\s[^\W\d_]+){1,3}\s(?:per|pro|par|por)\s")
_INEQUALITIES = ("over", "under", "at_least", "at_most")


_ELLIPSIS = re.compile(
    r"\s?(?:(?:of (?:them|these|those|the) ?)?[^\W\d_]+\s){0,2}(?:did|do|does|are|were|is|was|have|has|had|tat(?:en)?|sind|waren|ont|"
    r"sont|étaient|son|eran|deden|zijn)\b\s?(?:so|not|too|es)?\s?[:.,;!(\u2013\u2014]",
    re.IGNORECASE,
)
"""What only the sentence or the question before says (``Three carriers did``)."""


class Counts:
    """Looks for what the figures of one answer count."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._names: dict[int, dict[int, int]] = {}
        self._tally = Tally(evidence)
        self._quantified = Quantified(evidence, self._tally)

    def judge(self, view: View) -> tuple[bool, Found] | None:
        """(whether it holds, why) of a figure that surely counts what the words around it single out; else None."""
        others = self.others(view)
        if others:
            return True, others
        judged = self._tally.judge(view) or self._quantified.judge(view)
        if (
            judged
            and not judged[0]
            and (
                _ELLIPSIS.match(view.sentence.text[view.figure.end - view.sentence.start :][:60])
                or self._property(view)
            )
        ):
            return None
        return judged

    def others(self, view: View) -> Found | None:
        """The rows that are left when those are set aside that the words name, in this sentence or the one before."""
        start = view.sentence.start
        value = view.figure.readings[0].value if view.figure.readings else 0.5
        if value % 1 or all(value >= len(table.rows) for table in self.evidence.tables):
            return None
        if not _OTHERS.search(view.sentence.text[: view.figure.start - start][-30:]):
            return None
        before = [m for m in view.sentence.mentions() if m.end <= view.figure.start] or (
            view.back.mentions() if view.back else []
        )
        for t, table in enumerate(self.evidence.tables):
            rows = {cell.row for m in before if not m.period for cell in m.cells if cell.table == t}
            left = len(table.rows) - table.header_rows - len(rows)
            if rows and left == value and not self.cut_off(view, table):
                return _count(table, f"{clean(table.name)} has {left} more rows than those named")
        return None

    def _property(self, view: View) -> bool:
        """Whether a row that is named after what is counted holds the number itself, in a column of properties (``Programmes, Number: 14``)."""
        noun = frozenset(view.noun[:2])
        value = view.figure.readings[0].value
        for cell in self.evidence.between(value, value)[:MAX_SAME]:
            table = self.evidence.tables[cell.table]
            names = {word for content in table.rows[cell.row][: cell.column] for word in words_in(str(content)[:80])}
            if not noun.isdisjoint(names) and self.evidence.mixed(cell.table, cell.column):
                return True
        return False

    def confirms(self, view: View) -> Found | None:
        """A count that agrees with a figure that nothing else explains."""
        return self._tally.confirms(view)

    def count(self, view: View, *, strict: bool) -> Found | None:
        """How many rows, different names, or rows that meet the sentence's own condition there are."""
        if view.figure.unit in STEPS:
            return self._periods(view)
        figure = view.figure
        whole = [reading.value for reading in figure.readings if reading.value == int(reading.value) >= 0]
        if figure.unit or figure.factor != 1.0 or not whole or _is_no_count(view):
            return None
        value = whole[0]
        if 1 < value <= 12 and self._listed(view) == value:
            return Found({"kind": "count"}, f"{view.figure.text} names follow")
        for t, table in enumerate(self.evidence.tables):
            found = self._counted(view, t, table, int(value), strict=strict)
            if found:
                return found
        return None

    def _periods(self, view: View) -> Found | None:
        """How many hours or days there are, or meet the sentence's own condition, where each has a row."""
        figure, step = view.figure, STEPS[view.figure.unit]
        value = figure.readings[0].value
        plain = view.of(figure._replace(unit="", bound=""))
        for t, table in enumerate(self.evidence.tables):
            rows = len(table.rows) - table.header_rows
            if not 1 < value <= rows <= MAX_COUNTED or value != int(value) or self.cut_off(view, table):
                continue
            if self._step(t) == step:
                if value == rows:
                    return _count(table, f"{clean(table.name)} has {rows} rows, one for each")
                found = self._conditional(plain, t, table, int(value))
                if found:
                    return found
        return None

    def _step(self, t: int) -> int:
        """How many minutes lie between the rows of a table, where it is as many between any two; else 0."""
        dated = self.evidence.dated(t)
        table = self.evidence.tables[t]
        self.evidence.spend(len(dated))
        minutes = [
            minute
            for row in range(table.header_rows, len(table.rows))
            if (minute := _minute(dated.get(row))) is not None
        ]
        gaps = {later - earlier for earlier, later in pairwise(minutes)}
        return gaps.pop() if len(gaps) == 1 and len(minutes) == len(table.rows) - table.header_rows else 0

    def _listed(self, view: View) -> int:
        """How many different names of one column follow the figure in its sentence."""
        columns: dict[tuple[int, int], set[int]] = {}
        for mention in view.sentence.mentions():
            if mention.start > view.figure.end and not mention.period and mention.cells:
                cell = mention.cells[0]
                columns.setdefault((cell.table, cell.column), set()).add(cell.row)
        return max((len(rows) for rows in columns.values()), default=0)

    def _counted(self, view: View, t: int, table: Table, value: int, *, strict: bool) -> Found | None:
        rows = len(table.rows) - table.header_rows
        if table.row_count is not None and value == table.row_count != rows:
            return _count(table, f"the query has {value:,} rows")
        if value > max(rows, 1) or rows > MAX_COUNTED or (value == 0 and (rows or not table.is_result)):
            return None
        if self.cut_off(view, table):
            return None
        if self._measured(view, table):
            return self._conditional(view, t, table, value)
        distinct = self.distinct(t)
        noun = frozenset(view.noun[:2])
        counted = [column for column in distinct if not telling_words(table.columns[column]).isdisjoint(noun)]
        for column in counted:
            if distinct[column] == value:
                return _names(table, column, value)
        listed = _listed(table, view.noun) if value == rows else ""
        if listed:
            return _count(table, listed)
        if counted and not strict and rows == value and not view.named(t).rows:
            return None
        if value == rows and not strict and (table.is_result or rows > 1):
            return _count(table, f"{clean(table.name)} has {value} row{'' if value == 1 else 's'}")
        return self._of_groups(view, t, table, value, {} if strict else distinct) or self._conditional(
            view, t, table, value
        )

    def _of_groups(self, view: View, t: int, table: Table, value: int, distinct: dict[int, int]) -> Found | None:
        """The rows that a name covers; where no row is named, the different values of any column."""
        groups = view.named(t).groups
        for group in groups:
            if len(group) == value:
                rows = "1 row" if value == 1 else f"{value} rows"
                return _count(table, f"the name beside it stands for {rows}")
        for column, names in distinct.items() if not groups else ():
            if names == value > 1:
                return _names(table, column, value)
        return None

    @staticmethod
    def _measured(view: View, table: Table) -> bool:
        """Whether the sentence sets a condition in the unit of a column, so that the rows can be counted."""
        limits = {f.unit for f in view.sentence.figures() if f.bound in _INEQUALITIES and f.unit}
        return not limits.isdisjoint(unit.unit for unit in table.units)

    def cut_off(self, view: View, table: Table) -> bool:
        """Whether the rows recorded are not all there are, and the sentence does not say so."""
        more = table.truncated or (table.row_count is not None and table.row_count > len(table.rows))
        return more and not speaks_of_shown(view, table)

    def distinct(self, t: int) -> dict[int, int]:
        """For each column of a table with names in it how many different ones there are."""
        known = self._names.get(t)
        if known is None:
            table = self.evidence.tables[t]
            self.evidence.spend(len(table.rows) * len(table.columns) // 4)
            found: dict[int, set[str]] = {}
            for row in table.rows[table.header_rows :]:
                for column, content in enumerate(row):
                    if isinstance(content, str) and content and number(content) is None:
                        found.setdefault(column, set()).add(content)
            known = self._names[t] = {column: len(names) for column, names in found.items()}
        return known

    def _conditional(self, view: View, t: int, table: Table, value: int) -> Found | None:
        """Rows above or below a threshold that the same sentence sets."""
        text = view.sentence.text
        above, below = _sides(text)
        if not (above or below):
            return None
        for limit in view.sentence.figures():
            if limit is view.figure or not limit.readings or limit.word:
                continue
            for column in range(min(len(table.columns), 40)):
                unit = table.units[column].unit
                factor = units.factor(unit, limit.unit)
                if factor is None and unit == "" and limit.unit == units.PERCENT:
                    factor = 100.0
                if not factor:
                    continue
                rows = view.named(t).rows if view.sentence.names() else frozenset()
                self.evidence.spend(1 + len(table.rows) // 2)
                values = [v * factor for row, v in self.evidence.column(t, column) if not rows or row in rows]
                edge = limit.readings[0].value
                more, less = sum(v > edge for v in values), sum(v < edge for v in values)
                level = len(values) - more - less
                highs, lows = _within_limit(limit.bound, more, less, level)
                if values and ((above and value in highs) or (below and value in lows)):
                    side = "above" if above and value in highs else "below"
                    return _count(table, f"{value} rows have {column_label(table, column)} {side} {limit.text}", column)
        return None

    def counts_something(self, view: View) -> bool:
        """
        Whether a number in words is surely a count of what the tables hold: its noun is a column's, and it is more than
        there are rows, or the sentence sets a condition.
        """
        names: set[str] = set()
        rows = 0
        for table in self.evidence.tables:
            if table.is_result:
                names.update(*(telling_words(column) for column in table.columns))
                rows = max(rows, len(table.rows))
        if not any(word in names for word in view.noun[:2]):
            return False
        conditions = [f for f in view.sentence.figures() if f.bound in _INEQUALITIES and f.start != view.figure.start]
        return view.figure.readings[0].value > rows or bool(conditions)


def _within_limit(bound: str, more: int, less: int, level: int) -> tuple[set[int], set[int]]:
    """How many may be called above, and below, a limit that so many values exceed, fall short of and are level with."""
    highs = {more} if bound == "over" else {more + level} if bound == "at_least" else {more, more + level}
    lows = {less} if bound == "under" else {less + level} if bound == "at_most" else {less, less + level}
    return highs, lows


def _minute(moment: Moment | None) -> int | None:
    """The minute that a moment is, from a fixed start; None for one without its day."""
    if moment is None or moment.year is None or moment.month is None or moment.day is None:
        return None
    try:
        return date(moment.year, moment.month, moment.day).toordinal() * 1440 + (moment.minute or 0)
    except ValueError:
        return None


def _is_no_count(view: View) -> bool:
    """Whether the figure is an end of a range (``5 to 7 days``) or a rate (``2 seats per order``), so that it counts no rows."""
    start, end = view.figure.start - view.sentence.start, view.figure.end - view.sentence.start
    text = view.sentence.text
    ranged = _RANGE_START.match(text, end) or _RANGE_END.search(text[max(0, start - 20) : start])
    return bool(ranged) or _RATE.match(text, end) is not None


def _listed(table: Table, noun: list[str]) -> str:
    """How long the list is that a table was made from, where it is named after what is counted (``order items``); else ""."""
    if not noun or table.is_result:
        return ""
    tool, _, name = table.name.removesuffix(f" of {table.origin}").rpartition(" ")
    if not tool or not {*words_in(name)} <= {*noun}:
        return ""
    count = len(table.rows)
    origin = f" of {table.origin}" if table.origin else ""
    return f"{clean(tool)}{origin} has {count} {'entry' if count == 1 else 'entries'} in {clean(name)}"


def _count(table: Table, text: str, column: int | None = None) -> Found:
    source: dict[str, Any] = {"kind": "count", "table": table.name}
    if column is not None:
        source["column"] = table.columns[column]
    return Found(source, text)


def _names(table: Table, column: int, value: int) -> Found:
    return _count(table, f"there are {value} different values of {column_label(table, column)}", column)


@remembered(1024)
def _sides(text: str) -> tuple[bool, bool]:
    """Whether *text* speaks of what is above something, and of what is below."""
    return bool(_ABOVE.search(text)), bool(_BELOW.search(text))
