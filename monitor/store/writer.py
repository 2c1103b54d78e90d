"""
Write what a batch came to, all of it in one transaction that the caller holds.

Every step may be repeated: rows are known again by their keys, and what is counted is counted together with the
source's checkpoint, so a batch that comes again with the checkpoint that is stored already counts nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Dialect, and_, bindparam, case, delete, func, literal, or_, select, tuple_, update

from monitor.conversation import Scope
from monitor.formats import Fragment
from monitor.outcome import Outcome
from monitor.store.batch import (
    DECISIONS,
    RECORD_DECISIONS,
    Commit,
    Committed,
    Quarantined,
    ReviewItem,
    TurnRow,
    TurnText,
)
from monitor.store.dialect import Insert, UtcTime, chunks, insert
from monitor.store.encoding import dump, dump_exact
from monitor.store.schema import (
    checkpoints,
    error_codes,
    fragments,
    groups,
    ledger,
    live_scores,
    outcome_texts,
    quarantine,
    review_items,
    turn_texts,
    turns,
)

BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
"""Stands for an unknown source time where revisions are compared."""
CODE_LENGTH = 200
CODES_KEPT = 1000
"""Distinct unknown codes kept for a source; a record may hold anything, so further ones are counted as ``(other)``."""
OTHER_CODES = "(other)"
MESSAGE_LENGTH = 1000


class Writer:
    """Holds the compiled statements of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._quarantine = Insert(quarantine, dialect)
        self._fragments = Insert(fragments, dialect)
        self._turns = Insert(turns, dialect)
        self._turn_texts = Insert(turn_texts, dialect)
        self._scores = Insert(live_scores, dialect)
        self._outcome_texts = Insert(outcome_texts, dialect)
        self._review = Insert(review_items, dialect)
        self._newer_turn = _newer_turn()

    def write(self, connection: Connection, commit: Commit, now: datetime) -> Committed:
        """Write *commit*; times of arrival are *now*."""
        new_turns, decided = self._write_turns(connection, commit)
        if self._move_checkpoint(connection, commit, now):
            counts = {_record_entry(entry): count for entry, count in commit.records.items()}
            self._quarantine(connection, (_quarantine_row(item, now) for item in commit.quarantined))
            self._count_codes(connection, commit, now)
        else:
            counts = {}
        self._count(connection, commit.source, {**counts, "turns_seen": new_turns})
        self._write_fragments(connection, commit, now)
        self._leave_groups(connection, commit)
        new_results = self._write_outcomes(connection, commit, now)
        self._turn_texts(connection, (_text_row(text, now) for text in commit.texts))
        self._review(connection, (_review_row(item, now) for item in commit.review))
        return Committed(new_results, new_turns, decided)

    def _move_checkpoint(self, connection: Connection, commit: Commit, now: datetime) -> bool:
        """Store the checkpoint; False when it was there already, so that this batch has been counted before."""
        if commit.checkpoint is None:
            return True
        position = dump(commit.checkpoint)
        query = select(checkpoints.c.position).where(checkpoints.c.source == commit.source)
        if connection.execute(query).scalar() == position:
            return not any(commit.records.values())
        statement = insert(checkpoints, self._dialect).values(source=commit.source, position=position, moved_at=now)
        moved = {"position": statement.excluded.position, "moved_at": statement.excluded.moved_at}
        connection.execute(statement.on_conflict_do_update(index_elements=["source"], set_=moved))
        return True

    def _count(self, connection: Connection, source: str, counts: dict[str, int]) -> None:
        rows = [{"source": source, "entry": entry, "count": count} for entry, count in counts.items() if count]
        if rows:
            statement = insert(ledger, self._dialect)
            more = {"count": ledger.c.count + statement.excluded.count}
            connection.execute(statement.on_conflict_do_update(index_elements=["source", "entry"], set_=more), rows)

    def _count_codes(self, connection: Connection, commit: Commit, now: datetime) -> None:
        if not commit.unknown_codes:
            return
        of_source = error_codes.c.source == commit.source
        known = set(connection.execute(select(error_codes.c.code).where(of_source)).scalars())
        counts: dict[tuple[str, str], int] = {}
        for (code, kind), count in commit.unknown_codes.items():
            name = code[:CODE_LENGTH]
            if name not in known and len(known) >= CODES_KEPT:
                name = OTHER_CODES
            known.add(name)
            counts[name, kind] = counts.get((name, kind), 0) + count
        rows = [
            {"source": commit.source, "code": code, "kind": kind, "count": count, "last_seen": now}
            for (code, kind), count in counts.items()
        ]
        statement = insert(error_codes, self._dialect)
        more = {"count": error_codes.c.count + statement.excluded.count, "last_seen": statement.excluded.last_seen}
        key = ["source", "code", "kind"]
        connection.execute(statement.on_conflict_do_update(index_elements=key, set_=more), rows)

    def _write_fragments(self, connection: Connection, commit: Commit, now: datetime) -> None:
        given = {(commit.source, fragment.group, fragment.key): fragment for fragment in reversed(commit.fragments)}
        rows = {key: _fragment_row(commit.source, fragment, now) for key, fragment in given.items()}
        ended: dict[str, bool] = {}
        named: dict[str, str] = {}
        for key in self._fragments.new(connection, rows) if rows else ():
            fragment = given[key]
            ended[fragment.group] = ended.get(fragment.group, False) or fragment.ends
            if fragment.conversation:
                named[fragment.group] = fragment.conversation
        if not ended:
            return
        values = [
            {
                "source": commit.source,
                "grp": group,
                "first_at": now,
                "last_at": now,
                "ended": ends,
                "dirty": True,
                "conversation": named.get(group),
            }
            for group, ends in ended.items()
        ]
        statement = insert(groups, self._dialect)
        changed = {
            "last_at": statement.excluded.last_at,
            "ended": or_(groups.c.ended, statement.excluded.ended),
            "dirty": True,
            "conversation": func.coalesce(statement.excluded.conversation, groups.c.conversation),
        }
        connection.execute(statement.on_conflict_do_update(index_elements=["source", "grp"], set_=changed), values)

    def _leave_groups(self, connection: Connection, commit: Commit) -> None:
        for some in chunks(commit.joined):
            mine = and_(groups.c.source == commit.source, groups.c.grp.in_(some))
            connection.execute(update(groups).where(mine).values(dirty=False, ended=False))
        for some in chunks(commit.forgotten):
            for table in (fragments, groups):
                connection.execute(delete(table).where(table.c.source == commit.source, table.c.grp.in_(some)))

    def _write_turns(self, connection: Connection, commit: Commit) -> tuple[int, list[TurnRow]]:
        """Write the turns; how many were never seen before, and those that had no decision until now."""
        if not commit.turns:
            return 0, []
        stored = _stored_decisions(connection, commit)
        seen_before = len(stored)
        new: list[TurnRow] = []
        later: list[TurnRow] = []
        decided: list[TurnRow] = []
        for turn in commit.turns:
            if turn.decision not in DECISIONS:
                raise ValueError(f"no decision about a turn is called {turn.decision!r}")
            key = (turn.conversation_id, turn.turn_id)
            (later if key in stored else new).append(turn)
            if turn.decision != "pending" and stored.get(key, "pending") == "pending":
                decided.append(turn)
                stored[key] = turn.decision
            stored.setdefault(key, turn.decision)
        self._turns(connection, (_turn_row(commit.source, turn) for turn in new))
        if later:
            connection.execute(self._newer_turn, [_turn_values(commit.source, turn) for turn in later])
        return len(stored) - seen_before, decided

    def _write_outcomes(self, connection: Connection, commit: Commit, now: datetime) -> set[str]:
        outcomes: dict[str, Outcome] = {}
        for outcome in commit.outcomes:
            outcomes.setdefault(outcome.result_id, outcome)
        if not outcomes:
            return set()
        revised = {(turn.conversation_id, turn.turn_id, turn.revision): turn for turn in commit.turns}
        rows = {(result_id,): _score_row(outcome, revised, now) for result_id, outcome in outcomes.items()}
        new = {result_id for (result_id,) in self._scores.new(connection, rows)}
        self._outcome_texts(
            connection,
            (
                (outcome.result_id, outcome.explanation, dump(outcome.figures), now)
                for outcome in outcomes.values()
                if outcome.label != "not_applicable" and outcome.result_id in new
            ),
        )
        return new


