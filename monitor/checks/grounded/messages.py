"""
One sentence for a reviewer: where a figure comes from, or what is wrong with it.
"""

from __future__ import annotations

from typing import Any

from monitor.checks.grounded import match, units
from monitor.checks.grounded.bind import Binding
from monitor.checks.grounded.derive import Derivation
from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.index import Cell, Evidence, Table
from monitor.checks.grounded.labels import clean, column_label, place, shown
from monitor.checks.grounded.names import telling_words
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.sources import Found

UNDECIDED = {
    "truncated": "not among the rows recorded, and rows are missing from the record",
    "redacted": "not found, and parts of the record are redacted",
    "not_recorded": "the record does not hold what the agent's queries returned",
}


def source_of(evidence: Evidence, cell: Cell) -> dict[str, Any]:
    """A cell as a source."""
    table = evidence.tables[cell.table]
    source: dict[str, Any] = {
        "kind": "cell",
        "table": table.name,
        "row": cell.row,
        "column": table.columns[cell.column],
        "value": evidence.raw(cell),
    }
    if table.earlier:
        source["kind"], source["turn"] = "earlier_turn", table.origin
    return source


def cell(evidence: Evidence, cell: Cell) -> Found:
    """A figure that is a cell's."""
    table = evidence.tables[cell.table]
    source = source_of(evidence, cell)
    text = _is(evidence, cell)
    if table.unseen_from is not None and cell.row >= table.unseen_from:
        source["unseen"] = True
        text += ", in a row that the agent was not shown"
    return Found(source, text)


def fault(evidence: Evidence, figure: Figure, bound: Binding) -> Found:
    """A figure whose value belongs elsewhere."""
    source = {**source_of(evidence, bound.cell), "fault": bound.fault}
    if bound.fault == "direction" or bound.right is None:
        return Found(source, f"{_is(evidence, bound.cell)}, and the words say the opposite")
    if bound.fault == "earlier_turn":
        origin = clean(evidence.tables[bound.cell.table].origin)
        return Found(
            source, f"{figure.text} is {place(evidence, bound.cell)} of {origin}; now {_is(evidence, bound.right)}"
        )
    two = bound.right.table != bound.cell.table
    return Found(
        source, f"{figure.text} is {place(evidence, bound.cell, where=two)}; {_is(evidence, bound.right, where=two)}"
    )


def derived(evidence: Evidence, figure: Figure, found: Derivation) -> Found:
    """A figure that follows from cells."""
    cells = [
        {"table": evidence.tables[t].name, "row": row, "column": evidence.tables[t].columns[c]}
        for t, row, c in found.cells
    ]
    return Found({"kind": "derived", "derivation": found.kind, "cells": cells}, f"{found.phrase} gives {figure.text}")


def cut_total(figure: Figure, table: Table, column: int) -> str:
    """A sum over the rows recorded that is given as the whole."""
    return f"{figure.text} is {column_label(table, column)} summed over the {len(table.rows)} rows returned{_of_all(table)}, not the total"


def cut_count(table: Table) -> str:
    """The number of rows returned that is given as the number of all."""
    return f"{len(table.rows)} is how many rows were returned{_of_all(table)}, not how many there are"


def _of_all(table: Table) -> str:
    return (
        f" of {table.row_count:,}"
        if table.row_count is not None and table.row_count > len(table.rows)
        else " (more were cut off)"
    )


def _is(evidence: Evidence, cell: Cell, *, where: bool = False) -> str:
    return f"{place(evidence, cell, where=where)} is {shown(evidence.raw(cell))}"


def nowhere(evidence: Evidence, view: View) -> str:
    """Why a figure without any explanation is wrong: what stands where it should, when that is clear."""
    figure = view.figure
    other = _other_unit(evidence, figure)
    if other:
        return other
    for t in range(len(evidence.tables)):
        named = view.named(t)
        if named.firm and len(named.rows) == 1:
            column = _meant(evidence, view, t, min(named.rows))
            if column is not None:
                return f"nothing gives {figure.text}; {_is(evidence, Cell(t, min(named.rows), column))}"
        summed = _not_additive(evidence, view, t)
        if summed:
            return summed
    return f"nothing gives {figure.text}: no result, definition, question or query argument"


def _other_unit(evidence: Evidence, figure: Figure) -> str:
    """The same number in another unit or magnitude."""
    bare = figure._replace(unit="")
    for found, _ in match.candidates(bare, evidence, turned=False, raw=False):
        unit = evidence.unit(found)
        if unit and figure.unit and not match.fits(figure, 1.0, unit):
            return f"{place(evidence, found)} is {shown(evidence.raw(found))} {unit}, not {figure.text}"
    if figure.readings and figure.readings[0].value:
        for power in (1e3, 1e-3, 1e6, 1e-6):
            low, high = match.interval(bare, bare.readings[0])
            if figure.readings[0].half < abs(figure.readings[0].value) / 20:
                for found in evidence.between(low * power, high * power):
                    if match.unit_fits(figure, evidence, found):
                        label = evidence.tables[found.table].units[found.column]
                        unit = f" {units_label(label)}" if units_label(label) else ""
                        return f"{place(evidence, found)} is {shown(evidence.raw(found))}{unit}: {figure.text} is off by {power if power > 1 else 1 / power:,.0f}"
    return ""


def units_label(unit: units.ColumnUnit) -> str:
    """A column's unit for people."""
    scale = {1e3: "thousand ", 1e6: "million ", 1e9: "billion "}.get(unit.scale, "")
    return f"{scale}{unit.unit}".strip()


def _meant(evidence: Evidence, view: View, t: int, row: int) -> int | None:
    """The numeric column that the words beside the figure name best."""
    near = view.near()
    best, most = None, 0
    for column, name in enumerate(evidence.tables[t].columns):
        score = len(telling_words(name) & near)
        if score > most and evidence.value(Cell(t, row, column)) is not None:
            best, most = column, score
    return best


def _not_additive(evidence: Evidence, view: View, t: int) -> str:
    """The sum of a column that does not add."""
    table = evidence.tables[t]
    for column in range(len(table.columns)):
        if table.additive[column] or table.units[column].unit == "":
            continue
        values = evidence.column(t, column)
        if len(values) > 1 and match.fits(view.figure, sum(v for _, v in values), table.units[column].unit):
            return f"{view.figure.text} is {column_label(table, column)} summed over {len(values)} rows, and averages and rates do not add"
    return ""
