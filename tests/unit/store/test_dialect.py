from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text, create_engine, select
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from monitor.store.dialect import Insert, UtcTime, chunks

TIMES = [
    datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    datetime(999, 12, 31, tzinfo=UTC),
    datetime(2026, 3, 1, 12, tzinfo=UTC),
    datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=UTC),
    datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=-1))),
    datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
]

metadata = MetaData()
things = Table(
    "things",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, unique=True),
    Column("at", UtcTime),
)


def test_stored_times_sort_as_times() -> None:
    """The text that stands for a time has one width and sorts as the times do, whatever their zones and years."""
    texts = [UtcTime().process_bind_param(time, SQLiteDialect_pysqlite()) for time in TIMES]
    assert sorted(texts) == texts
    assert {27} == set(map(len, texts))


def test_time_comes_back_in_utc() -> None:
    """A time in any zone comes back as the same moment, in UTC; a naive one is taken to be in UTC; none stays none."""
    dialect, kind = SQLiteDialect_pysqlite(), UtcTime()
    given = [TIMES[4], datetime(2026, 3, 1, 13), None]  # noqa: DTZ001  what must not go wrong
    expected = [datetime(2026, 3, 1, 13, tzinfo=UTC)] * 2 + [None]
    back = [kind.process_result_value(kind.process_bind_param(time, dialect), dialect) for time in given]
    assert expected == back


def test_insert_leaves_what_is_there_alone() -> None:
    """Of rows given, those that clash with stored ones are left out, the rest is inserted and counted."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    insert = Insert(things, engine.dialect)
    with engine.begin() as connection:
        assert 2 == insert(connection, [("a", TIMES[2]), ("b", None)])
        assert 1 == insert(connection, [("a", None), ("c", None)])
        assert 0 == insert(connection, [])
        rows = connection.execute(select(things.c.name, things.c.at).order_by(things.c.name)).all()
    assert [("a", TIMES[2]), ("b", None), ("c", None)] == [tuple(row) for row in rows]


def test_insert_is_written_for_both_dialects() -> None:
    """The statement takes its values by place in both databases, and neither complains about a row that is there."""
    postgresql = PGDialect_psycopg(paramstyle="format")  # type: ignore[no-untyped-call]  # SQLAlchemy's
    for dialect, mark in ((SQLiteDialect_pysqlite(), "?"), (postgresql, "%s")):
        sql = Insert(things, dialect).sql
        assert (2, True) == (sql.count(mark), sql.endswith(" ON CONFLICT DO NOTHING"))


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (2, [2]), (3, [2, 1]), (4, [2, 2])])
def test_chunks_hold_everything(count: int, sizes: list[int]) -> None:
    """Nothing is lost or repeated between portions."""
    parts = list(chunks(list(range(count)), 2))
    assert (list(range(count)), sizes) == ([value for part in parts for value in part], [len(part) for part in parts])
