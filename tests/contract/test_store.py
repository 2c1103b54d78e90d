"""What every state store promises, whatever database it is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from monitor.conversation import Scope
from monitor.formats import Fragment
from monitor.outcome import FigureVerdict, Judge, Outcome, result_id
from monitor.store import Commit, Quarantined, ReviewItem, Store, TurnRow, TurnText
from monitor.store.batch import Decision

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE = Scope(team="sales", environment="production", agent="flights", agent_version="7", semantic_model="flights@3")
HOSTILE = {
    "sql": "'; DROP TABLE live_scores; --",
    "nul": "a\x00b",
    "emoji": "✈️ 🧑‍✈️ — Zürich",
    "long": "x" * 10_240,
    "empty": "",
    "like": "%_\\",
    "newline": "a\nb\u2028c",
}
OpenStore = Callable[..., Store]


@pytest.fixture(params=["file", "memory"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Open a state of the parameter's kind. All calls of a test open the same one (in memory: only one is possible)."""
    url = "sqlite://" if request.param == "memory" else f"sqlite:///{tmp_path / 'state.db'}"
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(Store.open(url, **options))


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


def outcome(
    label: str = "pass", turn: str = "t1", *, rule: str = "grounded", revision: str = "r1", **more: Any
) -> Outcome:
    values: dict[str, Any] = {
        "conversation_id": "c1",
        "turn_id": turn,
        "revision": revision,
        "rule": rule,
        "rule_version": "v1",
        "check": rule,
        "explanation": "42 is in the second row",
        "scope": SCOPE,
        "evaluated_at": NOON,
        **more,
    }
    key = (values["conversation_id"], turn, revision, rule, values["rule_version"])
    return Outcome(label=label, **{"result_id": result_id(*key), **values})


def turn(turn_id: str = "t1", decision: Decision = "evaluated", **more: Any) -> TurnRow:
    values = {
        "conversation_id": "c1",
        "revision": "r1",
        "state": "complete",
        "scope": SCOPE,
        "revised_at": NOON,
        **more,
    }
    return TurnRow(turn_id=turn_id, decision=decision, **values)


def item(of: Outcome, **more: Any) -> ReviewItem:
    values = {"rule": of.rule, "severity": "major", "reason": "fail", "scope": of.scope, "day": NOON.date(), **more}
    return ReviewItem(of.result_id, **values)


def full_commit() -> Commit:
    """A batch with something of everything."""
    failed = outcome("fail", figures=(FigureVerdict(start=0, end=2, text="41", grounded=False, cause="invented"),))
    return Commit(
        source="file",
        checkpoint={"line": 3},
        records={"read": 3, "parsed": 1, "ignored": 1, "quarantined": 1},
        quarantined=[Quarantined("file", "a.jsonl:2", "not_json", "not JSON at byte 3", "mend it", 17, "ab" * 32)],
        fragments=[Fragment("g1", "k1", ("2026-03-01", "1"), {"text": "hello"}, ends=True)],
        turns=[turn(), turn("t2", "sampled_out")],
        outcomes=[failed, outcome("not_applicable", rule="refusal_explained")],
        texts=[TurnText("c1", "t1", "r1", "how many?", "41", [{"rows": [[42]]}])],
        review=[item(failed)],
        unknown_codes={("E_ODD", "unknown"): 2},
    )


def contents(store: Store) -> dict[str, Any]:
    """Everything that the state tells, without the times of writing."""
    status = store.status()
    return {
        "ledger": status.ledger,
        "outcomes": status.outcomes,
        "codes": status.unknown_codes,
        "quarantine": status.quarantine,
        "review": status.review_open,
        "rows": status.rows,
        "scores": sorted(store.scores(current=False), key=lambda each: each.result_id),
        "turns": store.evaluations("c1"),
        "checkpoint": store.checkpoint("file"),
        "fragments": {group: store.fragments("file", group) for group in store.groups("file")},
    }


