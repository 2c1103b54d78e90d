"""What every format promises, and what each recorded example comes to."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.conversation import Answer, Conversation, Question, revision
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, formats
from tests.contract.conftest import EXAMPLES, Reading, fragments_of, joined, read_example, records_of
from tests.mutation import places

CARRIER, PART = "Which carrier had the most flights", "And per aircraft part?"
MOST, CANNOT = "AA had the most flights", "I can't split flights by"
NOT_RECORDINGS = {"pydantic_evals_flights.yaml", "pydantic_evals_flights_schema.json"}


class T(NamedTuple):
    """An expected turn: how question and answer begin, queries with rows, classes of errors, state."""

    question: str | None
    answer: str | None
    rows: int = 0
    errors: tuple[str, ...] = ()
    state: str = "complete"


@dataclass(frozen=True)
class Turns:
    """A file that is read: its format, its one conversation's id (None: a made-up one), its turns."""

    format: str
    id: str | None
    turns: tuple[T, ...]
    refused: int = 0
    state: str = "open"


@dataclass(frozen=True)
class Refused:
    """A file that is not read: the cause, and words of the message."""

    cause: str
    words: str


MOST_FLIGHTS = T(CARRIER, MOST, rows=1)
REFUSAL = T(PART, CANNOT, errors=("refusal",))
EXPECTED: dict[str, Turns | Refused] = {
    "adk_bqaa_1_19_string_content.jsonl": Refused("unsupported", "google-adk 1.19"),
    "adk_bqaa_schema2.jsonl": Turns(
        "adk_bqaa",
        "sess-0001",
        (MOST_FLIGHTS, REFUSAL, T("Total passengers?", CANNOT, errors=("unknown", "refusal"))),
    ),
    "adk_bqaa_schema2_turn_in_progress.jsonl": Turns("adk_bqaa", "sess-0001", (T(CARRIER, None, state="in_progress"),)),
    "anthropic_messages.jsonl": Refused("unsupported", "Anthropic"),
    "bqca_conversation_log.jsonl": Turns(
        "adk_bqaa", "conv-77", (T(CARRIER, MOST), T("On-time rate per airport?", "On-time by departure or by arrival?"))
    ),
    "ca_api_clarification.json": Turns("gda_messages", None, (T(CARRIER, "Departure or arrival?"),)),
    "ca_api_list_messages.json": Turns("gda_messages", None, (T(CARRIER, None, state="in_progress"),)),
    "ca_api_looker_messages.json": Turns("gda_messages", None, (MOST_FLIGHTS,)),
    "ca_api_messages.json": Turns("gda_messages", None, (T(CARRIER, MOST, rows=1, errors=("unknown",)),)),
    "ca_api_query_data_response.json": Turns("gda_messages", None, (T(None, "There were 5,000 flights.", rows=1),)),
    "cloudevent_structured_mode.json": Turns("native", "conv-8f2c", (), state="ended"),
    "cx_insights_export_bq.jsonl": Refused("unsupported", "Customer Experience Insights"),
    "dialogflow_conversation_events_pubsub.json": Refused("unsupported", "Dialogflow conversation event"),
    "dialogflow_cx_interaction_log_bq.jsonl": Refused("unsupported", "Dialogflow CX"),
    "langfuse_observations_v2.jsonl": Refused("unsupported", "Langfuse"),
    "langsmith_runs.jsonl": Refused("unsupported", "LangSmith"),
    "mlflow_trace.json": Refused("unsupported", "MLflow"),
    "native_cloudevent_pubsub_message.json": Turns("native", "conv-8f2c", (REFUSAL,)),
    "native_conversation.json": Turns("native", "conv-8f2c", (MOST_FLIGHTS, REFUSAL), state="ended"),
    "openai_chat.jsonl": Turns("openai_chat", "conv-8f2c", (MOST_FLIGHTS,)),
    "otel_adk_legacy_span_attributes.jsonl": Turns("otel", "sess-1", (T(CARRIER, MOST),), refused=1),
    "otel_alllogs_bq.jsonl": Turns("otel", "conv-8f2c", (MOST_FLIGHTS,)),
    "otel_allspans_bq.jsonl": Turns("otel", "conv-8f2c", (MOST_FLIGHTS,)),
    "otel_gcs_upload_input.jsonl": Refused("unsupported", "uploaded beside an OpenTelemetry trace"),
    "otlp_traces.json": Turns("otel", "conv-8f2c", (MOST_FLIGHTS,)),
    "pubsub_bigquery_subscription_row.jsonl": Turns("native", "conv-8f2c", (MOST_FLIGHTS, REFUSAL), state="ended"),
    "pubsub_log_sink_message.json": Turns("otel", "conv-8f2c", (MOST_FLIGHTS,)),
    "pubsub_otlp_message.json": Turns("otel", "conv-8f2c", (MOST_FLIGHTS,)),
    "pydantic_ai_messages.json": Turns("pydantic_ai", "conv-8f2c", (MOST_FLIGHTS, REFUSAL)),
    "pydantic_ai_retry_prompt_older.json": Turns(
        "pydantic_ai", None, (T(None, None, errors=("refusal",), state="in_progress"),)
    ),
    "vertex_request_response_log_bq.jsonl": Refused("unsupported", "Vertex AI"),
}
READ = {name: expected for name, expected in EXPECTED.items() if isinstance(expected, Turns)}
NOT_READ = {name: expected for name, expected in EXPECTED.items() if isinstance(expected, Refused)}

