"""What becomes of a turn."""

from __future__ import annotations

import asyncio

from monitor.conversation import Conversation, Turn
from monitor.decision import Decided, Seen, choices, decide
from monitor.rules import Rule
from monitor.sampling import position
from monitor.testing import conversation, query, refused, turn


def rule(name: str = "figures", **more: object) -> Rule:
    return Rule.model_validate({"name": name, "check": "grounded", **more})


def decided(subject: Conversation, *rules: Rule, sampled: bool = True, final: bool = True) -> list[Decided]:
    return asyncio.run(decide(subject, rules, sampled=sampled, final=final))


def test_each_decision() -> None:
    """A turn is evaluated when a rule keeps it, sampled out when all that match drop it, filtered when none matches."""
    subject = conversation(turn("5"), team="ops")
    assert "evaluated" == decided(subject, rule())[0].decision
    assert "sampled_out" == decided(subject, rule(sample={"rate": 0}))[0].decision
    assert "filtered" == decided(subject, rule(match={"team": "sales"}))[0].decision
    assert "filtered" == decided(subject, rule(enabled=False))[0].decision
    assert "evaluated" == decided(subject, rule(match={"team": "sales"}), rule("other"))[0].decision


def test_an_open_turn_waits_or_is_abandoned() -> None:
    """A turn without an end is pending while more may come, and abandoned after that."""
    subject = conversation(turn(None, state="in_progress"))
    assert "pending" == decided(subject, rule(), final=False)[0].decision
    assert "abandoned" == decided(subject, rule())[0].decision


def test_without_sampling_every_matching_rule_looks() -> None:
    """Ignoring sampling, a rule of rate 0 looks too, with probability 1."""
    item = decided(conversation(turn("5")), rule(sample={"rate": 0}), sampled=False)[0]
    assert item.evaluation is not None
    assert [1.0] == [outcome.inclusion_probability for outcome in item.evaluation.outcomes]


def test_outcomes_carry_their_probability() -> None:
    """A stratum's rate is the inclusion probability of its turns, and its inverse their weight."""
    sample = {"rate": 0.001, "strata": [{"when": "refusal", "rate": 1}]}
    item = decided(conversation(turn("I cannot.", refused())), rule(sample=sample))[0]
    assert item.evaluation is not None
    assert [(1.0, 1.0)] == [(o.inclusion_probability, o.weight) for o in item.evaluation.outcomes]
    wide = decided(conversation(turn("5")), rule(sample={"rate": 0.9999}))[0]
    assert wide.evaluation is not None
    assert 1 / 0.9999 == wide.evaluation.outcomes[0].weight


def test_kept_by_position() -> None:
    """A conversation is kept when its position is below the rate; a cohort draws anew."""
    subject = conversation(turn("5"), id="conv-7")
    at = position("conv-7")
    assert choices(subject.turns[0], subject, [rule(sample={"rate": min(1, at + 1e-9)})])[0].kept
    assert not choices(subject.turns[0], subject, [rule(sample={"rate": at})])[0].kept
    assert at != choices(subject.turns[0], subject, [rule(cohort="second")])[0].position


def test_context_is_the_earlier_turns() -> None:
    """A figure that an earlier turn's result gave is grounded; one that only a later turn gives is not."""
    first = turn("AA had 1,234.", query(["carrier", "flights"], [["AA", 1234]]))
    again = turn("AA had 1,234, as said.", id="t2", index=1)
    labels = [o.label for item in decided(conversation(first, again), rule()) for o in item.evaluation.outcomes]  # type: ignore[union-attr]
    assert ["pass", "pass"] == labels
    early = turn("AA had 1,234.", id="t0")
    late = first.model_copy(update={"id": "t1", "index": 1})
    labels = [o.label for item in decided(conversation(early, late), rule()) for o in item.evaluation.outcomes]  # type: ignore[union-attr]
    assert ["fail", "pass"] == labels


def test_revision_follows_content_and_context() -> None:
    """The same recording gives the same ids; a change in an earlier turn gives later turns new ones."""

    def ids(*turns: Turn) -> list[str]:
        return [item.revision for item in decided(conversation(*turns), rule())]

    first, second = turn("1"), turn("2", id="t2", index=1)
    assert ids(first, second) == ids(first, second)
    changed = ids(turn("1!"), second)
    assert [True, True] == [a != b for a, b in zip(ids(first, second), changed, strict=True)]


def test_threshold_decides_over_the_score() -> None:
    """With a threshold, the lowest score that passes is the rule's, not the check's."""
    subject = conversation(
        turn("AA had 1,234; DL had 999.", query(["carrier", "flights"], [["AA", 1234], ["DL", 1001]]))
    )
    for threshold, label in ((0.5, "pass"), (0.51, "fail"), (None, "fail")):
        item = decided(subject, rule(threshold=threshold))[0]
        assert item.evaluation is not None
        assert (label, 0.5) == (item.evaluation.outcomes[0].label, item.evaluation.outcomes[0].score)


def test_a_long_conversation_is_judged_with_its_last_turns() -> None:
    """What only a turn long ago showed can neither be confirmed nor called invented; work does not grow with the square."""
    first = turn("AA had 1,234.", query(["carrier", "flights"], [["AA", 1234]]), id="t0")
    middle = [turn("Fine.", id=f"t{n}", index=n) for n in range(1, 60)]
    near, far = turn("AA had 1,234.", id="near", index=10), turn("AA had 1,234.", id="far", index=61)
    items = decided(conversation(first, *middle[:9], near, *middle[10:], far), rule())
    labels = {item.turn.id: (o.label, o.cause) for item in items for o in item.evaluation.outcomes}  # type: ignore[union-attr]
    assert (("pass", None), ("not_evaluable", "too_long")) == (labels["near"], labels["far"])


def test_a_turn_that_was_decided_is_left_out() -> None:
    """A history recorded again is decided once; a change in it is decided."""
    seen = Seen()
    subject = conversation(turn("5"), turn("6", id="t2", index=1))

    def again(given: Conversation) -> list[str]:
        items = asyncio.run(decide(given, [rule()], known=seen))
        for item in items:
            seen.add(given.id, item)
        return [item.turn.id for item in items]

    assert [["t1", "t2"], []] == [again(subject), again(subject)]
    assert ["t2"] == again(conversation(turn("5"), turn("7", id="t2", index=1)))
