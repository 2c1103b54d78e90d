from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy.exc import IntegrityError

from monitor.errors import StoreError
from monitor.outcome import Outcome
from monitor.store import Commit, Store, TurnRow, TurnText

COMMIT = Commit("file", checkpoint={"line": 1}, records={"read": 1, "parsed": 1})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{path}?timeout=0.1") as store:
        yield store


@pytest.mark.parametrize(
    "url", ["", "state.db", "postgresql://user:secret@host/db", "mysql://h/d", "sqlite:////a?timeout=x"]
)
def test_address_that_is_none_is_refused(url: str) -> None:
    """What cannot be a state says how to write one, and tells no password."""
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    assert "write sqlite:///PATH" == caught.value.hint
    assert "secret" not in str(caught.value)


def test_state_that_must_exist_is_not_made(path: Path) -> None:
    """A command that only reads makes no state where there is none."""
    with pytest.raises(StoreError, match="there is no state at") as caught:
        Store.open(f"sqlite:///{path}", must_exist=True)
    assert "monitor run" in caught.value.hint
    assert [] == list(path.parent.iterdir())


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A state under a file names the folder that cannot be."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot make the folder"):
        Store.open(f"sqlite:///{tmp_path / 'file' / 'state.db'}")


def test_file_that_is_no_database_is_told(path: Path) -> None:
    """Any other file is refused by name and left as it was."""
    content = b"not a database, but long enough to have a header of a hundred bytes " * 3
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        Store.open(f"sqlite:///{path}")
    assert content == path.read_bytes()


def test_folder_as_state_is_told(tmp_path: Path) -> None:
    """A path that is a folder cannot be opened, and the message says so."""
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(f"sqlite:///{tmp_path}")


