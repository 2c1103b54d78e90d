"""
Gather what a figure may come from: the turn's results, definitions, question and arguments, and earlier turns.

Tool results that are no table become one: each object a row, each leaf a cell. Texts are parsed by the parser that
reads answers.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

import orjson

from monitor.checks.grounded.evidence.arguments import failed, thinks
from monitor.checks.grounded.evidence.index import Evidence, Table
from monitor.checks.grounded.evidence.texts import MAX_TEXT
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.names import column_words
from monitor.conversation import CONTEXT, Conversation, Json, ResultTable, Turn

NOT_ADDITIVE = frozenset(
    "avg average mean median rate ratio share pct percent percentage percentile p50 p90 p95 p99 min max score "
    "distinct unique factor index per".split()
)
_SCALE_HINT = re.compile(
    r"\bin\s(?:[A-Z]{2,3}\$?\s|[$€£]\s?)?(thousand|million|billion)s?\b|[’'‘]000\b|\([$€£]?1?[.,]?000s?\)|[$€£’']\s?(million)s?\b|[$€£](m)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[\[{]")
_CLOSING = ("}", "]")
MAX_LABELS = 3
"""So many opening brackets of a text are tried for JSON that it ends with."""


_PERCENT_HINT = re.compile(
    r"\b(?:unit|in|einheit|unité|unidad|eenheid)s?:?\s(?:percent(?:age)?|%|prozent|pourcent)", re.IGNORECASE
)


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
    unit: list[units.ColumnUnit],
    aggregations: Sequence[str | None],
    **more: Any,
) -> Table:
    additive, counts = [], []
    for column, aggregation in zip(columns, aggregations, strict=True):
        add, count = _nature(column, (aggregation or "").lower())
        additive.append(add)
        counts.append(count)
    return Table(name, columns, rows, unit, additive, counts, [bool(kind) for kind in aggregations], **more)


@lru_cache(maxsize=1024)
def _nature(column: str, aggregation: str) -> tuple[bool, bool]:
    """(whether a column may be summed, whether it counts something), as declared, else as named."""
    words = column_words(column)
    additive = aggregation in ("sum", "count") if aggregation else not NOT_ADDITIVE.intersection(words)
    return additive, aggregation.startswith("count") or bool({"count", "number", "num"}.intersection(words))


def evidence_of(turn: Turn, context: Conversation) -> Evidence:
    """The evidence of *turn*: its own first, then what earlier turns showed."""
    evidence = Evidence()
    _take(evidence, _shown(turn), "")
    if turn.question:
        evidence.quote("question", "the question", turn.question.text)
    for past in context.turns:
        label = f"turn {past.index + 1}"
        _take(evidence, _shown(past), label)
        if past.question:
            evidence.quote("question", f"the question of {label}", past.question.text)
    evidence.incomplete = _incomplete(turn) or ("too_long" if len(context.turns) >= CONTEXT else None)
    return evidence


def _shown(turn: Turn) -> Evidence:
    """What *turn* itself showed. Kept for some turns, since each later turn of the conversation asks again."""
    kept = _kept.get(id(turn))
    if kept is None or kept[0] is not turn:
        evidence = Evidence()
        _add_turn(evidence, turn)
        kept = _kept[id(turn)] = (turn, evidence)
        if len(_kept) > KEPT_TURNS:
            _kept.popitem(last=False)
    return kept[1]


KEPT_TURNS = 32
_kept: OrderedDict[int, tuple[Turn, Evidence]] = OrderedDict()


def _take(evidence: Evidence, shown: Evidence, label: str) -> None:
    """Take what a turn showed into *evidence*; with a *label*, as an earlier turn's."""
    for table, index in shown.indexed():
        copied = replace(table, name=f"{table.name} of {label}", origin=label, earlier=True) if label else table
        evidence.add(copied, index)
    for source in shown.sources:
        named = source.kind == "tool" and label
        evidence.quote(source.kind, f"{source.name} of {label}" if named else source.name, source.text)
    evidence.given += [value for value in shown.given if value not in evidence.given]
    evidence.sqls += shown.sqls


