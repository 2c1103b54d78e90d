"""
Figures that are no value of a row, by the words beside them: bases of shares, stretches of time, differences, remainders.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.names import tokens
from monitor.remember import remembered

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
_LAST = re.compile(r"\W{0,6}(\w+)")
_IN_RANGES = ("rang", "between", "reich", "zwischen", "entre", "allant", "van", "varieert", "varía")
"""One of these stands wherever _RANGE matches."""
_TO_BASE = frozenset(
    "of von av de des van sur su di the all every each jede jeden jeder jedem jedes chaque cada elke its their his her our den alla alle "
    "les las los die total than about".split()
)
_TO_RIVAL = frozenset(
    "versus vs against with to a los las gegenüber contre tegen tegenover than als que dan only just about".split()
)
_TO_SPAN = frozenset("last past previous next first final letzte letzten laatste".split())
_TO_SPANS = ("derni", "últim")
"""The last words of _BASE, _AGAINST and _SPAN."""
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
    following = _STREAK.match(sentence.text, end) or _CHOSEN.match(sentence.text, end)
    if following or _opened(head) or _in_heading(view):
        return True
    if _speaks_of_range(view.clause_text):
        return True
    if not (sentence.says("remainder") or sentence.says("rest")):
        return False
    beside = view.beside_text
    return announce.leaves_rest(beside) or announce.the_rest(beside)


def _opened(head: str) -> bool:
    """Whether *head* ends in what makes the figure behind it an aside; its last word tells what may."""
    found = _LAST.match(head[::-1])
    word = found[1][::-1].lower() if found else ""
    if word in _TO_BASE and _BASE.search(head):
        return True
    if word in _TO_RIVAL and _AGAINST.search(head):
        return True
    return (word in _TO_SPAN or word.startswith(_TO_SPANS)) and _SPAN.search(head) is not None


@remembered(2048)
def _speaks_of_range(clause: str) -> bool:
    lower = clause.lower()
    for part in _IN_RANGES:
        if part in lower:
            return _RANGE.search(clause) is not None
    return False


def apart(view: View) -> frozenset[str]:
    """The words beside a figure that make it a difference or a bound of a range."""
    return _APART & {*view.before[-3:], *view.after[:3]}


def _in_heading(view: View) -> bool:
    """Whether the figure and the word before it stand together in a heading (``Race 2``)."""
    text = view.figure.text
    for table in view.evidence.tables:
        if text in table.headings:
            columns = [column for column in table.columns[:MAX_HEADINGS] if text in column]
            if any(word in tokens(column) for word in view.before[-1:] for column in columns):
                return True
    return False