def _newer_turn() -> Any:
    """
    An UPDATE of a stored turn: a newer revision replaces it, the same one may get a decision that it lacked.

    An older revision that comes late changes nothing, and what was evaluated once stays evaluated.
    """
    old, new = turns.c, {column.name: bindparam(f"new_{column.name}", type_=column.type) for column in turns.columns}
    beginning = literal(BEGINNING, UtcTime)
    is_newer = tuple_(
        func.coalesce(new["revised_at"], beginning, type_=UtcTime), new["fragments"], new["revision"]
    ) > tuple_(func.coalesce(old.revised_at, beginning, type_=UtcTime), old.fragments, old.revision)
    is_decided = and_(old.revision == new["revision"], old.decision != "evaluated", new["decision"] != "pending")
    changed: dict[str, Any] = {
        name: value for name, value in new.items() if name not in {"conversation_id", "turn_id", "source"}
    }
    changed["revisions"] = old.revisions + case((old.revision == new["revision"], 0), else_=1)
    return (
        update(turns)
        .where(
            old.conversation_id == new["conversation_id"], old.turn_id == new["turn_id"], old.source == new["source"]
        )
        .where(or_(is_newer, is_decided))
        .values(changed)
    )


def _stored_decisions(connection: Connection, commit: Commit) -> dict[tuple[str, str], str]:
    """The decision stored about each turn of *commit* that is stored at all."""
    turn = turns.c
    found: dict[tuple[str, str], str] = {}
    for some in chunks(list({each.conversation_id for each in commit.turns})):
        query = select(turn.conversation_id, turn.turn_id, turn.source, turn.decision)
        for conversation_id, turn_id, source, decision in connection.execute(
            query.where(turn.conversation_id.in_(some))
        ):
            if source == commit.source:
                found[conversation_id, turn_id] = decision
    return found


