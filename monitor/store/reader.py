"""
Read what is stored: a source's place, fragments to join, scores, and everything about one turn.

Every function takes a connection in a transaction, so that several answers may be of one moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, or_, select

from monitor.conversation import Json, Scope
from monitor.formats import Fragment
from monitor.outcome import Judge, Outcome
from monitor.store.batch import Quarantined, Reason, ReviewItem, TurnRow, TurnText
from monitor.store.encoding import load, load_exact
from monitor.store.schema import (
    READABLE,
    SCOPE,
    checkpoints,
    current_scores,
    fragments,
    groups,
    live_scores,
    outcome_texts,
    quarantine,
    review_items,
    turn_texts,
    turns,
)

PAGE = 1000
_NUMBERED = re.compile(r"(?P<prefix>[^0-9]{0,20})(?P<number>[0-9]{1,9})")
TURNS_SHOWN = 1000
"""The most turns of one conversation that :func:`evaluations` gives."""


class Observation(NamedTuple):
    """One decided outcome, as a rate counts it; *weight* is 1 / inclusion probability."""

    conversation_id: str
    failed: bool
    weight: float


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """
    Everything stored about one turn from one source.

    *outcomes* are of all revisions and rule versions, newest first, with explanation and figures unless these have
    expired; *current* the result ids that count. *text* is None when it was never stored or has expired.
    """

    source: str
    turn: TurnRow
    revisions: int
    outcomes: list[Outcome]
    current: frozenset[str]
    text: TurnText | None
    review: list[ReviewItem]


class Listed(NamedTuple):
    """An outcome with its text, where that is still kept, and why it was filed for review; None: it was not."""

    outcome: Outcome
    review: Reason | None


class GroupsWanted(NamedTuple):
    """Which groups to name, as :meth:`Store.groups` says."""

    dirty: bool
    ended_before: datetime | None
    quiet_before: datetime | None


class Snapshot:
    """Whole tables as of one moment, read in order of their storage without holding them in memory."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def batches(self, table: str, size: int = 10_000) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of *table*, one of ``schema.READABLE``, at most *size* at a time, in the order of its columns."""
        streamed = self._connection.execution_options(yield_per=size)
        for partition in streamed.execute(select(READABLE[table])).partitions():
            yield [tuple(row) for row in partition]


def checkpoint(connection: Connection, source: str) -> Json | None:
    """Where *source* goes on; None when it never got anywhere."""
    position = connection.execute(select(checkpoints.c.position).where(checkpoints.c.source == source)).scalar()
    return None if position is None else load(position)


def group_page(connection: Connection, source: str, wanted: GroupsWanted, after: str | None) -> list[str]:
    """The next names of *source*'s groups behind *after*, at most PAGE of them."""
    query = select(groups.c.grp).where(groups.c.source == source, groups.c.dirty == wanted.dirty)
    due = []
    if wanted.ended_before is not None:
        due.append(and_(groups.c.ended, groups.c.last_at < wanted.ended_before))
    if wanted.quiet_before is not None:
        due.append(groups.c.last_at < wanted.quiet_before)
    if due:
        query = query.where(or_(*due))
    if after is not None:
        query = query.where(groups.c.grp > after)
    return list(connection.execute(query.order_by(groups.c.grp).limit(PAGE)).scalars())


def related(connection: Connection, source: str, group: str) -> list[str]:
    """*group* and the other groups of its conversation, where groups are parts of one."""
    mine = select(groups.c.conversation).where(groups.c.source == source, groups.c.grp == group)
    conversation = connection.execute(mine).scalar()
    if conversation is None:
        return [group]
    query = select(groups.c.grp).where(groups.c.conversation == conversation, groups.c.source == source)
    return sorted({group, *connection.execute(query).scalars()})


