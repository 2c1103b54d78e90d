"""
Tables with one row a turn, whatever their columns: the configuration says which column holds what.

``fields`` names, for each thing that a turn has, a column or a path into one (``trace.ids[0]``, ``$.payload.question``).
Only ``answer`` is needed; the more is named, the more can be checked: what is not named is recorded as absent, so
that a check does not take it for empty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from monitor.conversation import (
    AgentError,
    Answer,
    Completeness,
    Conversation,
    Definition,
    Feedback,
    Json,
    Query,
    Question,
    Scope,
    TraceRef,
    Turn,
    canonical,
)
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.formats._bounds import json_only
from monitor.formats._errors import leading_code
from monitor.formats.extract import extract_query
from monitor.formats.messages import when
from monitor.jsonio import MAX_DEPTH, maybe_json

_STEP = re.compile(r"""\.?(?:\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]|([^.\[\]]+))""")
_HEX = {"trace_id": re.compile(r"[0-9a-fA-F]{32}"), "span_id": re.compile(r"[0-9a-fA-F]{16}")}
_POSITIVE = ("positive", "up", "thumbs_up", "thumbsup", "like", "liked", "good", "yes", "true", "1")
_NEGATIVE = ("negative", "down", "thumbs_down", "thumbsdown", "dislike", "disliked", "bad", "no", "false", "0", "-1")
_NOT_NAMED = "columns that the mapping does not name: "
Path = tuple[str | int, ...]


class MappingFields(BaseModel):
    """Which column, or path into a column, holds what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: str = Field(description="what the agent answered: text")
    question: str | None = Field(default=None, description="what the person asked: text")
    conversation_id: str | None = Field(default=None, description="without it, each row is its own conversation")
    turn_id: str | None = Field(default=None, description="without it, a hash of the row")
    sql: str | None = Field(default=None, description="the statement that was run: text")
    semantic: str | None = Field(default=None, description="a semantic query: a JSON object")
    rows: str | None = Field(default=None, description="what the query returned: a JSON list of lists or of objects")
    columns: str | None = Field(
        default=None, description="names of the rows' columns, or objects with name, type, unit"
    )
    error: str | None = Field(default=None, description="what the tool said when it failed: text, or an object")
    error_code: str | None = Field(default=None, description="the error's code, such as fan_out")
    definitions: str | None = Field(default=None, description="definitions that the agent read: text, or a JSON object")
    started_at: str | None = Field(default=None, description="ISO text, a timestamp, or a number since 1970")
    ended_at: str | None = Field(default=None, description="the same for the end")
    user: str | None = Field(default=None, description="who asked; hashed or dropped before anything is stored")
    model: str | None = Field(default=None, description="the model that answered")
    trace_id: str | None = Field(default=None, description="32 hex digits")
    span_id: str | None = Field(default=None, description="16 hex digits")
    feedback: str | None = Field(default=None, description="thumbs up or down, or a comment")
    team: str | None = None
    environment: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    semantic_model: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(str(name) for name in data if name not in cls.model_fields)
            if unknown:
                raise ValueError(f"unknown target {', '.join(unknown)}; use {', '.join(cls.model_fields)}")
            if not data.get("answer"):
                raise ValueError("name the column that holds the answer, as in `answer: response_text`")
        return data

    @model_validator(mode="after")
    def _readable(self) -> MappingFields:
        for name, text in self.paths().items():
            try:
                parse_path(text)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return self

    def paths(self) -> dict[str, str]:
        """The targets that are set, with their column or path."""
        return {name: text for name in type(self).model_fields if (text := getattr(self, name)) is not None}


