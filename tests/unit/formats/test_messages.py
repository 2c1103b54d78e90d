"""From steps to turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from monitor.conversation import Turn
from monitor.formats.extract import Extraction
from monitor.formats.messages import INSTRUCTIONS, Draft, Step, drafts_of, when

T0 = datetime(2026, 1, 9, 9, 0, tzinfo=UTC)
ROWS = {"columns": ["carrier", "flights"], "rows": [["AA", 1234]]}


def turns(*steps: Step) -> tuple[Turn, ...]:
    return tuple(draft.build(index, Extraction()) for index, draft in enumerate(drafts_of(steps)))


def user(text: str, **more: Any) -> Step:
    return Step("user", text=text, **more)


def text(words: str, **more: Any) -> Step:
    return Step("text", text=words, **more)


def call(call_id: str, **more: Any) -> Step:
    return Step("call", call_id=call_id, name="run_query", **more)


def result(call_id: str, value: Any, **more: Any) -> Step:
    return Step("result", call_id=call_id, value=value, **more)


def test_a_turn_goes_from_one_question_to_the_next() -> None:
    """Turns are numbered where the record names none."""
    found = turns(user("a?"), call("c1"), result("c1", ROWS), text("1,234"), user("b?"), text("no"))
    assert [("t1", 0, "complete", "a?", "1,234"), ("t2", 1, "complete", "b?", "no")] == [
        (t.id, t.index, t.state, t.question and t.question.text, t.answer and t.answer.text) for t in found
    ]
    assert [["AA", 1234]] == found[0].queries[0].result.rows  # type: ignore[union-attr]


def test_the_record_may_name_the_turns() -> None:
    """A change of name starts a turn, even when the person did not speak."""
    found = turns(user("a?", turn="r1"), text("x", turn="r1"), text("y", turn="r2"))
    assert [("r1", "a?"), ("r2", None)] == [(t.id, t.question and t.question.text) for t in found]


def test_steps_that_name_their_turn_belong_to_it_wherever_they_stand() -> None:
    """A turn is never split in two of one id."""
    found = turns(user("a?", turn="r1"), user("b?", turn="r2"), text("x", turn="r1"), text("y", turn="r2"))
    assert [("r1", "x"), ("r2", "y")] == [(turn.id, turn.answer and turn.answer.text) for turn in found]


def test_questions_without_an_answer_between_are_one() -> None:
    """Someone who corrects a question at once asked one question."""
    assert "a\nb" == turns(user("a"), user("b"), text("x"))[0].question.text  # type: ignore[union-attr]


def test_words_before_a_tool_call_are_no_answer() -> None:
    """The answer is what is said after the last result."""
    found = turns(user("a?"), text("Let me look."), call("c1"), result("c1", ROWS), text("AA"), text("1,234"))
    assert "AA\n1,234" == found[0].answer.text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "steps",
    [
        (user("a?"),),
        (user("a?"), call("c1")),
        (user("a?"), call("c1"), text("wait")),
        (user("a?"), call("c1"), result("c1", ROWS)),
    ],
)
def test_a_turn_is_in_progress_until_it_is_answered(steps: tuple[Step, ...]) -> None:
    """A pending call or a missing answer keeps it open."""
    assert "in_progress" == turns(*steps)[0].state


def test_a_result_without_its_call_is_not_lost() -> None:
    """A history that was cut at its start still shows rows."""
    found = turns(user("a?"), result("c1", ROWS, name="run_query"), text("x"))[0]
    assert ("run_query", 1) == (found.tool_calls[0].name, len(found.queries))


def test_the_recorders_error_flag_reaches_the_call() -> None:
    """With its code and message."""
    found = turns(user("a?"), call("c1"), result("c1", None, failed=True, code="busy", message="later"), text("x"))[0]
    assert [("busy", "later", "infrastructure")] == [(e.code, e.message, e.kind) for e in found.errors]


def test_instructions_stand_once_in_the_turn_they_precede() -> None:
    """What the agent was told by its system prompt is a definition; a repeat adds nothing."""
    system = Step("system", text="Only governed queries.")
    found = turns(system, user("a?"), text("x"), system, user("b?"), text("y"))
    assert [[(INSTRUCTIONS, "Only governed queries.")], []] == [
        [(d.name, d.text) for d in t.definitions] for t in found
    ]


def test_a_turns_time_spans_its_steps() -> None:
    """Whatever their order."""
    found = turns(user("a?", time=T0), text("x", time=T0 + timedelta(seconds=3)))[0]
    assert (T0, T0 + timedelta(seconds=3)) == (found.started_at, found.ended_at)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("rows ...[TRUNCATED]", (True, False)),
        ({"rows": [["[REDACTED]"]]}, (False, True)),
        ({"rows": [["x"]]}, (False, False)),
    ],
)
def test_cut_and_blanked_content_is_seen(value: Any, expected: tuple[bool, bool]) -> None:
    """Marks that recorders leave say that the record lacks something."""
    found = turns(user("a?"), call("c1"), result("c1", value), text("x"))[0].completeness
    assert expected == (found.truncated, found.redacted)


def test_a_turn_that_ended_without_an_answer_failed() -> None:
    """The recorder's own word on the end counts."""
    draft = Draft(question=["a?"])
    assert ("failed", None) == (draft.build(0, Extraction(), ended=True).state, draft.build(0, Extraction()).answer)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-09T09:00:00Z", T0),
        ("2026-01-09T09:00:00.000000+00:00", T0),
        ("2026-01-09T10:00:00+01:00", T0),
        ("2026-01-09T09:00:00", T0),
        ("2026-01-09 09:00:00 UTC", T0),
        ("2026-01-09 09:00:00.000000", T0),
        ("2026-01-09T09:00:00.000000000Z", T0),
        (T0.timestamp(), T0),
        (str(T0.timestamp()), T0),
        (T0, T0),
        (T0.replace(tzinfo=None), T0),
        (T0.astimezone(timezone(timedelta(hours=5))), T0),
        (None, None),
        (True, None),
        ("", None),
        ("yesterday", None),
        ("nan", None),
        (1e300, None),
        ("0001-01-01T00:00:00+14:00", None),
        ({"seconds": 1}, None),
    ],
)
def test_times_are_read_in_the_forms_that_recorders_write(value: Any, expected: datetime | None) -> None:
    """Always in UTC; what is no time is None."""
    assert expected == when(value)
    assert expected is None or UTC == when(value).tzinfo  # type: ignore[union-attr]
