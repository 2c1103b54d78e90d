"""
Two numbers that make one claim: ``12-23``, ``4-of-9``, ``3 of 11``, ``113–107``.

They stand in one row, in two columns that belong together (made and attempted, won and lost), or in one column of two
rows. A pair is no percentage and never one cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.index import Cell, Evidence
from monitor.checks.grounded.phrases import Phrases
from monitor.checks.grounded.scope import View

_JOINT = re.compile(r"\s?[-–]\s?|-(?:of|for)-|\s?/\s?")
_PART = re.compile(r"\s(?:of|for|out of|to|von|sur|de|van|av)\s")
MAX_COLUMNS = 40


class Pair(NamedTuple):
    """The two figures, which of them is looked at (0 or 1), and whether they are written as one (``3-11``, not ``3 of 11``)."""

    figures: tuple[Figure, Figure]
    place: int
    tight: bool = True


def pair_of(view: View) -> Pair | None:
    """The pair that the figure of *view* is one of; None when it stands alone."""
    if view.figure.unit or view.figure.word or not view.figure.readings:
        return None
    sentence = view.sentence
    plain = [f for f in view.clause.figures if f.readings and not f.unit and not f.word]
    if view.figure not in plain:
        return None
    index = plain.index(view.figure)
    gaps = [sentence.text[a.end - sentence.start : b.start - sentence.start] for a, b in pairwise(plain)]
    joins = [bool(_JOINT.fullmatch(gap) or _PART.fullmatch(gap)) for gap in gaps]
    first = index - 1 if index and joins[index - 1] else index
    alone = (first == 0 or not joins[first - 1]) and (first + 1 >= len(joins) or not joins[first + 1])
    if not alone or first >= len(joins) or not joins[first]:
        return None
    return Pair((plain[first], plain[first + 1]), index - first, bool(_JOINT.fullmatch(gaps[first])))


class Placed(NamedTuple):
    """Where a pair should stand: its two cells, and which of the two the figures agree with."""

    cells: tuple[Cell, Cell]
    agrees: tuple[bool, bool]


Fits = Callable[[Figure, Cell], bool]


def best_placed(pair: Pair, places: Iterator[tuple[Cell, Cell]], fits: Fits) -> Placed | None:
    """The place with which most of the pair agrees; None where there is none."""
    best: Placed | None = None
    for a, b in places:
        found = Placed((a, b), (fits(pair.figures[0], a), fits(pair.figures[1], b)))
        if best is None or sum(found.agrees) > sum(best.agrees):
            best = found
        if all(found.agrees):
            break
    return best


def across(evidence: Evidence, phrases: Phrases, t: int, row: int, named: list[int]) -> Iterator[tuple[Cell, Cell]]:
    """Two columns of one row that belong together, at least one of them among *named* where any is."""
    columns = [c for c in range(min(len(phrases.phrases), MAX_COLUMNS)) if evidence.value(Cell(t, row, c)) is not None]
    evidence.spend(len(columns))
    for a in columns:
        for b in columns:
            if a != b and (not named or a in named or b in named) and phrases.siblings(a, b):
                yield Cell(t, row, a), Cell(t, row, b)


def beside(evidence: Evidence, t: int, row: int) -> Iterator[tuple[Cell, Cell]]:
    """Two numeric columns of one row that stand side by side."""
    for column in range(min(len(evidence.tables[t].columns) - 1, MAX_COLUMNS)):
        a, b = Cell(t, row, column), Cell(t, row, column + 1)
        if evidence.value(a) is not None and evidence.value(b) is not None:
            yield from ((a, b), (b, a))


def down(evidence: Evidence, t: int, rows: frozenset[int], columns: list[int]) -> Iterator[tuple[Cell, Cell]]:
    """Two named rows of one column."""
    for column in columns:
        some = [cell for row in sorted(rows)[:6] if evidence.value(cell := Cell(t, row, column)) is not None]
        yield from ((a, b) for a in some for b in some if a != b)
