"""
CPU time of the grounded check: a typical turn, a wide one, how it grows with rows, and what hostile answers cost.

    python -m tests.benchmarks.grounded_micro [--turns N] [--write]

``make bench-speed`` runs it. Turns are generated from a seed and no two share a row's name or a number, in any part of a
run, so that nothing but column names and common words is answered from a cache. The queries carry no SQL: parsing that
is measured by ``throughput``. Ratios to ``orjson.loads`` of the same records, in the same run, hold on any machine.
``--write`` renews the speed block of ``grounding.md``.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import orjson

from monitor.checks.grounded import Grounded
from monitor.checks.grounded.evidence.gather import evidence_of
from monitor.checks.grounded.text.figures import find_figures
from monitor.conversation import Column, Conversation, Query, ResultTable, ToolCall, Turn
from monitor.errors import TooLarge
from monitor.process import tune_collector
from tests.benchmarks import grounding_page as page

SYLLABLES = "al ber cor dan el fir gan hol ist jen kar lun mer nor ost pel quin ros sol tam ul ven wes yor zan".split()
KINDS = ("Air", "Express", "Regional", "Cargo", "Link", "Connect", "Charter", "Lines")
SUBJECTS = ("flights", "passengers", "bookings", "complaints", "cancellations", "revenue_eur", "fuel_cost_eur",
            "avg_delay_min", "taxi_time_min", "load_factor", "on_time_rate")  # fmt: skip
EMPTY = Conversation(id="c")
ROWS = (5, 50, 500, 5000)
SEEDS = count(1)
"""Each turn of a run takes the next."""


def names(rng: random.Random, amount: int) -> list[str]:
    """Invented names of row keys, none twice."""
    found: dict[str, None] = {}
    while len(found) < amount:
        found[f"{''.join(rng.choices(SYLLABLES, k=3)).capitalize()} {rng.choice(KINDS)}"] = None
    return list(found)


def column(name: str) -> Column:
    """A column whose unit and aggregation follow from its name, as a semantic model declares them."""
    if name.endswith("_eur"):
        return Column(name=name, unit="EUR", aggregation="sum")
    if name.endswith("_min"):
        return Column(name=name, unit="min", aggregation="avg")
    if name.endswith(("rate", "factor")):
        return Column(name=name, unit="ratio", aggregation="ratio")
    return Column(name=name, aggregation="count")


def value(rng: random.Random, name: str) -> float:
    """A value such as the column *name* holds."""
    if name.endswith("_eur"):
        return round(rng.uniform(1e4, 9e6), 2)
    if name.endswith("_min"):
        return round(rng.uniform(1, 60), 2)
    if name.endswith(("rate", "factor")):
        return round(rng.random(), 4)
    return rng.randrange(100, 99_999)


def turn_of(seed: int, columns: list[str], rows: list[list[Any]], answer: str) -> Turn:
    """A turn with one query's result."""
    semantic = {
        "metrics": columns[1:3], "dimensions": ["carrier"], "filters": [f"month = '2026-09' AND seats > {seed}"],
    }  # fmt: skip
    result = ResultTable(columns=(Column(name="carrier"), *map(column, columns[1:])), rows=rows, row_count=len(rows))
    query = Query(id="q", tool_call_id="c1", language="semantic", semantic=semantic, status="ok", result=result)
    return Turn.model_validate(
        {
            "id": f"t{seed}",
            "question": {"text": f"How did the carriers do in September 2026, number {seed}?"},
            "answer": {"text": answer},
            "queries": (query,),
            "tool_calls": (ToolCall(id="c1", name="run_query", arguments=semantic, status="ok"),),
        }
    )


def typical(rows: int = 20) -> Turn:
    """A turn with *rows* × 5 cells, three sentences, six figures and a date."""
    seed = next(SEEDS)
    rng = random.Random(seed)
    columns = ["carrier", "flights", "avg_delay_min", "on_time_rate", "revenue_eur"]
    body: list[list[Any]] = [[key, *(value(rng, name) for name in columns[1:])] for key in names(rng, rows)]
    a, b = body[0], body[min(3, rows - 1)]
    answer = (
        f"{a[0]} had {a[1]:,} flights in September 2026 with an average delay of {a[2]:.1f} minutes. "
        f"Its on-time rate was {a[3] * 100:.1f}%, and it earned €{a[4] / 1e6:.2f} million. "
        f"{b[0]} had {b[1]:,} flights and an average delay of {b[2]:.1f} minutes."
    )
    return turn_of(seed, columns, body, answer)


