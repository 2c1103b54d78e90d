"""
Does a bare figure follow from terms: their difference, change, ratio, product, sum or mean, as its question announces.
"""

from __future__ import annotations

from collections.abc import Sequence

from monitor.checks.grounded import units
from monitor.checks.grounded.asked import Asked
from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.match import fits
from monitor.checks.grounded.terms import Term

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
            ratios = (x.value / y.value, y.value / x.value)
            if any(self.is_ratio(ratio) or self.is_ratio(abs(ratio)) for ratio in ratios):
                return "share" if self.percent else "ratio"
        return ""

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

    def added(self, line: Sequence[Term]) -> str:
        """``average`` or ``sum`` when the figure is that of a line; else "". Percentages come of percentages only."""
        if len(line) < 2 or (self.percent and not all(term.percent for term in line)):
            return ""
        total = sum(term.value for term in line)
        for kind, value in (("average", total / len(line)), ("sum", total)):
            if kind in self.kinds and (fits(self.plain, value) or fits(self.plain, -value)):
                return kind
        return ""