def test_commit_is_read_back(store: Store) -> None:
    """Everything that a commit holds can be read again."""
    commit = full_commit()
    committed = store.commit(commit)
    assert ({each.result_id for each in commit.outcomes}, 2) == (committed.new_results, committed.new_turns)
    found = contents(store)
    assert {"line": 3} == found["checkpoint"]
    assert {"g1": commit.fragments} == found["fragments"]
    assert {"not_json": 1} == found["quarantine"]
    assert {"grounded": {"fail": 1}, "refusal_explained": {"not_applicable": 1}} == found["outcomes"]
    assert {"grounded": {"major": 1}} == found["review"]
    assert [("file", "E_ODD", "unknown", 2)] == [
        (code.source, code.code, code.kind, code.count) for code in found["codes"]
    ]
    first, second = found["turns"]
    assert (commit.turns, ["file", "file"]) == ([first.turn, second.turn], [first.source, second.source])
    assert commit.texts[0] == first.text
    assert commit.review == first.review
    assert second.outcomes == []


def test_outcome_is_read_back_whole(store: Store) -> None:
    """An outcome comes back as it was stored: judge, figures, identifiers, probability and all."""
    figure = FigureVerdict(start=3, end=7, text="12.5", grounded=True, source={"row": 2, "column": "share"})
    given = outcome(
        figures=(figure,),
        score=0.75,
        cause="recovered",
        error_type="TimeoutError",
        inclusion_probability=0.1,
        weight=10.0,
        judge=Judge(model="m-1", method="steps", tokens_in=100, tokens_out=9, cost=0.002),
        model="agent-model",
        trace_id="a" * 32,
        span_id="b" * 16,
        response_id="resp-1",
    )
    store.commit(Commit("file", turns=[turn()], outcomes=[given]))
    [stored] = store.evaluations(given.result_id)
    assert [given] == stored.outcomes
    assert frozenset({given.result_id}) == stored.current
    assert [given.model_copy(update={"explanation": "", "figures": ()})] == list(store.scores())


def test_committing_twice_is_committing_once(store: Store) -> None:
    """The same batch again, as after a crash before the source heard of it, changes nothing and is nothing new."""
    store.commit(full_commit())
    once = contents(store)
    again = store.commit(full_commit())
    assert (set(), 0, []) == (again.new_results, again.new_turns, again.decided)
    assert once == contents(store)


def test_failed_commit_leaves_nothing(store: Store) -> None:
    """When the last step of a commit fails, none of it is stored, and the same batch can be committed after."""

    class Failure(Exception): ...

    class Poisoned(list[ReviewItem]):
        def __iter__(self) -> Iterator[ReviewItem]:
            yield from super().__iter__()
            raise Failure

    good = full_commit()
    empty = contents(store)
    with pytest.raises(Failure):
        store.commit(replace(good, review=Poisoned(good.review)))
    assert empty == contents(store)
    assert 2 == len(store.commit(good).new_results)


def test_ledgers_add_up(store: Store) -> None:
    """Records read are parsed, ignored or quarantined; turns seen are evaluated, left out, or still to come."""
    store.commit(full_commit())
    store.commit(
        Commit("file", checkpoint={"line": 5}, records={"read": 2, "parsed": 2}, turns=[turn("t3", "pending")])
    )
    ledger = store.ledger()
    assert ledger.balanced
    found = ledger.sources["file"]
    assert {"read": 5, "parsed": 3, "ignored": 1, "quarantined": 1} == found.records
    assert {"seen": 3, "evaluated": 1, "sampled_out": 1, "filtered": 0, "abandoned": 0, "pending": 1} == found.turns


def test_lost_record_unbalances_the_ledger(store: Store) -> None:
    """A record that was read and is none of the three shows: the sum is not made from its parts."""
    store.commit(Commit("file", checkpoint={"line": 5}, records={"read": 5, "parsed": 3}))
    ledger = store.ledger()
    assert not ledger.balanced
    assert 2 == ledger.sources["file"].imbalance


def test_sources_have_their_own_ledgers(store: Store) -> None:
    """What one source gave does not count for another, even for the same turn."""
    store.commit(Commit("a", records={"read": 1, "parsed": 1}, turns=[turn()]))
    store.commit(Commit("b", records={"read": 2, "ignored": 2}, turns=[turn()]))
    sources = store.ledger().sources
    assert (1, 1) == (sources["a"].records["read"], sources["a"].turns["seen"])
    assert (2, 1) == (sources["b"].records["read"], sources["b"].turns["seen"])


def test_records_without_checkpoint_count_every_time(store: Store) -> None:
    """A source without a place to go on from delivers again, and what it delivers is read again."""
    for _ in range(2):
        store.commit(Commit("topic", records={"read": 1, "parsed": 1}, turns=[turn()]))
    found = store.ledger().sources["topic"]
    assert (2, 1) == (found.records["read"], found.turns["seen"])


