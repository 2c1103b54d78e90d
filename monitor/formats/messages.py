"""
From a list of messages to turns: shared by the formats that record what was said, in order.

A format turns its own messages into steps; :func:`drafts_of` makes drafts of turns of them, which build themselves. A turn starts where the person
speaks; it is complete when the agent's last word follows every tool result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from monitor.conversation import (
    AgentError,
    Answer,
    Chart,
    Completeness,
    Definition,
    Feedback,
    Json,
    Query,
    Question,
    ToolCall,
    TraceRef,
    Turn,
    Usage,
    canonical,
)
from monitor.formats.extract import Extraction, extract_call

INSTRUCTIONS = "instructions"
"""Name of the definition that holds what the agent was told by its system prompt."""
_CUT = ("...[TRUNCATED]", "... [OFFLOADED]", "[TRUNCATED]")
REDACTED = ("[REDACTED]", "[REDACTED_SENSITIVE_TEXT]", "[redacted:")


@dataclass(slots=True)
class Step:
    """
    One thing that happened: ``system`` text, ``user`` text, agent ``text``, a tool ``call`` or its ``result``.

    *value* is a call's arguments or a result's content; *failed* is the recorder's own error flag where it has one.
    *turn* names the turn where the record does; else turns are numbered.
    """

    kind: Literal["system", "user", "text", "call", "result"]
    text: str = ""
    call_id: str = ""
    name: str = ""
    value: Json = None
    failed: bool | None = None
    code: str | None = None
    message: str = ""
    time: datetime | None = None
    turn: str | None = None


@dataclass(slots=True)
class Draft:
    """A turn under construction. Formats may fill its fields themselves and call :meth:`build`."""

    id: str = ""
    question: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    answer_kind: Literal["answer", "clarification", "unknown"] = "unknown"
    suggestions: tuple[str, ...] = ()
    calls: dict[str, ToolCall] = field(default_factory=dict)
    outcomes: dict[str, tuple[bool | None, str | None, str]] = field(default_factory=dict)
    queries: list[Query] = field(default_factory=list)
    errors: list[AgentError] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    usage: Usage | None = None
    model: str | None = None
    response_id: str | None = None
    latency_ms: float | None = None
    feedback: Feedback | None = None
    trace: TraceRef | None = None
    completeness: dict[str, Any] = field(default_factory=dict)

    def seen(self, time: datetime | None) -> None:
        """Widen the turn's time to include *time*."""
        if time is not None:
            self.started_at = min(self.started_at or time, time)
            self.ended_at = max(self.ended_at or time, time)

    def call(self, call: ToolCall) -> None:
        """A tool was called. The agent's words before it were no answer."""
        self.answer.clear()
        self.calls[call.id] = call

    def result(
        self,
        call_id: str,
        value: Json,
        *,
        name: str = "",
        failed: bool | None = None,
        code: str | None = None,
        message: str = "",
        time: datetime | None = None,
    ) -> None:
        """A tool answered; a result without a recorded call makes its own call."""
        self.answer.clear()
        call = self.calls.get(call_id) or ToolCall(id=call_id, name=name)
        self.calls[call_id] = call.model_copy(update={"result": value, "status": "unknown", "ended_at": time})
        self.outcomes[call_id] = (failed, code, message)

    def build(self, index: int, options: Extraction, *, ended: bool | None = None) -> Turn:
        """
        The turn. *ended* is the recorder's own word on whether it is over; None: it is when nothing is pending and
        the agent answered.
        """
        calls: list[ToolCall] = []
        queries, errors, definitions = list(self.queries), list(self.errors), list(self.definitions)
        for call_id, call in self.calls.items():
            failed, code, message = self.outcomes.get(call_id, (None, None, ""))
            found = extract_call(call, options, failed=failed, code=code, message=message)
            calls.append(found.call)
            queries.extend(found.queries)
            errors.extend(found.errors)
            definitions.extend(found.definitions)
        text = "\n".join(part for part in self.answer if part).strip()
        pending = any(call.status == "pending" for call in calls)
        complete = bool(text) and not pending if ended is None else ended
        state: Literal["in_progress", "complete", "failed"] = "complete" if complete else "in_progress"
        if complete and not text:
            state = "failed"
        return Turn(
            id=self.id or f"t{index + 1}",
            index=index,
            state=state,
            question=Question(text="\n".join(self.question)) if self.question else None,
            answer=Answer(text=text, kind=self.answer_kind, suggestions=self.suggestions) if text else None,
            started_at=self.started_at,
            ended_at=self.ended_at,
            tool_calls=tuple(calls),
            queries=tuple(queries),
            errors=tuple(errors),
            definitions=tuple(definitions),
            charts=tuple(self.charts),
            usage=self.usage,
            model=self.model,
            response_id=self.response_id,
            latency_ms=self.latency_ms,
            feedback=self.feedback,
            trace=self.trace,
            completeness=Completeness(**self._completeness(text, calls)),
        )

    def _completeness(self, answer: str, calls: list[ToolCall]) -> dict[str, Any]:
        """What was said of completeness, and what the texts themselves show: cut or redacted content."""
        out = dict(self.completeness)
        strings = [answer, *(_flat(call.result) for call in calls)]
        if any(mark in text for text in strings for mark in _CUT):
            out["truncated"] = True
        if any(mark in text for text in strings for mark in REDACTED):
            out["redacted"] = True
        return out


def _flat(value: Json) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return canonical(value).decode()


def drafts_of(steps: Iterable[Step]) -> list[Draft]:
    """Drafts, one a turn, in order. Steps that name their turn belong to it wherever they stand."""
    drafts: list[Draft] = []
    named: dict[str, Draft] = {}
    instructions: list[Definition] = []
    known: set[str] = set()
    for step in steps:
        if step.kind == "system":
            if step.text and step.text not in known:
                known.add(step.text)
                instructions.append(Definition(name=INSTRUCTIONS, text=step.text))
            continue
        draft = named.get(step.turn) if step.turn else drafts[-1] if drafts and not _starts(step, drafts[-1]) else None
        if draft is None:
            draft = Draft(id=step.turn or "")
            drafts.append(draft)
            if step.turn:
                named[step.turn] = draft
        draft.definitions += instructions
        instructions.clear()
        draft.seen(step.time)
        _apply(step, draft)
    return drafts


def _starts(step: Step, draft: Draft) -> bool:
    """A person's word starts a turn, unless the one before was not answered by anything yet."""
    return step.kind == "user" and bool(draft.answer or draft.calls)


def _apply(step: Step, draft: Draft) -> None:
    if step.kind == "user":
        draft.question.append(step.text)
    elif step.kind == "text":
        if step.text:
            draft.answer.append(step.text)
    elif step.kind == "call":
        draft.call(
            ToolCall(id=step.call_id, name=step.name, arguments=step.value, status="pending", started_at=step.time)
        )
    else:
        draft.result(
            step.call_id,
            step.value,
            name=step.name,
            failed=step.failed,
            code=step.code,
            message=step.message,
            time=step.time,
        )


def when(value: Json) -> datetime | None:
    """
    An aware UTC time from ISO text, BigQuery's ``2026-01-09 09:00:00 UTC``, or seconds since 1970 (a number, or one in
    text); None for anything else. Text without a zone is UTC.
    """
    try:
        moment = _from_text(value.strip()) if isinstance(value, str) else value
        if isinstance(moment, (int, float)) and not isinstance(moment, bool):
            return datetime.fromtimestamp(moment, UTC)
        if not isinstance(moment, datetime):
            return None
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _from_text(text: str) -> datetime | float:
    try:
        return datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        return float(text)
