"""
Outcomes as OpenTelemetry: the event ``gen_ai.evaluation.result``, and a span for back ends that show only traces.

The log event lies on the evaluated span's context, so that a back end shows it beside the answer that it is about.
The span ``evaluate <rule set>`` lies in a trace of the monitor's own, linked to the evaluated span, and carries the
same events with the same attributes. ``not_applicable`` is not emitted: it is counted as a metric only. A score is
there only where there is one: never for ``not_evaluable`` or ``error``.
"""

from __future__ import annotations

import math
import re
import time
from datetime import UTC, datetime, timedelta

from monitor import semconv
from monitor.conversation import TraceRef
from monitor.outcome import Evaluation, Judge, Outcome
from monitor.semconv import wire_text
from monitor.telemetry import Evaluated, Event, Telemetry

EXPLANATION_LIMIT = 1_000
"""Characters of an explanation that are sent."""
TEXT_LIMIT = 256
"""Characters of any other attribute that are sent."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}", re.ASCII)
_SPAN_ID = re.compile(r"[0-9a-fA-F]{16}", re.ASCII)


class TelemetrySink:
    """Emits the outcomes of one turn at a time. Best effort: it never blocks and never raises."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry

    def emit(self, evaluation: Evaluation, rule_set: str) -> None:
        """Emit what there is to say about *evaluation*; *rule_set* names the rules that were asked."""
        if not (self._telemetry.emits_events or self._telemetry.emits_spans):
            return
        try:
            self._emit(evaluation, rule_set)
        except Exception as error:  # noqa: BLE001 - telemetry is best effort: what it cannot say is counted, and no more
            self._telemetry.lost(type(error).__name__, 1)

    def _emit(self, evaluation: Evaluation, rule_set: str) -> None:
        shared = _turn_attributes(evaluation)
        events = [
            _event(outcome, evaluation, shared) for outcome in evaluation.outcomes if outcome.label != "not_applicable"
        ]
        evaluated = evaluated_span(evaluation.turn.trace)
        if events:
            self._telemetry.events(events, evaluated)
        if self._telemetry.emits_spans:
            name = wire_text(rule_set, TEXT_LIMIT)
            attributes = {semconv.RULE_SET: name, **shared, semconv.REVISION: evaluation.revision}
            self._telemetry.span(f"evaluate {name}", attributes, events, evaluated)


def evaluated_span(trace: TraceRef | None) -> Evaluated | None:
    """The span that *trace* refers to; None where no OpenTelemetry trace has the id. A wrong span id counts as none."""
    if trace is None or not trace.otel or not _TRACE_ID.fullmatch(trace.trace_id):
        return None
    trace_id = int(trace.trace_id, 16)
    if not trace_id:
        return None
    return Evaluated(trace_id, int(trace.span_id, 16) if _SPAN_ID.fullmatch(trace.span_id) else 0)


def _turn_attributes(evaluation: Evaluation) -> dict[str, str | int | float]:
    """What is the same for all outcomes of a turn. What the record does not say is left out."""
    scope = evaluation.scope
    texts = {
        semconv.CONVERSATION_ID: evaluation.conversation_id,
        semconv.TURN_ID: evaluation.turn.id,
        semconv.TEAM: scope.team,
        semconv.ENVIRONMENT: scope.environment,
        semconv.AGENT: scope.agent,
        semconv.AGENT_VERSION: scope.agent_version,
        semconv.SEMANTIC_MODEL: scope.semantic_model,
        semconv.MODEL: evaluation.turn.model,
    }
    return {name: wire_text(text, TEXT_LIMIT) for name, text in texts.items() if text}


def _event(outcome: Outcome, evaluation: Evaluation, shared: dict[str, str | int | float]) -> Event:
    broken = outcome.label == "error"
    attributes: dict[str, str | int | float] = {
        semconv.EVALUATION_NAME: wire_text(outcome.rule, TEXT_LIMIT),
        semconv.EVALUATION_SCORE_LABEL: outcome.label,
    }
    if outcome.label in ("pass", "fail") and outcome.score is not None and math.isfinite(outcome.score):
        attributes[semconv.EVALUATION_SCORE_VALUE] = float(outcome.score)
    if outcome.explanation:
        attributes[semconv.EVALUATION_EXPLANATION] = wire_text(outcome.explanation, EXPLANATION_LIMIT)
    response_id = outcome.response_id or evaluation.turn.response_id
    if response_id:
        attributes[semconv.RESPONSE_ID] = wire_text(response_id, TEXT_LIMIT)
    if broken:
        attributes[semconv.ERROR_TYPE] = wire_text(outcome.error_type or semconv.ERROR_TYPE_OTHER, TEXT_LIMIT)
    attributes[semconv.INCLUSION_PROBABILITY] = float(outcome.inclusion_probability)
    for name, text in (
        (semconv.RULE_VERSION, outcome.rule_version),
        (semconv.CHECK, outcome.check),
        (semconv.CAUSE, outcome.cause),
        (semconv.RESULT_ID, outcome.result_id),
    ):
        if text:
            attributes[name] = wire_text(text, TEXT_LIMIT)
    attributes.update(shared)
    if outcome.judge is not None:
        attributes.update(_judge_attributes(outcome.judge))
    return Event(semconv.EVALUATION_RESULT, attributes, _nanoseconds(outcome.evaluated_at), broken)


def _judge_attributes(judge: Judge) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {
        semconv.JUDGE_MODEL: wire_text(judge.model, TEXT_LIMIT),
        semconv.JUDGE_INPUT_TOKENS: judge.tokens_in,
        semconv.JUDGE_OUTPUT_TOKENS: judge.tokens_out,
    }
    if judge.method:
        attributes[semconv.JUDGE_METHOD] = wire_text(judge.method, TEXT_LIMIT)
    if judge.cost is not None:
        attributes[semconv.JUDGE_COST] = judge.cost
    return attributes


def _nanoseconds(moment: datetime | None) -> int:
    """Nanoseconds since 1970; now where nobody noted the time."""
    return time.time_ns() if moment is None else (moment - _EPOCH) // _MICROSECOND * 1_000
