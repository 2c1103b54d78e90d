"""
Margins: by how much one named thing is said to be ahead of another, in a column or in how many rows it has.

``A has 12 more flights than B`` names a column and a thing on each side of *than*; the figure is the difference of the
two, whatever cells hold its value elsewhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded import units
from monitor.checks.grounded.datefilters import read_dates
from monitor.checks.grounded.index import Cell
from monitor.checks.grounded.namefilters import read_names
from monitor.checks.grounded.numberfilters import fully_named
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.stretch import LONGEST_SENTENCE, Filter, Stretch
from monitor.checks.grounded.vocabulary import Vocabulary, root, rows_of, tokens

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


class Margin(NamedTuple):
    """The *value* in its *unit*, and the cells of the two sides, as they are named."""

    value: float
    unit: str
    cells: tuple[Cell, Cell]


def is_margin(view: View) -> bool:
    """Whether a figure may be a margin: a plain number, or one in a unit, with *than* behind it."""
    figure, text = view.figure, view.sentence.text
    if (
        not figure.readings
        or figure.moment
        or figure.fraction
        or figure.unit in _RELATIVE
        or len(text) > LONGEST_SENTENCE
    ):
        return False
    found = _THAN.search(text, figure.end - view.sentence.start)
    return found is not None and all(
        other.start != view.sentence.start + found.end() for other in view.sentence.figures() if not other.year
    )


def margin(view: View, vocabulary: Vocabulary, caption: frozenset[str]) -> Margin | None:
    """By how much the thing before *than* is ahead of the one behind it; None unless each is one row, and the column is sure."""
    stretch = Stretch(view, vocabulary, caption)
    than = next((n for n, word in enumerate(stretch.words) if word.text == "than" and n > stretch.place), None)
    if than is None or stretch.place < 0:
        return None
    said = _comparison(stretch, than)
    column = _column(stretch, than)
    if said is None or column is None:
        return None
    read_dates(stretch)
    read_names(stretch)
    if not stretch.reading.sure or any(word.text in _POOLED for word in stretch.words):
        return None
    sides = _sides(stretch, than)
    if sides is None:
        return None
    values = dict(vocabulary.measured(column))
    first, second = (values.get(row) for row in sides)
    if first is None or second is None:
        return None
    ahead = first - second if said in AHEAD else second - first
    cells = (Cell(vocabulary.index, sides[0], column), Cell(vocabulary.index, sides[1], column))
    return Margin(ahead, vocabulary.table.units[column].unit, cells)


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


def _sides(stretch: Stretch, than: int) -> tuple[int, int] | None:
    """The one row that the names before *than* leave, and the one that those behind it do; a name of both is in each."""
    masks = [stretch.vocabulary.rows, stretch.vocabulary.rows]
    for place, term in zip(stretch.places, stretch.reading.terms, strict=True):
        masks[place > than] &= _rows(term)
    rows = [rows_of(mask) for mask in masks]
    if any(len(found) != 1 for found in rows) or rows[0] == rows[1]:
        return None
    return rows[0][0], rows[1][0]


def _rows(term: list[Filter]) -> int:
    out = 0
    for condition in term:
        out |= condition.rows if condition.column >= 0 else 0
    return out
