"""
What a text says around a figure, set against what the answer says around it: the nearest of several texts, a *one*
written in words, the last digits of an id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from monitor.checks.grounded import match
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.evidence.labels import clean
from monitor.checks.grounded.evidence.texts import Source
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import words_in

AROUND = 40
"""Characters of a text before and after a figure that tell what it is said of."""
_ONE = re.compile(r"\b(?:one|a|an|single|eine?[mnrs]?|une?|una|uno|een|één|um|uma|en|ett)\s(?=[^\W\d_])", re.IGNORECASE)
_ENDING = re.compile(
    r"\b(?:end(?:s|ing|ed)?\s(?:in|with|on)|last\s(?:(?:two|three|four|five|six|\d)\s)?digits?(?:\s(?:are|is|of))?|"
    r"end(?:et|end)\s(?:auf|mit|in)|se\stermin\w+\s(?:par|en)|terminé\w*\spar|finissant\spar|terminad[oa]s?\sen|termina\sen|"
    r"eindig(?:t|end)\sop|slutar\spå)\W{0,6}$",
    re.IGNORECASE,
)
_ID_END = re.compile(r"[\w-]*\d$")
SHORTEST_ENDING = 2
"""Fewer last digits tell no id from another."""


def kinship(view: View, source: Source, other: Figure) -> int:
    """How many words near the figure of *view* also stand around *other*, a figure of *source*."""
    text = f"{source.text[max(0, other.start - AROUND) : other.start]} {source.text[other.end : other.end + AROUND]}"
    start, end = view.figure.start - view.sentence.start, view.figure.end - view.sentence.start
    before = words_in(view.sentence.text[max(0, start - AROUND) : start])
    after = words_in(view.sentence.text[end : end + AROUND])
    beside = {word for word in (*before[-3:], *after[:3]) if len(word) > 2}
    return len(beside.intersection(words_in(text)))


def one_of(view: View, evidence: Evidence) -> Source | None:
    """The question that says *one* of what the answer counts with the digit 1 (``one spare part``: ``1 spare part``)."""
    figure = view.figure
    if figure.unit or figure.bound or figure.text != "1" or not view.noun:
        return None
    for source in evidence.sources[:60]:
        if source.kind not in ("question", "text"):
            continue
        evidence.spend(1 + len(source.text) // 200)
        for found in _ONE.finditer(source.text[:4000]):
            if words_in(source.text[found.end() : found.end() + AROUND])[: len(view.noun)] == view.noun:
                return source
    return None


def ending(view: View, evidence: Evidence) -> str | None:
    """The name, code or id whose last digits the figure is, where the words say so (``the card ending in 4410``)."""
    written = view.figure.text
    before = view.sentence.text[: view.figure.start - view.sentence.start][-30:]
    if len(written) < SHORTEST_ENDING or not written.isdigit() or not _ENDING.search(before):
        return None
    texts = evidence.texts()
    evidence.spend(1 + len(texts) // 4)
    for text in texts:
        if text.endswith(written) and len(text) > len(written):
            return clean(text)
    for source in evidence.sources:
        evidence.spend(1 + len(source.text) // 1000)
        for found in re.finditer(rf"{written}(?![\w-])", source.text[:20_000]):
            word = _ID_END.search(source.text[max(0, found.start() - 40) : found.end()])
            if word and len(word[0]) > len(written):
                return clean(word[0])
    return None


def states(found: Sequence[Figure], figure: Figure) -> bool:
    """Whether one of the figures of a text states *figure*; one without unit has that of the last of its list (``84.5 x 45 x 59 cm``)."""
    if figure.bound in ("over", "under", "nearly"):
        return False
    plain = figure._replace(bound="")
    unit = ""
    for other in reversed(found):
        listed = other.unit in ("", units.TIMES)
        unit = unit if listed else other.unit
        owns = {other.unit, unit} if listed else {other.unit}
        if figure.unit in owns and any(match.fits(plain, value, figure.unit) for value, _ in other.readings):
            return True
    return False
