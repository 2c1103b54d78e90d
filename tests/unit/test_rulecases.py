"""Cases beside a rule: what they record, how they are run, and what is said of a mistake in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from monitor.checks import Check, checks
from monitor.conversation import AgentError, Column, Completeness, Conversation, Definition, ResultTable, Turn
from monitor.formats import Record
from monitor.formats.extract import ErrorClasses
from monitor.formats.openai_chat import OpenAIChat
from monitor.outcome import Outcome
from monitor.rulecases import RuleCase, load_cases, run_cases
from monitor.rules import load_rules, shipped
from monitor.yamlfile import FileError


class Greets(Check):
    """A check for these tests: the answer must greet, unless something was refused or nothing was said before."""

    name = "greets"

    def run(self, turn: Turn, context: Conversation) -> Outcome:
        if any(error.kind == "refusal" for error in turn.errors):
            return Outcome.not_evaluable("not_recorded", "refused")
        if turn.answer and "boom" in turn.answer.text:
            raise RuntimeError("boom")
        if turn.answer and "Hello" in turn.answer.text:
            return Outcome.passed(f"says Hello after {len(context.turns)} turns")
        return Outcome.failed("says no Hello")


@pytest.fixture(autouse=True)
def _greets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(checks._classes, "greets", Greets)


def case(**more: Any) -> RuleCase:
    return RuleCase.model_validate({"name": "one", "expect": "pass", **more})


def write(folder: Path, cases: str) -> Path:
    file = folder / "polite.yaml"
    file.write_text("name: polite\ncheck: greets\n", encoding="utf-8")
    (folder / "polite.cases.yaml").write_text(cases, encoding="utf-8")
    return file


def test_a_case_is_a_recorded_turn() -> None:
    """A case becomes the turn and the conversation that a recorder would have written."""
    one = case(
        question="How many?",
        answer="Two.",
        queries=[
            {
                "sql": "SELECT n FROM t",
                "columns": ["n", {"name": "cost", "unit": "EUR", "aggregation": "sum"}],
                "rows": [[2, 1.5]],
                "row_count": 9,
                "rows_shown": 1,
                "truncated": True,
            },
            {"semantic": {"metrics": ["n"]}, "error": {"code": "fan_out", "message": "counts twice"}},
            {"looker": {"model": "m", "explore": "e", "fields": ["v.n"]}},
        ],
        definitions={"n": "The number."},
        completeness={"errors": "partial"},
        earlier=[{"question": "Hi?", "answer": "Hello."}],
    )
    turn = one.turn()
    first, second, third = turn.queries
    table = ResultTable(
        columns=(Column(name="n"), Column(name="cost", unit="EUR", aggregation="sum")),
        rows=[[2, 1.5]],
        row_count=9,
        rows_shown=1,
        truncated=True,
    )
    refusal = AgentError(tool_call_id="call_2", code="fan_out", message="counts twice", kind="refusal")
    assert ("sql", "SELECT n FROM t", "ok", table) == (first.language, first.sql, first.status, first.result)
    assert ("semantic", {"metrics": ["n"]}, "error", refusal) == (
        second.language,
        second.semantic,
        second.status,
        second.error,
    )
    assert ("looker", "e", None) == (third.language, (third.semantic or {})["explore"], third.result)
    assert ((refusal,), (Definition(name="n", text="The number."),)) == (turn.errors, turn.definitions)
    assert (Completeness(errors="partial"), 1, "complete") == (turn.completeness, turn.index, turn.state)
    assert ["Hello."] == [earlier.answer.text for earlier in one.context().turns if earlier.answer]


def test_a_case_reads_as_its_recording_would() -> None:
    """The same turn recorded as chat messages gives the check the same queries and errors."""
    arguments = {"sql": "SELECT carrier, COUNT(*) AS flights FROM f GROUP BY 1"}
    calls = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": "query", "arguments": orjson.dumps(arguments).decode()},
        }
        for n in (1, 2)
    ]
    results: list[dict[str, Any]] = [
        {"error": {"code": "fan_out", "message": "counts twice"}},
        {"columns": ["carrier", "flights"], "rows": [["Aurora", 12]]},
    ]
    messages = [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "tool_calls": calls},
        *(
            {"role": "tool", "tool_call_id": f"call_{n + 1}", "content": orjson.dumps(each).decode()}
            for n, each in enumerate(results)
        ),
        {"role": "assistant", "content": "Twelve."},
    ]
    read = OpenAIChat()
    fragments = read.fragments(Record(data={"conversation_id": "c", "messages": messages}))
    recorded = read.conversation(fragments[0].group, fragments).turns[0]
    written = case(
        question="How many?",
        answer="Twelve.",
        queries=[{**arguments, **results[0]}, {**arguments, **results[1]}],
    ).turn()
    same = {"id", "definitions", "model", "started_at", "ended_at", "completeness"}
    assert recorded.model_dump(exclude={*same, "queries"}) == written.model_dump(exclude={*same, "queries"})
    assert [query.model_dump(exclude={"id"}) for query in recorded.queries] == [
        query.model_dump(exclude={"id"}) for query in written.queries
    ]


def test_errors_are_classified_as_configured() -> None:
    """An error's class follows from its code; a configured class, and `refused: true`, win."""
    one = case(queries=[{"error": {"code": "house_rule"}}, {"error": {"code": "timeout", "refused": True}}])
    assert ["unknown", "refusal"] == [error.kind for error in one.turn().errors]
    configured = ErrorClasses(refusal=frozenset({"house_rule"}))
    assert ["refusal", "refusal"] == [error.kind for error in one.turn(configured).errors]


