from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from monitor.formats import Fragment
from monitor.outcome import Outcome
from monitor.store import Commit, ReviewItem, Store, TurnRow, TurnText

NOW = datetime.now(UTC)
GROWING = ("fragments", "groups", "turns", "turn_texts", "live_scores", "outcome_texts", "review_items", "quarantine")


def commit() -> Commit:
    outcome = Outcome.passed("x", result_id="1", conversation_id="c", turn_id="t1", rule="r", evaluated_at=NOW)
    return Commit(
        "file",
        checkpoint={"line": 1},
        fragments=[Fragment(group, key, ("", ""), {}) for group in "gh" for key in "kl"],
        joined=["g"],
        forgotten=["h"],
        turns=[TurnRow("c", name, "r", "complete", "evaluated", revised_at=NOW) for name in ("t1", "t2")],
        outcomes=[outcome, outcome.model_copy(update={"result_id": "2"})],
        texts=[TurnText("c", "t1", "r", "q", "a", None)],
        review=[ReviewItem("1", "r", "major", "fail", outcome.scope, NOW.date())],
        unknown_codes={("E", "unknown"): 1},
    )


@pytest.fixture
def plans(tmp_path: Path) -> dict[str, list[str]]:
    """By statement, how SQLite runs what the daemon asks for all the time."""
    path, statements = tmp_path / "state.db", {}
    with Store.open(f"sqlite:///{path}") as store:

        def remember(_connection: Any, _cursor: Any, statement: str, values: Any, _context: Any, many: bool) -> None:
            statements[statement] = tuple(values[0] if many else values)

        event.listen(store._database.engine, "before_cursor_execute", remember)
        store.commit(commit())
        store.commit(commit())
        list(store.groups("file"))
        list(store.groups("file", ended_before=NOW, quiet_before=NOW))
        store.fragments("file", "g")
        list(store.observations("r", NOW - timedelta(days=7)))
        store.evaluations("c")
        store.filed(NOW.date())
        store.prune(texts_before=NOW, quarantine_before=NOW, groups_before=NOW)
    connection = sqlite3.connect(path)
    planned = {
        statement: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
        for statement, values in statements.items()
        if statement.split()[0] in ("SELECT", "UPDATE", "DELETE", "WITH")
    }
    connection.close()
    return planned


def test_no_statement_reads_a_whole_table(plans: dict[str, list[str]]) -> None:
    """What the daemon asks for with every batch costs the same however much is stored."""
    scans = [
        (statement, step)
        for statement, steps in plans.items()
        for step in steps
        if any(step.startswith(f"SCAN {table}") for table in (*GROWING, "stored", "score", "newer"))
    ]
    assert (True, []) == (len(plans) > 15, scans)


def test_no_statement_reads_all_of_a_source(plans: dict[str, list[str]]) -> None:
    """No lookup by key is answered by reading everything that its source ever gave."""
    by_source = [(statement, step) for statement, steps in plans.items() for step in steps if "(source=?)" in step]
    assert [] == [
        (statement, step) for statement, step in by_source if any(f"SEARCH {table} " in step for table in GROWING)
    ]
