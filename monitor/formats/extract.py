"""
Queries, rows, errors and refusals out of a tool call: one extractor for all formats.

Recorders disagree about what a failed tool call looks like (a flag, a status, an ``error`` key, an exception's
text), and most write a refusal as a success. So a result is classified here, once, from what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from monitor.conversation import AgentError, Definition, ErrorKind, Json, Query, ResultTable, ToolCall, canonical
from monitor.errors import RecordError
from monitor.jsonio import maybe_json

REFUSALS = frozenset(
    "fan_out no_path mixed_grain metric_unanchored unknown_metric unknown_field tables_not_shared table_not_readable "
    "environment_not_enabled unsafe_expression forbidden permission_denied access_denied policy_violation "
    "not_supported".split()
)
RECOVERABLE = frozenset(
    "ambiguous_join invalid_grain invalid_order invalid_request invalid_model no_model syntax_error".split()
)
INFRASTRUCTURE = frozenset(
    "busy unavailable timeout platform_error rate_limited resource_exhausted deadline_exceeded".split()
)

SQL_KEYS = ("sql", "query", "statement", "generated_sql", "generatedSql", "SQL Generated", "sql_query")
ROW_KEYS = ("rows", "data", "results", "result", "records")
COLUMN_KEYS = ("columns", "headers", "schema")
SEMANTIC_KEYS = ("metrics", "measures", "dimensions", "filters", "order_by", "limit", "time_range", "grain")
LOOKER_KEYS = ("model", "explore", "view", "fields", "filters", "sorts", "limit")
_CODE = re.compile(r"\s*([a-z][a-z0-9_]{2,60}):\s")
_STATEMENT = re.compile(r"\s*(?:--[^\n]*\n\s*|/\*.{0,2000}?\*/\s*)*\(?\s*(?:select|with)\b", re.IGNORECASE | re.DOTALL)
_SYNTAX = re.compile(r"\bsyntax error\b|\bparse error\b|^syntax\b", re.IGNORECASE)
_HTTP = re.compile(r"^(?:HTTP[ /]?)?([45]\d\d)\b")
_SHOWN_OF = re.compile(r"first (\d+) of (\d+) total rows", re.IGNORECASE)


class ErrorClasses(BaseModel):
    """
    Which error codes are refusals, which the agent can mend, and which are the platform's.

    The lists add to the built-in ones; a code named here leaves its built-in class.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    refusal: frozenset[str] = frozenset()
    recoverable: frozenset[str] = frozenset()
    infrastructure: frozenset[str] = frozenset()

    def kind(self, code: str | None, message: str = "", refused: bool = False) -> ErrorKind:
        """The class of an error with this *code* and *message*; ``unknown`` when neither tells."""
        if refused:
            return "refusal"
        name = (code or "").strip().lower()
        own: tuple[tuple[ErrorKind, frozenset[str]], ...] = (
            ("refusal", self.refusal),
            ("recoverable", self.recoverable),
            ("infrastructure", self.infrastructure),
        )
        built_in: tuple[tuple[ErrorKind, frozenset[str]], ...] = (
            ("refusal", REFUSALS),
            ("recoverable", RECOVERABLE),
            ("infrastructure", INFRASTRUCTURE),
        )
        for kind, codes in own + built_in:
            if name in codes:
                return kind
        status = _HTTP.match(name) or _HTTP.match(message)
        if status and (status[1] == "429" or status[1].startswith("5")):
            return "infrastructure"
        if _SYNTAX.search(name.replace("_", " ")) or _SYNTAX.search(message[:500]):
            return "recoverable"
        return "unknown"


class QueryPaths(BaseModel):
    """Where tools whose name matches *tool* keep things: dotted paths, into ``args`` or ``result``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = ".*"
    sql: str | None = None
    semantic: str | None = None
    columns: str | None = None
    rows: str | None = None
    error_code: str | None = None
    error_message: str | None = None


class Extraction(BaseModel):
    """How tool calls are read: error classes, and paths for shapes that are not built in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    errors: ErrorClasses = ErrorClasses()
    queries: tuple[QueryPaths, ...] = ()
    max_rows: int = Field(
        default=10_000, ge=1, description="rows kept of one result; more are cut and marked truncated"
    )


