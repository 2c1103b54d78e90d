"""
Forget what is old: texts, quarantine entries, fragments of groups that have been joined.

Scores stay. Rows go a thousand at a time, each in its own transaction, so that a daemon writing to the same state
never waits long.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, delete, select, tuple_

from monitor.store.database import Database
from monitor.store.schema import fragments, groups, outcome_texts, quarantine, turn_texts

CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many rows went, and of how many groups the fragments."""

    turn_texts: int
    outcome_texts: int
    quarantine: int
    groups: int


def prune(
    database: Database,
    texts_before: datetime | None,
    quarantine_before: datetime | None,
    groups_before: datetime | None,
) -> Pruned:
    """Delete what was stored before the times given; None keeps all of that kind."""
    pruned = Pruned(
        turn_texts=_delete(database, turn_texts.c.stored_at, texts_before),
        outcome_texts=_delete(database, outcome_texts.c.stored_at, texts_before),
        quarantine=_delete(database, quarantine.c.seen_at, quarantine_before),
        groups=_delete_groups(database, groups_before),
    )
    database.empty_log()
    return pruned


def _delete(database: Database, time: Column[datetime], before: datetime | None) -> int:
    """Delete the rows whose *time* is earlier; none when *before* is None."""
    if before is None:
        return 0
    table = time.table
    key = table.primary_key.columns
    statement = delete(table).where(tuple_(*key).in_(select(*key).where(time < before).limit(CHUNK)))
    total = 0
    while True:
        with database.write() as connection:
            count = connection.execute(statement).rowcount
        total += count
        if count < CHUNK:
            return total


def _delete_groups(database: Database, before: datetime | None) -> int:
    """Delete joined groups with their fragments. A group that still has to be joined is never touched."""
    if before is None:
        return 0
    old = select(groups.c.source, groups.c.grp).where(groups.c.last_at < before, groups.c.dirty.is_(False))
    total = 0
    while True:
        with database.write() as connection:
            names = [tuple(row) for row in connection.execute(old.limit(CHUNK // 10))]
            for table in (fragments, groups) if names else ():
                connection.execute(delete(table).where(tuple_(table.c.source, table.c.grp).in_(names)))
        total += len(names)
        if len(names) < CHUNK // 10:
            return total
