"""Short ways to say "this result, this answer" in tests of the grounded check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monitor.checks.grounded import Grounded
from monitor.conversation import (
    Answer,
    Column,
    Completeness,
    Conversation,
    Definition,
    Query,
    Question,
    ResultTable,
    Turn,
)
from monitor.outcome import FigureVerdict, Outcome

Verdicts = dict[str, bool | None]


def column(name: str, unit: str | None = None, aggregation: str | None = None) -> Column:
    return Column(name=name, unit=unit, aggregation=aggregation)


def result(columns: Sequence[str | Column], *rows: list[Any], **more: Any) -> ResultTable:
    named = tuple(Column(name=each) if isinstance(each, str) else each for each in columns)
    return ResultTable(columns=named, rows=list(rows), **more)


def value(content: Any, unit: str | None = None, name: str = "value", aggregation: str | None = None) -> ResultTable:
    """A result of one cell."""
    return result([column(name, unit, aggregation)], [content])


def turn(
    answer: str,
    *results: ResultTable,
    question: str = "What do the figures say?",
    definitions: dict[str, str] | None = None,
    sql: str | None = None,
    semantic: dict[str, Any] | None = None,
    index: int = 0,
    **more: Any,
) -> Turn:
    queries = [
        Query(id=f"q{number}", sql=sql, semantic=semantic, status="ok", result=each)
        for number, each in enumerate(results)
    ]
    if not results and (sql or semantic):
        queries = [Query(id="q0", sql=sql, semantic=semantic, status="error")]
    texts = tuple(Definition(name=name, text=text) for name, text in (definitions or {}).items())
    return Turn(
        id=f"t{index}",
        index=index,
        question=Question(text=question),
        answer=Answer(text=answer),
        queries=tuple(queries),
        definitions=texts,
        **{"completeness": Completeness(), **more},
    )


def outcome(answer: str, *results: ResultTable, earlier: Sequence[Turn] = (), **more: Any) -> Outcome:
    return Grounded().run(
        turn(answer, *results, index=len(earlier), **more), Conversation(id="c", turns=tuple(earlier))
    )


def figures(answer: str, *results: ResultTable, **more: Any) -> list[FigureVerdict]:
    return list(outcome(answer, *results, **more).figures)


def verdicts(answer: str, *results: ResultTable, **more: Any) -> Verdicts:
    """What the check says of each figure, by its text."""
    return {figure.text: figure.grounded for figure in figures(answer, *results, **more)}
