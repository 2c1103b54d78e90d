"""
OpenTelemetry GenAI: spans and log events of agents, one turn a trace.

Read are OTLP requests (JSON and protobuf), rows of the ``_AllSpans`` and ``_AllLogs`` views, Cloud Logging entries,
and ADK's own attributes. Each span that tells of an agent, a model call or a tool is a fragment of its trace. The
turn ends with the outermost agent span; its conversation is named by an attribute, as a rule on that span only.

Messages are recorded only where a team has switched that on. A trace without them is still a turn, complete and
with nothing to judge: its completeness says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from monitor.conversation import Conversation
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, digest, register
from monitor.formats._bounds import json_only
from monitor.formats._otel_messages import last_question, messages_in, since
from monitor.formats._otel_spans import KEEP, Span, outermost, read
from monitor.formats._otel_turn import TraceTurn

_SIGNAL = re.compile(r"^org\.opentelemetry\.otlp\.(traces|metrics|logs)\b")
_INVOCATION = ("gcp.vertex.agent.invocation_id", "gcp.vertex.agent.session_id")


@register("otel")
class Otel(Format):
    """Traces of agents after the GenAI conventions of OpenTelemetry."""

    name = "otel"
    user_paths = (("attributes", "user.id"), ("attributes", "enduser.id"))

    conversation_keys: tuple[str, ...] = Field(
        default=("gen_ai.conversation.id", "gcp.vertex.agent.session_id"),
        description="span attributes that hold the conversation's id, the first one found counts; else it is the trace",
    )

    def fragments(self, record: Record) -> list[Fragment]:
        """One fragment a span of interest."""
        signal = _SIGNAL.match(record.attributes.get("ce-type", ""))
        with json_only():
            spans = read(record.data, KEEP.union(self.conversation_keys), signal[1] if signal else "traces")
            around = next((group for span in spans if (group := _group(span))), "")
            tops = outermost(spans)
            return [
                _fragment(
                    span,
                    _group(span) or around or self._group_of_log(span),
                    tops.get(span.span) == span.span,
                    next((str(found) for key in self.conversation_keys if (found := span.attributes.get(key))), ""),
                )
                for span in spans
            ]

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """The turn that a trace holds; none where it holds a tool's spans only."""
        with json_only():
            trace = TraceTurn(group, [Span(**fragment.event) for fragment in fragments], self.extract)
            turn = trace.turn()
        return Conversation(
            id=trace.attribute(*self.conversation_keys) or group,
            scope=trace.scope(),
            user=trace.attribute("user.id", "enduser.id") or None,
            started_at=turn.started_at if turn else None,
            turns=(turn,) if turn else (),
        )

    def _group_of_log(self, span: Span) -> str:
        """For a log event without a trace: what all model calls of a turn share, the history up to its question."""
        messages = messages_in(span.attributes.get("gen_ai.input.messages")).items
        question = last_question(messages)
        if not span.key or not question:
            raise RecordError(
                "invalid",
                "a span without trace id, invocation or session belongs to no turn",
                hint="select trace_id, span_id and parent_span_id too",
            )
        after = len(since(messages, question))
        named = [span.attributes.get(key) for key in self.conversation_keys]
        return f"turn-{digest([named, messages[: len(messages) - after]])}"


def _group(span: Span) -> str:
    return span.trace or next((str(found) for key in _INVOCATION if (found := span.attributes.get(key))), "")


def _fragment(span: Span, group: str, outer: bool, conversation: str) -> Fragment:
    event = span.event()
    content = digest(event)
    key = span.key or span.span or content
    root = bool(span.span) and not span.parent and not span.key and span.kind != "tool"
    ends = root or (span.kind == "agent" and outer)
    return Fragment(group, key, (span.start or "", key), event, ends=ends, conversation=conversation)
