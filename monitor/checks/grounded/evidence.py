"""
What a figure may come from: cells, definitions, the question, the queries' own arguments, earlier turns.

Cells of all tables stand in one sorted list, so that a figure finds its candidates by bisection. Tool results that
are no table become one: each object a row, each leaf a cell. Texts are parsed by the parser that reads answers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from monitor.checks.grounded import units
from monitor.checks.grounded.dates import Moment, moment_of
from monitor.checks.grounded.figures import Figure, find_figures
from monitor.checks.grounded.names import column_words
from monitor.conversation import Conversation, Json, ResultTable, Turn
from monitor.errors import TooLarge

MAX_CELLS = 200_000
MAX_TEXT = 100_000
NOT_ADDITIVE = frozenset(
    "avg average mean median rate ratio share pct percent percentage percentile p50 p90 p95 p99 min max score "
    "distinct unique factor index per".split()
)


class Cell(NamedTuple):
    """Where a value stands: positions in :attr:`Evidence.tables`, the row and the column."""

    table: int
    row: int
    column: int


@dataclass(slots=True)
class Table:
    """
    One table of evidence. *units* are canonical, *additive* says which columns may be summed.

    *origin* is for people; *earlier* marks an earlier turn's; rows from *unseen_from* on were not shown to the agent;
    *limit* is the query's own row limit.
    """

    name: str
    columns: list[str]
    rows: Sequence[Sequence[Any]]
    units: list[str]
    additive: list[bool]
    counts: list[bool]
    origin: str = ""
    earlier: bool = False
    unseen_from: int | None = None
    truncated: bool = False
    limit: int | None = None
    row_count: int | None = None
    is_result: bool = True


@dataclass(slots=True)
class Source:
    """A text that may be quoted: a definition, the question, instructions, an error's message."""

    kind: str
    name: str
    text: str

    def figures(self) -> tuple[Figure, ...]:
        """The figures in the text, parsed once for equal texts."""
        return _parsed(self.text)


@lru_cache(maxsize=512)
def _parsed(text: str) -> tuple[Figure, ...]:
    return tuple(find_figures(text[:MAX_TEXT]))


@dataclass(slots=True)
class Evidence:
    """
    Everything that the figures of one answer may come from.

    *sqls* are the queries' texts, parsed only when a figure is unexplained without them. *incomplete* is the cause
    (``truncated``, ``redacted``, ``not_recorded``) that leaves an unexplained figure undecided.
    """

    tables: list[Table] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    arguments: list[tuple[str, float | Moment]] = field(default_factory=list)
    sqls: list[str] = field(default_factory=list)
    incomplete: str | None = None
    values: list[float] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    moments: list[tuple[Moment, Cell]] = field(default_factory=list)
    texts: dict[str, list[Cell]] = field(default_factory=dict)
    cell_units: dict[Cell, str] = field(default_factory=dict)
    size: int = 0

    def between(self, low: float, high: float) -> list[Cell]:
        """Cells whose value lies in [low, high]."""
        return self.cells[bisect_left(self.values, low) : bisect_right(self.values, high)]

    def value(self, cell: Cell) -> float | None:
        """The number in *cell*, or None."""
        row = self.tables[cell.table].rows[cell.row]
        return number(row[cell.column]) if cell.column < len(row) else None

    def raw(self, cell: Cell) -> Any:
        """What stands in *cell*."""
        row = self.tables[cell.table].rows[cell.row]
        return row[cell.column] if cell.column < len(row) else None

    def unit(self, cell: Cell) -> str:
        """The canonical unit of *cell*: its own (``84.1%``), else its column's."""
        return self.cell_units.get(cell) or self.tables[cell.table].units[cell.column]

    def column(self, table: int, column: int) -> Iterator[tuple[int, float]]:
        """(row, value) of the numbers in a column."""
        for index, row in enumerate(self.tables[table].rows):
            if column < len(row):
                value = number(row[column])
                if value is not None:
                    yield index, value

    def add(self, table: Table) -> None:
        """Take *table* in. Raises TooLarge beyond the bound on cells."""
        position = len(self.tables)
        self.tables.append(table)
        self.size += len(table.rows) * max(1, len(table.columns))
        if self.size > MAX_CELLS:
            raise TooLarge(f"the evidence has more than {MAX_CELLS} cells")
        for index, row in enumerate(table.rows):
            for column, content in enumerate(row):
                if content is None or content is True or content is False:
                    continue
                cell = Cell(position, index, column)
                if isinstance(content, str):
                    self._add_text(content, cell)
                elif isinstance(content, (int, float, Decimal)):
                    self.values.append(float(content))
                    self.cells.append(cell)

    def _add_text(self, content: str, cell: Cell) -> None:
        value, unit, moment = _cell(content)
        if value is not None:
            self.values.append(value)
            self.cells.append(cell)
            if unit:
                self.cell_units[cell] = unit
        elif moment is not None:
            self.moments.append((moment, cell))
        if value is None and 1 < len(content) <= 80:
            self.texts.setdefault(content, []).append(cell)

    def seal(self) -> None:
        """Sort what was added; call once, before any look-up."""
        order = sorted(range(len(self.values)), key=self.values.__getitem__)
        self.cells = [self.cells[index] for index in order]
        self.values = [self.values[index] for index in order]


