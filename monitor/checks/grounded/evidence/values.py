"""
The numbers of a column, found by value.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


class Numbers:
    """The numbers of one *column* in its unit, from *least* to *most*, with their rows; sorted when first looked into."""

    __slots__ = ("_rows", "_sorted", "_values", "column", "least", "most")

    def __init__(self, column: int, values: Sequence[float], rows: Sequence[int], scale: float) -> None:
        self.column = column
        self._values = values if scale == 1.0 else [value * scale for value in values]
        self._rows = rows
        self._sorted = False
        self.least, self.most = min(self._values), max(self._values)

    def __len__(self) -> int:
        return len(self._rows)

    def between(self, low: float, high: float) -> Sequence[int]:
        """The rows of the values in [low, high], by value."""
        if not self._sorted:
            self._sort()
        first = bisect_left(self._values, low)
        return self._rows[first : bisect_right(self._values, high, lo=first)]

    def values(self, low: float, high: float) -> Sequence[float]:
        """The values in [low, high], in order."""
        if not self._sorted:
            self._sort()
        first = bisect_left(self._values, low)
        return self._values[first : bisect_right(self._values, high, lo=first)]

    def _sort(self) -> None:
        order = sorted(range(len(self._rows)), key=self._values.__getitem__)
        self._values = [self._values[place] for place in order]
        self._rows = order if type(self._rows) is range else [self._rows[place] for place in order]
        self._sorted = True
