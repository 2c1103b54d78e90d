"""
The names of one sentence by the column that they stand in: which of them tell rows apart.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.sentences import ByColumn, Sentence
from monitor.checks.grounded.text.figures import Figure

_RESPECTIVELY = re.compile(
    r"\b(?:respectively|beziehungsweise|respectivement|respectivamente|respectievelijk|rispettivamente|respektive|odpowiednio)\b",
    re.IGNORECASE,
)


def in_turn(sentence: Sentence) -> bool:
    """Whether *sentence* gives figures to names in their order (*A and B had 5 and 7, respectively*)."""
    return _RESPECTIVELY.search(sentence.text) is not None


def in_order(sentence: Sentence, figure: Figure, items: list[tuple[Mention, frozenset[int]]]) -> frozenset[int] | None:
    """The rows of the name that has the place of *figure* in such a sentence; None where it is no such."""
    if len(items) < 2 or not in_turn(sentence):
        return None
    figures = [other.start for other in sentence.figures() if other.readings and not other.year]
    names = sorted({mention.start: rows for mention, rows in items}.items())
    if figure.start not in figures or len(figures) % len(names):
        return None
    if not (names[-1][0] < figures[0] or figures[-1] < names[0][0]):
        return None
    return names[figures.index(figure.start) % len(names)][1]


def without_attributes(by_column: ByColumn) -> ByColumn:
    """The mentions by column, less dates and times in columns right of one whose names stand for one row each."""
    if len(by_column) < 2:
        return by_column
    single = [c for c, items in by_column.items() if all(len(rows) == 1 and not m.period for m, rows in items)]
    if not single:
        return by_column
    first = min(single)
    return {c: items for c, items in by_column.items() if c <= first or not all(m.period for m, _ in items)}


def merged(by_column: ByColumn) -> ByColumn:
    """The mentions by column; one name that stands in two columns (an origin, a destination) means either."""
    if len(by_column) < 3:
        return by_column
    out: dict[tuple[int, ...], tuple[int, list[tuple[Mention, frozenset[int]]]]] = {}
    for column, items in by_column.items():
        starts = tuple(mention.start for mention, _ in items)
        if starts in out:
            first, known = out[starts]
            both = [(mention, rows | more) for (mention, rows), (_, more) in zip(known, items, strict=True)]
            out[starts] = first, both
        else:
            out[starts] = column, items
    return dict(out.values())
