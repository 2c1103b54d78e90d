"""
Cases beside a rule: small recorded turns with the label that the rule must give them.

``rules/checks/<rule>.cases.yaml`` is a list of cases, each written as briefly as can be; ``run_cases`` asks the rules
and says where they disagree. A rule should have a quiet case beside every one that fires.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from monitor.conversation import (
    AgentError,
    Answer,
    Column,
    Completeness,
    Conversation,
    Definition,
    Query,
    Question,
    ResultTable,
    ToolCall,
    Turn,
    revision,
)
from monitor.evaluate import evaluate
from monitor.formats.extract import ErrorClasses
from monitor.outcome import Label, Outcome
from monitor.rules import CASES, Rule
from monitor.validation import Text, validate, wrong
from monitor.yamlfile import Document, FileError, load


class CasePart(BaseModel):
    """Base of a case and its parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseError(CasePart):
    """What a tool said instead of giving rows. Its class follows from the code, as for a recorded error."""

    code: str | None = Field(default=None, description="such as `fan_out`, `timeout`")
    message: str = Field(default="", description="the tool's words")
    refused: bool = Field(default=False, description="the tool marked it `refused: true`, whatever the code")


class CaseColumn(CasePart):
    """A column with what the recorder knows of it. A bare name stands for a column without unit and aggregation."""

    name: str
    type: str = ""
    unit: str | None = Field(default=None, description="such as `EUR`, `min`, `percent`, `ratio`")
    aggregation: str | None = Field(default=None, description="such as `sum`, `avg`, `count`")


class CaseQuery(CasePart):
    """One query and what came of it: rows, an error, or nothing that was recorded."""

    sql: str | None = Field(default=None, description="the SQL that was run")
    semantic: dict[str, Any] | None = Field(
        default=None, description="a semantic query: metrics, dimensions, filters, …"
    )
    looker: dict[str, Any] | None = Field(
        default=None, description="a Looker query: model, explore, fields, filters, …"
    )
    columns: tuple[str | CaseColumn, ...] = Field(default=(), description="names, or {name, unit, aggregation}")
    rows: tuple[list[Any], ...] | None = Field(default=None, description="lists of values, one for each column")
    row_count: int | None = Field(default=None, ge=0, description="rows that the query had, when not all are given")
    rows_shown: int | None = Field(
        default=None, ge=0, description="rows that the agent saw, when not all of those given"
    )
    truncated: bool = Field(default=False, description="rows are missing here")
    error: CaseError | None = None

    @model_validator(mode="after")
    def _one_end(self) -> CaseQuery:
        if self.error and self.rows is not None:
            raise wrong("a query has both rows and an error", "write one of them")
        if self.rows is not None and not self.columns:
            raise wrong("rows without columns", "add columns: [name, …]")
        for index, row in enumerate(self.rows or ()):
            if len(row) > len(self.columns):
                count, width = len(row), len(self.columns)
                raise wrong(f"row {index} has {count} values for {width} columns", "name every column")
        return self

    def query(self, number: int, errors: ErrorClasses) -> Query:
        """The query as a recorder would have it, the *number*th of its turn."""
        language: Literal["sql", "semantic", "looker"] = (
            "looker" if self.looker else "semantic" if self.semantic else "sql"
        )
        call, error, table = f"call_{number}", None, None
        if self.error:
            kind = errors.kind(self.error.code, self.error.message, self.error.refused)
            error = AgentError(tool_call_id=call, code=self.error.code, message=self.error.message, kind=kind)
        elif self.rows is not None:
            columns = tuple(
                Column(name=column) if isinstance(column, str) else Column(**column.model_dump())
                for column in self.columns
            )
            table = ResultTable(
                columns=columns,
                rows=[list(row) for row in self.rows],
                row_count=self.row_count,
                rows_shown=self.rows_shown,
                truncated=self.truncated,
            )
        return Query(
            id=f"query_{number}",
            tool_call_id=call,
            language=language,
            sql=self.sql,
            semantic=self.looker or self.semantic,
            status="error" if error else "ok",
            result=table,
            error=error,
        )


