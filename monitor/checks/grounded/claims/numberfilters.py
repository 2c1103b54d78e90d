"""
Conditions by numbers: comparisons with a column, a number beside a column's name, none of it, an ordinal.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from monitor.checks.grounded.context.stretch import COMPARING, Filter, Stretch, Word, plural
from monitor.checks.grounded.evidence.index import Cell
from monitor.checks.grounded.evidence.vocabulary import Vocabulary, bits, root, tokens
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure

LIMITS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "over": ("above ", lambda value, edge: value > edge),
    "under": ("below ", lambda value, edge: value < edge),
    "at_least": ("at least ", lambda value, edge: value >= edge),
    "at_most": ("at most ", lambda value, edge: value <= edge),
    "exactly": ("", lambda value, edge: value == edge),
}
_AFTER = frozenset("or more less fewer higher later earlier and above below".split())
_WHOLE = frozenset("of out the these those".split())
_NONE = frozenset("no zero without".split())
_NTH = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_ORDINALS = {
    word: float(n)
    for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}


def read_limits(stretch: Stretch) -> None:
    """Take in comparisons with a column of numbers (``above 90 %``, ``fewer than 20 floors``, ``16 or more``)."""
    shared: list[int] = []
    for at in range(len(stretch.words) - 1, -1, -1):
        figure = stretch.words[at].figure
        if not _starts(stretch, at) or figure is None or figure.bound not in LIMITS:
            continue
        columns, spent = columns_beside(stretch, at, figure)
        shared = columns = columns or shared
        found = [made for column in columns if (made := limit(stretch, column, figure)) is not None]
        if found:
            stretch.use_verb(stretch.use_back(at - 1, COMPARING))
            length = stretch.use_figure(at)
            after = at + length
            while stretch.text(after) in _AFTER:
                stretch.words[after].used = True
                after += 1
            if plural(stretch.text(after)):
                stretch.words[after].used = True
            stretch.add(found, at, length)
            stretch.use(spent)


def read_numbers(stretch: Stretch) -> None:
    """Take in ``16 wins``, ``a frequency of 800``, ``no deaths``, ``the 5th round``, and leave out ``of the 13``."""
    for at, word in enumerate(stretch.words):
        if word.used:
            continue
        nth = _NTH.fullmatch(word.text)
        place = float(nth[1]) if nth else _ORDINALS.get(word.text)
        if place is not None:
            _place(stretch, at, place)
        elif word.text in _NONE:
            _none(stretch, at)
        elif _starts(stretch, at) and word.figure and not word.figure.year:
            if stretch.text(at - 1) in _WHOLE and _is_whole(stretch, at):
                after = at + stretch.use_figure(at)
                if plural(stretch.text(after)):
                    stretch.words[after].used = True
            else:
                columns, spent = columns_beside(stretch, at, word.figure)
                _equal(stretch, at, columns, spent, word.figure.readings[0].value)


def _starts(stretch: Stretch, at: int) -> bool:
    """Whether a number other than the count starts at a place, and nothing explains it yet."""
    word = stretch.words[at]
    figure = word.figure
    if word.used or figure is None or not figure.readings or figure is stretch.view.figure:
        return False
    return at == 0 or stretch.words[at - 1].figure is not figure


def columns_beside(stretch: Stretch, at: int, figure: Figure) -> tuple[list[int], list[Word]]:
    """The columns of numbers that the words beside the number at *at* name best, or its unit; and these words."""
    vocabulary, end = stretch.vocabulary, at
    while end < len(stretch.words) and stretch.words[end].figure is figure:
        end += 1
    beside = [
        w
        for w in (*stretch.words[max(0, at - 6) : at], *stretch.words[end : end + 4])
        if w.figure is None and w is not stretch.head
    ]
    roots = {root(word) for word in tokens(figure.text) if word.isalpha()} | {word.root for word in beside}
    scores = {column: len(roots & vocabulary.names[column]) for column in vocabulary.numeric}
    if end < len(stretch.words) and (following := vocabulary.called(stretch.words[end].root)):
        scores = {column: score for column, score in scores.items() if column in following} or scores
    scores = fully_named(vocabulary, scores, roots)
    most = max(scores.values(), default=0)
    if most:
        best = [column for column, score in scores.items() if score == most]
        names = frozenset().union(*(vocabulary.names[column] for column in best))
        return best, [word for word in beside if word.root in names]
    if figure.unit:
        return [column for column in vocabulary.numeric if unit_of(vocabulary, column) == figure.unit], []
    return [], []


def fully_named(vocabulary: Vocabulary, scores: dict[int, int], roots: set[str]) -> dict[int, int]:
    """*scores* of columns by how much of their names is said; only those said in full, where there are any."""
    return {column: score for column, score in scores.items() if score and vocabulary.names[column] <= roots} or scores


def unit_of(vocabulary: Vocabulary, column: int) -> str:
    """The unit of a column: its own, or that of its first number (``926 km``)."""
    values = vocabulary.measured(column)
    own = vocabulary.table.units[column].unit
    return own or (vocabulary.evidence.unit(Cell(vocabulary.index, values[0][0], column)) if values else "")


def limit(stretch: Stretch, column: int, figure: Figure) -> Filter | None:
    """The rows on the right side of a limit; None when the units differ."""
    unit = unit_of(stretch.vocabulary, column)
    factor = units.factor(unit, figure.unit) if figure.unit else 1.0
    if factor is None and unit == "" and figure.unit == units.PERCENT:
        factor = 100.0
    if not factor:
        return None
    said, test = LIMITS[figure.bound]
    edge = figure.readings[0].value
    rows = bits(row for row, value in stretch.vocabulary.measured(column) if test(value * factor, edge))
    return Filter(column, rows, f"{stretch.label(column)} {said}{figure.text}", figure.bound)


def _equal(stretch: Stretch, at: int, columns: list[int], spent: list[Word], wanted: float) -> None:
    """Take in that one of the columns holds a number, where any row does."""
    found = []
    for column in columns:
        rows = bits(row for row, value in stretch.vocabulary.measured(column) if value == wanted)
        found.append(Filter(column, rows, f"{stretch.label(column)} {wanted:g}", "number"))
    if any(condition.rows for condition in found):
        stretch.add(found, at, stretch.use_figure(at))
        stretch.use(spent)


def _none(stretch: Stretch, at: int) -> None:
    """``no deaths``: the column named next holds 0, or says none."""
    stretch.use_verb(at - 1)
    vocabulary = stretch.vocabulary
    beside = stretch.words[at + 1 : at + 4]
    columns = {column for word in beside for column in vocabulary.called(word.root)}
    found = [
        Filter(column, rows, f"{stretch.label(column)} none", "number")
        for column in sorted(columns)
        if (rows := vocabulary.lacking(column))
    ]
    if found:
        stretch.add(found, at, 1, plain=True)
        stretch.use(word for word in beside if not columns.isdisjoint(vocabulary.called(word.root)))


def _place(stretch: Stretch, at: int, place: float) -> None:
    """An ordinal before a column's name (``the 5th round``)."""
    if at + 1 == len(stretch.words):
        return
    found = []
    for column in stretch.vocabulary.called(stretch.words[at + 1].root):
        rows = bits(row for row, value in stretch.vocabulary.measured(column) if value == place)
        if rows:
            found.append(Filter(column, rows, f"{stretch.label(column)} {place:g}", "number"))
    if found:
        stretch.add(found, at, 2)


def _is_whole(stretch: Stretch, at: int) -> bool:
    """Whether the number at *at* is the whole that the figure is a part of (``four of the 13``)."""
    back = at - 1
    while back >= 0 and (stretch.words[back].text in _WHOLE or stretch.words[back] is stretch.head):
        back -= 1
    return back < 0 or stretch.words[back].figure is stretch.view.figure