def group_fragments(connection: Connection, source: str, group: str) -> list[Fragment]:
    """The fragments of one group in their order."""
    query = select(fragments).where(fragments.c.source == source, fragments.c.grp == group)
    found = [
        Fragment(row.grp, row.key, (row.order_time, row.order_tie), load_exact(row.event), row.ends)
        for row in connection.execute(query)
    ]
    return sorted(found, key=lambda fragment: (fragment.order, fragment.key))


def observations(connection: Connection, rule: str, since: datetime | None) -> Iterator[Observation]:
    """The decided outcomes of *rule* that count, evaluated at or after *since*."""
    score = current_scores.c
    query = select(score.conversation_id, score.label, score.weight).where(
        score.rule == rule, score.label.in_(("pass", "fail"))
    )
    if since is not None:
        query = query.where(score.evaluated_at >= since)
    for conversation_id, label, weight in connection.execution_options(yield_per=PAGE).execute(query):
        yield Observation(conversation_id, label == "fail", weight)


def scores(connection: Connection, *, current: bool) -> Iterator[Outcome]:
    """Stored outcomes without their text: those that count, or all."""
    query = select(current_scores if current else live_scores)
    for row in connection.execution_options(yield_per=PAGE).execute(query):
        yield _outcome(row, "", "[]")


def latest(connection: Connection, label: str, rule: str | None, limit: int) -> list[Listed]:
    """The newest *limit* outcomes that count and have this *label*, of one *rule* or of all."""
    score, texts = current_scores.c, outcome_texts.c
    query = (
        select(current_scores, texts.explanation, texts.figures, review_items.c.reason)
        .outerjoin(outcome_texts, texts.result_id == score.result_id)
        .outerjoin(review_items, review_items.c.result_id == score.result_id)
        .where(score.label == label)
        .order_by(score.evaluated_at.desc(), score.conversation_id, score.turn_id, score.rule)
        .limit(limit)
    )
    if rule is not None:
        query = query.where(score.rule == rule)
    rows = connection.execute(query).all()
    return [Listed(_outcome(row, row.explanation or "", row.figures or "[]"), row.reason) for row in rows]


def quarantined(connection: Connection, limit: int) -> list[tuple[datetime, Quarantined]]:
    """The newest *limit* records that could not be read, with the time when each was met."""
    query = select(quarantine).order_by(quarantine.c.seen_at.desc(), quarantine.c.id.desc()).limit(limit)
    return [
        (row.seen_at, Quarantined(row.source, row.position, row.cause, row.message, row.hint, row.size, row.sha256))
        for row in connection.execute(query)
    ]


def filed(connection: Connection, day: date) -> dict[str, dict[str, float]]:
    """The fails filed for review on *day*: by rule and result id the probability with which each was filed."""
    item = review_items.c
    query = select(item.rule, item.result_id, item.probability).where(item.day == day, item.reason == "fail")
    found: dict[str, dict[str, float]] = {}
    for rule, result_id, probability in connection.execute(query):
        found.setdefault(rule, {})[result_id] = probability
    return found


def evaluations(connection: Connection, identifier: str, turn_id: str | None) -> list[StoredTurn]:
    """Turns whose conversation, turn or result is called *identifier*, narrowed to *turn_id*, in the conversation's order."""
    result = select(live_scores.c.conversation_id, live_scores.c.turn_id).where(live_scores.c.result_id == identifier)
    of_result = connection.execute(result).first()
    if of_result is not None:
        wanted: Any = and_(turns.c.conversation_id == of_result[0], turns.c.turn_id == of_result[1])
    else:
        wanted = or_(turns.c.conversation_id == identifier, turns.c.turn_id == identifier)
    if turn_id is not None:
        wanted = and_(wanted, turns.c.turn_id == turn_id)
    order = (turns.c.conversation_id, turns.c.revised_at.nulls_last(), turns.c.closed_at.nulls_last(), turns.c.turn_id)
    query = select(turns).where(wanted).order_by(*order, turns.c.source).limit(TURNS_SHOWN)
    return [_stored_turn(connection, row) for row in _numbered(connection.execute(query).all())]