MAPPED: dict[str, Any] = {
    "conversation": "conv-1",
    "turn": "t1",
    "asked": CARRIER,
    "reply": MOST,
    "statement": "SELECT 1",
    "cells": '[["AA", 1234]]',
    "heads": ["carrier", "flights"],
    "problem": None,
    "begun": "2026-01-09T09:00:00Z",
}
MAPPING = {
    "fields": {
        "answer": "reply",
        "question": "asked",
        "conversation_id": "conversation",
        "turn_id": "turn",
        "sql": "statement",
        "rows": "cells",
        "columns": "heads",
        "error": "problem",
        "started_at": "begun",
    }
}


def test_every_example_is_accounted_for() -> None:
    """A file that is added says what comes of it."""
    assert sorted(path.name for path in EXAMPLES.iterdir()) == sorted({*EXPECTED, *NOT_RECORDINGS})


def test_every_format_has_an_example() -> None:
    """A format that is added brings a recording; a mapping needs none."""
    assert formats.names() == sorted({*(expected.format for expected in READ.values()), "mapping"})


@pytest.mark.parametrize("name", READ)
def test_a_recording_becomes_its_turns(name: str) -> None:
    """Question, answer, queries with rows, errors and state, through detection and the assembler."""
    expected = READ[name]
    reading = read_example(EXAMPLES / name)
    assert (expected.format, 1, expected.refused) == (
        reading.format,
        len(reading.conversations),
        len(reading.refusals),
    )
    conversation = next(iter(reading.conversations.values()))
    assert expected.state == conversation.state
    assert expected.id is None or expected.id == conversation.id
    assert len(expected.turns) == len(conversation.turns)
    for turn, seen in zip(expected.turns, conversation.turns, strict=True):
        assert _begins(turn.question, seen.question)
        assert _begins(turn.answer, seen.answer)
        with_rows = [query for query in seen.queries if query.result and query.result.rows]
        assert (turn.rows, turn.errors, turn.state) == (
            len(with_rows),
            tuple(error.kind for error in seen.errors),
            seen.state,
        )


def _begins(expected: str | None, words: Question | Answer | None) -> bool:
    return words is None if expected is None else words is not None and words.text.startswith(expected)


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_not_read_gets_a_message_that_names_it(name: str) -> None:
    """With the cause it is counted under, and what to do instead."""
    expected = NOT_READ[name]
    try:
        reading = read_example(EXAMPLES / name)
    except RecordError as refused:
        reading = Reading("", refusals=[refused])
    assert ({}, True) == (reading.conversations, bool(reading.refusals))
    for error in reading.refusals:
        assert (expected.cause, True, True) == (error.cause, expected.words in error.message, bool(error.hint))


def test_one_answer_is_grounded_in_the_same_rows_in_every_format() -> None:
    """The example's query has the same cells whoever recorded it."""
    for name, expected in READ.items():
        if MOST_FLIGHTS in expected.turns:
            turn = next(iter(read_example(EXAMPLES / name).conversations.values())).turns[0]
            rows = [query.result.rows for query in turn.queries if query.result]
            assert (name, [[["AA", 1234], ["DL", 1001]]]) == (name, rows)


def test_a_turn_event_and_its_conversation_give_one_revision() -> None:
    """Whichever way it came, the turn is scored once."""
    alone = read_example(EXAMPLES / "native_cloudevent_pubsub_message.json").conversations["conv-8f2c"].turns[0]
    whole = read_example(EXAMPLES / "native_conversation.json").conversations["conv-8f2c"].turns[1]
    row = read_example(EXAMPLES / "pubsub_bigquery_subscription_row.jsonl").conversations["conv-8f2c"].turns[1]
    assert revision(whole) == revision(alone) == revision(row)


@pytest.mark.parametrize("name", ["otel_allspans_bq.jsonl", "pubsub_otlp_message.json"])
def test_a_trace_gives_one_revision_through_every_source(name: str) -> None:
    """As OTLP in a file or a message, and as rows of a table."""
    found = [read_example(EXAMPLES / each).conversations["conv-8f2c"] for each in ("otlp_traces.json", name)]
    assert [revision(turn) for turn in found[0].turns] == [revision(turn) for turn in found[1].turns]


def _cases() -> dict[str, tuple[Format, list[Record]]]:
    """Format and records of every example that is read, and of a mapped row."""
    cases = {name: (formats.get(expected.format)(), records_of(EXAMPLES / name)) for name, expected in READ.items()}
    return {**cases, "mapping": (formats.get("mapping")(**MAPPING), [Record(MAPPED, "table:1")])}


CASES = _cases()


