"""
What can be calculated with: cells, sums over the rows that a name covers, totals; and which columns add up at all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Cell, Evidence, Table
from monitor.checks.grounded.evidence.labels import clean, column_label, is_total, row_label, whose
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.names import column_words, stem, telling_words

MAX_PAIRED = 60
MAX_COLUMNS = 40
CITED = 20
"""How many cells a derivation names at most."""
_KEYS = frozenset(["year", "month", "jahr", "año", "rank", "no", "no.", "#", "week", "zip"])
AVERAGED = frozenset(["avg", "average", "rate", "ratio", "mean", "median", "share"])
_ID = re.compile(r"(?:^|[^A-Za-z])(?i:id)$|(?<=[a-z])I[dD]$")
_OPENING = re.compile(
    r"\W{0,4}(?:it|they|he|she|this|es|sie|er|il|elle|ella|él|hij|zij|het|den|det|esso|essa|ele|ela)\s", re.IGNORECASE
)
_PEOPLE = frozenset(
    stem(word)
    for word in "headcount staff fte employees people workers mitarbeiter beschäftigte personal effectif effectifs employés plantilla "
    "empleados medewerkers werknemers personeel anställda dipendenti funcionários pracownicy".split()
)
"""Heads are counted: their number, though averaged over time, still adds up over departments."""
_SHARES = (units.PERCENT, units.POINTS, "ratio", units.BASIS)

Position = tuple[int, int, int]
Values = list[tuple[int, float]]


class Operand(NamedTuple):
    """A value to calculate with: a cell, or the sum over a group of rows; *label* is for people."""

    value: float
    label: str
    cells: tuple[Position, ...]


class Columns:
    """Which columns of the evidence add up, and which tables lack rows. Asked once a column, SQL parsed only then."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._additive: dict[tuple[int, int], bool] = {}
        self.totals: dict[tuple[int, int], Operand | None] = {}
        self.groups: dict[tuple[int, int], list[Operand]] = {}

    def additive(self, t: int, c: int) -> bool:
        """Whether a column may be summed: as declared, as named, or as its query computes it."""
        known = self._additive.get((t, c))
        if known is None:
            known = self._additive[t, c] = self._adds(t, c)
        return known

    def _adds(self, t: int, c: int) -> bool:
        table = self.evidence.tables[t]
        words = column_words(table.columns[c])
        if not table.additive[c]:
            return table.aggregated[c] and not _PEOPLE.isdisjoint(words) and AVERAGED.isdisjoint(words)
        if table.aggregated[c]:
            return True
        name = table.columns[c].lower()
        kinds = [kind for facts in self.evidence.facts() for output, kind in facts.aggregations if output == name]
        return all(kind in ("sum", "count") for kind in kinds)

    def averaged(self, t: int, c: int) -> bool:
        """Whether a column holds averages or rates over groups, so that their plain mean says nothing."""
        table = self.evidence.tables[t]
        if table.aggregated[c]:
            known = self.evidence.facts()
            plain = [facts for facts in known if facts.parsed and not facts.aggregations]
            return len(plain) < len(known) or not plain
        return not AVERAGED.isdisjoint(column_words(table.columns[c]))

    def cut(self, t: int) -> bool:
        """Whether rows are missing from a table: it is truncated, or its query's own limit ended it."""
        table = self.evidence.tables[t]
        rows = len(table.rows)
        if table.truncated or (table.row_count is not None and table.row_count > rows):
            return True
        if not table.is_result or rows < 2 or self.asked_for(rows):
            return False
        if table.limit is not None:
            return table.limit == rows
        return any(facts.limit == rows for facts in self.evidence.facts())

    def asked_for(self, rows: int) -> bool:
        """Whether the question itself wants so many rows (``top 5``)."""
        questions = [source for source in self.evidence.sources if source.kind == "question"]
        return any(f.readings and f.readings[0].value == rows for source in questions for f in source.figures())


