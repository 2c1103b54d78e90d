"""
Does a value match a figure: at the written precision, in its unit, on the right side of an inequality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure, Reading

_EPSILON = 1e-9


def interval(figure: Figure, reading: Reading) -> tuple[float, float]:
    """
    (low, high) of the values that *figure*, read so, states truly.

    Without an approximator: half a digit either way. With one: half a unit of the last digit that is not 0, at most
    10 %. "More than" and its kind: on that side, within one unit of that digit.
    """
    value, half = reading
    slack = max(abs(value) * _EPSILON, 1e-12)
    bound = figure.bound
    if bound == "":
        if half == 0 or (half >= 0.5 and figure.factor == 1.0 and (not value or (abs(value) < 3 and not figure.unit))):
            return value - slack, value + slack
        return value - half - slack, value + half + slack
    if bound == "exactly":
        return value - slack, value + slack
    step = _last_unit(value, half)
    if figure.fraction:
        step = 0.04
    if bound == "about":
        wide = max(half, min(step / 2, abs(value) * 0.1))
        return value - wide - slack, value + wide + slack
    if bound in ("over", "at_least"):
        return (value + slack if bound == "over" else value - slack), value + step + slack
    if bound == "nearly":
        return value - min(step, abs(value) * 0.1) - slack, value + (half if half < 0.5 else 0) + slack
    return value - step - slack, (value - slack if bound == "under" else value + slack)


def _last_unit(value: float, half: float) -> float:
    """The place value of the last written digit that is not 0: 100 for 1,200; 0.1 for 4.5."""
    step = half * 2 or 1.0
    if not value or abs(value) > 1e15:
        return step
    digits = abs(value) / step
    while digits >= 10 and math.isclose(digits % 10, 0, abs_tol=1e-6):
        digits /= 10
        step *= 10
    return step


def fits(figure: Figure, value: float, unit: str = "") -> bool:
    """Whether *value* in *unit* is what *figure* states."""
    factor = units.factor(unit, figure.unit)
    if factor is None:
        return False
    for reading in figure.readings:
        low, high = interval(figure, reading)
        if low <= value * factor <= high:
            return True
    return False


def candidates(figure: Figure, evidence: Evidence, *, turned: bool, raw: bool) -> Iterator[tuple[Cell, bool]]:
    """
    (cell, whether its sign was turned) for every cell that *figure* can state.

    *turned*: the words speak of a fall, so that "fell by 3.2" may state −3.2. *raw*: the figure may be written in the
    column's own thousands or millions (in a table, or where the answer says so).
    """
    seen: set[Cell] = set()
    for reading in figure.readings:
        low, high = interval(figure, reading)
        for negative in (False, True) if turned else (False,):
            a, b = (-high, -low) if negative else (low, high)
            for cell in _within(figure, evidence, a, b, raw=raw):
                if cell not in seen:
                    seen.add(cell)
                    yield cell, negative


def _within(figure: Figure, evidence: Evidence, low: float, high: float, *, raw: bool) -> Iterator[Cell]:
    for cell in evidence.between(low, high):
        if unit_fits(figure, evidence, cell) and not scaled_by(figure, evidence, cell.table):
            yield cell
    for unit, factor in units.TO_UNIT.get(figure.unit, ()) if figure.unit else ():
        for cell in evidence.between(low / factor, high / factor):
            if _converts(evidence, cell, unit) or (
                figure.fraction and unit == units.PERCENT and is_bare(evidence, cell)
            ):
                yield cell
    if figure.factor != 1.0:
        for scale in evidence.scales:
            if scale <= figure.factor:
                yield from _scaled(figure, evidence, low / scale, high / scale, 1.0)
    elif raw:
        for scale in evidence.column_scales:
            yield from _scaled(figure, evidence, low * scale, high * scale, scale)


def _scaled(figure: Figure, evidence: Evidence, low: float, high: float, scale: float) -> Iterator[Cell]:
    """Cells in [low, high] of columns that declare the magnitude *scale*."""
    for cell in evidence.between(low, high):
        if evidence.tables[cell.table].units[cell.column].scale == scale and unit_fits(figure, evidence, cell):
            yield cell


def unit_fits(figure: Figure, evidence: Evidence, cell: Cell) -> bool:
    """Same unit, or one of the two is not known; a count is no money and no percentage."""
    if not figure.unit:
        return True
    unit = evidence.unit(cell)
    if not unit:
        table = evidence.tables[cell.table]
        counts = table.counts[cell.column]
        adds = counts or (table.aggregated[cell.column] and table.additive[cell.column])
        if (adds and figure.unit == units.PERCENT) or (counts and units.is_money(figure.unit)):
            return False
        if figure.unit == units.PERCENT and evidence.holds_ratios(cell.table, cell.column):
            return evidence.percent
        return figure.unit != "ratio" or is_share(evidence, cell)
    if figure.unit == unit or unit.partition("/")[0] == figure.unit.partition("/")[0]:
        return True
    return not units.known(unit) and unit.rstrip("s") in figure.unit.rstrip("s")


def _converts(evidence: Evidence, cell: Cell, unit: str) -> bool:
    """Whether *cell* is in *unit*; a share without a declared unit is a ratio when it lies between -1 and 1."""
    own = evidence.unit(cell)
    return own == unit or (unit == "ratio" and not own and is_share(evidence, cell))


def scaled_by(figure: Figure, evidence: Evidence, table: int) -> bool:
    """Whether a figure writes out a magnitude and the headings of *table* declare one, so that its cells are to be read in it."""
    return figure.factor != 1.0 and table in evidence.declared


def is_bare(evidence: Evidence, cell: Cell) -> bool:
    """Whether a cell stands without unit in a table of which nothing says what its columns hold: it may be a percentage."""
    table = evidence.tables[cell.table]
    return not any(table.aggregated) and not table.counts[cell.column] and not any(unit.unit for unit in table.units)


def is_share(evidence: Evidence, cell: Cell) -> bool:
    """Whether a cell of an undeclared column may be a share: a fraction between -2 and 2."""
    value = evidence.value(cell)
    counts = evidence.tables[cell.table].counts[cell.column]
    return value is not None and -2 <= value <= 2 and not counts and not isinstance(evidence.raw(cell), int)
