"""
Where a figure should stand, by the words around it: the cells of the row and the column that they name.
"""

from __future__ import annotations

from collections.abc import Mapping

from monitor.checks.grounded import match
from monitor.checks.grounded.claims.pairs import Pairs, pair_of
from monitor.checks.grounded.context.asides import apart, is_aside
from monitor.checks.grounded.context.naming import Expectation, Naming
from monitor.checks.grounded.context.owner import FEW, NOBODY, Owner, owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure

MAX_TABLES = 20
FIRST_YEAR, LAST_YEAR = 1000, 2100
_SIDES = {"over": True, "under": False}


class Expect:
    """Looks for the cells that the words around the figures of one answer mean."""

    def __init__(self, evidence: Evidence, definitions: Mapping[str, str]) -> None:
        self.evidence = evidence
        self.naming = Naming(evidence, definitions)
        self.pairs = Pairs(evidence, self.naming)
        self.tables = [t for t, table in enumerate(evidence.tables) if not table.earlier][:MAX_TABLES]

    def find(self, view: View) -> Expectation | None:
        """The cells that the words mean; None where they name no row, or no column."""
        if not view.figure.readings:
            return None
        pair = pair_of(view)
        if pair:
            placed = self.pairs.find(view, pair, self.tables)
            if placed or pair.tight:
                return placed
        if is_aside(view):
            return None
        out: list[Cell] = []
        firm = False
        away = apart(view)
        for t in self.tables:
            named = owner(view, t)
            if not named.rows:
                named = self._single(t) or self._anchored(view, t)
            if not 0 < len(named.rows) <= FEW:
                continue
            columns, strong = self.naming.columns(view, t)
            if away:
                columns = [column for column in columns if away <= self.naming.phrases(t).words[column]]
            cells = [Cell(t, row, column) for row in sorted(named.rows) for column in columns]
            cells = [cell for cell in cells if self._holds(view, cell)]
            out += cells
            firm = firm or (bool(cells) and strong and named.sure)
        return Expectation(tuple(out), firm and not self._alike(out)) if out else None

    def fits(self, view: View, cell: Cell) -> bool:
        """Whether the figure states the value of *cell*; beyond an inequality on its right side, however far."""
        value = self.evidence.value(cell)
        if value is None:
            return False
        if match.scaled_by(view.figure, self.evidence, cell.table):
            plain = view.figure._replace(unit="")
            return any(match.fits(plain, value * scale) for scale in self.evidence.scales)
        unit = self.evidence.unit(cell)
        figure = view.figure
        if figure.unit and not unit:
            if match.is_share(self.evidence, cell) and match.fits(figure, value, "ratio"):
                return True
            figure = figure._replace(unit="")
        above = _SIDES.get(figure.bound)
        if above is not None:
            factor = units.factor(unit, figure.unit)
            edge = figure.readings[0].value
            return factor is not None and value * factor != edge and (value * factor > edge) is above
        return match.fits(figure, value, unit)

    def _alike(self, cells: list[Cell]) -> bool:
        """Whether *cells* stand in columns of one name in several results, which may be added or compared."""
        places = {(cell.table, self.evidence.tables[cell.table].columns[cell.column]) for cell in cells}
        return len({name for _, name in places}) < len(places)

    def _holds(self, view: View, cell: Cell) -> bool:
        """Whether a cell holds a number; for a year, one that can be a year."""
        value = self.evidence.value(cell)
        return value is not None and (
            not view.figure.year or (FIRST_YEAR <= value <= LAST_YEAR and value == int(value))
        )

    def _single(self, t: int) -> Owner | None:
        """The only row of a result, which needs no name."""
        table = self.evidence.tables[t]
        if not table.is_result or len(table.rows) != 1 or any(isinstance(cell, str) for cell in table.rows[0]):
            return None
        return Owner(frozenset([0]), sure=True)

    def _anchored(self, view: View, t: int) -> Owner:
        """The row in which the figures said before, each of a column that is named beside it, stand together."""
        if view.sentence.names():
            return NOBODY
        rows: frozenset[int] | None = None
        for other in view.sentence.figures():
            if other.end > view.figure.start:
                break
            if not other.readings or other.word or other.bound:
                continue
            columns, strong = self.naming.columns(view.at(other), t)
            if strong:
                found = frozenset(row for column in columns for row in self._stating(other, t, column))
                rows = found if rows is None else rows & found
        return Owner(rows, len(rows) == 1) if rows else NOBODY

    def _stating(self, figure: Figure, t: int, column: int) -> list[int]:
        """The rows whose cell in a column states *figure*."""
        values = self.evidence.column(t, column)
        self.evidence.spend(len(values) // 4)
        return [row for row, value in values if match.fits(figure, value, self.evidence.unit(Cell(t, row, column)))]
