"""
Throw random turns at the grounded check for a while: ``make fuzz``, FUZZ_SECONDS=60, FUZZ_SEED=… for the same ones again.

Whatever the record holds: no exception but TooLarge, spans in order, printable sentences, the same twice, in bounded CPU.
Each case has a seed of its own, so that FUZZ_SEED=… FUZZ_CASE=… runs the one that failed.
"""

from __future__ import annotations

import os
import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from monitor.checks.grounded import Grounded
from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.faults import FAULTS
from monitor.checks.grounded.verdict import Mode, ground
from monitor.conversation import (
    Answer,
    Column,
    Completeness,
    Conversation,
    Definition,
    Query,
    Question,
    ResultTable,
    ToolCall,
    Turn,
)
from monitor.errors import TooLarge
from monitor.outcome import CAUSES, LABELS, FigureVerdict, Outcome

CPU_SECONDS = 2.0
"""Eight times the bound of a turn, so that a slow or busy machine passes and an explosion does not."""
MEGA = 100_000
PIECES = (
    "1", "1,", "1 ", "1.", "(", "((1))", "SELECT ", "SELECT FROM ", " ", "\n", "- \n", "| 1 ", "`", "](", "a@", "@", "1:", "10:00:00 ",
    "2025-01-01 ", "January ", "more than ", "million ", "Name1 ", "Name1 is 7. ", "123 ", ". A", " and ", "http://", "+49 12 ", "1e9",
    "万1", "İ1 ", "1/", "5 of 7 ", "Name5 had 35 and 12% more than Name6. ", "\x1b[31m", "\u202e7", "٣٤", "१२", "１２", "½ ", "twenty-five ",
    "zwei Drittel ", "ein", "\ud800", "\x00", "7\u200b8", "-−–", "$€", "%", "‰", "1e309 ", "00001 ", "0x1f ", "Q3 2024 ", "W19 ", "±3 ",
)  # fmt: skip
WORDS = (
    "Name1 Name2 Name17 Kind3 Aurora had was rose fell by to from in total average share of the more than less about exactly 12.4 1,374 5% "
    "2,012 7 3.2 points twice half three 1.2 million €5.7m $1,200 1 200 1.234,5 January 2026 14/01/2026 07:30 2h 23min highest lowest top 5 rank "
    "first per each difference between and or ; : . , ( ) | - * flights delay minutes EUR % 4711 #12 v1.2.3 https://x.y/7 `7` 15 Uhr "
    "im Schnitt au total en 2019 总共 7 个 億 lakh crore refund paid remaining together as I said"
).split(" ")
NAMES = (
    "name",
    "kind",
    "avg_delay_min",
    "flights",
    "revenue_kusd",
    "share",
    "2024",
    "2025",
    "",
    "day",
    "count(*)",
    "ratio",
    "x" * 300,
    "a.b",
)
SQL = (
    "SELECT a, SUM(b) AS flights FROM t WHERE d > '2026-01-01' AND e = 4711 GROUP BY 1 LIMIT 5", "(" * 60, "SELECT " + "(" * 30 + "1" + ")" * 30,
    "SELECT * FROM " + "(SELECT * FROM " * 30 + "t" + ")" * 30, "SELECT '" + "x" * 500, "SELECT " + "1+" * 3000 + "1", "\x00", "DROP TABLE t; --",
    "SELECT a FROM t WHERE b IN (" + ", ".join(map(str, range(3000))) + ")",
)  # fmt: skip
UNITS = (None, None, "min", "EUR", "kUSD", "ratio", "percent", "%", "thousand people", "\x1b", "USD/h")
AGGREGATIONS = (None, None, "sum", "avg", "count", "ratio", "max", "nonsense")


def size(dice: random.Random, usual: int, most: int) -> int:
    """Mostly small; now and then as large as it gets."""
    return dice.randint(0, most if dice.random() < 0.02 else usual)


