"""
What an ungrounded figure most likely should have been: the best that is known, instead of "nothing".
"""

from __future__ import annotations

import re
from typing import Any

from monitor.checks.grounded import faults, match
from monitor.checks.grounded.claims.counts import Counts
from monitor.checks.grounded.context.scope import NOWHERE as FAR
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.instead import instead
from monitor.checks.grounded.derivations.operands import Columns
from monitor.checks.grounded.evidence.index import Cell, Evidence, Table
from monitor.checks.grounded.evidence.labels import clean, column_label, is_, place, verb
from monitor.checks.grounded.messages import cut_count, cut_total, source_of
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure, Reading
from monitor.checks.grounded.text.names import telling_words

NOTHING = "nothing gives it"
NOWHERE = f"{NOTHING}: no result, definition, question or query argument"
MAX_COLUMNS = 200
_ASIDE = re.compile(
    r"\b(?:benchmarks?|targets?|limits?|goals?|thresholds?|permitted|allowed|objecti[fv]\w*|ziel\w*|objetivo\w*|doel\w*|grenz\w*|every)\b",
    re.IGNORECASE,
)
"""Words beside a figure that is not the named row's own."""
_WHOLE = re.compile(
    r"\b(?:total|all|overall|altogether|sum|whole|entire|every|gesamt\w*|insgesamt|totale?|en tout)\b", re.IGNORECASE
)
_THERE = re.compile(
    r"\b(?:there (?:are|were)|(?:we|you|they) (?:have|had)|in total|altogether|in all|overall|a total of|es gibt|es gab|insgesamt|"
    r"wir haben|il y a|au total|en tout|nous avons|hay|había|en total|tenemos|er zijn|er waren|in totaal|we hebben)\b",
    re.IGNORECASE,
)
"""Words by which a sentence says how many there are."""


