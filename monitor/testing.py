"""Builders for tests of checks, sinks and rules: a turn in a line, instead of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from monitor.conversation import (
    AgentError,
    Answer,
    Completeness,
    Conversation,
    Definition,
    Query,
    Question,
    ResultTable,
    Scope,
    ToolCall,
    Turn,
)
from monitor.formats.extract import ErrorClasses


def query(
    columns: Sequence[str | dict[str, Any]] = (),
    rows: Sequence[Sequence[Any]] = (),
    *,
    call: str = "c1",
    sql: str | None = None,
    semantic: dict[str, Any] | None = None,
    **result: Any,
) -> Query:
    """A query that succeeded; *result* sets ``truncated``, ``row_count``, ``rows_shown``."""
    table = ResultTable(columns=columns, rows=[list(row) for row in rows], **result)
    language: Literal["sql", "semantic"] = "semantic" if semantic and not sql else "sql"
    return Query(
        id=f"{call}:0", tool_call_id=call, language=language, sql=sql, semantic=semantic, status="ok", result=table
    )


def refused(
    code: str = "fan_out",
    message: str = "the split would count rows twice",
    *,
    call: str = "c0",
    sql: str | None = None,
    semantic: dict[str, Any] | None = None,
) -> Query:
    """A query that ended in an error with *code*; its kind follows from the code."""
    error = AgentError(tool_call_id=call, code=code, message=message, kind=ErrorClasses().kind(code, message))
    language: Literal["sql", "semantic"] = "semantic" if semantic and not sql else "sql"
    return Query(
        id=f"{call}:0", tool_call_id=call, language=language, sql=sql, semantic=semantic, status="error", error=error
    )


def turn(
    answer: str | None,
    *queries: Query,
    question: str = "",
    definitions: dict[str, str] | None = None,
    id: str = "t1",  # noqa: A002 - the model's own name
    index: int = 0,
    completeness: Completeness | None = None,
    **more: Any,
) -> Turn:
    """A complete turn with *answer*, in which *queries* ran in their order."""
    calls = tuple(
        ToolCall(
            id=each.tool_call_id or each.id, name="run_query", status="error" if each.error else "ok", error=each.error
        )
        for each in queries
    )
    return Turn(
        id=id,
        index=index,
        question=Question(text=question) if question else None,
        answer=Answer(text=answer) if answer is not None else None,
        tool_calls=calls,
        queries=queries,
        errors=tuple(each.error for each in queries if each.error),
        definitions=tuple(Definition(name=name, text=text) for name, text in (definitions or {}).items()),
        completeness=completeness or Completeness(),
        **more,
    )


def conversation(*turns: Turn, id: str = "conv-1", **scope: str) -> Conversation:  # noqa: A002 - the model's own name
    """A conversation of *turns*; *scope* sets its team, environment, agent."""
    return Conversation(id=id, scope=Scope(**scope), turns=turns)
