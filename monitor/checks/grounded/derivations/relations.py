"""
Does a bare figure follow from terms: their difference, change, ratio, product, sum or mean, as its question announces.
"""

from __future__ import annotations

from collections.abc import Sequence

from monitor.checks.grounded.context.asked import Asked
from monitor.checks.grounded.derivations.terms import Term
from monitor.checks.grounded.match import fits
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure

PRECISE = 0.006
"""Half of the last digit over the value: three digits or more are written."""
PRODUCT = 1e-5
"""A product must agree in six digits: any two columns have one."""


class Relations:
    """The formulas for one *figure*, of the kinds that *asked* announces."""

    def __init__(self, figure: Figure, asked: Asked) -> None:
        self.figure, self.asked = figure, asked
        self.plain = figure._replace(unit="")
        self.percent = figure.unit == units.PERCENT
        self.kinds = set(asked.kinds)
        if self.percent and asked.relative and not self.kinds & {"sum", "average", "ratio"}:
            self.kinds.add("difference")
        self.ratios = "ratio" in self.kinds
        self.pairs = asked.priced or bool(self.kinds & {"difference", "ratio"})
        self.sums = bool(self.kinds & {"sum", "average"})

    def precise(self, part: float = PRECISE) -> bool:
        """Whether half of the figure's last digit is at most *part* of its value."""
        value, half = self.figure.readings[0]
        return half <= abs(value) * part

    def two(self, x: Term, y: Term) -> str:
        """The kind by which two terms give the figure; "" when none does."""
        if x.when < y.when:
            x, y = y, x
        ordered = 0 < y.when < x.when
        if "difference" in self.kinds:
            if self._apart(x, y, ordered=ordered):
                return "difference"
            relative = self.asked.relative or not x.percent
            if self.percent and relative and self.changed(x.value, y.value, ordered=ordered):
                return "change"
        if self.asked.priced and not self.percent and self.precise(PRODUCT) and fits(self.plain, x.value * y.value):
            return "product"
        if self.ratios and x.value and y.value:
            ratios = [top.value / under.value for top, under in ((x, y), (y, x)) if not self._upside_down(top, under)]
            if any(self.is_ratio(ratio) or self.is_ratio(abs(ratio)) for ratio in ratios):
                return "share" if self.percent else "ratio"
        return ""

    def _upside_down(self, top: Term, under: Term) -> bool:
        """Whether the question says that *under* is divided by *top*: the names of both tell."""
        if self.asked.order is None or top.place is None or under.place is None:
            return False
        first, second = self.asked.order
        rows = [self.asked.grid(term.place[0]).rows[term.place[1]].words for term in (top, under) if term.place]
        return _closer(rows[0], second, first) and _closer(rows[1], first, second)

    def is_ratio(self, value: float) -> bool:
        """Whether the figure states a ratio: as a percentage where it is one."""
        return fits(self.figure, value, "ratio" if self.percent else "")

    def _apart(self, x: Term, y: Term, *, ordered: bool) -> bool:
        """Whether the figure is the difference of two amounts, or of two percentages; of bracketed amounts without sign."""
        if x.percent != y.percent or (self.percent and not x.percent):
            return False
        bracketed = x.value < 0 and y.value < 0 and not self.figure.signed
        return self.moved(abs(x.value) - abs(y.value) if bracketed else x.value - y.value, ordered=ordered)

    def moved(self, gap: float, *, ordered: bool) -> bool:
        """Whether the figure states a move by *gap*: with its sign where both dates are known and growth is asked for."""
        return fits(self.plain, gap) or (not (ordered and self.asked.directed) and fits(self.plain, -gap))

    def changed(self, later: float, earlier: float, *, ordered: bool) -> bool:
        """Whether the figure is the relative change between two values."""
        changes = [later / earlier - 1] if earlier else []
        if earlier < 0:
            changes.append((later - earlier) / -earlier)
        for change in changes:
            if fits(self.figure, change, "ratio"):
                return True
            if not (ordered and self.asked.directed) and fits(self.figure, -change, "ratio"):
                return True
        return not ordered and bool(later) and fits(self.figure, earlier / later - 1, "ratio")

    def _other_periods(self, line: Sequence[Term]) -> bool:
        """Whether a line runs along one row over another number of periods than the question says."""
        rows = {term.place[:2] for term in line if term.place}
        dated = len({term.when for term in line if term.when}) == len(line)
        return dated and len(rows) == 1 and self.asked.periods not in (0, len(line))

    def added(self, line: Sequence[Term]) -> str:
        """``average`` or ``sum`` when the figure is that of a line; else "". Percentages come of percentages only."""
        if len(line) < 2 or (self.percent and not all(term.percent for term in line)):
            return ""
        if self._other_periods(line):
            return ""
        total = sum(term.value for term in line)
        for kind, value in (("average", total / len(line)), ("sum", total)):
            if kind in self.kinds and (fits(self.plain, value) or fits(self.plain, -value)):
                return kind
        return ""


def _closer(name: frozenset[str], to: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a name's words are *to*'s rather than *other*'s: more of them stand there, and more of it is said by them."""
    return _agreement(name, to) > _agreement(name, other)


def _agreement(a: frozenset[str], b: frozenset[str]) -> float:
    """How far two sets of words agree (0 to 1)."""
    return len(a & b) / len(a | b) if a and b else 0.0
