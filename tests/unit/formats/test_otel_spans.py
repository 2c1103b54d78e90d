"""Spans and log events in every shape they are stored in, damaged ones included."""

from __future__ import annotations

import base64
import copy
from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

from monitor.conversation import revision
from monitor.errors import RecordError
from monitor.formats.otel import Otel
from tests.mutation import places
from tests.unit.formats.traces import (
    ASKED,
    CALLED,
    DETAILS,
    GIVEN,
    ROWS,
    SAID,
    SECOND,
    START,
    TRACE,
    Data,
    agent,
    answer_of,
    asks,
    chat,
    hexed,
    joined,
    otlp,
    pairs,
    question_of,
    read,
    span,
    turn_of,
    whole,
)

# Which spans are kept.


def test_only_spans_of_interest_are_fragments() -> None:
    """Requests without an agent leave nothing; a root beside spans of interest is kept."""
    http = span(8, None, traceId="a" * 32, name="GET /healthz")
    assert [] == read(otlp(http, span(9, 8)))
    kept = read(otlp(http, *whole(), span(7, 1, name="sql"), chat(10, ASKED, SAID)))
    assert [hexed(2), hexed(3), hexed(4), hexed(1), hexed(10)] == [each.key for each in kept]
    root = read(otlp(span(8, None, name="POST /chat"), chat(2, ASKED, SAID, 8)))
    assert [(hexed(8), True), (hexed(2), False)] == [(each.key, each.ends) for each in root]


def test_only_attributes_that_a_turn_needs_are_kept() -> None:
    """What is not stored cannot leak."""
    found = row(chat(2, ASKED, SAID, secret__thing="x"), False)
    (from_row,), (from_otlp,) = read(found), read(otlp(chat(2, ASKED, SAID, secret__thing="x"), secret__thing="y"))
    assert [["gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages"]] * 2 == [
        list(each.event["attributes"]) for each in (from_row, from_otlp)
    ]
    assert "resource" not in from_otlp.event


def test_messages_make_a_model_call_where_no_operation_is_named() -> None:
    """Some libraries leave it out."""
    (found,) = read(otlp(span(2, attributes={"gen_ai.input.messages": ASKED})))
    assert "chat" == found.event["kind"]


def test_spans_that_announce_a_running_span_are_left_out() -> None:
    """Logfire sends a pending one first, with another id."""
    assert [] == read(otlp(agent(logfire__span_type="pending_span")))


def test_many_traces_in_one_request_are_many_groups() -> None:
    """A batch holds whatever was ready."""
    other = [{**each, "traceId": "a" * 32} for each in whole()]
    assert {TRACE, "a" * 32} == {each.group for each in read(otlp(*whole(), *other))}


# Shapes.


def protobuf(*spans: Data) -> bytes:
    request = ExportTraceServiceRequest()
    target = request.resource_spans.add().scope_spans.add()
    for each in spans:
        made = target.spans.add(
            trace_id=bytes.fromhex(each["traceId"]),
            span_id=bytes.fromhex(each["spanId"]),
            parent_span_id=bytes.fromhex(each["parentSpanId"]),
            name=each["name"],
            start_time_unix_nano=int(each["startTimeUnixNano"]),
            end_time_unix_nano=int(each["endTimeUnixNano"]),
        )
        made.status.code = each["status"].get("code", 0)
        for pair in each["attributes"]:
            (kind, value), *_ = pair["value"].items()
            held = AnyValue(int_value=int(value)) if kind == "intValue" else AnyValue(string_value=value)
            made.attributes.append(KeyValue(key=pair["key"], value=held))
    return bytes(request.SerializeToString())


