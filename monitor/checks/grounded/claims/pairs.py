"""
Two numbers that make one claim: ``12-23``, ``4-of-9``, ``3 of 11``, ``113–107``.

They stand in one row, in two columns that belong together (made and attempted, won and lost), or in one column of two
rows. A pair is no percentage and never one cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.naming import Expectation, Naming
from monitor.checks.grounded.context.owner import FEW, owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text.figures import Figure

MAX_COLUMNS = 40
MAX_ROWS = 40
_JOINT = re.compile(r"\s?[-–]\s?|-(?:of|for)-|\s?/\s?")
_PART = re.compile(r"\s(?:of|for|out of|to|von|sur|de|van|av)\s")
Two = tuple[Cell, Cell]


class Pair(NamedTuple):
    """The two figures, which of them is looked at (0 or 1), and whether they are written as one (``3-11``, not ``3 of 11``)."""

    figures: tuple[Figure, Figure]
    place: int
    tight: bool


def pair_of(view: View) -> Pair | None:
    """The pair that the figure of *view* is one of; None when it stands alone, or in a longer chain."""
    if view.figure.unit or view.figure.word or not view.figure.readings or len(view.clause.figures) < 2:
        return None
    start = view.sentence.start
    plain = [f for f in view.clause.figures if f.readings and not f.unit and not f.word]
    gaps = [view.sentence.text[a.end - start : b.start - start] for a, b in pairwise(plain)]
    joins = [bool(_JOINT.fullmatch(gap) or _PART.fullmatch(gap)) for gap in gaps]
    index = plain.index(view.figure)
    first = index - 1 if index and joins[index - 1] else index
    alone = not any(joins[other] for other in (first - 1, first + 1) if 0 <= other < len(joins))
    if not alone or first >= len(joins) or not joins[first]:
        return None
    return Pair((plain[first], plain[first + 1]), index - first, bool(_JOINT.fullmatch(gaps[first])))


class Placed(NamedTuple):
    """Where a pair should stand: its two cells, which of the two figures agree, and whether the words leave no other."""

    cells: Two
    agree: tuple[bool, bool]
    sure: bool


class Pairs:
    """Looks for the two cells of the pairs of one answer."""

    def __init__(self, evidence: Evidence, naming: Naming) -> None:
        self.evidence, self.naming = evidence, naming
        self._known: dict[int, Placed | None] = {}

    def find(self, view: View, pair: Pair, tables: Iterable[int]) -> Expectation | None:
        """The cell where the figure of *view* should stand, as one of *pair*; None when the words do not tell."""
        key = pair.figures[0].start
        if key not in self._known:
            self._known[key] = self._find(view, pair, list(tables))
        placed = self._known[key]
        return Expectation((placed.cells[pair.place],), placed.sure) if placed else None

    def _find(self, view: View, pair: Pair, tables: list[int]) -> Placed | None:
        first, last = view.at(pair.figures[0]), view.at(pair.figures[1])
        best: Placed | None = None
        for t in tables:
            found = self._in_table(first, last, pair, t)
            if found and (best is None or sum(found.agree) > sum(best.agree)):
                best = found
        if best and (all(best.agree) or (best.sure and pair.tight)):
            return best
        return self._beside(first, pair, tables) or (self._elsewhere(first, pair, tables) if pair.tight else None)

    def _in_table(self, first: View, last: View, pair: Pair, t: int) -> Placed | None:
        """The place in one table with which most of the pair agrees: across the owner's row, else down a column."""
        named, phrases = owner(first, t), self.naming.phrases(t)
        columns = [c for c in self.naming.columns(last, t)[0] if c not in phrases.shares]
        across: list[Two] = []
        for row in sorted(named.rows) if len(named.rows) <= FEW else ():
            across += list(self._siblings(t, row, columns)) or list(self._siblings(t, row, []))
        rows = frozenset().union(*(rows for rows in first.named(t).wide if len(rows) <= FEW)) | named.rows
        if len(self.evidence.tables[t].rows) == 2 and rows:
            rows = frozenset((0, 1))
        down = self._down(t, rows, columns or self._plain(t))
        found = self._best(pair, [*across, *down])
        if found is None:
            return None
        cells, agree = found
        in_row = cells[0].row == cells[1].row and bool(across) and any(agree)
        return Placed(cells, agree, named.sure and (bool(columns) or in_row))

    def _best(self, pair: Pair, places: list[Two]) -> tuple[Two, tuple[bool, bool]] | None:
        fits: tuple[dict[Cell, bool], dict[Cell, bool]] = ({}, {})
        best: tuple[Two, tuple[bool, bool]] | None = None
        self.evidence.spend(3 * len(places))
        for cells in places:
            agree = self._agrees(fits[0], pair.figures[0], cells[0]), self._agrees(fits[1], pair.figures[1], cells[1])
            if best is None or sum(agree) > sum(best[1]):
                best = cells, agree
                if all(agree):
                    break
        return best

    def _agrees(self, known: dict[Cell, bool], figure: Figure, cell: Cell) -> bool:
        fits = known.get(cell)
        if fits is None:
            value = self.evidence.value(cell)
            fits = known[cell] = value is not None and match.fits(figure, value)
        return fits

    def _siblings(self, t: int, row: int, named: list[int]) -> Iterator[Two]:
        """Two columns of one row that belong together, at least one of them among *named* where any is."""
        for a, b in self.naming.phrases(t).siblings:
            if not named or a in named or b in named:
                cells = Cell(t, row, a), Cell(t, row, b)
                if self._holds(cells):
                    yield cells

    def _down(self, t: int, rows: frozenset[int], columns: list[int]) -> Iterator[Two]:
        """Two named rows of one column."""
        chosen = sorted(rows)[:6]
        for column in columns if len(chosen) > 1 else ():
            for a in chosen:
                for b in chosen:
                    cells = Cell(t, a, column), Cell(t, b, column)
                    if a != b and self._holds(cells):
                        yield cells

    def _beside(self, first: View, pair: Pair, tables: list[int]) -> Placed | None:
        """Two columns side by side that hold the pair for a named row."""
        for t in tables:
            columns = range(min(len(self.evidence.tables[t].columns) - 1, MAX_COLUMNS))
            for row in sorted(owner(first, t).rows)[:FEW]:
                for c in columns:
                    for cells in ((Cell(t, row, c), Cell(t, row, c + 1)), (Cell(t, row, c + 1), Cell(t, row, c))):
                        if self._holds(cells) and self._all_agree(pair, cells):
                            return Placed(cells, (True, True), sure=False)
        return None

    def _elsewhere(self, first: View, pair: Pair, tables: list[int]) -> Placed | None:
        """The two columns, of the row right before the pair, that hold it for another row."""
        if not first.adjacent_names():
            return None
        for t in tables:
            named = owner(first, t)
            if not named.sure:
                continue
            own = min(named.rows)
            for row in range(min(len(self.evidence.tables[t].rows), MAX_ROWS)):
                for a, b in self._siblings(t, row, []) if row != own else ():
                    if self._all_agree(pair, (a, b)):
                        return Placed((a._replace(row=own), b._replace(row=own)), (False, False), sure=True)
        return None

    def _holds(self, cells: Two) -> bool:
        return self.evidence.value(cells[0]) is not None and self.evidence.value(cells[1]) is not None

    def _all_agree(self, pair: Pair, cells: Two) -> bool:
        self.evidence.spend(1)
        return all(
            match.fits(figure, self.evidence.value(cell) or 0.0)
            for figure, cell in zip(pair.figures, cells, strict=True)
        )

    def _plain(self, t: int) -> list[int]:
        """The columns that hold no shares."""
        shares = self.naming.phrases(t).shares
        return [c for c in range(min(len(self.evidence.tables[t].columns), MAX_COLUMNS)) if c not in shares]
