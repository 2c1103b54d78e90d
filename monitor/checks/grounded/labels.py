"""
What people call a row or a column: short, on one line, without control characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monitor.checks.grounded.dates import moment_of
from monitor.checks.grounded.index import Cell, Evidence, Table, number

MAX_LABEL = 40
_TOTALS = frozenset("total totals sum gesamt summe totaal totale overall".split())


def clean(text: str, limit: int = MAX_LABEL) -> str:
    """*text* on one line, printable, at most *limit* characters."""
    if len(text) <= limit and text.isprintable() and "  " not in text and text == text.strip():
        return text
    flat = " ".join("".join(char if char.isprintable() else " " for char in text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def row_label(evidence: Evidence, table: int, row: int) -> str:
    """What people call a row: its first text cells (at most two), else its first cell, else its number."""
    cells = evidence.tables[table].rows[row]
    names = [
        clean(cell) for cell in cells[:6] if isinstance(cell, str) and len(cell.strip()) > 1 and number(cell) is None
    ]
    if len(names) > 1 and moment_of(names[1]) and len(evidence.holding(names[0], table)) == 1:
        return names[0]
    if names:
        return " / ".join(names[:2])
    period = _period(evidence, table, row)
    if period:
        return period
    first = cells[0] if cells and not isinstance(cells[0], float) else None
    return clean(str(first)) if first not in (None, "") and len(evidence.tables[table].rows) > 1 else f"row {row + 1}"


def _period(evidence: Evidence, table: int, row: int) -> str:
    """What people call a row that only numbers of years, months or weeks name (``2024 / month 3``)."""
    parts = []
    for column, content in enumerate(evidence.tables[table].rows[row][:4]):
        moment = evidence.moment_at(Cell(table, row, column))
        if moment is not None and not isinstance(content, str):
            name = clean(evidence.tables[table].columns[column])
            parts.append(clean(f"{content}") if 1000 < float(content) < 3000 else f"{name} {content}")
    return " / ".join(parts)


def column_label(table: Table, column: int) -> str:
    """What people call a column: what the rows that continue the heading say, else its name, else its number."""
    heads = [
        clean(str(row[column]))
        for row in table.rows[: table.header_rows]
        if column < len(row) and str(row[column]).strip()
    ]
    return clean(" ".join(heads)) or clean(table.columns[column]) or f"column {column + 1}"


def shown(content: Any) -> str:
    """A cell's content for people."""
    if isinstance(content, float):
        return f"{content:,.10g}" if abs(content) < 1e15 else repr(content)
    if isinstance(content, int) and not isinstance(content, bool):
        return f"{content:,}" if abs(content) < 10**18 else clean(str(content))
    return clean(str(content))


def place(evidence: Evidence, cell: Cell, *, where: bool = False) -> str:
    """``Aurora's avg_delay``; with *where*, also the table."""
    table = evidence.tables[cell.table]
    text = column_label(table, cell.column)
    if len(table.rows) > 1 or len(table.columns) > 2:
        label = row_label(evidence, cell.table, cell.row)
        text = text if len(table.rows) == 1 and label.startswith("row ") else f"{label}'s {text}"
    return f"{text} in {clean(table.name)}" if where else text


def is_total(evidence: Evidence, table: int, row: int) -> bool:
    """Whether a row holds the totals of the rows above it, by its first text. Each row is read once."""
    found = evidence.totals.get((table, row))
    if found is None:
        found = evidence.totals[table, row] = _says_total(evidence.tables[table].rows[row])
    return found


def _says_total(cells: Sequence[Any]) -> bool:
    first = next((cell for cell in cells if isinstance(cell, str) and cell.strip()), "")
    words = first.split(maxsplit=1)
    return bool(words) and words[0].lower().rstrip(":") in _TOTALS