class Operands:
    """The operands that one sentence gives in one table."""

    def __init__(self, columns: Columns, view: View, t: int) -> None:
        self.adds, self.evidence, self.view, self.t = columns, columns.evidence, view, t
        self.table: Table = self.evidence.tables[t]
        self.named = view.named(t)
        self._units: dict[int, str] = {}

    def numeric(self) -> list[int]:
        """Numeric columns that are no key, those that the sentence names first."""
        names = self.table.columns[:MAX_COLUMNS]
        self.evidence.spend(3 * len(names))
        near = self.view.near()
        out = [c for c, name in enumerate(names) if not is_key(name) and self.evidence.column(self.t, c)]
        return sorted(out, key=lambda c: telling_words(names[c]).isdisjoint(near))

    def unit(self, c: int) -> str:
        """The unit of a column; ``ratio`` for an undeclared one that holds shares, when a share is looked for."""
        known = self._units.get(c)
        if known is None:
            known = self.table.units[c].unit
            if not known and self.view.figure.unit in _SHARES:
                some = [value for _, value in self.evidence.column(self.t, c)[:50]]
                known = "ratio" if all(-2 <= v <= 2 for v in some) and any(v % 1 for v in some) else ""
            self._units[c] = known
        return known

    def rows(self, c: int) -> Values:
        """(row, value) of the named rows, of all where none is named."""
        return self.within(c, self.named.rows) if self.named.rows else self.evidence.column(self.t, c)

    def within(self, c: int, group: frozenset[int]) -> Values:
        """(row, value) of the rows in *group*."""
        values = self.evidence.by_row(self.t, c)
        self.evidence.spend(1 + len(group) // 2)
        return [(row, values[row]) for row in sorted(group) if row in values]

    def cell(self, row: int, c: int, value: float) -> Operand:
        """One cell."""
        self.evidence.spend(3)
        label = f"{whose(row_label(self.evidence, self.t, row))} {column_label(self.table, c)}"
        return Operand(value, label, ((self.t, row, c),))

    def summed(self, c: int, values: Values, label: str = "") -> Operand:
        """The sum over rows."""
        self.evidence.spend(2 + len(values) // 8)
        label = label or f"the sum of {column_label(self.table, c)} over {len(values)} rows"
        return Operand(sum(value for _, value in values), label, self.cited(c, values))

    def cited(self, c: int, values: Values) -> tuple[Position, ...]:
        """The cells of a derivation over rows."""
        return tuple((self.t, row, c) for row, _ in values[:CITED])

    def by_name(self, c: int) -> list[Operand]:
        """What the sentence names in a column: a cell for each name, or the sum where a name covers several rows."""
        out: list[Operand] = []
        for group in self.named.groups:
            values = self.within(c, group)
            if len(values) > 1 and self.adds.additive(self.t, c):
                first = row_label(self.evidence, self.t, values[0][0])
                out.append(
                    self.summed(c, values, f"the {column_label(self.table, c)} of {first} over {len(values)} rows")
                )
            if len(values) <= 4:
                out.extend(self.cell(row, c, value) for row, value in values)
        return out

    def only(self, c: int) -> Operand | None:
        """The cell of a table of one row."""
        values = self.evidence.column(self.t, c)
        return self.cell(values[0][0], c, values[0][1]) if len(values) == 1 == len(self.table.rows) else None

    def total(self, c: int) -> Operand | None:
        """The column's total: its total row, or its sum when nothing is missing. Worked out once a column."""
        known = self.adds.totals
        if (self.t, c) not in known:
            known[self.t, c] = self._total(c)
        return known[self.t, c]

    def _total(self, c: int) -> Operand | None:
        if not self.adds.additive(self.t, c):
            return None
        parts: Values = []
        for row, value in self.evidence.column(self.t, c):
            if is_total(self.evidence, self.t, row):
                return Operand(value, f"the total {column_label(self.table, c)}", ((self.t, row, c),))
            parts.append((row, value))
        if self.adds.cut(self.t) or len(parts) < 2:
            return None
        return self.summed(c, parts)

    def extremes(self, c: int) -> list[Operand]:
        """The lowest, the highest, the first and the last of a column; all where there are three at most."""
        values = self.evidence.column(self.t, c)
        self.evidence.spend(len(values) // 3)
        if len(values) > 3:
            low, high = min(values, key=lambda pair: pair[1]), max(values, key=lambda pair: pair[1])
            values = list(dict.fromkeys([low, high, values[0], values[-1]]))
        return [self.cell(row, c, value) for row, value in values]

    def others(self, c: int, named: Operand, *, strict: bool) -> list[Operand]:
        """What one named row may be set against: rows named elsewhere in the sentence, its neighbours, the extremes."""
        own = {row for _, row, _ in named.cells}
        rows = self.evidence.by_row(self.t, c)
        elsewhere = [row for group in self.named.wide for row in group if row in rows and row not in own]
        elsewhere += [row for row in self.stands_for([named]) if row in rows]
        if elsewhere and not strict:
            elsewhere += [row for row in self.period_before(own) if row in rows]
        if elsewhere or strict:
            return [self.cell(row, c, rows[row]) for row in elsewhere[:MAX_PAIRED]]
        beside = [row for one in own for row in (one - 1, one + 1) if row in rows and row not in own]
        return [self.cell(row, c, rows[row]) for row in beside] + self.extremes(c)

    def period_before(self, own: set[int]) -> list[int]:
        """The row of the period before the one that *own* is of; none where the rows are of no periods."""
        dates = self.evidence.dated(self.t)
        if len(own) != 1 or not own <= dates.keys():
            return []
        now = dates[min(own)].order
        earlier = [row for row in dates if dates[row].order < now]
        self.evidence.spend(len(dates) // 4)
        return [max(earlier, key=lambda row: dates[row].order)] if earlier else []

    def stands_for(self, named: list[Operand]) -> frozenset[int]:
        """The row that the pronoun which opens the sentence stands for, where *named* is another one."""
        view = self.view
        if len(named) != 1 or not view.back or not _OPENING.match(view.sentence.text):
            return frozenset()
        rows = frozenset(row for table, row in view.back.rows() if table == self.t)
        return rows if len(rows) == 1 and rows.isdisjoint(row for _, row, _ in named[0].cells) else frozenset()

    def grouped(self, c: int) -> list[Operand]:
        """The sums over the values of a column to the left with two to four different ones. Worked out once a column."""
        known = self.adds.groups.get((self.t, c))
        if known is None:
            known = self.adds.groups[self.t, c] = self._grouped(c)
        return known

    def _grouped(self, c: int) -> list[Operand]:
        rows = len(self.table.rows)
        if not self.adds.additive(self.t, c) or not 4 <= rows <= 200:
            return []
        out: list[Operand] = []
        for g in range(min(c, 4)):
            groups: dict[str, Values] = {}
            for row, value in self.evidence.column(self.t, c):
                groups.setdefault(str(self.evidence.raw(Cell(self.t, row, g))), []).append((row, value))
            if 2 <= len(groups) <= 4 and len(groups) < rows:
                column = column_label(self.table, c)
                out += [
                    self.summed(c, values, f"{whose(clean(name))} total {column}") for name, values in groups.items()
                ]
        return out

    def order(self, x: Operand, y: Operand) -> int:
        """1 when *x* is later than *y*, -1 when earlier, 0 when they are not both dated."""
        if not x.cells or not y.cells:
            return 0
        dated = self.evidence.dated(self.t)
        a, b = dated.get(x.cells[0][1]), dated.get(y.cells[0][1])
        if a is None or b is None or a.order == b.order:
            return 0
        return 1 if a.order > b.order else -1


def is_key(name: str) -> bool:
    """A column of ids or years is nothing to calculate with."""
    return _ID.search(name) is not None or name.lower() in _KEYS
