"""
Margins: by how much one named thing is said to be ahead of another, in a column or in how many rows it has.

``A has 12 more flights than B`` names a column and a thing on each side of *than*; the figure is the difference of the
two, whatever cells hold its value elsewhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded.claims.datefilters import read_dates
from monitor.checks.grounded.claims.filters import left_over
from monitor.checks.grounded.claims.namefilters import read_names
from monitor.checks.grounded.claims.numberfilters import fully_named
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.stretch import LONGEST_SENTENCE, Filter, Stretch
from monitor.checks.grounded.evidence.index import Cell
from monitor.checks.grounded.evidence.labels import is_, shown
from monitor.checks.grounded.evidence.vocabulary import Vocabulary, root, rows_of, tokens
from monitor.checks.grounded.text import units

AHEAD = frozenset("more higher larger greater longer".split())
BEHIND = frozenset("fewer less lower smaller shorter".split())
_COMPARED = AHEAD | BEHIND
_RELATIVE = (units.PERCENT, units.BASIS, units.TIMES, "ratio")
_THAN = re.compile(
    r"\b(?:more|higher|larger|greater|longer|fewer|less|lower|smaller|shorter)\b.{0,60}?\sthan\s", re.IGNORECASE
)
_POOLED = frozenset(
    "combined together average averages averaged mean total totals sum each all both any every other others".split()
)
FAR = 5
"""Words between a figure and its *more*."""


Sides = tuple[list[int], list[int]]
"""The rows on the two sides of *than*."""


class Margin(NamedTuple):
    """The *value* in its *unit*, what the two sides have in words, and its cells; *sure* where no other value can be meant."""

    value: float
    unit: str
    text: str
    cells: tuple[Cell, ...]
    sure: bool


def is_margin(view: View) -> bool:
    """Whether a figure may be a margin: a plain number, or one in a unit, with *than* behind it."""
    figure, text = view.figure, view.sentence.text
    if (
        not figure.readings
        or figure.moment
        or figure.fraction
        or figure.unit in _RELATIVE
        or len(text) > LONGEST_SENTENCE
        or "than" not in text.lower()
    ):
        return False
    found = _THAN.search(text, figure.end - view.sentence.start)
    return found is not None and all(
        other.start != view.sentence.start + found.end() for other in view.sentence.figures() if not other.year
    )


def margin(view: View, vocabulary: Vocabulary, caption: frozenset[str]) -> Margin | None:
    """
    By how much what stands before *than* is ahead of what stands behind it; None unless both, and the column, are sure.

    Several rows of one side are added where the column adds, and counted where the words name the rows themselves.
    """
    stretch = Stretch(view, vocabulary, caption)
    than = next((n for n, word in enumerate(stretch.words) if word.text == "than" and n > stretch.place), None)
    said = _comparison(stretch, than) if than is not None and stretch.place >= 0 else None
    if than is None or said is None:
        return None
    column = _column(stretch, than)
    counted = column is None and _counts(stretch, than)
    if column is None and not counted:
        return None
    read_dates(stretch)
    read_names(stretch)
    if not stretch.reading.sure or any(word.text in _POOLED for word in stretch.words):
        return None
    sides = _sides(stretch, than)
    if sides is None or (counted and left_over(stretch)):
        return None
    sign = 1 if said in AHEAD else -1
    if column is None:
        first, second = sides
        phrase = f"one has {len(first)} rows, the other {len(second)}"
        return Margin(sign * (len(first) - len(second)), "", phrase, (), sure=True)
    return _in_column(stretch, column, sides, sign)


def _in_column(stretch: Stretch, column: int, sides: Sides, sign: int) -> Margin | None:
    """The margin in a column: of two cells, or of two sums."""
    vocabulary = stretch.vocabulary
    values = dict(vocabulary.measured(column))
    held = [[row for row in side if row in values] for side in sides]
    single = all(len(side) == 1 for side in held)
    if not all(held) or not (single or vocabulary.table.additive[column]):
        return None
    first, second = (sum(values[row] for row in side) for side in held)
    cells = tuple(Cell(vocabulary.index, row, column) for side in held for row in side)
    text = f"{stretch.label(column)} adds up to {shown(first)} and {shown(second)}"
    if single:
        text = "; ".join(is_(vocabulary.evidence, cell) for cell in cells)
    return Margin(sign * (first - second), vocabulary.table.units[column].unit, text, cells, sure=single)


def _counts(stretch: Stretch, than: int) -> bool:
    """Whether the words between the figure and *than* name what the rows are."""
    found = [word for word in stretch.words[stretch.place : than] if 0 in stretch.vocabulary.counting(word.root)]
    stretch.use(found)
    return bool(found)


def _comparison(stretch: Stretch, than: int) -> str | None:
    """The word that says which side is ahead, close behind the figure."""
    stretch.use_figure(stretch.place)
    for at in range(stretch.place, min(than, stretch.place + FAR)):
        if stretch.words[at].text in _COMPARED:
            stretch.words[at].used = stretch.words[than].used = True
            return stretch.words[at].text
    return None


def _column(stretch: Stretch, than: int) -> int | None:
    """The one column of numbers that the words between the figure and *than* name, its own unit's word among them."""
    vocabulary = stretch.vocabulary
    beside = stretch.words[stretch.place : than]
    roots = {word.root for word in beside} | {root(word) for word in tokens(stretch.view.figure.text)}
    scores = {column: len(roots & vocabulary.names[column]) for column in vocabulary.measures}
    scores = fully_named(vocabulary, scores, roots)
    most = max(scores.values(), default=0)
    best = [column for column, score in scores.items() if score == most]
    if not most or len(best) > 1:
        return None
    stretch.use(word for word in beside if word.root in vocabulary.names[best[0]])
    return best[0]


def _sides(stretch: Stretch, than: int) -> Sides | None:
    """The rows that the names before *than* leave, and those that the names behind it do; None where they overlap."""
    masks = [stretch.vocabulary.rows, stretch.vocabulary.rows]
    for place, term in zip(stretch.places, stretch.reading.terms, strict=True):
        masks[place > than] &= _rows(term)
    if not all(masks) or masks[0] & masks[1]:
        return None
    return rows_of(masks[0]), rows_of(masks[1])


def _rows(term: list[Filter]) -> int:
    out = 0
    for condition in term:
        out |= condition.rows if condition.column >= 0 else 0
    return out
