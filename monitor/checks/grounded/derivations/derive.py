"""
Derivations that the words announce: differences, shares, ratios, changes, sums, averages.

A derivation is looked for only when a word announces it, over the rows that the sentence names, and where it names
none, over the whole table. Averages, rates and the like never add; their mean is not the overall rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from monitor.checks.grounded.context.cutoff import speaks_of_shown
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.accident import chance
from monitor.checks.grounded.derivations.formulas import SHARES, Formulas
from monitor.checks.grounded.derivations.operands import (
    AVERAGED,
    MAX_PAIRED,
    Columns,
    Operand,
    Operands,
    Position,
    Values,
)
from monitor.checks.grounded.derivations.previous import since_nothing
from monitor.checks.grounded.evidence.headings import period_order
from monitor.checks.grounded.evidence.index import Evidence, Table
from monitor.checks.grounded.evidence.labels import clean, column_label, row_label, whose
from monitor.checks.grounded.match import fits
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.names import column_words, telling_words, words_in

MAX_ROWS = 2000
MAX_ACROSS = 12
_ALL = frozenset(words_in("all alle allen sämtliche tous toutes todos todas tutti tutte alla wszystkie"))
LOOSE = 1.0
"""How likely an accident may be among rows of which the words name none."""
_OF = ("of", "von", "de", "van", "av", "sur", "out of")


class Derivation(NamedTuple):
    """How a figure follows from cells: the *kind*, a phrase for people, and the cells as (table, row, column)."""

    kind: str
    phrase: str
    cells: tuple[Position, ...] = ()


def derive(columns: Columns, view: View, words: str, *, strict: bool) -> Derivation | None:
    """
    The first derivation over cells that gives the figure of *view* and that *words* announce, or None. The ends of a
    range are given, not calculated.

    *strict*: something else explains or contradicts the figure, so only what the named rows give counts.
    """
    figure, evidence = view.figure, columns.evidence
    kinds = _kinds(view, words)
    if not figure.readings or figure.ranged:
        return None
    if figure.word and not figure.fraction and figure.unit != units.TIMES and not announce.differs(view.beside_text):
        return None
    for t in sorted(range(len(evidence.tables)), key=lambda index: evidence.tables[index].earlier):
        if len(evidence.tables[t].rows) <= MAX_ROWS:
            found = _InTable(columns, view, t, kinds, words, strict=strict).find()
            if found and not since_nothing(found.kind, found.cells, view, evidence):
                return found
    return None if strict else _between_tables(columns, view, kinds, words)


def _between_tables(columns: Columns, view: View, kinds: set[str], words: str) -> Derivation | None:
    """The sum, difference or ratio of what two results with the same columns give, or the share of two sums."""
    evidence = columns.evidence
    tables = [t for t, table in enumerate(evidence.tables[:8]) if table.is_result and not table.earlier]
    formulas = Formulas(view.figure, kinds, words)
    for first, second in combinations(tables, 2):
        if evidence.tables[first].columns != evidence.tables[second].columns:
            continue
        one, two = Operands(columns, view, first), Operands(columns, view, second)
        names = f"{clean(evidence.tables[first].name)} and {clean(evidence.tables[second].name)}"
        for c in one.numeric():
            additive, sums = columns.additive(first, c), []
            for x, y in _alike(one, two, c):
                a, b, unit = x.value, y.value, one.unit(c)
                evidence.spend(4)
                if "sum" in kinds and additive and fits(view.figure, a + b, unit):
                    kind = "sum"
                else:
                    kind = formulas.alike(a, b, unit, column=True) or formulas.alike(b, a, unit, column=True)
                if kind:
                    return Derivation(kind, f"{_PHRASES[kind]} {x.label} in {names}", x.cells + y.cells)
                sums.append(a + b)
            part, whole = sums if len(sums) == 2 and additive and "share" in kinds else (0.0, 0.0)
            if whole and fits(view.figure, part / whole, "ratio"):
                return Derivation("share", f"the share over {names}")
    return None


def _alike(one: Operands, two: Operands, c: int) -> Iterator[tuple[Operand, Operand]]:
    """What the words name in both tables, then the totals of both."""
    yield from zip(one.by_name(c)[:1], two.by_name(c)[:1], strict=False)
    totals = one.total(c) or one.only(c), two.total(c) or two.only(c)
    if totals[0] and totals[1]:
        yield totals[0], totals[1]


def _kinds(view: View, words: str) -> set[str]:
    """What the words and the figure's own unit announce."""
    kinds = announce.announced(words)
    unit = view.figure.unit
    if unit in SHARES:
        kinds.add("share")
    if unit == units.TIMES:
        kinds.add("ratio")
    if unit == units.POINTS or (unit == units.PERCENT and view.figure.signed):
        kinds.add("difference")
    return kinds