def test_locked_state_is_told(store: Store, path: Path) -> None:
    """A write that waits in vain for another process names the state and what to do; then it works."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="is locked") as caught:
        store.commit(COMMIT)
    assert "another process" in caught.value.hint
    assert {} == store.ledger().sources
    other.execute("ROLLBACK")
    other.close()
    store.commit(COMMIT)
    assert {"line": 1} == store.checkpoint("file")


@pytest.mark.parametrize(
    ("pragma", "undo", "message"),
    [
        ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 4294967294", "the disk is full"),
        ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "is read-only"),
    ],
)
def test_state_that_cannot_be_written_is_told(store: Store, pragma: str, undo: str, message: str) -> None:
    """A full disk or a read-only file is an error with a remedy, and the commit can be made again after it."""
    large = Commit("file", texts=[TurnText("c", "t", "r", "q" * 500_000, "a", None)], checkpoint={"line": 2})
    engine = store._database.engine
    with engine.connect() as connection:
        connection.exec_driver_sql(pragma)
    with pytest.raises(StoreError, match=message) as caught:
        store.commit(large)
    assert caught.value.hint
    assert store.checkpoint("file") is None
    with engine.connect() as connection:
        connection.exec_driver_sql(undo)
    store.commit(large)
    assert {"line": 2} == store.checkpoint("file")


@pytest.mark.parametrize("replaced", [False, True])
def test_state_that_is_taken_away_is_told(store: Store, path: Path, replaced: bool) -> None:
    """Nothing is written to a file that has lost its name, nor to another in its place; put back, it goes on."""
    store.commit(COMMIT)
    away = path.with_name("away.db")
    path.rename(away)
    if replaced:
        path.write_bytes(away.read_bytes())
    with pytest.raises(StoreError, match="was removed or replaced while in use") as caught:
        store.commit(Commit("file", checkpoint={"line": 2}))
    assert "put it back or restart the monitor" == caught.value.hint
    away.rename(path)
    assert {"line": 1} == store.checkpoint("file")
    store.commit(Commit("file", checkpoint={"line": 2}))
    assert {"line": 2} == store.checkpoint("file")


def test_error_tells_no_content(store: Store) -> None:
    """What escapes as a defect of ours does not quote the record that it happened with."""
    broken = Outcome.passed("x", conversation_id="my secret").model_copy(update={"rule": None})
    with pytest.raises(IntegrityError, match="live_scores") as caught:
        store.commit(Commit("file", outcomes=[broken]))
    assert "my secret" not in str(caught.value)


def test_second_daemon_is_refused(path: Path) -> None:
    """Only one process opens a state exclusively; others read and write as they did; then the next may."""
    with Store.open(f"sqlite:///{path}", exclusive=True) as daemon:
        with pytest.raises(StoreError, match=f"is in use by process {os.getpid()}"):
            Store.open(f"sqlite:///{path}", exclusive=True)
        daemon.commit(COMMIT)
        with Store.open(f"sqlite:///{path}", must_exist=True) as reader:
            assert {"line": 1} == reader.checkpoint("file")
    with Store.open(f"sqlite:///{path}", exclusive=True) as daemon:
        assert {"line": 1} == daemon.checkpoint("file")


def test_reader_sees_one_moment(store: Store) -> None:
    """What is read in a snapshot does not change while the daemon writes, and the daemon does not wait."""
    store.commit(Commit("file", outcomes=[Outcome.passed("x", result_id="1", evaluated_at=datetime.now(UTC))]))
    with store.snapshot() as snapshot:
        first = snapshot.batches("live_scores", 1)
        next(first)
        store.commit(Commit("file", outcomes=[Outcome.passed("x", result_id="2", evaluated_at=datetime.now(UTC))]))
        assert [] == list(first)
        assert 1 == len([row for batch in snapshot.batches("live_scores") for row in batch])
    assert 2 == len(list(store.scores(current=False)))


def test_threads_may_share_a_store(path: Path) -> None:
    """Commits from several threads all arrive, each once, though each reads before it writes."""
    with Store.open(f"sqlite:///{path}") as store:

        def write(source: str) -> None:
            for at in range(20):
                row = TurnRow(source, str(at), "r", "complete", "evaluated")
                store.commit(Commit(source, checkpoint=at, records={"read": 1}, turns=[row]))

        threads = [Thread(target=write, args=(source,)) for source in ("a", "b", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ledgers = store.ledger().sources.values()
        assert [(20, 20)] * 3 == [(ledger.records["read"], ledger.turns["seen"]) for ledger in ledgers]


def test_creating_a_state_does_not_claim_it(path: Path) -> None:
    """A command that happened to create the state is no daemon: one may start while it runs."""
    with Store.open(f"sqlite:///{path}"), Store.open(f"sqlite:///{path}", exclusive=True) as daemon:
        assert {} == daemon.ledger().sources


def test_pruned_text_is_gone_from_the_file(store: Store, path: Path) -> None:
    """After pruning, no byte of the text is left in the database or its log."""
    text = "the secret of the flights"
    store.commit(
        Commit("file", texts=[TurnText("c", f"t{number}", "r", text * 50, text, [text]) for number in range(50)])
    )
    assert text.encode() in path.with_name("state.db-wal").read_bytes() + path.read_bytes()
    store.prune(texts_before=datetime.now(UTC) + timedelta(seconds=1))
    left = [file.read_bytes() for file in path.parent.iterdir() if file.name != "state.db.lock"]
    assert not any(text[:10].encode() in content for content in left)


def test_size_is_of_all_files(store: Store, path: Path) -> None:
    """The size told is that on disk, the write-ahead log included."""
    store.commit(COMMIT)
    assert path.stat().st_size + path.with_name("state.db-wal").stat().st_size == store.status().size


def test_naming_a_batch_loads_no_database() -> None:
    """A command without a state may import what a batch is made of without paying for SQLAlchemy."""
    program = "import sys, monitor.store, monitor.sinks.review; print('sqlalchemy' in sys.modules)"
    assert (
        "False\n" == subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    )
