"""
Calculations that no word announces, where a coincidence is unlikely.

Sums, differences, ratios, shares and products over the rows that the words name, and over whole columns. The more of
them there are to try, the more digits the figure must have: what few formulas give to four digits is no accident.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.owner import FEW, owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.accident import ACCIDENT, ANNOUNCED, chance
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.derivations.formulas import SHARES
from monitor.checks.grounded.derivations.operands import Columns, Position, is_key
from monitor.checks.grounded.evidence.headings import period_order
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.evidence.labels import column_label, row_label
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import telling_words

MAX_TABLES = 6
MAX_COLUMNS = 12
MAX_TRIED = 600
_OF = re.compile(
    r"(?:\b(?:of|out of|von|de|sur|van|av|di|su)\s(?:the\s|all\s|den\s|les\s|los\s|las\s|de\s)?)\d[\d.,’' ]*\s[^\d,;.()]{1,30},\s(?:\S{1,12}\s){0,2}$",
    re.IGNORECASE,
)
_TURNS = ("difference", "change")
"""Kinds of results that have a direction."""


class Term(NamedTuple):
    """A value that formulas start from: a cell, or the sum of a column."""

    value: float
    unit: str
    label: str
    cells: tuple[Position, ...]


class Result(NamedTuple):
    """What a formula gives: its value in a unit, of a *kind*, with the phrase that says it; *whole*: a column's total."""

    value: float
    unit: str
    kind: str
    phrase: str
    cells: tuple[Position, ...]
    whole: bool = False


