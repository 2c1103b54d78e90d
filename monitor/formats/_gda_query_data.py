"""The response of ``QueryData``: one question's query, its rows and an answer, without the question unless it was kept."""

from __future__ import annotations

from typing import Any, Literal

from monitor.conversation import AgentError, Answer, Column, Json, Query, Question, ResultTable, Turn, Usage
from monitor.formats._errors import leading_code, text_of
from monitor.formats._gda_turn import pick
from monitor.formats._tables import checked
from monitor.formats._values import typed
from monitor.formats.extract import Extraction
from monitor.formats.messages import when


def is_query_data(data: dict[str, Any]) -> bool:
    """Whether *data* is a ``QueryData`` response, or a row that holds one's fields."""
    return any(pick(data, name) is not None for name in ("generatedQuery", "queryResult", "naturalLanguageAnswer"))


def turn_of_query_data(data: dict[str, Any], options: Extraction) -> Turn:
    """The turn in a response; the question where the row has it as ``prompt`` or ``question``."""
    result = pick(data, "queryResult")
    result = result if isinstance(result, dict) else {}
    failure = text_of(pick(result, "queryExecutionError"))
    code = leading_code(failure)
    kind = options.errors.kind(code, failure)
    error = AgentError(code=code, message=failure[:4000], kind=kind) if failure else None
    table = _table(result, options.max_rows) if result and error is None else None
    status: Literal["ok", "error", "unknown"] = "error" if error else "ok" if table else "unknown"
    sql = text_of(pick(data, "generatedQuery"))
    query = Query(id="q1", sql=sql or None, status=status, result=table, error=error)
    question = text_of(data.get("prompt")) or text_of(data.get("question"))
    answer = _answer(data)
    return Turn(
        id="t1",
        state="complete" if answer else "failed",
        question=Question(text=question) if question else None,
        answer=answer,
        started_at=when(pick(data, "timestamp")),
        queries=(query,) if sql or table else (),
        errors=(error,) if error else (),
        usage=_usage(pick(data, "tokenUsage")),
    )


def _answer(data: dict[str, Any]) -> Answer | None:
    text = text_of(pick(data, "naturalLanguageAnswer"))
    if text:
        return Answer(text=text)
    asked = pick(data, "disambiguationQuestion")
    questions = [item for item in asked if isinstance(item, str)] if isinstance(asked, list) else []
    return Answer(text="\n".join(questions), kind="clarification") if questions else None


def _table(result: dict[str, Any], max_rows: int) -> ResultTable:
    """Rows by position; a value that is left out is null."""
    listed, rows = pick(result, "columns"), pick(result, "rows")
    specs = [column if isinstance(column, dict) else {} for column in listed] if isinstance(listed, list) else []
    columns = tuple(Column(name=text_of(spec.get("name")), type=text_of(spec.get("type"))) for spec in specs)
    rows = rows if isinstance(rows, list) else []
    kept = [_cells(row, columns) for row in rows[:max_rows]]
    total = typed(pick(result, "totalRowCount"), "INTEGER")
    total = total if isinstance(total, int) and not isinstance(total, bool) else None
    cut = pick(result, "partialResult") is True or len(kept) < len(rows) or (total or 0) > len(rows)
    return checked(columns=columns, rows=kept, row_count=total, truncated=cut)


def _cells(row: Json, columns: tuple[Column, ...]) -> list[Any]:
    values = row.get("values") if isinstance(row, dict) else None
    cells = [
        value.get("value") if isinstance(value, dict) else value
        for value in (values if isinstance(values, list) else ())
    ]
    types = [column.type for column in columns] + [""] * len(cells)
    return [typed(cell, kind) for cell, kind in zip(cells, types, strict=False)]


def _usage(tokens: Json) -> Usage | None:
    if not isinstance(tokens, dict):
        return None
    counts = [typed(pick(tokens, name), "INTEGER") for name in ("inputTokenCount", "outputTokenCount")]
    taken, written = (count if isinstance(count, int) else None for count in counts)
    return Usage(input_tokens=taken, output_tokens=written) if taken is not None or written is not None else None
