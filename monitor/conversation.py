"""
The internal model: what a recorded conversation is, whatever format it came in.

All models are frozen. Times are aware datetimes in UTC. A scalar in a row is what the record held: text, a JSON
number as the parser gives it, a Decimal where the source had an exact number (never turned into a float), a
boolean or None. Unknown fields are ignored, so that a newer writer does no harm.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import orjson
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SkipValidation,
    model_validator,
)

Json = Any
"""A parsed JSON value: dict, list, str, int, float, Decimal, bool or None."""
Row = Annotated[list[Any], SkipValidation]
Extent = Literal["full", "partial", "absent"]
ErrorKind = Literal["refusal", "recoverable", "infrastructure", "unknown"]


def _aware(value: datetime) -> datetime:
    return value if value.tzinfo else value.replace(tzinfo=UTC)


Time = Annotated[datetime, AfterValidator(_aware)]
"""A time with its zone; one that says none is taken as UTC."""


CONTEXT = 50
"""Earlier turns that a turn is judged with; what stood before these is no evidence any more."""


class Model(BaseModel):
    """Base of the frozen models."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Scope(Model):
    """Whose conversation it is. An empty string means that the record and the source do not say."""

    team: str = ""
    environment: str = ""
    agent: str = ""
    agent_version: str = ""
    semantic_model: str = ""


class TraceRef(Model):
    """
    The span that was evaluated: 32 and 16 hex digits.

    *otel* is false where the ids are of the recorder's own tree and no OpenTelemetry span has them.
    """

    trace_id: str
    span_id: str = ""
    otel: bool = True


class AgentError(Model):
    """An error that a tool, the model or the agent reported. *kind* is decided by us, from *code* (see formats.errors)."""

    source: Literal["tool", "model", "agent", "run"] = "tool"
    tool_call_id: str | None = None
    code: str | None = None
    message: str = ""
    kind: ErrorKind = "unknown"


class Column(Model):
    """A result's column. *unit* such as ``EUR``, ``min``, ``percent``, ``ratio``; *aggregation* such as ``sum``, ``avg``, ``count``."""

    name: str
    type: str = ""
    unit: str | None = None
    aggregation: str | None = None


def _columns(value: Json) -> Json:
    """Columns may be given as bare names."""
    if isinstance(value, list):
        return [{"name": column} if isinstance(column, str) else column for column in value]
    return value


class ResultTable(Model):
    """
    Rows that a query returned.

    *row_count* is what the query had, when known; *rows_shown* how many the agent saw; *truncated* whether rows are
    missing from *rows*. A row may be shorter than the columns (the rest is None), never longer.
    """

    columns: Annotated[tuple[Column, ...], BeforeValidator(_columns)] = ()
    rows: Annotated[list[Any], SkipValidation] = Field(default_factory=list)
    row_count: int | None = None
    rows_shown: int | None = None
    truncated: bool = False
    formatted: Annotated[list[Any] | None, SkipValidation] = None

    @model_validator(mode="after")
    def _rectangular(self) -> ResultTable:
        width = len(self.columns)
        rows: Json = self.rows
        if not isinstance(rows, list):
            raise ValueError("rows must be a list of lists")
        for index, row in enumerate(rows):
            if not isinstance(row, (list, tuple)):
                raise ValueError(f"row {index} is not a list")
            if len(row) > width:
                raise ValueError(f"row {index} has {len(row)} values for {width} columns")
        return self


class Query(Model):
    """One query that the agent ran or tried to run. *semantic* holds a semantic or Looker query as recorded."""

    id: str
    tool_call_id: str | None = None
    language: Literal["sql", "semantic", "looker"] = "sql"
    sql: str | None = None
    dialect: str | None = None
    semantic: dict[str, Any] | None = None
    status: Literal["ok", "error", "unknown"] = "unknown"
    result: ResultTable | None = None
    error: AgentError | None = None


class ToolCall(Model):
    """One call of a tool. *arguments* and *result* are as recorded (parsed where they were JSON in a string)."""

    id: str
    name: str = ""
    arguments: Annotated[Json, SkipValidation] = None
    result: Annotated[Json, SkipValidation] = None
    status: Literal["ok", "error", "unknown", "pending"] = "unknown"
    error: AgentError | None = None
    started_at: Time | None = None
    ended_at: Time | None = None