def test_codes_found_without_records_count(store: Store) -> None:
    """Turns that close while nothing is read have their codes counted, though the checkpoint has not moved."""
    commit = Commit("file", checkpoint={"line": 1}, records={"read": 1, "parsed": 1})
    store.commit(commit)
    store.commit(replace(commit, records={}, unknown_codes={("E_ODD", "unknown"): 3}))
    assert [3] == [code.count for code in store.status().unknown_codes]


def test_unknown_codes_are_bounded(store: Store) -> None:
    """Codes are cut to 200 characters, and beyond a thousand of a source they count together."""
    store.commit(Commit("file", unknown_codes={(f"E{number:04}" * 100, "unknown"): 1 for number in range(1_500)}))
    store.commit(Commit("file", unknown_codes={("late", "unknown"): 7}))
    codes = {code.code: code.count for code in store.status().unknown_codes}
    assert (1_001, 507, 200) == (len(codes), codes["(other)"], max(map(len, codes)))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"revised_at": NOON}, {"revised_at": NOON + timedelta(microseconds=1)}),
        ({"revised_at": None}, {"revised_at": NOON}),
        ({"revised_at": NOON, "fragments": 9}, {"revised_at": NOON, "fragments": 10}),
        ({"revised_at": None, "fragments": 1}, {"revised_at": None, "fragments": 2}),
        ({}, {}),
    ],
    ids=["time", "unknown time", "fragments", "fragments without time", "hash"],
)
def test_current_score_is_of_the_current_revision(
    store: Store, older: dict[str, Any], newer: dict[str, Any], order: tuple[int, int]
) -> None:
    """The newest source time wins, then the most fragments, then the hash, in whatever order the revisions arrive."""
    revisions = [("ra", older, "fail"), ("rb", newer, "pass")]
    for name, about, label in (revisions[place] for place in order):
        store.commit(Commit("file", turns=[turn(revision=name, **about)], outcomes=[outcome(label, revision=name)]))
    assert ["rb"] == [each.revision for each in store.scores()]
    assert {"ra", "rb"} == {each.revision for each in store.scores(current=False)}
    [stored] = store.evaluations("c1")
    assert "rb" == stored.turn.revision
    assert {"grounded": {"pass": 1}} == store.status().outcomes


def test_current_score_is_of_the_newest_rule_version(store: Store) -> None:
    """A rule that changed and looked again replaces its own earlier answer, and no other rule's."""
    later = NOON + timedelta(days=1)
    versions = [outcome("fail", rule_version="v1"), outcome("pass", rule_version="v2", evaluated_at=later)]
    other = outcome("fail", rule="refusal_explained")
    store.commit(Commit("file", turns=[turn()], outcomes=[*reversed(versions), other]))
    assert {versions[1].result_id, other.result_id} == {each.result_id for each in store.scores()}


def test_late_older_revision_changes_no_turn(store: Store) -> None:
    """A redelivered older revision does not replace the newer one, nor count as another revision."""
    old, new = turn(revision="ra"), turn(revision="rb", revised_at=NOON + timedelta(hours=1))
    for each in (old, new, old, new):
        store.commit(Commit("file", turns=[each]))
    [stored] = store.evaluations("c1")
    assert (new, 2) == (stored.turn, stored.revisions)
    assert (1, 1) == (store.ledger().sources["file"].turns["seen"], store.ledger().sources["file"].revised)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("pending", "evaluated", "evaluated"),
        ("pending", "abandoned", "abandoned"),
        ("evaluated", "pending", "evaluated"),
        ("evaluated", "sampled_out", "evaluated"),
        ("sampled_out", "evaluated", "evaluated"),
    ],
)
def test_decision_about_a_revision(store: Store, first: Decision, second: Decision, expected: Decision) -> None:
    """A turn that waits gets its decision; one that was evaluated stays so."""
    for decision in (first, second):
        store.commit(Commit("file", turns=[turn(decision=decision)]))
    assert [expected] == [stored.turn.decision for stored in store.evaluations("c1")]
    assert store.ledger().balanced


