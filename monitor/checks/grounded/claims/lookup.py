"""
Does a bare figure stand where its question points: in the row and the period that the question names.
"""

from __future__ import annotations

from collections.abc import Iterable

from monitor.checks.grounded.claims.bind import Binding
from monitor.checks.grounded.context.asked import Asked
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.match import fits
from monitor.checks.grounded.text.figures import Figure

MAX_CELLS = 20
SURE = 0.75
"""A row that the question names this well is the one meant."""
FAR = 0.5
"""A row that the question names less than this much as well is another."""


class Lookup:
    """The cells that one question points to."""

    def __init__(self, asked: Asked, evidence: Evidence) -> None:
        self.asked, self.evidence = asked, evidence
        self._scores: dict[int, dict[int, float]] = {}

    def misplaced(self, figure: Figure, cells: Iterable[Cell]) -> Binding | None:
        """What is wrong with a figure all of whose *cells* stand elsewhere than the question points; None when one does not."""
        first = None
        for count, cell in enumerate(cells):
            fault = (
                self._other_period(figure, cell) or self._other_row(figure, cell) or self._other_column(figure, cell)
            )
            if fault is None or count >= MAX_CELLS:
                return None
            first = first or fault
        return first

    def _other_period(self, figure: Figure, cell: Cell) -> Binding | None:
        """A column of a year that the question does not name, where the row has one of a year that it names."""
        grid = self.asked.grid(cell.table)
        years = self.asked.years
        if cell.row not in grid.rows or cell.column not in grid.measures:
            return None
        own = grid.head(cell.row, cell.column)
        if not years or not own.years or own.years & years or grid.rows[cell.row].years & years:
            return None
        for c in grid.measures:
            head = grid.head(cell.row, c)
            if (
                head.years & years
                and head.words == own.words
                and (right := self._instead(figure, cell._replace(column=c)))
            ):
                return Binding(cell, "wrong_column", right)
        return None

    def _other_row(self, figure: Figure, cell: Cell) -> Binding | None:
        """A row that the question's words do not name, where they surely name one other."""
        scores = self._scores.get(cell.table)
        if scores is None:
            scores = self._scores[cell.table] = {row: score for score, row in self.asked.rows(cell.table)}
        grid = self.asked.grid(cell.table)
        best = max(scores.values(), default=0.0)
        sure = [row for row, score in scores.items() if score == best]
        if cell.row not in grid.rows or cell.column not in grid.measures or best < SURE or len(sure) != 1:
            return None
        if scores.get(cell.row, 0.0) > best * FAR or grid.total(cell.row) or not self._named(cell.table, sure[0]):
            return None
        right = self._instead(figure, cell._replace(row=sure[0]))
        return Binding(cell, "wrong_row", right) if right else None

    def _other_column(self, figure: Figure, cell: Cell) -> Binding | None:
        """A column of whose name the question has no word, where it has every word of one other's in the same row."""
        grid = self.asked.grid(cell.table)
        if cell.row not in grid.rows or cell.column not in grid.measures:
            return None
        own = grid.head(cell.row, cell.column)
        shared = frozenset.intersection(*(grid.head(cell.row, c).words for c in grid.measures))
        if not (own.words - shared).isdisjoint(self.asked.words):
            return None
        full = [c for c in grid.measures if self._tells(grid.head(cell.row, c).words - shared)]
        right = self._instead(figure, cell._replace(column=full[0])) if len(full) == 1 else None
        alike = right and grid.head(cell.row, right.column).percent == own.percent
        return Binding(cell, "wrong_column", right) if alike else None

    def _tells(self, words: frozenset[str]) -> bool:
        return bool(words) and words <= self.asked.words

    def _named(self, t: int, row: int) -> bool:
        """Whether every word of the row's name stands in the question."""
        words = self.asked.grid(t).rows[row].words
        return bool(words) and words <= self.asked.words

    def _instead(self, figure: Figure, cell: Cell) -> Cell | None:
        """*cell*, when it holds another number than the figure's."""
        value = self.evidence.value(cell)
        scales = (1.0, *self.evidence.scales)
        if value is None or any(fits(figure._replace(unit=""), value * scale) for scale in scales):
            return None
        return cell