def text(dice: random.Random, most: int = MEGA) -> str:
    """Words, repeated pieces, or any characters."""
    kind = dice.random()
    if kind < 0.7:
        return " ".join(dice.choices(WORDS, k=size(dice, 40, most // 8)))
    if kind < 0.9:
        pieces = dice.choices(PIECES, k=dice.randint(1, 4))
        return ("".join(pieces) * size(dice, 60, most))[:most]
    top = dice.choice((0x7F, 0x7FF, 0x3100, 0xFFFF, 0x10FFFF))
    return "".join(chr(dice.randint(0, top)) for _ in range(size(dice, 80, 5_000)))


CELLS: tuple[Callable[[int, int], Any], ...] = (
    lambda row, _: f"Name{row}", lambda row, _: f"Kind{row % 5}", lambda row, column: row * 7 + column, lambda row, _: row / 7,
    lambda row, column: f"2025-{row % 12 + 1:02d}-{column % 28 + 1:02d}", lambda row, _: f"{row}.5%", lambda row, _: f"({row},374)",
    lambda row, _: 2000 + row % 30, lambda row, _: -row, lambda row, _: "\x1b[31mred" * (row % 3), lambda row, _: f"{row}:30:00",
    lambda row, _: (None, True, "—", 1e400, float("nan"), 10**30, "x" * 90, " ", "1e400", "07:30", "٣٤", "1 234,5")[row % 12],
)  # fmt: skip
"""What a column holds: names, numbers, dates, formatted numbers, nonsense."""


def table(dice: random.Random) -> tuple[list[str], list[list[Any]]]:
    """(columns, rows): mostly each column of one kind, as results are."""
    width, height = 1 + size(dice, 6, 60), size(dice, 12, 3_000)
    columns = [dice.choice(NAMES) if dice.random() < 0.8 else f"c{n}" for n in range(width)]
    if dice.random() < 0.2:
        return columns, [[dice.choice(CELLS)(r, c) for c in range(width - dice.randint(0, 1))] for r in range(height)]
    cells = dice.choices(CELLS, k=width)
    return columns, [[cell(r, c) for c, cell in enumerate(cells)] for r in range(height)]


def nested(dice: random.Random, depth: int = 0) -> Any:
    """Any JSON, some of it deep."""
    kind = dice.random()
    if depth > dice.choice((1, 2, 3, 60)) or kind < 0.3:
        return dice.choice(CELLS)(dice.randint(0, 30), depth)
    if kind < 0.65:
        return {dice.choice(NAMES[:7]): nested(dice, depth + 1) for _ in range(dice.randint(0, 3))}
    return [nested(dice, depth + 1) for _ in range(dice.randint(0, 3))]


def answer(dice: random.Random, rows: list[list[Any]]) -> str:
    """A text about the rows: their values, right and wrong, in sentences, lists and tables; or any text."""
    if dice.random() < 0.3 or not rows:
        return text(dice)
    parts = []
    for _ in range(1 + size(dice, 8, 1_500)):
        row, other = dice.choice(rows), dice.choice(rows)
        one, two = (str(dice.choice(each)) if each else "7" for each in (row, other))
        words = " ".join(dice.choices(WORDS, k=3))
        parts.append(
            dice.choice(
                (f"{one} had {two} {words}.", f"| {one} | {two} |\n", f"- {one}: {two}\n", f"{words} {two} {one}")
            )
        )
    return dice.choice((" ", "\n", "; ")).join(parts)[:MEGA]


def record(dice: random.Random) -> Callable[[Mode], list[FigureVerdict]]:
    """A labelled record, as ``monitor ground`` reads it."""
    items: list[dict[str, Any]] = []
    rows: list[list[Any]] = []
    for _ in range(1 + size(dice, 2, 12)):
        columns, rows = table(dice)
        item: dict[str, Any] = {"kind": "table", "columns": columns, "rows": rows}
        item["units"] = [dice.choice(UNITS) for _ in columns]
        item["aggregations"] = [dice.choice(AGGREGATIONS) for _ in columns]
        item |= dice.choice(
            ({}, {"truncated": True, "row_count": 9_999}, {"sql": dice.choice(SQL)}, {"arguments": nested(dice)})
        )
        items.append(item)
    items += [
        {"kind": dice.choice(("text", "definition")), "name": text(dice, 50), "text": text(dice)}
        for _ in range(size(dice, 2, 20))
    ]
    said, question = answer(dice, rows), text(dice, 2_000)
    return lambda mode: ground(said, evidence_of_record(question, items), question, mode)


def turn(dice: random.Random) -> Callable[[Mode], list[FigureVerdict]]:
    """A recorded turn with queries, tool calls and earlier turns, as the rules see it."""
    columns, rows = table(dice)
    result = ResultTable(
        columns=tuple(
            Column(name=name, unit=dice.choice(UNITS), aggregation=dice.choice(AGGREGATIONS)) for name in columns
        ),
        rows=rows,
        truncated=dice.random() < 0.1,
        rows_shown=dice.choice((None, len(rows) // 2)),
    )
    query = Query(
        id="q",
        sql=dice.choice((None, *SQL)),
        semantic=dice.choice((None, {"limit": 5, "filters": ["2026-01"]})),
        status="ok",
        result=result,
    )
    call = ToolCall(id="c", name=dice.choice(("search", "think")), arguments=nested(dice), result=nested(dice))
    one = Turn(
        id="t",
        index=1,
        question=Question(text=text(dice, 2_000)),
        answer=Answer(text=answer(dice, rows)),
        queries=(query,),
        tool_calls=(call,),
        definitions=(Definition(name="d", text=text(dice, 5_000)),),
        completeness=dice.choice((Completeness(), Completeness(redacted=True), Completeness(results="partial"))),
    )
    context = Conversation(
        id="c", turns=(one.model_copy(update={"index": 0, "id": "p"}),) if dice.random() < 0.3 else ()
    )

    def run(mode: Mode) -> list[FigureVerdict]:
        outcome = Grounded(mode=mode).run(one, context)
        agrees(outcome)
        return list(outcome.figures)

    return run


def agrees(outcome: Outcome) -> None:
    """The label is the one that its figures make."""
    told = {figure.grounded for figure in outcome.figures}
    expected = "fail" if False in told else "not_evaluable" if None in told else "pass" if told else "not_applicable"
    assert outcome.label in LABELS
    assert outcome.label == expected, (outcome.label, expected)


def sound(figures: list[FigureVerdict]) -> None:
    """Spans in order, causes and faults where they belong, sentences for a terminal."""
    end = 0
    for figure in figures:
        assert end <= figure.start < figure.end, figure
        assert figure.end - figure.start == len(figure.text), figure
        end = figure.end
        assert (figure.grounded is None) == (figure.cause in CAUSES), figure
        assert (figure.grounded is False) == (figure.fault in FAULTS), figure
        assert figure.explanation.isprintable(), figure
        assert 0 < len(figure.explanation) <= 400, figure


def once(run: Callable[[Mode], list[FigureVerdict]], mode: Mode) -> list[FigureVerdict] | str:
    """What is said, or why nothing is, in bounded time."""
    started = time.process_time()
    try:
        found: list[FigureVerdict] | str = run(mode)
    except TooLarge as bound:
        found = bound.message
    spent = time.process_time() - started
    assert spent < CPU_SECONDS, f"{spent:.1f} s of CPU"
    return found


def check(case: str) -> str:
    """Run one case; its outcome in a word. Raises whatever it finds."""
    dice = random.Random(case)
    run = dice.choice((record, turn))(dice)
    found = once(run, "strict")
    assert repr(once(run, "strict")) == repr(found), "not the same twice"
    loose = once(run, "membership")
    if isinstance(found, str) or isinstance(loose, str):
        return "too large"
    sound(found)
    sound(loose)
    right = {(figure.start, figure.end) for figure in loose if figure.grounded}
    plain = {(f.start, f.end) for f in found if f.grounded and (f.source or {}).get("kind") != "derived"}
    assert right >= plain, "membership grounds less"
    return "figures" if found else "no figures"


def main() -> int:
    """Run until the time is over, or the first failure; returns the exit code."""
    seed = os.environ.get("FUZZ_SEED") or secrets.token_hex(4)
    only = os.environ.get("FUZZ_CASE")
    until = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "60"))
    seen: Counter[str] = Counter()
    number = int(only or 0)
    while time.monotonic() < until:
        try:
            seen[check(f"{seed}:{number}")] += 1
        except BaseException:
            print(f"FUZZ_SEED={seed} FUZZ_CASE={number} make fuzz", file=sys.stderr)
            raise
        number += 1
        if only:
            break
    print(
        f"seed {seed}: no fault in {sum(seen.values())} turns: "
        + ", ".join(f"{count} {name}" for name, count in seen.most_common())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
