"""
The turn that the spans of one trace tell of.

A question is told by the first model call, an answer by the last; tool calls by every model call's history, and by
tool spans, which alone know whether they failed. What a framework records of the whole run is preferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from monitor.conversation import AgentError, Definition, Json, Scope, ToolCall, TraceRef, Turn, Usage, canonical
from monitor.formats._errors import leading_code
from monitor.formats._otel_messages import (
    DROPPED_TOOLS,
    NOT_CONTENT,
    OUTPUT_TAKEN,
    Call,
    Calls,
    Message,
    gemini_messages,
    instructions_in,
    last_question,
    messages_in,
    since,
    spoken,
    text_of,
    user_text,
)
from monitor.formats._otel_spans import Span, outermost
from monitor.formats.extract import Extraction
from monitor.formats.messages import INSTRUCTIONS, Draft, when
from monitor.jsonio import maybe_json

NOT_CAPTURED = "no message content was captured"
ELSEWHERE = "messages were uploaded elsewhere and are not in the record"
NO_RESULTS = "tool results were not captured"
COMPACTED = "the history was compacted: evidence is lost"
CUT = "an attribute is cut: it is no whole JSON"
_NO_CODE = ("", "_OTHER", "TOOL_ERROR")


@dataclass(slots=True)
class Told:
    """
    A span with its messages: what was there *before*, what came *out*, and the *run* that an agent span records.

    *run* is None where that is not recorded; *broken* says that an attribute was cut.
    """

    span: Span
    before: list[Message] = field(default_factory=list)
    out: list[Message] = field(default_factory=list)
    run: list[Message] | None = None
    instructions: str = ""
    broken: bool = False


def told(span: Span) -> Told:
    """*span* with its messages, from whichever attributes hold them."""
    has = span.attributes.get
    before, out = messages_in(has("gen_ai.input.messages")), messages_in(has("gen_ai.output.messages"))
    instructions = instructions_in(has("gen_ai.system_instructions"))
    if not before.items and not out.items and has("gcp.vertex.agent.llm_request"):
        before, out, instructions = gemini_messages(
            has("gcp.vertex.agent.llm_request"), has("gcp.vertex.agent.llm_response")
        )
    whole = messages_in(has("pydantic_ai.all_messages"))
    first = _count(has("pydantic_ai.new_message_index")) or 0
    run = whole.items[first:] if whole.items else None
    return Told(span, before.items, out.items, run, instructions, before.broken or out.broken or whole.broken)


class TraceTurn:
    """The spans of one trace, in order of their start, and what they say together."""

    def __init__(self, group: str, spans: Sequence[Span], options: Extraction) -> None:
        self.group = group
        self.options = options
        self.spans = _merged(spans)
        self._tops = outermost(self.spans)
        self.main = self._main()
        self.agents = [told(span) for span in self.spans if span.kind == "agent"]
        self.chats = [told(span) for span in self.spans if span.kind == "chat"]
        self.run = next((each for each in self.agents if each.span is self.main), None)
        self.own = self._own()

    def attribute(self, *keys: str) -> str:
        """The first attribute called one of *keys*, the outermost agent's before any other span's; else empty."""
        spans = [self.main, *self.spans] if self.main else self.spans
        return next((str(value) for key in keys for span in spans if (value := span.attributes.get(key))), "")

    def scope(self) -> Scope:
        """Whose conversation it is, as spans and their resource say."""

        def resource(*keys: str) -> str:
            return next((str(value) for key in keys for span in self.spans if (value := span.resource.get(key))), "")

        return Scope(
            environment=resource("deployment.environment.name", "deployment.environment"),
            agent=self.attribute("gen_ai.agent.name", "agent_name") or resource("gen_ai.agent.name"),
            agent_version=self.attribute("gen_ai.agent.version") or resource("gen_ai.agent.version", "service.version"),
        )

    def turn(self) -> Turn | None:
        """The turn; None when the trace is one of a tool on its own."""
        ended = self._ended()
        if not self.agents and not self.chats and (ended or any(not span.parent for span in self.spans)):
            return None
        question = self._question()
        calls = self._calls(question)
        answer = self._answer(calls)
        draft = Draft(id=self.group, question=[question] if question else [])
        self._facts(draft)
        told_calls = [call for call in calls.items if call.name not in DROPPED_TOOLS and call.result != OUTPUT_TAKEN]
        for call in told_calls:
            _put(draft, call)
        draft.answer = [answer] if answer else []
        recorded = any(spoken(each.out) != "" for each in self.own) or any(each.run for each in self.agents)
        silent = not (question or answer or any(map(_has_content, told_calls)))
        lost = not answer and not draft.errors and (silent or not recorded)
        draft.completeness = self._completeness(calls.compacted, lost or silent, told_calls)
        return self._built(draft, ended, lost)

    def _built(self, draft: Draft, ended: bool, lost: bool) -> Turn:
        """The turn; complete where its answer was *lost*, which is not the agent's failure."""
        if not ended and (self._awaits_end() or not lost):
            return draft.build(0, self.options, ended=False if self._awaits_end() else None)
        turn = draft.build(0, self.options, ended=True)
        return turn.model_copy(update={"state": "complete"}) if lost else turn

    def _main(self) -> Span | None:
        """The outermost agent span: the trace's root, else the one that started first."""
        tops = [
            span for span in self.spans if span.kind == "agent" and self._tops.get(span.span, span.span) == span.span
        ]
        return next((span for span in tops if not span.parent), tops[0] if tops else None)

    def _own(self) -> list[Told]:
        """The model calls of the agent's run: inside its span, or in its time where spans between are missing."""
        main = self.main
        if main is None:
            return self.chats
        inside = [
            each
            for each in self.chats
            if self._tops.get(each.span.span) == main.span
            or (each.span.start and main.start and main.end and main.start <= each.span.start <= main.end)
        ]
        return inside if any(each.before or each.out for each in inside) else self.chats

    def _ended(self) -> bool:
        """
        Whether the trace's root is there, or an agent span that no other span can lie around.

        An agent span with an unknown parent may be a part of another agent's run, whose own span comes last: then
        something of that run started before it.
        """
        if any(_is_root(span) and span.kind != "tool" for span in self.spans):
            return True
        main = self.main
        if main is None or not main.span:
            return False
        others = (span for span in self.spans if self._tops.get(span.span) != main.span)
        return all((other.start or "") >= (main.start or "") for other in others if other.start)

    def _awaits_end(self) -> bool:
        """Whether an agent span will come: a framework that writes tool spans or agents' names writes that too."""
        return any(
            span.parent and (span.kind in ("tool", "agent") or "gen_ai.agent.name" in span.attributes)
            for span in self.spans
        )

    def _question(self) -> str:
        run = self.run
        if run and run.run and any(text_of(message) for message in run.run):
            return next((text for message in run.run if (text := user_text(message))), "")
        histories = ([run.before] if run else []) + [each.before for each in self.own]
        return next((text for history in histories if (text := last_question(history))), "")

    def _answer(self, calls: Calls) -> str:
        run = self.run
        if run:
            final = run.span.attributes.get("final_result")
            if final is not None and final != "":
                return final if isinstance(final, str) else canonical(final).decode()
            for words in (run.out, (run.run or [])[-1:]):
                if words and not user_text(words[-1]) and (text := spoken(words)):
                    return text
        last = next((each for each in reversed(self.own) if each.out or each.span.error), None)
        text = spoken(last.out) if last else None
        if text:
            return text
        taken = next((call for call in reversed(calls.items) if call.result == OUTPUT_TAKEN), None)
        return canonical(maybe_json(taken.arguments)).decode() if taken and taken.arguments else ""

    def _calls(self, question: str) -> Calls:
        calls = Calls()
        for each in self.agents:
            if each.run is not None:
                calls.tell(each.run)
            calls.tell(since(each.before, question), each.out)
        for each in self.chats:
            calls.tell(since(each.before, question), each.out)
        tools = _tools(self.spans)
        wanted = [(_content(span, "gen_ai.tool.call.id"), _content(span, "gen_ai.tool.name")) for span in tools]
        arguments = [_content(span, *_ARGUMENTS) for span in tools]
        spans = [
            (str(call_id or ""), str(name or ""), args) for (call_id, name), args in zip(wanted, arguments, strict=True)
        ]
        for span, call in zip(tools, calls.matching(spans), strict=True):
            _overlay(call, span)
        if calls.items and all(call.started_at for call in calls.items):
            calls.items.sort(key=lambda call: str(call.started_at))
        return calls

    def _facts(self, draft: Draft) -> None:
        """What is known beside the words: times, model, usage, errors, instructions."""
        for span in self.spans:
            draft.seen(when(span.start))
            draft.seen(when(span.end))
        whole = self.main or next((span for span in self.spans if _is_root(span)), None)
        draft.latency_ms = _milliseconds(whole) if whole else None
        draft.usage = self._usage()
        last = self.own[-1].span if self.own else None
        named = [span for span in (*(each.span for each in reversed(self.own)), self.main) if span]
        models = (
            span.attributes.get(key) for span in named for key in ("gen_ai.response.model", "gen_ai.request.model")
        )
        draft.model = next((model for model in models if isinstance(model, str) and model), None)
        ids = (span.attributes.get("gen_ai.response.id") for span in named)
        draft.response_id = next((found for found in ids if isinstance(found, str) and found), None)
        place = self.main or last
        if place and place.trace:
            draft.trace = TraceRef(trace_id=place.trace, span_id=place.span)
        self._errors(draft, whole)
        texts = [each.instructions for each in (*self.own, *([self.run] if self.run else [])) if each.instructions]
        texts += [
            text_of(message) for each in self.own[:1] for message in each.before if message.get("role") == "system"
        ]
        draft.definitions += [Definition(name=INSTRUCTIONS, text=text) for text in dict.fromkeys(texts) if text]

    def _errors(self, draft: Draft, whole: Span | None) -> None:
        for span in [each.span for each in self.own] + ([whole] if whole and whole.kind != "chat" else []):
            if span.error:
                message = span.error["message"]
                code = span.error["type"] or None
                kind = self.options.errors.kind(code, message)
                source = "model" if span.kind == "chat" else "agent"
                draft.errors.append(AgentError(source=source, code=code, message=message, kind=kind))

    def _usage(self) -> Usage | None:
        """Tokens over all model calls; a call inside a call is the same one. Else what the agent span says of its run."""
        ids = {each.span.span for each in self.chats if each.span.span}
        outer = [each.span for each in self.chats if each.span.parent not in ids]
        for spans in (outer, [self.main] if self.main else []):
            given = [_count(span.attributes.get("gen_ai.usage.input_tokens")) for span in spans]
            made = [_count(span.attributes.get("gen_ai.usage.output_tokens")) for span in spans]
            if any(number is not None for number in given + made):
                return Usage(input_tokens=_sum(given), output_tokens=_sum(made))
        return None

    def _completeness(self, compacted: bool, lost: bool, calls: list[Call]) -> dict[str, Any]:
        extents: dict[str, Any] = {}
        notes: list[str] = []
        silent = lost and not any(map(_has_content, calls))
        if silent:
            extents = dict.fromkeys(("tool_calls", "queries", "results", "errors"), "absent")
        if lost:
            notes.append(ELSEWHERE if any(span.elsewhere for span in self.spans) else NOT_CAPTURED)
        else:
            away = any(each.span.elsewhere and not each.before and not each.out for each in self.own)
            notes += [note for note, applies in ((COMPACTED, compacted), (ELSEWHERE, away)) if applies]
            extents = dict.fromkeys(("tool_calls", "queries", "results"), "partial") if notes else {}
        unknown = [call for call in calls if (call.ran or call.answered) and call.result is None and not call.failed]
        if unknown and not silent:
            extent = "absent" if len(unknown) == len(calls) else "partial"
            extents |= {"queries": "partial", "results": extent, "errors": extent}
            notes.append(NO_RESULTS)
        if any(each.broken for each in (*self.agents, *self.chats)) or any(_is_cut(call.result) for call in calls):
            extents["truncated"] = True
            notes.append(CUT)
        return {**extents, "notes": tuple(notes)} if notes else {}


