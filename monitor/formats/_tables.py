"""The rows in a tool result, in any of the shapes that tools use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from monitor.conversation import Json, ResultTable
from monitor.errors import RecordError
from monitor.formats._errors import text_of
from monitor.formats._values import typed
from monitor.jsonio import maybe_json

ROW_KEYS = ("rows", "data", "results", "result", "records")
COLUMN_KEYS = ("columns", "headers", "schema")
MAX_COLUMNS = 2_000
MAX_COUNT = 10**15
_SHOWN_OF = re.compile(r"first (\d{1,15}) of (\d{1,15}) total rows", re.IGNORECASE)


def table_in(result: Json, max_rows: int) -> ResultTable | None:
    """The rows in a tool result, or None. Raises RecordError (``invalid``) when its rows do not fit its columns."""
    if isinstance(result, list):
        rows_only = result and all(isinstance(row, dict) for row in result)
        return build(result, None, {}, max_rows) if rows_only else None
    if not isinstance(result, dict):
        return None
    for key in ROW_KEYS:
        rows = maybe_json(result.get(key))
        if isinstance(rows, dict) and key in ("result", "data", "results"):
            inner = table_in(rows, max_rows)
            if inner is not None:
                return inner
        if not isinstance(rows, list):
            continue
        columns = next((result[name] for name in COLUMN_KEYS if result.get(name)), None)
        tabular = rows and all(isinstance(row, (dict, list)) for row in rows)
        if tabular or (not rows and (columns is not None or key in ("rows", "data", "records"))):
            return build(rows, columns, result, max_rows)
    return None


def build(rows: list[Json], columns: Json, around: dict[str, Any], max_rows: int) -> ResultTable:
    """
    A table of the first *max_rows* of *rows*: lists, objects, or BigQuery's ``{"f": [{"v": …}]}``.

    *around* is what stands beside them: how many rows there are in all, and whether some are missing. Raises
    RecordError (``invalid``).
    """
    fields, kept = _column_specs(columns), rows[:max_rows]
    if kept and isinstance(kept[0], dict):
        if fields and all(_is_rest_row(row) for row in kept):
            types = [str(spec.get("type", "")) for spec in fields]
            kept = [_rest_cells(row["f"], types) for row in kept]
        else:
            fields, kept = _from_objects(kept, fields)
    elif not fields and kept:
        width = max((len(row) for row in kept if isinstance(row, list)), default=0)
        fields = [{"name": f"column_{index + 1}"} for index in range(width)]
    count, shown, cut = _extent(around, len(rows))
    cut = cut or len(kept) < len(rows)
    return checked(columns=fields, rows=kept, row_count=count, rows_shown=shown, truncated=cut)


def checked(*, columns: Sequence[Any], **fields: Any) -> ResultTable:
    """A table, or RecordError (``invalid``) where a row is longer than *columns*, or these are too many."""
    if len(columns) > MAX_COLUMNS:
        found = f"{len(columns)} columns, at most {MAX_COLUMNS} are read"
        raise RecordError("invalid", f"a tool result is no table: {found}")
    try:
        return ResultTable(columns=columns, **fields)
    except ValueError as error:
        raise RecordError("invalid", f"a tool result is no table: {_first(error)}") from None


def _is_rest_row(row: Json) -> bool:
    cells = row.get("f") if isinstance(row, dict) and len(row) <= 2 else None
    return isinstance(cells, list) and all(isinstance(cell, dict) and "v" in cell for cell in cells)


def _rest_cells(cells: list[dict[str, Any]], types: list[str]) -> list[Any]:
    """The cells by their columns' types; those beyond the columns are kept, for the table to refuse."""
    return [typed(cell["v"], types[index] if index < len(types) else "") for index, cell in enumerate(cells)]


def _from_objects(rows: list[Json], fields: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Json]]:
    """Columns and rows of a list of objects: the given columns first, in their order, then others as they come."""
    names = dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row)
    known = {str(spec["name"]): spec for spec in fields}
    ordered = [name for name in known if name in names] + [name for name in names if name not in known]
    if len(ordered) > MAX_COLUMNS:
        return [{"name": name} for name in ordered], []
    specs = [known.get(name, {"name": str(name)}) for name in ordered]
    return specs, [[row.get(name) for name in ordered] if isinstance(row, dict) else row for row in rows]


def _first(error: ValueError) -> str:
    errors = getattr(error, "errors", None)
    return str(errors()[0]["msg"]) if callable(errors) else str(error)


def _column_specs(columns: Json) -> list[dict[str, Any]]:
    columns = maybe_json(columns)
    if isinstance(columns, dict):
        columns = columns.get("fields") or columns.get("columns") or []
    specs: list[dict[str, Any]] = []
    for column in columns if isinstance(columns, list) else []:
        if isinstance(column, dict):
            name = column.get("name") or column.get("field") or column.get("label") or ""
            spec = {"name": str(name), "type": str(column.get("type") or "")}
            spec.update({key: column[key] for key in ("unit", "aggregation") if isinstance(column.get(key), str)})
            specs.append(spec)
        else:
            specs.append({"name": str(column)})
    return specs


def _extent(around: dict[str, Any], given: int) -> tuple[int | None, int | None, bool]:
    """(rows in all, rows shown, cut) as the result says itself."""
    count: Json = next(
        (
            around[key]
            for key in ("row_count", "total_rows", "totalRows", "totalRowCount", "total_row_count")
            if around.get(key) is not None
        ),
        None,
    )
    try:
        total = int(count) if count is not None and not isinstance(count, bool) else None
    except (TypeError, ValueError, OverflowError):
        total = None
    if total is not None and not 0 <= total < MAX_COUNT:
        total = None
    summary = _SHOWN_OF.search(text_of(around.get("summary"))) if around.get("summary") else None
    if summary:
        total = int(summary[2])
    flags = ("truncated", "is_truncated", "result_is_likely_truncated", "partialResult", "partial_result", "has_more")
    cut = any(around.get(flag) is True for flag in flags) or (total is not None and total > given)
    return total, given if cut else None, cut
