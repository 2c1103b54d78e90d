"""
What the calculation that the words announce gives instead of a figure that nothing gives.

It only helps a reviewer: nothing is said where columns, rows or the kind of calculation are not clear.
"""

from __future__ import annotations

from typing import NamedTuple

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.operands import Columns, Operand, Operands
from monitor.checks.grounded.evidence.index import Cell, Table
from monitor.checks.grounded.evidence.labels import column_label, place, row_label, shown, verb
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.names import telling_words

LONGEST = 300
"""Characters of a sentence that may name the column."""
_CHANGES = {"rise", "fall"}


class Wanted(NamedTuple):
    """The kinds of calculation that the words announce, and whether the figure is a percentage."""

    kinds: set[str]
    percent: bool
    moved: bool


def instead(columns: Columns, view: View, t: int) -> str:
    """``the sum of flights over 2 rows is 2,487``; "" where it is not clear what is calculated in table *t*."""
    figure, table = view.figure, columns.evidence.tables[t]
    if figure.moment or figure.word or not figure.readings or not table.is_result:
        return ""
    words = view.clause_text
    wanted = Wanted(announce.announced(words), figure.unit == units.PERCENT, bool(announce.classes(words) & _CHANGES))
    if not wanted.kinds and not wanted.percent:
        return ""
    operands = Operands(columns, view, t)
    column = _column(operands, table, percent=wanted.percent)
    return _calculated(operands, column, wanted) if column is not None else ""


def _column(operands: Operands, table: Table, *, percent: bool) -> int | None:
    """The one column that the words, or else the whole sentence, name best; else the only one that the unit allows."""
    view, numeric = operands.view, operands.numeric()
    unit = "" if percent else view.figure.unit
    fitting = [c for c in numeric if not unit or units.factor(table.units[c].unit, unit) is not None]
    for words in (view.near(), frozenset(telling_words(view.sentence.text[:LONGEST]))):
        scores = {c: len(telling_words(table.columns[c]) & words) for c in numeric}
        most = max(scores.values(), default=0)
        if most:
            best = [c for c in fitting if scores[c] == most]
            return best[0] if len(best) == 1 else None
    return fitting[0] if len(fitting) == 1 else None


def _calculated(operands: Operands, c: int, wanted: Wanted) -> str:
    """The one calculation with column *c* that the words announce, and its value."""
    label = column_label(operands.table, c)
    groups = set(operands.named.wide)
    values = operands.evidence.by_row(operands.t, c)
    rows = sorted(min(group) for group in groups if len(group) == 1 and min(group) in values)
    names = [
        Operand(values[row], place(operands.evidence, Cell(operands.t, row, c)), ((operands.t, row, c),))
        for row in rows
    ]
    if wanted.percent:
        return _relative(operands, c, names, wanted)
    if "difference" in wanted.kinds and len(names) == 2:
        first, second = names
        return f"{first.label} and {second.label} differ by {_number(abs(first.value - second.value))}"
    if "sum" in wanted.kinds and len(names) != 1 and operands.adds.additive(operands.t, c):
        whole = operands.summed(c, [(row, values[row]) for row in rows]) if names else operands.total(c)
        return f"{whole.label} is {_number(whole.value)}" if whole else ""
    plain = operands.adds.additive(operands.t, c) or not operands.adds.averaged(operands.t, c)
    if "average" in wanted.kinds and len(values) > 1 and not names and plain:
        return f"the mean of {label} over {len(values)} rows is {_number(sum(values.values()) / len(values))}"
    return ""


def _relative(operands: Operands, c: int, names: list[Operand], wanted: Wanted) -> str:
    """A change between two named rows, or the share of one in the total, in per cent."""
    if len(names) == 2 and wanted.moved:
        first, second = sorted(names, key=lambda each: operands.order(each, names[0]) or 0)
        if operands.order(first, second) and first.value > 0:
            change = 100 * (second.value - first.value) / first.value
            return f"from {first.label} to {second.label} it changes by {_number(change)} %"
    total = operands.total(c) if len(names) == 1 and "difference" not in wanted.kinds else None
    if total is None or not total.value or not _before(operands, names[0].cells[0][1]):
        return ""
    return f"{names[0].label} {verb(names[0].label)} {_number(100 * names[0].value / total.value)} % of the total"


def _before(operands: Operands, row: int) -> bool:
    """Whether what *row* is called by stands before the figure: behind it, it is the whole that a part is given of."""
    view = operands.view
    ahead = view.sentence.text[: view.figure.start - view.sentence.start][-LONGEST:]
    return not telling_words(row_label(operands.evidence, operands.t, row)).isdisjoint(telling_words(ahead))


def _number(value: float) -> str:
    """A calculated value as a person would write it: whole, or to three digits at least."""
    for digits in range(4):
        if abs(round(value, digits) - value) <= abs(value) / 1000:
            return shown(round(value, digits) if digits else round(value))
    return shown(float(f"{value:.4g}"))