def _fragments(name: str) -> tuple[Format, list[Fragment]]:
    format_, records = CASES[name]
    return format_, fragments_of(format_, records, [])


@pytest.mark.parametrize("name", CASES)
def test_order_and_repeats_of_fragments_do_not_matter(name: str) -> None:
    """Sources deliver at least once, in any order."""
    format_, fragments = _fragments(name)
    expected = joined(format_, fragments)
    interleaved = [*fragments[1::2], *fragments[::-1], *fragments[::2]]
    assert expected == joined(format_, fragments[::-1]) == joined(format_, interleaved)


@pytest.mark.parametrize("name", CASES)
def test_the_fragments_of_a_record_are_always_the_same(name: str) -> None:
    """A redelivered record is recognised by its keys, and reading it leaves it as it was."""
    format_, records = CASES[name]
    before = copy.deepcopy([record.data for record in records])
    first, second = fragments_of(format_, records, []), fragments_of(format_, records, [])
    assert [(each.group, each.key, each.order) for each in first] == [(e.group, e.key, e.order) for e in second]
    assert before == [record.data for record in records]


@pytest.mark.parametrize("name", CASES)
def test_events_survive_being_stored(name: str) -> None:
    """They are JSON: a conversation that was put together after a restart is the same. Whole ones are never stored."""
    format_, fragments = _fragments(name)
    stored = [each if each.whole else _stored(each) for each in fragments]
    assert joined(format_, fragments) == joined(format_, stored)
    assert [each.event for each in fragments] == [each.event for each in stored]


def _stored(fragment: Fragment) -> Fragment:
    event = orjson.loads(orjson.dumps(fragment.event))
    return Fragment(fragment.group, fragment.key, fragment.order, event, ends=fragment.ends, whole=fragment.whole)


@pytest.mark.parametrize("name", CASES)
def test_turns_can_be_told_apart(name: str) -> None:
    """Their ids are distinct in a conversation, their positions count up, and calls and queries have ids of their own."""
    format_, fragments = _fragments(name)
    for conversation in joined(format_, fragments).values():
        assert sorted({turn.index for turn in conversation.turns}) == [turn.index for turn in conversation.turns]
        assert len(conversation.turns) == len({turn.id for turn in conversation.turns})
        for turn in conversation.turns:
            assert len(turn.queries) == len({query.id for query in turn.queries})
            assert len(turn.tool_calls) == len({call.id for call in turn.tool_calls})


WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**60,
    1.5,
    1e300,
    "",
    "x",
    "x" * 100_000,
    "[",
    '{"a": [1, {"b": null}]}',
    '[{"type": "text", "text": "fan_out: no"}]',
    "2026-01-09T09:00:00Z",
    [],
    [[]],
    [None],
    ["x", 1, {}],
    {},
    {"a": {}},
    {"error": {"error": {}}},
    {"rows": [[1], {"a": 1}, None], "columns": ["n", None]},
    {"content": [{"type": "text"}], "isError": True},
)


def _mutated(data: Any, random: Random) -> Any:
    """*data* with keys dropped, values of a wrong type, and parts that stand elsewhere or twice."""
    data = copy.deepcopy(data)
    for _ in range(random.randint(1, 4)):
        found = places(data)
        if not found:
            return random.choice(WRONG)
        container, key = random.choice(found)
        match random.randint(0, 4):
            case 0:
                del container[key]
            case 1 | 2:
                container[key] = copy.deepcopy(random.choice(WRONG))
            case 3:
                other, elsewhere = random.choice(found)
                container[key] = copy.deepcopy(other[elsewhere])
            case _:
                if isinstance(container, list):
                    container.append(copy.deepcopy(container[key]))
    return data


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False))
def test_whatever_a_record_holds_it_is_read_or_refused(name: str, random: Random) -> None:
    """Damaged and hostile records end in fragments or in a RecordError, never in another error."""
    format_, records = CASES[name]
    count = random.randint(1, len(records))
    damaged = [Record(_mutated(each.data, random), each.position, each.attributes) for each in records[:count]]
    _read_or_refuse(format_, damaged)


@pytest.mark.parametrize("name", sorted({format_.name for format_, _ in CASES.values()}))
def test_a_record_of_anything_is_read_or_refused(name: str) -> None:
    """Also of another format, and of none."""
    format_ = next(format_ for format_, _ in CASES.values() if format_.name == name)
    foreign = [record for path in sorted(EXAMPLES.glob("*.json*")) for record in records_of(path)]
    for record in itertools.chain(foreign, (Record(value) for value in WRONG)):
        _read_or_refuse(format_, [record])


def _read_or_refuse(format_: Format, records: list[Record]) -> None:
    fragments = fragments_of(format_, records, [])
    for fragment in fragments:
        if not fragment.whole:
            orjson.dumps(fragment.event)
    groups = {fragment.group for fragment in fragments}
    for group in sorted(groups):
        try:
            conversation = joined(format_, [each for each in fragments if each.group == group])[group]
        except RecordError:
            continue
        assert isinstance(conversation, Conversation)
        assert all(revision(turn) for turn in conversation.turns)
