"""The state of the monitor in an SQL database: one transaction a batch, and every question that is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from types import TracebackType
from typing import Self

from monitor.conversation import Json
from monitor.errors import StoreError
from monitor.formats import Fragment
from monitor.outcome import Outcome
from monitor.store import migration, reader, report, retention
from monitor.store.batch import Commit, Committed, Quarantined
from monitor.store.database import Database
from monitor.store.encoding import UNWRITABLE, clean, cleaned
from monitor.store.lock import Lock
from monitor.store.writer import Writer


class Store:
    """
    Durable state. Made by :meth:`open`; closes as a context manager.

    Any thread may use it. A state in memory (``sqlite://``) has one connection: there, finish an iteration before
    writing. Methods raise StoreError when the database is locked, read-only, full or damaged.
    """

    def __init__(self, database: Database, lock: Lock | None) -> None:
        self._database = database
        self._lock = lock
        self._writer = Writer(database.engine.dialect)

    @classmethod
    def open(cls, url: str, *, must_exist: bool = False, exclusive: bool = False, durable: bool = True) -> Self:
        """
        Open the state at *url* (``sqlite:///PATH``), creating it or bringing it to the newest schema.

        *must_exist* refuses to create one. *exclusive* is for a daemon: no other process may open it exclusively
        until this one closes it or ends; opening it otherwise, to read, goes on working. *durable* false is for scratch:
        nothing waits for the disk, and a power failure may damage the file.
        """
        database = Database(url, must_exist=must_exist, durable=durable)
        lock = None if database.path is None else Lock(database.path.with_name(f"{database.path.name}.lock"))
        try:
            if exclusive and lock is not None and not lock.acquire():
                raise StoreError(
                    f"the state {database.name} is in use by {lock.holder()}",
                    hint="stop that process, or give each its own state",
                )
            migration.migrate(database, lock)
        except BaseException:
            if lock is not None:
                lock.release()
            database.engine.dispose()
            raise
        if not exclusive and lock is not None:
            lock.release()
        return cls(database, lock)

    def commit(self, commit: Commit) -> Committed:
        """
        Write everything that *commit* holds, or nothing.

        Committing the same again changes nothing and reports nothing as new: rows are known by their keys. Records,
        quarantined records and unknown codes count with the checkpoint, once; without one they count every time.
        """
        now = datetime.now(UTC)
        try:
            return self._write(commit, now)
        except UNWRITABLE:
            return self._write(cleaned(commit), now)

    def checkpoint(self, source: str) -> Json | None:
        """Where *source* goes on; None when it never committed a checkpoint."""
        with self._database.read() as connection:
            return reader.checkpoint(connection, source)

    def groups(
        self,
        source: str,
        *,
        dirty: bool = True,
        ended_before: datetime | None = None,
        quiet_before: datetime | None = None,
    ) -> Iterator[str]:
        """
        The groups of *source* that are to be joined (*dirty*) or have been, in order of their names.

        With *ended_before* only those that have the end of a turn and got their last fragment before then; with
        *quiet_before* those that got it before then; with both, either. Read in pages: committing meanwhile is fine.
        """
        wanted, after = reader.GroupsWanted(dirty, ended_before, quiet_before), None
        while True:
            with self._database.read() as connection:
                page = reader.group_page(connection, source, wanted, after)
            yield from page
            if len(page) < reader.PAGE:
                return
            after = page[-1]

    def related(self, source: str, group: str) -> list[str]:
        """*group* and every other group of *source* that is a part of the same conversation."""
        with self._database.read() as connection:
            return reader.related(connection, source, group)

    def fragments(self, source: str, group: str) -> list[Fragment]:
        """The fragments of one group, each once, in their order."""
        with self._database.read() as connection:
            return reader.group_fragments(connection, source, group)

    def ledger(self) -> report.Ledger:
        """Both ledgers of every source."""
        with self._database.read() as connection:
            return report.read_ledger(connection)

    def status(self) -> report.Status:
        """What ``monitor status`` shows, as of one moment."""
        with self._database.read() as connection:
            return report.read_status(connection, migration.version(connection) or "", self._database.size())

    def scores(self, *, current: bool = True) -> Iterator[Outcome]:
        """Outcomes without their text: of every turn and rule the one that counts, or all ever stored."""
        with self._database.read() as connection:
            yield from reader.scores(connection, current=current)

    def evaluations(self, identifier: str, turn_id: str | None = None) -> list[reader.StoredTurn]:
        """Turns whose conversation, turn or result id is *identifier*, narrowed to *turn_id*, in the conversation's order."""
        with self._database.read() as connection:
            return reader.evaluations(connection, clean(identifier), None if turn_id is None else clean(turn_id))

    def latest(self, label: str = "fail", *, rule: str | None = None, limit: int = 20) -> list[reader.Listed]:
        """The newest outcomes that count and have this *label*, of one *rule* or of all, with why each was filed."""
        with self._database.read() as connection:
            return reader.latest(connection, label, rule, limit)

    def quarantined(self, limit: int = 20) -> list[tuple[datetime, Quarantined]]:
        """The newest records that could not be read, with the time when each was met."""
        with self._database.read() as connection:
            return reader.quarantined(connection, limit)

    def observations(self, rule: str, since: datetime | None = None) -> Iterator[reader.Observation]:
        """The outcomes of *rule* that count and are pass or fail, evaluated at or after *since*: what a rate is of."""
        with self._database.read() as connection:
            yield from reader.observations(connection, rule, since)

    def filed(self, day: date) -> dict[str, dict[str, float]]:
        """The fails filed for review on *day*, which count for a cap: by rule and result id the probability of each."""
        with self._database.read() as connection:
            return reader.filed(connection, day)

    @contextmanager
    def snapshot(self) -> Iterator[reader.Snapshot]:
        """Whole tables as of one moment, for an export."""
        with self._database.read() as connection:
            yield reader.Snapshot(connection)

    def prune(
        self,
        *,
        texts_before: datetime | None = None,
        quarantine_before: datetime | None = None,
        groups_before: datetime | None = None,
    ) -> retention.Pruned:
        """
        Delete texts, quarantine entries, and joined groups with their fragments, that are older than the times given.

        Scores, turns, review items and both ledgers stay. What is deleted is overwritten in the file.
        """
        return retention.prune(self._database, texts_before, quarantine_before, groups_before)

    def close(self) -> None:
        """Let go of the database, and of the right to be its only daemon."""
        self._database.engine.dispose()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, commit: Commit, now: datetime) -> Committed:
        with self._database.write() as connection:
            return self._writer.write(connection, commit, now)
