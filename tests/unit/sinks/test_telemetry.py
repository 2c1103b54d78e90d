from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from monitor.conversation import Scope, TraceRef, Turn
from monitor.outcome import Evaluation, Judge, Label, Outcome
from monitor.sinks.telemetry import EXPLANATION_LIMIT, TEXT_LIMIT, TelemetrySink, evaluated_span
from monitor.telemetry import Evaluated, Telemetry, connect

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "b7ad6b7169203331"
AT = datetime(2026, 10, 5, 12, 0, 0, 123456, tzinfo=UTC)
AT_NS = 1_791_201_600_123_456_000
SCOPE = Scope(team="network", environment="production", agent="flights", agent_version="12", semantic_model="ops")


class Receiver:
    """A sink, and what it emitted."""

    def __init__(self, events: bool = True, spans: bool = True) -> None:
        self._logs = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call] # has no types
        self._spans = InMemorySpanExporter()
        self.lost: list[tuple[str, int]] = []
        self.telemetry = connect(
            [self._logs] if events else [],
            [self._spans] if spans else [],
            lost=lambda error_type, count: self.lost.append((error_type, count)),
        )
        self.sink = TelemetrySink(self.telemetry)

    def records(self) -> tuple[ReadableLogRecord, ...]:
        assert self.telemetry.flush(10)
        return self._logs.get_finished_logs()

    def spans(self) -> tuple[ReadableSpan, ...]:
        assert self.telemetry.flush(10)
        return self._spans.get_finished_spans()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.telemetry.shutdown()


def outcome(label: Label = "fail", rule: str = "grounded", **fields: Any) -> Outcome:
    common = {
        "explanation": "12.4 % is in no row",
        "score": {"pass": 1.0, "fail": 0.0}.get(label),
        "rule": rule,
        "rule_version": "0123456789ab",
        "check": "grounded",
        "result_id": "f" * 32,
        "inclusion_probability": 0.25,
        "evaluated_at": AT,
    }
    return Outcome(label=label, **{**common, **fields})


def evaluation(*outcomes: Outcome, trace: TraceRef | None = None, **turn: Any) -> Evaluation:
    turn = {"id": "t1", "trace": trace, "response_id": "resp-1", "model": "gemini-3-pro", **turn}
    return Evaluation(
        conversation_id="c1", scope=SCOPE, turn=Turn(**turn), revision="e" * 32, outcomes=outcomes or (outcome(),)
    )


def otel(trace_id: str = TRACE_ID, span_id: str = SPAN_ID, otel: bool = True) -> TraceRef:
    return TraceRef(trace_id=trace_id, span_id=span_id, otel=otel)


def attributes(thing: Any) -> dict[str, Any]:
    return dict(thing.attributes or {})


def test_the_log_event_is_the_convention_on_the_evaluated_span(receiver: Receiver) -> None:
    """Name, context, times, severity and every attribute of `gen_ai.evaluation.result` are as the convention wants."""
    receiver.sink.emit(evaluation(trace=otel()), "default")
    (readable,) = receiver.records()
    record = readable.log_record
    assert "gen_ai.evaluation.result" == record.event_name
    assert (int(TRACE_ID, 16), int(SPAN_ID, 16)) == (record.trace_id, record.span_id)
    assert AT_NS == record.timestamp
    assert record.observed_timestamp is not None
    assert record.observed_timestamp > AT_NS
    assert (SeverityNumber.INFO, "INFO") == (record.severity_number, record.severity_text)
    assert record.body is None
    assert {
        "gen_ai.evaluation.name": "grounded",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": "12.4 % is in no row",
        "gen_ai.response.id": "resp-1",
        "conversation_monitor.rule.version": "0123456789ab",
        "conversation_monitor.check": "grounded",
        "conversation_monitor.result.id": "f" * 32,
        "conversation_monitor.inclusion_probability": 0.25,
        "conversation_monitor.conversation.id": "c1",
        "conversation_monitor.turn.id": "t1",
        "conversation_monitor.team": "network",
        "conversation_monitor.environment": "production",
        "conversation_monitor.agent.name": "flights",
        "conversation_monitor.agent.version": "12",
        "conversation_monitor.agent.model": "gemini-3-pro",
        "conversation_monitor.semantic_model": "ops",
    } == attributes(record)
    assert isinstance(attributes(record)["gen_ai.evaluation.score.value"], float)


