"""Records out of their envelopes."""

from __future__ import annotations

import base64
import gzip
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.errors import RecordError
from monitor.formats import Record
from monitor.formats.unwrap import MAX_BYTES, gunzip, unwrap

EXAMPLES = Path(__file__).resolve().parents[2] / "formats" / "examples"
INNER = {"id": "c", "turns": []}
TEXT = orjson.dumps(INNER)
BASE64 = base64.b64encode(TEXT).decode()
PROTOBUF = b"\n\x7b{\x12\xff\x00"


def opened(data: Any, attributes: dict[str, str] | None = None) -> tuple[Any, dict[str, str]]:
    found = unwrap(Record(data, "file:1", attributes or {}))
    assert "file:1" == found.position
    return found.data, dict(found.attributes)


def push(data: Any, **attributes: Any) -> dict[str, Any]:
    return {"message": {"data": data, "attributes": attributes, "messageId": "1"}, "subscription": "projects/p/s"}


@pytest.mark.parametrize(
    ("envelope", "attributes"),
    [
        (push(BASE64, team="ops"), {"team": "ops"}),
        (push(base64.urlsafe_b64encode(TEXT).decode()), {}),
        (push(base64.b64encode(gzip.compress(TEXT)).decode(), **{"content-encoding": "gzip"}), {}),
        ({"message": {"data": BASE64, "message_id": "1"}}, {}),
        ({"message_id": "1", "data": TEXT.decode(), "attributes": '{"team": "ops"}'}, {"team": "ops"}),
        ({"subscription_name": "s", "data": INNER, "attributes": {"n": 1, "x": None}}, {"n": "1"}),
        ({"publish_time": "t", "data": BASE64, "attributes": None}, {}),
        ({"publish_time": "t", "data": TEXT, "attributes": "not json"}, {}),
        ({"data_decoded": INNER, "attributes": {"team": "ops"}}, {"team": "ops"}),
        (TEXT, {}),
        (TEXT.decode(), {}),
        (gzip.compress(TEXT), {}),
        (gzip.compress(TEXT[:5]) + gzip.compress(TEXT[5:]), {}),
    ],
)
def test_every_envelope_opens(envelope: Any, attributes: dict[str, str]) -> None:
    """Pub/Sub push and pull, rows of a subscription, decoded exports, text, bytes and gzip."""
    assert (INNER, attributes) == opened(envelope)


def test_cloud_events_in_structured_mode_get_the_names_of_binary_mode() -> None:
    """So that a format sees one kind of attributes."""
    event = {"specversion": "1.0", "type": "x.conversation.v1", "source": "/a", "id": "1", "final": True, "data": INNER}
    expected = {"ce-specversion": "1.0", "ce-type": "x.conversation.v1", "ce-source": "/a", "ce-id": "1"}
    assert (INNER, {**expected, "ce-final": "true"}) == opened(event)
    binary = {**event, "data": None, "data_base64": BASE64, "datacontenttype": "application/json"}
    del binary["data"]
    assert (INNER, {**expected, "ce-final": "true", "content-type": "application/json"}) == opened(binary)


def test_envelopes_may_be_in_envelopes() -> None:
    """An event in a message in a row, and no deeper; attributes of the inner ones win."""
    event = {"specversion": "1.0", "type": "inner", "source": "/a", "data": INNER}
    message = push(base64.b64encode(orjson.dumps(event)).decode(), **{"ce-type": "outer", "team": "ops"})
    row = {"message_id": "1", "data": orjson.dumps(message).decode(), "attributes": {}}
    data, attributes = opened(row)
    assert (INNER, "inner", "ops") == (data, attributes["ce-type"], attributes["team"])
    with pytest.raises(RecordError, match="more than 3 envelopes"):
        unwrap(Record({"message_id": "2", "data": row, "attributes": {}}))


def test_binary_payloads_stay_bytes_with_their_attributes() -> None:
    """Also those that begin like JSON, or that are compressed."""
    kind = {"ce-type": "org.opentelemetry.otlp.traces.v1", "content-type": "application/protobuf"}
    assert (PROTOBUF, kind) == opened(push(base64.b64encode(PROTOBUF).decode(), **kind))
    packed = push(base64.b64encode(gzip.compress(PROTOBUF)).decode(), **kind, **{"content-encoding": "gzip"})
    assert (PROTOBUF, kind) == opened(packed)
    assert (PROTOBUF, {}) == opened(PROTOBUF)
    assert (b"{}", kind) == opened(b"{}", kind)