class Likely:
    """Looks for unannounced calculations that give the figures of one answer."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.evidence: Evidence = columns.evidence
        self._totals: dict[int, list[Result]] = {}

    def explain(self, view: View) -> Derivation | None:
        """The formula that gives the figure, where that is hardly an accident; None otherwise."""
        figure = view.figure
        if figure.word or not figure.readings or not figure.readings[0].value:
            return None
        tried: list[Result] = []
        for t, table in enumerate(self.evidence.tables[:MAX_TABLES]):
            if table.is_result and not table.earlier:
                tried += [result for result in self._results(view, t) if comparable(figure, result.unit)]
        text = view.sentence.text
        if announce.falls(text) or announce.both(text):
            dated = _dated(view)
            tried = [r for r in tried if r.kind not in _TURNS or not (dated or self._against(view, r))]
        self.evidence.spend(len(tried))
        kinds = _announced(view)
        if any(len(found.rows) > 1 for found in view.owners.values()):
            kinds.add("sum")
        announced = [result for result in tried if result.kind in kinds]
        return (
            self._first(figure, announced, ANNOUNCED)
            or self._first(figure, self._said(view, announced), ANNOUNCED)
            or self._first(figure, [result for result in tried if result.kind == "complement"], ACCIDENT)
            or self._first(
                figure, [r for r in self._said(view, tried) if len({row for _, row, _ in r.cells}) == 1], ACCIDENT
            )
            or self._first(figure, tried, ACCIDENT)
        )

    def _said(self, view: View, results: list[Result]) -> list[Result]:
        """The results over columns all of which a word of the sentence names; of a part of something, the totals."""
        words = frozenset(view.sentence.words())
        part = is_part(view)
        columns = {cell[::2] for result in results for cell in result.cells}
        named = {(t, c) for t, c in columns if telling_words(self.evidence.tables[t].columns[c]) & words}
        return [
            result
            for result in results
            if (own := {cell[::2] for cell in result.cells}) and (own <= named or (part and result.whole))
        ]

    def _against(self, view: View, result: Result) -> bool:
        """Whether the clause speaks of a rise where two columns of periods show a fall, or of a fall where they show a rise."""
        if len(result.cells) != 2 or result.cells[0][:2] != result.cells[1][:2]:
            return False
        (t, row, a), (_, _, b) = result.cells
        order = period_order(self.evidence.tables[t], a, b)
        one, two = self.evidence.by_row(t, a).get(row, 0.0), self.evidence.by_row(t, b).get(row, 0.0)
        rise, rising = (one - two) * order, announce.both(view.clause_text)
        return (rising and rise < 0) or (not rising and rise > 0)

    @staticmethod
    def _first(figure: Figure, tried: list[Result], accident: float) -> Derivation | None:
        """The first result that gives the figure, unless one of so many may do so by accident."""
        if len(tried) > MAX_TRIED or chance(figure, len(tried)) > accident:
            return None
        for result in tried:
            if match.fits(figure._replace(unit="") if not result.unit else figure, result.value, result.unit):
                return Derivation(result.kind, result.phrase, result.cells)
        return None

    def _results(self, view: View, t: int) -> Iterator[Result]:
        """What can be calculated with the named rows and the columns of one table."""
        rows = sorted(owner(view, t).rows or view.named(t).rows or _before(view, t))[:FEW]
        lines = [self.line(t, row) for row in rows]
        whole = [] if _dated(view, t) else self._whole(t)
        yield from (Result(term.value, term.unit, "sum", term.label, term.cells, whole=True) for term in whole)
        for line in (*lines, whole):
            yield from within(line)
        for one, two in combinations(lines, 2):
            for a, b in zip(one, two, strict=False):
                yield from _two(a, b)
        yield from (_complement(term) for line in lines for term in line if term.unit in SHARES)
        for total in whole if len(lines) > 1 else ():
            named = [term for line in lines for term in line if _same_column(term, total)]
            if total.value and len(named) > 1:
                yield _share(_summed(named), total)
        for line in lines:
            for term in line:
                yield from (_share(term, total) for total in whole if _same_column(term, total) and total.value)
        if rows:
            yield from self._rest(lines, whole)
        elif announce.the_rest(view.sentence.text) and len(self.evidence.tables[t].rows) <= MAX_COLUMNS:
            for row in range(len(self.evidence.tables[t].rows)):
                yield from self._rest([self.line(t, row)], whole)

    def line(self, t: int, row: int) -> list[Term]:
        """The cells of one row to calculate with."""
        table, out = self.evidence.tables[t], []
        for c in range(min(len(table.columns), MAX_COLUMNS)):
            value = None if is_key(table.columns[c]) else dict(self.evidence.column(t, c)).get(row)
            if value is not None:
                label = f"{row_label(self.evidence, t, row)}'s {column_label(table, c)}"
                out.append(Term(value, table.units[c].unit, label, ((t, row, c),)))
        return out

    def _whole(self, t: int) -> list[Term]:
        """The sums of the columns that add up."""
        table, out = self.evidence.tables[t], []
        if self.columns.cut(t) or len(table.rows) < 2:
            return []
        for c in range(min(len(table.columns), MAX_COLUMNS)):
            values = self.evidence.column(t, c)
            if len(values) > 1 and self.columns.additive(t, c) and not is_key(table.columns[c]):
                cells = tuple((t, row, c) for row, _ in values[:20])
                label = f"{column_label(table, c)} summed over {len(values)} rows"
                out.append(Term(sum(value for _, value in values), table.units[c].unit, label, cells))
        return out

    @staticmethod
    def _rest(lines: list[list[Term]], whole: list[Term]) -> Iterator[Result]:
        """What the other rows sum up to."""
        for total in whole:
            named = [term for line in lines for term in line if _same_column(term, total)]
            if named:
                rest = total.value - sum(term.value for term in named)
                phrase = f"{total.label} without {' and '.join(term.label for term in named[:2])}"
                yield Result(rest, total.unit, "difference", phrase, tuple(c for term in named for c in term.cells))


def within(line: list[Term]) -> Iterator[Result]:
    """Formulas over two cells of one row, and the sum of all cells in one unit."""
    for a, b in combinations(line, 2):
        yield from _two(a, b)
        if times := _times(a, b) or _times(b, a):
            yield times
        elif a.unit != b.unit or not a.unit:
            money, other = (b, a) if units.is_money(b.unit) else (a, b)
            yield _product(money, other, 1.0)
    for unit in {term.unit for term in line if term.unit}:
        alike = [term for term in line if term.unit == unit and unit not in SHARES]
        if len(alike) > 2:
            yield Result(
                sum(term.value for term in alike),
                unit,
                "sum",
                f"the sum of {alike[0].label} and {len(alike) - 1} more columns",
                tuple(c for term in alike for c in term.cells),
            )


def _product(price: Term, amount: Term, scale: float) -> Result:
    unit = price.unit.partition("/")[0]
    phrase = f"{price.label} times {amount.label}"
    return Result(price.value * amount.value * scale, unit, "product", phrase, price.cells + amount.cells)


def _times(price: Term, amount: Term) -> Result | None:
    """An amount at a price for each unit of it (``4,836 t`` at ``1.42 EUR/kg``); None where the units are no such pair."""
    _, _, per = price.unit.partition("/")
    scale = units.factor(amount.unit, per) if per and amount.unit else None
    return _product(price, amount, scale) if scale else None


def _two(a: Term, b: Term) -> Iterator[Result]:
    """Difference, sum, change, share and ratio of two terms."""
    cells = a.cells + b.cells
    both = f"{a.label} and {b.label}"
    if a.unit == b.unit:
        unit = units.POINTS if a.unit in SHARES else a.unit
        yield Result(abs(a.value - b.value), unit, "difference", f"the difference of {both}", cells)
        if a.unit not in SHARES and (a.unit or a.cells[0][2] == b.cells[0][2]):
            yield Result(a.value + b.value, a.unit, "sum", f"the sum of {both}", cells)
            for part in (a, b) if a.unit and a.cells[0][2] != b.cells[0][2] and min(a.value, b.value) > 0 else ():
                yield Result(
                    part.value / (a.value + b.value), "ratio", "share", f"{part.label} as a share of {both}", cells
                )
        for x, y in ((a, b), (b, a)):
            if y.value:
                yield Result(x.value / y.value - 1, "ratio", "change", f"the change between {both}", cells)
                yield Result(x.value / y.value, "ratio", "share", f"the share of {both}", cells)
                if not x.unit and abs(x.value) > abs(y.value):
                    yield Result(x.value / y.value, "", "ratio", f"the ratio of {x.label} and {y.label}", cells)
                if 0 < x.value < y.value:
                    yield Result(1 - x.value / y.value, "ratio", "change", f"what {x.label} leaves of {y.label}", cells)
    else:
        for x, y in ((a, b), (b, a)):
            if y.value:
                yield Result(x.value / y.value, x.unit, "ratio", f"the ratio of {x.label} and {y.label}", cells)


def _dated(view: View, t: int | None = None) -> bool:
    """Whether the sentence speaks of periods (of table *t*): then directions and totals are those of these."""
    periods = [mention for mention in view.sentence.mentions() if mention.period]
    return any(t is None or any(cell.table == t for cell in mention.cells) for mention in periods)


def is_part(view: View) -> bool:
    """Whether the figure is said to be some of another one before it (``of 135 call-outs, 15``)."""
    start = view.sentence.start
    head = view.sentence.text[: view.figure.start - start]
    return _OF.search(head) is not None


def _before(view: View, t: int) -> frozenset[int]:
    """The rows that the sentence before names, where the figure's own names none."""
    rows = view.back.rows() if view.back else {}
    return frozenset(row for table, row in rows if table == t)


