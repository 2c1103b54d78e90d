"""
Floors under measures: what was reached once is not lost again.

A file holds, for each set and measure, ``at_least`` (the more the better) or ``at_most`` (a share of true figures that
are flagged). Raising moves a floor to what was measured where that is better, and never the other way.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import isnan
from pathlib import Path
from typing import TypeAlias

import orjson

LESS_IS_BETTER = frozenset(["flagged_true", "flagged_wrongly"])
AT_LEAST, AT_MOST = "at_least", "at_most"
Values: TypeAlias = Mapping[str, Mapping[str, float]]
Floors: TypeAlias = dict[str, dict[str, dict[str, float]]]


def read(path: Path) -> Floors:
    """The floors in *path*; none when there is no such file."""
    return orjson.loads(path.read_bytes()) if path.exists() else {}


def write(path: Path, floors: Floors) -> None:
    """Write *floors*, sorted, so that a change shows as one line."""
    path.write_bytes(orjson.dumps(floors, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")


def broken(floors: Floors, measured: Values) -> list[str]:
    """One line for each measure of the sets *measured* that is worse than its floor, or is not there any more."""
    out = []
    for name, values in measured.items():
        for measure, floor in floors.get(name, {}).items():
            value = values.get(measure, float("nan"))
            if isnan(value):
                out.append(f"{name} {measure}: nothing measured, its floor is {_said(floor)}")
            elif value < floor.get(AT_LEAST, value) or value > floor.get(AT_MOST, value):
                out.append(f"{name} {measure}: {value:.4f}, its floor is {_said(floor)}")
    return out


def raised(floors: Floors, measured: Values) -> Floors:
    """*floors* with every floor that *measured* is better than moved there, to three decimals; none ever gets lower."""
    out = {name: {measure: dict(floor) for measure, floor in known.items()} for name, known in floors.items()}
    for name, values in measured.items():
        for measure, value in values.items():
            if isnan(value):
                continue
            side, better = (AT_MOST, min) if measure in LESS_IS_BETTER else (AT_LEAST, max)
            reached = _rounded(value, side)
            known = out.setdefault(name, {}).get(measure, {}).get(side, reached)
            out[name][measure] = {side: better(known, reached)}
    return out


def _rounded(value: float, side: str) -> float:
    """*value* to three decimals, away from what is better, so that it holds its own floor."""
    rounding = ROUND_CEILING if side == AT_MOST else ROUND_FLOOR
    return float(Decimal(repr(value)).quantize(Decimal("0.001"), rounding=rounding))


def _said(floor: Mapping[str, float]) -> str:
    return " ".join(f"{side.replace('_', ' ')} {value:g}" for side, value in floor.items())
