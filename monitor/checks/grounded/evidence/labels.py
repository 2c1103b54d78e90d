"""
What people call a row or a column: short, on one line, without control characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from monitor.checks.grounded.evidence.contents import number
from monitor.checks.grounded.evidence.index import Cell, Evidence, Table
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.dates import moment_of
from monitor.remember import remembered

MAX_LABEL = 40
TOTALS = frozenset("total totals sum gesamt summe totaal totale overall".split())
_IDENTIFIER = re.compile(r"(?:[a-z]\w*\.)?([a-z][a-zA-Z0-9]*(?:_[a-zA-Z0-9]+)*)", re.ASCII)
_MONEY = re.compile(rf"(k|m|mn|bn)?({'|'.join(units.CURRENCY_CODES).lower()})")
_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_SPELLED = {"avg": "average", "pct": "percent", "num": "number of", "qty": "quantity", "cnt": "count of",
            "yoy": "year on year", "id": "ID"}  # fmt: skip
"""What is short in the names of columns, as people say it."""
_LONG = re.compile(r"-?[1-9]\d{4,14}(?:\.\d{1,6})?", re.ASCII)
_NOT_PLURAL = ("ss", "us", "is")
_LEADING = 6
"""So many cells at the start of a row may name it."""


def clean(text: str, limit: int = MAX_LABEL) -> str:
    """*text* on one line, printable, at most *limit* characters."""
    if len(text) <= limit and text.isprintable() and "  " not in text and text == text.strip():
        return text
    flat = " ".join("".join(char if char.isprintable() else " " for char in text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def row_label(evidence: Evidence, table: int, row: int) -> str:
    """What people call a row: its first text cell, two where one is not enough, else its first cell, else its number."""
    known = evidence.called.get((table, row))
    if known is None:
        known = evidence.called[table, row] = _row_label(evidence, table, row)
    return known


def _row_label(evidence: Evidence, table: int, row: int) -> str:
    cells = evidence.tables[table].rows[row]
    names = [cell for cell in cells[:_LEADING] if _names(cell)]
    if any(isinstance(name, str) for name in names):
        text = next(name for name in names if isinstance(name, str))
        if len(names) == 1 or (len(evidence.holding(text, table)) == 1 and not _is_time(text)):
            return clean(text)
        return " / ".join(dict.fromkeys(clean(str(name)) for name in names[:2]))
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


def _names(cell: Any) -> bool:
    """Whether a cell may name its row: a text, or a year."""
    if isinstance(cell, str):
        return len(cell.strip()) > 1 and number(cell) is None
    return isinstance(cell, int) and not isinstance(cell, bool) and 1900 <= cell <= 2100


def column_label(table: Table, column: int) -> str:
    """What people call a column: what the rows that continue the heading say, else its name, else its number."""
    if not table.header_rows:
        return _name(table.columns[column]) or f"column {column + 1}"
    heads = [
        clean(str(row[column]))
        for row in table.rows[: table.header_rows]
        if column < len(row) and str(row[column]).strip()
    ]
    return clean(" ".join(heads)) or _name(table.columns[column]) or f"column {column + 1}"


@remembered(4096)
def _name(column: str) -> str:
    return readable(clean(column))


@lru_cache(maxsize=4096)
def readable(name: str) -> str:
    """A column's name as people say it: ``avg_delay_min`` is *average delay (min)*; what is no identifier stays."""
    found = _IDENTIFIER.fullmatch(name)
    if found is None:
        return name
    words = _CAMEL.sub(r"\1_\2", found[1]).split("_")
    words = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    own: list[str] = []
    while len(words) > 1 and len(own) < 2 and _is_unit(words[-1]):
        own.insert(0, _MONEY.sub(lambda found: (found[1] or "") + found[2].upper(), words.pop()))
    return " ".join(_SPELLED.get(word, word) for word in words) + (f" ({'/'.join(own)})" if own else "")


def _is_unit(word: str) -> bool:
    """Whether a word at the end of a column's name says what its values are in."""
    return units.column_unit(f"delay_{word}", None) != units.ColumnUnit() and not word.startswith("point")


