"""
The formulas of analysts as one small grammar, tried from the best named to the least.

Operands are cells, sums over rows that a name covers, over all rows, and over several columns of a row. A result is one
operation on two of them, a mean, or a sum of products. A figure passes at the first result that gives it, while so few
have been tried that an accident is unlikely.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.cutoff import speaks_of_shown
from monitor.checks.grounded.context.naming import Naming
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.accident import chance
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.derivations.formulas import SHARES
from monitor.checks.grounded.derivations.likely import Result, comparable
from monitor.checks.grounded.derivations.operands import CITED, Columns, Operands, Position
from monitor.checks.grounded.derivations.reach import UNNAMED, Reach, Rows
from monitor.checks.grounded.evidence.headings import period_order
from monitor.checks.grounded.evidence.labels import column_label, row_label
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.dates import moment_of

MAX_TABLES = 6
MAX_ROWS = 200
MAX_COST = 4
MAX_RESULTS = 3000
UNLIKELY, ALL_NAMED = 0.05, 0.1
"""How likely an accident among the formulas tried may be; the same where the sentence names all that they take."""


DECADE = 10**0.5
"""Results of a decade around a figure are those that might have given it."""


class Part(NamedTuple):
    """An operand: its value in a unit, for people, the cells, and its cost; *adds*: it may be part of a sum."""

    value: float
    unit: str
    label: str
    cells: tuple[Position, ...]
    cost: int
    adds: bool = True


Tried = tuple[int, Result]
Line = dict[tuple[int, ...], Part]


class Grammar:
    """Looks for formulas that give the figures of one answer."""

    def __init__(self, columns: Columns, naming: Naming, question: str) -> None:
        self.columns, self.naming, self.question = columns, naming, question
        self.evidence = columns.evidence

    def explain(
        self, view: View, beside: Collection[Position] = (), behind: Collection[Position] = ()
    ) -> Derivation | None:
        """
        The best named formula that gives the figure, where that is hardly an accident; None otherwise.

        *beside*, *behind*: cells that the other figures of its sentence, and of the sentence before, stand for.
        """
        figure = view.figure
        if figure.word or figure.year or figure.moment or not figure.readings or not figure.readings[0].value:
            return None
        if chance(figure, 1) > ALL_NAMED:
            return None
        tried: list[Tried] = []
        for t, table in enumerate(self.evidence.tables[:MAX_TABLES]):
            if table.is_result and not table.earlier and 0 < len(table.rows) <= MAX_ROWS:
                reach = Reach(view, t, self.naming, self.question, beside, behind)
                tried += [each for each in Formulary(self.columns, view, t, reach).results() if self._can(view, each)]
                if len(tried) > MAX_RESULTS:
                    break
        self.evidence.spend(len(tried))
        return _first(view, tried)

    @staticmethod
    def _can(view: View, tried: Tried) -> bool:
        cost, result = tried
        if view.figure.unit == units.POINTS and result.kind != "difference":
            return False
        return cost <= MAX_COST and comparable(view.figure, result.unit)


def _first(view: View, tried: list[Tried]) -> Derivation | None:
    """
    The first result that gives the figure, in the order of their costs; those of one cost count together. Results of
    another magnitude could not give it, and do not count.
    """
    known: set[tuple[float, str]] = set()
    size = abs(view.figure.readings[0].value)
    for cost in range(MAX_COST + 1):
        tier = [result for own, result in tried if own == cost]
        values = ((abs(r.value) * (units.factor(r.unit, view.figure.unit) or 1.0), r.unit) for r in tier)
        known |= {(round(value, 9), unit) for value, unit in values if size < value * DECADE and value < size * DECADE}
        if chance(view.figure, len(known)) > (UNLIKELY if cost else ALL_NAMED):
            return None
        for result in tier:
            if _gives(view, result):
                return Derivation(result.kind, result.phrase, result.cells)
    return None


def _gives(view: View, result: Result) -> bool:
    figure = view.figure if result.unit else view.figure._replace(unit="")
    return match.fits(figure, result.value, result.unit)


class Formulary:
    """The formulas over one table for one figure."""

    def __init__(self, columns: Columns, view: View, t: int, reach: Reach) -> None:
        self.adds, self.view, self.t, self.evidence = columns, view, t, columns.evidence
        self.table = self.evidence.tables[t]
        self.operands = Operands(columns, view, t)
        self.share = view.figure.unit in SHARES
        self.costs = reach.columns(self.operands)
        self.every: Rows = frozenset()
        if not columns.cut(t) or speaks_of_shown(view, self.table):
            self.every = frozenset(range(len(self.table.rows)))
        self.own = reach.own()
        self.others = reach.others(self.own)
        self.sure = reach.sure
        self.stretches = reach.stretches(self.costs, self._same)
        text = view.clause_text
        self.rising, self.falling = announce.rises(text), announce.falls(text) and not announce.both(text)
        kinds = announce.announced(view.sentence.text)
        points = view.figure.unit == units.POINTS
        self.extra = {kind: 0 if kind in kinds else 2 for kind in ("average", "difference", "product", "sum")}
        self.extra["difference"] = 0 if points else self.extra["difference"]
        self.extra["ratio"] = 0 if self.share or {"ratio", "average"} & kinds else 2

    def results(self) -> Iterator[Tried]:
        """(cost, result) of every formula."""
        lines = [(rows, cost, self._line(rows, cost)) for rows, cost in self.own.items()]
        others = [(rows, cost, self._line(rows, cost)) for rows, cost in self.others.items()]
        whole = (self.every, 0, self._line(self.every, 0))
        for rows, cost, line in lines if self.sure or len(self.every) < 2 else [*lines, whole]:
            yield from self._alone(rows, line)
            yield from self._two_columns(line, cost)
            yield from self._products(rows, cost)
        if self.sure and len(self.every) > 1:
            yield from ((cost + 1, result) for cost, result in self._alone(*whole[::2]) if result.kind == "sum")
        for rows, _, line in lines:
            for group, cost, total in (*others, whole):
                yield from self._parts(line, total, cost) if rows < group else ()
        for n, (one, cost, a) in enumerate(lines):
            for two, other, b in (*lines[n + 1 :], *others):
                if one.isdisjoint(two):
                    yield from self._two_rows(a, b, max(cost, other))

    @staticmethod
    def _parts(line: Line, whole: Line, cost: int) -> Iterator[Tried]:
        """The shares of some rows in more of them."""
        for columns, part in line.items():
            total = whole.get(columns)
            if total and total.value and part.adds:
                yield part.cost + cost, _share(part, total)

    # -- operands --------------------------------------------------------------------------------------------------

    def _same(self, a: int, b: int) -> bool:
        """Whether two columns add up along a row: both in one declared unit."""
        unit = self.table.units[a].unit
        adding = self.adds.additive(self.t, a) and self.adds.additive(self.t, b)
        return bool(unit) and unit == self.table.units[b].unit and adding

    def _single(self, columns: tuple[int, ...]) -> bool:
        """Whether these are one measure: a column, or a stretch of periods."""
        return len(columns) == 1 or moment_of(self.table.columns[columns[0]]) is not None

    def _order(self, one: tuple[int, ...], two: tuple[int, ...]) -> int:
        """1 when a column is of a later period than another, -1 when of an earlier one, else 0."""
        if len(one) != 1 or len(two) != 1:
            return 0
        a, b = (moment_of(self.table.columns[c]) for c in one + two)
        if a and b:
            return (a.order > b.order) - (a.order < b.order)
        return period_order(self.table, one[0], two[0])

    def _line(self, rows: Rows, cost: int) -> Line:
        """What *rows* hold in each column, and in several added up."""
        out: Line = {}
        for c, own in self.costs.items():
            part = self._part(rows, (c,), cost + own)
            if part:
                out[(c,)] = part
        for columns, own in self.stretches.items():
            part = self._part(rows, columns, cost + own)
            if part:
                out[columns] = part
        return out

    def _part(self, rows: Rows, columns: tuple[int, ...], cost: int) -> Part | None:
        adds = all(self.adds.additive(self.t, c) for c in columns)
        if not adds and (len(rows) > 1 or len(columns) > 1):
            return None
        value, cells = 0.0, []
        for c in columns:
            values = self.operands.within(c, rows)
            value += sum(number for _, number in values)
            cells += [(self.t, row, c) for row, _ in values]
        if not cells or (len(rows) == 1 and len(cells) < len(columns)):
            return None
        return Part(value, self.operands.unit(columns[0]), self._label(rows, columns), tuple(cells[:CITED]), cost, adds)

    def _label(self, rows: Rows, columns: tuple[int, ...]) -> str:
        first, last = column_label(self.table, columns[0]), column_label(self.table, columns[-1])
        column = first if len(columns) == 1 else f"{first} {'to' if len(columns) > 2 else 'and'} {last}"
        if len(rows) == 1:
            return f"{row_label(self.evidence, self.t, min(rows))}'s {column}"
        return f"{column} summed over {len(rows)} rows"

    # -- formulas --------------------------------------------------------------------------------------------------

    def _alone(self, rows: Rows, line: Line) -> Iterator[Tried]:
        """Sums and means."""
        for columns, part in line.items():
            many = len(columns) if len(rows) == 1 else len(rows)
            if len(rows) > 1 or len(columns) > 1:
                yield part.cost, Result(part.value, part.unit, "sum", part.label, part.cells)
                if not self.extra["average"]:
                    mean = Result(part.value / many, part.unit, "average", f"the mean of {part.label}", part.cells)
                    yield part.cost, mean
        if self.share:
            return
        for columns, part in line.items():
            if len(columns) == len(rows) == 1 and not part.adds and part.unit in SHARES:
                yield (
                    part.cost + 1,
                    Result(1 - part.value, part.unit, "complement", f"100 % less {part.label}", part.cells),
                )

    def _two_columns(self, line: Line, cost: int) -> Iterator[Tried]:
        """Ratio, difference and change of two columns of the same rows."""
        for (one, a), (two, b) in combinations(line.items(), 2):
            together = a.cost + b.cost - cost
            if set(one) < set(two):
                yield together, _share(a, b)
            elif set(two) < set(one):
                yield together, _share(b, a)
            elif set(one).isdisjoint(two) and self._single(one) and self._single(two):
                order = self._order(one, two)
                yield from self._ratios(a, b, together + 2 * abs(order))
                if a.unit == b.unit and (a.unit or (a.adds and b.adds)):
                    yield from self._apart(a, b, together, order=order, same=order != 0)

    def _ratios(self, a: Part, b: Part, cost: int) -> Iterator[Tried]:
        alike = a.unit == b.unit
        for x, y in ((a, b), (b, a)):
            if not y.value or (y.unit in SHARES and not alike):
                continue
            phrase = f"{x.label} divided by {y.label}"
            if self.share:
                if not (x.unit in SHARES or y.unit in SHARES) and (alike or not (x.unit and y.unit)):
                    far = int(abs(x.value) > abs(y.value)) + int(not alike)
                    yield cost + far, Result(x.value / y.value, "ratio", "share", phrase, x.cells + y.cells)
            else:
                far = self.extra["ratio"] + int(not alike and bool(x.unit) != bool(self.view.figure.unit))
                unit = "" if alike else x.unit.partition("/")[0]
                yield cost + far, Result(x.value / y.value, unit, "ratio", phrase, x.cells + y.cells)

    def _apart(self, a: Part, b: Part, cost: int, *, order: int = 0, same: bool = True) -> Iterator[Tried]:
        """
        Difference and change of two operands of one unit, in the direction that the words speak of.

        *order*: 1 when *a* is of a later time than *b*, -1 when of an earlier one. *same*: both are of one measure.
        """
        cost += self.extra["difference"]
        cells, both = a.cells + b.cells, f"{a.label} and {b.label}"
        if order < 0:
            a, b = b, a
        gap = a.value - b.value
        if order and ((self.rising and gap < 0) or (self.falling and gap > 0)):
            return
        if not self.share:
            for value in (gap,) if order and self.view.figure.signed else (gap, -gap):
                yield cost, Result(value, a.unit, "difference", f"the difference of {both}", cells)
        elif a.unit not in SHARES and (a.unit or same) and not self.extra["difference"]:
            for x, y in ((a, b),) if order else ((a, b), (b, a)):
                change = x.value / y.value - 1 if y.value else 0.0
                told = self.rising or self.falling
                if change and (order or not told or (change > 0) == self.rising):
                    for value in (change,) if self.view.figure.signed else (change, -change):
                        yield cost, Result(value, "ratio", "change", f"the change between {both}", cells)

    def _two_rows(self, one: Line, two: Line, cost: int) -> Iterator[Tried]:
        """Difference, change and ratio of one column in two sets of rows, and of two rates."""
        for columns, a in one.items():
            b = two.get(columns)
            if b:
                together = max(a.cost, b.cost)
                yield from self._apart(a, b, together, order=self._later(a, b))
                if not self.share and b.value and a.value:
                    x, y = (a, b) if abs(a.value) > abs(b.value) else (b, a)
                    ratio = Result(x.value / y.value, "", "ratio", f"{x.label} divided by {y.label}", a.cells + b.cells)
                    yield together + self.extra["ratio"] + 1, ratio
        if not announce.differs(self.view.beside_text):
            return
        shared = [columns for columns in one if columns in two and len(columns) == 1]
        for p, q in combinations(shared, 2):
            yield from self._rates(one, two, p, q, cost)

    def _later(self, a: Part, b: Part) -> int:
        """1 when the rows of *a* are later than those of *b*, -1 when earlier, 0 where they are of no times."""
        dated = self.evidence.dated(self.t)
        one, two = ({row for _, row, _ in part.cells} for part in (a, b))
        if not one | two <= dated.keys():
            return 0
        first, second = min(dated[row].order for row in one), min(dated[row].order for row in two)
        return (first > second) - (first < second)

    def _rates(
        self,
        one: Line,
        two: Line,
        p: tuple[int, ...],
        q: tuple[int, ...],
        cost: int,
    ) -> Iterator[Tried]:
        """Difference and change of the ratio of two columns."""
        costs = cost + self.costs[p[0]] + self.costs[q[0]] + 1
        for x, y in ((p, q), (q, p)):
            if not (one[y].value and two[y].value) or one[x].unit in SHARES or one[y].unit in SHARES:
                continue
            a, b = (self._rate(line[x], line[y]) for line in (one, two))
            if self.view.figure.unit == units.POINTS and abs(a.value) > 1:
                continue
            yield from self._apart(a, b, costs, order=self._later(a, b))

    def _rate(self, x: Part, y: Part) -> Part:
        unit = "ratio" if self.view.figure.unit == units.POINTS else x.unit.partition("/")[0]
        return Part(x.value / y.value, unit, f"{x.label} per {y.label}", x.cells + y.cells, 0, adds=False)

    def _products(self, rows: Rows, cost: int) -> Iterator[Tried]:
        """Price times quantity, summed over the rows, and the mean price weighted by quantity."""
        for a, b in combinations(self.costs, 2):
            for x, y in ((a, b), (b, a)):
                if not self.adds.additive(self.t, x) or self.adds.additive(self.t, y):
                    continue
                amounts, prices = self.evidence.by_row(self.t, x), self.evidence.by_row(self.t, y)
                both = [row for row in sorted(rows) if row in amounts and row in prices]
                if not both:
                    continue
                self.evidence.spend(len(both))
                summed, amount = sum(amounts[row] * prices[row] for row in both), sum(amounts[row] for row in both)
                cells = tuple(cell for row in both[: CITED // 2] for cell in ((self.t, row, x), (self.t, row, y)))
                names = f"{column_label(self.table, y)} times {column_label(self.table, x)}"
                together = cost + self.costs[x] + self.costs[y]
                unit = self.operands.unit(y)
                far = min(1, self.extra["product"])
                if unit not in SHARES and not self.evidence.holds_ratios(self.t, y):
                    phrase = f"{names} over {len(both)} rows"
                    yield together + far, Result(summed, unit.partition("/")[0], "product", phrase, cells)
                if len(both) > 1 and amount and self.costs[x] < UNNAMED:
                    phrase = f"the mean of {column_label(self.table, y)} weighted by {column_label(self.table, x)}"
                    yield (
                        together + self.extra["average"],
                        Result(summed / amount, unit, "weighted_mean", phrase, cells),
                    )


def _share(part: Part, whole: Part) -> Result:
    value = part.value / whole.value if whole.value else 0.0
    return Result(value, "ratio", "share", f"{part.label} as a share of {whole.label}", part.cells)