def test_the_scope_names_its_schema(receiver: Receiver) -> None:
    """A reader can tell which version of the conventions the names are from, and which monitor wrote them."""
    receiver.sink.emit(evaluation(), "default")
    (record,), (span,) = receiver.records(), receiver.spans()
    assert record.instrumentation_scope is not None
    assert record.instrumentation_scope == span.instrumentation_scope
    assert "conversation_monitor" == record.instrumentation_scope.name
    assert "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev" == record.instrumentation_scope.schema_url


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (outcome("pass", score=0.75), {"label": "pass", "value": 0.75, "error": None, "severity": "INFO"}),
        (outcome("fail"), {"label": "fail", "value": 0.0, "error": None, "severity": "INFO"}),
        (
            outcome("not_evaluable", cause="truncated", score=0.5),
            {"label": "not_evaluable", "value": None, "error": None, "severity": "INFO", "cause": "truncated"},
        ),
        (
            outcome("error", error_type="KeyError", score=0.0),
            {"label": "error", "value": None, "error": "KeyError", "severity": "WARN"},
        ),
        (outcome("error"), {"label": "error", "value": None, "error": "_OTHER", "severity": "WARN"}),
        (outcome("pass", score=float("nan")), {"label": "pass", "value": None, "error": None, "severity": "INFO"}),
        (outcome("fail", error_type="stray"), {"label": "fail", "value": 0.0, "error": None, "severity": "INFO"}),
    ],
)
def test_a_label_decides_what_the_event_says(receiver: Receiver, given: Outcome, expected: dict[str, Any]) -> None:
    """Only what is decided has a score, only what broke has an error type and WARN, only the unclear has a cause."""
    receiver.sink.emit(evaluation(given), "default")
    (readable,) = receiver.records()
    found = attributes(readable.log_record)
    assert expected == {
        "label": found["gen_ai.evaluation.score.label"],
        "value": found.get("gen_ai.evaluation.score.value"),
        "error": found.get("error.type"),
        "severity": readable.log_record.severity_text,
        **({"cause": found["conversation_monitor.cause"]} if "conversation_monitor.cause" in found else {}),
    }


def test_the_span_carries_the_same_events_and_a_link(receiver: Receiver) -> None:
    """The span is a root in a trace of its own, linked to the evaluated span, with the log events' name and attributes."""
    outcomes = (outcome(), outcome("not_applicable", rule="quiet"), outcome("pass", rule="refusals"))
    receiver.sink.emit(evaluation(*outcomes, trace=otel()), "nightly")
    (span,) = receiver.spans()
    assert "evaluate nightly" == span.name
    assert span.parent is None
    assert span.context is not None
    assert int(TRACE_ID, 16) != span.context.trace_id
    assert [(int(TRACE_ID, 16), int(SPAN_ID, 16))] == [
        (link.context.trace_id, link.context.span_id) for link in span.links
    ]
    assert StatusCode.UNSET is span.status.status_code
    records = [readable.log_record for readable in receiver.records()]
    assert ["grounded", "refusals"] == [attributes(event)["gen_ai.evaluation.name"] for event in span.events]
    assert [(record.event_name, attributes(record), record.timestamp) for record in records] == [
        (event.name, attributes(event), event.timestamp) for event in span.events
    ]
    assert {
        "conversation_monitor.rule_set": "nightly",
        "conversation_monitor.conversation.id": "c1",
        "conversation_monitor.turn.id": "t1",
        "conversation_monitor.turn.revision": "e" * 32,
        "conversation_monitor.team": "network",
        "conversation_monitor.environment": "production",
        "conversation_monitor.agent.name": "flights",
        "conversation_monitor.agent.version": "12",
        "conversation_monitor.agent.model": "gemini-3-pro",
        "conversation_monitor.semantic_model": "ops",
    } == attributes(span)


def test_a_broken_rule_marks_the_span_failed(receiver: Receiver) -> None:
    """Back ends that show only traces show a broken rule as an error, and say how many broke."""
    receiver.sink.emit(evaluation(outcome(), outcome("error", error_type="KeyError")), "default")
    (span,) = receiver.spans()
    assert (StatusCode.ERROR, "1 of 2 rules broke") == (span.status.status_code, span.status.description)


def test_not_applicable_is_not_emitted(receiver: Receiver) -> None:
    """A turn in which no rule has anything to look at leaves a span without events and no log event."""
    receiver.sink.emit(evaluation(outcome("not_applicable")), "default")
    assert () == receiver.records()
    (span,) = receiver.spans()
    assert [] == list(span.events)


@pytest.mark.parametrize(("events", "spans"), [(True, False), (False, True), (False, False)])
def test_each_way_has_its_switch(events: bool, spans: bool) -> None:
    """Log events and spans are switched off separately."""
    receiver = Receiver(events, spans)
    receiver.sink.emit(evaluation(), "default")
    assert (int(events), int(spans)) == (len(receiver.records()), len(receiver.spans()))
    assert [] == receiver.lost
    receiver.telemetry.shutdown()


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        (None, None),
        (otel(), Evaluated(int(TRACE_ID, 16), int(SPAN_ID, 16))),
        (otel(TRACE_ID.upper()), Evaluated(int(TRACE_ID, 16), int(SPAN_ID, 16))),
        (otel(otel=False), None),
        (otel("0" * 32), None),
        (otel(TRACE_ID[:31]), None),
        (otel("0x" + TRACE_ID[2:]), None),
        (otel(TRACE_ID + "\n"), None),
        (otel("٣" * 32), None),
        (otel(span_id=""), Evaluated(int(TRACE_ID, 16), 0)),
        (otel(span_id="0" * 16), Evaluated(int(TRACE_ID, 16), 0)),
        (otel(span_id="call_77"), Evaluated(int(TRACE_ID, 16), 0)),
    ],
)
def test_only_ids_of_opentelemetry_spans_count(trace: TraceRef | None, expected: Evaluated | None) -> None:
    """Ids of the recorder's own tree and malformed ones are no span; a trace without a span id is still a trace."""
    assert expected == evaluated_span(trace)