def shown(content: Any) -> str:
    """A cell's content for people. A whole number that may be a year has no separator."""
    if content is None:
        return "empty"
    if isinstance(content, float):
        return f"{content:,.10g}" if abs(content) < 1e15 else repr(content)
    if isinstance(content, int) and not isinstance(content, bool):
        if 1900 <= content <= 2100:
            return str(content)
        return f"{content:,}" if abs(content) < 10**18 else clean(str(content))
    text = clean(str(content))
    return f"{int(text.partition('.')[0]):,}{text[len(text.partition('.')[0]) :]}" if _LONG.fullmatch(text) else text


def is_(evidence: Evidence, cell: Cell, *, where: bool = False) -> str:
    """``Aurora's average delay is 12.4``; of what its row is called by, where it stands."""
    table, value = evidence.tables[cell.table], shown(evidence.raw(cell))
    if not table.is_result and table.columns == ["value"] and len(table.rows) == 1:
        return f"{clean(table.name)} gave {value}"
    if value in row_label(evidence, cell.table, cell.row).split(" / "):
        return f"stands in the column {column_label(table, cell.column)}"
    called = place(evidence, cell, where=where)
    return f"{called} {verb(called)} {value}"


def place(evidence: Evidence, cell: Cell, *, where: bool = False) -> str:
    """``Aurora's average delay``, ``passengers for 2026-08``; with *where*, also the table."""
    table = evidence.tables[cell.table]
    text = column_label(table, cell.column)
    if len(table.rows) > 1 or len(table.columns) > 2:
        label = row_label(evidence, cell.table, cell.row)
        if len(table.rows) == 1 and label.startswith("row "):
            pass
        else:
            text = _of_row(label, text)
    return f"{text} in {clean(table.name)}" if where else text


def _of_row(label: str, text: str) -> str:
    """A column's name with what its row is called: of whom, and of when."""
    owner, time = _around(label)
    return f"{owner}{text}{time}"


@remembered(4096)
def _around(label: str) -> tuple[str, str]:
    """What stands before and behind a column's name: whose it is, and of when."""
    names = label.split(" / ")
    when = [name for name in names if _is_time(name)]
    who = " / ".join(name for name in names if name not in when)
    return f"{whose(who)} " if who else "", f" for {', '.join(when)}" if when else ""


def whose(name: str) -> str:
    """``Aurora's``, ``Islands'``."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


@lru_cache(maxsize=4096)
def _is_time(name: str) -> bool:
    return (name.isdigit() and len(name) == 4 and 1900 <= int(name) <= 2100) or moment_of(name) is not None


def verb(name: str) -> str:
    """``is`` or ``are``, as fits what a column is called."""
    head = name.partition(" of ")[0].partition(" for ")[0].partition(" in ")[0].partition(" (")[0].rpartition(" ")[2]
    return "are" if len(head) > 3 and head.endswith("s") and not head.endswith(_NOT_PLURAL) and head.isascii() else "is"


def differ_in_time(evidence: Evidence, a: Cell, b: Cell) -> bool:
    """Whether two cells of one table stand in rows, or columns, that differ only by their date or period."""
    table = evidence.tables[a.table]
    if a.table != b.table:
        return False
    if a.row == b.row:
        return _is_time(clean(table.columns[a.column])) and _is_time(clean(table.columns[b.column]))
    times = False
    for column in range(min(len(table.columns), _LEADING)):
        one, two = a._replace(column=column), b._replace(column=column)
        x, y = evidence.raw(one), evidence.raw(two)
        if x == y or (a.column == b.column == column):
            continue
        if evidence.moment_at(one) and evidence.moment_at(two):
            times = True
        elif isinstance(x, str) and number(x) is None:
            return False
    return times


def is_total(evidence: Evidence, table: int, row: int) -> bool:
    """Whether a row holds the totals of the rows above it, by its first text. Each row is read once."""
    found = evidence.totals.get((table, row))
    if found is None:
        found = evidence.totals[table, row] = _says_total(evidence.tables[table].rows[row])
    return found


def _says_total(cells: Sequence[Any]) -> bool:
    first = next((cell for cell in cells if isinstance(cell, str) and cell.strip()), "")
    words = first.split(maxsplit=1)
    return bool(words) and words[0].lower().rstrip(":") in TOTALS
