"""
The evidence of one answer, indexed: cells by value, by date and by text, and the texts that may be quoted.

Cells of all tables stand in one sorted list, so that a figure finds its candidates by bisection. What takes longer is
built when first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest
from math import isnan
from typing import Any, NamedTuple

from monitor.checks.grounded.dates import MONTHS, WEEKDAYS, Moment, moment_of
from monitor.checks.grounded.figures import Figure, find_figures
from monitor.checks.grounded.periodcells import period_cells
from monitor.checks.grounded.units import CURRENCY_CODES, ColumnUnit
from monitor.checks.grounded.values import Numbers
from monitor.errors import TooLarge

MAX_CELLS = 200_000
MAX_TEXT = 100_000
MAX_WORK = 500_000
"""Elementary steps (a cell looked at, a pair tried) that one answer may cost."""
MAX_SAME = 500
LONGEST_CELL = 60
"""Characters of a text cell that may be a number or a date."""
LONGEST_MONTH = 12
"""Characters of a text without digits that may be a date (``September``)."""
LONGEST_NOTE = 2000
"""So many characters of a longer text cell are read for what it states."""
HUGE = 1e300
"""Numbers beyond this are not looked at."""


class Cell(NamedTuple):
    """Where a value stands: positions in :attr:`Evidence.tables`, the row and the column."""

    table: int
    row: int
    column: int


@dataclass(slots=True)
class Table:
    """
    One table of evidence. *units* are canonical, *additive* says which columns may be summed, *counts* which count.

    *origin* is for people; *earlier* marks an earlier turn's; rows from *unseen_from* on were not shown to the agent;
    *limit* is the query's own row limit; the first *header_rows* rows continue the heading; *is_result* is false for
    tool results that are no table.
    """

    name: str
    columns: list[str]
    rows: Sequence[Sequence[Any]]
    units: list[ColumnUnit]
    additive: list[bool]
    counts: list[bool]
    aggregated: list[bool]
    origin: str = ""
    earlier: bool = False
    unseen_from: int | None = None
    truncated: bool = False
    limit: int | None = None
    row_count: int | None = None
    is_result: bool = True
    header_rows: int = 0


@dataclass(slots=True)
class Source:
    """A text that may be quoted: a definition, the question, instructions, an error's message."""

    kind: str
    name: str
    text: str

    def figures(self) -> tuple[Figure, ...]:
        """The figures in the text, parsed once for equal texts."""
        return _parsed(self.text)


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[Figure, ...]:
    return tuple(find_figures(text[:MAX_TEXT]))


