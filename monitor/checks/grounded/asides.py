"""
Figures that are no value of a row, by the words beside them: bases of shares, stretches of time, differences, remainders.
"""

from __future__ import annotations

import re

from monitor.checks.grounded import announce
from monitor.checks.grounded.names import tokens
from monitor.checks.grounded.scope import View

MAX_HEADINGS = 60
_DETERMINERS = "the|all|every|each|jede[nrms]?|chaque|cada|elke|its|their|his|her|our|den|alla|alle|les|las|los|die|total|more than|about"
_BASE = re.compile(
    rf"\d\s?%?(?:\s\w+){{0,2}}\s(?:of|out of|von|av|de|des|van|sur|su|di)\s(?:(?:{_DETERMINERS})\s){{0,3}}\W{{0,3}}$",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:last|past|previous|next|first|final|letzten?|derni\w+|últim\w+|laatste)\s\W{0,3}$", re.IGNORECASE
)
_AGAINST = re.compile(
    r"\b(?:versus|vs\.?|against|compared (?:with|to)|frente a(?: los| las)?|gegenüber|contre|tegen(?:over)?|than|als|que|dan)\s(?:only |just |about )?\W{0,3}$",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\s(?:most|least|[^\W\d_]{3,}est|(?:größ|läng|kürz|höch|niedrig|klein)\w*sten|plus|moins|mayores|menores|más|grootste|hoogste|laagste)\s",
    re.IGNORECASE,
)
"""So many of a superlative (*the two longest*)."""
_STREAK = re.compile(r"\s(?:of|out of)\s(?:its|their|his|her|the|our)\s(?:last|past|previous|first|next)\b")
_RANGE = re.compile(
    r"\b(?:rang(?:es?|ed|ing) (?:from|between)|between|reich(?:t|en|te)|zwischen|entre|allant|van .{1,40} tot|varieert|varía)\b",
    re.IGNORECASE,
)
_APART = frozenset(
    tokens(
        "lead majority ranging surplus deficit more less fewer higher lower than by difference gap margin above below ahead "
        "behind worse better mehr weniger plus moins más menos meer minder"
    )
)


def is_aside(view: View) -> bool:
    """Whether a figure is no value of a row: the base of a share, the length of a stretch of time, what is left."""
    sentence, figure = view.sentence, view.figure
    start, end = figure.start - sentence.start, figure.end - sentence.start
    head = sentence.text[max(0, start - 60) : start]
    if (
        _AGAINST.search(head)
        or _BASE.search(head)
        or _SPAN.search(head)
        or _STREAK.match(sentence.text, end)
        or _CHOSEN.match(sentence.text, end)
        or _in_heading(view)
    ):
        return True
    if _RANGE.search(view.clause_text):
        return True
    beside = view.beside_text
    return announce.leaves_rest(beside) or announce.the_rest(beside)


def apart(view: View) -> frozenset[str]:
    """The words beside a figure that make it a difference or a bound of a range."""
    return _APART & {*view.before[-3:], *view.after[:3]}


def _in_heading(view: View) -> bool:
    """Whether the figure and the word before it stand together in a heading (``Race 2``)."""
    word = view.before[-1:]
    return bool(word) and any(
        view.figure.text in column and word[0] in tokens(column)
        for table in view.evidence.tables
        for column in table.columns[:MAX_HEADINGS]
    )
