"""
Where databases differ: how a time is kept, and how to insert what is not there yet.

A statement is compiled once for a dialect and given tuples. Through Core's own executemany the same rows cost about
27 µs each where this costs 16, so the tables that grow with the traffic are written like this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, DateTime, Dialect, String, Table, TypeDecorator
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import TypeEngine

_INSERTS: dict[str, Callable[[Table], sqlite.Insert | postgresql.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}
CHUNK = 500
"""Values in one IN list: well under every database's bound."""


class UtcTime(TypeDecorator[datetime]):
    """An aware time in UTC. SQLite has no such type and keeps text of fixed width, which sorts as the times do."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(String(27) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        utc = _utc(value)
        return f"{utc.isoformat(timespec='microseconds')[:26]}Z" if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's
        return datetime.fromisoformat(value) if isinstance(value, str) else value


class Insert:
    """
    Inserts tuples into *table*, leaving alone the rows that are there already.

    *columns* are those that a tuple holds, in its order: all but a key that the database counts up itself.
    """

    def __init__(self, table: Table, dialect: Dialect) -> None:
        self._table = table
        quote = dialect.identifier_preparer.quote
        self._key_names = [quote(each.name) for each in table.primary_key.columns]
        self._mark = "?" if dialect.paramstyle == "qmark" else "%s"
        columns = [each for each in table.columns if each is not table.autoincrement_column]
        self.columns = [each.name for each in columns]
        statement = insert(table, dialect).on_conflict_do_nothing().inline()
        self.sql = str(statement.compile(dialect=dialect, column_keys=self.columns))
        self._processors: list[tuple[int, Callable[[Any], Any]]] = []
        for place, each in enumerate(columns):
            processor = each.type.dialect_impl(dialect).bind_processor(dialect)
            if processor is not None:
                # the rows of a batch share most of their times and days, so each is converted once
                self._processors.append((place, lru_cache(maxsize=64)(processor)))

    def __call__(self, connection: Connection, rows: Iterable[tuple[Any, ...]]) -> int:
        """Insert *rows*; how many were new."""
        prepared = [self._prepare(row) for row in rows]
        if not prepared:
            return 0
        return connection.exec_driver_sql(self.sql, prepared).rowcount

    def new(self, connection: Connection, rows: Mapping[tuple[Any, ...], tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """
        Insert *rows*, given by primary key; the keys of those that were new.

        Asked for in one query of the batch. Inserting first and looking only when the count falls short is no faster,
        since it needs a savepoint whose journal costs as much; RETURNING costs more.
        """
        known: set[tuple[Any, ...]] = set()
        for some in chunks(list(rows)):
            flat = tuple(value for key in some for value in key)
            known.update(tuple(row) for row in connection.exec_driver_sql(self._lookup(len(some)), flat))
        new = [key for key in rows if key not in known]
        self(connection, (rows[key] for key in new))
        return new

    def _lookup(self, count: int) -> str:
        """
        A query for those of *count* primary keys that the table holds.

        Each is looked up in the index. SQLite would read the whole index for ``(a, b) IN (VALUES …)``, and Core
        compiles a VALUES anew for every batch.
        """
        names = self._key_names
        keys = ", ".join([f"({', '.join([self._mark] * len(names))})"] * count)
        same = " AND ".join(f"stored.{name} = given.{name}" for name in names)
        given = ", ".join(names)
        return (
            f"WITH given ({given}) AS (VALUES {keys}) SELECT {given} FROM given "  # noqa: S608  names of our own
            f"WHERE EXISTS (SELECT 1 FROM {self._table.name} AS stored WHERE {same})"
        )

    def _prepare(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        values = list(row)
        for place, processor in self._processors:
            values[place] = processor(values[place])
        return tuple(values)


def insert(table: Table, dialect: Dialect) -> sqlite.Insert | postgresql.Insert:
    """An INSERT of *table* that knows ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""
    return _INSERTS[dialect.name](table)


def chunks(values: Sequence[Any], size: int = CHUNK) -> Iterable[Sequence[Any]]:
    """*values* in slices of at most *size*."""
    return (values[start : start + size] for start in range(0, len(values), size))


def _utc(value: datetime) -> datetime:
    if value.tzinfo is UTC:
        return value
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return datetime(1 if value.year == 1 else 9999, 1, 1, tzinfo=UTC)  # a record may claim the ends of time
