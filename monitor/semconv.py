"""
Every name that goes over the wire: OpenTelemetry's, then ours; and how text from records goes with it.

The GenAI conventions are in status Development: a name changes here and nowhere else. OpenTelemetry has no
attribute for who evaluated, how, or on what sample: those are ours, never put under ``gen_ai.``.
"""

from __future__ import annotations

import re

# OpenTelemetry: semantic-conventions-genai, event `gen_ai.evaluation.result`, and the resource's attributes.

SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"

EVALUATION_RESULT = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
EVALUATION_SCORE_VALUE = "gen_ai.evaluation.score.value"
EVALUATION_SCORE_LABEL = "gen_ai.evaluation.score.label"
"""``pass``, ``fail``, ``not_evaluable`` or ``error``: :data:`monitor.outcome.LABELS` without ``not_applicable``."""
EVALUATION_EXPLANATION = "gen_ai.evaluation.explanation"
RESPONSE_ID = "gen_ai.response.id"
ERROR_TYPE = "error.type"
ERROR_TYPE_OTHER = "_OTHER"
SERVICE_NAME = "service.name"
SERVICE_VERSION = "service.version"

# Ours: of an outcome, of the turn it is about, of the span that carries a turn's outcomes.

SCOPE = "conversation_monitor"
"""The instrumentation scope, and the first part of every name of ours."""
DEFAULT_SERVICE_NAME = "conversation-monitor"

RESULT_ID = "conversation_monitor.result.id"
RULE_VERSION = "conversation_monitor.rule.version"
RULE_SET = "conversation_monitor.rule_set"
CHECK = "conversation_monitor.check"
CAUSE = "conversation_monitor.cause"
"""Why an outcome is ``not_evaluable``; low cardinality."""
INCLUSION_PROBABILITY = "conversation_monitor.inclusion_probability"
CONVERSATION_ID = "conversation_monitor.conversation.id"
TURN_ID = "conversation_monitor.turn.id"
REVISION = "conversation_monitor.turn.revision"
TEAM = "conversation_monitor.team"
ENVIRONMENT = "conversation_monitor.environment"
AGENT = "conversation_monitor.agent.name"
AGENT_VERSION = "conversation_monitor.agent.version"
SEMANTIC_MODEL = "conversation_monitor.semantic_model"
MODEL = "conversation_monitor.agent.model"
"""The language model that the agent used in this turn, as recorded."""
JUDGE_MODEL = "conversation_monitor.judge.model"
JUDGE_METHOD = "conversation_monitor.judge.method"
JUDGE_INPUT_TOKENS = "conversation_monitor.judge.input_tokens"
JUDGE_OUTPUT_TOKENS = "conversation_monitor.judge.output_tokens"
JUDGE_COST = "conversation_monitor.judge.cost_usd"

METRIC_PREFIX = "conversation_monitor_"

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BLANK = frozenset("\t\n\v\f\r\x85\u2028\u2029")


def _neutral(match: re.Match[str]) -> str:
    return " " if match[0] in _BLANK else "\ufffd"


def wire_text(text: str, limit: int) -> str:
    """
    *text* in at most *limit* characters on one line, safe to encode and to show.

    What a record says may hold terminal escapes, overrides of the text's direction, or half a character that no
    encoder takes: line ends and tabs become a space, the rest U+FFFD. A cut is shown by an ellipsis.
    """
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return text if text.isprintable() else _UNSAFE.sub(_neutral, text)
