"""
What an ungrounded figure most likely should have been: the best that is known, instead of "nothing".
"""

from __future__ import annotations

import re
from typing import Any

from monitor.checks.grounded import announce, match, units
from monitor.checks.grounded.counts import Counts
from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.index import Cell, Evidence, Table
from monitor.checks.grounded.labels import clean, column_label, place, shown
from monitor.checks.grounded.messages import cut_count, cut_total, is_, source_of
from monitor.checks.grounded.names import telling_words
from monitor.checks.grounded.operands import Columns
from monitor.checks.grounded.scope import NOWHERE as FAR
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.sources import Found

NOWHERE = "found in no result, definition, question or query argument"
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

    def miss(self, view: View) -> Found:
        """Why a figure without any explanation is wrong: what is known instead, when that is clear."""
        other = self._other_unit(view.figure)
        if other:
            return Found({}, other)
        for firm in (True, False):
            for t in range(len(self.evidence.tables)):
                found = self._of_row(view, t) if view.named(t).firm is firm else None
                if found:
                    return found
        for t in range(len(self.evidence.tables)):
            known = self._not_additive(view, t) or self._counted(view, t)
            if known:
                return Found({}, known)
        return Found({}, NOWHERE)

    def empty(self, view: View, cell: Cell) -> Found | None:
        """Against a 0 taken from *cell*: the cell of its row without a value that the words, or the figure's unit, mean."""
        if view.figure.readings[0].value or view.distance(self.evidence.tables[cell.table].columns[cell.column]) < FAR:
            return None
        named = view.named(cell.table)
        meant = self._meant(view, cell.table, cell.row, firm=named.firm) if named.rows == {cell.row} else None
        return self._null(meant) if meant is not None and self.evidence.raw(meant) is None else None

    def _null(self, cell: Cell) -> Found:
        source = {**source_of(self.evidence, cell), "fault": "null"}
        return Found(source, f"{place(self.evidence, cell)} is NULL: no value, not 0")

    # -- cut off -------------------------------------------------------------------------------------------------------

    def truncated_count(self, view: View) -> Found | None:
        """The number of rows recorded, said to be how many there are (``there are 200 orders`` under LIMIT 200)."""
        figure = view.figure
        if figure.unit or figure.factor != 1.0 or not (figure.bound == "exactly" or _THERE.search(view.sentence.text)):
            return None
        for table in self.evidence.tables:
            rows = len(table.rows)
            if rows < 2 or figure.readings[0].value != rows or self.columns.asked_for(rows):
                continue
            if self.counts.cut_off(view, table):
                return Found({"kind": "count", "table": table.name, "fault": "truncated_total"}, cut_count(table))
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
                source: dict[str, Any] = {"kind": "count", "table": table.name, "fault": "truncated_total"}
                return Found(source, cut_count(table))
            for c in range(len(table.columns)):
                values = self.evidence.column(t, c)
                if len(values) > 1 and match.fits(figure, sum(v for _, v in values), table.units[c].unit):
                    source = {"kind": "derived", "derivation": "sum", "table": table.name, "fault": "truncated_total"}
                    return Found(source, cut_total(table, c))
        return None

    # -- cells ---------------------------------------------------------------------------------------------------------

    def _other_unit(self, figure: Figure) -> str:
        """The same number in another unit or magnitude."""
        bare = figure._replace(unit="")
        for found, _ in match.candidates(bare, self.evidence, turned=False, raw=False):
            unit = self.evidence.unit(found)
            if unit and figure.unit and not match.fits(figure, 1.0, unit):
                return f"{self._with_unit(found)}, not {figure.unit}"
        value = figure.readings[0].value if figure.readings else 0
        if not value or figure.readings[0].half >= abs(value) / 20:
            return ""
        low, high = match.interval(bare, figure.readings[0])
        for power in (1e3, 1e-3, 1e6, 1e-6):
            for found in self.evidence.between(low * power, high * power):
                if match.unit_fits(figure, self.evidence, found):
                    return f"{self._with_unit(found)}: off by a factor of {max(power, 1 / power):,.0f}"
        return ""

    def _with_unit(self, cell: Cell) -> str:
        label = units_label(self.evidence.tables[cell.table].units[cell.column]) or self.evidence.unit(cell)
        text = f"{place(self.evidence, cell)} is {shown(self.evidence.raw(cell))}"
        return f"{text} {label}" if label else text

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
        return Found({}, is_(self.evidence, cell))

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

    def _not_additive(self, view: View, t: int) -> str:
        """The sum of a column that does not add."""
        table = self.evidence.tables[t]
        for column in range(len(table.columns)):
            if table.additive[column] or table.units[column].unit == "":
                continue
            values = self.evidence.column(t, column)
            if len(values) > 1 and match.fits(view.figure, sum(v for _, v in values), table.units[column].unit):
                name = column_label(table, column)
                return f"that is {name} summed over {len(values)} rows; averages and rates do not add"
        return ""

    def _counted(self, view: View, t: int) -> str:
        """How many there are of what a small whole number counts."""
        figure, table = view.figure, self.evidence.tables[t]
        value = figure.readings[0].value
        rows = len(table.rows) - table.header_rows
        if figure.unit or figure.bound or value != int(value) or value > 1000 or not 0 < rows <= 1000:
            return ""
        if not table.is_result or self.counts.cut_off(view, table) or view.named(t).rows:
            return ""
        if any(f.bound for f in view.sentence.figures()) or announce.compared(view.sentence.text):
            return ""
        noun = frozenset(view.noun[:2])
        for column, many in self.counts.distinct(t).items():
            if telling_words(table.columns[column]) & noun:
                return _so_many(table, rows, column, many)
        return ""


def _so_many(table: Table, rows: int, column: int, many: int) -> str:
    if many == rows:
        return f"{clean(table.name)} has {rows} row{'s' if rows != 1 else ''}"
    return f"there are {many} different values of {column_label(table, column)}"


def units_label(unit: units.ColumnUnit) -> str:
    """A column's unit for people."""
    scale = {1e3: "thousand ", 1e6: "million ", 1e9: "billion "}.get(unit.scale, "")
    return f"{scale}{unit.unit}".strip()
