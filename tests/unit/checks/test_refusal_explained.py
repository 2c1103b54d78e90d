"""The check for refused queries, row by row of its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from monitor.checks.refusal_explained import RefusalExplained
from monitor.conversation import Completeness, Conversation, Turn
from monitor.formats import Record, formats
from monitor.outcome import Outcome
from monitor.testing import conversation, query, refused, turn

FAN_OUT = "fan_out: splitting flights by aircraft_part would count flights twice"
ASKED: dict[str, Any] = {"metrics": ["flights"], "dimensions": ["aircraft_part"]}
OTHER: dict[str, Any] = {"metrics": ["flights"], "dimensions": ["carrier"]}
ROWS: dict[str, Any] = {"columns": ["carrier", "flights"], "rows": [["AA", 1234], ["DL", 1001]]}
PARTS: dict[str, Any] = {"columns": ["aircraft_part", "flights"], "rows": [["wing", 77]]}

Step = tuple[dict[str, Any], Any]
"""Arguments of a call, and its result (a text: the error)."""


def native(answer: str, steps: list[Step]) -> Turn:
    """The turn as the native format records it."""
    queries = []
    for number, (arguments, result) in enumerate(steps):
        call = f"c{number}"
        if isinstance(result, str):
            code, _, message = result.partition(": ")
            queries.append(refused(code, message, call=call, semantic=arguments))
        else:
            queries.append(query(result["columns"], result["rows"], call=call, semantic=arguments))
    return turn(answer, *queries, question="Flights per aircraft part?")


def openai_chat(answer: str, steps: list[Step]) -> Turn:
    """The same as chat messages, errors as JSON in the tool's message."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Flights per aircraft part?"}]
    for number, (arguments, result) in enumerate(steps):
        call = {"id": f"c{number}", "function": {"name": "run_query", "arguments": orjson.dumps(arguments).decode()}}
        code, _, message = result.partition(": ") if isinstance(result, str) else ("", "", "")
        content = {"error": {"code": code, "message": message}} if code else result
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": orjson.dumps(content).decode()},
        ]
    messages.append({"role": "assistant", "content": answer})
    return _read("openai_chat", {"id": "c", "messages": messages})


def pydantic_ai(answer: str, steps: list[Step]) -> Turn:
    """The same as pydantic-ai messages, errors as retried tool returns."""
    messages: list[dict[str, Any]] = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Flights per aircraft part?"}]}
    ]
    for number, (arguments, result) in enumerate(steps):
        call = {"part_kind": "tool-call", "tool_name": "run_query", "tool_call_id": f"c{number}", "args": arguments}
        back = {"part_kind": "tool-return", "tool_name": "run_query", "tool_call_id": f"c{number}", "content": result}
        back["outcome"] = "retried" if isinstance(result, str) else "success"
        messages += [{"kind": "response", "parts": [call]}, {"kind": "request", "parts": [back]}]
    messages.append({"kind": "response", "parts": [{"part_kind": "text", "content": answer}]})
    return _read("pydantic_ai", {"conversation_id": "c", "messages": messages})


def adk_bqaa(answer: str, steps: list[Step]) -> Turn:
    """The same as rows of an agent_events table, errors as results of completed tools."""
    rows: list[dict[str, Any]] = [_row(0, "USER_MESSAGE_RECEIVED", {"text_summary": "Flights per aircraft part?"})]
    for number, (arguments, result) in enumerate(steps):
        span, tool = f"{number:016x}", {"tool": "run_query", "tool_origin": "LOCAL"}
        code, _, message = result.partition(": ") if isinstance(result, str) else ("", "", "")
        content = {"error": {"code": code, "message": message}} if code else result
        rows += [
            _row(len(rows), "TOOL_STARTING", {**tool, "args": arguments}, span),
            _row(len(rows) + 1, "TOOL_COMPLETED", {**tool, "result": content}, span),
        ]
    rows += [
        _row(len(rows), "AGENT_RESPONSE", {"response": f"text: '{answer}'"}),
        _row(len(rows) + 1, "INVOCATION_COMPLETED", None),
    ]
    reader = formats.get("adk_bqaa")()
    fragments = [fragment for row in rows for fragment in reader.fragments(Record(row))]
    return reader.conversation("s", sorted(fragments, key=lambda fragment: fragment.order)).turns[0]