class Extracted(NamedTuple):
    """What one tool call came to."""

    call: ToolCall
    queries: tuple[Query, ...]
    errors: tuple[AgentError, ...]
    definitions: tuple[Definition, ...]


def path(value: Json, dotted: str) -> Json:
    """The value at a dotted path (``result.table.rows``, list positions as numbers), or None."""
    for part in dotted.split("."):
        if isinstance(value, dict):
            value = maybe_json(value.get(part))
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = maybe_json(value[int(part)])
        else:
            return None
    return value


def extract_call(
    call: ToolCall, options: Extraction, *, failed: bool | None = None, message: str = "", code: str | None = None
) -> Extracted:
    """
    *call* completed: its status and error, the queries it ran with their rows, and the definitions it read.

    *failed* is the transport's own flag (None: it has none), *message* and *code* what the transport says of the
    error. Raises RecordError (``invalid``) when a result's row is longer than its columns.
    """
    arguments, result = maybe_json(call.arguments), _unwrapped(call.result)
    paths = next((rule for rule in options.queries if re.fullmatch(rule.tool, call.name)), None)
    error = _error(call, result, options, paths, failed, message, code)
    pending = call.status == "pending" and error is None and result is None
    status: Literal["ok", "error", "unknown", "pending"] = "error" if error else "pending" if pending else "ok"
    done = call.model_copy(update={"arguments": arguments, "result": result, "status": status, "error": error})
    queries = tuple(_queries(done, arguments, result, options, paths))
    return Extracted(done, queries, (error,) if error else (), tuple(_definitions(done, result)))


def extract_query(query: Query, result: Json, options: Extraction) -> Query:
    """*query* with the table in *result*, for formats that record queries as such."""
    table = _table(result, options, None)
    return query.model_copy(update={"result": table, "status": "ok"}) if table else query


def _unwrapped(result: Json) -> Json:
    """A tool result without its envelope: MCP content, a JSON string, a one-key ``{"result": …}``."""
    result = maybe_json(result)
    if isinstance(result, dict):
        content = result.get("content")
        if isinstance(content, list) and content and all(isinstance(part, dict) and "type" in part for part in content):
            inner = result.get("structuredContent")
            if inner is None:
                texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
                inner = maybe_json("\n".join(texts))
            if result.get("isError") is True or result.get("is_error") is True:
                return {"error": inner, "isError": True}
            return inner
        if set(result) == {"result"} or set(result) == {"output"}:
            return _unwrapped(next(iter(result.values())))
    return result


def _error(
    call: ToolCall,
    result: Json,
    options: Extraction,
    paths: QueryPaths | None,
    failed: bool | None,
    message: str,
    code: str | None,
) -> AgentError | None:
    found = _error_in(result)
    if paths and (paths.error_code or paths.error_message):
        own_code = path({"args": call.arguments, "result": result}, paths.error_code) if paths.error_code else None
        own_text = (
            path({"args": call.arguments, "result": result}, paths.error_message) if paths.error_message else None
        )
        if own_code or own_text:
            found = (_text(own_code) or None, _text(own_text), False)
    if found is None and isinstance(result, str) and failed is None:
        leading = _CODE.match(result)
        known = options.errors.kind(leading[1]) if leading else "unknown"
        if leading and known != "unknown":
            found = (leading[1], result, False)
        elif re.match(r"\s*error\b\s*:?", result, re.IGNORECASE) and len(result) < 2000:
            found = (None, result, False)
    if found is None and not failed:
        return None
    inner_code, inner_message, refused = found or (None, _text(result) if failed else "", False)
    text = inner_message or message
    final = inner_code or code or _leading_code(inner_message) or _leading_code(message)
    kind = options.errors.kind(final, text, refused)
    return AgentError(source="tool", tool_call_id=call.id, code=final, message=text[:4000], kind=kind)