def number(content: Any) -> float | None:
    """The number that a cell holds, as a number or as text; None for anything else."""
    if isinstance(content, bool) or content is None:
        return None
    if isinstance(content, (int, float, Decimal)):
        return float(content)
    return _cell(content)[0] if isinstance(content, str) else None


@lru_cache(maxsize=65_536)
def _cell(content: str) -> tuple[float | None, str, Moment | None]:
    """(number, unit, moment) of a text cell that is, as a whole, one of these."""
    text = content.strip()
    if not text or len(text) > 40 or not any(char.isdigit() for char in text):
        return None, "", moment_of(text) if text[:1].isalpha() and len(text) <= 20 else None
    try:
        return float(text), "", None
    except ValueError:
        pass
    moment = moment_of(text)
    if moment is not None:
        return None, "", moment
    found = find_figures(text, words=False)
    if len(found) == 1 and found[0].readings and found[0].end - found[0].start >= len(text) - 2:
        return found[0].readings[0].value, found[0].unit, None
    return None, "", None


def table_of(result: ResultTable, name: str, **more: Any) -> Table:
    """A recorded result as evidence."""
    columns = [column.name for column in result.columns]
    return _table(
        name,
        columns,
        result.rows,
        [units.column_unit(column.name, column.unit) for column in result.columns],
        [column.aggregation for column in result.columns],
        truncated=result.truncated,
        unseen_from=result.rows_shown if result.rows_shown is not None and not result.truncated else None,
        row_count=result.row_count,
        **more,
    )


def _table(
    name: str,
    columns: list[str],
    rows: Sequence[Sequence[Any]],
    unit: list[str],
    aggregations: Sequence[str | None],
    **more: Any,
) -> Table:
    additive, counts = [], []
    for column, aggregation in zip(columns, aggregations, strict=True):
        kind = (aggregation or "").lower()
        words = column_words(column)
        additive.append(kind in ("sum", "count") if kind else not NOT_ADDITIVE.intersection(words))
        counts.append(kind.startswith("count") or bool({"count", "number", "num"}.intersection(words)))
    return Table(name, columns, rows, unit, additive, counts, **more)


def evidence_of(turn: Turn, context: Conversation) -> Evidence:
    """The evidence of *turn*: its own first, then what earlier turns showed."""
    evidence = Evidence()
    _add_turn(evidence, turn, "", earlier=False)
    if turn.question:
        evidence.sources.append(Source("question", "the question", turn.question.text))
    for past in context.turns:
        label = f"turn {past.index + 1}"
        _add_turn(evidence, past, label, earlier=True)
        if past.question:
            evidence.sources.append(Source("question", f"the question of {label}", past.question.text))
    evidence.incomplete = _incomplete(turn)
    evidence.seal()
    return evidence


def _incomplete(turn: Turn) -> str | None:
    complete = turn.completeness
    if complete.results == "absent" or complete.queries == "absent":
        return "not_recorded"
    if complete.redacted:
        return "redacted"
    if complete.truncated or any(query.result and query.result.truncated for query in turn.queries):
        return "truncated"
    return "not_recorded" if complete.results == "partial" else None


def _add_turn(evidence: Evidence, turn: Turn, label: str, *, earlier: bool) -> None:
    shown = set()
    for number_, query in enumerate(turn.queries, 1):
        name = f"query {number_}" + (f" of {label}" if label else "")
        if query.sql:
            evidence.sqls.append(query.sql)
        if query.semantic:
            evidence.arguments.extend(_arguments(query.semantic))
        if query.result is not None:
            shown.add(query.tool_call_id)
            limit = _limit(query.semantic)
            evidence.add(table_of(query.result, name, origin=label, earlier=earlier, limit=limit))
    for call in turn.tool_calls:
        if call.arguments is not None:
            evidence.arguments.extend(_arguments(call.arguments))
        if call.id not in shown and call.error is None and call.result is not None:
            _add_json(evidence, call.result, call.name or "tool result", label, earlier)
    for definition in turn.definitions:
        evidence.sources.append(Source("definition", definition.name or "a definition", definition.text))
    for error in turn.errors:
        if error.message:
            evidence.sources.append(Source("error", "an error message", error.message))


def _limit(semantic: dict[str, Any] | None) -> int | None:
    limit = (semantic or {}).get("limit")
    try:
        return int(limit) if limit is not None and not isinstance(limit, bool) else None
    except (TypeError, ValueError):
        return None


