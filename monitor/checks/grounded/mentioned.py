"""
The names of one sentence by the column that they stand in: which of them tell rows apart.
"""

from __future__ import annotations

from monitor.checks.grounded.mentions import Mention

ByColumn = dict[int, list[tuple[Mention, frozenset[int]]]]
"""For each column of a table the mentions of its keys, with their rows."""


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
