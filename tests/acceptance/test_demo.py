"""The demo, as a newcomer runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from monitor.demo import recordings

EXPECTED = Path(__file__).parents[1] / "demo_expected.jsonl"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "monitor", *arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    done = run("demo", "--once", "--json")
    assert done.returncode == 0, done.stderr
    return [orjson.loads(line) for line in done.stdout.splitlines()]


def test_it_ends_with_the_counts(lines: list[dict[str, Any]]) -> None:
    """The last line counts turns and outcomes, and everything is accounted for."""
    counts = lines[-1]
    assert {"turns": 64, "evaluated": 64, "balanced": True} == {
        key: counts[key] for key in ("turns", "evaluated", "balanced")
    }
    decided = ("passed", "failed", "not_applicable", "not_evaluable", "errors")
    assert len(lines) - 1 == sum(counts[key] for key in decided)


def test_every_turn_gets_the_label_that_a_person_gave_it(lines: list[dict[str, Any]]) -> None:
    """Each packaged turn is judged as its label says, by both rules."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for outcome in lines[:-1]:
        key = (outcome["conversation_id"], outcome["turn_id"])
        found.setdefault(key, {})[outcome["rule"]] = outcome["label"]
    labels: dict[str, list[dict[str, Any]]] = {}
    for label in map(orjson.loads, EXPECTED.read_bytes().splitlines()):
        labels.setdefault(label["conversation_id"], []).append(label)
    wrong = []
    for conversation, turns in recorded_turns().items():
        for turn, label in zip(turns, labels[conversation], strict=True):
            told = {rule: label[rule] for rule in ("grounded", "refusal_explained")}
            if told != found[conversation, turn]:
                wrong.append((conversation, turn, told, found[conversation, turn], label["why"]))
    assert [] == wrong


def recorded_turns() -> dict[str, list[str]]:
    """The ids of each packaged conversation's turns, in their order."""
    done = run("evaluate", str(recordings()), "--json")
    turns: dict[str, list[str]] = {}
    for outcome in map(orjson.loads, done.stdout.splitlines()):
        known = turns.setdefault(outcome["conversation_id"], [])
        if outcome["turn_id"] not in known:
            known.append(outcome["turn_id"])
    return turns


def test_the_summary_is_for_people() -> None:
    """The page says what was checked, what failed and why, and where to look next; that command works."""
    done = run("demo", "--once")
    assert done.returncode == 0, done.stderr
    for part in ("64 recorded turns", "what went wrong, and why", "adds up", "Where to look next"):
        assert part in done.stdout
    command = next(line for line in done.stdout.splitlines() if "monitor explain" in line).split()
    told = run(*command[1:])
    assert told.returncode == 0, told.stderr
    assert "question: What was the average departure delay per carrier?" in told.stdout