def row(each: Data, as_text: bool) -> Data:
    """A span as a row of the spans view; JSON columns come as text from some clients."""

    def column(value: Any) -> Any:
        return orjson.dumps(value).decode() if as_text else value

    attributes = {pair["key"]: next(iter(pair["value"].values())) for pair in each["attributes"]}
    second = (int(each["startTimeUnixNano"]) - START) // SECOND
    return {
        "trace_id": each["traceId"],
        "span_id": each["spanId"],
        "parent_span_id": each["parentSpanId"] or None,
        "name": each["name"],
        "start_time": f"2026-01-09 09:00:{second:02d} UTC" if as_text else f"2026-01-09T09:00:{second:02d}Z",
        "duration_nano": int(each["endTimeUnixNano"]) - int(each["startTimeUnixNano"]),
        "attributes": column(attributes),
        "status": column({"code": each["status"].get("code", 0), "message": each["status"].get("message")}),
        "events": column([]),
        "resource": column({"attributes": {}}),
    }


def printed(each: Data) -> Data:
    """A span as the SDK's console exporter prints it."""
    found = row(each, False)
    return {
        "name": found["name"],
        "context": {"trace_id": f"0x{found['trace_id']}", "span_id": f"0x{found['span_id']}"},
        "parent_id": f"0x{found['parent_span_id']}" if found["parent_span_id"] else None,
        "start_time": found["start_time"],
        "end_time": f"2026-01-09T09:00:{9 + 1 if not found['parent_span_id'] else int(found['start_time'][17:19]) + 1:02d}Z",
        "status": {"status_code": "UNSET"},
        "attributes": found["attributes"],
        "events": [],
        "resource": {"attributes": {}},
    }


def test_every_shape_gives_the_same_turn() -> None:
    """OTLP JSON and protobuf, base64 ids, rows with JSON columns as text or not, the SDK's printed spans."""
    expected = revision(turn_of(*whole()))
    encoded = [
        {**each, "traceId": based(each["traceId"]), "spanId": based(each["spanId"]), "parentSpanId": based(parent)}
        for each in whole()
        if (parent := each["parentSpanId"]) is not None
    ]
    shapes: dict[str, list[Any]] = {
        "protobuf": [protobuf(*whole())],
        "base64 ids": [otlp(*encoded)],
        "rows": [row(each, False) for each in whole()],
        "rows of text": [row(each, True) for each in whole()],
        "a list of rows": [[row(each, False) for each in whole()]],
        "printed": [printed(each) for each in whole()],
        "one span a line": whole(),
    }
    assert dict.fromkeys(shapes, expected) == {
        name: revision(joined(*records).turns[0]) for name, records in shapes.items()
    }


def based(text: str) -> str:
    return base64.b64encode(bytes.fromhex(text)).decode()


@pytest.mark.parametrize("wrong", ["xyz", "5b8e", "5b8efff798038103d269b633813fc60", 12, ["a"], "é" * 16])
def test_an_id_that_is_none_is_refused(wrong: Any) -> None:
    """With its text; a wrong id would join what does not belong together."""
    with pytest.raises(RecordError, match="is no id of 16 bytes") as refused:
        read(otlp({**agent(), "traceId": wrong}))
    assert "invalid" == refused.value.cause


def test_rows_without_ids_belong_to_their_invocation() -> None:
    """ADK's rows in a list share it; a row alone that names none is refused."""
    request = {"contents": [{"role": "user", "parts": [{"text": "How many?"}]}]}
    said = {"content": {"role": "model", "parts": [{"text": "1,234."}]}}
    placed = {"gcp.vertex.agent.invocation_id": "e-1", "gcp.vertex.agent.session_id": "s-1"}
    content = {"gcp.vertex.agent.llm_request": request, "gcp.vertex.agent.llm_response": said}
    loose = {"name": "execute_tool x", "attributes": {"gen_ai.tool.name": "x", "gcp.vertex.agent.tool_response": ROWS}}
    conversation = joined([loose, {"name": "call_llm", "attributes": {**placed, **content}}])
    assert ("s-1", "e-1", "1,234.", [ROWS]) == (
        conversation.id,
        conversation.turns[0].id,
        answer_of(conversation.turns[0]),
        [call.result for call in conversation.turns[0].tool_calls],
    )
    with pytest.raises(RecordError, match="belongs to no turn"):
        read(loose)


# Log events.


