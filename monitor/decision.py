"""
What becomes of a turn: evaluated, sampled out, filtered, abandoned or still pending.

The same turn gets the same decision on every replica and in every replay: it depends on its content, the rules and a
hash of its conversation's id.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from monitor.conversation import CONTEXT, Conversation, Turn, identified
from monitor.evaluate import evaluate
from monitor.outcome import Evaluation
from monitor.rules import Rule
from monitor.sampling import inclusion, keep, position
from monitor.store.batch import Decision


@dataclass(frozen=True, slots=True)
class Choice:
    """One rule about one turn: whether it matches, the stratum that decides, its rate, and whether the turn is kept."""

    rule: Rule
    matches: bool
    stratum: str = ""
    probability: float = 0.0
    position: float = 0.0
    kept: bool = False


class Seen:
    """
    The turns decided last, by conversation, turn and revision; at most *limit* of them.

    A history that is recorded again and again is looked at once. What is forgotten is decided again, with the same
    result.
    """

    def __init__(self, limit: int = 16_384) -> None:
        self._limit = limit
        self._known: OrderedDict[tuple[str, str, str], None] = OrderedDict()

    def __call__(self, conversation_id: str, turn_id: str, revision: str) -> bool:
        """Whether this revision was decided."""
        return (conversation_id, turn_id, revision) in self._known

    def add(self, conversation_id: str, item: Decided) -> None:
        """*item* was decided; a turn that is pending was not."""
        if item.decision == "pending":
            return
        self._known[conversation_id, item.turn.id, item.revision] = None
        if len(self._known) > self._limit:
            self._known.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Decided:
    """A turn with what was decided, and its evaluation when it was kept by at least one rule."""

    turn: Turn
    revision: str
    decision: Decision
    evaluation: Evaluation | None = None


def choices(turn: Turn, conversation: Conversation, rules: Sequence[Rule], source: str = "") -> list[Choice]:
    """What each rule says about looking at *turn*."""
    positions: dict[str, float] = {}
    out = []
    for rule in rules:
        if not rule.matches(conversation.scope, source):
            out.append(Choice(rule, matches=False))
            continue
        stratum, probability = inclusion(rule.sample, turn, conversation.scope)
        if rule.cohort not in positions:
            positions[rule.cohort] = position(conversation.id, rule.cohort)
        at = positions[rule.cohort]
        out.append(Choice(rule, True, stratum, probability, at, keep(at, probability)))
    return out


async def decide(
    conversation: Conversation,
    rules: Sequence[Rule],
    source: str = "",
    *,
    sampled: bool = True,
    final: bool = True,
    known: Callable[[str, str, str], bool] | None = None,
) -> list[Decided]:
    """
    Every turn of *conversation* decided, and evaluated where it is to be.

    *sampled* false: every matching rule looks, with probability 1. *final* false: more of the conversation may
    come, so that a turn without an end is pending, not abandoned. *known* says of (conversation, turn, revision)
    whether it was decided before: such turns are left out. The context of a turn is at most CONTEXT turns before it.
    """
    decided: list[Decided] = []
    revisions: list[str] = []
    for index, recorded in enumerate(conversation.turns):
        first = max(0, index - CONTEXT)
        turn, name = identified(recorded, revisions[first:])
        revisions.append(name)
        if known is not None and known(conversation.id, turn.id, name):
            continue
        if turn.state in ("in_progress", "paused"):
            decided.append(Decided(turn, name, "abandoned" if final else "pending"))
            continue
        context = conversation.model_copy(update={"turns": conversation.turns[first:index]})
        decided.append(await _closed(turn, context, name, rules, source, sampled=sampled))
        await asyncio.sleep(0)
    return decided


async def _closed(
    turn: Turn, context: Conversation, name: str, rules: Sequence[Rule], source: str, *, sampled: bool
) -> Decided:
    matching = [choice for choice in choices(turn, context, rules, source) if choice.matches]
    kept = [(choice.rule, choice.probability) for choice in matching if choice.kept]
    if not sampled:
        kept = [(choice.rule, 1.0) for choice in matching]
    if not matching:
        return Decided(turn, name, "filtered")
    if not kept:
        return Decided(turn, name, "sampled_out")
    return Decided(turn, name, "evaluated", await evaluate(turn, context, kept, name))