def _merged(spans: Iterable[Span]) -> list[Span]:
    """*spans* with each log event's attributes added to the span that it belongs to."""
    known = {span.span: span for span in spans if span.span and not span.key}
    merged: list[Span] = []
    for span in spans:
        home = known.get(span.span) if span.key else None
        if home is None:
            merged.append(span)
        else:
            home.attributes = {**span.attributes, **home.attributes}
            home.elsewhere = home.elsewhere or span.elsewhere
    return merged


_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args")
_RESULTS = ("gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response")


def _tools(spans: list[Span]) -> list[Span]:
    """Tool spans, each call once: a span inside another of the same tool (an MCP client's, a server's) adds to that."""
    tools = [span for span in spans if span.kind == "tool"]
    known = {span.span: span for span in tools if span.span}
    kept: list[Span] = []
    for span in reversed(tools):
        outer = known.get(span.parent)
        if (
            outer is None
            or outer is span
            or outer.attributes.get("gen_ai.tool.name") != span.attributes.get("gen_ai.tool.name")
        ):
            kept.append(span)
        else:
            outer.attributes = {**span.attributes, **outer.attributes}
            outer.error = outer.error or span.error
    return kept[::-1]


def _overlay(call: Call, span: Span) -> None:
    """What *span* knows of *call*: its times, whether it failed, and what messages left out."""
    call.started_at, call.ended_at = when(span.start), when(span.end)
    if call.arguments is None:
        call.arguments = _content(span, *_ARGUMENTS)
    if call.result is None:
        call.result = _content(span, *_RESULTS)
    if span.error:
        call.failed, call.message = True, span.error["message"]
        text = call.result if isinstance(call.result, str) else call.message
        call.code = None if leading_code(text) or span.error["type"] in _NO_CODE else span.error["type"]