def _error_in(result: Json) -> tuple[str | None, str, bool] | None:
    """(code, message, refused) that a result itself reports; never from rows, an empty or null ``error`` key."""
    if not isinstance(result, dict):
        return None
    refused = result.get("refused") is True
    status = result.get("status")
    bad_status = isinstance(status, str) and status.lower() in ("error", "failed", "failure", "refused", "denied")
    flagged = result.get("isError") is True or result.get("is_error") is True
    error = result.get("error")
    if error in ("", {}, [], False):
        error = None
    if error is None and not (refused or bad_status or flagged):
        return None
    body: Json = error if error is not None else result
    code: Json = None
    message: Json = ""
    if isinstance(body, dict):
        nested = body.get("error") if isinstance(body.get("error"), dict) else None
        body = nested or body
        code = body.get("code") or body.get("type") or body.get("error_code")
        message = next(
            (
                body[key]
                for key in ("message", "error_details", "detail", "details", "reason", "text", "error")
                if body.get(key)
            ),
            "",
        )
    elif body is not None:
        message = body
    code = code or result.get("code") or result.get("error_code")
    text = _text(message) or _text(result.get("message")) or _text(result.get("error_details"))
    if not text and code is None and isinstance(error, bool):
        text = "the tool reported an error"
    return (_text(code) or _leading_code(text), text, refused)


def _leading_code(message: str) -> str | None:
    found = _CODE.match(message)
    return found[1] if found else None


def _text(value: Json) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return str(value)
    return canonical(value).decode()


def _queries(
    call: ToolCall, arguments: Json, result: Json, options: Extraction, paths: QueryPaths | None
) -> Iterator[Query]:
    """Every query that *call* shows: usually one; none when it has neither a query nor rows."""
    steps = result.get("response") if isinstance(result, dict) else None
    if isinstance(steps, list) and any(isinstance(step, dict) and "Data Retrieved" in step for step in steps):
        yield from _data_agent_queries(call, steps, options)
        return
    both = {"args": arguments, "result": result}
    sql = _text(path(both, paths.sql)) if paths and paths.sql else _sql(arguments) or _sql(result)
    semantic = path(both, paths.semantic) if paths and paths.semantic else _semantic(arguments) or _semantic_in(result)
    table = None if call.error else _table(result, options, paths)
    if not sql and not semantic and table is None:
        return
    language: Literal["sql", "semantic", "looker"] = "sql"
    if isinstance(semantic, dict):
        language = "looker" if "explore" in semantic and "fields" in semantic else "semantic"
    yield Query(
        id=f"{call.id}:0",
        tool_call_id=call.id,
        language=language,
        sql=sql or None,
        semantic=semantic if isinstance(semantic, dict) else None,
        status="error" if call.error else "ok" if call.status == "ok" else "unknown",
        result=table,
        error=call.error,
    )


def _data_agent_queries(call: ToolCall, steps: list[Json], options: Extraction) -> Iterator[Query]:
    """The steps of an ``ask_data_agent`` result: SQL, then the data it gave."""
    sql: str | None = None
    number = 0
    for step in steps:
        if not isinstance(step, dict):
            continue
        sql = _sql(step) or sql
        data = maybe_json(step.get("Data Retrieved"))
        if data is None:
            continue
        table = _table(data, options, None)
        yield Query(id=f"{call.id}:{number}", tool_call_id=call.id, sql=sql, status="ok", result=table)
        sql, number = None, number + 1


def _sql(value: Json) -> str:
    if isinstance(value, dict):
        for key in SQL_KEYS:
            text = value.get(key)
            if isinstance(text, str) and _STATEMENT.match(text[:4000]):
                return text
    return ""


def _semantic(value: Json) -> dict[str, Any] | None:
    """A semantic or Looker query among a call's arguments, flat or one level down."""
    if not isinstance(value, dict):
        return None
    for candidate in (value, *(maybe_json(inner) for inner in value.values())):
        if not isinstance(candidate, dict):
            continue
        if "explore" in candidate and "fields" in candidate:
            return {key: candidate[key] for key in LOOKER_KEYS if key in candidate}
        if isinstance(candidate.get("metrics") or candidate.get("measures"), list):
            return dict(candidate)
    return None


