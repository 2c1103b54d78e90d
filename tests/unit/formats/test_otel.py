"""What the traces of agents come to: turns with question, calls, answer, and what is not recorded."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tests.unit.formats.traces import (
    ASKED,
    CALLED,
    GIVEN,
    ROWS,
    SAID,
    TRACE,
    Data,
    agent,
    answer_of,
    asks,
    calls,
    chat,
    gives,
    hexed,
    joined,
    otlp,
    pairs,
    question_of,
    read,
    says,
    span,
    tool,
    turn_of,
    whole,
)

# What a trace comes to.


def test_a_trace_is_a_turn() -> None:
    """Question, call, rows, answer, tokens, times and the evaluated span, from spans in any order."""
    turn = turn_of(*whole())
    assert (TRACE, "complete", "How many?", "1,234.") == (turn.id, turn.state, question_of(turn), answer_of(turn))
    (call,) = turn.tool_calls
    assert ("c1", "run_query", {"metrics": ["flights"]}, ROWS, "ok") == (
        call.id,
        call.name,
        call.arguments,
        call.result,
        call.status,
    )
    assert [[["AA", 1234]]] == [query.result.rows for query in turn.queries if query.result]
    assert (30, 3) == (turn.usage and turn.usage.input_tokens, turn.usage and turn.usage.output_tokens)
    assert (9000.0, "2026-01-09T09:00:01+00:00") == (turn.latency_ms, turn.started_at and turn.started_at.isoformat())
    assert (TRACE, hexed(1), True) == (turn.trace and (turn.trace.trace_id, turn.trace.span_id, turn.trace.otel))
    assert {} == turn.completeness.model_dump(exclude_defaults=True)


def test_the_evaluated_span_is_the_last_model_call_where_no_agent_span_is() -> None:
    """There the result is attached."""
    turn = turn_of(chat(2, ASKED, CALLED, None), chat(4, ASKED + CALLED + GIVEN, SAID, 2, gen_ai__response__id="r-1"))
    assert (hexed(4), "r-1") == (turn.trace and turn.trace.span_id, turn.response_id)


def test_earlier_turns_in_the_history_are_not_this_turn() -> None:
    """A history repeats their questions and calls; they belong to traces of their own."""
    earlier = [asks("Before?"), calls("c0", arguments={"metrics": ["old"]}), gives({"rows": [[9]]}, "c0"), says("9.")]
    turn = turn_of(
        chat(2, earlier + ASKED, CALLED), chat(4, earlier + ASKED + CALLED + GIVEN, SAID), agent(conversation="c")
    )
    assert ("How many?", ["c1"]) == (question_of(turn), [call.id for call in turn.tool_calls])


def test_the_first_model_call_has_the_question() -> None:
    """Frameworks put words of their own into the user's role later in the run."""
    nagged = [*ASKED, *CALLED, *GIVEN, says("{"), asks("Validation failed, try again.")]
    turn = turn_of(chat(2, ASKED, CALLED), chat(4, nagged, SAID), agent())
    assert ("How many?", "1,234.", 1) == (question_of(turn), answer_of(turn), len(turn.tool_calls))


def test_words_beside_a_tool_call_are_no_answer() -> None:
    """Nor is reasoning: a run that ends in a call has failed."""
    turn = turn_of(chat(2, ASKED, CALLED), agent())
    assert ("failed", None) == (turn.state, answer_of(turn))


def test_calls_that_are_numbered_anew_in_each_message_are_told_apart() -> None:
    """Two calls ``run_query_0`` with other arguments are two calls; one told twice is one."""
    first, second = calls("run_query_0", arguments={"m": 1}), calls("run_query_0", arguments={"m": 2})
    history = [*ASKED, first, gives({"columns": ["n"], "rows": [[1]]}, "run_query_0")]
    longer = [*history, second, gives({"columns": ["n"], "rows": [[2]]}, "run_query_0")]
    turn = turn_of(chat(2, ASKED, [first]), chat(4, history, [second]), chat(6, longer, SAID), agent())
    assert [{"m": 1}, {"m": 2}] == [call.arguments for call in turn.tool_calls]
    assert [[[1]], [[2]]] == [query.result.rows for query in turn.queries if query.result]


