"""
One sentence for a reviewer: where a figure comes from, or what is wrong with it.

It stands beside the figure and can be read alone. Columns are called as people say them; the source has their exact names.
"""

from __future__ import annotations

from typing import Any

from monitor.checks.grounded.claims.bind import Binding
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.evidence.index import Cell, Evidence, Table
from monitor.checks.grounded.evidence.labels import (
    clean,
    column_label,
    differ_in_time,
    is_,
    place,
    row_label,
    shown,
    verb,
    whose,
)
from monitor.checks.grounded.faults import NOWHERE
from monitor.checks.grounded.sources import Found

UNDECIDED = {
    "truncated": "not among the rows recorded, and rows are missing from the record",
    "redacted": "not found, and parts of the record are redacted",
    "too_long": "not found, and the conversation is longer than what is looked at",
    "not_recorded": "the record does not hold what the agent's queries returned",
}

_NO_PERIOD = "no result, question, definition or filter has this date or period"


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


def positions(evidence: Evidence, source: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Where the cells of a *source* stand, as (table, row, column)."""
    cells = source.get("cells", []) if source.get("kind") == "derived" else [source]
    names = {table.name: t for t, table in reversed(list(enumerate(evidence.tables)))}
    out = []
    for each in cells:
        t = names.get(each.get("table", ""))
        if t is not None and "row" in each and each.get("column") in evidence.tables[t].columns:
            out.append((t, each["row"], evidence.tables[t].columns.index(each["column"])))
    return out


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
    source, right = source_of(evidence, bound.cell), bound.right
    if bound.fault == "sign":
        return Found(source, f"{is_(evidence, bound.cell)}: the minus is missing", "direction")
    if bound.fault == "coincidence":
        text = f"the words name no place where it stands; it is {place(evidence, bound.cell)} only by chance"
        return Found(source, text, "coincidence")
    if bound.fault == "direction" or right is None:
        move = "a fall, not a rise" if (evidence.value(bound.cell) or 0) < 0 else "a rise, not a fall"
        return Found(source, f"{is_(evidence, bound.cell)}: {move}", "direction")
    if bound.fault == "earlier_turn":
        origin = clean(evidence.tables[bound.cell.table].origin)
        return Found(source, f"{taken(evidence, bound.cell)} in {origin}; now {is_(evidence, right)}", "earlier_turn")
    kind = "wrong_period" if differ_in_time(evidence, bound.cell, right) else bound.fault
    two = right.table != bound.cell.table
    return Found(source, f"{taken(evidence, bound.cell, where=two)}; {_instead(evidence, bound.cell, right)}", kind)


def _instead(evidence: Evidence, cell: Cell, right: Cell) -> str:
    """What the named cell holds, without saying its column again where that is the same."""
    named = row_label(evidence, right.table, right.row)
    called = place(evidence, right)
    if cell.table != right.table or cell.column != right.column or not called.startswith(f"{whose(named)} "):
        return is_(evidence, right, where=cell.table != right.table)
    return f"{whose(named)} {verb(called)} {shown(evidence.raw(right))}"


def taken(evidence: Evidence, cell: Cell, *, where: bool = False) -> str:
    """``12.4 is Aurora's average delay``."""
    return f"{shown(evidence.raw(cell))} is {place(evidence, cell, where=where)}"


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
    return f"that is the sum of {column_label(table, column)} over only {rows}, not the total"


def cut_count(table: Table) -> str:
    """The number of rows returned that is given as the number of all."""
    return f"that is how many rows were returned{_of_all(table)}, not how many there are"


def _of_all(table: Table) -> str:
    if table.row_count is not None and table.row_count > len(table.rows):
        return f" of {table.row_count:,}"
    return " (more were cut off)" if table.truncated else f" under LIMIT {len(table.rows)}"


def no_period(evidence: Evidence, expected: Cell | None) -> Found:
    """Why a date, time or period that nothing gives is wrong: what the words mean instead, or what there is."""
    if expected is not None:
        return Found({}, f"{_NO_PERIOD}; {is_(evidence, expected)}", "wrong_period")
    if not evidence.moments:
        given = any(figure.moment for source in evidence.sources for figure in source.figures())
        return Found({}, _NO_PERIOD, "wrong_period" if given else NOWHERE)
    first, last = evidence.ends()
    label = column_label(evidence.tables[first.table], first.column)
    ends = f"from {shown(evidence.raw(first))} to {shown(evidence.raw(last))}"
    return Found({}, f"{_NO_PERIOD}; {label} goes {ends}", "wrong_period")
