"""The worker, in this process, with a real state."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from monitor import worker as module
from monitor.config import Config
from monitor.errors import StoreError
from monitor.formats import Fragment
from monitor.rules import load_rules
from monitor.store import Commit, Committed, Store
from monitor.worker import Observer, Worker


def turn_event(number: int) -> bytes:
    turn = {
        "id": f"t{number}",
        "index": number,
        "question": {"text": "How many?"},
        "answer": {"text": f"{number} flights"},
    }
    return orjson.dumps({"conversation_id": "c", "turn": turn}) + b"\n"


def config(path: Path, *, follow: bool = False) -> Config:
    source = {"name": "s", "type": "file", "path": str(path), "format": "native"}
    if follow:
        source |= {"follow": True, "poll_seconds": 0.02}  # type: ignore[dict-item]
    return Config.model_validate({"sources": [source]})


async def until(condition: Callable[[], Any], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


def decisions(store: Store) -> dict[str, int]:
    ledger = store.ledger().sources.get("s")
    return {name: count for name, count in ledger.turns.items() if count} if ledger else {}


def test_what_comes_while_a_conversation_is_joined_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fragment that arrives between reading a conversation and marking it as joined is not forgotten."""
    monkeypatch.setattr(module, "GRACE", timedelta(seconds=0))
    monkeypatch.setattr(module, "_CLOSING_SECONDS", 0.05)
    file = tmp_path / "a.jsonl"
    file.write_bytes(turn_event(1))
    store = Store.open(f"sqlite:///{tmp_path}/state.db")
    read = Store.fragments
    reads: list[int] = []

    def slow(self: Store, source: str, group: str) -> list[Fragment]:
        found = read(self, source, group)
        if not reads:
            with file.open("ab") as out:
                out.write(turn_event(2))
            time.sleep(0.5)
        reads.append(len(found))
        return found

    monkeypatch.setattr(Store, "fragments", slow)

    async def drive() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(Worker(config(file, follow=True), load_rules(), store).run(stop))
        await until(lambda: decisions(store).get("evaluated") == 2)
        stop.set()
        await running

    asyncio.run(drive())
    assert {"seen": 2, "evaluated": 2} == decisions(store)
    assert reads[0] == 1
    store.close()


def test_an_outage_of_the_state_is_waited_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the state cannot be written nothing more is read; afterwards everything is there, once."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(turn_event(1) + turn_event(2))
    store = Store.open(f"sqlite:///{tmp_path}/state.db")
    commit = Store.commit
    failures = [StoreError("the disk is full", hint="make room")] * 2
    told: list[str] = []

    def failing(self: Store, given: Commit) -> Committed:
        if failures:
            raise failures.pop()
        return commit(self, given)

    class Told(Observer):
        def committed(self, commit: Commit, committed: Committed) -> None:
            told.append("committed")

        def evaluated(self, source: str, evaluation: Any) -> None:
            told.append("evaluated")

        def sink_failed(self, sink: str, error: StoreError) -> None:
            told.append("failed")

        def sink_recovered(self, sink: str) -> None:
            told.append("recovered")

    monkeypatch.setattr(Store, "commit", failing)
    asyncio.run(Worker(config(file), load_rules(), store, [Told()]).run(asyncio.Event()))
    assert ["failed", "failed", "recovered", "committed"] == told[:4]
    assert {"seen": 2, "evaluated": 2} == decisions(store)
    assert told.count("evaluated") == 2
    store.close()


def test_only_new_results_are_told(tmp_path: Path) -> None:
    """Read again into the same state, nothing is told again."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(turn_event(1))
    store = Store.open(f"sqlite:///{tmp_path}/state.db")
    told: list[str] = []

    class Told(Observer):
        def evaluated(self, source: str, evaluation: Any) -> None:
            told.append(source)

    for name in ("s", "again"):
        again = Config.model_validate(
            {"sources": [{"name": name, "type": "file", "path": str(file), "format": "native"}]}
        )
        asyncio.run(Worker(again, load_rules(), store, [Told()]).run(asyncio.Event()))
    assert ["s"] == told
    store.close()


def test_a_defect_while_joining_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What breaks in the background is not swallowed while the process says that it is well."""
    monkeypatch.setattr(module, "_CLOSING_SECONDS", 0.05)

    async def broken(self: Worker, *_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Worker, "_close", broken)
    file = tmp_path / "a.jsonl"
    file.write_bytes(turn_event(1))
    store = Store.open(f"sqlite:///{tmp_path}/state.db")

    async def drive() -> None:
        await asyncio.wait_for(Worker(config(file, follow=True), load_rules(), store).run(asyncio.Event()), 10)

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(drive())
    assert caught.group_contains(ZeroDivisionError)
    store.close()


def test_an_observer_that_breaks_stops_nothing(tmp_path: Path) -> None:
    """Telling is best effort: what breaks there loses no result."""

    class Broken(Observer):
        def committed(self, commit: Commit, committed: Committed) -> None:
            raise ZeroDivisionError

    file = tmp_path / "a.jsonl"
    file.write_bytes(turn_event(1))
    store = Store.open(f"sqlite:///{tmp_path}/state.db")
    asyncio.run(Worker(config(file), load_rules(), store, [Broken()]).run(asyncio.Event()))
    assert {"seen": 1, "evaluated": 1} == decisions(store)
    store.close()
