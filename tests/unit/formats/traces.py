"""Traces of OpenTelemetry to test with, in OTLP JSON: spans, messages, and what the format makes of them."""

from __future__ import annotations

from typing import Any

import orjson

from monitor.conversation import Conversation, Turn
from monitor.formats import Fragment, Record
from monitor.formats.otel import Otel

TRACE = "5b8efff798038103d269b633813fc60c"
SECOND = 1_000_000_000
START = 1_767_949_200 * SECOND
ROWS = {"sql": "SELECT carrier, n FROM f", "columns": ["carrier", "n"], "rows": [["AA", 1234]]}
DETAILS = "gen_ai.client.inference.operation.details"
Data = dict[str, Any]


def hexed(number: int) -> str:
    return f"{number:016x}"


def any_value(value: Any) -> Data:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value if isinstance(value, str) else orjson.dumps(value).decode()}


def pairs(attributes: Data) -> list[Data]:
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


def span(number: int, parent: int | None = 1, at: float | None = None, error: str = "", **more: Any) -> Data:
    """A span of OTLP JSON, one second long, in the second after its number; *more* are attributes or, in capitals, fields."""
    begin = START + int((number if at is None else at) * SECOND)
    fields = {key: value for key, value in more.items() if key in ("events", "traceId", "endTimeUnixNano")}
    return {
        "traceId": TRACE,
        "spanId": hexed(number),
        "parentSpanId": hexed(parent) if parent else "",
        "name": more.get("name", "span"),
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + SECOND),
        "attributes": pairs(more.get("attributes", {})),
        "status": {"code": 2, "message": error} if error else {},
        **fields,
    }


def agent(number: int = 1, parent: int | None = None, lasts: int = 9, **attributes: Any) -> Data:
    named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bi_agent", **_dotted(attributes)}
    found = span(number, parent, attributes=named, error=attributes.get("error", ""))
    return {**found, "endTimeUnixNano": str(int(found["startTimeUnixNano"]) + lasts * SECOND)}


def chat(number: int, before: Any = None, out: Any = None, parent: int | None = 1, **attributes: Any) -> Data:
    content = {"gen_ai.input.messages": before, "gen_ai.output.messages": out}
    named = {"gen_ai.operation.name": "chat", **{key: value for key, value in content.items() if value is not None}}
    error = attributes.pop("error", "")
    return span(number, parent, attributes={**named, **_dotted(attributes)}, error=error)


def tool(number: int, call_id: str | None = "c1", parent: int | None = 1, **attributes: Any) -> Data:
    error, events = attributes.pop("error", ""), attributes.pop("events", [])
    named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_query", **_dotted(attributes)}
    if call_id:
        named["gen_ai.tool.call.id"] = call_id
    return span(number, parent, attributes=named, error=error, events=events)


_SHORT = {
    "result": "gen_ai.tool.call.result",
    "arguments": "gen_ai.tool.call.arguments",
    "conversation": "gen_ai.conversation.id",
    "tokens_in": "gen_ai.usage.input_tokens",
    "tokens_out": "gen_ai.usage.output_tokens",
    "run": "pydantic_ai.all_messages",
    "first": "pydantic_ai.new_message_index",
    "tool_name": "gen_ai.tool.name",
}


def _dotted(attributes: Data) -> Data:
    known = {_SHORT.get(key, key).replace("__", "."): value for key, value in attributes.items()}
    return {key: value for key, value in known.items() if key != "error"}


def asks(text: str) -> Data:
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def says(text: str) -> Data:
    return {"role": "assistant", "parts": [{"type": "reasoning", "content": "9"}, {"type": "text", "content": text}]}


def calls(call_id: str = "c1", name: str = "run_query", arguments: Any = None) -> Data:
    return {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "Let me look."},
            {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments or {"metrics": ["flights"]}},
        ],
    }


def gives(value: Any, call_id: str = "c1", key: str = "response", role: str = "tool") -> Data:
    return {"role": role, "parts": [{"type": "tool_call_response", "id": call_id, key: value}]}


ASKED, CALLED, GIVEN, SAID = [asks("How many?")], [calls()], [gives(ROWS)], [says("1,234.")]


def whole() -> list[Data]:
    """A trace of one question, one query and one answer, children first as they are exported."""
    return [
        chat(2, ASKED, CALLED, tokens_in=10, tokens_out=1),
        tool(3, arguments={"metrics": ["flights"]}, result=ROWS),
        chat(4, ASKED + CALLED + GIVEN, SAID, tokens_in=20, tokens_out=2),
        agent(conversation="conv-1"),
    ]


def otlp(*spans: Data, **resource: Any) -> Data:
    about = {"attributes": pairs({key.replace("__", "."): value for key, value in resource.items()})}
    return {"resourceSpans": [{"resource": about, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def read(data: Any, attributes: dict[str, str] | None = None, **options: Any) -> list[Fragment]:
    return Otel(**options).fragments(Record(data, attributes=attributes or {}))


def joined(*records: Any, attributes: dict[str, str] | None = None, **options: Any) -> Conversation:
    """The one conversation in *records*, its fragments stored and read back."""
    found = {each.key: each for record in records for each in read(record, attributes, **options)}
    assert 1 == len({each.group for each in found.values()})
    ordered = sorted(found.values(), key=lambda each: (each.order, each.key))
    stored = [Fragment(e.group, e.key, e.order, orjson.loads(orjson.dumps(e.event)), e.ends) for e in ordered]
    return Otel(**options).conversation(stored[0].group, stored)


def turn_of(*spans: Data, **resource: Any) -> Turn:
    (turn,) = joined(otlp(*spans, **resource)).turns
    return turn


def answer_of(turn: Turn) -> str | None:
    return turn.answer.text if turn.answer else None


def question_of(turn: Turn) -> str | None:
    return turn.question.text if turn.question else None