def wide() -> Turn:
    """A turn with 200 rows × 24 columns and an answer of ten sentences with thirty figures."""
    seed = next(SEEDS)
    rng = random.Random(seed)
    columns = ["carrier", "fleet", *(f"{where}_{name}" for where in ("domestic", "international") for name in SUBJECTS)]
    body: list[list[Any]] = [[key, *(value(rng, name) for name in columns[1:])] for key in names(rng, 200)]
    sentences = []
    for row in rng.sample(body, 10):
        where = rng.choice((2, 13))
        area = "domestic" if where == 2 else "international"
        sentences.append(
            f"{row[0]} had {row[where]:,} {area} flights with an average {area} delay of {row[where + 7]:.1f} minutes "
            f"and {area} revenue of €{row[where + 5] / 1e6:.2f} million."
        )
    return turn_of(seed, columns, body, " ".join(sentences))


def measured(work: Callable[[Turn], object], turns: list[Turn]) -> list[float]:
    """CPU microseconds of *work* on each turn, sorted."""
    out = []
    for turn in turns:
        start = time.process_time_ns()
        work(turn)
        out.append((time.process_time_ns() - start) / 1e3)
    return sorted(out)


def loads(turns: list[Turn]) -> float:
    """CPU microseconds that ``orjson.loads`` takes for one of *turns*, on average."""
    texts = [turn.model_dump_json().encode() for turn in turns]
    repeats = 1 + 2000 // len(texts)
    start = time.process_time_ns()
    for _ in range(repeats):
        for text in texts:
            orjson.loads(text)
    return (time.process_time_ns() - start) / 1e3 / len(texts) / repeats


def workload(work: Callable[[Turn], object], make: Callable[[], Turn], turns: int) -> list[str]:
    """Median, p99 and ratio to ``orjson.loads`` of *work* on so many new turns, which the collector looks at no more."""
    for _ in range(5):
        work(make())
    made = [make() for _ in range(turns)]
    gc.collect()
    gc.freeze()
    times, base = measured(work, made), loads(made)
    median = statistics.median(times)
    p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
    return [f"{median:,.0f}", f"{p99:,.0f}", f"{base:,.1f}", f"{median / base:,.0f}"]


def report(turns: int) -> Iterator[list[str]]:
    """The rows of the table of workloads."""
    check = Grounded()

    def whole(turn: Turn) -> object:
        return check.run(turn, EMPTY)

    yield ["µs of CPU a turn", "median", "p99", "orjson.loads", "ratio", "done at", "aim"]
    yield [
        "typical: its figures",
        *workload(lambda t: find_figures(t.answer.text if t.answer else ""), typical, turns),
        "",
        "",
    ]
    yield ["typical: its evidence", *workload(lambda t: evidence_of(t, EMPTY), typical, turns), "", ""]
    yield ["typical (20 rows × 5 columns, 6 figures)", *workload(whole, typical, turns), "1,200", "350"]
    yield ["wide (200 rows × 24 columns, 30 figures)", *workload(whole, wide, max(100, turns // 4)), "15,000", "3,000"]
    for rows in ROWS:
        amount = max(40, min(turns, 50_000 // rows))
        yield [f"typical with {rows:,} rows", *workload(whole, partial(typical, rows), amount), "", ""]


def hostile(check: Grounded) -> None:
    """What 100 KB of nonsense costs, and one sentence of hundreds of figures."""
    base = typical()
    for name, piece in (
        ("digits", "1"),
        ("1,", "1,"),
        ("(", "("),
        ("SELECT", "SELECT "),
        ("spaces", " "),
        ("months", "January "),
        ("numerals", "三百人"),
        ("one sentence", "Aldor Air had 84123 flights of the kind that we saw, on average, and "),
    ):
        turn = Turn.model_validate({**base.model_dump(), "answer": {"text": piece * (100_000 // len(piece))}})
        start = time.process_time_ns()
        try:
            said: str = check.run(turn, EMPTY).label
        except TooLarge:
            said = "too large"
        print(f"100 KB of {name:<12}{(time.process_time_ns() - start) / 1e6:>8.0f} ms  {said}")


def main() -> None:
    """Measure, print, and renew the page where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=400, help="typical turns to measure; fewer of the larger ones")
    parser.add_argument("--write", action="store_true", help=f"renew the speed block of {page.PAGE.name}")
    options = parser.parse_args()
    tune_collector()
    rows = []
    for row in report(options.turns):
        rows.append(row)
        print(f"{row[0]:<42}" + "".join(f"{cell:>13}" for cell in row[1:]), flush=True)
    if options.write:
        block = [*page.table(rows), "", "`make bench-speed ARGS=--write`"]
        page.PAGE.write_text(page.put(page.PAGE.read_text(encoding="utf-8"), "speed", block), encoding="utf-8")
    hostile(Grounded())


if __name__ == "__main__":
    main()
