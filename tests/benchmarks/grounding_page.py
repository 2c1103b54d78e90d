"""
The page that holds what was measured: generated blocks between markers, with room for reading matter around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from tests.benchmarks.grounding_kinds import Kind
from tests.benchmarks.grounding_score import Measured, Tally

PAGE = Path(__file__).with_name("grounding.md")
SETS_SHOWN = 3
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

FRESH = {
    "own_bi": "bi",
    "own_dense": "accuracy_shared_task",
    "own_pairs": "tabfact_pairs",
    "own_json": "quintd",
    "own_finance": "tatqa",
}
"""The sets that were written without knowledge of the check, and the development set that each resembles."""
HELD = ("f1", "flagged_true")
"""The measures of every fresh set that have floors."""


def held(name: str) -> tuple[str, ...]:
    """The measures of the set *name* that have floors."""
    return HELD if name in FRESH else tuple(aim.measure for aim in AIMS if aim.set == name)


@dataclass(frozen=True, slots=True)
class Result:
    """What one set gave: its counts, its measures and the CPU milliseconds a record."""

    name: str
    tally: Tally
    groups: int
    measured: Mapping[str, Measured]
    milliseconds: float
    too_large: int = 0


def aims(results: Mapping[str, Result]) -> list[str]:
    """A table of the measures that have an aim."""
    rows = [["set", "measure", "value", "95 % interval", "done at", "state", "aim"]]
    for aim in AIMS:
        result = results.get(aim.set)
        if result is None:
            continue
        found, share = result.measured[aim.measure], aim.measure in SHARES
        met = found.value <= aim.done if share else found.value >= aim.done
        sign = "≤" if share else "≥"
        rows.append(
            [
                f"`{aim.set}`",
                TITLES.get(aim.measure, aim.measure),
                _number(aim.measure, found.value),
                _interval(aim.measure, found),
                f"{sign} {_number(aim.measure, aim.done)}",
                "met" if met else "**not met**",
                f"{sign} {_number(aim.measure, aim.aim)}",
            ]
        )
    return table(rows)


def fresh(results: Mapping[str, Result]) -> list[str]:
    """A table of the fresh sets, each over the development set that it resembles and the difference between the two."""
    names = ("precision", "recall", "f1", "flagged_true")
    rows = [["set", "wrong figures", *(TITLES.get(name, name) for name in names), "F1 at equal share"]]
    for name, like in FRESH.items():
        own, dev = results[name], results[like]
        share = wrong_share(dev.tally)
        same = f1_at(own.tally, share)
        apart = (own.measured[one].value - dev.measured[one].value for one in names)
        rows += [
            [f"**`{name}`**", *_fresh_cells(own, names), _number("f1", same)],
            [f"`{like}`", *_fresh_cells(dev, names), _number("f1", dev.measured["f1"].value)],
            [
                "difference",
                "",
                *map(_difference, names, apart),
                _difference("f1", same - dev.measured["f1"].value),
            ],
        ]
    return table(rows)


def wrong_share(tally: Tally) -> float:
    """The share of what is labelled that is wrong."""
    return (tally.tp + tally.fn) / (tally.tp + tally.fn + tally.fp + tally.tn)


def f1_at(tally: Tally, share: float) -> float:
    """The F1 that the same recall and the same share of true figures flagged give where *share* of all is wrong."""
    found = share * tally.tp / (tally.tp + tally.fn)
    falsely = (1 - share) * tally.fp / (tally.fp + tally.tn)
    return 2 * found / (found + falsely + share)


def measures(results: Iterable[Result]) -> list[str]:
    """A table of the measures of all sets that have any."""
    names = ("precision", "recall", "f1", "flagged_true", "answer_f1")
    rows = [["set", *(TITLES.get(name, name) for name in names), "undecided"]]
    for result in results:
        if not all(isnan(result.measured[name].value) for name in names):
            values = (_with_interval(name, result.measured[name]) for name in names)
            undecided = 100 * result.tally.undecided / max(1, result.tally.figures)
            rows.append([f"`{result.name}`", *values, f"{undecided:.1f} %"])
    return table(rows)


def counts(results: Iterable[Result]) -> list[str]:
    """A table of what was counted in every set, and what a record costs."""
    rows = [["set", "records", "documents", "figures", "undecided", "found wrong", "false flags", "missed",
             "CPU ms a record"]]  # fmt: skip
    for result in results:
        tally = result.tally
        numbers = (tally.records, result.groups, tally.figures, tally.undecided, tally.tp, tally.fp, tally.fn)
        rows.append([f"`{result.name}`", *(f"{number:,}" for number in numbers), f"{result.milliseconds:.2f}"])
    return table(rows, numbers_from=1)


def kinds(found: Sequence[Kind], errors: int) -> list[str]:
    """A table of the largest kinds of error, with an example each."""
    rows = [["errors", "kind", "what the check said", "of", "in the sets", "example"]]
    for kind in found:
        by_set = ", ".join(f"{name}&nbsp;{count}" for name, count in kind.by_set[:SETS_SHOWN])
        more = sum(count for _, count in kind.by_set[SETS_SHOWN:])
        by_set += f", others&nbsp;{more}" if more else ""
        rows.append([str(kind.count), kind.error.replace(" ", "&nbsp;"), kind.said, kind.figure, by_set, kind.example])
    share = sum(kind.count for kind in found) / errors if errors else 0
    return [f"{errors:,} errors in all; the kinds listed are {100 * share:.0f} % of them.", "", *table(rows)]


def table(rows: Sequence[Sequence[str]], *, numbers_from: int | None = None) -> list[str]:
    """A Markdown table; the first row is its heading, columns from *numbers_from* on are aligned to the right."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    left = len(rows[0]) if numbers_from is None else numbers_from
    return [lines[0], "|" + "---|" * left + "---:|" * (len(rows[0]) - left), *lines[1:]]


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
    if isnan(found.low):
        return "–"
    low, high = _number(measure, found.low), _number(measure, found.high)
    return f"{low.removesuffix(' %')}–{high}"


def _with_interval(measure: str, found: Measured) -> str:
    return "–" if isnan(found.value) else f"{_number(measure, found.value)}<br>{_interval(measure, found)}"


def _fresh_cells(result: Result, names: Iterable[str]) -> list[str]:
    return [
        f"{100 * wrong_share(result.tally):.0f} %",
        *(_with_interval(name, result.measured[name]) for name in names),
    ]


def _difference(measure: str, value: float) -> str:
    sign = "−" if value < 0 else "+"
    return f"{sign}{_number(measure, abs(value)).replace(' %', ' points')}"
