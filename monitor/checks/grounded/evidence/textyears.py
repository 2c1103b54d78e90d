"""
Of which year a text says a figure: that of its clause, or, where years are listed ``respectively``, the one in its place.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.evidence.headings import years_in
from monitor.checks.grounded.evidence.texts import Source
from monitor.checks.grounded.text.figures import Figure

LONGEST = 600
"""So many characters before or after a figure belong to its sentence at most."""
_SENTENCE = re.compile(r"(?<=[a-z)\d%][.!?])\s+(?=[A-Z(])")
_CLAUSE = re.compile(
    r";|,\s(?:and|while|but|compared|versus|up|down)\b|\b(?:compared|versus|while|whereas|against)\b", re.IGNORECASE
)
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?![\d%]|[.,]\d)")


def years_said(source: Source, figure: Figure) -> frozenset[int]:
    """The years that *source* says *figure*, one of its own, of; empty where it does not tell."""
    start, sentence = _around(_SENTENCE, source.text, figure)
    if _RESPECTIVELY.search(sentence):
        return _in_place(source, figure, start, sentence)
    _, clause = _around(_CLAUSE, sentence, figure._replace(start=figure.start - start, end=figure.end - start))
    return years_in(clause)


def _around(ends: re.Pattern[str], text: str, figure: Figure) -> tuple[int, str]:
    """(where it starts, the part of *text* between two *ends* that holds *figure*)."""
    low, high = max(0, figure.start - LONGEST), figure.end + LONGEST
    start = max((found.end() for found in ends.finditer(text, low, figure.start)), default=low)
    found = ends.search(text, figure.end, high)
    return start, text[start : found.start() if found else high]


def _in_place(source: Source, figure: Figure, start: int, sentence: str) -> frozenset[int]:
    """The year in the place of *figure* among the figures of its unit, where there are as many as years."""
    alike = [
        f.start
        for f in source.figures()
        if start <= f.start < start + len(sentence)
        and f.readings
        and f.unit == figure.unit
        and not f.year
        and f.moment is None
    ]
    years = [int(found[0]) for found in _YEAR.finditer(sentence)]
    if figure.start not in alike or not years or len(alike) % len(years):
        return frozenset()
    return frozenset([years[alike.index(figure.start) % len(years)]])
