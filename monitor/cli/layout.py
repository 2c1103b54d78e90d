"""
How a table is laid out: as wide as it needs to be, never wider than the terminal, words and numbers whole.

What has no room goes under its row: columns that may be left out, in their order, as ``name value`` on a line of their
own. Titles break at blanks and underscores, long names at their separators, and in the middle only when nothing else
helps. No line ends in blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text

GAP = 2
INDENT = 4
_NAME_PIECE = re.compile(r"[^\s_/-]*[_/-]+|[^\s_/-]+")
_WORD = re.compile(r"\S+")
_NOTHING = ("", "0", "–")


@dataclass(frozen=True, slots=True)
class Column:
    """One column. *right* are numbers. *drop* above 0: may go under the row, the lowest first."""

    title: str
    right: bool = False
    drop: int = 0


def spans(text: str, width: int, piece: re.Pattern[str] = _WORD) -> list[tuple[int, int]]:
    """Where the lines of *text* begin and end, none wider than *width* cells: broken between what *piece* matches."""
    found: list[tuple[int, int]] = []
    for start, end in _pieces(text, width, piece):
        if found and cell_len(text[found[-1][0] : end]) <= width:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found or [(0, 0)]


def _pieces(text: str, width: int, piece: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in piece.finditer(text):
        start, end = match.span()
        while cell_len(text[start:end]) > width:
            cut = start + max(1, _fitting(text[start:end], width))
            yield start, cut
            start = cut
        if start < end:
            yield start, end


def _fitting(text: str, width: int) -> int:
    """How many characters of *text* fit into *width* cells."""
    used = 0
    for number, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return number
    return len(text)


def wrapped(text: Text, width: int | None, indent: int = 0) -> Iterator[Text]:
    """*text* in lines of at most *width* cells, each behind *indent* blanks; in one line when *width* is None."""
    room = None if width is None else max(20, width - indent)
    for start, end in [(0, len(text.plain))] if room is None else spans(text.plain, room):
        yield Text(" " * indent).append_text(text[start:end])


def table(
    columns: Sequence[Column], rows: Sequence[tuple[Sequence[Text], Text | None]], width: int | None
) -> Iterator[Text]:
    """The lines of a table: its titles, and each row (cells, text that stands under them)."""
    kept = _kept(columns, rows, width)
    widths = _widths([columns[i] for i in kept], [[cells[i] for i in kept] for cells, _ in rows], width)
    titles = [Text(columns[i].title, style="dim") for i in kept]
    yield from _row(titles, [columns[i] for i in kept], widths, bottom=True)
    for cells, below in rows:
        yield from _row([cells[i] for i in kept], [columns[i] for i in kept], widths)
        left = [(columns[i].title, cells[i]) for i in range(len(columns)) if i not in kept]
        more = Text("; ").join(
            Text(f"{title} ").append_text(cell) for title, cell in left if cell.plain.strip() not in _NOTHING
        )
        for text in (more, below):
            if text is not None and text.plain:
                yield from wrapped(text, width, INDENT)


def _kept(columns: Sequence[Column], rows: Sequence[tuple[Sequence[Text], Any]], width: int | None) -> list[int]:
    """The columns that stand side by side: all, or without as many as it takes of those that may go."""
    kept = list(range(len(columns)))
    droppable = sorted((i for i in kept if columns[i].drop), key=lambda i: columns[i].drop)
    while width is not None and droppable:
        least = [_least(columns[i], [cells[i] for cells, _ in rows]) for i in kept]
        if sum(least) + GAP * (len(least) - 1) <= width:
            break
        kept.remove(droppable.pop(0))
    return kept


def _least(column: Column, cells: Sequence[Text]) -> int:
    """The narrowest that a column looks well at: its widest cell, or the longest part of its title."""
    title = max((cell_len(match[0]) for match in _NAME_PIECE.finditer(column.title)), default=0)
    return max([title, *(cell.cell_len for cell in cells)])


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int | None) -> list[int]:
    """Each column's width: titles break where that is needed, then the widest names do."""
    cells = [[row[i] for row in rows] for i in range(len(columns))]
    least = [_least(column, cells[i]) for i, column in enumerate(columns)]
    whole = [max(least[i], cell_len(column.title)) for i, column in enumerate(columns)]
    if width is None:
        return whole
    room = width - GAP * (len(columns) - 1)
    found = list(least)
    for i in range(len(columns)):
        if sum(found) - found[i] + whole[i] <= room:
            found[i] = whole[i]
    names = [i for i, column in enumerate(columns) if not column.right]
    while sum(found) > room and names:
        widest = max(names, key=lambda i: found[i])
        others = sum(found) - found[widest]
        second = max((found[i] for i in names if i != widest), default=0)
        found[widest] = max(8, min(found[widest] - 1, max(room - others, second)))
        if found[widest] == 8:
            names.remove(widest)
    return found


def _row(
    cells: Sequence[Text], columns: Sequence[Column], widths: Sequence[int], *, bottom: bool = False
) -> list[Text]:
    """The lines of one row; cells of fewer lines than others stand at the top, or at the *bottom*."""
    parts = []
    for cell, column, width in zip(cells, columns, widths, strict=True):
        whole = cell.cell_len <= width or (column.right and not bottom)
        at = [(0, len(cell.plain))] if whole else _broken(cell.plain, width)
        parts.append([cell[start:end] for start, end in at])
    height = max(map(len, parts), default=0)
    lines = []
    for number in range(height):
        line = Text()
        for part, column, width in zip(parts, columns, widths, strict=True):
            index = number - (height - len(part)) if bottom else number
            piece = part[index] if 0 <= index < len(part) else Text()
            blank = " " * (width - piece.cell_len)
            line.append(blank if column.right else "").append_text(piece).append("" if column.right else blank)
            line.append(" " * GAP)
        line.rstrip()
        lines.append(line)
    return lines


def _broken(name: str, width: int) -> list[tuple[int, int]]:
    """Where a name is broken: at its blanks when that is enough, else at its separators too."""
    blanks = all(cell_len(word[0]) <= width for word in _WORD.finditer(name))
    return spans(name, width, _WORD if blanks else _NAME_PIECE)