class _InTable:
    """The derivations of one figure over one table."""

    def __init__(self, adds: Columns, view: View, t: int, kinds: set[str], words: str, *, strict: bool) -> None:
        self.adds, self.view, self.t, self.kinds, self.words, self.strict = adds, view, t, kinds, words, strict
        self.evidence: Evidence = adds.evidence
        self.table: Table = self.evidence.tables[t]
        self.figure = view.figure
        self.operands = Operands(adds, view, t)
        self.named = self.operands.named
        self.columns = self.operands.numeric()
        self.formulas = Formulas(self.figure, kinds, words)
        self.unnamed = Formulas(self.figure, kinds - {"share"}, words)
        if view.heading and view.wrapped() and not self.figure.signed:
            self.formulas.falling = self.unnamed.falling = True

    def find(self) -> Derivation | None:
        """The first that fits, the plainest first."""
        for search in (self._sums, self._means, self._pairs, self._across, self._along):
            found = search()
            if found:
                return found
        return None

    def _fits(self, value: float, c: int) -> bool:
        self.evidence.spend(3)
        return fits(self.figure, value, self.operands.unit(c))

    # -- sums and means ----------------------------------------------------------------------------------------------

    def _sums(self) -> Derivation | None:
        if self.figure.word and not self.figure.fraction:
            return None
        for c in self.columns:
            if self.adds.additive(self.t, c) or self._stock(c):
                for operand in self._sums_of(c):
                    if self._fits(operand.value, c):
                        return Derivation("sum", operand.label, operand.cells)
        return None

    def _stock(self, c: int) -> bool:
        """Whether *all* of what a column counts is meant: whole numbers of things, averaged over time but not over rows."""
        if _ALL.isdisjoint(self.view.before[-2:]) or self.table.units[c].unit or self.adds.cut(self.t):
            return False
        telling = telling_words(self.table.columns[c])
        if not telling & set(self.view.noun[:1]) or not AVERAGED.isdisjoint(column_words(self.table.columns[c])):
            return False
        values = self.evidence.column(self.t, c)
        return len(values) > 1 and all(value == int(value) >= 0 for _, value in values)

    def _sums_of(self, c: int) -> Iterator[Operand]:
        """Sums over a column that the words allow: of what a name covers, of the named rows, of all."""
        announced = "sum" in self.kinds
        small = max(abs(reading.value) for reading in self.figure.readings) < 100 and not self.figure.unit
        yield from (operand for operand in self.operands.by_name(c) if len(operand.cells) > 1)
        if not small:
            wide = (self.operands.within(c, group) for group in self.named.wide)
            yield from (self.operands.summed(c, values) for values in wide if len(values) > 1)
        chosen: Values = self.operands.rows(c)
        if announced and self.named.rows and len(chosen) > 1:
            yield self.operands.summed(c, chosen)
        part = self._in_fraction()
        if self.strict or (self.named.firm and not announced and not part):
            return
        if not self.named.rows and not small:
            yield from self.operands.grouped(c)
        named = not telling_words(self.table.columns[c]).isdisjoint(self.view.near())
        if announced or named or part or not small:
            total = self.operands.total(c) or (
                self._stock(c) and self.operands.summed(c, self.evidence.column(self.t, c))
            )
            if total:
                yield total
            elif self.adds.cut(self.t) and speaks_of_shown(self.view, self.table):
                yield self.operands.summed(c, self.evidence.column(self.t, c))

    def _in_fraction(self) -> bool:
        """Whether the figure is a part of something counted, or the whole (``79 of 104 beds``)."""
        return self.view.follows(*_OF) or self.view.preceded(*_OF)

    def _means(self) -> Derivation | None:
        if "average" not in self.kinds or self.strict:
            return None
        for c in self.columns:
            chosen = self.operands.rows(c)
            self.evidence.spend(len(chosen) // 8)
            if len(chosen) < 2:
                continue
            additive = self.adds.additive(self.t, c)
            plain = additive or not self.adds.averaged(self.t, c) or announce.simple_mean(self.words)
            if plain and self._fits(sum(value for _, value in chosen) / len(chosen), c):
                phrase = f"the mean of {column_label(self.table, c)} over {len(chosen)} rows"
                return Derivation("average", phrase, self.operands.cited(c, chosen))
            found = None if additive else self._weighted(c, chosen)
            if found:
                return found
        return None

    def _weighted(self, c: int, chosen: Values) -> Derivation | None:
        """The mean of an average, weighted by a column that counts or adds."""
        for w in self.columns:
            if w == c or not self.adds.additive(self.t, w):
                continue
            weights = self.evidence.by_row(self.t, w)
            pairs = [(value, weights[row]) for row, value in chosen if row in weights]
            total = sum(weight for _, weight in pairs)
            if len(pairs) == len(chosen) and total and self._fits(sum(v * n for v, n in pairs) / total, c):
                label = f"the mean of {column_label(self.table, c)} weighted by {column_label(self.table, w)}"
                return Derivation("weighted_mean", label, self.operands.cited(c, chosen))
        return None

    # -- two values of one column --------------------------------------------------------------------------------------

    def _pairs(self) -> Derivation | None:
        if not self.kinds & {"difference", "ratio", "share"}:
            return None
        for c in self.columns:
            named = self.operands.by_name(c)
            few = [] if named or self.strict or len(self.table.rows) > 4 else self.operands.extremes(c)
            total = self.operands.total(c) if (named or few) and "share" in self.kinds else None
            if total and total.value:
                for operand in named or few:
                    self.evidence.spend(1)
                    if fits(self.figure, operand.value / total.value, "ratio"):
                        return Derivation("share", f"{operand.label} as a share of {total.label}", operand.cells)
            found = self._pair(c, named)
            if not found and named and not self.named.firm and not self.view.sentence.names():
                found = self._pair(c, [])
            if found:
                return found
        return None

    def _pair(self, c: int, named: list[Operand]) -> Derivation | None:
        first = second = named
        few = not named and len(self.evidence.column(self.t, c)) < 3
        both = len(named) > 1 or len(self.named.wide) > 1 or self.operands.stands_for(named) or few
        formulas = self.formulas if both else self.unnamed
        if not named:
            if self.strict:
                return None
            first = second = self.operands.extremes(c) + self.operands.grouped(c)
        elif len(named) == 1:
            second = self.operands.others(c, named[0], strict=self.strict)
        unit = self.operands.unit(c)
        self.evidence.spend(len(first) * len(second) * 12)
        for x in first:
            for y in second:
                if x is y:
                    continue
                order = self.operands.order(x, y)
                kind = formulas.alike(x.value, y.value, unit, column=True, order=order)
                kind = kind or formulas.alike(y.value, x.value, unit, column=True, order=-order)
                if kind:
                    return Derivation(kind, f"{_PHRASES[kind]} {x.label} and {y.label}", x.cells + y.cells)
        return None

    # -- two columns ---------------------------------------------------------------------------------------------------

    def _across(self) -> Derivation | None:
        """Two columns of one row, of a group of rows, or of the whole table."""
        if not self.kinds & {"difference", "ratio", "share", "product"}:
            return None
        columns = self.columns[:MAX_ACROSS]
        for label, row, values in self._lines(columns):
            for a in columns:
                x = values.get(a)
                if x is None:
                    continue
                if row >= 0 and self._complement(a, x):
                    phrase = f"100 % less {whose(label)} {column_label(self.table, a)}"
                    return Derivation("complement", phrase, ((self.t, row, a),))
                for b in columns:
                    y = values.get(b)
                    if b != a and y is not None and (kind := self._of_two(x, y, a, b)):
                        left, right = column_label(self.table, a), column_label(self.table, b)
                        cells = ((self.t, row, a), (self.t, row, b)) if row >= 0 else ()
                        both = f"{whose(label)} {left} and {right}" if row >= 0 else f"{left} and {right} over {label}"
                        return Derivation(kind, f"{_PHRASES[kind]} {both}", cells)
        return None

    def _lines(self, columns: list[int]) -> Iterator[tuple[str, int, dict[int, float]]]:
        """(label, row, value by column) of the rows to look at, and, with row -1, of sums over rows."""
        by_column = {c: self.evidence.by_row(self.t, c) for c in columns}
        few = range(min(len(self.table.rows), 4 if self.strict else MAX_PAIRED))
        if len(few) > 1 and chance(self.figure, len(few) * len(columns) * (len(columns) - 1) / 2) > LOOSE:
            few = range(0)
        for row in sorted(self.named.rows)[:MAX_PAIRED] or few:
            self.evidence.spend(len(columns) // 4)
            values = {c: cells[row] for c, cells in by_column.items() if row in cells}
            if len(values) > 1 or self.figure.unit in SHARES:
                yield row_label(self.evidence, self.t, row), row, values
        for group in self.named.groups:
            if len(group) > 1:
                adding = [c for c in columns if self.adds.additive(self.t, c)]
                sums = {c: sum(value for _, value in self.operands.within(c, group)) for c in adding}
                yield f"{len(group)} rows", -1, sums
        if not self.named.firm or "sum" in self.kinds:
            totals = {c: total.value for c in columns if (total := self.operands.total(c))}
            yield "all rows", -1, totals

    def _of_two(self, x: float, y: float, a: int, b: int) -> str:
        unit = self.operands.unit(a)
        self.evidence.spend(8)
        if unit == self.operands.unit(b):
            return self.formulas.alike(x, y, unit, column=False, order=period_order(self.table, a, b))
        additive = self.adds.additive(self.t, a) and self.adds.additive(self.t, b)
        return self.formulas.unlike(x, y, unit, self.operands.unit(b), additive=additive)

    def _complement(self, c: int, value: float) -> bool:
        """Whether the figure is what is left of a whole (``1.26% crash`` of a crash-free rate)."""
        unit = self.operands.unit(c)
        whole = {units.PERCENT: 100.0, "ratio": 1.0}.get(unit)
        if self.figure.unit not in SHARES or whole is None or not 0 < value < whole:
            return False
        if not (self.named.rows or len(self.table.rows) == 1) or not announce.the_rest(self.view.sentence.text):
            return False
        return self._fits(whole - value, c)

    # -- along one row: columns that are periods or categories -----------------------------------------------------------

    def _along(self) -> Derivation | None:
        """Sums and means over columns of one row that the words name (``average of 2018 and 2019``)."""
        if self.strict or not self.kinds & {"sum", "average"} or not (self.named.rows or self.view.asked):
            return None
        by_column = {c: self.evidence.by_row(self.t, c) for c in self.columns}
        named = {c for c in self.columns if _heading_in(self.table, c, self.words)}
        some = sorted(self.named.rows) if 0 < len(self.named.rows) <= 8 else []
        for row in some or range(min(len(self.table.rows), MAX_PAIRED)):
            self.evidence.spend(len(by_column) // 2)
            values = [(c, cells[row]) for c, cells in by_column.items() if row in cells]
            for line in ([pair for pair in values if pair[0] in named], values):
                kind = self._of_line(line)
                if kind:
                    label = row_label(self.evidence, self.t, row)
                    cells = tuple((self.t, row, c) for c, _ in line)
                    return Derivation(kind, f"the {_LINES[kind]} of {label} over {len(line)} columns", cells)
        return None

    def _of_line(self, line: Values) -> str:
        if len(line) < 2:
            return ""
        total = sum(value for _, value in line)
        if "average" in self.kinds and self._fits(total / len(line), line[0][0]):
            return "average"
        return "sum" if "sum" in self.kinds and self._fits(total, line[0][0]) else ""


_LINES = {"average": "mean", "sum": "sum"}
_PHRASES = {
    "sum": "the sum of",
    "difference": "the difference of",
    "ratio": "the ratio of",
    "share": "the ratio, in percent, of",
    "change": "the change between",
    "product": "the product of",
}


def _heading_in(table: Table, c: int, words: str) -> bool:
    heads = [table.columns[c], *(str(row[c]) for row in table.rows[: table.header_rows] if c < len(row))]
    return any(head.strip() and head.strip().lower() in words.lower() for head in heads)