@pytest.mark.parametrize(
    "data",
    [
        {"messages": [{"messageId": "1", "message": {"userMessage": {"text": "x"}}}]},
        {"messageId": "1", "message": {"userMessage": {"text": "x"}}},
        {"role": "user", "message": {"data": "x"}},
        {"attributes": {"a": 1}, "data": "x"},
        {"trace_id": "a", "attributes": {"a": 1}},
        {"specversion": "1.0"},
        {"message": {"messageId": "1"}, "subscription": "s"},
        [1],
        "plain text",
        7,
        None,
    ],
)
def test_what_is_no_envelope_stays_as_it_is(data: Any) -> None:
    """The very same record."""
    record = Record(data)
    assert record is unwrap(record)


@pytest.mark.parametrize(
    ("data", "cause", "words"),
    [
        (push("?"), "invalid", "no base64"),
        (gzip.compress(TEXT)[:-12], "invalid", "ends too early"),
        (gzip.compress(TEXT)[:4] + b"\xff" * 20, "invalid", "damaged gzip"),
        (gzip.compress(TEXT) + b"x", "invalid", "damaged gzip"),
        (push(base64.b64encode(b"{]").decode(), **{"Content-Type": "application/json"}), "not_json", "not JSON"),
        (b"[" * 100 + b"]" * 100, "too_deep", "nested"),
    ],
)
def test_damaged_envelopes_are_refused(data: Any, cause: str, words: str) -> None:
    """With the cause that they are counted under."""
    with pytest.raises(RecordError, match=words) as refused:
        unwrap(Record(data))
    assert cause == refused.value.cause


def test_a_small_message_cannot_become_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompression stops at its bound, also over several members."""
    assert 64 * 1024 * 1024 == MAX_BYTES
    packed = gzip.compress(b"x" * 1000)
    assert b"x" * 1000 == gunzip(packed, 1000)
    for raw, limit in ((packed, 999), (packed * 2, 1500)):
        with pytest.raises(RecordError, match=f"more than {limit} bytes") as refused:
            gunzip(raw, limit)
        assert "too_large" == refused.value.cause
    used: list[int] = []
    real = zlib.decompressobj

    class Watched:
        def __init__(self, wbits: int) -> None:
            self._inner = real(wbits=wbits)
            self.unused_data, self.eof = b"", False

        def decompress(self, raw: bytes, limit: int) -> bytes:
            out = self._inner.decompress(raw, limit)
            used.append(len(out))
            return out

    monkeypatch.setattr(zlib, "decompressobj", Watched)
    with pytest.raises(RecordError):
        gunzip(gzip.compress(b"x" * 1_000_000), 1000)
    assert [1001] == used


def test_every_example_in_an_envelope_opens() -> None:
    """As the recorders write them."""
    pushed = opened(orjson.loads((EXAMPLES / "pubsub_otlp_message.json").read_bytes()))
    assert (["resourceSpans"], "org.opentelemetry.otlp.traces.v1") == (list(pushed[0]), pushed[1]["ce-type"])
    row = opened(orjson.loads((EXAMPLES / "pubsub_bigquery_subscription_row.jsonl").read_bytes()))
    assert ("conv-8f2c", "dev.trafficeval.conversation.v1") == (row[0]["id"], row[1]["ce-type"])
    ended = opened(orjson.loads((EXAMPLES / "cloudevent_structured_mode.json").read_bytes()))
    assert ("client_closed", "conv-8f2c") == (ended[0]["reason"], ended[1]["ce-subject"])
    sunk = opened(orjson.loads((EXAMPLES / "pubsub_log_sink_message.json").read_bytes()))
    assert "ins1" == sunk[0]["insertId"]


names = st.sampled_from("message data attributes subscription message_id data_decoded specversion type source".split())
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([BASE64, TEXT.decode(), "?", TEXT, gzip.compress(TEXT)]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=6),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(data=values)
def test_anything_is_opened_or_refused(data: Any) -> None:
    """Whatever looks like an envelope; what comes out holds no envelope any more."""
    with suppress(RecordError):
        once = unwrap(Record(data))
        assert once.data == unwrap(once).data