def _record_entry(entry: str) -> str:
    if entry != "read" and entry not in RECORD_DECISIONS:
        raise ValueError(f"no count of records is called {entry!r}")
    return f"records_{entry}"


def _scope(scope: Scope) -> tuple[str, ...]:
    return (scope.team, scope.environment, scope.agent, scope.agent_version, scope.semantic_model)


def _quarantine_row(item: Quarantined, now: datetime) -> tuple[Any, ...]:
    message, hint = item.message[:MESSAGE_LENGTH], item.hint[:MESSAGE_LENGTH]
    return (item.source, item.position, item.cause, message, hint, item.size, item.sha256, now)


def _fragment_row(source: str, fragment: Fragment, now: datetime) -> tuple[Any, ...]:
    event = dump_exact(fragment.event)
    return (source, fragment.group, fragment.key, *fragment.order, event, fragment.ends, now)


def _turn_row(source: str, turn: TurnRow) -> tuple[Any, ...]:
    ids = (turn.conversation_id, turn.turn_id, source, turn.revision, turn.fragments, 1)
    return (*ids, turn.state, turn.decision, turn.closed_at, turn.revised_at, *_scope(turn.scope))


def _text_row(text: TurnText, now: datetime) -> tuple[Any, ...]:
    ids = (text.conversation_id, text.turn_id, text.revision)
    return (*ids, text.question, text.answer, dump(text.evidence), now)


def _review_row(item: ReviewItem, now: datetime) -> tuple[Any, ...]:
    why = (item.rule, item.severity, item.reason, item.probability)
    return (item.result_id, *why, now, "open", *_scope(item.scope), item.day)


def _turn_values(source: str, turn: TurnRow) -> dict[str, Any]:
    names = (f"new_{column.name}" for column in turns.columns)
    return dict(zip(names, _turn_row(source, turn), strict=True))


def _score_row(outcome: Outcome, turns_by_revision: dict[Any, TurnRow], now: datetime) -> tuple[Any, ...]:
    judge, evaluated_at = outcome.judge, outcome.evaluated_at or now
    turn = turns_by_revision.get((outcome.conversation_id, outcome.turn_id, outcome.revision))
    return (
        outcome.result_id,
        outcome.conversation_id,
        outcome.turn_id,
        outcome.revision,
        turn.fragments if turn else 1,
        outcome.rule,
        outcome.rule_version,
        outcome.check,
        outcome.label,
        outcome.cause,
        outcome.score,
        outcome.error_type,
        outcome.inclusion_probability,
        outcome.weight,
        *((judge.model, judge.method, judge.tokens_in, judge.tokens_out, judge.cost) if judge else _NO_JUDGE),
        *_scope(outcome.scope),
        outcome.model,
        outcome.trace_id,
        outcome.span_id,
        outcome.response_id,
        evaluated_at,
        turn.revised_at if turn else None,
        evaluated_at.astimezone(UTC).date(),
    )


_NO_JUDGE = (None,) * 5
