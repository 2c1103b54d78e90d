"""The monitor's own format."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.conversation import Conversation, revision
from monitor.errors import RecordError
from monitor.formats import Fragment, Record
from monitor.formats.native import Native

TURN: dict[str, Any] = {"id": "t1", "index": 0, "question": {"text": "a?"}, "answer": {"text": "1"}}
TYPE = "com.example.conversation"


def fragments(data: Any, event_type: str = "") -> list[Fragment]:
    return Native().fragments(Record(data, attributes={"ce-type": event_type} if event_type else {}))


def joined(*found: Fragment) -> Conversation:
    return Native().conversation(found[0].group, sorted(found, key=lambda each: (each.order, each.key)))


def turn_event(turn: dict[str, Any], **more: Any) -> Fragment:
    return fragments({"conversation_id": "conv-1", "turn": turn, **more}, f"{TYPE}.turn.v1")[0]


def test_a_conversation_is_read_with_all_its_parts() -> None:
    """Scope, user, summaries, labels and state."""
    data = {
        "schema_version": 1,
        "id": "conv-1",
        "agent": {"name": "bi", "version": "2"},
        "team": "ops",
        "environment": "production",
        "semantic_model": "flights",
        "user": {"id": "u-1"},
        "state": "complete",
        "turns": [TURN],
        "labels": {"channel": "web"},
        "summaries": [{"id": "s1", "sections": [{"name": "situation", "text": "asked for 1"}]}],
    }
    found = joined(*fragments(data))
    assert ("conv-1", "u-1", "ended", {"channel": "web"}) == (found.id, found.user, found.state, found.labels)
    assert ("bi", "2", "ops", "production", "flights") == (
        found.scope.agent,
        found.scope.agent_version,
        found.scope.team,
        found.scope.environment,
        found.scope.semantic_model,
    )
    assert ("asked for 1", "t1") == (found.summaries[0].sections[0].text, found.turns[0].id)


def test_turn_events_make_the_same_conversation() -> None:
    """A turn has the same revision alone and in its conversation."""
    whole = joined(*fragments({"id": "conv-1", "turns": [TURN]}))
    assert revision(whole.turns[0]) == revision(joined(turn_event(TURN)).turns[0])


def test_the_newest_of_each_turn_counts() -> None:
    """An event that comes late or twice changes nothing."""
    draft = {**TURN, "state": "in_progress", "answer": None, "ended_at": "2026-01-09T09:00:01Z"}
    final = {**TURN, "ended_at": "2026-01-09T09:00:05Z"}
    second = {**TURN, "id": "t2", "index": 1}
    found = joined(turn_event(final), turn_event(second), turn_event(draft))
    assert [("t1", "complete"), ("t2", "complete")] == [(turn.id, turn.state) for turn in found.turns]


def test_a_finished_turn_ends_and_an_unfinished_one_does_not() -> None:
    """So that it is held until it is over."""
    assert (True, False) == (turn_event(TURN).ends, turn_event({**TURN, "state": "in_progress"}).ends)


def test_an_ended_event_ends_the_conversation() -> None:
    """It carries no turn."""
    end = fragments({"conversation_id": "conv-1", "reason": "closed"}, f"{TYPE}.ended.v1")[0]
    assert ("ended", 1) == (joined(turn_event(TURN), end).state, len(joined(turn_event(TURN), end).turns))
    assert [] == fragments({}, f"{TYPE}.ended.v1")


def test_completeness_of_the_conversation_holds_for_turns_that_have_none() -> None:
    """A turn's own counts."""
    own = {**TURN, "id": "t2", "index": 1, "completeness": {"results": "full"}}
    found = joined(*fragments({"id": "c", "turns": [TURN, own], "completeness": {"results": "absent"}}))
    assert ["absent", "full"] == [turn.completeness.results for turn in found.turns]


def test_fields_of_a_newer_writer_are_ignored() -> None:
    """Minor additions do no harm."""
    assert "t1" == joined(*fragments({"id": "c", "mood": 1, "turns": [{**TURN, "mood": 1}]})).turns[0].id


@pytest.mark.parametrize(
    ("data", "event_type", "cause", "words"),
    [
        ([TURN], "", "invalid", "JSON object"),
        ({"id": "c", "schema_version": 2, "turns": []}, "", "unsupported", "schema_version 2"),
        ({"conversation_id": "c"}, f"{TYPE}.turn.v2", "unsupported", "event version v2"),
        ({"turns": []}, "", "invalid", "id: "),
        ({"id": "c", "turns": [{"index": 0}]}, "", "invalid", r"turns\.0\.id"),
        ({"id": "c", "turns": [TURN, TURN]}, "", "invalid", "turn t1 stands twice"),
        ({"id": "c", "turns": [{**TURN, "answer": None}]}, "", "invalid", "t1 is complete and has no answer"),
        (
            {
                "id": "c",
                "turns": [{**TURN, "queries": [{"id": "q", "result": {"columns": ["n"], "rows": [[1, 2]]}}]}],
            },
            "",
            "invalid",
            "row 0 has 2 values for 1 columns",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(data: Any, event_type: str, cause: str, words: str) -> None:
    """The message names the field."""
    with pytest.raises(RecordError, match=words) as raised:
        fragments(data, event_type)
    assert cause == raised.value.cause
