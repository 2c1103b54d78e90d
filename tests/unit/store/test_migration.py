from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from monitor.errors import StoreError
from monitor.store import Commit, Store, migration
from monitor.store.database import Database
from monitor.store.lock import Lock
from monitor.store.schema import live_scores, metadata


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder 100%" / "state.db"


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def tables(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    return names


def test_state_is_created_and_opened_again(path: Path) -> None:
    """A new state is made with its folder, and what is in it is there when it is opened again."""
    with Store.open(url(path)) as store:
        store.commit(Commit("file", checkpoint={"line": 1}))
        created = store.status().created_at
    with Store.open(url(path), must_exist=True) as store:
        assert {"line": 1} == store.checkpoint("file")
        assert (created, migration.HEAD) == (store.status().created_at, store.status().schema_version)


def test_migrations_end_in_the_schema(path: Path) -> None:
    """The tables that migrations leave are exactly those that the program speaks to."""
    with Store.open(url(path)):
        pass
    with Database(url(path)).engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert [] == compare_metadata(context, metadata)


def test_view_has_the_columns_of_the_scores(path: Path) -> None:
    """`current_scores` shows what `live_scores` holds."""
    with Store.open(url(path)):
        pass
    with sqlite3.connect(path) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(current_scores)")]
    connection.close()
    assert [column.name for column in live_scores.columns] == columns


def test_head_is_the_newest_migration() -> None:
    """The versions that the program says it knows are those that it has."""
    config = Config()
    config.set_main_option("script_location", str(migration.MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    assert migration.HEAD == scripts.get_current_head()
    assert set(migration.VERSIONS) == {script.revision for script in scripts.walk_revisions()}


def test_newer_state_is_refused(path: Path) -> None:
    """A state that a newer program wrote is left alone, and the message says which versions meet."""
    with Store.open(url(path)):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"schema 9999 .* up to {migration.HEAD}") as caught:
        Store.open(url(path))
    assert "newer" in caught.value.hint
    assert before == path.read_bytes()


def test_foreign_database_is_refused(tmp_path: Path) -> None:
    """A database of something else gets no tables of ours."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customers (id INTEGER)")
    connection.close()
    with pytest.raises(StoreError, match="customers"):
        Store.open(url(path))
    assert {"customers"} == tables(path)


def test_interrupted_creation_leaves_no_table(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies while creating the state leaves an empty one, which the next completes."""

    class Killed(BaseException): ...

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(migration, "insert", die)
        with pytest.raises(Killed):
            Store.open(url(path))
    assert set() == tables(path)
    with Store.open(url(path)) as store:
        assert migration.HEAD == store.status().schema_version


def test_migration_waits_for_the_holder_of_the_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state that another process holds and that has to be migrated is not touched; the message names the process."""
    monkeypatch.setattr(migration, "LOCK_SECONDS", 0.1)
    path.parent.mkdir()
    holder = Lock(path.with_name("state.db.lock"))
    assert holder.acquire()
    with pytest.raises(StoreError, match="has to be migrated and process"):
        Store.open(url(path))
    holder.release()


def test_processes_may_create_a_state_at_once(path: Path) -> None:
    """Of processes that start together on nothing each ends with the state open."""
    path.parent.mkdir()
    program = f"from monitor.store import Store; print(Store.open({url(path)!r}).status().schema_version)"
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [(f"{migration.HEAD}\n", "")] * 3 == [process.communicate(timeout=60) for process in processes]
