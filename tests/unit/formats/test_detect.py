"""The format of records, told by their keys."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.errors import ConfigError, RecordError
from monitor.formats import Record, formats
from monitor.formats.detect import FOREIGN, FORMATS, Detection, detect, guess

EXAMPLES = Path(__file__).resolve().parents[2] / "formats" / "examples"
CHAT = {"id": "c", "messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "x"}]}
PLAIN = {"id": "c", "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}
TOOL_USE = {"messages": [*PLAIN["messages"], {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]}]}
NATIVE = {"id": "c", "turns": []}
EXPECTED = {
    "adk_bqaa_1_19_string_content.jsonl": "adk_bqaa",
    "adk_bqaa_schema2.jsonl": "adk_bqaa",
    "adk_bqaa_schema2_turn_in_progress.jsonl": "adk_bqaa",
    "anthropic_messages.jsonl": "Anthropic",
    "bqca_conversation_log.jsonl": "adk_bqaa",
    "ca_api_clarification.json": "gda_messages",
    "ca_api_list_messages.json": "gda_messages",
    "ca_api_looker_messages.json": "gda_messages",
    "ca_api_messages.json": "gda_messages",
    "ca_api_query_data_response.json": "gda_messages",
    "cloudevent_structured_mode.json": "native",
    "cx_insights_export_bq.jsonl": "Customer Experience Insights",
    "dialogflow_conversation_events_pubsub.json": "Dialogflow conversation event",
    "dialogflow_cx_interaction_log_bq.jsonl": "Dialogflow CX",
    "langfuse_observations_v2.jsonl": "Langfuse",
    "langsmith_runs.jsonl": "LangSmith",
    "mlflow_trace.json": "MLflow",
    "native_cloudevent_pubsub_message.json": "native",
    "native_conversation.json": "native",
    "openai_chat.jsonl": "openai_chat",
    "otel_adk_legacy_span_attributes.jsonl": "otel",
    "otel_alllogs_bq.jsonl": "otel",
    "otel_allspans_bq.jsonl": "otel",
    "otel_gcs_upload_input.jsonl": "uploaded beside an OpenTelemetry trace",
    "otlp_traces.json": "otel",
    "pubsub_bigquery_subscription_row.jsonl": "native",
    "pubsub_log_sink_message.json": "otel",
    "pubsub_otlp_message.json": "otel",
    "pydantic_ai_messages.json": "pydantic_ai",
    "pydantic_ai_retry_prompt_older.json": "pydantic_ai",
    "vertex_request_response_log_bq.jsonl": "Vertex AI",
}


def records(*data: Any) -> list[Record]:
    return [Record(each, f"file:{number}") for number, each in enumerate(data, start=1)]


def example(name: str) -> list[Record]:
    raw = (EXAMPLES / name).read_bytes()
    lines = raw.splitlines() if name.endswith(".jsonl") else [raw]
    return records(*(orjson.loads(line) for line in lines if line.strip()))


@pytest.mark.parametrize("name", [name for name, found in EXPECTED.items() if found in FORMATS])
def test_every_example_that_is_read_is_recognised(name: str) -> None:
    """In its envelope, with the reason and the votes."""
    found = example(name)
    count = len(found)
    expected = EXPECTED[name]
    reason = f"{count} of {count} records look like {expected}"
    assert Detection(expected, reason, {expected: count}) == detect(found)


@pytest.mark.parametrize("name", [name for name, found in EXPECTED.items() if found not in FORMATS])
def test_every_other_export_is_named(name: str) -> None:
    """With where it stands and what to do instead."""
    with pytest.raises(RecordError, match=EXPECTED[name]) as refused:
        detect(example(name))
    assert ("unsupported", True) == (refused.value.cause, refused.value.message.startswith("file:1: the record is "))
    assert "format: mapping" in refused.value.hint


def test_every_name_that_is_detected_is_a_format() -> None:
    """And nothing is both read and not read."""
    assert {*formats.names()} == {*FORMATS, "mapping"}
    assert set() == {*FORMATS} & {*FOREIGN}


@pytest.mark.parametrize(
    ("data", "attributes", "expected"),
    [
        (b"\n\x00", {"ce-type": "org.opentelemetry.otlp.traces.v1"}, "otel"),
        ({"x": 1}, {"ce-type": "com.example.conversation.turn.v1"}, "native"),
        ({"conversation_id": "c", "turn": {}}, {}, "native"),
        ({"resourceLogs": []}, {}, "otel"),
        ({"context": {"trace_id": "a", "span_id": "b"}, "start_time": "t", "attributes": {}}, {}, "otel"),
        ({"attributes": '{"gen_ai.tool.name": "x"}'}, {}, "otel"),
        ([{"trace_id": "a", "span_id": "b", "start_time": "t", "attributes": {}}], {}, "otel"),
        (
            {"logName": "x", "jsonPayload": {}, "labels": {"event.name": "gen_ai.client.inference.operation.details"}},
            {},
            "otel",
        ),
        ({"event_type": "x", "session_id": "s", "invocation_id": "i", "timestamp": "t"}, {}, "adk_bqaa"),
        ({"conversation_id": "c", "userMessage": {"text": "x"}}, {}, "gda_messages"),
        ({"conversation_id": "c", "message": '{"system_message": {}}'}, {}, "gda_messages"),
        ({"messages": '[{"userMessage": {}}]'}, {}, "gda_messages"),
        ({"all_messages": [{"kind": "request", "parts": []}]}, {}, "pydantic_ai"),
        (CHAT, {}, "openai_chat"),
        (PLAIN, {}, "openai_chat"),
        (PLAIN["messages"], {}, "openai_chat"),
        (TOOL_USE, {}, None),
        ({"logName": "stderr", "jsonPayload": {}}, {}, None),
        ({"attributes": {"a": 1}}, {}, None),
        ({"trace_id": "a", "span_id": "b", "attributes": {}}, {}, None),
        ({"trace_id": "a", "start_time": "t", "attributes": {}}, {}, None),
        ({"traceId": "a", "startTimeUnixNano": "1", "attributes": []}, {}, None),
        ({"conversation": "c"}, {}, None),
        ({"info": {}, "data": {}}, {}, None),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}, {}, "openai_chat"),
        ({"messages": [{"role": "x", "tool_call_id": "1"}]}, {}, "openai_chat"),
        ({"role": "user", "content": "x"}, {}, None),
        ({"role": "user", "parts": [{"text": "x"}]}, {}, None),
        ({"kind": "request", "parts": []}, {}, None),
        ([CHAT, CHAT], {}, None),
        ([], {}, None),
        ([1, None], {}, None),
        ({}, {}, None),
        (b"x", {}, None),
        ("x", {}, None),
        (None, {}, None),
    ],
)
def test_one_record_is_told_by_its_keys(data: Any, attributes: dict[str, str], expected: str | None) -> None:
    """Or not at all: a list of conversations is no list of messages."""
    assert expected == guess(data, attributes)


def test_nine_in_ten_must_agree() -> None:
    """A damaged line in ten is one; a mixture is refused with its counts."""
    assert ("native", {"native": 9, "openai_chat": 1}) == (
        detect(records(*[NATIVE] * 9, CHAT)).name,
        dict(detect(records(*[NATIVE] * 9, CHAT)).votes),
    )
    assert "9 of 10 records look like native" == detect(records(*[NATIVE] * 9, {"x": 1})).reason
    with pytest.raises(ConfigError, match="more than one format: native 8, openai_chat 1, unknown 1") as refused:
        detect(records(*[NATIVE] * 8, CHAT, {"x": 1}))
    assert "set `format:` to one of native, otel," in refused.value.hint


def test_what_is_of_no_format_has_no_vote() -> None:
    """A foreign record beside one that is known leaves the choice to the known one, and is quarantined later."""
    assert "openai_chat" == detect(records({"x": 1}, CHAT, {"y": 2})).name


def test_only_the_first_fifty_decide() -> None:
    """The choice is made before the rest is read."""
    assert "native" == detect(records(*[NATIVE] * 50, *[CHAT] * 500)).name


def test_messages_without_tools_follow_the_others() -> None:
    """OpenAI's and Anthropic's look the same there."""
    assert {"openai_chat": 3} == detect(records(PLAIN, PLAIN, CHAT)).votes
    with pytest.raises(RecordError, match="Anthropic"):
        detect(records(PLAIN, PLAIN, TOOL_USE))


def test_an_unknown_record_is_described_by_its_keys_alone() -> None:
    """No value is told; names are cut."""
    many = {f"column_{number:02d}" + "x" * 100: "secret" for number in range(30)}
    with pytest.raises(RecordError) as refused:
        detect(records(many))
    assert "unknown_format" == refused.value.cause
    assert refused.value.message.startswith("file:1: the record is of no known format: its keys are column_00x")
    assert (True, False, True) == (
        "column_19" in refused.value.message and refused.value.message.endswith(" …"),
        "column_20" in refused.value.message or "secret" in refused.value.message,
        len(refused.value.message) < 1500,
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x00", "it is binary; if it is OTLP protobuf, set `format: otel`"),
        ([1], "it is a list of something else than messages"),
        ({}, "it has no keys"),
        (7, "it is text or a number, no object or list"),
    ],
)
def test_what_has_no_keys_is_described_too(data: Any, words: str) -> None:
    """In a word."""
    with pytest.raises(RecordError, match=words):
        detect(records(data))


def test_nothing_to_look_at_is_no_format() -> None:
    """An empty file says nothing."""
    with pytest.raises(RecordError, match="no records"):
        detect([])


def test_a_damaged_envelope_counts_as_unknown() -> None:
    """It is quarantined when it is read; the others decide."""
    damaged = {"message": {"data": "?", "messageId": "1"}}
    assert "native" == detect(records(*[NATIVE] * 9, damaged)).name


keys = st.sampled_from(
    "id turns messages role content parts kind attributes data info type message event_type session_id labels "
    "conversation log_name json_payload trace_id span_id context".split()
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "[", "[1]", '{"a": 1}', "user", "request"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(data=values)
def test_any_record_has_a_format_or_a_reason(data: Any) -> None:
    """Hostile keys and values break nothing."""
    assert guess(data, {}) in (None, *FORMATS)
    with suppress(RecordError):
        assert detect(records(data)).name in FORMATS
