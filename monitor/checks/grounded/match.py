"""
Does a value match a figure: at the written precision, in its unit, on the right side of an inequality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from monitor.checks.grounded import units
from monitor.checks.grounded.evidence import Cell, Evidence
from monitor.checks.grounded.figures import Figure, Reading

_EPSILON = 1e-9
_BY_UNIT: dict[str, list[tuple[str, float]]] = {}
for (_evidence, _figure), _factor in units.CONVERSIONS.items():
    _BY_UNIT.setdefault(_figure, []).append((_evidence, _factor))


def interval(figure: Figure, reading: Reading) -> tuple[float, float]:
    """
    (low, high) of the values that *figure*, read so, states truly.

    Without an approximator: half a digit either way. With one: half a unit of the last digit that is not 0, at most
    10 %. "More than" and its kind: on that side, within one unit of that digit.
    """
    value, half = reading.value, reading.half
    slack = max(abs(value) * _EPSILON, 1e-12)
    if figure.bound == "exactly" or figure.word or (half >= 0.5 and abs(value) < 3 and not figure.unit):
        return value - slack, value + slack
    if figure.bound == "":
        return value - half - slack, value + half + slack
    step = _last_unit(value, half)
    if figure.bound == "about":
        wide = max(half, min(step / 2, abs(value) * 0.1))
        return value - wide - slack, value + wide + slack
    if figure.bound in ("over", "at_least"):
        return (value + slack if figure.bound == "over" else value - slack), value + step + slack
    return value - step - slack, (value - slack if figure.bound == "under" else value + slack)


def _last_unit(value: float, half: float) -> float:
    """The place value of the last written digit that is not 0: 100 for 1,200; 0.1 for 4.5."""
    step = half * 2 or 1.0
    if step < 1 or not value:
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
    return any(low <= value * factor <= high for low, high in (interval(figure, r) for r in figure.readings))


def candidates(figure: Figure, evidence: Evidence, *, negated: bool) -> Iterator[tuple[Cell, bool]]:
    """
    (cell, whether its sign was turned) for every cell that *figure* can state.

    *negated*: the words speak of a fall, so that "fell by 3.2" may state −3.2.
    """
    signs = (1.0, -1.0) if negated else (1.0,)
    seen: set[Cell] = set()
    for reading in figure.readings:
        low, high = interval(figure, reading)
        for sign in signs:
            a, b = (low, high) if sign > 0 else (-high, -low)
            for cell in evidence.between(a, b):
                if cell not in seen and _unit_fits(evidence.unit(cell), figure, evidence, cell):
                    seen.add(cell)
                    yield cell, sign < 0
            for unit, factor in _BY_UNIT.get(figure.unit, ()):
                for cell in evidence.between(a / factor, b / factor):
                    if cell not in seen and _converts(evidence, cell, unit):
                        seen.add(cell)
                        yield cell, sign < 0


def _unit_fits(unit: str, figure: Figure, evidence: Evidence, cell: Cell) -> bool:
    """Same unit, or one of the two is not known; a count is no money and no percentage."""
    if figure.unit and not unit and evidence.tables[cell.table].counts[cell.column]:
        return figure.unit not in units.CURRENCIES.values() and figure.unit != units.PERCENT
    if not figure.unit or not unit or unit == figure.unit:
        return True
    known = unit in _KNOWN
    return not known and unit.rstrip("s") in figure.unit.rstrip("s")


def _converts(evidence: Evidence, cell: Cell, unit: str) -> bool:
    """Whether *cell* is in *unit*; a share without a declared unit is a ratio when it lies between -1 and 1."""
    own = evidence.unit(cell)
    if own == unit:
        return True
    if unit != "ratio" or own:
        return False
    table = evidence.tables[cell.table]
    value = evidence.value(cell)
    return (
        value is not None
        and -1 <= value <= 1
        and not table.counts[cell.column]
        and not isinstance(evidence.raw(cell), int)
    )


_KNOWN = frozenset(units.CURRENCIES.values()) | {unit for pair in units.CONVERSIONS for unit in pair}