def test_turn_is_decided_once(store: Store) -> None:
    """A turn is told of as decided by the commit that first decides it, not while it waits and never again."""
    waiting, done = turn(decision="pending"), turn(decision="evaluated")
    told = [store.commit(Commit("file", turns=turns)).decided for turns in ([waiting], [waiting, done], [done])]
    assert [[], [done], []] == told


def test_unknown_decision_is_refused(store: Store) -> None:
    """A decision or count that no ledger has is a defect of the caller, and stores nothing."""
    with pytest.raises(ValueError, match="maybe"):
        store.commit(Commit("file", turns=[turn(decision="maybe")]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lost"):
        store.commit(Commit("file", records={"lost": 1}, turns=[turn()]))
    assert {} == store.ledger().sources


def test_same_result_in_another_batch_is_not_new(store: Store) -> None:
    """Of a batch that holds old and new results, and one of them twice, only the new ids are told, each once."""
    old, new = outcome(turn="t1"), outcome(turn="t2")
    store.commit(Commit("file", outcomes=[old]))
    assert {new.result_id} == store.commit(Commit("file", outcomes=[old, new, new])).new_results
    assert 2 == len(list(store.scores(current=False)))


def test_large_batch_is_stored_whole(store: Store) -> None:
    """More rows than one query can name are stored, known again, joined and forgotten."""
    names = [f"t{number}" for number in range(1_203)]
    commit = Commit(
        "file",
        turns=[turn(name) for name in names],
        outcomes=[outcome(turn=name) for name in names],
        fragments=[Fragment(name, "k", ("", ""), {}) for name in names],
    )
    committed = store.commit(commit)
    assert (1_203, 1_203) == (len(committed.new_results), committed.new_turns)
    assert sorted(names) == list(store.groups("file"))
    again = store.commit(commit)
    assert (0, 0) == (len(again.new_results), again.new_turns)
    store.commit(Commit("file", joined=names))
    assert [] == list(store.groups("file"))
    assert sorted(names) == list(store.groups("file", dirty=False))
    store.commit(Commit("file", forgotten=names))
    assert 0 == store.status().rows["fragments"]


def test_fragments_come_in_their_order_each_once(store: Store) -> None:
    """Fragments are sorted by time, tie and key, whatever order they arrived in; a repeat is dropped."""
    early = Fragment("g", "b", ("2026-01-01T00:00:00", "1"), {"n": 1})
    tie = Fragment("g", "a", ("2026-01-01T00:00:00", "2"), {"n": 2})
    late = Fragment("g", "c", ("2026-01-02T00:00:00", ""), {"n": 3}, ends=True)
    other = Fragment("h", "b", ("2025-01-01T00:00:00", ""), {"n": 4})
    store.commit(Commit("file", fragments=[late, tie, other]))
    store.commit(Commit("file", fragments=[early, tie, early]))
    assert [early, tie, late] == store.fragments("file", "g")
    assert [] == store.fragments("elsewhere", "g")


def test_fragment_survives_being_stored(store: Store) -> None:
    """A fragment's event comes back as it went in: exact decimals, large and small numbers, unusual keys, any text."""
    event = {
        "decimal": Decimal("12.50"),
        "rows": [[Decimal("0.1"), 0.1, 10**15, None, True, "12.50"]],
        "$decimal": "not one",
        "nested": {"$decimal": "neither"},
        "": "empty key",
        "text": "a\x00b 🧑‍✈️",
    }
    store.commit(Commit("file", fragments=[Fragment("g", "k", ("", ""), event)]))
    [stored] = store.fragments("file", "g")
    assert event == stored.event
    assert [Decimal, float, int] == [type(value) for value in stored.event["rows"][0][:3]]


def test_group_is_dirty_until_joined(store: Store) -> None:
    """A group waits to be joined after a new fragment, not after a repeated one."""
    first, second = Fragment("g", "k1", ("1", ""), {}), Fragment("g", "k2", ("2", ""), {})
    waiting = []
    for commit in (
        Commit("file", fragments=[first]),
        Commit("file", joined=["g"]),
        Commit("file", fragments=[first]),
        Commit("file", fragments=[first, second]),
        Commit("file", fragments=[first], joined=["g"]),
    ):
        store.commit(commit)
        waiting.append(list(store.groups("file")))
    assert [["g"], [], [], ["g"], []] == waiting
    assert ["g"] == list(store.groups("file", dirty=False))


def test_group_may_be_joined_with_fragments_of_the_same_batch(store: Store) -> None:
    """A batch that brings a fragment and says that its group was joined leaves nothing to join."""
    store.commit(Commit("file", fragments=[Fragment("g", "k", ("", ""), {})], joined=["g"]))
    assert [] == list(store.groups("file"))


def test_groups_that_are_due(store: Store) -> None:
    """A group is due when its turn's end came before one time, or anything last came before another."""
    store.commit(Commit("file", fragments=[Fragment("open", "k", ("", ""), {})]))
    store.commit(Commit("file", fragments=[Fragment("ended", "k", ("", ""), {}, ends=True)]))
    past, future = datetime.now(UTC) - timedelta(hours=1), datetime.now(UTC) + timedelta(hours=1)
    due = [
        list(store.groups("file", ended_before=ended, quiet_before=quiet))
        for ended, quiet in ((future, past), (past, future), (past, past), (future, None), (None, None))
    ]
    assert [["ended"], ["ended", "open"], [], ["ended"], ["ended", "open"]] == due


def test_joined_turn_end_is_over(store: Store) -> None:
    """After a group was joined, a further fragment without an end does not make it due as ended."""
    store.commit(Commit("file", fragments=[Fragment("g", "k1", ("", ""), {}, ends=True)], joined=["g"]))
    store.commit(Commit("file", fragments=[Fragment("g", "k2", ("", ""), {})]))
    assert [] == list(store.groups("file", ended_before=datetime.now(UTC) + timedelta(hours=1)))


def test_turn_end_is_remembered(store: Store) -> None:
    """A fragment that comes after the turn's end, before the group is joined, does not make the end unknown."""
    for key, ends in (("k1", True), ("k2", False)):
        store.commit(Commit("file", fragments=[Fragment("g", key, ("", ""), {}, ends=ends)]))
    assert ["g"] == list(store.groups("file", ended_before=datetime.now(UTC) + timedelta(hours=1)))


def test_groups_may_be_written_while_read(store: Store) -> None:
    """Joining group by group while walking through them visits each once."""
    names = [f"g{number:04}" for number in range(1_100)]
    store.commit(Commit("file", fragments=[Fragment(name, "k", ("", ""), {}) for name in names]))
    visited = []
    for group in store.groups("file"):
        visited.append(group)
        if len(visited) % 100 == 0:
            store.commit(Commit("file", joined=visited[-100:]))
    assert names == visited


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_ids_are_only_text(store: Store, text: str) -> None:
    """Whatever a record calls its conversation, turn, group or source, it is stored and found by exactly that."""
    given = outcome("fail", turn=text, conversation_id=text, scope=Scope(team=text), explanation=text)
    commit = Commit(
        source=text,
        checkpoint={"at": text},
        records={"read": 1, "parsed": 1},
        quarantined=[Quarantined(text, text, text, text, text, 1, "0" * 64)],
        fragments=[Fragment(text, text, (text, text), {text: text})],
        turns=[turn(text, conversation_id=text)],
        outcomes=[given],
        texts=[TurnText(text, text, "r1", text, text, {text: text})],
        review=[item(given, severity=text)],
        unknown_codes={(text, text): 1},
    )
    store.commit(commit)
    store.commit(commit)
    [stored] = store.evaluations(text)
    assert (given, text, text) == (stored.outcomes[0], stored.turn.conversation_id, stored.source)
    assert commit.texts[0] == stored.text
    assert {"at": text} == store.checkpoint(text)
    assert [text] == list(store.groups(text))
    assert commit.fragments == store.fragments(text, text)
    assert {text} == set(store.ledger().sources)
    assert 1 == store.status().rows["live_scores"]


def test_lone_surrogate_stops_nothing(store: Store) -> None:
    """Text that no encoding has is stored with a question mark in its place, and the batch with it."""
    bad = "a\ud83db"
    given = outcome(conversation_id=bad, explanation=bad)
    store.commit(
        Commit(
            "file",
            turns=[turn(conversation_id=bad)],
            outcomes=[given],
            fragments=[Fragment("g", bad, ("", ""), {bad: [bad]})],
        )
    )
    [stored] = store.evaluations(bad)
    assert ("a?b", "a?b") == (stored.turn.conversation_id, stored.outcomes[0].explanation)
    assert {"a?b": ["a?b"]} == store.fragments("file", "g")[0].event


def test_only_applicable_outcomes_have_text(store: Store) -> None:
    """An outcome that says nothing applied keeps its score row and costs no text."""
    store.commit(full_commit())
    assert (2, 1) == (store.status().rows["live_scores"], store.status().rows["outcome_texts"])


def test_prune_removes_texts_and_leaves_scores(store: Store) -> None:
    """Text goes, scores, turns, review items and both ledgers stay."""
    store.commit(full_commit())
    before = contents(store)
    pruned = store.prune(texts_before=datetime.now(UTC) + timedelta(seconds=1))
    assert (1, 1, 0, 0) == (pruned.turn_texts, pruned.outcome_texts, pruned.quarantine, pruned.groups)
    after = contents(store)
    for kept in ("ledger", "outcomes", "review", "scores", "checkpoint", "quarantine", "fragments"):
        assert before[kept] == after[kept]
    assert (None, "") == (after["turns"][0].text, after["turns"][0].outcomes[0].explanation)


def test_replay_brings_no_pruned_explanation_back(store: Store) -> None:
    """When results that are stored already come again after their text has expired, the text stays away."""
    store.commit(full_commit())
    store.prune(texts_before=datetime.now(UTC) + timedelta(seconds=1))
    store.commit(full_commit())
    assert 0 == store.status().rows["outcome_texts"]


def test_prune_keeps_what_is_newer(store: Store) -> None:
    """Nothing that came after the times given is touched, and without a time nothing is."""
    store.commit(full_commit())
    before = contents(store)
    long_ago = datetime.now(UTC) - timedelta(days=1)
    store.prune(texts_before=long_ago, quarantine_before=long_ago, groups_before=long_ago)
    store.prune()
    assert before == contents(store)


def test_prune_removes_quarantine_and_joined_groups(store: Store) -> None:
    """Old quarantine entries and groups go; a group that still waits stays; the ledger remembers the records."""
    store.commit(full_commit())
    store.commit(Commit("file", fragments=[Fragment(f"done{number}", "k", ("", ""), {}) for number in range(250)]))
    store.commit(Commit("file", joined=[f"done{number}" for number in range(250)]))
    soon = datetime.now(UTC) + timedelta(seconds=1)
    pruned = store.prune(quarantine_before=soon, groups_before=soon)
    assert (1, 250) == (pruned.quarantine, pruned.groups)
    assert (["g1"], []) == (list(store.groups("file")), list(store.groups("file", dirty=False)))
    assert {} == store.status().quarantine
    assert 1 == store.ledger().sources["file"].records["quarantined"]


def test_prune_removes_more_than_one_portion(store: Store) -> None:
    """However much is old goes in one call."""
    store.commit(Commit("file", outcomes=[outcome(turn=f"t{number}") for number in range(2_100)]))
    assert 2_100 == store.prune(texts_before=datetime.now(UTC) + timedelta(seconds=1)).outcome_texts
    assert 0 == store.status().rows["outcome_texts"]


def test_observations_are_the_decided_current_outcomes(store: Store) -> None:
    """A rate is of pass and fail only, of current results only, of one rule, since a time."""
    labels = ["pass", "fail", "not_applicable", "not_evaluable", "error"]
    given = [outcome(label, turn=f"t{place}", weight=2.0) for place, label in enumerate(labels)]
    superseded = outcome("fail", turn="t0", revision="r0", evaluated_at=NOON - timedelta(hours=1))
    old = outcome("fail", turn="t9", evaluated_at=NOON - timedelta(days=2))
    store.commit(Commit("file", outcomes=[*given, superseded, old, outcome("fail", rule="refusal_explained")]))
    assert [("c1", False, 2.0), ("c1", True, 2.0)] == sorted(store.observations("grounded", NOON - timedelta(days=1)))
    assert 3 == len(list(store.observations("grounded")))


def test_filed_tells_what_counts_for_a_cap(store: Store) -> None:
    """Of a day it gives the failed outcomes filed, by rule; not the control share, not other days."""
    failed, passed = outcome("fail"), outcome("pass", turn="t2")
    yesterday = outcome("fail", turn="t3")
    store.commit(
        Commit(
            "file",
            outcomes=[failed, passed, yesterday],
            review=[
                item(failed, probability=0.5),
                item(passed, reason="control"),
                item(yesterday, day=date(2026, 2, 28)),
            ],
        )
    )
    assert {"grounded": {failed.result_id: 0.5}} == store.filed(NOON.date())


def test_evaluations_are_found_by_any_id(store: Store) -> None:
    """A conversation, a turn, a result each lead to the turns that they are about, and nothing leads nowhere."""
    store.commit(full_commit())
    result = full_commit().outcomes[0].result_id
    found = [
        [stored.turn.turn_id for stored in store.evaluations(*asked)]
        for asked in (("c1",), ("t2",), (result,), ("c1", "t2"), ("nothing",))
    ]
    assert [["t1", "t2"], ["t2"], ["t1"], ["t2"], []] == found


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["t10", "t9", "t2"], ["t2", "t9", "t10"]),
        (["b7", "a3", "c1"], ["b7", "a3", "c1"]),
        (["x", "t2", "t1"], ["x", "t2", "t1"]),
    ],
)
def test_turns_come_in_the_conversations_order(store: Store, ids: list[str], expected: list[str]) -> None:
    """Numbered turns come by number, others as they were closed, and one that is not over is the last."""
    rows = [turn(name, revised_at=None, closed_at=NOON + timedelta(seconds=number)) for number, name in enumerate(ids)]
    pending = [turn(conversation_id="c2", revised_at=None), turn("a", "pending", conversation_id="c2", revised_at=None)]
    pending[0] = replace(pending[0], turn_id="b", closed_at=NOON)
    store.commit(Commit("file", turns=[*rows, *pending]))
    assert expected == [stored.turn.turn_id for stored in store.evaluations("c1")]
    assert ["b", "a"] == [stored.turn.turn_id for stored in store.evaluations("c2")]


