"""
What a bare figure may be calculated from: the cells that its question names, along a row or down a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

from monitor.checks.grounded.context.asked import Asked, Meant, meant_rows
from monitor.checks.grounded.derivations.operands import Position
from monitor.checks.grounded.evidence.labels import column_label, row_label

MAX_LINE = 16
MAX_SUMMED = 60
MAX_PAIRED = 8
MAX_LINES = 2000
"""So many lines of terms are looked at in one table at most."""
MAX_ROWS = 2000
"""Tables with more rows hold raw records: nothing is calculated from their cells."""


class Term(NamedTuple):
    """A value to calculate with: a cell at *place*, or *text*; *percent*: it is one; *when*: its latest year, or 0."""

    value: float
    place: Position | None = None
    text: str = ""
    percent: bool = False
    when: int = 0


Places = Sequence[tuple[int, int]]


class Terms:
    """The terms that one question gives. *ratios*: it asks for a ratio; *percent*: the figure is a percentage."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.evidence = asked, asked.evidence
        self._meant: dict[int, Meant] = {}
        self._lines: dict[tuple[int, bool, bool, bool], list[list[Term]]] = {}
        self._sets: dict[tuple[int, bool], list[list[Term]]] = {}

    def tables(self) -> Iterator[int]:
        """The tables to look at, this turn's first."""
        tables = self.evidence.tables
        for t in sorted(range(len(tables)), key=lambda t: tables[t].earlier):
            if len(tables[t].rows) <= MAX_ROWS and self.asked.grid(t).measures:
                yield t

    def meant(self, t: int) -> Meant:
        """The rows of table *t* that the question means."""
        if t not in self._meant:
            self._meant[t] = meant_rows(self.asked, t)
        return self._meant[t]

    def at(self, t: int, places: Places) -> list[Term]:
        """The terms at (row, column) places of table *t*; those without a number left out."""
        grid = self.asked.grid(t)
        out = []
        for r, c in places:
            value = grid.value(r, c)
            if value is not None:
                when = max(grid.head(r, c).years | grid.rows[r].years, default=0)
                out.append(Term(value, (t, r, c), percent=grid.percent(r, c), when=when))
        return out

    def name(self, term: Term) -> str:
        """What people call a term."""
        if term.place is None:
            return term.text
        t, r, c = term.place
        return f"{row_label(self.evidence, t, r)}'s {column_label(self.evidence.tables[t], c)}"

    # -- terms to set against each other -------------------------------------------------------------------------------

    def lines(self, t: int, *, amounts: bool, ratios: bool, loose: bool) -> list[list[Term]]:
        """
        Terms any two of which the question may set against each other: along a row, and down a column.

        *amounts*: columns of percentages are left out. *ratios*: the total of a column is the other term. *loose*: rows
        and columns that the question names less well too.
        """
        key = t, amounts, ratios, loose
        if key not in self._lines:
            found = self._find_lines(t, amounts=amounts, ratios=ratios, loose=loose)
            self._lines[key] = [line for line in islice(found, MAX_LINES) if len(line) > 1]
        return self._lines[key]

    def _find_lines(self, t: int, *, amounts: bool, ratios: bool, loose: bool) -> Iterator[list[Term]]:
        yield from self._along(t, loose=loose)
        yield from self._down(t, amounts=amounts, loose=loose)
        grid = self.asked.grid(t)
        if loose and self.asked.top:
            for c in grid.measures:
                column = self.at(t, [(r, c) for r in grid.rows if not grid.total(r)])
                yield sorted(column, key=lambda term: term.value)[:: max(1, len(column) - 1)]
        totals = [r for r in grid.rows if grid.total(r)][:4]
        for r in self.meant(t).named if ratios else ():
            named, others = self.asked.columns(t, r)
            for c in named or others:
                yield self.at(t, [(r, c), *((total, c) for total in totals if total != r)])

    def _along(self, t: int, *, loose: bool) -> Iterator[list[Term]]:
        grid, meant = self.asked.grid(t), self.meant(t)
        rows = (meant.named + (meant.others if loose else [])) or list(grid.rows)
        for r in rows[:MAX_LINE]:
            named, others = self.asked.columns(t, r)
            columns = named if len(named) > 1 and not loose else named + others
            yield self.at(t, [(r, c) for c in columns[:MAX_LINE]])

    def _down(self, t: int, *, amounts: bool, loose: bool) -> Iterator[list[Term]]:
        meant = self.meant(t)
        rows = meant.named + (meant.others if loose else [])
        if len(rows) < 2:
            rows = list(self.asked.grid(t).rows) if loose else []
        if rows:
            named, others = self.columns(t, rows[0], amounts=amounts)
            for c in named + (others if loose or not named else []):
                yield self.at(t, [(r, c) for r in rows[:MAX_LINE]])

    def columns(self, t: int, r: int, *, amounts: bool) -> tuple[list[int], list[int]]:
        """The named and the other columns at row *r*; *amounts*: those of percentages left out."""
        named, others = self.asked.columns(t, r)
        if not amounts:
            return named, others
        grid = self.asked.grid(t)
        plain = [c for c in (*named, *others) if not grid.head(r, c).percent]
        kept = [c for c in named if c in plain]
        if kept or not plain:
            return kept or named, [c for c in others if c in plain]
        dated = [c for c in plain if grid.head(r, c).years & self.asked.years]
        return dated, [c for c in plain if c not in dated]

    # -- terms to add --------------------------------------------------------------------------------------------------

    def sets(self, t: int, *, loose: bool) -> list[list[Term]]:
        """Terms that the question may sum or average: along a row, and down a column."""
        if (t, loose) not in self._sets:
            found = self._find_sets(t, loose=loose)
            self._sets[t, loose] = [line for line in islice(found, MAX_LINES) if len(line) > 1]
        return self._sets[t, loose]

    def _find_sets(self, t: int, *, loose: bool) -> Iterator[list[Term]]:
        meant = self.meant(t)
        rows = meant.named + (meant.others if loose else [])
        for r in rows:
            for columns in self._columns_of(t, r, loose=loose):
                yield self.at(t, [(r, c) for c in columns])
        downs = list(self._rows_of(t, rows))
        for c in self.asked.grid(t).measures:
            for down in downs:
                named, others = self.asked.columns(t, down[0])
                if c in named or ((loose or not named) and c in others):
                    yield self.at(t, [(r, c) for r in down])

    def _columns_of(self, t: int, r: int, *, loose: bool) -> Iterator[Sequence[int]]:
        """Columns that the question may sum at row *r*: those named, one a year, all, those of years, neighbours."""
        grid = self.asked.grid(t)
        named, others = self.asked.columns(t, r)
        yield named
        yield from self._one_a_year(t, r, named)
        every = sorted(named + others)
        yield every
        yield [c for c in every if grid.head(r, c).years]
        yield [c for c in every if "total" not in grid.head(r, c).words]
        for size in range(2, len(every)) if loose and len(every) <= MAX_LINE else ():
            for start in range(len(every) - size + 1):
                yield every[start : start + size]

    def _one_a_year(self, t: int, r: int, named: list[int]) -> Iterator[tuple[int, ...]]:
        """For each year of the question one of the columns that stand for it."""
        grid = self.asked.grid(t)
        by_year = [[c for c in named if year in grid.head(r, c).years] for year in sorted(self.asked.years)]
        by_year = [columns for columns in by_year if columns][:MAX_LINE]
        if len(by_year) > 1 and any(len(columns) > 1 for columns in by_year):
            yield from (line for line in islice(product(*by_year), MAX_LINE) if len(set(line)) == len(line))

    def _rows_of(self, t: int, rows: list[int]) -> Iterator[list[int]]:
        """Rows that the question may sum: those named, those of one name, those of a section, all but totals."""
        grid = self.asked.grid(t)
        if len(rows) > 1:
            yield sorted(rows)
            dated = [r for r in rows if grid.rows[r].years & self.asked.years]
            if 1 < len(dated) < len(rows):
                yield dated
            yield from map(list, combinations(sorted(rows[:MAX_PAIRED]), 2))
        alike: dict[frozenset[str], list[int]] = {}
        for r in rows:
            alike.setdefault(grid.rows[r].words, []).append(r)
        for same in alike.values():
            for size in range(2, len(same) if len(same) <= 6 else 3):
                yield from map(list, combinations(same, size))
        plain = [r for r in grid.rows if not grid.total(r)]
        sections: dict[int, list[int]] = {}
        for r in plain:
            sections.setdefault(grid.sections[r], []).append(r)
        yield from (inside for inside in [*sections.values(), plain] if 1 < len(inside) <= MAX_SUMMED)
