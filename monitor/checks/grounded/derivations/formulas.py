"""
Does a figure follow from two values: as their difference, change, share, ratio or product.
"""

from __future__ import annotations

from monitor.checks.grounded.match import fits
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure

SHARES = (units.PERCENT, "ratio", units.BASIS, "ppm", "permille")
_RATIOS = (units.PERCENT, "ratio")


class Formulas:
    """The formulas for one *figure*, of the announced *kinds*, in the direction that *words* speak of."""

    def __init__(self, figure: Figure, kinds: set[str], words: str) -> None:
        self.figure, self.kinds = figure, kinds
        self.rising = announce.rises(words)
        self.falling = announce.falls(words) and not announce.both(words)

    def alike(self, x: float, y: float, unit: str, *, column: bool, order: int = 0) -> str:
        """
        The kind by which *x* and *y*, both in *unit*, give the figure; "" when none does.

        *column*: both stand in one column. *order*: 1 when *x* is later than *y*, -1 when earlier.
        """
        found = self._apart(x, y, unit, order) if "difference" in self.kinds else ""
        if found or not y or x * y < 0:
            return found
        figure = self.figure
        if (
            "share" in self.kinds
            and figure.unit in SHARES
            and unit not in _RATIOS
            and x < y
            and fits(figure, x / y, "ratio")
        ):
            return "share"
        plain = figure.unit == "" and not (column and abs(x / y) < 1)
        if "ratio" in self.kinds and (plain or figure.unit == units.TIMES) and fits(figure, x / y):
            return "ratio"
        return ""

    def unlike(self, x: float, y: float, unit: str, other: str, *, additive: bool) -> str:
        """The kind by which *x* in *unit* and *y* in an *other* one give the figure; *additive*: both add up."""
        figure = self.figure
        if additive and x and y:
            per = figure.unit in ("", units.TIMES) or figure.unit.partition("/")[0] == unit.partition("/")[0]
            if "ratio" in self.kinds and per and fits(figure._replace(unit=""), x / y):
                return "ratio"
            like = units.is_money(unit) == units.is_money(other) and not (unit and other)
            if (
                like
                and self.kinds & {"share", "ratio"}
                and figure.unit in SHARES
                and x < y
                and fits(figure, x / y, "ratio")
            ):
                return "share"
        if "product" in self.kinds and 1 < min(abs(x), abs(y)) <= 20 and fits(figure, x * y):
            return "product"
        return ""

    def _apart(self, x: float, y: float, unit: str, order: int) -> str:
        figure = self.figure
        if figure.unit == units.PERCENT:
            ratios = unit in _RATIOS and abs(y) <= 2
            return "change" if y and not ratios and self._changes(x, y, order) else ""
        if figure.unit in (units.TIMES, "ratio"):
            return ""
        gap = (x - y) * (order or 1)
        if order and ((self.rising and gap < 0) or (self.falling and gap > 0)):
            return ""
        if figure.unit == units.POINTS and unit not in _RATIOS:
            unit = units.POINTS
        return "difference" if fits(figure, gap, unit) or fits(figure, -gap, unit) else ""

    def _changes(self, x: float, y: float, order: int) -> bool:
        """Whether *x* is the figure's percentage more, or less, than *y*."""
        change = x / y - 1
        if order < 0 and (self.rising or self.falling):
            return False
        if (self.rising and change < 0) or (self.falling and change > 0):
            return False
        return fits(self.figure, change, "ratio") or (not self.rising and fits(self.figure, -change, "ratio"))