def _incomplete(turn: Turn) -> str | None:
    complete = turn.completeness
    if complete.results == "absent" or complete.queries == "absent":
        return "not_recorded"
    if complete.redacted:
        return "redacted"
    if complete.truncated or any(query.result and query.result.truncated for query in turn.queries):
        return "truncated"
    return "not_recorded" if complete.results == "partial" else None


def _add_turn(evidence: Evidence, turn: Turn) -> None:
    shown = set()
    for number_, query in enumerate(turn.queries, 1):
        name = f"query {number_}"
        if query.sql:
            evidence.sqls.append(query.sql)
        if query.semantic:
            evidence.given.append(query.semantic)
        if query.result is not None:
            shown.add(query.tool_call_id)
            evidence.add(table_of(query.result, name, limit=_limit(query.semantic)))
            _add_nested(evidence, query.result, name)
    queried = {query.tool_call_id for query in turn.queries}
    for call in turn.tool_calls:
        thought = thinks(call.name)
        own = call.id in queried or not (thought or failed(call))
        if own and call.arguments is not None and call.arguments not in evidence.given:
            evidence.given.append(call.arguments)
        if call.id not in shown and call.error is None and call.result is not None and not thought:
            _add_json(evidence, call.result, call.name or "tool result")
    for definition in turn.definitions:
        evidence.quote("definition", definition.name or "a definition", definition.text)
    for error in turn.errors:
        if error.message:
            evidence.quote("error", "an error message", error.message)


def _add_nested(evidence: Evidence, result: ResultTable, name: str) -> None:
    """Objects and lists inside the cells of a result: the row's own fields, then theirs (``prices economy``)."""
    columns = [column.name for column in result.columns]
    nested = {c for row in result.rows[:3] for c, cell in enumerate(row) if type(cell) is dict or type(cell) is list}
    if not nested:
        return
    rows = []
    for row in result.rows:
        flat = {columns[c]: cell for c, cell in enumerate(row) if c not in nested and isinstance(cell, str)}
        for c in nested:
            if c < len(row) and isinstance(row[c], dict):
                flat.update(_leaves(row[c], columns[c]))
            elif c < len(row) and row[c]:
                _add_json(evidence, row[c], f"{name} {columns[c]}")
        rows.append(flat)
    _add_json(evidence, rows, name)