def test_the_same_call_made_twice_is_two_calls() -> None:
    """Also with one id and the same arguments: each place in the history is its own."""
    again = [*ASKED, *CALLED, *GIVEN, *CALLED, *GIVEN]
    turn = turn_of(chat(2, ASKED, CALLED), chat(4, again[:3], CALLED), chat(6, again, SAID), agent())
    assert ["c1", "c1#2"] == [call.id for call in turn.tool_calls]


def test_a_tool_span_of_another_id_is_the_call_with_its_arguments() -> None:
    """A framework and a model library name one call differently."""
    turn = turn_of(
        chat(2, ASKED, [calls("run_query_0")]),
        tool(3, "adk-77", arguments='{"metrics":["flights"]}', error="fan_out: would count twice"),
        chat(4, [*ASKED, calls("run_query_0"), gives("no", "run_query_0")], SAID),
        agent(),
    )
    assert [("run_query_0", "error")] == [(call.id, call.status) for call in turn.tool_calls]


def test_tool_spans_find_their_calls_by_arguments() -> None:
    """In whatever order they ran; each call once, also where two are the same."""
    asked = [calls("a_0", arguments={"m": 1}), calls("b_0", arguments={"m": 2}), calls("c_0", arguments={"m": 2})]
    ran = [tool(number, f"adk-{number}", arguments={"m": m}) for number, m in ((3, 2), (4, 2), (5, 1))]
    turn = turn_of(chat(2, ASKED, asked), *ran, chat(6, ASKED + asked, SAID), agent())
    seconds = {call.id: call.started_at.second for call in turn.tool_calls if call.started_at}
    assert {"a_0": 5, "b_0": 3, "c_0": 4} == seconds


@pytest.mark.parametrize(
    "failed",
    [
        {"error": "fan_out: would count twice"},
        {"error": "x", "result": "fan_out: would count twice"},
        {"error__type": "fan_out"},
        {"error": "x", "error__type": "TOOL_ERROR", "result": {"error": {"code": "fan_out", "message": "twice"}}},
        {"error": "fan_out: would count twice", "error__type": "pydantic_ai.exceptions.ToolRetryError"},
        {
            "status": {"status": {"code": "STATUS_CODE_ERROR"}},
            "events": [{"name": "exception", "attributes": pairs({"exception.message": "fan_out: twice"})}],
        },
    ],
)
def test_a_failed_tool_span_is_an_error_with_its_code(failed: Data) -> None:
    """From the result, the status, the exception event or error.type, whichever names it."""
    found = {**tool(3, **{key: value for key, value in failed.items() if key != "status"}), **failed.get("status", {})}
    (error,) = turn_of(chat(2, ASKED, CALLED), found, chat(4, ASKED + CALLED, SAID), agent()).errors
    assert ("tool", "c1", "fan_out", "refusal") == (error.source, error.tool_call_id, error.code, error.kind)


def test_errors_of_the_model_and_of_the_run_are_told() -> None:
    """A run that ended in an error, with no answer, has failed."""
    turn = turn_of(chat(2, ASKED, None, error="busy", error__type="429"), agent(error="gave up"))
    assert [("model", "infrastructure"), ("agent", "unknown")] == [(e.source, e.kind) for e in turn.errors]
    assert ("failed", "How many?") == (turn.state, question_of(turn))


@pytest.mark.parametrize(("key", "role"), [("response", "tool"), ("result", "user"), ("response", "function")])
def test_tool_results_are_read_in_every_dialect(key: str, role: str) -> None:
    """Under either key, in whatever role."""
    history = [*ASKED, *CALLED, gives(ROWS, key=key, role=role)]
    turn = turn_of(chat(2, ASKED, CALLED), chat(4, history, SAID), agent())
    assert ("How many?", [ROWS]) == (question_of(turn), [call.result for call in turn.tool_calls])


def test_tools_that_the_provider_runs_are_calls() -> None:
    """Their arguments and results stand under names of their own."""
    made = {"type": "server_tool_call", "id": "s1", "name": "code", "server_tool_call": {"code": "1+1"}}
    came = {"type": "server_tool_call_response", "id": "s1", "server_tool_call_response": {"output": "2"}}
    out = [{"role": "assistant", "parts": [made, came]}]
    turn = turn_of(chat(2, ASKED, out), chat(4, ASKED + out, SAID), agent())
    assert [("s1", {"code": "1+1"}, "2")] == [(call.id, call.arguments, call.result) for call in turn.tool_calls]


