"""The real process, killed: what it has found at the end is what an undisturbed run finds."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson

from monitor.demo import recordings
from tests.benchmarks.generate import conversations

KILLS = 10
CONVERSATIONS = 500
SESSIONS = 120

CONFIG = """\
state: {{url: "sqlite:///{state}"}}
limits: {{batch: 8}}
telemetry: {{metrics_port: null}}
sources:
- {{name: whole, type: file, format: native, path: {folder}/whole.jsonl}}
- {{name: events, type: file, path: {folder}/events.jsonl}}
"""
SCORES = """
SELECT result_id, conversation_id, turn_id, revision, rule, rule_version, label, cause, score, inclusion_probability
FROM live_scores ORDER BY result_id
"""
LEDGER = "SELECT source, entry, count FROM ledger ORDER BY source, entry"
TURNS = "SELECT source, decision, COUNT(*) FROM turns GROUP BY 1, 2 ORDER BY 1, 2"


def write(folder: Path) -> None:
    """Whole conversations with some broken lines, and event rows of many sessions, shuffled."""
    lines = list(conversations(CONVERSATIONS))
    lines[50:50] = [b'{"id": "broken"\n', b"\xff\xfe\n"]
    (folder / "whole.jsonl").write_bytes(b"".join(lines))
    packaged = [orjson.loads(line) for line in (recordings() / "adk_bqaa.jsonl").read_bytes().splitlines()]
    rows = [
        {**row, "session_id": f"{row['session_id']}-{n}", "event_id": f"{row['event_id']}-{n}"}
        for n in range(SESSIONS // len({row["session_id"] for row in packaged}))
        for row in packaged
    ]
    random.Random(3).shuffle(rows)
    (folder / "events.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def start(config: Path, log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "monitor", "run", "--config", config], stderr=out, env=os.environ
        )


def read(state: Path) -> dict[str, list[Any]]:
    with sqlite3.connect(state) as database:
        return {name: database.execute(query).fetchall() for name, query in
                (("scores", SCORES), ("ledger", LEDGER), ("turns", TURNS))}  # fmt: skip


def test_killed_ten_times_it_ends_as_if_undisturbed(tmp_path: Path) -> None:
    """Ten SIGKILLs at different moments change neither the scores nor a number in either ledger."""
    write(tmp_path)
    states = {name: tmp_path / f"{name}.db" for name in ("undisturbed", "killed")}
    configs = {name: tmp_path / f"{name}.yaml" for name in states}
    for name, config in configs.items():
        config.write_text(CONFIG.format(state=states[name], folder=tmp_path))
    log = tmp_path / "log"
    began = time.monotonic()
    assert start(configs["undisturbed"], log).wait(300) == 0, log.read_text()
    whole = time.monotonic() - began

    rng, done, seen = random.Random(11), 0, []
    while done < KILLS:
        process = start(configs["killed"], log)
        deadline = time.monotonic() + 30
        while b"monitor_started" not in log.read_bytes() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, whole / KILLS))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it ended before it was killed: give it more to do"
        done += 1
        seen.append(len(read(states["killed"])["scores"]))
    assert start(configs["killed"], log).wait(300) == 0, log.read_text()

    assert len(set(seen)) > KILLS // 2, f"the kills fell on the same moment: {seen}"
    expected, found = read(states["undisturbed"]), read(states["killed"])
    assert expected["scores"] == found["scores"]
    assert expected["ledger"] == found["ledger"]
    assert expected["turns"] == found["turns"]
