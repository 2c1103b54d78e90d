"""
A turn, its context and the rules become an evaluation.

The only place that turns an unexpected exception into the label ``error``, and a check's bound into ``too_large``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

import structlog

from monitor.checks import Check
from monitor.conversation import Conversation, Turn
from monitor.errors import TooLarge, where
from monitor.outcome import Evaluation, Outcome, result_id

log = structlog.get_logger(__name__)


class EvaluatedRule(Protocol):
    """What ``evaluate`` needs of a rule."""

    @property
    def name(self) -> str: ...
    @property
    def check(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def threshold(self) -> float | None: ...
    @property
    def instance(self) -> Check: ...


async def evaluate(
    turn: Turn,
    context: Conversation,
    rules: Sequence[tuple[EvaluatedRule, float]],
    revision: str,
    *,
    now: datetime | None = None,
) -> Evaluation:
    """
    All outcomes of *turn*. *context* is its conversation with the earlier turns only.

    *rules* come with the probability that this turn had of being kept by each; *revision* names the turn's content.
    Never raises for what a check does: that is an outcome with the label ``error``.
    """
    at = now or datetime.now(UTC)
    outcomes, seconds = [], []
    for rule, probability in rules:
        started = time.perf_counter()
        outcome = _run(rule.instance, turn, context, rule.name)
        seconds.append(time.perf_counter() - started)
        outcomes.append(_completed(outcome, turn, context, rule, probability, revision, at))
    return Evaluation(
        conversation_id=context.id,
        scope=context.scope,
        turn=turn,
        revision=revision,
        outcomes=tuple(outcomes),
        seconds=tuple(seconds),
    )


def _run(check: Check, turn: Turn, context: Conversation, rule: str) -> Outcome:
    try:
        return check.run(turn, context)
    except TooLarge as bound:
        return Outcome.not_evaluable("too_large", bound.message)
    except Exception as defect:  # noqa: BLE001 - what breaks in a check is this turn's outcome
        log.warning("check_broke", rule=rule, check=check.name, error_type=type(defect).__name__, at=where(defect))
        return Outcome.error(type(defect).__name__, f"the check broke: {type(defect).__name__}")


def _completed(
    outcome: Outcome,
    turn: Turn,
    context: Conversation,
    rule: EvaluatedRule,
    probability: float,
    revision: str,
    at: datetime,
) -> Outcome:
    trace = turn.trace
    label = outcome.label
    if rule.threshold is not None and outcome.score is not None and label in ("pass", "fail"):
        label = "pass" if outcome.score >= rule.threshold else "fail"
    return outcome.model_copy(
        update={
            "label": label,
            "result_id": result_id(context.id, turn.id, revision, rule.name, rule.identity),
            "conversation_id": context.id,
            "turn_id": turn.id,
            "revision": revision,
            "rule": rule.name,
            "rule_version": rule.identity,
            "check": rule.check,
            "inclusion_probability": probability,
            "weight": 1.0 / probability,
            "scope": context.scope,
            "model": turn.model,
            "trace_id": trace.trace_id if trace else None,
            "span_id": trace.span_id if trace else None,
            "response_id": turn.response_id,
            "evaluated_at": at,
        }
    )