def test_without_a_span_the_response_id_has_to_do(receiver: Receiver) -> None:
    """Where no OpenTelemetry span was recorded the event lies on none, the span links to none, the ids remain."""
    receiver.sink.emit(evaluation(trace=otel("turn-1", "", otel=False)), "default")
    (readable,), (span,) = receiver.records(), receiver.spans()
    assert (0, 0) == (readable.log_record.trace_id, readable.log_record.span_id)
    assert () == tuple(span.links)
    assert "resp-1" == attributes(readable.log_record)["gen_ai.response.id"]
    assert "c1" == attributes(readable.log_record)["conversation_monitor.conversation.id"]


def test_a_trace_without_a_span_id_places_the_event_and_makes_no_link(receiver: Receiver) -> None:
    """A link needs a span; a log event may name its trace alone."""
    receiver.sink.emit(evaluation(trace=otel(span_id="")), "default")
    (readable,), (span,) = receiver.records(), receiver.spans()
    assert (int(TRACE_ID, 16), 0) == (readable.log_record.trace_id, readable.log_record.span_id)
    assert () == tuple(span.links)


def test_what_the_record_does_not_say_is_left_out(receiver: Receiver) -> None:
    """No attribute is sent empty."""
    bare = Evaluation(
        conversation_id="c1", scope=Scope(), turn=Turn(id="t1"), revision="", outcomes=(Outcome.passed("", rule="r"),)
    )
    receiver.sink.emit(bare, "default")
    (readable,) = receiver.records()
    assert {
        "gen_ai.evaluation.name": "r",
        "gen_ai.evaluation.score.label": "pass",
        "gen_ai.evaluation.score.value": 1.0,
        "conversation_monitor.inclusion_probability": 1.0,
        "conversation_monitor.conversation.id": "c1",
        "conversation_monitor.turn.id": "t1",
    } == attributes(readable.log_record)


def test_a_judge_says_its_model_and_cost(receiver: Receiver) -> None:
    """What a judged outcome cost goes with it."""
    judge = Judge(model="gemini-3-flash", method="steps", tokens_in=900, tokens_out=40, cost=0.0011)
    receiver.sink.emit(evaluation(outcome("pass", judge=judge)), "default")
    (readable,) = receiver.records()
    prefix = "conversation_monitor.judge."
    assert {
        "model": "gemini-3-flash",
        "method": "steps",
        "input_tokens": 900,
        "output_tokens": 40,
        "cost_usd": 0.0011,
    } == {
        name.removeprefix(prefix): value
        for name, value in attributes(readable.log_record).items()
        if name.startswith(prefix)
    }


def test_hostile_text_is_bounded_and_harmless(receiver: Receiver) -> None:
    """However long or odd a record's texts are, what is sent is short, printable and encodable."""
    nasty = "\x1b]0;owned\x07\ud800\u202e" + "A" * 100_000
    hostile = Evaluation(
        conversation_id=nasty,
        scope=Scope(team=nasty, environment=nasty, agent=nasty, agent_version=nasty, semantic_model=nasty),
        turn=Turn(id=nasty, response_id=nasty, model=nasty, trace=otel(nasty, nasty)),
        revision="e" * 32,
        outcomes=(outcome("error", rule=nasty, explanation=nasty, error_type=nasty, cause=nasty),),
    )
    receiver.sink.emit(hostile, nasty)
    (readable,), (span,) = receiver.records(), receiver.spans()
    for name, value in [*attributes(readable.log_record).items(), *attributes(span).items()]:
        if isinstance(value, str):
            limit = EXPLANATION_LIMIT if name == "gen_ai.evaluation.explanation" else TEXT_LIMIT
            assert len(value) <= limit, name
            assert value.isprintable(), name
            assert value.encode().decode() == value, name
    assert len(span.name) <= TEXT_LIMIT + len("evaluate ")


def test_emit_never_raises_and_counts_what_it_could_not_say(receiver: Receiver) -> None:
    """An outcome that cannot be sent costs itself, not the evaluation."""
    receiver.sink.emit(evaluation(outcome(evaluated_at=datetime(2026, 1, 1))), "default")  # noqa: DTZ001 - the fault
    assert [("TypeError", 1)] == receiver.lost


def test_without_pipelines_emit_does_nothing() -> None:
    """Telemetry that goes nowhere needs no SDK and does no work."""
    TelemetrySink(Telemetry()).emit(evaluation(), "default")
