"""From raw records to conversations."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import orjson
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from monitor.config import Config, SourceConfig
from monitor.conversation import Conversation
from monitor.demo import recordings
from monitor.errors import ConfigError
from monitor.formats import formats
from monitor.intake import Intake, Taken
from monitor.sources import Raw

SECRET = "AKIA" + "IOSFODNN7EXAMPLE"
NATIVE: dict[str, Any] = {
    "id": "c",
    "user": {"id": "ana@example.com"},
    "turns": [{"id": "t1", "question": {"text": "How many?"}, "answer": {"text": "5"}}],
}


def intake(config: dict[str, Any] | None = None, **source: Any) -> Intake:
    settings = Config.model_validate(config or {})
    return Intake(SourceConfig.model_validate({"name": "s", "type": "file", **source}), settings)


def raw(*records: Any, **attributes: str) -> list[Raw]:
    data = [record if isinstance(record, bytes) else orjson.dumps(record) for record in records]
    return [Raw(each, "file", f"file:{number}", attributes) for number, each in enumerate(data, 1)]


def joined(reader: Intake, taken: Taken) -> list[Conversation]:
    groups = {fragment.group for fragment in taken.fragments}
    return [
        *taken.whole,
        *(
            reader.join({g: sorted((f for f in taken.fragments if f.group == g), key=lambda f: f.order)})
            for g in sorted(groups)
        ),
    ]


def test_counts_add_up() -> None:
    """Read is parsed plus ignored plus quarantined, whatever comes."""
    ignored = {"id": "x", "messages": []}
    good = {"id": "c", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "5"}]}
    taken = intake(format="openai_chat").take(raw(good, b"{", ignored, {"messages": 5}, good))
    assert {"read": 5, "parsed": 2, "ignored": 1, "quarantined": 2} == dict(taken.counts)
    assert [("file:2", "not_json"), ("file:4", "invalid")] == [(q.position, q.cause) for q in taken.quarantined]


def test_a_secret_never_gets_past() -> None:
    """Credentials are gone from what is joined and from what is held, and the turn says that it was redacted."""
    record = {
        "id": "c",
        "messages": [{"role": "user", "content": f"key {SECRET}"}, {"role": "assistant", "content": "5"}],
    }
    reader = intake()
    taken = reader.take(raw(record))
    assert SECRET not in taken.whole[0].model_dump_json()
    assert "[redacted:" in taken.whole[0].model_dump_json()


def test_a_secret_in_protobuf_never_gets_past() -> None:
    """Bytes that are no JSON are redacted too, once they are read."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id, span.name = b"\1" * 16, b"\2" * 8, "chat"
    for key, value in (
        ("gen_ai.operation.name", "chat"),
        ("user.id", "ana@example.com"),
        (
            "gen_ai.input.messages",
            orjson.dumps([{"role": "user", "parts": [{"type": "text", "content": SECRET}]}]).decode(),
        ),
    ):
        attribute = span.attributes.add()
        attribute.key, attribute.value.string_value = key, value
    reader = intake(format="otel")
    taken = reader.take(raw(request.SerializeToString(), **{"ce-type": "org.opentelemetry.otlp.traces.v1"}))
    assert {"read": 1, "parsed": 1} == dict(taken.counts), taken.quarantined
    held = repr(taken.fragments)
    assert "[redacted:" in held
    assert SECRET not in held
    assert "ana@example.com" not in held


@pytest.mark.parametrize("secret", [None, "pepper"])
@pytest.mark.parametrize("shape", ["whole", "turn", "adk_bqaa"])
def test_users_are_hashed_or_dropped_before_anything_is_held(secret: str | None, shape: str) -> None:
    """No held fragment and no conversation names a person; with a secret the same person has one pseudonym."""
    if shape == "adk_bqaa":
        rows = [orjson.loads(line) for line in (recordings() / "adk_bqaa.jsonl").read_bytes().splitlines()[:9]]
        records = raw(*({**row, "user_id": "ana@example.com"} for row in rows))
    elif shape == "turn":
        records = raw({"conversation_id": "c", "user": NATIVE["user"], "turn": NATIVE["turns"][0]})
    else:
        records = raw(NATIVE)
    reader = intake({"user_secret": secret} if secret else None)
    taken = reader.take(records)
    assert "ana@example.com" not in repr(taken.fragments)
    users = {conversation.user for conversation in joined(reader, taken)}
    assert len(users) == 1
    assert (secret is None) == (users == {None})


def test_scope_and_namespace() -> None:
    """Constants and paths of the source say whose a conversation is; a namespace stands before its id."""
    scope = {"team": "sales", "environment": {"path": "env"}, "agent": {"path": "nowhere"}}
    whole = {**NATIVE, "env": "acceptance", "agent": {"name": "bi"}}
    turn = {"conversation_id": "d", "env": "acceptance", "agent": {"name": "bi"}, "turn": NATIVE["turns"][0]}
    reader = intake(scope=scope, namespace="eu/", format="native")
    for conversation in joined(reader, reader.take(raw(whole, turn))):
        found = conversation.scope
        assert ("sales", "acceptance", "bi") == (found.team, found.environment, found.agent)
        assert conversation.id in ("eu/c", "eu/d")


