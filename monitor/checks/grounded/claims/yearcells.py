"""
Bare years against the row that a sentence names: one that stands only in other rows, where the named row has another year.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.claims.bind import Binding
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.headings import years_in
from monitor.checks.grounded.evidence.index import Cell, Evidence

MAX_CELLS = 40
MAX_COLUMNS = 40
FIRST, LAST = 1500, 2100
LONGEST = 400
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")


class YearCells:
    """Looks bare years up in columns of years and of texts and dates that hold one."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._years: dict[tuple[int, int], dict[int, frozenset[int]]] = {}

    def misplaced(self, view: View) -> Binding | None:
        """The cell of another row that a year was taken from, and the named row's own; None where it may be right."""
        year = int(view.figure.readings[0].value)
        for t, table in enumerate(self.evidence.tables):
            row = self._row(view, t)
            if row is None or not table.is_result:
                continue
            columns = range(min(len(table.columns), MAX_COLUMNS))
            own = {c: years for c in columns if (years := self.column(t, c).get(row))}
            if not own or self._holds(t, row, year) or self._said(view, own):
                return None
            found = [
                Binding(Cell(t, other, c), "wrong_row", Cell(t, row, c))
                for c in own
                for other, years in self.column(t, c).items()
                if year in years
            ]
            columns_found = {binding.cell.column for binding in found}
            spoken = [b for b in found if len(columns_found) == 1 or view.distance(table.columns[b.cell.column]) < 99]
            if spoken:
                return spoken[0]
        return None

    def _holds(self, t: int, row: int, year: int) -> bool:
        """Whether some cell of a row is the year, or a text with it."""
        cells = self.evidence.tables[t].rows[row][:MAX_COLUMNS]
        held = [_years(cell[:LONGEST]) if isinstance(cell, str) else (cell,) for cell in cells]
        return any(year in years for years in held)

    def _row(self, view: View, t: int) -> int | None:
        """The one row of table *t* that some name before the year has alone, and every other name of the sentence too."""
        alone: set[int] = set()
        shared: list[frozenset[int]] = []
        for mention in view.sentence.mentions()[:MAX_CELLS]:
            if mention.period or mention.partial or mention.start == view.figure.start:
                continue
            rows = frozenset(cell.row for cell in mention.cells[:MAX_CELLS] if cell.table == t)
            if (
                len(rows) == 1 == len({cell.row for cell in mention.cells[:MAX_CELLS]})
                and mention.end <= view.figure.start
            ):
                alone |= rows
            elif rows:
                shared.append(rows)
        if len(alone) != 1 or not all(alone <= rows for rows in shared):
            return None
        return alone.pop()

    def _said(self, view: View, own: dict[int, frozenset[int]]) -> bool:
        """Whether the sentence has a year of the row as well."""
        figures = [f for f in view.sentence.figures() if f.start != view.figure.start]
        said = {int(f.readings[0].value) for f in figures if f.year} | {f.moment.year for f in figures if f.moment}
        return any(years & said for years in own.values())

    def column(self, t: int, c: int) -> dict[int, frozenset[int]]:
        """The years in the cells of a column, by row, where nearly each has one; else nothing."""
        known = self._years.get((t, c))
        if known is None:
            table = self.evidence.tables[t]
            self.evidence.spend(1 + len(table.rows))
            found: dict[int, frozenset[int]] = {}
            for r in range(table.header_rows, len(table.rows)):
                raw = self.evidence.raw(Cell(t, r, c))
                value = self.evidence.value(Cell(t, r, c))
                whole = value is not None and FIRST <= value <= LAST and value == int(value)
                years = (
                    frozenset([int(value or 0)]) if whole else _years(raw[:80]) if isinstance(raw, str) else frozenset()
                )
                if years:
                    found[r] = years
            rows = len(table.rows) - table.header_rows
            known = self._years[t, c] = found if len(found) * 5 >= rows * 4 else {}
        return known


def _years(text: str) -> frozenset[int]:
    """The years that a text names, of any century since 1500."""
    return years_in(text) | {int(year) for year in _YEAR.findall(text)}
