"""
Limits that an answer sets itself: what a count passed, where a period starts, what narrows down who is spoken of.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.text.figures import Figure

MOST_COUNTED = 1000
_HOW_OFTEN = re.compile(
    r"(?:/?[^\W\d_]{1,12})?\s(?:[^\W\d_]{1,20}\s){0,2}?(?:on|in|for|during|at|an|pendant|en|durante|op|tijdens|på|i)\s(?:just\s|only\s|all\s)?",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\b(?:with|whose|having|mit|avec|dont|con|cuy[oa]s?|met|wiens)\s(?:[^\s,;]{1,20}\s){0,7}$", re.IGNORECASE
)
_SINCE = re.compile(
    r"\b(?:after|before|since|until|by|nach|vor|seit|bis|après|avant|depuis|desde|antes de|na|voor|sinds)\s$",
    re.IGNORECASE,
)


def sets_limit(figure: Figure) -> bool:
    """Whether a figure is a limit rather than a value."""
    return figure.bound in ("over", "under", "at_least", "at_most")


def since(view: View) -> bool:
    """Whether a bare year is where a period starts or ends (``after 1850``)."""
    return view.figure.year and _SINCE.search(_before(view, 12)) is not None


def narrows(view: View) -> bool:
    """Whether a limit narrows down what is spoken of (``towns with an area larger than 3``)."""
    return _NARROWS.search(_before(view, 90)) is not None


def counted(view: View) -> bool:
    """Whether a count stands before a limit, or follows of how often it was passed (``topped 100 kWh on 12 days``)."""
    counts = [f for f in view.sentence.figures() if f.start < view.figure.start and not f.unit and f.readings]
    if counts and _whole(counts[-1]):
        return True
    following = next((f for f in view.sentence.figures() if f.start >= view.figure.end), None)
    if following is None or following.unit not in ("", "d", "h") or following.bound or not _whole(following):
        return False
    between = view.sentence.text[view.figure.end - view.sentence.start : following.start - view.sentence.start]
    return _HOW_OFTEN.fullmatch(between) is not None


def _before(view: View, many: int) -> str:
    """So many characters in front of the figure, in its sentence."""
    start = view.figure.start - view.sentence.start
    return view.sentence.text[max(0, start - many) : start]


def _whole(figure: Figure) -> bool:
    """Whether a figure can be a count."""
    if not figure.readings or figure.year:
        return False
    value = figure.readings[0].value
    return value == int(value) <= MOST_COUNTED