async def test_disagreements_are_said(tmp_path: Path) -> None:
    """Running the cases says for each whether the rule agrees, and if not what it said instead, with the case's line."""
    write(
        tmp_path,
        """
- {name: greets, answer: Hello., expect: pass, says: SAYS HELLO}
- {name: greets later, answer: Hello., expect: pass, says: after 1 turns, earlier: [{answer: Hm.}]}
- {name: does not, answer: Bye., expect: pass}
- {name: other words, answer: Hello., expect: pass, says: good morning}
- name: other cause
  answer: x
  queries: [{error: {code: forbidden}}]
  expect: not_evaluable
  cause: truncated
- {name: any cause, queries: [{error: {code: forbidden}}], expect: not_evaluable}
- {name: breaks, answer: boom, expect: fail}
""",
    )
    results = await run_cases(load_rules(tmp_path))
    assert [
        ("greets", True, ""),
        ("greets later", True, ""),
        ("does not", False, "expected pass, got fail: says no Hello"),
        ("other words", False, "expected words 'good morning', got pass: says Hello after 0 turns"),
        ("other cause", False, "expected not_evaluable (truncated), got not_evaluable (not_recorded): refused"),
        ("any cause", True, ""),
        ("breaks", False, "expected fail, got error: the check broke: RuntimeError"),
    ] == [(result.case, result.agreed, result.disagreement) for result in results]
    assert f"{tmp_path / 'polite.cases.yaml'}:6" == results[4].where


async def test_a_rule_without_cases_has_no_results(tmp_path: Path) -> None:
    """A rule that nothing stands beside is run on nothing."""
    (tmp_path / "polite.yaml").write_text("name: polite\ncheck: greets\n")
    assert [] == await run_cases(load_rules(tmp_path))


async def test_an_empty_file_has_no_cases(tmp_path: Path) -> None:
    """A file of cases that are still to be written is none."""
    assert () == load_cases(write(tmp_path, "# to do\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "- name: a\n  expect: ok\n",
            (
                "2: [0].expect: 'ok' is not one of the choices "
                "(write one of: pass, fail, not_applicable, not_evaluable, error)"
            ),
        ),
        ("- name: a\n", "1: [0].expect: is missing (add it: the label)"),
        (
            "- {name: a, expect: pass}\n- {name: a, expect: fail}\n",
            "2: [1].name: the name of case 1 too (give each case its own name)",
        ),
        (
            "- name: a\n  expect: pass\n  queries:\n  - columns: [a]\n    rows: [[1, 2]]\n",
            "4: [0].queries[0]: row 0 has 2 values for 1 columns (name every column)",
        ),
        (
            "- {name: a, expect: pass, queries: [{rows: [[1]]}]}\n",
            "1: [0].queries[0]: rows without columns (add columns: [name, …])",
        ),
        (
            "- {name: a, expect: pass, queries: [{columns: [a], rows: [], error: {code: x}}]}\n",
            "1: [0].queries[0]: a query has both rows and an error (write one of them)",
        ),
        (
            "- {name: a, expect: pass, completeness: {erors: absent}}\n",
            (
                "1: [0].completeness.erors: unknown key "
                "(did you mean 'errors'? known: errors, notes, queries, redacted, results, tool_calls, truncated)"
            ),
        ),
        ("cases: []\n", "1: a block does not fit here (write a list of a block with question, answer, queries"),
    ],
)
def test_a_mistake_is_said_with_line_field_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    """Each mistake names the line, the field, what is wrong and what to write instead."""
    file = write(tmp_path, text)
    with pytest.raises(FileError) as raised:
        load_cases(file)
    assert [said] == [
        str(each).removeprefix(f"{tmp_path / 'polite.cases.yaml'}:")[: len(said)] for each in raised.value.problems
    ]


def test_the_case_in_the_readme_loads(tmp_path: Path) -> None:
    """The case that rules/README.md shows is one."""
    text = (shipped() / "README.md").read_text(encoding="utf-8")
    block = next(part for part in text.split("```yaml\n") if part.startswith("- name: ")).split("```")[0]
    assert ["fail"] == [each.expect for each in load_cases(write(tmp_path, block))]
