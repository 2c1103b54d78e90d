from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from monitor.store import Store

BATCHES = 400
PROGRAM = f"""
import sys
from datetime import UTC, datetime
from monitor.formats import Fragment
from monitor.outcome import Outcome
from monitor.store import Commit, Store, TurnRow

with Store.open(sys.argv[1], exclusive=True) as store:
    start = (store.checkpoint("file") or {{"at": 0}})["at"]
    print("started", flush=True)
    for at in range(start, {BATCHES}):
        ids = [f"{{at}}-{{number}}" for number in range(8)]
        store.commit(Commit(
            "file",
            checkpoint={{"at": at + 1}},
            records={{"read": 8, "parsed": 7, "ignored": 1}},
            fragments=[Fragment(f"g{{at % 7}}", each, ("", each), {{"n": each}}) for each in ids],
            joined=[f"g{{at % 7}}"],
            turns=[TurnRow(each, "t", "r", "complete", "evaluated") for each in ids],
            outcomes=[Outcome.failed("wrong", result_id=each, conversation_id=each, turn_id="t", rule="r",
                                     evaluated_at=datetime(2026, 3, 1, tzinfo=UTC)) for each in ids],
            unknown_codes={{("E", "unknown"): 1}},
        ))
"""


def contents(path: Path) -> dict[str, Any]:
    with Store.open(f"sqlite:///{path}", must_exist=True) as store:
        status = store.status()
        return {
            "checkpoint": store.checkpoint("file"),
            "ledger": status.ledger,
            "codes": status.unknown_codes,
            "rows": status.rows,
            "scores": sorted(store.scores(), key=lambda each: each.result_id),
            "waiting": status.groups_waiting,
        }


def start(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, f"sqlite:///{path}"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "started\n" == process.stdout.readline()
    return process


def test_killed_process_goes_on_where_it_was(tmp_path: Path) -> None:
    """Killed at any moment and started again, it ends with what an undisturbed run has: nothing lost, nothing twice."""
    undisturbed, killed = tmp_path / "a.db", tmp_path / "b.db"
    with start(undisturbed) as process:
        assert 0 == process.wait(timeout=60)
    places = []
    for seconds in (0.02, 0.11, 0.07):
        with start(killed) as process:
            time.sleep(seconds)
            process.kill()
        found = contents(killed)
        assert found["ledger"].balanced
        at = (found["checkpoint"] or {"at": 0})["at"]
        assert (8 * at, 8 * at) == (found["rows"]["live_scores"], found["rows"]["fragments"])
        places.append(at)
    with start(killed) as process:
        assert 0 == process.wait(timeout=60)
    assert places[-1] > 0
    assert places[0] < BATCHES
    assert contents(undisturbed) == contents(killed)
