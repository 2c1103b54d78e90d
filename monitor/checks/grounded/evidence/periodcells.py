"""
Cells that stand for a year, quarter, month, week or hour by their column: numbers (``fiscal_year`` 2024, ``week`` 17).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from monitor.checks.grounded.text.dates import Moment
from monitor.remember import remembered

_NAMES = {
    "year": "year yr jahr année annee an año anio ano jaar anno år rok",
    "quarter": "quarter qtr quartal trimestre trimester kwartaal kvartal",
    "month": "month monat mois mes mese mês maand månad miesiąc",
    "week": "week wk kw kalenderwoche woche semaine semana settimana vecka tydzień",
    "hour": "hour hr stunde heure hora ora uur timme",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_FILLERS = frozenset("iso calendar fiscal financial of number no nr num the start order report reporting id".split())
_PART = re.compile(r"[^\W\d_]+")
_YEAR = r"(?:1[5-9]|20)\d\d"
_YEARS = re.compile(
    rf"{_YEAR}(?:\s?[-–/,;]\s?(?:{_YEAR}|\d\d\b|[a-z]{{3,8}}\b)?)*(?:\s?\([^()]{{1,30}}\))?", re.IGNORECASE
)
"""A year, or years and stretches of years (``2005 - 2006 , 2009``)."""
_DIGITS = frozenset("12")
_EACH_YEAR = re.compile(_YEAR)
_LIMITS = {"year": (1500, 2100), "quarter": (1, 4), "month": (1, 12), "week": (1, 53), "hour": (0, 23)}
MAX_COLUMNS = 60
LONGEST = 60
"""Characters of the longest cell that is read as years."""


@remembered(4096)
def _kind(name: str) -> str:
    """What the numbers of a column of this *name* count: ``year`` … ``hour``; "" for none of these."""
    parts = [part for part in _PART.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()) if part not in _FILLERS]
    kinds = {kind for part in parts if (kind := _KINDS.get(part))}
    if "year" in kinds:
        return "year" if kinds == {"year"} else ""
    return kinds.pop() if len(kinds) == 1 == len(parts) else ""


def period_cells(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], dated: list[tuple[Moment, int, int]]
) -> list[tuple[Moment, int, int]]:
    """
    (moment, row, column) of a table's date cells *dated* and of its numbers that are periods.

    A month, quarter or week without a year has that of the row's only year column.
    """
    found = [*dated]
    years: dict[int, int] = {}
    columns_of_years = 0
    taken = {(row, column) for _, row, column in dated}
    for column, name in enumerate(columns[:MAX_COLUMNS]):
        kind = _kind(name)
        cells = _whole_numbers(rows, column, *_LIMITS[kind]) if kind else []
        if cells and kind == "year":
            columns_of_years += 1
            years = dict(cells)
        periods = [(_moment(kind, value), row, column) for row, value in cells] or _years_as_text(rows, column)
        found += [(moment, row, column) for moment, row, _ in periods if (row, column) not in taken]
    if columns_of_years != 1:
        return found
    return [(_with_year(moment, years.get(row)), row, column) for moment, row, column in found]


def _with_year(moment: Moment, year: int | None) -> Moment:
    partial = moment.year is None and (moment.month or moment.quarter or moment.week)
    return moment._replace(year=year) if partial else moment


def _moment(kind: str, value: int) -> Moment:
    if kind == "hour":
        return Moment(0, 0, minute=value * 60)
    bare = Moment(0, 0)
    if kind == "year":
        return bare._replace(year=value)
    if kind == "quarter":
        return bare._replace(quarter=value)
    return bare._replace(month=value) if kind == "month" else bare._replace(week=value)


def _years_as_text(rows: Sequence[Sequence[Any]], column: int) -> list[tuple[Moment, int, int]]:
    """(moment, row, column) of years and stretches of years that are written as text; nothing when most cells are others."""
    first = [row[column] for row in rows[:4] if column < len(row)]
    if not any(
        isinstance(cell, str) and cell[:1] in _DIGITS and _YEARS.fullmatch(cell.strip()[:LONGEST]) for cell in first
    ):
        return []
    texts = [
        (n, row[column].strip()) for n, row in enumerate(rows) if column < len(row) and isinstance(row[column], str)
    ]
    out = []
    for row, text in texts:
        found = (
            [int(year) for year in _EACH_YEAR.findall(text)] if len(text) <= LONGEST and _YEARS.fullmatch(text) else []
        )
        if found:
            last = max(found) if len(found) > 1 else None
            out.append((Moment(0, 0, year=min(found), last_year=last), row, column))
    return out if len(out) * 4 >= len(texts) * 3 else []


def _whole_numbers(rows: Sequence[Sequence[Any]], column: int, low: int, high: int) -> list[tuple[int, int]]:
    """(row, value) of a column's whole numbers between *low* and *high*; nothing when most of it is something else."""
    out: list[tuple[int, int]] = []
    others = 0
    for place, row in enumerate(rows):
        cell = row[column] if column < len(row) else None
        value = _whole(cell)
        if value is not None and low <= value <= high:
            out.append((place, value))
        elif cell not in (None, ""):
            others += 1
    return out if others * 4 <= len(out) else []


def _whole(cell: Any) -> int | None:
    if isinstance(cell, str):
        text = cell.strip()
        return int(text) if len(text) <= 4 and text.isdecimal() else None
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and cell % 1 == 0:
        return int(cell)
    return None