def log(name: str = DETAILS, **more: Any) -> Data:
    return {
        "log_name": f"projects/p/logs/{name}",
        "timestamp": "2026-01-09T09:00:03Z",
        "insert_id": "i-1",
        "trace": f"projects/p/traces/{TRACE}",
        "span_id": hexed(2),
        "json_payload": {"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID},
        **more,
    }


def test_a_log_event_adds_its_content_to_its_span() -> None:
    """Content may be captured in events only."""
    conversation = joined(otlp(chat(2, tokens_in=5), agent(conversation="conv-1")), log())
    (turn,) = conversation.turns
    assert ("conv-1", "complete", "How many?", "1,234.", hexed(1)) == (
        conversation.id,
        turn.state,
        question_of(turn),
        answer_of(turn),
        turn.trace and turn.trace.span_id,
    )


def test_log_events_without_a_trace_meet_by_their_history() -> None:
    """All model calls of a turn share it up to the question, and other turns do not."""
    alone: Data = {"trace": None, "span_id": None}
    first = {"gen_ai.conversation.id": "c", "gen_ai.input.messages": ASKED, "gen_ai.output.messages": CALLED}
    second = {**first, "gen_ai.input.messages": ASKED + CALLED + GIVEN, "gen_ai.output.messages": SAID}
    later = {**second, "gen_ai.input.messages": [*ASKED, *SAID, asks("And now?")]}
    records = [log(json_payload=payload, insert_id=str(n), **alone) for n, payload in enumerate((first, second, later))]
    groups = [read(record)[0].group for record in records]
    assert (True, False) == (groups[0] == groups[1], groups[1] == groups[2])
    (turn,) = joined(*records[:2]).turns
    assert ("complete", "1,234.", 1) == (turn.state, answer_of(turn), len(turn.tool_calls))


def test_content_that_was_uploaded_elsewhere_is_absent() -> None:
    """The record has references only; they are not followed."""
    labels = {"event.name": DETAILS, "gen_ai.input.messages_ref": "gs://b/in.jsonl"}
    (turn,) = joined(log(labels=labels, json_payload=None)).turns
    assert ("complete", None, "absent", ("messages were uploaded elsewhere and are not in the record",)) == (
        turn.state,
        turn.answer,
        turn.completeness.results,
        turn.completeness.notes,
    )


def test_content_that_is_elsewhere_for_one_call_leaves_the_rest() -> None:
    """Evidence may be missing, and the turn says so."""
    labels = {"event.name": DETAILS, "gen_ai.input.messages_ref": "gs://b/in.jsonl"}
    away = log(labels=labels, json_payload=None, insert_id="i-0", span_id=hexed(9))
    (turn,) = joined(log(), away).turns
    assert ("1,234.", "partial", "full") == (answer_of(turn), turn.completeness.results, turn.completeness.errors)
    (turn,) = joined(log(), log(insert_id="i-2", span_id=hexed(9))).turns
    assert {} == turn.completeness.model_dump(exclude_defaults=True)


def test_other_log_entries_are_of_no_interest() -> None:
    """A sink may carry every log of a project."""
    assert [] == read(log("stderr", json_payload={"message": "x"}))


def test_log_records_of_otlp_are_read() -> None:
    """As JSON, and as protobuf whose message says that it holds logs; metrics are of no interest."""
    structured = AnyValue(
        array_value=ArrayValue(
            values=[
                AnyValue(
                    kvlist_value=KeyValueList(
                        values=[
                            KeyValue(key="role", value=AnyValue(string_value="user")),
                            KeyValue(key="parts", value=AnyValue(string_value="How many?")),
                        ]
                    )
                )
            ]
        )
    )
    request = ExportLogsServiceRequest()
    record = (
        request.resource_logs.add()
        .scope_logs.add()
        .log_records.add(
            trace_id=bytes.fromhex(TRACE), span_id=bytes.fromhex(hexed(2)), event_name=DETAILS, time_unix_nano=START
        )
    )
    record.attributes.append(KeyValue(key="gen_ai.input.messages", value=structured))
    record.attributes.append(
        KeyValue(key="gen_ai.output.messages", value=AnyValue(string_value=orjson.dumps(SAID).decode()))
    )
    (turn,) = joined(request.SerializeToString(), attributes={"ce-type": "org.opentelemetry.otlp.logs.v1"}).turns
    assert ("How many?", "1,234.") == (question_of(turn), answer_of(turn))
    as_json = {
        "timeUnixNano": str(START),
        "traceId": TRACE,
        "spanId": hexed(2),
        "body": {"kvlistValue": {"values": pairs({"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID})}},
        "attributes": pairs({"event.name": DETAILS}),
    }
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [as_json, {"body": {"stringValue": "x"}}]}]}]}
    assert "1,234." == answer_of(joined(logs).turns[0])
    assert [] == read(b"\n\x00", {"ce-type": "org.opentelemetry.otlp.metrics.v1"})


