"""
The connection to the state: where it is, how it is set up, and what its errors mean to a person.

SQLite runs in WAL mode, so that ``status`` and ``export`` read while the daemon writes, and with synchronous=FULL: a
message is acknowledged to its source once its outcomes are durable, and with NORMAL a power failure could take the
newest commits back after that. It costs one fsync a batch, not one a row. ``secure_delete`` overwrites what is
deleted, so that pruned text is gone from the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Engine, StaticPool, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError

from monitor.errors import StoreError

BUSY_SECONDS = 10.0
"""How long a statement waits for another process's write; a ``timeout`` in the URL overrides it."""

_HINTS = {
    sqlite3.SQLITE_BUSY: ("is locked", "another process is writing to it: try again, or stop that process"),
    sqlite3.SQLITE_LOCKED: ("is locked", "another process is writing to it: try again, or stop that process"),
    sqlite3.SQLITE_READONLY: ("is read-only", "let this user write to the file and its folder, or name another state"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "check the disk that holds it"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "restore it from a copy, or move it away and start anew"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space, or run `monitor prune`, and start again"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "check that the folder exists and that this user may write to it"),
    sqlite3.SQLITE_NOTADB: ("is not an SQLite database", "name another state, or move that file away"),
}


class Database:
    """An engine for *url* with transactions as the store wants them. *path* is the file, None when in memory."""

    def __init__(self, url: str, *, must_exist: bool = False, durable: bool = True) -> None:
        self.url = _parsed(url)
        database = self.url.database
        self.path = None if database in (None, "", ":memory:") else Path(str(database))
        self.name = str(self.path or "in memory")
        if self.path is not None:
            self._prepare_folder(self.path, must_exist)
        self._opened = self._identity()
        self.engine = _engine(self.url, in_memory=self.path is None, durable=durable)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """
        A transaction that holds the only right to write from its start, and is undone when the block raises.

        Raises StoreError when the file at the path is no longer the one that was opened: what is written to a file
        without a name is lost with the process.
        """
        if self._identity() != self._opened:
            raise StoreError(
                f"the state {self.name} was removed or replaced while in use",
                hint="put it back or restart the monitor",
            )
        with (
            self.errors(),
            self.engine.connect().execution_options(monitor_writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one moment, whatever is written meanwhile."""
        with self.errors(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn the driver's errors that a person can mend into StoreError."""
        try:
            yield
        except DBAPIError as error:
            code = getattr(error.orig, "sqlite_errorcode", None)
            what = _HINTS.get(code & 0xFF) if code is not None else None
            if what is None:
                raise
            raise StoreError(f"the state {self.name} {what[0]}", hint=what[1]) from error

    def size(self) -> int:
        """Bytes on disk, the write-ahead log included; 0 when in memory."""
        if self.path is None:
            return 0
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def keep_log(self) -> None:
        """Switch the file to a write-ahead log, which it remembers."""
        self._outside_transactions("PRAGMA journal_mode = WAL")

    def empty_log(self) -> None:
        """Move the write-ahead log into the database and empty it, unless a reader still needs it."""
        self._outside_transactions("PRAGMA wal_checkpoint(TRUNCATE)")

    def _identity(self) -> tuple[int, int] | None:
        """The device and inode of the file; None where there is none, as for a state in memory."""
        try:
            found = self.path.stat() if self.path is not None else None
        except OSError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)

    def _outside_transactions(self, pragma: str) -> None:
        with self.errors(), self.engine.connect() as connection:
            try:
                connection.connection.cursor().execute(pragma).close()
            except sqlite3.Error as error:
                raise DBAPIError(pragma, None, error) from error

    def _prepare_folder(self, path: Path, must_exist: bool) -> None:
        if must_exist and not path.exists():
            raise StoreError(f"there is no state at {path}", hint="run `monitor run` first, or name another state")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)  # it holds what people said: its owner's alone, whatever the umask
        except OSError as error:
            raise StoreError(
                f"cannot make the folder {path.parent}: {error.strerror}",
                hint="make it, or name a state elsewhere",
            ) from error


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError("the state's address cannot be read", hint="write sqlite:///PATH") from None
    if parsed.get_backend_name() != "sqlite":
        raise StoreError(f"a state in {parsed.get_backend_name()} is not supported", hint="write sqlite:///PATH")
    return parsed


def _engine(url: URL, *, in_memory: bool, durable: bool) -> Engine:
    arguments: dict[str, Any] = {"check_same_thread": False}
    if "timeout" not in url.query:
        arguments["timeout"] = BUSY_SECONDS
    options: dict[str, Any] = {"poolclass": StaticPool} if in_memory else {}
    try:
        engine = create_engine(url, connect_args=arguments, hide_parameters=True, **options)
    except (ArgumentError, ValueError, sqlalchemy.exc.NoSuchModuleError):
        raise StoreError("the state's address cannot be used", hint="write sqlite:///PATH") from None
    event.listen(engine, "connect", partial(_set_up, synchronous="FULL" if durable else "OFF"))
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: Any, _record: Any, *, synchronous: str) -> None:
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA secure_delete = ON")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("monitor_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