def test_spans_inside_a_tool_span_of_the_same_tool_are_that_call() -> None:
    """An MCP client and server add theirs; what they know is added."""
    turn = turn_of(
        chat(2, ASKED, SAID),
        tool(3, "c1", arguments={"m": 1}),
        tool(4, None, 3),
        tool(5, None, 4, result=ROWS, error="late"),
        agent(),
    )
    assert [("c1", {"m": 1}, ROWS)] == [(call.id, call.arguments, call.result) for call in turn.tool_calls]


def test_tools_of_the_framework_itself_are_left_out() -> None:
    """Handing over to another agent reads nothing."""
    turn = turn_of(
        chat(2, ASKED, [calls("t", "transfer_to_agent")]),
        tool(3, "t", tool_name="transfer_to_agent"),
        tool(5, "m", tool_name="(merged tools)"),
        chat(4, ASKED, SAID),
        agent(),
    )
    assert ((), "1,234.") == (turn.tool_calls, answer_of(turn))


def test_instructions_are_a_definition() -> None:
    """From their own attribute, as parts or text, and from system messages."""
    system = {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]}
    spoken: list[Any] = [[{"type": "text", "content": "Only governed."}], "Only governed."]
    for value in spoken:
        turn = turn_of(chat(2, [system, *ASKED], SAID, gen_ai__system_instructions=value), agent())
        assert ["Only governed.", "Be brief."] == [definition.text for definition in turn.definitions]