def _content(span: Span, *keys: str) -> Json:
    """The first of some attributes that holds content; ADK writes an empty object or a word where it keeps it back."""
    for key in keys:
        value = span.attributes.get(key)
        if value is None or value in NOT_CONTENT or (key.startswith("gcp.") and value in ("{}", {})):
            continue
        return value
    return None


def _put(draft: Draft, call: Call) -> None:
    draft.call(
        ToolCall(
            id=call.id,
            name=call.name,
            arguments=call.arguments,
            status="unknown" if call.ran or call.answered else "pending",
            started_at=call.started_at,
            ended_at=call.ended_at,
        )
    )
    if call.result is not None or call.failed:
        draft.result(call.id, call.result, failed=call.failed, code=call.code, message=call.message, time=call.ended_at)


def _has_content(call: Call) -> bool:
    return call.arguments is not None or call.result is not None


def _is_root(span: Span) -> bool:
    return bool(span.span) and not span.parent and not span.key


def _is_cut(value: Json) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and isinstance(maybe_json(value), str)


def _milliseconds(span: Span) -> float | None:
    start, end = when(span.start), when(span.end)
    return (end - start).total_seconds() * 1000 if start and end and end >= start else None


def _count(value: Json) -> int | None:
    """A count that may be text; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _sum(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