class NearMiss:
    """Looks for what stands where the ungrounded figures of one answer should."""

    def __init__(self, evidence: Evidence, counts: Counts, columns: Columns) -> None:
        self.evidence, self.counts, self.columns = evidence, counts, columns
        self._sums: dict[tuple[int, int], float | None] = {}

    def _sum(self, t: int, c: int) -> float | None:
        """The sum of a column's numbers; None where there are fewer than two. Worked out once a column."""
        self.evidence.spend(2)
        if (t, c) not in self._sums:
            values = self.evidence.column(t, c)
            self._sums[t, c] = sum(value for _, value in values) if len(values) > 1 else None
        return self._sums[t, c]

    def miss(self, view: View) -> Found:
        """Why a figure without any explanation is wrong: what is known instead, when that is clear."""
        other = self._other_unit(view.figure) or self._rounded(view)
        if other:
            return other
        for t in range(len(self.evidence.tables)):
            calculated = "" if _ASIDE.search(view.clause_text) else instead(self.columns, view, t)
            if calculated:
                return Found({}, f"{NOTHING}; {calculated}", faults.NOWHERE)
        for firm in (True, False):
            for t in range(len(self.evidence.tables)):
                found = self._of_row(view, t) if view.named(t).firm is firm else None
                if found:
                    return found
        for t in range(len(self.evidence.tables)):
            known = self._not_additive(view, t) or self._counted(view, t)
            if known:
                return known
        return Found({}, NOWHERE, faults.NOWHERE)

    def other_value(self, view: View, right: Cell) -> Found:
        """Why a figure that should be *right*'s value is wrong: in its last digit, its unit or magnitude, or altogether."""
        for found in (self._rounded(view), self._other_unit(view.figure)):
            if found and found.source == source_of(self.evidence, right):
                return found
        calculated = instead(self.columns, view, right.table)
        if calculated:
            return Found(source_of(self.evidence, right), f"{NOTHING}; {calculated}", "wrong_value")
        return Found(source_of(self.evidence, right), is_(self.evidence, right), "wrong_value")

    def empty(self, view: View, cell: Cell) -> Found | None:
        """Against a 0 taken from *cell*: the cell of its row without a value that the words, or the figure's unit, mean."""
        if view.figure.readings[0].value or view.distance(self.evidence.tables[cell.table].columns[cell.column]) < FAR:
            return None
        named = view.named(cell.table)
        meant = self._meant(view, cell.table, cell.row, firm=named.firm) if named.rows == {cell.row} else None
        return self._null(meant) if meant is not None and self.evidence.raw(meant) is None else None

    def _null(self, cell: Cell) -> Found:
        called = place(self.evidence, cell)
        return Found(source_of(self.evidence, cell), f"{called} {verb(called)} empty: no value, not 0", "null")

    # -- cut off -------------------------------------------------------------------------------------------------------

    def truncated_count(self, view: View) -> Found | None:
        """The number of rows recorded, said to be how many there are (``there are 200 orders`` under LIMIT 200)."""
        figure = view.figure
        if figure.unit or figure.factor != 1.0:
            return None
        for table in self.evidence.tables:
            rows = len(table.rows)
            if rows < 2 or figure.readings[0].value != rows:
                continue
            if not (figure.bound == "exactly" or _THERE.search(view.sentence.text)):
                return None
            if self.columns.asked_for(rows):
                continue
            if self.counts.cut_off(view, table):
                return Found({"kind": "count", "table": table.name}, cut_count(table), "truncated_total")
        return None

    def truncated_total(self, view: View) -> Found | None:
        """The sum, or the number, of the rows that are recorded, given as that of all."""
        figure = view.figure
        for t, table in enumerate(self.evidence.tables):
            cut = self.counts.cut_off(view, table)
            limited = not cut and self.columns.cut(t) and _WHOLE.search(view.sentence.text) is not None
            if not (cut or limited):
                continue
            if cut and figure.readings[0].value == len(table.rows) and not figure.unit:
                source: dict[str, Any] = {"kind": "count", "table": table.name}
                return Found(source, cut_count(table), "truncated_total")
            for c in range(len(table.columns)):
                total = self._sum(t, c)
                if total is not None and match.fits(figure, total, table.units[c].unit):
                    source = {"kind": "derived", "derivation": "sum", "table": table.name}
                    return Found(source, cut_total(table, c), "truncated_total")
        return None

    # -- cells ---------------------------------------------------------------------------------------------------------

    def _other_unit(self, figure: Figure) -> Found | None:
        """The same number in another unit or magnitude."""
        bare = figure._replace(unit="")
        for found, _ in match.candidates(bare, self.evidence, turned=False, raw=False):
            unit = self.evidence.unit(found)
            if unit and figure.unit and not match.fits(figure, 1.0, unit):
                return self._unit(found, f"{self._with_unit(found)}, not {units.called(figure.unit)}")
        value = figure.readings[0].value if figure.readings else 0
        if not value or figure.readings[0].half >= abs(value) / 20:
            return None
        low, high = match.interval(bare, figure.readings[0])
        for power in (1e3, 1e-3, 1e6, 1e-6):
            for found in self.evidence.between(low * power, high * power):
                if match.unit_fits(figure, self.evidence, found):
                    text = f"{self._with_unit(found)}: off by a factor of {max(power, 1 / power):,.0f}"
                    return self._unit(found, text)
        return None

    def _unit(self, cell: Cell, text: str) -> Found:
        return Found(source_of(self.evidence, cell), text, "wrong_unit")

    def _rounded(self, view: View) -> Found | None:
        """A cell that the words mean and the figure gives but for its last digit: cut off, or rounded the wrong way."""
        figure = view.figure
        value, half = figure.readings[0]
        if figure.bound or figure.word or abs(value) < half * 20:
            return None
        wide = figure._replace(readings=(Reading(value, half * 2),))
        for cell, _ in match.candidates(wide, self.evidence, turned=False, raw=False):
            if view.means(cell):
                text = f"{is_(self.evidence, cell)}: rounded the wrong way"
                return Found(source_of(self.evidence, cell), text, "rounding")
        return None

    def _with_unit(self, cell: Cell) -> str:
        if column_label(self.evidence.tables[cell.table], cell.column).endswith(")"):
            return is_(self.evidence, cell)
        label = units_label(self.evidence.tables[cell.table].units[cell.column]) or self.evidence.unit(cell)
        return f"{is_(self.evidence, cell)} {label}" if label else is_(self.evidence, cell)

    def _of_row(self, view: View, t: int) -> Found | None:
        """What the one named row holds in the column that the words, or the figure's unit, mean."""
        named = view.named(t)
        if len(named.rows) != 1 or len(self.evidence.tables[t].columns) > MAX_COLUMNS:
            return None
        if view.figure.signed or announce.differs(view.clause_text) or _ASIDE.search(view.clause_text):
            return None
        cell = self._meant(view, t, min(named.rows), firm=named.firm)
        if cell is None:
            return None
        if self.evidence.raw(cell) is None:
            return self._null(cell)
        return Found({}, f"{NOTHING}; {is_(self.evidence, cell)}", faults.NOWHERE)

    def _meant(self, view: View, t: int, row: int, *, firm: bool) -> Cell | None:
        """The cell of *row* whose column the words beside the figure name best, else the only one in its unit."""
        near, unit = view.near(), view.figure.unit
        best, most = None, 0
        same: list[Cell] = []
        for column, name in enumerate(self.evidence.tables[t].columns):
            cell = Cell(t, row, column)
            own = self.evidence.tables[t].units[column].unit
            empty = self.evidence.raw(cell) is None and bool(self.evidence.column(t, column))
            if (self.evidence.value(cell) is None and not empty) or units.factor(own, unit) is None:
                continue
            if not empty and not match.unit_fits(view.figure, self.evidence, cell) and not own:
                continue
            if unit and own:
                same.append(cell)
            score = len(telling_words(name) & near)
            if score > most:
                best, most = cell, score
        if best is not None:
            return best
        return same[0] if firm and len(same) == 1 else None

    # -- sums and counts -----------------------------------------------------------------------------------------------

    def _not_additive(self, view: View, t: int) -> Found | None:
        """The sum of a column that does not add."""
        table = self.evidence.tables[t]
        for column in range(len(table.columns)):
            if table.additive[column] or table.units[column].unit == "":
                continue
            total = self._sum(t, column)
            if total is not None and match.fits(view.figure, total, table.units[column].unit):
                name, many = column_label(table, column), len(self.evidence.column(t, column))
                text = f"that is the sum of {name} over {many} rows; averages and rates do not add"
                return Found({"kind": "derived", "derivation": "sum", "table": table.name}, text, "not_additive")
        return None

    def _counted(self, view: View, t: int) -> Found | None:
        """How many there are of what a small whole number counts."""
        figure, table = view.figure, self.evidence.tables[t]
        value = figure.readings[0].value
        rows = len(table.rows) - table.header_rows
        if figure.unit or figure.bound or value != int(value) or value > 1000 or not 0 < rows <= 1000:
            return None
        if not table.is_result or self.counts.cut_off(view, table) or view.named(t).rows:
            return None
        if any(f.bound for f in view.sentence.figures()) or announce.compared(view.sentence.text):
            return None
        noun = frozenset(view.noun[:2])
        for column, many in self.counts.distinct(t).items():
            if telling_words(table.columns[column]) & noun:
                return _so_many(table, rows, column, many)
        return None


def _so_many(table: Table, rows: int, column: int, many: int) -> Found:
    if many == rows:
        text = f"{clean(table.name)} has {rows} row{'s' if rows != 1 else ''}"
    else:
        text = f"there are {many} different values of {column_label(table, column)}"
    return Found({"kind": "count", "table": table.name}, text, "wrong_count")


def units_label(unit: units.ColumnUnit) -> str:
    """A column's unit for people."""
    scale = {1e3: "thousand ", 1e6: "million ", 1e9: "billion "}.get(unit.scale, "")
    return f"{scale}{clean(units.called(unit.unit))}".strip()