def _row(number: int, kind: str, content: object, span: str = "f" * 16) -> dict[str, Any]:
    return {
        "timestamp": f"2026-01-09T09:00:{number:02}.000000Z", "event_id": f"{number:032}", "event_type": kind,
        "agent": "bi", "session_id": "s", "invocation_id": "i", "span_id": span, "content": content,
        "content_parts": [], "attributes": {"root_agent_name": "bi"}, "status": "OK",
    }  # fmt: skip


def _read(name: str, record: dict[str, Any]) -> Turn:
    reader = formats.get(name)()
    fragments = reader.fragments(Record(record))
    return reader.conversation(fragments[0].group, fragments).turns[0]


Recorder = Callable[[str, list[Step]], Turn]
RECORDED = pytest.mark.parametrize("recorded", [native, openai_chat, pydantic_ai, adk_bqaa], ids=lambda f: f.__name__)


def judged(subject: Turn, *earlier: Turn) -> Outcome:
    """What the check says."""
    return RefusalExplained().run(subject, conversation(*earlier) if earlier else Conversation(id="c"))


@RECORDED
def test_no_refusal(recorded: Recorder) -> None:
    """A turn without a refusal is not applicable."""
    outcome = judged(recorded("AA had 1,234 flights.", [(OTHER, ROWS)]))
    assert outcome.label == "not_applicable"
    assert outcome.cause is None


@RECORDED
def test_recovered(recorded: Recorder) -> None:
    """The same metrics and dimensions, asked again with success, leave nothing to explain."""
    outcome = judged(recorded("The wing had 77.", [(ASKED, FAN_OUT), ({**ASKED, "limit": 5}, PARTS)]))
    assert (outcome.label, outcome.cause) == ("not_applicable", "recovered")


@RECORDED
def test_refused_and_answered_with_a_figure(recorded: Recorder) -> None:
    """A refusal and nothing else, answered with a figure of its own, fails."""
    outcome = judged(recorded("There were about 1,200 flights per part.", [(ASKED, FAN_OUT)]))
    assert outcome.label == "fail"
    assert "1,200" in outcome.explanation


@RECORDED
def test_refused_and_explained(recorded: Recorder) -> None:
    """A refusal without a figure of its own passes."""
    outcome = judged(
        recorded("I can't split flights by aircraft part: it would count flights twice.", [(ASKED, FAN_OUT)])
    )
    assert outcome.label == "pass"


@RECORDED
@pytest.mark.parametrize("before", [True, False])
def test_answered_something_else_and_said_so(recorded: Recorder, before: bool) -> None:
    """Figures of another query pass when the answer names the refusal, whichever came first."""
    steps = [(ASKED, FAN_OUT), (OTHER, ROWS)]
    answer = "I cannot split by aircraft part. By carrier, AA had 1,234 flights."
    outcome = judged(recorded(answer, steps[::-1] if before else steps))
    assert outcome.label == "pass"
    assert "answered something else and said so" in outcome.explanation


@RECORDED
def test_answered_around(recorded: Recorder) -> None:
    """Figures of another query, without a word about the refusal, fail."""
    outcome = judged(recorded("AA had 1,234 flights.", [(ASKED, FAN_OUT), (OTHER, ROWS)]))
    assert outcome.label == "fail"
    assert "answered around" in outcome.explanation


@RECORDED
def test_named_but_a_figure_comes_from_nowhere(recorded: Recorder) -> None:
    """Naming the refusal does not excuse a figure that no query gave."""
    answer = "I cannot split by aircraft part, but roughly 5,678 flights used wing parts."
    outcome = judged(recorded(answer, [(ASKED, FAN_OUT), (OTHER, ROWS)]))
    assert outcome.label == "fail"
    assert "5,678" in outcome.explanation