def _add_json(evidence: Evidence, value: Json, name: str, label: str, earlier: bool) -> None:
    """A tool result that is no table: objects become rows, a plain text a source."""
    title = f"{name} of {label}" if label else name
    if isinstance(value, str):
        evidence.sources.append(Source("tool", title, value))
        value = value.strip()
        if 0 < len(value) <= 40:
            value = {"value": value}
        else:
            return
    elif not isinstance(value, (dict, list)):
        value = {"value": value}
    for table_name, columns, rows in _flattened(value, title):
        unit = [units.column_unit(column, None) for column in columns]
        table = _table(table_name, columns, rows, unit, [None] * len(columns), origin=label, earlier=earlier)
        table.is_result = False
        evidence.add(table)


def _flattened(value: Json, name: str) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    stack: list[tuple[Json, str]] = [(value, name)]
    while stack:
        item, title = stack.pop()
        if isinstance(item, dict):
            inner = {key: content for key, content in item.items() if isinstance(content, (dict, list)) and content}
            flat = {key: content for key, content in item.items() if key not in inner}
            members = list(inner.values())
            if len(inner) > 1 and all(isinstance(member, dict) for member in members):
                stack.append(([{"key": key, **member} for key, member in inner.items()], title))
            else:
                stack.extend((content, f"{title} {key}") for key, content in reversed(inner.items()))
            if flat:
                yield title, list(flat), [list(flat.values())]
        elif isinstance(item, list):
            objects = [member for member in item if isinstance(member, dict)]
            if objects:
                scalar = [{k: v for k, v in each.items() if not isinstance(v, (dict, list))} for each in objects]
                columns = list(dict.fromkeys(key for each in scalar for key in each))
                yield title, columns, [[each.get(column) for column in columns] for each in scalar]
                for each in objects:
                    stack.extend((v, f"{title} {k}") for k, v in each.items() if isinstance(v, (dict, list)) and v)
            else:
                scalars = [member for member in item if not isinstance(member, (dict, list))]
                if scalars:
                    yield title, [title.rsplit(" ", 1)[-1]], [[member] for member in scalars]
                stack.extend((member, title) for member in item if isinstance(member, list) and member)


def _arguments(value: Json) -> Iterator[tuple[str, float | Moment]]:
    """Numbers and dates among a query's or call's own arguments, with the name they stand under."""
    stack: list[tuple[str, Json]] = [("", value)]
    budget = 500
    while stack and budget:
        budget -= 1
        name, item = stack.pop()
        if isinstance(item, dict):
            stack.extend((str(key), content) for key, content in item.items())
        elif isinstance(item, list):
            stack.extend((name, content) for content in item)
        elif isinstance(item, str):
            yield from ((name, found) for found in literals(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield name, float(item)


@lru_cache(maxsize=8192)
def literals(text: str) -> tuple[float | Moment, ...]:
    """Numbers and dates in a short text such as a filter (``month = '2026-01'``); nothing in a long one."""
    if len(text) > 2000:
        return ()
    out: list[float | Moment] = []
    for figure in find_figures(text, words=False):
        if figure.moment is not None:
            out.append(figure.moment)
        elif figure.readings:
            out.append(figure.readings[0].value)
    return tuple(out)


def evidence_of_record(question: str, items: Iterable[dict[str, Any]]) -> Evidence:
    """Evidence from a labelled record: ``{"kind": "table" | "text" | "definition", …}`` items."""
    evidence = Evidence()
    for position, item in enumerate(items, 1):
        if item.get("kind") == "table":
            columns = [str(column) for column in item["columns"]]
            declared, aggregations = item.get("units") or {}, item.get("aggregations") or {}
            if isinstance(declared, list):
                declared = dict(zip(columns, declared, strict=False))
            if isinstance(aggregations, list):
                aggregations = dict(zip(columns, aggregations, strict=False))
            arguments = item.get("arguments")
            evidence.add(
                _table(
                    str(item.get("name") or f"table {position}"),
                    columns,
                    item["rows"],
                    [units.column_unit(column, declared.get(column)) for column in columns],
                    [aggregations.get(column) for column in columns],
                    truncated=bool(item.get("truncated")),
                    row_count=item.get("row_count"),
                    limit=_limit(arguments if isinstance(arguments, dict) else None),
                )
            )
            if item.get("truncated"):
                evidence.incomplete = "truncated"
            if item.get("sql"):
                evidence.sqls.append(item["sql"])
            if arguments:
                evidence.arguments.extend(_arguments(arguments))
        else:
            kind = str(item.get("kind") or "text")
            evidence.sources.append(Source(kind, str(item.get("name") or kind), str(item.get("text") or "")))
    if question:
        evidence.sources.append(Source("question", "the question", question))
    evidence.seal()
    return evidence