@register("mapping")
class Mapping(Format):
    """One row a turn, columns named by the configuration."""

    name = "mapping"
    user_paths = (("user",),)

    fields: MappingFields
    sparse: bool = Field(
        default=False, description="true: a column that a row lacks is null, for exports that leave out nulls"
    )

    def fragments(self, record: Record) -> list[Fragment]:
        """One fragment a row, which is a whole turn."""
        row = record.data
        if not isinstance(row, dict):
            raise RecordError("invalid", "a row is a JSON object of columns")
        with json_only():
            values = {name: _plain(self._value(row, name, text)) for name, text in self.fields.paths().items()}
            values = {name: value for name, value in values.items() if value is not None}
            answer = values.get("answer")
            if not isinstance(answer, str) or not answer.strip():
                found = "no answer" if answer is None or isinstance(answer, str) else "an answer that is no text"
                raise RecordError("invalid", f"{found} in column {self.fields.answer!r}")
            content = digest(values)
            key = _id(values.get("turn_id")) or content
            group = _id(values.get("conversation_id")) or f"row-{key}"
            self._turn(key, 0, values)
        moment = _time(values, "started_at") or _time(values, "ended_at")
        order = (moment.isoformat(timespec="microseconds") if moment else "", key.zfill(20) if key.isdigit() else key)
        return [Fragment(group, key, order, values, ends=True)]

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """The turns in the rows of one conversation, in order; of two rows for one turn the later counts."""
        rows: dict[str, dict[str, Json]] = {}
        for fragment in fragments:
            rows.pop(fragment.key, None)
            rows[fragment.key] = fragment.event
        with json_only():
            turns = tuple(self._turn(key, index, values) for index, (key, values) in enumerate(rows.items()))
        last = next(reversed(rows.values()))
        user = last.get("user")
        return Conversation(
            id=group,
            scope=Scope(**{name: str(last[name]) for name in Scope.model_fields if last.get(name) is not None}),
            user=str(user) if user not in (None, "") else None,
            started_at=turns[0].started_at,
            ended_at=turns[-1].ended_at,
            turns=turns,
        )

    def _value(self, row: dict[str, Json], target: str, text: str) -> Json:
        """What *row* holds at a column or path. A column that is not there raises RecordError."""
        if text in row:
            return row[text]
        steps = parse_path(text)
        if steps[0] not in row:
            if self.sparse:
                return None
            names = ", ".join(sorted(str(name)[:60] for name in row)[:20])
            raise RecordError(
                "invalid",
                f"the row has no column {str(steps[0])!r}, which {target} is mapped to",
                hint=f"it has: {names}; set `sparse: true` if the export leaves out nulls",
            )
        return look_up(row, steps)

    def _turn(self, key: str, index: int, values: dict[str, Json]) -> Turn:
        error = self._error(values)
        query = self._query(key, values, error)
        question = values.get("question")
        return Turn(
            id=key,
            index=index,
            question=Question(text=_text(question)) if question not in (None, "") else None,
            answer=Answer(text=values["answer"]),
            started_at=_time(values, "started_at"),
            ended_at=_time(values, "ended_at"),
            queries=(query,) if query else (),
            errors=(error,) if error else (),
            definitions=_definitions(values.get("definitions")),
            model=_text(values.get("model")) or None,
            feedback=_feedback(values.get("feedback")),
            trace=_trace(values),
            completeness=self._completeness(query),
        )

    def _error(self, values: dict[str, Json]) -> AgentError | None:
        body, code = maybe_json(values.get("error")), _text(values.get("error_code"))
        if isinstance(body, dict):
            inner = body.get("error")
            body = inner if isinstance(inner, dict) else body
            code = code or _text(body.get("code") or body.get("type"))
            body = body.get("message") or body.get("detail") or (inner if isinstance(inner, str) else body)
        message = _text(body) if body else ""
        if not message and not code:
            return None
        code = code or leading_code(message) or ""
        kind = self.extract.errors.kind(code or None, message)
        return AgentError(source="tool", code=code or None, message=message[:4000], kind=kind)

    def _query(self, key: str, values: dict[str, Json], error: AgentError | None) -> Query | None:
        sql, semantic = values.get("sql") or None, maybe_json(values.get("semantic")) or None
        rows, columns = maybe_json(values.get("rows")), maybe_json(values.get("columns"))
        for name, value, kind, what in (
            ("sql", sql, str, "text"),
            ("semantic", semantic, dict, "a JSON object"),
            ("rows", rows, list, "a JSON list"),
            ("columns", columns, list, "a JSON list"),
        ):
            if value is not None and not isinstance(value, kind):
                raise RecordError("invalid", f"{name} is not {what}, in column {getattr(self.fields, name)!r}")
        if sql is None and semantic is None and rows is None:
            return None
        status: Literal["error", "unknown"] = "error" if error else "unknown"
        language: Literal["sql", "semantic"] = "semantic" if semantic else "sql"
        query = Query(id=f"{key}:0", language=language, sql=sql, semantic=semantic, status=status, error=error)
        if rows is None:
            return query
        if not all(isinstance(row, (list, dict)) for row in rows):
            raise RecordError("invalid", f"rows is not a list of lists or objects, in column {self.fields.rows!r}")
        found = extract_query(query, {"rows": rows, "columns": columns or []}, self.extract)
        return found.model_copy(update={"status": "error"}) if error else found

    def _completeness(self, query: Query | None) -> Completeness:
        fields = self.fields
        asks, shows, fails = fields.sql or fields.semantic, fields.rows, fields.error or fields.error_code
        missing = [name for name, there in (("sql", asks), ("rows", shows), ("error", fails)) if not there]
        lost = query is not None and query.result is None and query.error is None
        return Completeness(
            tool_calls="absent",
            queries="full" if asks else "partial" if shows else "absent",
            results="absent" if not shows else "partial" if lost else "full",
            errors="full" if fails else "absent",
            notes=(_NOT_NAMED + ", ".join(missing),) if missing else (),
        )


