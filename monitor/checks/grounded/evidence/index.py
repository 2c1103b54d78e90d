"""
The evidence of one answer, indexed: cells by value, by date and by text, and the texts that may be quoted.

Cells of all tables stand in one sorted list, so that a figure finds its candidates by bisection. What takes longer is
built when first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from math import isnan
from typing import Any, NamedTuple

from monitor import sql
from monitor.checks.grounded.evidence.contents import (
    DIGIT,
    HUGE,
    LONGEST_CELL,
    LONGEST_MONTH,
    NOTHING,
    cell_of,
    decimal_comma,
    number,
    steps,
    with_point,
)
from monitor.checks.grounded.evidence.periodcells import period_cells
from monitor.checks.grounded.evidence.texts import Source, reading
from monitor.checks.grounded.evidence.values import Numbers
from monitor.checks.grounded.text.dates import Moment
from monitor.checks.grounded.text.units import ColumnUnit
from monitor.errors import TooLarge
from monitor.sql import SqlFacts

__all__ = ["Cell", "Evidence", "Index", "Source", "Table", "number", "reading"]

MAX_CELLS = 200_000
MAX_WORK = 400_000
"""Steps that one answer may cost. A step takes half a microsecond or so: a cell looked at, a pair tried."""
MAX_SAME = 500
LONGEST_NOTE = 2000
"""So many characters of a longer text cell are read for what it states."""


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
    _headings: str | None = None

    @property
    def headings(self) -> str:
        """The names of the columns, each on a line."""
        if self._headings is None:
            self._headings = "\n".join(self.columns)
        return self._headings


@dataclass(slots=True)
class Evidence:
    """
    Everything that the figures of one answer may come from.

    *given* holds the queries' and calls' own arguments as recorded; *sqls* are the queries' texts, parsed only when a figure is unexplained without them. *incomplete* is the cause
    (``truncated``, ``redacted``, ``not_recorded``) that leaves an unexplained figure undecided. *scales* are magnitudes
    that a heading or caption declares for a whole table (``in thousands``), *column_scales* those of single columns, *declared* the tables whose own headings do; *percent* says that one declares percentages.
    *work* counts what was looked at. *totals* keeps which rows, by (table, row), hold totals, *called* what rows are called.
    """

    tables: list[Table] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    sqls: list[str] = field(default_factory=list)
    incomplete: str | None = None
    scales: set[float] = field(default_factory=set)
    column_scales: set[float] = field(default_factory=set)
    declared: set[int] = field(default_factory=set)
    percent: bool = False
    size: int = 0
    work: int = 0
    totals: dict[tuple[int, int], bool] = field(default_factory=dict)
    called: dict[tuple[int, int], str] = field(default_factory=dict)
    _read: set[tuple[int, int]] = field(default_factory=set)
    _facts: list[SqlFacts] | None = None
    _notes: dict[str, Cell] | None = None
    _indexes: list[Index] = field(default_factory=list)
    _number_columns: int = 0
    _moments: list[tuple[Moment, Cell]] | None = None
    _moment_at: dict[Cell, Moment] | None = None
    _ends: tuple[Cell, Cell] | None = None
    _dated: dict[int, dict[int, Moment]] = field(default_factory=dict)

    def spend(self, steps: int) -> None:
        """Count *steps* of work. Raises TooLarge beyond the bound."""
        self.work += steps
        if self.work > MAX_WORK:
            raise TooLarge("checking the figures of this answer would take too long")

    def quote(self, kind: str, name: str, text: str) -> None:
        """Take in a text that may be quoted; reading it counts as work of this evidence."""
        self.sources.append(Source(kind, name, text, self.spend))

    def facts(self) -> list[SqlFacts]:
        """What the queries' SQL says: parsed as long as the parser gets no more than its bound, then scanned."""
        if self._facts is None:
            left, self._facts = sql.MAX_SQL, []
            for text in dict.fromkeys(self.sqls):
                self.spend(len(text[: sql.MAX_SQL]) // 20)
                self._facts.append(sql.facts(text) if len(text) <= left else sql.scanned(text))
                left -= len(text) if len(text) <= left else 0
        return self._facts

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

    def ends(self) -> tuple[Cell, Cell]:
        """The cells with the first and the last date of the first column that holds some. There must be one."""
        if self._ends is None:
            _, cell = self.moments[0]
            column = [found for found in self.moments if found[1][::2] == cell[::2]]
            orders = [moment.order for moment, _ in column]
            self._ends = column[orders.index(min(orders))][1], column[orders.index(max(orders))][1]
        return self._ends

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
        if self._notes is None:
            self._notes = {
                text: Cell(table, *place)
                for table, index in enumerate(self._indexes)
                for text, place in index.notes.items()
            }
        return self._notes

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
        self.spend(1 + len(out) + self._number_columns // 2)
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
            self.spend(len(index.numbers))
        self.spend(2 * len(found))
        return len(found) / possible

    def raw(self, cell: Cell) -> Any:
        """What stands in *cell*."""
        row = self.tables[cell.table].rows[cell.row]
        return row[cell.column] if cell.column < len(row) else None

    def value(self, cell: Cell) -> float | None:
        """The number in *cell*, in its column's unit, or None."""
        value = self._indexes[cell.table].read(self.raw(cell))
        return None if value is None else value * self.tables[cell.table].units[cell.column].scale

    def unit(self, cell: Cell) -> str:
        """The canonical unit of *cell*: its own (``84.1%``), else its column's."""
        own = self._indexes[cell.table].units
        return (own.get((cell.row, cell.column)) if own else None) or self.tables[cell.table].units[cell.column].unit

    def own_unit(self, cell: Cell) -> str:
        """The canonical unit that is written in *cell* itself; "" where none is."""
        own = self._indexes[cell.table].units
        return own.get((cell.row, cell.column), "") if own else ""

    def column(self, table: int, column: int) -> list[tuple[int, float]]:
        """(row, value) of the numbers in a column, heading rows left out. Counted as work once, kept or not."""
        index = self._indexes[table]
        cached = index.columns.get(column)
        if (table, column) not in self._read:
            self._read.add((table, column))
            self.spend(1 + len(self.tables[table].rows) // 2)
        if cached is None:
            source = self.tables[table]
            scale = source.units[column].scale
            cached = index.columns[column] = [
                (number_of_row, value * scale)
                for number_of_row, row in enumerate(source.rows)
                if column < len(row)
                and number_of_row >= source.header_rows
                and (value := index.read(row[column])) is not None
            ]
        return cached

    def numeric(self, table: int) -> list[tuple[int, int]]:
        """(column, how many of its cells are numbers) of the columns that hold numbers."""
        return [(numbers.column, len(numbers)) for numbers in self._indexes[table].numbers]

    def by_row(self, table: int, column: int) -> dict[int, float]:
        """The numbers in a column by their row, as :meth:`column` has them. Not to be changed."""
        index = self._indexes[table]
        known = index.by_row.get(column)
        if known is None:
            known = index.by_row[column] = dict(self.column(table, column))
        return known

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

    def mixed(self, table: int, column: int) -> bool:
        """Whether a column holds properties rather than one measure: texts among its numbers, or numbers in different units."""
        units = {unit for (_, c), unit in self._indexes[table].units.items() if c == column}
        texts = len(self.tables[table].rows) - self.tables[table].header_rows - len(self.column(table, column))
        record = texts > 0 and len(self.tables[table].columns) == 2
        return len(units) > 1 or record or 0 < texts * 4 > len(self.tables[table].rows)

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
        if index is None:
            index = Index(table, self.spend)
        else:
            self.spend(index.work)
        table.header_rows = index.header_rows
        self.tables.append(table)
        self._indexes.append(index)
        self._number_columns += 2 + len(index.numbers)
        self.column_scales.update(unit.scale for unit in table.units if unit.scale != 1.0)
        if table.header_rows and not any(table.aggregated):
            declared = _declared(table)
            self.scales.update(declared or (1e3, 1e6, 1e9))
            self.declared.update([len(self.tables) - 1] if declared else [])
        return index


class Index:
    """
    The cells of one table by value, date and text, whatever the evidence that the table stands in.

    *numbers* has the columns that hold numbers; *texts* says where each text stands that can name a row, *notes* where a longer
    one does, and *names* has these with their first word and in lower case; *units* are cells' own; *comma* says that the
    table writes its text numbers with a decimal comma, so that ``52.330`` is no fraction.
    *columns*, *by_row* and *ratios* keep what was worked out of columns; *work* is how many steps it took.
    """

    __slots__ = (
        "_periods",
        "by_row",
        "columns",
        "comma",
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
        "work",
    )

    def __init__(self, table: Table, spend: Callable[[int], None]) -> None:
        self.work = 0
        self.header_rows = _header_rows(table)
        self.first_measure = _first_measure(table, self.header_rows)
        self.last_key = -1
        self.notes: dict[str, tuple[int, int]] = {}
        self.moments: list[tuple[Moment, int, int]] = []
        self._periods: list[tuple[Moment, int, int]] | None = None
        self.texts: dict[str, list[tuple[int, int]]] = {}
        self.units: dict[tuple[int, int], str] = {}
        self.columns: dict[int, list[tuple[int, float]]] = {}
        self.by_row: dict[int, dict[int, float]] = {}
        self.ratios: dict[int, bool] = {}
        self.telling: dict[int, bool] = {}
        self.numbers: list[Numbers] = []
        columns = [(cells, set(map(type, cells))) for cells in zip_longest(*table.rows)]
        self.comma = decimal_comma(columns)
        for column, (cells, kinds) in enumerate(columns):
            cost = steps(cells, kinds)
            self.work += cost
            spend(cost)
            values, rows = self._column(column, cells, kinds)
            if rows:
                self.numbers.append(Numbers(column, values, rows, table.units[column].scale))
        self.names = [_named(text) for text in self.texts]

    def dated(self, table: Table) -> list[tuple[Moment, int, int]]:
        """(moment, row, column) of the dates, times and periods in *table*, whose index this is."""
        if self._periods is None:
            cells = period_cells(table.columns, table.rows, self.moments)
            self._periods = [found for found in cells if found[1] >= self.header_rows]
        return self._periods

    def _column(self, column: int, cells: Sequence[Any], kinds: set[type]) -> tuple[Sequence[float], Sequence[int]]:
        """The numbers of a column, unscaled, and their rows; its texts and dates are noted."""
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

    def read(self, content: Any) -> float | None:
        """The number that a cell holds, as this table writes numbers; None for anything else."""
        return number(with_point(content)) if self.comma and isinstance(content, str) else number(content)

    def _all_names(self, column: int, cells: Sequence[str]) -> bool:
        """Note a column whose texts are all names, no numbers or dates; whether it is one."""
        if max(map(len, cells)) > LONGEST_CELL:
            return False
        unsure = cells if DIGIT.search("\n".join(cells)) else [c for c in cells if len(c.strip()) <= LONGEST_MONTH]
        if list(map(cell_of, unsure)).count(NOTHING) < len(unsure):
            return False
        for row, content in enumerate(cells):
            if 1 < len(content) <= 80:
                self.texts.setdefault(content, []).append((row, column))
        return True

    def _text(self, content: str, row: int, column: int) -> float | None:
        value, unit, moment = NOTHING
        if len(content) <= LONGEST_CELL:
            value, unit, moment = cell_of(with_point(content) if self.comma else content)
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


_IN = re.compile(
    r"\b(?:in|en|em)\s(?:[^\W\d_]{2,9}\s(?:of\s)?)?(thousand|million|billion|tausend|millionen|milliers|millones|miles)s?\b",
    re.IGNORECASE,
)
_MAGNITUDES = {"thousand": 1e3, "tausend": 1e3, "milliers": 1e3, "miles": 1e3, "billion": 1e9}


def _declared(table: Table) -> set[float]:
    """The magnitudes that a table's own headings declare (``in thousands of dollars``)."""
    rows = [str(cell) for row in table.rows[: table.header_rows] for cell in row[:40] if isinstance(cell, str)]
    text = " ".join([*table.columns[:40], *rows])[:2000]
    return {_MAGNITUDES.get(found[1].lower(), 1e6) for found in _IN.finditer(text)}


def _first_measure(table: Table, header_rows: int) -> int:
    width = len(table.columns)
    rows = table.rows[header_rows : header_rows + 3]
    for column in range(1, width):
        if any(column < len(row) and number(row[column]) is not None for row in rows):
            return column
    return width


_WORD = re.compile(r"[^\W_]+")