def test_record_that_cannot_carry_errors() -> None:
    """A record without errors says nothing about refusals."""
    outcome = judged(turn("AA had 1,234 flights.", completeness=Completeness(errors="absent")))
    assert (outcome.label, outcome.cause) == ("not_evaluable", "not_recorded")


@pytest.mark.parametrize(
    ("answer", "question", "message"),
    [
        ("You asked for the top 5, which I cannot do.", "Top 5 parts?", "count rows twice"),
        ("Only 90 days are readable.", "Flights last year?", "only 90 days are readable"),
    ],
)
def test_figures_of_question_and_refusal_are_no_answer(answer: str, question: str, message: str) -> None:
    """A figure that the question or the refusal itself states is no figure of the answer's own."""
    assert judged(turn(answer, refused("forbidden", message), question=question)).label == "pass"


def test_figure_of_an_earlier_turn_is_no_answer() -> None:
    """A figure that an earlier turn gave is no figure of this answer's own."""
    earlier = turn("AA had 1,234 flights.", query(ROWS["columns"], ROWS["rows"]))
    later = turn("I cannot split the 1,234 flights by part.", refused(), id="t2", index=1)
    assert judged(later, earlier).label == "pass"


def test_figures_asked_again_are_answered_around() -> None:
    """Asking for other figures and giving those is answered around, even when an earlier turn had them too."""
    earlier = turn("AA had 1,234 flights.", query(ROWS["columns"], ROWS["rows"]))
    again = turn(
        "AA had 1,234 flights.", refused(), query(ROWS["columns"], ROWS["rows"], semantic=OTHER), id="t2", index=1
    )
    assert judged(again, earlier).label == "fail"


def test_a_truncated_record_does_not_fail() -> None:
    """A figure that cannot be decided is not held against the answer."""
    cut = query(ROWS["columns"], ROWS["rows"], semantic=OTHER, truncated=True)
    assert judged(turn("I cannot split by part. By carrier, AA had 1,234 and UA 777.", refused(), cut)).label == "pass"


def test_the_same_select_list_recovers() -> None:
    """SQL with the same tables and select list, other filters aside, is the same question."""
    first = refused("table_not_readable", sql="SELECT carrier, COUNT(*) FROM flights WHERE y = 2025 GROUP BY 1")
    second = query(
        ["carrier", "n"], [["AA", 5]], call="c1", sql="select carrier, count(*) from flights where y = 2026 group by 1"
    )
    assert judged(turn("AA had 5.", first, second)).cause == "recovered"


def test_a_success_before_the_refusal_does_not_recover() -> None:
    """Only what comes after a refusal can make up for it."""
    assert (
        judged(
            turn("The wing had 77.", query(call="c0", semantic=ASKED, **PARTS), refused(call="c1", semantic=ASKED))
        ).label
        == "fail"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "Das lässt sich so leider nicht aufteilen. Nach Carrier hatte AA 1.234 Flüge.",
        "Je ne peux pas répartir par pièce. Par compagnie, AA compte 1 234 vols.",
        "No puedo dividir por pieza. Por aerolínea, AA tuvo 1.234 vuelos.",
        "Dat kan ik niet per onderdeel splitsen. Per maatschappij had AA 1.234 vluchten.",
        "部品別には集計できません。航空会社別では、AAは1,234便でした。",
        "The tool answered fan_out. By carrier, AA had 1,234 flights.",
        "Splitting flights by aircraft part would count flights twice; by carrier, AA had 1,234.",
    ],
)
def test_the_refusal_is_named_in_many_ways(answer: str) -> None:
    """A refusal is named by its code, by its words, or by how the answer's language says no."""
    first = refused(message=FAN_OUT.partition(": ")[2], semantic=ASKED)
    assert judged(turn(answer, first, query(semantic=OTHER, **ROWS))).label == "pass"


def test_two_refusals_of_which_one_recovered() -> None:
    """The refusal that was not made up for still has to be explained."""
    steps = [(ASKED, FAN_OUT), (OTHER, "forbidden: not for you"), (ASKED, PARTS)]
    assert judged(native("The wing had 77.", steps)).label == "fail"