@lru_cache(maxsize=256)
def parse_path(text: str) -> Path:
    """The steps of ``a.b[0]['c.d']``, with or without ``$.`` before it. Raises ValueError when it is no path."""
    rest = text.removeprefix("$")
    steps: list[str | int] = []
    position = 0
    while position < len(rest):
        found = _STEP.match(rest, position)
        if found is None:
            break
        index, *names = found.groups()
        steps.append(int(index) if index is not None else next(name for name in names if name is not None))
        position = found.end()
    if not steps or position < len(rest) or isinstance(steps[0], int):
        raise ValueError(f"{text!r} is no column or path; write `column`, `column.key[0]` or `$.column.key`")
    return tuple(steps)


def look_up(value: Json, steps: Path) -> Json:
    """The value at a path; JSON in text is read on the way. None where there is nothing."""
    for step in steps:
        value = maybe_json(value)
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _plain(value: Json, levels: int = MAX_DEPTH) -> Json:
    """*value* as JSON: dates as ISO text, exact numbers kept."""
    if levels < 0:
        raise RecordError("too_deep", f"a column is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {str(key): _plain(inner, levels - 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner, levels - 1) for inner in value]
    return value.isoformat() if isinstance(value, (date, time)) else value


def _time(values: dict[str, Json], name: str) -> datetime | None:
    """A time of the row. Numbers are seconds, or milli-, micro- or nanoseconds when they are too large for that."""
    value = values.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        found = when(value.removesuffix(" UTC"))
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e20:
        size = abs(value)
        found = when(value / (1e9 if size > 1e17 else 1e6 if size > 1e14 else 1e3 if size > 1e11 else 1))
    else:
        found = None
    if found is None:
        raise RecordError("invalid", f"{name} is no time: {_text(value)[:60]!r}")
    return found.astimezone(UTC)


def _definitions(value: Json) -> tuple[Definition, ...]:
    """Definitions: an object of name and text, a list of objects with both, or text."""
    value = maybe_json(value)
    pairs: list[tuple[Json, Json]]
    if isinstance(value, dict):
        pairs = [(name, text) for name, text in value.items() if isinstance(text, str)]
    elif isinstance(value, list):
        objects = [item for item in value if isinstance(item, dict)]
        pairs = [(item.get("name") or "", item.get("text") or item.get("definition") or "") for item in objects]
    else:
        pairs = [("", value)]
    return tuple(Definition(name=_text(name), text=text) for name, text in pairs if isinstance(text, str) and text)


def _feedback(value: Json) -> Feedback | None:
    value = maybe_json(value)
    if isinstance(value, dict):
        comment = value.get("comment")
        return Feedback(rating=_rating(value.get("rating")), comment=comment if isinstance(comment, str) else None)
    rating = _rating(value)
    if rating is None:
        return Feedback(comment=value) if isinstance(value, str) and value else None
    return Feedback(rating=rating)


def _rating(value: Json) -> Literal["positive", "negative"] | None:
    """A thumb up or down, in the words and numbers that tables hold; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    word = str(value).strip().lower().replace(" ", "_") if isinstance(value, (str, int)) else ""
    return "positive" if word in _POSITIVE else "negative" if word in _NEGATIVE else None


def _trace(values: dict[str, Json]) -> TraceRef | None:
    trace = _text(values.get("trace_id"))
    if trace.startswith("projects/"):
        trace = trace.rpartition("/")[2]
    if not trace:
        return None
    span = _text(values.get("span_id"))
    if not _HEX["trace_id"].fullmatch(trace):
        return TraceRef(trace_id=trace, span_id=span, otel=False)
    return TraceRef(trace_id=trace.lower(), span_id=span.lower() if _HEX["span_id"].fullmatch(span) else "")


def _id(value: Json) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return ""
    return str(value) if not isinstance(value, (dict, list)) else canonical(value).decode()
