"""
Queries, rows, errors and refusals out of a tool call: one extractor for all formats.

Recorders disagree about what a failed tool call looks like (a flag, a status, an ``error`` key, an exception's
text), and most write a refusal as a success. So a result is classified here, once, from what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeGuard

from pydantic import BaseModel, ConfigDict, Field, field_validator

from monitor.conversation import AgentError, Definition, Json, Query, ResultTable, ToolCall
from monitor.formats._errors import (
    INFRASTRUCTURE,
    RECOVERABLE,
    REFUSALS,
    ErrorClasses,
    error_in,
    error_said,
    leading_code,
    text_of,
)
from monitor.formats._tables import build, table_in
from monitor.formats._values import QUERY_VERBS, SQL_VERBS, starts_with_verb
from monitor.jsonio import maybe_json

__all__ = [
    "INFRASTRUCTURE",
    "RECOVERABLE",
    "REFUSALS",
    "ErrorClasses",
    "Extracted",
    "Extraction",
    "QueryPaths",
    "extract_call",
    "extract_query",
    "path",
    "unwrapped",
]

SQL_KEYS = ("sql", "query", "statement", "generated_sql", "generatedSql", "SQL Generated", "sql_query")
_AMBIGUOUS_SQL_KEYS = ("query", "statement")
LOOKER_KEYS = ("model", "explore", "view", "fields", "filters", "sorts", "limit")
_BLOCKS = frozenset(("text", "image", "audio", "resource", "resource_link"))


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

    @field_validator("tool")
    @classmethod
    def _pattern(cls, tool: str) -> str:
        try:
            re.compile(tool)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return tool


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
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
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
    arguments, result = maybe_json(call.arguments), unwrapped(call.result)
    paths = next((rule for rule in options.queries if re.fullmatch(rule.tool, call.name[:200])), None)
    error = _error(call, result, options, paths, failed, message, code)
    pending = call.status == "pending" and error is None and result is None
    status: Literal["ok", "error", "unknown", "pending"] = "error" if error else "pending" if pending else "ok"
    done = call.model_copy(update={"arguments": arguments, "result": result, "status": status, "error": error})
    queries = tuple(_queries(done, arguments, result, options, paths))
    return Extracted(done, queries, (error,) if error else (), tuple(_definitions(done, result)))


def extract_query(query: Query, result: Json, options: Extraction) -> Query:
    """*query* with the table in *result*, for formats that record queries as such."""
    table = table_in(result, options.max_rows)
    return query.model_copy(update={"result": table, "status": "ok"}) if table else query


def unwrapped(result: Json) -> Json:
    """A tool result without its envelope: MCP content, a JSON string, a one-key ``{"result": …}``."""
    result = maybe_json(result)
    if _is_blocks(result):
        return maybe_json(_block_text(result))
    if not isinstance(result, dict):
        return result
    content = result.get("content")
    if _is_blocks(content):
        inner = result.get("structuredContent")
        inner = maybe_json(_block_text(content)) if inner is None else unwrapped(inner)
        if result.get("isError") is True or result.get("is_error") is True:
            return {"error": inner, "isError": True}
        return inner
    if set(result) == {"result"} or set(result) == {"output"}:
        return unwrapped(next(iter(result.values())))
    return result


def _is_blocks(value: Json) -> TypeGuard[list[dict[str, Any]]]:
    """Whether *value* is a list of content blocks of MCP's kinds, with text among them."""
    return (
        isinstance(value, list)
        and all(isinstance(part, dict) and part.get("type") in _BLOCKS for part in value)
        and any(isinstance(part.get("text"), str) for part in value)
    )


def _block_text(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(part["text"] for part in blocks if isinstance(part.get("text"), str))


def _error(
    call: ToolCall,
    result: Json,
    options: Extraction,
    paths: QueryPaths | None,
    failed: bool | None,
    message: str,
    code: str | None,
) -> AgentError | None:
    found = error_in(result)
    if paths and (paths.error_code or paths.error_message):
        both = {"args": call.arguments, "result": result}
        own_code = path(both, paths.error_code) if paths.error_code else None
        own_text = path(both, paths.error_message) if paths.error_message else None
        if own_code or own_text:
            found = (text_of(own_code) or None, text_of(own_text), False)
    if found is None and isinstance(result, str) and failed is None:
        found = error_said(result, options.errors)
    if found is None and not failed:
        return None
    inner_code, inner_message, refused = found or (None, text_of(result) if failed else "", False)
    text = inner_message or message
    final = inner_code or code or leading_code(inner_message) or leading_code(message)
    kind = options.errors.kind(final, text, refused)
    return AgentError(source="tool", tool_call_id=call.id, code=final, message=text[:4000], kind=kind)


def _queries(
    call: ToolCall, arguments: Json, result: Json, options: Extraction, paths: QueryPaths | None
) -> Iterator[Query]:
    """Every query that *call* shows: usually one; none when it has neither a query nor rows."""
    steps = result.get("response") if isinstance(result, dict) else None
    if isinstance(steps, list):
        answered = list(_data_agent_queries(call, steps, options))
        if answered:
            yield from answered
            return
    both = {"args": arguments, "result": result}
    sql = text_of(path(both, paths.sql)) if paths and paths.sql else _sql(arguments) or _sql(result)
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
    """The steps of an ``ask_data_agent`` result: SQL or a Looker query, then the data it gave, or that it is left out."""
    number, sql, looker = 0, "", None
    for step in steps:
        if not isinstance(step, dict):
            continue
        message = step.get("data")
        message = message if isinstance(message, dict) else {}
        data = maybe_json(step.get("Data Retrieved"))
        sql = _sql(step) or _sql(message) or sql
        looker = _semantic(message.get("query")) or looker
        if data is None:
            continue
        table = ResultTable(truncated=True) if isinstance(data, str) else table_in(data, options.max_rows)
        yield _data_agent_query(call, number, sql, looker, table)
        number, sql, looker = number + 1, "", None
    if sql or looker:
        yield _data_agent_query(call, number, sql, looker, None)


def _data_agent_query(
    call: ToolCall, number: int, sql: str, looker: dict[str, Any] | None, table: ResultTable | None
) -> Query:
    return Query(
        id=f"{call.id}:{number}",
        tool_call_id=call.id,
        language="looker" if looker else "sql",
        sql=sql or None,
        semantic=looker,
        status="ok" if table else "unknown",
        result=table,
    )


def _sql(value: Json) -> str:
    if isinstance(value, dict):
        for key in SQL_KEYS:
            text = value.get(key)
            verbs = QUERY_VERBS if key in _AMBIGUOUS_SQL_KEYS else SQL_VERBS
            if isinstance(text, str) and starts_with_verb(text, verbs):
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
    """The rows in a tool result: where *paths* say, else in any of the built-in shapes."""
    if not paths or not paths.rows:
        return table_in(result, options.max_rows)
    rows = path({"result": result}, paths.rows)
    columns = path({"result": result}, paths.columns) if paths.columns else None
    return build(rows, columns, {}, options.max_rows) if isinstance(rows, list) else None


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
