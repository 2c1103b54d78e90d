"""
One sentence for a reviewer: where a figure comes from, or what is wrong with it.

It stands beside the figure and does not repeat it.
"""

from __future__ import annotations

from typing import Any

from monitor.checks.grounded.bind import Binding
from monitor.checks.grounded.derive import Derivation
from monitor.checks.grounded.index import Cell, Evidence, Table
from monitor.checks.grounded.labels import clean, column_label, place, shown
from monitor.checks.grounded.sources import Found

UNDECIDED = {
    "truncated": "not among the rows recorded, and rows are missing from the record",
    "redacted": "not found, and parts of the record are redacted",
    "too_long": "not found, and the conversation is longer than what is looked at",
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
    text = is_(evidence, cell)
    if table.unseen_from is not None and cell.row >= table.unseen_from:
        source["unseen"] = True
        text += ", in a row that the agent was not shown"
    return Found(source, text)


def fault(evidence: Evidence, bound: Binding) -> Found:
    """A figure whose value belongs elsewhere."""
    source = {**source_of(evidence, bound.cell), "fault": bound.fault}
    if bound.fault == "sign":
        return Found({**source, "fault": "direction"}, f"{is_(evidence, bound.cell)}: the minus is missing")
    if bound.fault == "coincidence":
        return Found(
            {},
            f"the words name no place where it stands; only {place(evidence, bound.cell)} happens to have that value",
        )
    if bound.fault == "wrong_value":
        return Found(source, is_(evidence, bound.cell))
    if bound.fault == "direction" or bound.right is None:
        said = "rose" if (evidence.value(bound.cell) or 0) < 0 else "fell"
        return Found(source, f"{is_(evidence, bound.cell)}; the words say it {said}")
    if bound.fault == "earlier_turn":
        origin = clean(evidence.tables[bound.cell.table].origin)
        return Found(source, f"that is {place(evidence, bound.cell)} of {origin}; now {is_(evidence, bound.right)}")
    two = bound.right.table != bound.cell.table
    return Found(source, f"that is {place(evidence, bound.cell, where=two)}; {is_(evidence, bound.right, where=two)}")


def derived(evidence: Evidence, found: Derivation) -> Found:
    """A figure that follows from cells."""
    cells = [
        {"table": evidence.tables[t].name, "row": row, "column": evidence.tables[t].columns[c]}
        for t, row, c in found.cells
    ]
    return Found({"kind": "derived", "derivation": found.kind, "cells": cells}, found.phrase)


def cut_total(table: Table, column: int) -> str:
    """A sum over the rows recorded that is given as the whole."""
    rows = f"the {len(table.rows)} rows returned{_of_all(table)}"
    return f"that is {column_label(table, column)} summed over only {rows}, not the total"


def cut_count(table: Table) -> str:
    """The number of rows returned that is given as the number of all."""
    return f"that is how many rows were returned{_of_all(table)}, not how many there are"


def _of_all(table: Table) -> str:
    if table.row_count is not None and table.row_count > len(table.rows):
        return f" of {table.row_count:,}"
    return " (more were cut off)" if table.truncated else f" under LIMIT {len(table.rows)}"


def is_(evidence: Evidence, cell: Cell, *, where: bool = False) -> str:
    """``Aurora's avg_delay is 12.4``."""
    content = evidence.raw(cell)
    year = isinstance(content, int) and evidence.moment_at(cell) is not None
    return f"{place(evidence, cell, where=where)} is {content if year else shown(content)}"