def test_latest_lists_what_fails_now(store: Store) -> None:
    """The newest first, with explanation and why it was filed; what a newer revision made right is not among them."""
    old, new = outcome("fail", "t1"), outcome("fail", "t2", evaluated_at=NOON + timedelta(hours=1))
    other = outcome("fail", "t1", rule="refusal_explained", evaluated_at=NOON + timedelta(minutes=1))
    store.commit(Commit("file", turns=[turn(), turn("t2")], outcomes=[old, new, other], review=[item(new)]))
    for name, label, hour in (("ra", "fail", 1), ("rb", "pass", 2)):
        about: dict[str, Any] = {"revision": name, "revised_at": NOON + timedelta(hours=hour)}
        store.commit(Commit("file", turns=[turn("t3", **about)], outcomes=[outcome(label, "t3", revision=name)]))
    found = store.latest()
    assert [new, other, old] == [listed.outcome for listed in found]
    assert ["fail", None, None] == [listed.review for listed in found]
    assert [new] == [listed.outcome for listed in store.latest(rule="grounded", limit=1)]
    assert ["t3"] == [listed.outcome.turn_id for listed in store.latest("pass")]


def test_quarantined_lists_the_newest_first(store: Store) -> None:
    """What could not be read, with the time, as it was committed."""
    bad = [Quarantined("file", f"a.jsonl:{n}", "not_json", "not JSON", "mend it", 17, f"{n:064}") for n in range(3)]
    for each in bad:
        store.commit(Commit("file", quarantined=[each]))
    found = store.quarantined(2)
    assert [bad[2], bad[1]] == [each for _, each in found]
    assert all(seen.tzinfo is not None for seen, _ in found)


def test_not_evaluable_causes_are_counted(store: Store) -> None:
    """The status tells why outcomes could not be decided."""
    store.commit(
        Commit(
            "file",
            outcomes=[
                outcome("not_evaluable", turn=f"t{place}", cause=cause)
                for place, cause in enumerate(["truncated", "truncated", "redacted"])
            ],
        )
    )
    assert {"grounded": {"not_evaluable": {"truncated": 2, "redacted": 1}}} == store.status().causes


def test_snapshot_gives_whole_tables(store: Store) -> None:
    """Tables are read in portions of at most the size asked for, in the order of their columns."""
    store.commit(Commit("file", outcomes=[outcome(turn=f"t{number}") for number in range(5)]))
    with store.snapshot() as snapshot:
        batches = list(snapshot.batches("live_scores", 2))
        assert [2, 2, 1] == [len(batch) for batch in batches]
        assert [] == list(snapshot.batches("turns"))
    assert {outcome(turn=f"t{number}").result_id for number in range(5)} == {
        row[0] for batch in batches for row in batch
    }