def test_native_errors_have_a_class() -> None:
    """An error without a kind gets one by its code, and one that stands only in a query is the turn's too."""
    error = {"code": "fan_out", "message": "would count twice"}
    query = {"id": "q", "tool_call_id": "c1", "status": "error", "error": error}
    turn = {**NATIVE["turns"][0], "queries": [query]}
    listed = {**turn, "id": "t2", "errors": [{**error, "tool_call_id": "c1"}]}
    taken = intake().take(raw({"id": "c", "turns": [turn, listed]}))
    assert [["refusal"], ["refusal"]] == [[e.kind for e in t.errors] for t in taken.whole[0].turns]


def test_formats_are_told_per_file() -> None:
    """Files of one source may be of different formats, each found out and kept."""
    reader = intake()
    for name in ("native", "openai_chat", "pydantic_ai"):
        lines = (recordings() / f"{name}.jsonl").read_bytes().splitlines()
        taken = reader.take([Raw(line, name, f"{name}:{n}") for n, line in enumerate(lines)])
        assert not taken.quarantined
    assert {"native": "native", "openai_chat": "openai_chat", "pydantic_ai": "pydantic_ai"} == reader.formats


def test_traces_of_one_conversation_are_joined_in_time() -> None:
    """Where a group is a trace, the turns of one conversation come together, oldest first, whatever their ids."""
    answer = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "conv"}
    spans = [
        {"trace_id": trace * 32, "span_id": trace * 16, "name": "invoke_agent bi", "parent_span_id": None, "kind": 1,
         "start_time": f"2026-01-09T09:00:0{second}Z", "duration_nano": 1000, "attributes": {
             **answer,
             "gen_ai.input.messages": f'[{{"role":"user","parts":[{{"type":"text","content":"Q{second}"}}]}}]',
             "gen_ai.output.messages": f'[{{"role":"assistant","parts":[{{"type":"text","content":"A{second}"}}]}}]'}}
        for trace, second in (("b", 1), ("a", 5), ("c", 3))
    ]  # fmt: skip
    reader = intake(format="otel")
    taken = reader.take(raw(*spans))
    assert not taken.quarantined
    assert {"otel:conv"} == {fragment.conversation for fragment in taken.fragments}
    parts = {g: [f for f in taken.fragments if f.group == g] for g in sorted({f.group for f in taken.fragments})}
    conversation = reader.join(parts)
    assert ("conv", ["Q1", "Q3", "Q5"], [0, 1, 2]) == (
        conversation.id,
        [turn.question.text for turn in conversation.turns if turn.question],
        [turn.index for turn in conversation.turns],
    )


def test_a_compressed_message_counts_as_what_it_becomes() -> None:
    """The bound on a record holds for what is in it, not for how small it was packed."""
    body = gzip.compress(b'{"id": "c", "turns": [], "x": "' + b"x" * 100_000 + b'"}')
    message = {"subscription": "s", "message": {"messageId": "1", "data": base64.b64encode(body).decode()}}
    taken = intake({"limits": {"record_bytes": 50_000}}).take(raw(message))
    assert ["too_large"] == [item.cause for item in taken.quarantined]


def test_what_breaks_the_reader_is_quarantined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect met by one record is that record's: it is set aside with the place in the code, and the rest goes on."""
    reader = intake(format="openai_chat")
    model = formats.get("openai_chat")
    read: Any = model.fragments

    def breaking(self: Any, record: Any) -> Any:
        if record.data["id"] == "bad":
            raise ZeroDivisionError
        return read(self, record)

    monkeypatch.setattr(model, "fragments", breaking)
    said = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "5"}]
    taken = reader.take(raw(*({"id": name, "messages": said} for name in ("a", "bad", "b"))))
    assert {"read": 3, "parsed": 2, "quarantined": 1} == dict(taken.counts)
    assert "ZeroDivisionError at" in taken.quarantined[0].message


@pytest.mark.parametrize("strict", [True, False])
def test_a_file_of_two_formats(strict: bool) -> None:
    """It ends a command about it; for the daemon only this file is set aside."""
    chat = {
        "id": "c",
        "messages": [{"role": "user", "content": "?", "tool_calls": []}, {"role": "tool", "content": "5"}],
    }
    mixed = [Raw(orjson.dumps(each), "mixed", f"mixed:{n}", {}) for n, each in enumerate([NATIVE, chat] * 5)]
    good = [Raw(orjson.dumps(NATIVE), "good", "good:1", {})]
    reader = Intake(SourceConfig.model_validate({"name": "s", "type": "file"}), Config(), strict=strict)
    if strict:
        with pytest.raises(ConfigError, match="more than one format"):
            reader.take([*mixed, *good])
    else:
        taken = reader.take([*mixed, *good])
        assert {"read": 11, "parsed": 1, "quarantined": 10} == dict(taken.counts)