class Definition(Model):
    """Text that the agent was given and may quote: a metric's definition, its instructions."""

    name: str
    text: str
    tool_call_id: str | None = None


class Chart(Model):
    """A chart that the agent showed: its Vega-Lite *spec*, and the query it draws."""

    spec: Annotated[Json, SkipValidation] = None
    title: str | None = None
    data_ref: str | None = None


class Question(Model):
    """What the person asked."""

    text: str


class Answer(Model):
    """What the agent answered. *kind* is as recorded, not judged. *suggestions* are follow-ups offered beside the answer."""

    text: str
    kind: Literal["answer", "clarification", "unknown"] = "unknown"
    suggestions: tuple[str, ...] = ()


class Usage(Model):
    """Tokens of the agent's own model calls in this turn."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Feedback(Model):
    """What the person thought of the answer."""

    rating: Literal["positive", "negative"] | None = None
    comment: str | None = None


class Completeness(Model):
    """How much of a turn the record can show. ``absent`` means that this recorder never writes it."""

    tool_calls: Extent = "full"
    queries: Extent = "full"
    results: Extent = "full"
    errors: Extent = "full"
    truncated: bool = Field(default=False, validation_alias=AliasChoices("truncated", "content_truncated"))
    redacted: bool = False
    notes: tuple[str, ...] = ()


class Turn(Model):
    """One question, the tool calls and queries it caused, and one answer."""

    id: str
    index: int = 0
    state: Literal["in_progress", "complete", "paused", "failed"] = "complete"
    question: Question | None = None
    answer: Answer | None = None
    started_at: Time | None = None
    ended_at: Time | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    queries: tuple[Query, ...] = ()
    errors: tuple[AgentError, ...] = ()
    definitions: tuple[Definition, ...] = ()
    charts: tuple[Chart, ...] = ()
    usage: Usage | None = None
    model: str | None = None
    response_id: str | None = None
    latency_ms: float | None = None
    feedback: Feedback | None = None
    trace: TraceRef | None = None
    completeness: Completeness = Completeness()


class SummarySection(Model):
    """One section of a summary; *instruction* is what its writer was told."""

    name: str
    instruction: str | None = None
    text: str


class Summary(Model):
    """A summary that a generator wrote of the conversation."""

    id: str
    generator: str | None = None
    sections: tuple[SummarySection, ...] = ()
    tokens: int | None = None


class Conversation(Model):
    """
    A conversation, or the part of it that a record shows.

    *id* is the native id; *user* is a keyed hash, or None. As a check's context, *turns* are the earlier turns only.
    """

    id: str
    scope: Scope = Scope()
    user: str | None = None
    started_at: Time | None = None
    ended_at: Time | None = None
    state: Literal["open", "idle_closed", "ended", "abandoned"] = "open"
    turns: tuple[Turn, ...] = ()
    summaries: tuple[Summary, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)


_MARKER = b"[redacted:"


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.__dict__
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"cannot hash a {type(value).__name__}")


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, the same bytes for the same content; a Decimal as its text."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)


def revision(turn: Turn, earlier: Iterable[str] = ()) -> str:
    """
    32 hex digits that name a turn's content together with the context it is judged in.

    *earlier* are the revisions of the turns before it, oldest first. The same recording gives the same revision
    through every source; a late fragment, or a change in an earlier turn, gives another.
    """
    return _digest(canonical(turn), earlier)


def identified(turn: Turn, earlier: Iterable[str] = ()) -> tuple[Turn, str]:
    """*turn*, said to be redacted when there is a redaction marker of ours in it, and its revision."""
    content = canonical(turn)
    if _MARKER in content and not turn.completeness.redacted:
        turn = turn.model_copy(update={"completeness": turn.completeness.model_copy(update={"redacted": True})})
        content = canonical(turn)
    return turn, _digest(content, earlier)


def _digest(content: bytes, earlier: Iterable[str]) -> str:
    digest = hashlib.sha256(content)
    for value in earlier:
        digest.update(value.encode())
    return digest.hexdigest()[:32]