# Hostile and damaged.


@pytest.mark.parametrize("data", [b"\x00\xff", b"hello", b"\x08\x01", None, 1, "x", {}, {"message": "x"}, ["x"]])
def test_what_is_no_trace_is_refused(data: Any) -> None:
    """With the cause that it is counted under."""
    with pytest.raises(RecordError) as refused:
        read(data)
    assert "invalid" == refused.value.cause


def test_deep_attributes_are_refused() -> None:
    """Whether they nest as OTLP values, or as JSON in a row."""
    deep: Any = {"stringValue": "x"}
    for _ in range(70):
        deep = {"arrayValue": {"values": [deep]}}
    nested: Any = []
    for _ in range(3000):
        nested = [nested]
    with pytest.raises(RecordError) as refused:
        read(otlp({**agent(), "attributes": [{"key": "gen_ai.input.messages", "value": deep}, *agent()["attributes"]]}))
    assert "too_deep" == refused.value.cause
    with pytest.raises(RecordError) as refused:
        read({**row(chat(2), False), "attributes": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": nested}})
    assert "too_deep" == refused.value.cause


def test_parents_may_form_a_ring() -> None:
    """A damaged tree still ends."""
    turn = turn_of(agent(1, 2), agent(2, 1), chat(3, ASKED, SAID, 2))
    assert "1,234." == answer_of(turn)


WRONG: tuple[Any, ...] = (
    *(None, True, -1, 1.5, 2**63, "", "x", "[", "9" * 5000, [], [[]], [None, 1], {}, {"a": {}}, "9999-12-31T23:59:59Z"),
    [{"role": [], "parts": {"type": "text"}}, {"parts": "x"}, {"content": [1, {"text": 2}]}],
    [
        {
            "role": "user",
            "parts": [{"type": "tool_call"}, {"type": "tool_call_response"}, {"type": "text", "content": 1}],
        }
    ],
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(choices=st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(WRONG)), min_size=1, max_size=4))
def test_wrong_values_anywhere_are_read_or_refused(choices: list[tuple[int, Any]]) -> None:
    """Also inside the JSON that attributes hold as text."""
    rows = [row(each, False) for each in whole()]
    for each in rows:
        each["attributes"] = {
            key: orjson.loads(value) if isinstance(value, str) and value[:1] in "[{" else value
            for key, value in each["attributes"].items()
        }
    for place, wrong in choices:
        inner = [(holder, key) for holder, key in places(rows) if holder is not rows]
        holder, key = inner[place % len(inner)]
        holder[key] = copy.deepcopy(wrong)
    with suppress(RecordError):
        fragments = read(rows)
        for group in {each.group for each in fragments}:
            found = [each for each in fragments if each.group == group]
            conversation = Otel().conversation(group, sorted(found, key=lambda each: each.order))
            assert all(revision(turn) for turn in conversation.turns)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    flips=st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 255)), min_size=1, max_size=8), cut=st.booleans()
)
def test_damaged_bytes_are_read_or_refused(flips: list[tuple[int, int]], cut: bool) -> None:
    """A message may be cut or flipped on its way."""
    raw = bytearray(protobuf(*whole()))
    for place, value in flips:
        raw[place % len(raw)] = value
    with suppress(RecordError):
        fragments = read(bytes(raw[: flips[0][0] % len(raw)] if cut else raw))
        for group in {each.group for each in fragments}:
            Otel().conversation(group, [each for each in fragments if each.group == group])