class CaseCompleteness(Completeness):
    """What a recorder can show, with unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseTurn(CasePart):
    """A turn, without what is expected of it."""

    question: str | None = Field(default=None, description="what the person asked")
    answer: str | None = Field(default=None, description="what the agent answered")
    queries: tuple[CaseQuery, ...] = Field(default=(), description="the queries between question and answer")
    definitions: dict[str, str] = Field(
        default_factory=dict, description="name to text of the definitions it was given"
    )
    completeness: CaseCompleteness = Field(
        default=CaseCompleteness(), description="what this recorder can show; absent: all"
    )

    def recorded(self, index: int, errors: ErrorClasses) -> Turn:
        """The turn as a format would have read it."""
        queries = tuple(query.query(number + 1, errors) for number, query in enumerate(self.queries))
        return Turn(
            id=f"t{index + 1}",
            index=index,
            state="failed" if self.answer is None else "complete",
            question=None if self.question is None else Question(text=self.question),
            answer=None if self.answer is None else Answer(text=self.answer),
            tool_calls=tuple(_call(query) for query in queries),
            queries=queries,
            errors=tuple(query.error for query in queries if query.error),
            definitions=tuple(Definition(name=name, text=text) for name, text in self.definitions.items()),
            completeness=Completeness(**self.completeness.model_dump()),
        )


class RuleCase(CaseTurn):
    """A turn with the label that the rule must give it."""

    name: Text = Field(min_length=1, description="what the case shows, in a few words")
    earlier: tuple[CaseTurn, ...] = Field(default=(), description="the turns before it, oldest first")
    expect: Label = Field(description="the label")
    cause: str | None = Field(default=None, description="the cause; absent: any")
    says: str | None = Field(default=None, description="words that the explanation contains, in either case")

    def turn(self, errors: ErrorClasses | None = None) -> Turn:
        """The turn. *errors* classifies its error codes; the built-in classes unless given."""
        return self.recorded(len(self.earlier), errors or ErrorClasses())

    def context(self, errors: ErrorClasses | None = None) -> Conversation:
        """Its conversation, with the earlier turns only."""
        classes = errors or ErrorClasses()
        turns = tuple(turn.recorded(index, classes) for index, turn in enumerate(self.earlier))
        return Conversation(id=f"case {self.name}", turns=turns)


class CaseResult(BaseModel):
    """What a rule said of a case. *disagreement* is empty when it is what was expected; *where* is ``file:line``."""

    model_config = ConfigDict(frozen=True)

    rule: str
    case: str
    where: str = ""
    outcome: Outcome
    disagreement: str = ""

    @property
    def agreed(self) -> bool:
        """Whether the rule said what the case expects."""
        return not self.disagreement


class _Cases(RootModel[tuple[RuleCase, ...]]):
    """What a file of cases says."""


def cases_file(rule_file: Path) -> Path:
    """Where the cases of the rule in *rule_file* stand."""
    return rule_file.with_name(rule_file.stem + CASES)


def load_cases(rule_file: Path) -> tuple[RuleCase, ...]:
    """The cases beside *rule_file*; none when there is no such file. Raises ConfigError with every mistake."""
    return _load(rule_file)[1]


async def run_cases(rules: Iterable[Rule], errors: ErrorClasses | None = None) -> list[CaseResult]:
    """
    Every rule asked about the cases beside it, as it would be about recorded turns.

    *errors* classifies error codes. Raises ConfigError for a file of cases that cannot be read.
    """
    results = []
    for rule in rules:
        if rule.path is None:
            continue
        document, cases = _load(rule.path)
        for index, case in enumerate(cases):
            turn = case.turn(errors)
            (outcome,) = (await evaluate(turn, case.context(errors), [(rule, 1.0)], revision(turn))).outcomes
            where = document.where((index,)) if document else ""
            said = _disagreement(case, outcome)
            results.append(CaseResult(rule=rule.name, case=case.name, where=where, outcome=outcome, disagreement=said))
    return results


def _load(rule_file: Path) -> tuple[Document | None, tuple[RuleCase, ...]]:
    file = cases_file(rule_file)
    if not file.exists():
        return None, ()
    document = load(file)
    cases = validate(_Cases, document.data if document.data is not None else [], document).root
    seen: dict[str, int] = {}
    repeated = [
        document.problem((index, "name"), f"the name of case {seen[case.name] + 1} too", "give each case its own name")
        for index, case in enumerate(cases)
        if seen.setdefault(case.name, index) != index
    ]
    if repeated:
        raise FileError(repeated)
    return document, cases


def _call(query: Query) -> ToolCall:
    """The tool call that ran *query*."""
    result: Any = None
    if query.error:
        result = {"error": {"code": query.error.code, "message": query.error.message}}
    elif query.result:
        result = {"columns": [column.name for column in query.result.columns], "rows": query.result.rows}
    return ToolCall(
        id=query.tool_call_id or query.id,
        name="query",
        arguments={"sql": query.sql} if query.sql is not None else query.semantic,
        result=result,
        status="error" if query.error else "ok",
        error=query.error,
    )


def _disagreement(case: RuleCase, outcome: Outcome) -> str:
    expected = case.expect + (f" ({case.cause})" if case.cause else "")
    said = outcome.label + (f" ({outcome.cause})" if outcome.cause else "")
    explanation = f": {outcome.explanation}" if outcome.explanation else ""
    if outcome.label != case.expect or (case.cause and case.cause != outcome.cause):
        return f"expected {expected}, got {said}{explanation}"
    if case.says and case.says.casefold() not in outcome.explanation.casefold():
        return f"expected words {case.says!r}, got {said}{explanation}"
    return ""