@dataclass(slots=True)
class Evidence:
    """
    Everything that the figures of one answer may come from.

    *given* holds the queries' and calls' own arguments as recorded; *sqls* are the queries' texts, parsed only when a figure is unexplained without them. *incomplete* is the cause
    (``truncated``, ``redacted``, ``not_recorded``) that leaves an unexplained figure undecided. *scales* are magnitudes
    that a heading or caption declares for a whole table (``in thousands``), *column_scales* those of single columns; *percent* says that one declares percentages.
    *work* counts what was looked at. *totals* keeps which rows, by (table, row), hold totals.
    """

    tables: list[Table] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    sqls: list[str] = field(default_factory=list)
    incomplete: str | None = None
    scales: set[float] = field(default_factory=set)
    column_scales: set[float] = field(default_factory=set)
    percent: bool = False
    size: int = 0
    work: int = 0
    totals: dict[tuple[int, int], bool] = field(default_factory=dict)
    _indexes: list[Index] = field(default_factory=list)
    _number_columns: int = 0
    _moments: list[tuple[Moment, Cell]] | None = None
    _moment_at: dict[Cell, Moment] | None = None
    _dated: dict[int, dict[int, Moment]] = field(default_factory=dict)

    def spend(self, steps: int) -> None:
        """Count *steps* of work. Raises TooLarge beyond the bound."""
        self.work += steps
        if self.work > MAX_WORK:
            raise TooLarge("checking the figures of this answer would take too long")

    @property
    def moments(self) -> list[tuple[Moment, Cell]]:
        """Every date and time among the cells."""
        if self._moments is None:
            self._moments = [
                (moment, Cell(table, row, column))
                for table, (source, index) in enumerate(self.indexed())
                for moment, row, column in index.dated(source)
            ]
        return self._moments

    def moment_at(self, cell: Cell) -> Moment | None:
        """The date, time or period that *cell* holds."""
        if self._moment_at is None:
            self._moment_at = {cell: moment for moment, cell in self.moments}
        return self._moment_at.get(cell)

    def names(self) -> Iterator[tuple[int, list[tuple[str, str, str]]]]:
        """(table, [(its first word, lower case, the text)]) of the texts that can name a row."""
        return ((table, index.names) for table, index in enumerate(self._indexes))

    def texts(self) -> dict[str, None]:
        """The texts that can name a row, each once."""
        return {text: None for index in self._indexes for text in index.texts}

    def notes(self) -> dict[str, Cell]:
        """The texts too long to name a row, each with a cell that holds it."""
        return {
            text: Cell(table, *place)
            for table, index in enumerate(self._indexes)
            for text, place in index.notes.items()
        }

    def holding(self, text: str, table: int | None = None) -> list[Cell]:
        """The cells that hold *text*, in all tables or in one."""
        indexes = enumerate(self._indexes) if table is None else ((table, self._indexes[table]),)
        return [Cell(t, row, column) for t, index in indexes for row, column in index.texts.get(text, ())]

    def between(self, low: float, high: float) -> list[Cell]:
        """Cells whose value lies in [low, high], at most MAX_SAME of them."""
        out: list[Cell] = []
        for table, index in enumerate(self._indexes):
            for numbers in index.numbers:
                if numbers.least <= high and low <= numbers.most and len(out) < MAX_SAME:
                    column, rows = numbers.column, numbers.between(low, high)
                    out += [Cell(table, row, column) for row in rows[: MAX_SAME - len(out)]]
        self.spend(1 + len(out) + self._number_columns // 4)
        return out

    def density(self, value: float, half: float) -> float:
        """
        How likely a number like this stands in the evidence by chance: of the values from half to twice *value*, at the
        precision written, the share that some cell has (0 to 1).
        """
        step = half * 2 or 1.0
        low, high = min(value / 2, value * 2, value - step), max(value / 2, value * 2, value + step)
        possible = (high - low) / step + 1
        if possible > MAX_SAME:
            return 0.0
        found: set[int] = set()
        for index in self._indexes:
            for numbers in index.numbers:
                if numbers.least <= high and low <= numbers.most:
                    found.update(round(v / step) for v in numbers.values(low, high)[:MAX_SAME])
        self.spend(len(found))
        return len(found) / possible

    def raw(self, cell: Cell) -> Any:
        """What stands in *cell*."""
        row = self.tables[cell.table].rows[cell.row]
        return row[cell.column] if cell.column < len(row) else None

    def value(self, cell: Cell) -> float | None:
        """The number in *cell*, in its column's unit, or None."""
        value = number(self.raw(cell))
        return None if value is None else value * self.tables[cell.table].units[cell.column].scale

    def unit(self, cell: Cell) -> str:
        """The canonical unit of *cell*: its own (``84.1%``), else its column's."""
        own = self._indexes[cell.table].units
        return (own.get((cell.row, cell.column)) if own else None) or self.tables[cell.table].units[cell.column].unit

    def column(self, table: int, column: int) -> list[tuple[int, float]]:
        """(row, value) of the numbers in a column, heading rows left out."""
        index = self._indexes[table]
        cached = index.columns.get(column)
        if cached is None:
            source = self.tables[table]
            scale = source.units[column].scale
            self.spend(len(source.rows))
            cached = index.columns[column] = [
                (number_of_row, value * scale)
                for number_of_row, row in enumerate(source.rows)
                if column < len(row)
                and number_of_row >= source.header_rows
                and (value := number(row[column])) is not None
            ]
        return cached

    def numeric(self, table: int) -> list[tuple[int, int]]:
        """(column, how many of its cells are numbers) of the columns that hold numbers."""
        return [(numbers.column, len(numbers)) for numbers in self._indexes[table].numbers]

    def first_measure(self, table: int) -> int:
        """The first column that holds numbers in its first rows: what stands left of it names the rows."""
        return self._indexes[table].first_measure

    def tells_rows(self, table: int, column: int) -> bool:
        """Whether names in a column tell rows apart: left of the first measure, or hardly any twice."""
        if column < self.first_measure(table):
            return True
        index = self._indexes[table]
        known = index.telling.get(column)
        if known is None:
            rows = [row[column] for row in self.tables[table].rows if column < len(row)]
            self.spend(len(rows) // 2)
            known = index.telling[column] = len(set(map(str, rows))) * 5 >= len(rows) * 4
        return known

    def last_key(self, table: int) -> int:
        """The last column whose dates name rows: up to the first measure, or the only column of dates."""
        index = self._indexes[table]
        if index.last_key < 0:
            dates = {column for _, _, column in index.dated(self.tables[table])}
            index.last_key = max(index.first_measure, *dates) if len(dates) == 1 else index.first_measure
        return index.last_key

    def holds_ratios(self, table: int, column: int) -> bool:
        """Whether an undeclared column of three rows or more holds fractions below 1 only."""
        index = self._indexes[table]
        known = index.ratios.get(column)
        if known is None:
            values = [value for _, value in self.column(table, column)]
            known = len(values) > 2 and min(values) >= -1 and max(values) <= 1 and any(value % 1 for value in values)
            index.ratios[column] = known
        return known

    def dated(self, table: int) -> dict[int, Moment]:
        """The first moment in each row of a table."""
        cached = self._dated.get(table)
        if cached is None:
            cached = {}
            for moment, cell in self.moments:
                if cell.table == table and not _narrower(cached.setdefault(cell.row, moment), moment):
                    cached[cell.row] = moment
            self._dated[table] = cached
        return self._dated[table]

    def indexed(self) -> Iterator[tuple[Table, Index]]:
        """Each table with its index, which another evidence may share."""
        return zip(self.tables, self._indexes, strict=True)

    def add(self, table: Table, index: Index | None = None) -> Index:
        """Take *table* in, with its *index* where it has one. Raises TooLarge beyond the bound on cells."""
        self.size += len(table.rows) * max(1, len(table.columns))
        if self.size > MAX_CELLS:
            raise TooLarge(f"the evidence has more than {MAX_CELLS} cells")
        index = index or Index(table)
        table.header_rows = index.header_rows
        self.tables.append(table)
        self._indexes.append(index)
        self._number_columns += len(index.numbers)
        self.column_scales.update(unit.scale for unit in table.units if unit.scale != 1.0)
        if table.header_rows and not any(table.aggregated):
            self.scales.update((1e3, 1e6, 1e9))
        return index


class Index:
    """
    The cells of one table by value, date and text, whatever the evidence that the table stands in.

    *numbers* has the columns that hold numbers; *texts* says where each text stands that can name a row, *notes* where a longer
    one does, and *names* has these with their first word and in lower case; *units* are cells' own.
    *columns* and *ratios* keep what was worked out of columns.
    """

    __slots__ = (
        "_periods",
        "columns",
        "first_measure",
        "header_rows",
        "last_key",
        "moments",
        "names",
        "notes",
        "numbers",
        "ratios",
        "telling",
        "texts",
        "units",
    )

    def __init__(self, table: Table) -> None:
        self.header_rows = _header_rows(table)
        self.first_measure = _first_measure(table, self.header_rows)
        self.last_key = -1
        self.notes: dict[str, tuple[int, int]] = {}
        self.moments: list[tuple[Moment, int, int]] = []
        self._periods: list[tuple[Moment, int, int]] | None = None
        self.texts: dict[str, list[tuple[int, int]]] = {}
        self.units: dict[tuple[int, int], str] = {}
        self.columns: dict[int, list[tuple[int, float]]] = {}
        self.ratios: dict[int, bool] = {}
        self.telling: dict[int, bool] = {}
        self.numbers: list[Numbers] = []
        for column, cells in enumerate(zip_longest(*table.rows)):
            values, rows = self._column(column, cells)
            if rows:
                self.numbers.append(Numbers(column, values, rows, table.units[column].scale))
        self.names = [_named(text) for text in self.texts]

    def dated(self, table: Table) -> list[tuple[Moment, int, int]]:
        """(moment, row, column) of the dates, times and periods in *table*, whose index this is."""
        if self._periods is None:
            cells = period_cells(table.columns, table.rows, self.moments)
            self._periods = [found for found in cells if found[1] >= self.header_rows]
        return self._periods

    def _column(self, column: int, cells: Sequence[Any]) -> tuple[Sequence[float], Sequence[int]]:
        """The numbers of a column, unscaled, and their rows; its texts and dates are noted."""
        kinds = set(map(type, cells))
        if kinds == _TEXT and self._all_names(column, cells):
            return (), ()
        if kinds <= _PLAIN and min(cells) > -HUGE and max(cells) < HUGE and not isnan(sum(cells)):
            return cells, range(len(cells))
        values: list[float] = []
        rows: list[int] = []
        for row, content in enumerate(cells):
            value = self._text(content, row, column) if type(content) is str else number(content)
            if value is not None:
                values.append(value)
                rows.append(row)
        return values, rows

    def _all_names(self, column: int, cells: Sequence[str]) -> bool:
        """Note a column whose texts are all names, no numbers or dates; whether it is one."""
        if max(map(len, cells)) > LONGEST_CELL:
            return False
        unsure = cells if _DIGIT.search("\n".join(cells)) else [c for c in cells if len(c.strip()) <= LONGEST_MONTH]
        if list(map(_cell, unsure)).count(_NOTHING) < len(unsure):
            return False
        for row, content in enumerate(cells):
            if 1 < len(content) <= 80:
                self.texts.setdefault(content, []).append((row, column))
        return True

    def _text(self, content: str, row: int, column: int) -> float | None:
        value, unit, moment = _cell(content) if len(content) <= LONGEST_CELL else _NOTHING
        if unit:
            self.units[row, column] = unit
        if moment is not None:
            self.moments.append((moment, row, column))
        if len(content) > 80:
            self.notes.setdefault(content[:LONGEST_NOTE], (row, column))
        elif len(content) > 1 and (value is None or (column == 0 and not unit)):
            known = self.texts.get(content)
            if known is None:
                self.texts[content] = [(row, column)]
            else:
                known.append((row, column))
        return value


def _narrower(known: Moment, other: Moment) -> bool:
    """Whether *known* says as much of the day as *other* of the same year."""
    return known.year != other.year or known.order >= other.order or known.month is not None


_PLAIN = {int, float}
_TEXT = {str}
_NOTHING: tuple[float | None, str, Moment | None] = (None, "", None)


@lru_cache(maxsize=16_384)
def _named(text: str) -> tuple[str, str, str]:
    """(first word, lower case, *text*); no first word where words are not told apart by spaces."""
    name = text.strip().lower()
    if not name.isascii():
        return "", name, text
    first = name.partition(" ")[0]
    if not first.isalnum():
        found = _WORD.search(name)
        first = found[0] if found else ""
    return first, name, text


def _header_rows(table: Table) -> int:
    """How many leading rows continue the heading: where names are missing, rows that hold no numbers but years."""
    names = [name for name in table.columns if name.strip()]
    if len(set(names)) == len(table.columns) or not table.columns:
        return 0
    count = 0
    for row in table.rows[:3]:
        numbers = [number(content) for content in row]
        if any(value is not None and not 1900 <= value <= 2100 for value in numbers):
            break
        count += 1
    return count


def _first_measure(table: Table, header_rows: int) -> int:
    width = len(table.columns)
    rows = table.rows[header_rows : header_rows + 3]
    for column in range(1, width):
        if any(column < len(row) and number(row[column]) is not None for row in rows):
            return column
    return width


def number(content: Any) -> float | None:
    """The number that a cell holds, as a number or as text; None for anything else, and for what is beyond all bounds."""
    if isinstance(content, str):
        return _cell(content)[0] if len(content) <= LONGEST_CELL else None
    if isinstance(content, bool) or not isinstance(content, (int, float, Decimal)):
        return None
    if isinstance(content, Decimal) and not content.is_finite():
        return None
    return float(content) if -HUGE < content < HUGE else None


_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
_LEADS = re.compile(
    rf"(?:Q[1-4]|FY|W\d|R\$|{'|'.join(sorted({name[:3] for name in (*MONTHS, *WEEKDAYS)} | CURRENCY_CODES))})",
    re.IGNORECASE,
)
_CLOCKED = re.compile(r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,3})?)")
_ACCOUNTING = re.compile(r"([$€£¥]?)\s?\(\s?([$€£¥]?\s?[\d.,]{1,30})\s?(%?)\s?\)\s?(%?)")


