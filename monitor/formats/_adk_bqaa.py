"""From the kept rows of one ``agent_events`` session to its turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from monitor.conversation import AgentError, Definition, Json, ToolCall, TraceRef, Turn, Usage, canonical
from monitor.formats._adk_text import is_hidden
from monitor.formats._errors import leading_code
from monitor.formats.extract import Extraction
from monitor.formats.messages import INSTRUCTIONS, Draft, when

Event = dict[str, Any]
State = Literal["in_progress", "complete", "paused", "failed"]
MCP_ERROR = "Tool returned an MCP result with isError=true."
UNEXPLAINED = "a failed tool's own words were not recorded"
NO_ANSWER = "the answer was not recorded"
BQCA_COMPLETENESS = {
    **dict.fromkeys(("tool_calls", "queries", "results", "errors"), "absent"),
    "notes": ("Conversational Analytics records no tool calls, queries or results",),
}
_ERROR_SOURCES: dict[str, Literal["model", "agent", "run"]] = {
    "LLM_ERROR": "model",
    "AGENT_ERROR": "agent",
    "NODE_ERROR": "agent",
    "INVOCATION_ERROR": "run",
}
_WORK = ("TOOL_STARTING", "TOOL_COMPLETED", "TOOL_ERROR", "LLM_REQUEST", "LLM_RESPONSE")


@dataclass(slots=True)
class _Memory:
    """What later turns of a session need of earlier ones."""

    instructions: set[str] = field(default_factory=set)
    paused: dict[str, Event] = field(default_factory=dict)
    requested: Counter[bytes] = field(default_factory=Counter)


def turns_of_rows(rows: Sequence[tuple[str, Event]], options: Extraction) -> tuple[Turn, ...]:
    """The turns in *rows*: (key, kept row) in order. Turns that were rewound are left out."""
    gathered: dict[str, list[tuple[str, Event]]] = {}
    for key, event in _without_rewound(rows):
        gathered.setdefault(event["turn"], []).append((key, event))
    memory = _Memory()
    told = [turn for turn in gathered.values() if any("rewind" not in event for _, event in turn)]
    return tuple(_Turn(turn, memory).build(index, options) for index, turn in enumerate(told))


def _without_rewound(rows: Sequence[tuple[str, Event]]) -> list[tuple[str, Event]]:
    """The rows but for turns that started at or after one that a later row rewinds to, and before that row."""
    starts: dict[str, int] = {}
    dropped: set[str] = set()
    for position, (_, event) in enumerate(rows):
        back_to = starts.get(event.get("rewind", ""))
        if back_to is not None:
            dropped |= {turn for turn, start in starts.items() if start >= back_to and turn != event["turn"]}
        starts.setdefault(event["turn"], position)
    return [row for row in rows if row[1]["turn"] not in dropped]


class _Turn:
    """One turn under construction: its rows, one after the other."""

    def __init__(self, rows: list[tuple[str, Event]], memory: _Memory) -> None:
        self.rows, self.memory = rows, memory
        self.draft = Draft(id=rows[0][1]["turn"])
        self.open: list[tuple[str, str, str]] = []  # call id, span id, tool
        self.unexplained: list[str] = []
        self.waiting: set[str] = set()
        self.usage: dict[str, Event] = {}
        self.answer: Event | None = None
        self.spoken: Event | None = None
        self.over: str = ""
        self.broken = False
        self.worked_since = False

    def build(self, index: int, options: Extraction) -> Turn:
        """The turn with *index*."""
        for key, event in self.rows:
            self.draft.seen(when(event["time"]))
            self._take(key, event, options)
        if self.unexplained:
            self.draft.completeness["errors"] = "partial"
            self._note(UNEXPLAINED)
        self._count()
        state = self._conclude()
        turn = self.draft.build(index, options, ended=False)
        return turn.model_copy(update={"state": self._settled(state, turn)})

    def _take(self, key: str, event: Event, options: Extraction) -> None:
        kind, content = event["type"], event["content"]
        if kind in _WORK:
            self.worked_since = True
        if kind in _ERROR_SOURCES:
            self._error(kind, event, options)
        elif kind == "USER_MESSAGE_RECEIVED" and content.get("text"):
            self.draft.question.append(content["text"])
        elif kind == "AGENT_STARTING":
            self._instructed(content)
        elif kind == "AGENT_RESPONSE":
            self.answer, self.worked_since = event, False
        elif kind == "LLM_REQUEST":
            self._explain(event)
        elif kind == "LLM_RESPONSE":
            self._model_call(key, event)
        elif kind.startswith(("TOOL_", "HITL_")):
            self._tool(key, event)
        if kind in ("USER_MESSAGE_RECEIVED", "INVOCATION_STARTING"):
            self.over = ""
        if kind in ("INVOCATION_COMPLETED", "INVOCATION_ERROR"):
            self.over = kind
            self.draft.latency_ms = event.get("latency", self.draft.latency_ms)
        self._completeness(kind, event)
        self._trace(event)

    def _tool(self, key: str, event: Event) -> None:
        kind, name = event["type"], str(event["content"].get("tool", ""))
        if kind.startswith("HITL_"):
            self.waiting = self.waiting - {name} if kind.endswith("_COMPLETED") else self.waiting | {name}
        elif kind == "TOOL_PAUSED":
            self._pause(key, event, name)
        elif not is_hidden(name):
            (self._start if kind == "TOOL_STARTING" else self._finish)(key, event, name)

    def _instructed(self, content: Event) -> None:
        self.draft.model = self.draft.model or content.get("model")
        if content["text"] not in self.memory.instructions:
            self.memory.instructions.add(content["text"])
            self.draft.definitions.append(Definition(name=INSTRUCTIONS, text=content["text"]))

    def _model_call(self, key: str, event: Event) -> None:
        """A reply of the model; the chunks of a stream share a span, and its last row has the whole."""
        content = event["content"]
        self.draft.model = content.get("model") or self.draft.model
        if "input" in content or "output" in content:
            self.usage[event.get("span") or key] = content
        final = content.get("final") or not (self.spoken and self.spoken["content"].get("final"))
        if final:
            self.spoken = event if content.get("text") else None

    def _error(self, kind: str, event: Event, options: Extraction) -> None:
        message = event.get("error", "")
        code = leading_code(message)
        error_kind = options.errors.kind(code, message)
        error = AgentError(source=_ERROR_SOURCES[kind], code=code, message=message, kind=error_kind)
        self.draft.errors.append(error)
        self.broken = self.broken or kind in ("AGENT_ERROR", "INVOCATION_ERROR")

    def _start(self, key: str, event: Event, name: str) -> None:
        content, span = event["content"], event.get("span", "")
        paused = next((entry for entry in self.open if not entry[1] and self._is(entry, name, content)), None)
        call_id = span if span and span not in self.draft.calls else key
        if paused is not None:
            self.open.remove(paused)
            call_id = paused[0]
        self.open.append((call_id, span, name))
        self.draft.calls[call_id] = ToolCall(
            id=call_id, name=name, arguments=content.get("args"), status="pending", started_at=when(event["time"])
        )

    def _is(self, entry: tuple[str, str, str], name: str, content: Event) -> bool:
        return _same(self.draft.calls[entry[0]], name, content.get("args"))

    def _finish(self, key: str, event: Event, name: str) -> None:
        content, time = event["content"], when(event["time"])
        call = self._resumed(event, name) or self._opened(event.get("span", ""), name)
        if call is None:
            call = ToolCall(id=event.get("call") or key, name=name)
        arguments = content.get("args") if call.arguments is None else call.arguments
        result, failed = content.get("result"), event.get("failed") or None
        done = {"arguments": arguments, "result": result, "status": "unknown", "ended_at": time}
        self.draft.calls[call.id] = call.model_copy(update=done)
        self.draft.outcomes[call.id] = (failed, None, event.get("error", ""))
        if failed and result is None and event.get("error", "") in ("", MCP_ERROR):
            self.unexplained.append(call.id)

    def _opened(self, span: str, name: str) -> ToolCall | None:
        """The call that a result belongs to: by span; where one is not recorded, the oldest open one of that tool."""
        same = [entry for entry in self.open if entry[2] == name or not name]
        loose = (entry for entry in same if not entry[1] or not span)
        entry = next((entry for entry in same if entry[1] == span), None) or next(loose, None)
        if entry is None:
            return None
        self.open.remove(entry)
        return self.draft.calls[entry[0]]

    def _pause(self, key: str, event: Event, name: str) -> None:
        """
        A tool waits for someone. Its call stays open until it is resumed, which may be in a later turn.

        The row is written when the model calls the tool, so before the tool starts, and may be read after.
        """
        content, call_id = event["content"], event.get("call") or key
        self.waiting.add(name if is_hidden(name) else call_id)
        if is_hidden(name):
            return
        started = next((call for call in self.draft.calls.values() if _same(call, name, content.get("args"))), None)
        if started is None:
            self.open.append((call_id, "", name))
            started = ToolCall(id=call_id, name=name, arguments=content.get("args"), status="pending")
            self.draft.calls[call_id] = started
        self.memory.paused[call_id] = {**event, "call_id": started.id}

    def _resumed(self, event: Event, name: str) -> ToolCall | None:
        """The call that was paused, in this turn or an earlier one, and has its result now."""
        paused = self.memory.paused.pop(event.get("call", ""), None)
        if paused is None:
            return None
        self.waiting.discard(event["call"])
        here = self.draft.calls.get(paused.get("call_id", ""))
        return here or ToolCall(id=event["call"], name=name, arguments=paused["content"].get("args"))

    def _explain(self, event: Event) -> None:
        """
        Give failed calls the words that only the next request to the model recorded, at the end of its history.

        Function calls often have no id there, so what an earlier request held already is told by its content.
        """
        responses = event["content"].get("responses", [])
        held, new = self.memory.requested, []
        self.memory.requested = Counter(canonical(response) for response in responses)
        for response in responses:
            if held[canonical(response)] > 0:
                held[canonical(response)] -= 1
            else:
                new.append(response)
        if not self.unexplained:
            return
        results = {canonical(call.result) for call in self.draft.calls.values() if call.result is not None}
        for call_id in reversed(self.unexplained.copy()):
            call = self.draft.calls[call_id]
            fitting = (one for one in reversed(new) if one.get("name") == call.name)
            found = next((one for one in fitting if canonical(one.get("response")) not in results), None)
            if found is not None:
                new.remove(found)
                self.unexplained.remove(call_id)
                self.draft.calls[call_id] = call.model_copy(update={"result": found.get("response")})

    def _count(self) -> None:
        final = [call for call in self.usage.values() if call.get("final")] or list(self.usage.values())
        if final:
            taken = sum(call.get("input", 0) for call in final)
            written = sum(call.get("output", 0) for call in final)
            self.draft.usage = Usage(input_tokens=taken, output_tokens=written)

    def _conclude(self) -> State | None:
        """Set the answer; the state, as far as it does not depend on the calls."""
        if self.answer is not None:
            content = self.answer["content"]
            self.draft.answer = [content["text"]] if content.get("text") else []
            self.draft.answer_kind = content.get("kind", "unknown")
            if not self.draft.answer:
                self._note(NO_ANSWER)
                self.draft.completeness["truncated"] = True
        elif self.spoken is not None and not self.waiting and (self.over or not self.open):
            self.draft.answer = [self.spoken["content"]["text"]]
            self._cut(self.spoken)
        answered = bool(self.answer is not None or self.draft.answer)
        if self.over == "INVOCATION_ERROR":
            return "failed"
        if self.waiting and not answered:
            return "paused"
        if self.over:
            return "complete" if answered else "failed"
        if self.broken and not answered:
            return "failed"
        return None if self.answer is not None and not self.worked_since else "in_progress"

    def _settled(self, state: State | None, turn: Turn) -> State:
        """Without an end in the record a turn is complete once it is answered and no call is pending."""
        if state is not None:
            return state
        return "in_progress" if any(call.status == "pending" for call in turn.tool_calls) else "complete"

    def _completeness(self, kind: str, event: Event) -> None:
        if event.get("bqca"):
            self.draft.completeness |= BQCA_COMPLETENESS
        if kind in ("USER_MESSAGE_RECEIVED", "AGENT_RESPONSE") or kind.startswith("TOOL_"):
            self._cut(event)
        if event.get("redacted"):
            self.draft.completeness["redacted"] = True
        if kind.startswith("TOOL_") and not event["content"]:
            self.draft.completeness |= dict.fromkeys(("tool_calls", "queries", "results"), "absent")
            self.draft.completeness["errors"] = "partial"
            self._note("the tools' content was not recorded")

    def _cut(self, event: Event) -> None:
        if event.get("cut"):
            self.draft.completeness["truncated"] = True

    def _note(self, note: str) -> None:
        notes = self.draft.completeness.get("notes", ())
        self.draft.completeness["notes"] = notes if note in notes else (*notes, note)

    def _trace(self, event: Event) -> None:
        """The OpenTelemetry span of the invocation where a row names one; else the recorder's own ids."""
        otel, own, trace = event.get("otel"), event.get("trace"), self.draft.trace
        if otel and (trace is None or not trace.otel):
            self.draft.trace = TraceRef(trace_id=otel[0], span_id=otel[1])
        elif own and trace is None:
            self.draft.trace = TraceRef(trace_id=own[0], span_id=own[1], otel=False)


def _same(call: ToolCall, name: str, arguments: Json) -> bool:
    return call.name == name and call.arguments == arguments