def test_a_call_inside_a_call_counts_its_tokens_once() -> None:
    """ADK's ``call_llm`` holds the model library's own span."""
    outer = span(2, attributes={"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}, name="call_llm")
    turn = turn_of(outer, chat(3, ASKED, SAID, 2, tokens_in=7, tokens_out=3), agent())
    assert (7, 3) == (turn.usage and turn.usage.input_tokens, turn.usage and turn.usage.output_tokens)


def test_other_model_calls_of_the_request_are_not_the_answer() -> None:
    """A title is generated after the run, outside its span."""
    title = chat(20, [asks("Title for: How many?")], [says("Flight counts")], 90)
    turn = turn_of(*whole(), title)
    assert ("How many?", "1,234.") == (question_of(turn), answer_of(turn))


def test_model_calls_in_the_run_count_though_a_span_between_is_not_kept() -> None:
    """A step of the framework lies around them; their time tells."""
    title = chat(20, [asks("Title for: How many?")], [says("Flight counts")], 90)
    turn = turn_of(chat(2, ASKED, CALLED, 77), chat(4, ASKED + CALLED + GIVEN, SAID, 78), title, agent())
    assert ("How many?", "1,234.") == (question_of(turn), answer_of(turn))


def test_the_root_is_the_run_whatever_began_first() -> None:
    """Clocks of two machines differ."""
    inner, outer = agent(3, 99, final_result="Part."), agent(5, final_result="All.")
    turn = turn_of(chat(4, ASKED, SAID, 3), inner, outer)
    assert ("All.", hexed(5)) == (answer_of(turn), turn.trace and turn.trace.span_id)


def test_the_model_is_the_one_that_answered() -> None:
    """What it is asked for, where the response does not name it."""
    first = chat(2, ASKED, CALLED, gen_ai__request__model="small", gen_ai__response__id="r-1")
    last = chat(4, ASKED + CALLED + GIVEN, SAID, gen_ai__request__model="large", gen_ai__response__id="r-2")
    turn = turn_of(first, last, agent(gen_ai__request__model="any"))
    assert ("large", "r-2") == (turn.model, turn.response_id)
    assert "large-001" == turn_of({**last}, chat(6, [], SAID, gen_ai__response__model="large-001")).model


# What frameworks record of a whole run.


def test_a_run_of_pydantic_ai_tells_its_messages_and_result() -> None:
    """``all_messages`` from ``new_message_index`` on, and ``final_result``, without any model call's content."""
    earlier = [asks("Before?"), says("9.")]
    run = [*earlier, *ASKED, *CALLED, gives(ROWS, key="result", role="user"), *SAID]
    turn = turn_of(chat(2), agent(run=run, first=2, final_result="1,234 flights."))
    assert ("How many?", "1,234 flights.", ["c1"]) == (
        question_of(turn),
        answer_of(turn),
        [call.id for call in turn.tool_calls],
    )


def test_a_structured_answer_is_its_arguments() -> None:
    """The tool that carries it is no query of the agent."""
    run = [*ASKED, calls("f", "final_result", {"text": "1,234"}), gives("Final result processed.", "f", "result")]
    assert (None, '{"text":"1,234"}') == (
        next(iter(turn_of(agent(run=run)).tool_calls), None),
        answer_of(turn_of(agent(run=run))),
    )


def test_messages_of_the_agent_span_are_question_and_answer() -> None:
    """Where a framework records them there and not on model calls."""
    turn = turn_of(agent(gen_ai__input__messages=ASKED, gen_ai__output__messages=SAID))
    assert ("complete", "How many?", "1,234.") == (turn.state, question_of(turn), answer_of(turn))


def test_adk_keeps_messages_in_attributes_of_its_own() -> None:
    """Gemini's contents: function calls without ids, thoughts left out, instructions in the configuration."""
    history = [
        {"role": "user", "parts": [{"text": "How many?"}]},
        {"role": "model", "parts": [{"function_call": {"name": "run_query", "args": {"m": 1}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "run_query", "response": {"result": ROWS}}}]},
    ]
    said = {"content": {"role": "model", "parts": [{"text": "Hm 7", "thought": True}, {"text": "1,234."}]}}
    request = {"contents": history, "config": {"system_instruction": "Only governed."}}
    legacy = {
        "gcp.vertex.agent.llm_request": request,
        "gcp.vertex.agent.llm_response": said,
        "gcp.vertex.agent.session_id": "s",
    }
    kept_back: Data = {"gcp.vertex.agent.tool_call_args": "{}", "gcp.vertex.agent.tool_response": "<not specified>"}
    conversation = joined(
        otlp(span(2, name="call_llm", attributes=legacy), tool(3, "<not specified>", **kept_back), agent())
    )
    (turn,) = conversation.turns
    assert ("s", "How many?", "1,234.") == (conversation.id, question_of(turn), answer_of(turn))
    assert [("run_query_0", {"m": 1}, ROWS)] == [(call.id, call.arguments, call.result) for call in turn.tool_calls]
    assert ["Only governed."] == [definition.text for definition in turn.definitions]


# Turns that are not over.


@pytest.mark.parametrize(
    ("spans", "ends", "state"),
    [
        ([chat(2, ASKED, SAID), agent()], 1, "complete"),
        ([chat(2, ASKED, SAID), agent(parent=99)], 1, "complete"),
        ([chat(2, ASKED, SAID)], 0, "complete"),
        ([chat(2, ASKED, SAID, None)], 1, "complete"),
        ([chat(2, ASKED, CALLED)], 0, "in_progress"),
        ([chat(2, ASKED, CALLED), tool(3, result=ROWS)], 0, "in_progress"),
        ([chat(2, ASKED, SAID, gen_ai__agent__name="a")], 0, "in_progress"),
        ([chat(2, ASKED, CALLED), agent(5, 99), chat(6, ASKED, SAID, 5)], 1, "in_progress"),
        ([agent(5, 1), chat(6, ASKED, SAID, 5), agent()], 1, "complete"),
    ],
    ids="root|unknown parent|model calls only|root model call|call open|no agent yet|agent expected|inner|both".split(
        "|"
    ),
)
def test_a_turn_ends_with_its_outermost_agent_span(spans: list[Data], ends: int, state: str) -> None:
    """One whose parent is elsewhere counts unless something of its run began before it."""
    found = read(otlp(*spans))
    assert (ends, state) == (sum(each.ends for each in found), turn_of(*spans).state)


def test_a_root_that_is_no_agent_ends_the_turn() -> None:
    """What is open then has failed."""
    for spans in ([chat(8, ASKED, CALLED, None)], [chat(9, ASKED, CALLED, 8), span(8, None, name="POST /chat")]):
        turn = turn_of(*spans)
        assert ("failed", 1000.0, ["pending"]) == (turn.state, turn.latency_ms, [c.status for c in turn.tool_calls])


def test_a_tool_on_its_own_is_no_turn() -> None:
    """A tool server has traces without an agent."""
    assert () == joined(otlp(tool(1, parent=None, result=ROWS))).turns


# What is not recorded.


def test_without_content_a_turn_is_complete_and_says_so() -> None:
    """Capture is off by default: the turn is counted, as one that cannot be judged."""
    bare = [{"role": "user", "parts": [{"type": "text"}]}]
    for spans in ([chat(2), tool(3), agent()], [chat(2, bare, bare), agent(run=bare)], [chat(2)]):
        turn = turn_of(*spans)
        extents = turn.completeness
        assert ("complete", None, None) == (turn.state, turn.question, turn.answer)
        assert {"absent"} == {extents.tool_calls, extents.queries, extents.results, extents.errors}
        assert ("no message content was captured",) == extents.notes


def test_without_content_earlier_calls_are_left_out_too() -> None:
    """The structure of the history is there; only what follows the last prompt is this turn's."""
    prompt = {"role": "user", "parts": [{"type": "text"}]}
    call = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c0", "name": "run_query"}]}
    mine = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "run_query"}]}
    turn = turn_of(chat(2, [prompt, call, prompt], [mine]), agent())
    assert ["c1"] == [each.id for each in turn.tool_calls]


