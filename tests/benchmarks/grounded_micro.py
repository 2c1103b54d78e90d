"""
CPU time of the grounded check: a typical turn, how it grows with rows, and what hostile answers cost.

    .venv/bin/python tests/benchmarks/grounded_micro.py [TURNS]

Turns are generated from a seed and all differ, so that little is answered from a cache of a turn before. Printed, not
asserted; the ratio to ``orjson.loads`` of the same record, in the same run, holds on any machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import orjson

from monitor.checks.grounded import Grounded
from monitor.checks.grounded.evidence import evidence_of
from monitor.checks.grounded.figures import find_figures
from monitor.conversation import Column, Conversation, Query, ResultTable, ToolCall, Turn
from monitor.errors import TooLarge

NAMES = ("Aurora", "Cloudline", "Norwind", "Solvia", "Tidewing", "Harlow", "Vellmar", "Orrin", "Eastmere", "Corvus")
PLACES = ("North", "Bay", "Hill", "Express", "Link", "Regional", "Cargo", "Valley", "Coast", "Isle", "Central", "Ridge")
EMPTY = Conversation(id="c")


def typical(seed: int, rows: int = 20) -> Turn:
    """A turn with *rows* × 5 cells, three sentences, six figures and a date."""
    rng = random.Random(seed)
    keys = [
        f"{rng.choice(NAMES)} {rng.choice(PLACES)}{'abcdefghijkl'[index % 12] * (index // 12)}" for index in range(rows)
    ]
    body: list[list[Any]] = [
        [
            key,
            rng.randrange(100, 99999),
            round(rng.uniform(1, 60), 2),
            round(rng.random(), 4),
            round(rng.uniform(1e4, 9e6), 2),
        ]
        for key in keys
    ]
    columns = (
        Column(name="carrier"),
        Column(name="flights", unit="flights", aggregation="count"),
        Column(name="avg_delay_min", unit="min", aggregation="avg"),
        Column(name="on_time_rate", unit="ratio", aggregation="ratio"),
        Column(name="revenue_eur", unit="EUR", aggregation="sum"),
    )
    a, b = body[0], body[min(3, rows - 1)]
    answer = (
        f"{a[0]} had {a[1]:,} flights in September 2026 with an average delay of {a[2]:.1f} minutes. "
        f"Its on-time rate was {a[3] * 100:.1f}%, and it earned €{a[4] / 1e6:.2f} million. "
        f"{b[0]} had {b[1]:,} flights and an average delay of {b[2]:.1f} minutes."
    )
    semantic = {
        "metrics": ["flights", "revenue"],
        "dimensions": ["carrier"],
        "filters": [f"month = '2026-09' AND x > {seed}"],
    }
    query = Query(
        id="q", tool_call_id="c1", language="semantic", semantic=semantic, status="ok",
        result=ResultTable(columns=columns, rows=body, row_count=rows),
    )  # fmt: skip
    question = {"text": f"How did the carriers do in September 2026, number {seed}?"}
    return Turn.model_validate(
        {"id": f"t{seed}", "question": question, "answer": {"text": answer}, "queries": (query,),
         "tool_calls": (ToolCall(id="c1", name="run_query", arguments=semantic, status="ok"),)}
    )  # fmt: skip


def measured(work: Callable[[Turn], object], turns: list[Turn]) -> list[float]:
    """CPU microseconds of *work* on each turn."""
    out = []
    for turn in turns:
        start = time.process_time_ns()
        work(turn)
        out.append((time.process_time_ns() - start) / 1e3)
    return sorted(out)


def row(name: str, times: list[float]) -> str:
    return f"{name:<28}{statistics.median(times):>10.0f}{times[int(len(times) * 0.99) - 1]:>10.0f}"


def main(count: int) -> None:
    check = Grounded()
    for turn in (typical(-1 - seed) for seed in range(20)):
        check.run(turn, EMPTY)
    turns = [typical(seed) for seed in range(count)]
    print(f"{'µs of CPU a turn':<28}{'median':>10}{'p99':>10}")
    texts = [turn.model_dump_json() for turn in turns]
    start = time.process_time_ns()
    for text in texts:
        orjson.loads(text)
    loads = (time.process_time_ns() - start) / 1e3 / count
    print(
        row(
            "figures of the answer", measured(lambda turn: find_figures(turn.answer.text if turn.answer else ""), turns)
        )
    )
    print(row("evidence", measured(lambda turn: evidence_of(turn, EMPTY), turns)))
    whole = measured(lambda turn: check.run(turn, EMPTY), turns)
    print(row("the whole check", whole))
    print(f"orjson.loads {loads:.1f} µs; the check takes {statistics.median(whole) / loads:.0f} times that\n")
    print("rows of the result      " + "".join(f"{rows:>10}" for rows in (5, 50, 500, 5000)))
    curve = [
        statistics.median(measured(lambda turn: check.run(turn, EMPTY), [typical(9000 + n, rows) for n in range(9)]))
        for rows in (5, 50, 500, 5000)
    ]
    print("µs of CPU (median)      " + "".join(f"{value:>10.0f}" for value in curve) + "\n")
    hostile(check)


def hostile(check: Grounded) -> None:
    """What 100 KB of nonsense costs."""
    base = typical(1)
    for name, piece in (
        ("digits", "1"),
        ("1,", "1,"),
        ("(", "("),
        ("SELECT", "SELECT "),
        ("spaces", " "),
        ("months", "January "),
    ):
        turn = Turn.model_validate({**base.model_dump(), "answer": {"text": piece * (100_000 // len(piece))}})
        start = time.process_time_ns()
        try:
            said: str = check.run(turn, EMPTY).label
        except TooLarge:
            said = "too large"
        print(f"100 KB of {name:<12}{(time.process_time_ns() - start) / 1e6:>8.0f} ms  {said}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