def _semantic_in(result: Json) -> dict[str, Any] | None:
    """The semantic query that a result repeats, under a key that says so."""
    if not isinstance(result, dict):
        return None
    for key in ("query", "semantic_query", "query_semantic_model"):
        found = _semantic(maybe_json(result.get(key)))
        if found:
            return found
    return None


def _table(result: Json, options: Extraction, paths: QueryPaths | None) -> ResultTable | None:
    """The rows in a tool result, in any of the built-in shapes, or None."""
    if paths and paths.rows:
        both = {"result": result}
        rows = path(both, paths.rows)
        columns = path(both, paths.columns) if paths.columns else None
        return _build(rows, columns, {}, options) if isinstance(rows, list) else None
    if isinstance(result, list):
        return _build(result, None, {}, options) if result and all(isinstance(row, dict) for row in result) else None
    if not isinstance(result, dict):
        return None
    for key in ROW_KEYS:
        rows = maybe_json(result.get(key))
        if isinstance(rows, dict) and key in ("result", "data", "results"):
            inner = _table(rows, options, None)
            if inner is not None:
                return inner
        if not isinstance(rows, list):
            continue
        columns = next((result[name] for name in COLUMN_KEYS if result.get(name)), None)
        tabular = rows and all(isinstance(row, (dict, list)) for row in rows)
        if tabular or (not rows and (columns is not None or key in ("rows", "data", "records"))):
            return _build(rows, columns, result, options)
    return None


def _build(rows: list[Json], columns: Json, around: dict[str, Any], options: Extraction) -> ResultTable:
    fields = _column_specs(columns)
    if rows and isinstance(rows[0], dict):
        if all("f" in row and len(row) <= 2 for row in rows) and fields:
            rows = [[cell.get("v") if isinstance(cell, dict) else cell for cell in row["f"]] for row in rows]
        else:
            names = list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
            known = {str(spec["name"]): spec for spec in fields}
            ordered = [name for name in known if name in names] + [name for name in names if name not in known]
            fields = [known.get(name, {"name": str(name)}) for name in ordered]
            rows = [[row.get(name) for name in ordered] if isinstance(row, dict) else row for row in rows]
    elif not fields and rows:
        width = max(len(row) for row in rows if isinstance(row, list))
        fields = [{"name": f"column_{index + 1}"} for index in range(width)]
    kept = rows[: options.max_rows]
    count, shown, cut = _extent(around, len(rows))
    try:
        return ResultTable(
            columns=fields,
            rows=kept,
            row_count=count,
            rows_shown=shown,
            truncated=cut or len(kept) < len(rows),
        )
    except ValueError as error:
        raise RecordError("invalid", f"a tool result is no table: {_first(error)}") from None


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
        total = int(count) if count is not None else None
    except (TypeError, ValueError):
        total = None
    summary = _SHOWN_OF.search(_text(around.get("summary"))) if around.get("summary") else None
    if summary:
        total = int(summary[2])
    flags = ("truncated", "is_truncated", "result_is_likely_truncated", "partialResult", "partial_result", "has_more")
    cut = any(around.get(flag) is True for flag in flags) or (total is not None and total > given)
    return total, given if cut else None, cut


def _definitions(call: ToolCall, result: Json) -> Iterator[Definition]:
    """Definitions in a result: objects that pair a name with a definition or description, down to three levels."""
    if call.error is not None:
        return
    yield from _definitions_in(result, call.id, 3)


def _definitions_in(value: Json, call_id: str, levels: int) -> Iterator[Definition]:
    if isinstance(value, dict):
        text = value.get("definition") or value.get("description")
        name = next(
            (value[key] for key in ("name", "metric", "term", "label", "field") if isinstance(value.get(key), str)), ""
        )
        if isinstance(text, str) and text:
            yield Definition(name=name, text=text[:4000], tool_call_id=call_id)
        if levels:
            for inner in value.values():
                if isinstance(inner, (dict, list)):
                    yield from _definitions_in(inner, call_id, levels - 1)
    elif isinstance(value, list) and levels and value and isinstance(value[0], dict):
        for inner in value[:200]:
            yield from _definitions_in(inner, call_id, levels - 1)