@lru_cache(maxsize=32_768)
def _cell(content: str) -> tuple[float | None, str, Moment | None]:
    """(number, unit, moment) of a text cell that is, as a whole, one of these."""
    text = " ".join(content.split()) if "  " in content else content.strip()
    if not text or len(text) > 40:
        return None, "", None
    if not _DIGIT.search(text):
        return None, "", moment_of(text) if len(text) <= LONGEST_MONTH else None
    if text[0].isalpha() and not _LEADS.match(text):
        return None, "", None
    try:
        plain = float(text.replace("_", "x"))
    except ValueError:
        pass
    else:
        return (plain if -HUGE < plain < HUGE else None), "", None
    negative = _ACCOUNTING.fullmatch(text)
    if negative:
        value, unit, _ = _cell(negative[1] + negative[2] + (negative[3] or negative[4]))
        return (None if value is None else -value), unit, None
    timed = _CLOCKED.fullmatch(text)
    if timed and (timed[1] or "." in timed[3]):
        seconds = int(timed[1] or 0) * 3600 + int(timed[2]) * 60 + float(timed[3])
        clock = timed[1] and len(timed[1]) == 2 and int(timed[1]) < 24
        return seconds, "s", Moment(0, len(text), minute=int(timed[1]) * 60 + int(timed[2])) if clock else None
    moment = moment_of(text)
    if moment is not None:
        return None, "", moment
    found = find_figures(text, words=False)
    if len(found) == 1 and found[0].readings and found[0].end - found[0].start >= len(text) - 2:
        return found[0].readings[0].value, found[0].unit, None
    return None, "", None