def _numbered(rows: Sequence[Row[Any]]) -> list[Row[Any]]:
    """
    *rows* in the order that ids such as ``t1`` … ``t10`` tell, where all ids of a conversation are like that.

    Times say less: a record may have one for the whole conversation, or none.
    """
    numbers: dict[str, list[re.Match[str] | None]] = {}
    for row in rows:
        numbers.setdefault(row.conversation_id, []).append(_NUMBERED.fullmatch(row.turn_id))
    alike = {
        conversation
        for conversation, found in numbers.items()
        if all(found) and len({number["prefix"] for number in found if number}) == 1
    }

    def place(row: Row[Any]) -> tuple[str, int]:
        number = _NUMBERED.fullmatch(row.turn_id) if row.conversation_id in alike else None
        return row.conversation_id, int(number["number"]) if number else 0

    return sorted(rows, key=place)


def _stored_turn(connection: Connection, row: Row[Any]) -> StoredTurn:
    texts = outcome_texts.c
    all_scores = (
        select(live_scores, texts.explanation, texts.figures)
        .outerjoin(outcome_texts, texts.result_id == live_scores.c.result_id)
        .where(live_scores.c.conversation_id == row.conversation_id, live_scores.c.turn_id == row.turn_id)
        .order_by(live_scores.c.rule, live_scores.c.evaluated_at.desc(), live_scores.c.result_id)
    )
    found = connection.execute(all_scores).all()
    current = select(current_scores.c.result_id).where(
        current_scores.c.conversation_id == row.conversation_id, current_scores.c.turn_id == row.turn_id
    )
    return StoredTurn(
        source=row.source,
        turn=_turn(row),
        revisions=row.revisions,
        outcomes=[_outcome(score, score.explanation or "", score.figures or "[]") for score in found],
        current=frozenset(connection.execute(current).scalars()),
        text=_text(connection, row),
        review=[_item(item) for item in connection.execute(_items_of([score.result_id for score in found]))],
    )


def _items_of(result_ids: list[str]) -> Select[Any]:
    return select(review_items).where(review_items.c.result_id.in_(result_ids)).order_by(review_items.c.rule)


def _text(connection: Connection, row: Row[Any]) -> TurnText | None:
    query = select(turn_texts).where(
        turn_texts.c.conversation_id == row.conversation_id,
        turn_texts.c.turn_id == row.turn_id,
        turn_texts.c.revision == row.revision,
    )
    text = connection.execute(query).first()
    if text is None:
        return None
    ids = (text.conversation_id, text.turn_id, text.revision)
    return TurnText(*ids, text.question, text.answer, load(text.evidence))


def _scope(row: Row[Any]) -> Scope:
    return Scope(**{name: row._mapping[name] for name in SCOPE})


def _turn(row: Row[Any]) -> TurnRow:
    ids = (row.conversation_id, row.turn_id, row.revision)
    return TurnRow(*ids, row.state, row.decision, _scope(row), row.closed_at, row.revised_at, row.fragments)


def _item(row: Row[Any]) -> ReviewItem:
    why = (row.rule, row.severity, row.reason)
    return ReviewItem(row.result_id, *why, _scope(row), row.day, row.probability)


def _outcome(row: Row[Any], explanation: str, figures: str) -> Outcome:
    values = row._mapping
    judge = None
    if values["judge_model"] is not None:
        judge = Judge(
            model=values["judge_model"],
            method=values["judge_method"],
            tokens_in=values["judge_tokens_in"],
            tokens_out=values["judge_tokens_out"],
            cost=values["judge_cost"],
        )
    more = {"explanation": explanation, "figures": load(figures), "judge": judge, "scope": _scope(row)}
    return Outcome(**{name: values[name] for name in Outcome.model_fields if name not in more}, **more)
