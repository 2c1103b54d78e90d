"""
Generated conversations for benchmarks: seeded, of three sizes, with answers that are right and wrong.

``python tests/benchmarks/generate.py 1000 FILE`` writes that many as JSON Lines in the native format. Sizes are 2, 10
and 50 KB, weighted so that the mean is about 16 KB; tables have 5 to 200 rows, answers 1 to 15 figures; no two SQL
texts are alike.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

CARRIERS = [f"{a} {b}" for a in "Aurora Norwind Cloudline Skylark Corvus Bluefin Solvia Merlin Tern Osprey".split()
            for b in "Air Airways Express Lines Connect Regional Cargo Jet Atlantic Pacific North South East West Sky Wings "
            "Shuttle Charter One Plus".split()]  # fmt: skip
METRICS = [("flights", "count", None), ("passengers", "sum", None), ("avg_departure_delay_min", "avg", "min"),
           ("on_time_rate", "avg", "ratio"), ("revenue_eur", "sum", "EUR"), ("cancelled", "sum", None)]  # fmt: skip
SIZES = ((2_000, 0.25), (10_000, 0.37), (50_000, 0.38))


def conversations(count: int, seed: int = 7) -> Iterator[bytes]:
    """*count* JSON lines."""
    rng = random.Random(seed)
    for number in range(count):
        target = rng.choices([size for size, _ in SIZES], [weight for _, weight in SIZES])[0]
        yield orjson.dumps(_conversation(rng, number, target)) + b"\n"


def _conversation(rng: random.Random, number: int, target: int) -> dict[str, Any]:
    """One to four turns that come to about *target* bytes, with 1 to 15 figures in all."""
    count = 1 if target <= 2_000 else rng.randint(1, 2) if target <= 10_000 else rng.randint(3, 4)
    figures = rng.randint(count, 15)
    turns = []
    for index in range(count):
        share = figures // count + (index < figures % count)
        turns.append(_turn(rng, number, index, target // count, share))
    return {
        "schema_version": 1, "id": f"bench-{number}", "agent": {"name": "bi", "version": "1"}, "team": "ops",
        "environment": "production", "semantic_model": "flights", "turns": turns, "state": "complete",
    }  # fmt: skip


def _turn(rng: random.Random, number: int, index: int, target: int, figures: int) -> dict[str, Any]:
    chosen = rng.sample(METRICS, rng.randint(2, 5))
    count = min(len(CARRIERS), 200, max(5, (target - 1200) // (22 + 9 * len(chosen))))
    names = rng.sample(CARRIERS, count)
    columns = [{"name": "carrier", "type": "string"}] + [
        {"name": name, "type": "number", **({"unit": unit} if unit else {}), "aggregation": kind}
        for name, kind, unit in chosen
    ]
    rows = [[name, *(_value(rng, metric) for metric, _, _ in chosen)] for name in names]
    year, month = rng.randint(2023, 2026), rng.randint(1, 12)
    outputs = ", ".join(f"{kind.upper()}({name}) AS {name}" for name, kind, _ in chosen)
    sql = (f"SELECT carrier, {outputs} FROM ops.flights_{number % 17} WHERE month = '{year}-{month:02}' AND seats > "
           f"{number % 300} GROUP BY carrier ORDER BY 2 DESC LIMIT {count + 10}")  # fmt: skip
    if rng.random() < 0.06:
        return _refused(number, index, year, month)
    query = {
        "id": f"c{index}:0", "tool_call_id": f"c{index}", "language": "sql", "sql": sql, "status": "ok",
        "result": {"columns": columns, "rows": rows, "row_count": count},
    }  # fmt: skip
    call = {"id": f"c{index}", "name": "run_query", "arguments": {"sql": sql}, "status": "ok"}
    return {
        "id": f"t{index + 1}", "index": index, "state": "complete",
        "question": {"text": f"How did the carriers do in {year}-{month:02}?"},
        "answer": {"text": _answer(rng, rows, chosen, figures)}, "tool_calls": [call], "queries": [query],
        "trace": {"trace_id": f"{number:032x}", "span_id": f"{index + 1:016x}"},
    }  # fmt: skip


def _refused(number: int, index: int, year: int, month: int) -> dict[str, Any]:
    error = {
        "code": "fan_out",
        "message": "splitting flights by aircraft_part would count flights twice",
        "kind": "refusal",
    }
    query = {"id": f"c{index}:0", "tool_call_id": f"c{index}", "language": "semantic", "status": "error", "error": error,
             "semantic": {"metrics": ["flights"], "dimensions": ["aircraft_part"]}}  # fmt: skip
    answer = (
        "I can't split flights by part: that would count flights twice."
        if number % 2
        else "There were about 4,200 per part."
    )
    return {
        "id": f"t{index + 1}", "index": index, "state": "complete", "question": {"text": f"Flights per part in {year}-{month:02}?"},
        "answer": {"text": answer}, "queries": [query], "errors": [{"source": "tool", "tool_call_id": f"c{index}", **error}],
    }  # fmt: skip


def _value(rng: random.Random, metric: str) -> float | int:
    if metric == "on_time_rate":
        return round(rng.uniform(0.6, 0.97), 4)
    if metric.startswith("avg"):
        return round(rng.uniform(2, 45), 2)
    return rng.randint(10, 9_000_000)


def _answer(rng: random.Random, rows: list[list[Any]], chosen: list[tuple[str, str, str | None]], figures: int) -> str:
    sentences = []
    for _ in range(figures):
        row, column = rng.choice(rows), rng.randrange(len(chosen))
        name, _kind, unit = chosen[column]
        value = row[column + 1] if rng.random() > 0.02 else row[column + 1] * 1.37 + 3
        words = name.replace("_", " ").removesuffix(" min").removesuffix(" eur").replace("avg", "average")
        if unit == "ratio":
            text = f"{value * 100:.1f}%"
        elif unit == "EUR":
            text = f"€{value:,.0f}"
        elif unit == "min":
            text = f"{value:.1f} minutes"
        else:
            text = f"{value:,.0f}"
        sentences.append(f"{row[0]} had {text} {words}." if unit is None else f"The {words} of {row[0]} was {text}.")
    return " ".join(sentences)


if __name__ == "__main__":
    with Path(sys.argv[2]).open("wb") as out:
        out.writelines(conversations(int(sys.argv[1])))
