"""
The page that holds what was measured: generated blocks between markers, with room for reading matter around them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from tests.benchmarks.grounding_kinds import Kind
from tests.benchmarks.grounding_score import Measured, Tally

PAGE = Path(__file__).with_name("grounding.md")
SHARES = frozenset(["flagged_true", "flagged_wrongly"])
TITLES = {
    "f1": "F1",
    "flagged_true": "true figures flagged",
    "flagged_wrongly": "figures flagged wrongly",
    "answer_f1": "F1 of whole answers",
}


@dataclass(frozen=True, slots=True)
class Aim:
    """What a measure of a set is to reach: *done* at the least, *aim* at best."""

    set: str
    measure: str
    done: float
    aim: float


AIMS = (
    Aim("bi", "f1", 0.80, 0.95),
    Aim("bi", "flagged_true", 0.04, 0.01),
    Aim("accuracy_shared_task", "f1", 0.75, 0.85),
    Aim("tabfact_pairs", "f1", 0.57, 0.66),
    Aim("tatqa", "flagged_true", 0.05, 0.02),
    Aim("tatqa", "recall", 0.92, 0.95),
    Aim("fetaqa", "flagged_true", 0.025, 0.01),
    Aim("hitab_linked", "flagged_true", 0.06, 0.03),
    Aim("quintd", "f1", 0.43, 0.55),
    Aim("quintd", "precision", 0.55, 0.70),
    Aim("tau_airline_unlabelled", "flagged_wrongly", 0.01, 0.003),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one set gave: its counts, its measures and the CPU milliseconds a record."""

    name: str
    tally: Tally
    groups: int
    measured: Mapping[str, Measured]
    milliseconds: float
    too_large: int = 0


def command(name: str) -> str:
    """What measures the set *name* again."""
    return f'make bench-grounding ARGS="{name}"'


def aims(results: Mapping[str, Result]) -> list[str]:
    """A table of the measures that have an aim."""
    rows = [["set", "measure", "value", "95 % interval", "done at", "", "aim", "command"]]
    for aim in AIMS:
        result = results.get(aim.set)
        if result is None:
            continue
        found, share = result.measured[aim.measure], aim.measure in SHARES
        met = found.value <= aim.done if share else found.value >= aim.done
        sign = "≤" if share else "≥"
        rows.append(
            [
                aim.set,
                TITLES.get(aim.measure, aim.measure),
                _number(aim.measure, found.value),
                _interval(aim.measure, found),
                f"{sign} {_number(aim.measure, aim.done)}",
                "met" if met else "**not met**",
                f"{sign} {_number(aim.measure, aim.aim)}",
                f"`{command(aim.set)}`",
            ]
        )
    return table(rows)


def everything(results: Mapping[str, Result]) -> list[str]:
    """A table of all sets with all measures, counts and cost."""
    names = ("precision", "recall", "f1", "flagged_true", "answer_f1")
    rows = [["set", *(TITLES.get(name, name) for name in names), "found wrong", "false flags", "missed", "figures",
             "undecided", "records (documents)", "CPU ms a record"]]  # fmt: skip
    for result in results.values():
        tally = result.tally
        rows.append(
            [
                result.name,
                *(_with_interval(name, result.measured[name]) for name in names),
                *(f"{count:,}" for count in (tally.tp, tally.fp, tally.fn, tally.figures, tally.undecided)),
                f"{tally.records:,} ({result.groups:,})",
                f"{result.milliseconds:.2f}",
            ]
        )
    return table(rows)


def kinds(found: Sequence[Kind], errors: int) -> list[str]:
    """A table of the largest kinds of error, with an example each."""
    rows = [["", "kind", "errors", "by set", "example"]]
    for place, kind in enumerate(found, 1):
        by_set = ", ".join(f"{name} {count}" for name, count in kind.by_set)
        rows.append([str(place), kind.name, str(kind.count), by_set, kind.example])
    share = sum(kind.count for kind in found) / errors if errors else 0
    return [f"{errors:,} errors in all; the kinds listed are {share:.0%} of them.", "", *table(rows)]


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; the first row is its heading."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def put(text: str, name: str, lines: Sequence[str]) -> str:
    """*text* with the block *name* holding *lines*; everything outside its markers stays; a new block goes to the end."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    block = "\n".join([begin, "", *lines, "", end])
    head, found, rest = text.partition(begin)
    if not found:
        return f"{text.rstrip()}\n\n{block}\n"
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"the page has no {end}")
    return head + block + tail


def _number(measure: str, value: float) -> str:
    if isnan(value):
        return "–"
    return f"{100 * value:.1f} %" if measure in SHARES else f"{value:.3f}".removeprefix("0")


def _interval(measure: str, found: Measured) -> str:
    return "–" if isnan(found.low) else f"{_number(measure, found.low)} to {_number(measure, found.high)}"


def _with_interval(measure: str, found: Measured) -> str:
    return "–" if isnan(found.value) else f"{_number(measure, found.value)} ({_interval(measure, found)})"