def _announced(view: View) -> set[str]:
    """The kinds of result that the figure's sentence announces."""
    text = view.sentence.text
    kinds = announce.announced(text)
    if announce.the_rest(text) or announce.leaves_rest(text):
        kinds |= {"difference", "complement"}
    if view.figure.unit == units.POINTS:
        kinds.add("difference")
    if "average" in kinds:
        kinds.add("ratio")
    if is_part(view):
        kinds.add("sum")
    return kinds | ({"share", "change"} if view.figure.unit in SHARES else set())


def _complement(term: Term) -> Result:
    whole = 100.0 if term.unit == units.PERCENT else 1.0
    return Result(whole - term.value, term.unit, "complement", f"100 % less {term.label}", term.cells)


def _summed(terms: list[Term]) -> Term:
    label = " and ".join(term.label for term in terms[:3])
    return Term(sum(term.value for term in terms), terms[0].unit, label, tuple(c for term in terms for c in term.cells))


def _share(term: Term, total: Term) -> Result:
    return Result(term.value / total.value, "ratio", "share", f"{term.label} as a share of {total.label}", term.cells)


def _same_column(term: Term, total: Term) -> bool:
    return term.cells[0][0] == total.cells[0][0] and term.cells[0][2] == total.cells[0][2]


def comparable(figure: Figure, unit: str) -> bool:
    """Whether a result in *unit* can be what the figure states: percentages are shares, and nothing else is."""
    if units.POINTS in (figure.unit, unit):
        return figure.unit == unit
    if figure.unit in SHARES or unit in SHARES:
        return figure.unit in SHARES and unit in SHARES
    return units.factor(unit, figure.unit) is not None
