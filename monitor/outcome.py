"""
What a check says: outcomes, and the evaluation of one turn.

Five labels, never more. Nothing to say is never a pass, and a check that broke is never a score of 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, SkipValidation

from monitor.conversation import Scope, Turn

Label = Literal["pass", "fail", "not_applicable", "not_evaluable", "error"]
LABELS: tuple[Label, ...] = ("pass", "fail", "not_applicable", "not_evaluable", "error")
CAUSES = ("truncated", "redacted", "not_recorded", "too_long", "too_large", "injection_suspected")
"""Causes of ``not_evaluable``; ``not_applicable`` may carry ``recovered``."""


class FigureVerdict(BaseModel):
    """
    One figure of an answer and where it comes from.

    *start* and *end* are code-point offsets into the answer; *value* is the number (a date in ISO 8601), in *unit* where
    one is written. *grounded* is None when undecided, with a *cause*; when false, *fault* says what is wrong and
    *severity* how much that matters. *source* names the cell, derivation, definition, question, argument or earlier turn.
    """

    model_config = ConfigDict(frozen=True)

    start: int
    end: int
    text: str
    value: float | str | None = None
    unit: str | None = None
    grounded: bool | None
    cause: str | None = None
    fault: str | None = None
    severity: str | None = None
    source: Annotated[dict[str, Any] | None, SkipValidation] = None
    explanation: str = ""


class Judge(BaseModel):
    """Which model judged, by what method, at what cost."""

    model_config = ConfigDict(frozen=True)

    model: str
    method: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


class Outcome(BaseModel):
    """
    One answer of one rule about one turn.

    A check fills *label*, *cause*, *score* (0..1), *explanation* and *figures*; ``evaluate`` adds whose it is. The
    explanation may quote the record: it is text to escape, never to log.
    """

    model_config = ConfigDict(frozen=True)

    label: Label
    cause: str | None = None
    score: float | None = None
    explanation: str = ""
    figures: tuple[FigureVerdict, ...] = ()
    error_type: str | None = None

    result_id: str = ""
    conversation_id: str = ""
    turn_id: str = ""
    revision: str = ""
    rule: str = ""
    rule_version: str = ""
    check: str = ""
    inclusion_probability: float = 1.0
    weight: float = 1.0
    judge: Judge | None = None
    scope: Scope = Scope()
    model: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    evaluated_at: datetime | None = None

    def record(self) -> dict[str, Any]:
        """The outcome as one flat JSON object: how it is printed and exported; the scope's fields stand beside the rest."""
        out = self.model_dump(mode="json", exclude={"scope", "figures", "judge"})
        out.update(self.scope.__dict__)
        out["figures"] = [figure.model_dump(mode="json", exclude_none=True) for figure in self.figures]
        out["judge"] = self.judge.model_dump(mode="json") if self.judge else None
        return out

    @classmethod
    def passed(cls, explanation: str, **more: Any) -> Outcome:
        """Decided: right. Score 1 unless given."""
        return cls(label="pass", explanation=explanation, **{"score": 1.0, **more})

    @classmethod
    def failed(cls, explanation: str, **more: Any) -> Outcome:
        """Decided: wrong. Score 0 unless given."""
        return cls(label="fail", explanation=explanation, **{"score": 0.0, **more})

    @classmethod
    def not_applicable(cls, explanation: str, cause: str | None = None) -> Outcome:
        """The rule has nothing to look at in this turn."""
        return cls(label="not_applicable", explanation=explanation, cause=cause)

    @classmethod
    def not_evaluable(cls, cause: str, explanation: str, **more: Any) -> Outcome:
        """The record lacks what is needed, or evaluating it is unsafe. *cause* is one of :data:`CAUSES`."""
        return cls(label="not_evaluable", cause=cause, explanation=explanation, **more)

    @classmethod
    def error(cls, error_type: str, explanation: str) -> Outcome:
        """The check broke."""
        return cls(label="error", error_type=error_type, explanation=explanation)


class Evaluation(BaseModel):
    """All outcomes of one turn, with what sinks need of the turn. *seconds* is what each outcome took, in their order."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str
    scope: Scope
    turn: Annotated[Turn, SkipValidation]
    revision: str
    outcomes: tuple[Outcome, ...]
    seconds: tuple[float, ...] = ()

    def only(self, result_ids: Collection[str]) -> Evaluation | None:
        """The part of it whose outcomes are among *result_ids*; None when there is none."""
        kept = [index for index, outcome in enumerate(self.outcomes) if outcome.result_id in result_ids]
        if len(kept) == len(self.outcomes):
            return self
        seconds = tuple(self.seconds[index] for index in kept) if self.seconds else ()
        return (
            self.model_copy(update={"outcomes": tuple(self.outcomes[i] for i in kept), "seconds": seconds})
            if kept
            else None
        )


def result_id(
    conversation_id: str, turn_id: str, revision: str, rule: str, rule_version: str, judge_model: str = ""
) -> str:
    """32 hex digits: the same input gives the same id on a redelivery, a replica, a backfill."""
    text = "\x00".join((conversation_id, turn_id, revision, rule, rule_version, judge_model))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def outcome_schema() -> dict[str, Any]:
    """The JSON schema of an outcome as ``record`` gives it: the scope's fields stand beside the rest."""
    schema = Outcome.model_json_schema()
    scope = schema["properties"].pop("scope")
    schema["properties"].update(schema["$defs"].pop(scope["$ref"].rsplit("/", 1)[-1])["properties"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
