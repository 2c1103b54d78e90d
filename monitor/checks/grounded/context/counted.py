"""
What a figure counts: the noun behind it, and whether the figure is a count of rows at all.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.stretch import (
    BE,
    COMPARING,
    DIFFERENT,
    FUNCTION,
    PREPOSITIONS,
    Stretch,
    Word,
    plural,
)
from monitor.checks.grounded.evidence.vocabulary import outcome_of
from monitor.checks.grounded.text import units

MAX_COUNT = 1_000
_LISTED = re.compile(r"\d\s?(?:,|,?\s?\band|&|or)\s?$")
_TAKES_UP = re.compile(
    r"\s(?:[^\W\d_]+\s){0,3}(?:did|do|does|are|were|is|was|have|had|has|sind|waren|haben|hatten|sont|étaient|son|fueron|zijn|waren)\s?:"
)
"""What makes a sentence short for the question it answers (``Three carriers did: …``)."""
_JOINED = frozenset("-–+#/:(")
_JOINING = frozenset("-–/:")
_STOPS = PREPOSITIONS | BE | frozenset("and or but while when where".split())
_SKIPPED = DIFFERENT | frozenset("of out the these those its their his her all our this that total".split())
_MORE = frozenset("more less fewer higher lower".split())
_PRONOUNS = frozenset("them these those which us".split())
_OF = frozenset("of out the".split())


def counts_rows(view: View) -> bool:
    """Whether a figure can be a count, as far as its own form and its neighbours tell: no part of a list, score or range."""
    figure = view.figure
    if not figure.readings or figure.moment or figure.year or figure.fraction or figure.factor != 1.0 or figure.signed:
        return False
    value = figure.readings[0].value
    if figure.unit not in ("", units.TIMES) or value != int(value) or not 1 <= value <= MAX_COUNT:
        return False
    text, start = view.sentence.text, figure.start - view.sentence.start
    before, after = text[max(0, start - 12) : start], text[figure.end - view.sentence.start :][:3]
    if _LISTED.search(before) and not any(0 <= figure.start - f.end < 8 and f.year for f in view.sentence.figures()):
        return False
    if _TAKES_UP.match(text, figure.end - view.sentence.start):
        return False
    return before.rstrip()[-1:] not in _JOINED and after.lstrip()[:1] not in _JOINING


def read_noun(stretch: Stretch) -> bool:
    """Read what stands beside the figure; False when it is an amount that the table holds, a name's number, or no count."""
    if stretch.place < 0:
        return False
    if stretch.aside and not any(word.text in BE or word.text.endswith("ed") for word in stretch.words):
        return False
    figure, reading = stretch.view.figure, stretch.reading
    reading.whole = not _one_of(stretch) and stretch.is_whole(figure)
    if _is_named(stretch):
        return False
    stretch.use_verb(stretch.place - 1)
    if figure.bound:
        stretch.use_back(stretch.place - 1, COMPARING)
    first = stretch.place + stretch.use_figure(stretch.place)
    stretch.partial = stretch.text(first) in ("of", "out")
    at = _skipped(stretch, first)
    noun = _noun(stretch, at)
    if figure.unit == units.TIMES:
        return True
    if noun:
        return noun[0].text not in _MORE and _read_head(stretch, noun)
    if figure.bound in ("over", "under"):
        return False
    return at > first or stretch.text(at) in _STOPS - PREPOSITIONS


def _one_of(stretch: Stretch) -> bool:
    """Leave out the one that is said to be among those counted (``A is one of seven``): it sets no condition."""
    at = stretch.place - 1
    while stretch.text(at) in _OF:
        at -= 1
    if at == stretch.place - 1 or stretch.text(at) != "one":
        return False
    del stretch.words[: at + 1]
    stretch.place -= at + 1
    return True


def _is_named(stretch: Stretch) -> bool:
    """Whether the figure is a name's number: a column's name stands before it (``round 5``), or *top*."""
    if stretch.place == 0:
        return False
    before = stretch.words[stretch.place - 1]
    called = stretch.vocabulary.called(before.root)
    return before.text == "top" or (bool(called) and not plural(before.text) and before.text not in FUNCTION)


def _skipped(stretch: Stretch, at: int) -> int:
    """Where the noun starts: after ``of the``, the whole that the figure is a part of, ``different``."""
    first, words = at, stretch.words
    while at < len(words) and (words[at].text in _SKIPPED or (at > first and words[at].figure)):
        if words[at].figure is not None and words[at - 1].text not in _OF:
            break
        stretch.reading.different |= words[at].text in DIFFERENT
        words[at].used = True
        at += 1
    return at


def _noun(stretch: Stretch, at: int) -> list[Word]:
    """The words from *at* to the noun that is counted: the first plural that ends no name of several words."""
    noun: list[Word] = []
    for word in stretch.words[at : at + 5]:
        if word.text in _STOPS or word.figure is not None:
            break
        noun.append(word)
        if word.text in DIFFERENT:
            stretch.reading.different = True
        elif plural(word.text) and (stretch.vocabulary.measured_by(word.text) or not _starts_name(stretch, noun)):
            break
    return noun


def _starts_name(stretch: Stretch, noun: list[Word]) -> bool:
    """Whether a single word starts or ends a cell of several words."""
    if len(noun) > 1:
        return False
    length, found = stretch.vocabulary.starting([noun[0].root])
    return length == 1 and any(value.words.count(" ") > 2 for value in found)


def _read_head(stretch: Stretch, noun: list[Word]) -> bool:
    head, vocabulary = noun[-1], stretch.vocabulary
    if head.text in _PRONOUNS:
        head.used = True
        return True
    columns = vocabulary.counting(head.root)
    if vocabulary.measured_by(head.text) or not vocabulary.measures.isdisjoint(columns):
        return False
    stretch.reading.nouns = columns
    stretch.head = head
    if outcome_of(head.text) or vocabulary.holds(head.root):
        return True
    head.used = True
    if not columns and len(head.root) > 4 and len(noun) == 1 and vocabulary.alike(head.root):
        stretch.reading.sure = False
    return True