def test_results_that_were_not_captured_are_absent() -> None:
    """Messages without tool content: figures cannot be checked, refusals not seen."""
    history = [*ASKED, *CALLED, {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1"}]}]
    extents = turn_of(chat(2, ASKED, CALLED), tool(3), chat(4, history, SAID), agent()).completeness
    assert ("absent", "absent", "partial") == (extents.results, extents.errors, extents.queries)


def test_an_answer_that_was_not_captured_is_not_the_agent_s_failure() -> None:
    """Question and tools are there, outputs are not."""
    history = [*ASKED, *CALLED, {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1"}]}]
    turn = turn_of(chat(2, ASKED), tool(3, arguments={"m": 1}, result=ROWS), chat(4, ASKED), agent())
    assert ("complete", None, "full", ("no message content was captured",)) == (
        turn.state,
        turn.answer,
        turn.completeness.results,
        turn.completeness.notes,
    )
    turn = turn_of(chat(2, ASKED, CALLED), chat(4, history, SAID), agent())
    assert ["ok"] == [call.status for call in turn.tool_calls]
    assert ("absent", "absent") == (turn.completeness.results, turn.completeness.errors)


def test_a_failed_run_without_content_says_that_too() -> None:
    """It is a failure of which nothing can be checked."""
    turn = turn_of(chat(2), agent(error="gave up"))
    assert ("failed", "absent") == (turn.state, turn.completeness.results)


def test_a_compacted_history_has_lost_evidence() -> None:
    """What a summary replaced cannot ground a figure."""
    summary = {"role": "assistant", "parts": [{"type": "compaction", "content": "…"}]}
    extents = turn_of(chat(2, [*ASKED, summary], SAID), agent()).completeness
    assert ("partial", "partial", True) == (extents.results, extents.queries, "compacted" in extents.notes[0])


def test_an_attribute_that_a_size_limit_cut_is_truncated() -> None:
    """JSON that ends in the middle says nothing reliable."""
    cut = orjson.dumps(ASKED + CALLED + GIVEN).decode()[:-40]
    assert turn_of(chat(2, cut, SAID), agent()).completeness.truncated
    assert turn_of(
        chat(2, ASKED, SAID), tool(3, result=orjson.dumps(ROWS).decode()[:-4]), agent()
    ).completeness.truncated


# Whose it is.


def test_scope_comes_from_the_spans_and_their_resource() -> None:
    """Agent from the span; version and environment from the resource."""
    about = {"service__version": "7", "deployment__environment__name": "prod"}
    conversation = joined(otlp(*whole(), **about))
    assert {"agent": "bi_agent", "agent_version": "7", "environment": "prod"} == conversation.scope.model_dump(
        exclude_defaults=True
    )


def test_the_conversation_is_named_by_an_attribute() -> None:
    """Which one can be chosen; without any it is the trace."""
    spans = [chat(2, ASKED, SAID, chat__thread="th-1"), agent(conversation="conv-1", user__id="u-1")]
    assert ("conv-1", "u-1") == (joined(otlp(*spans)).id, joined(otlp(*spans)).user)
    assert "th-1" == joined(otlp(*spans), conversation_keys=["chat.thread"]).id
    assert TRACE == joined(otlp(*spans), conversation_keys=["other"]).id
