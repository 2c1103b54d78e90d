"""
What a number in a text is: a figure with its readings, its unit and how it is meant.
"""

from __future__ import annotations

from typing import NamedTuple

from monitor.checks.grounded.text.bounds import Bound
from monitor.checks.grounded.text.dates import Moment


class Reading(NamedTuple):
    """One way to read a figure: its *value*, and half of the last digit written (0: exact)."""

    value: float
    half: float


class Figure(NamedTuple):
    """
    One figure: its span, what it may mean, and how it is meant.

    *unit* is canonical (see units), *factor* the magnitude that was written out, *bound* an approximation or
    inequality; *moment* is set for dates and times; *word* marks a small number written as a word, *fraction* a half, a third or
    ``1 in 5`` (as a ratio); *year* a bare number that can be a year; *signed* an explicit sign; *ranged* an end of a range.
    """

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    unit: str = ""
    bound: Bound = ""
    moment: Moment | None = None
    word: bool = False
    fraction: bool = False
    year: bool = False
    factor: float = 1.0
    signed: bool = False
    ranged: bool = False

    def grouped(self) -> Figure:
        """The figure read with commas that group digits, where it could also be read with a decimal comma."""
        if len(self.readings) < 2 or "," not in self.text:
            return self
        return self._replace(readings=(max(self.readings, key=lambda reading: abs(reading.value)),))