def _fields(row: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    """(name, value) of what an object holds itself and in objects inside it (``price net``), lists as they are."""
    for key, content in row.items():
        if isinstance(content, dict):
            yield from _leaves(content, key)
        else:
            yield key, content


def _leaves(value: dict[str, Json], name: str) -> Iterator[tuple[str, Json]]:
    """(name, value) of what stands at the ends of nested objects, at most four deep."""
    for key, content in value.items():
        if isinstance(content, dict) and name.count(" ") < 4:
            yield from _leaves(content, f"{name} {key}")
        else:
            yield f"{name} {key}", content


def _limit(semantic: dict[str, Any] | None) -> int | None:
    limit = (semantic or {}).get("limit")
    try:
        return int(limit) if limit is not None and not isinstance(limit, bool) else None
    except (TypeError, ValueError):
        return None


def _add_json(evidence: Evidence, value: Json, name: str) -> None:
    """A tool result that is no table: objects become rows, a plain text a source."""
    if isinstance(value, str):
        evidence.quote("tool", name, value)
        value = value.strip()
        if 0 < len(value) <= 40:
            value = {"value": value}
        else:
            return
    elif not isinstance(value, (dict, list)):
        value = {"value": value}
    for table_name, columns, rows in _flattened(value, name):
        unit = [units.column_unit(column, None) for column in columns]
        table = _table(table_name, columns, rows, unit, [None] * len(columns))
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
                stack.append(([{"key": key, **dict(member)} for key, member in inner.items()], title))
            else:
                stack.extend((content, f"{title} {key}") for key, content in reversed(inner.items()))
            if flat:
                yield title, list(flat), [list(flat.values())]
        elif isinstance(item, list):
            objects = [member for member in item if isinstance(member, dict)]
            if objects:
                fields = [dict(_fields(each)) for each in objects]
                plain = [{k: v for k, v in each.items() if not isinstance(v, (dict, list))} for each in fields]
                columns = list(dict.fromkeys(key for each in plain for key in each))
                yield title, columns, [[each.get(column) for column in columns] for each in plain]
                for each in fields:
                    stack.extend((v, f"{title} {k}") for k, v in each.items() if isinstance(v, (dict, list)) and v)
            else:
                scalars = [member for member in item if not isinstance(member, (dict, list))]
                if scalars:
                    yield title, [title.rsplit(" ", 1)[-1]], [[member] for member in scalars]
                stack.extend((member, title) for member in item if isinstance(member, list) and member)


_KINDS = ("table", "text", "definition", "question", "instructions", "tool", "error")
_KEYS = (
    "kind",
    "name",
    "columns",
    "rows",
    "units",
    "aggregations",
    "sql",
    "arguments",
    "row_count",
    "truncated",
    "text",
    "note",
    "code",
    "message",
)


def _recognised(item: dict[str, Any]) -> None:
    """Raise ValueError, in words for the person who wrote it, for a kind that is unknown or a key that is nearly a known one."""
    kind = item.get("kind", "text")
    if kind not in _KINDS:
        raise ValueError(f"evidence of the kind {str(kind)[:20]!r}; known are {', '.join(_KINDS)}")
    for key in item:
        near = [] if key in _KEYS else get_close_matches(str(key)[:40], _KEYS, 1, 0.8)
        if near:
            raise ValueError(f"unknown key {str(key)[:40]!r} in evidence, did you mean {near[0]!r}?")
    columns, rows = item.get("columns"), item.get("rows")
    if kind == "table" and not (_is_list(columns) and _is_list(rows) and all(_is_list(row) for row in rows or ())):
        raise ValueError("a table needs columns, a list of names, and rows, a list of lists")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def evidence_of_record(question: str, items: Iterable[dict[str, Any]]) -> Evidence:
    """Evidence from a labelled record: ``{"kind": "table" | "text" | "definition", …}`` items."""
    evidence = Evidence()
    for position, item in enumerate(items, 1):
        _recognised(item)
        if item.get("kind") == "table":
            columns = [str(column) for column in item["columns"]]
            if any(len(row) > len(columns) for row in item["rows"]):
                raise ValueError("a row has more values than there are columns")
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
            _hint(
                evidence, " ".join([*columns, *(str(x) for row in item["rows"][:3] for x in row if isinstance(x, str))])
            )
            if item.get("sql"):
                evidence.sqls.append(item["sql"])
            if arguments:
                evidence.given.append(arguments)
        else:
            kind = str(item.get("kind") or "text")
            text = str(item.get("text") or "")
            name = str(item.get("name") or kind)
            evidence.quote(kind, name, text)
            _hint(evidence, text)
            if kind == "text" and text.endswith(_CLOSING) and (held := _held(text)) is not None:
                _add_json(evidence, held, name)
    if question:
        evidence.quote("question", "the question", question)
    return evidence


def _held(text: str) -> Json:
    """The object or list in JSON that a text ends with, after a label perhaps (``Result: [{"id": 1}]``); else None."""
    position = -1
    for _ in range(MAX_LABELS):
        found = _OPENING.search(text, position + 1)
        if found is None or len(text) > MAX_TEXT:
            return None
        position = found.start()
        try:
            held: Json = orjson.loads(text[position:])
        except orjson.JSONDecodeError:
            continue
        return held
    return None


def _hint(evidence: Evidence, text: str) -> None:
    """Note a magnitude that a heading or caption declares (``in thousands``)."""
    evidence.percent = evidence.percent or _PERCENT_HINT.search(text[:2000]) is not None
    for found in _SCALE_HINT.finditer(text[:2000]):
        evidence.scales.add(units.SCALES[(found[1] or found[2] or found[3] or "thousand").lower()])
