"""
From the words around a count to the filters that they set on the rows of one table.

Every word is spent on a cell, a column's name, a comparison, a date, an outcome, the noun that is counted, or is a
function word. A word that is left over says something that no filter holds: then the reading is not sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from monitor.checks.grounded.claims.datefilters import read_dates
from monitor.checks.grounded.claims.namefilters import read_flags, read_names, read_outcomes
from monitor.checks.grounded.claims.numberfilters import read_limits, read_numbers
from monitor.checks.grounded.context.counted import read_noun
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.stretch import FUNCTION, LONGEST_SENTENCE, PREPOSITIONS, Reading, Stretch
from monitor.checks.grounded.evidence.index import Source
from monitor.checks.grounded.evidence.vocabulary import Vocabulary, outcome_of, root, tokens

CAPTION = 200
"""Characters of the longest text that is a table's caption."""
MIN_STEM = 4
"""Letters that a verb and a column's name share at least, to be of one stem."""
MANY_FIGURES = 8
"""A sentence with more figures is a list of amounts."""
_PERIODS = frozenset("day days week weeks month months quarter quarters season seasons year years date dates".split())
_ARTICLES = frozenset("the a an their his her its".split())
_TIMES = frozenset("times occasions rows records entries lines".split())
_HERE = frozenset(["this", "these"])
_NAME = re.compile(r"(?<=[a-z,] )([A-Z][^\W\d_]{2,})")


def read(view: View, vocabulary: Vocabulary, caption: frozenset[str]) -> Reading | None:
    """
    The filters that the words around a figure set on a table; None when the figure counts no rows.

    What follows a comma is left out where it is not understood and the rest is. *caption*: see :func:`caption_of`.
    """
    if len(view.sentence.text) > LONGEST_SENTENCE or len(view.sentence.figures()) > MANY_FIGURES:
        return None
    reading = _read(Stretch(view, vocabulary, caption))
    if reading is None or reading.sure or reading.whole or not reading.terms or "," not in view.sentence.text:
        return reading
    return _read(Stretch(view, vocabulary, caption, aside=True)) or reading


def _read(stretch: Stretch) -> Reading | None:
    if not read_noun(stretch):
        return None
    for step in (read_dates, read_limits, read_names, read_flags, read_outcomes, read_numbers):
        step(stretch)
    if left_over(stretch) or _foreign(stretch):
        stretch.reading.sure = False
    return stretch.reading


def _foreign(stretch: Stretch) -> bool:
    """Whether what is counted is something that a thing of the table has or does, and that the table does not list."""
    head, reading = stretch.head, stretch.reading
    if head is None or reading.nouns or reading.whole or stretch.partial or head.text in _TIMES:
        return False
    if outcome_of(head.text) or stretch.vocabulary.holds(head.root) or head.root in stretch.caption:
        return False
    subjects = {at for at, word in enumerate(stretch.words[: stretch.place]) if stretch.vocabulary.called(word.root)}
    return any(_is_subject(stretch, at) for at in subjects.union(stretch.named))


def _is_subject(stretch: Stretch, at: int) -> bool:
    """Whether a word before the figure is what its sentence is about: no preposition leads to it."""
    back = at - 1
    while stretch.text(back) in _ARTICLES:
        back -= 1
    return at < stretch.place and stretch.words[at].text not in FUNCTION and stretch.text(back) not in PREPOSITIONS


def left_over(stretch: Stretch) -> list[str]:
    """
    The words that nothing explains.

    Besides what was spent these explain themselves: function words, the caption's, the noun after *this*, words for
    periods beside a date, and names of columns that a condition is on, that are counted, or that name the rows.
    """
    reading = stretch.reading
    columns = {0, *reading.nouns, *(condition.column for term in reading.terms for condition in term)}
    out = []
    for at, word in enumerate(stretch.words):
        if word.used or word.text in FUNCTION or word.root in stretch.caption or stretch.text(at - 1) in _HERE:
            continue
        if stretch.dated and word.text in _PERIODS and word is not stretch.head:
            continue
        if word.text == "one" and stretch.text(at + 1) == "of" and stretch.text(at + 2) in _ARTICLES:
            continue
        if columns.isdisjoint(stretch.vocabulary.called(word.root)) and not _kin(stretch, word.root, columns):
            out.append(word.text)
    return out


def _kin(stretch: Stretch, word: str, columns: set[int]) -> bool:
    """Whether a word is of the same stem as the name of a column that is counted or has a condition (``certified``: *certification*)."""
    for column in columns:
        for name in stretch.vocabulary.names[column] if column > 0 else ():
            shared = next(
                (n for n, (a, b) in enumerate(zip(word, name, strict=False)) if a != b), min(len(word), len(name))
            )
            if shared >= MIN_STEM and shared >= min(len(word), len(name)) - 1:
                return True
    return False


def caption_of(sources: Iterable[Source]) -> frozenset[str]:
    """The roots of what is said of all rows: the words of a short text beside the tables, and names in the question."""
    out: set[str] = set()
    for source in sources:
        if source.kind == "text" and len(source.text) <= CAPTION:
            out.update(map(root, tokens(source.text)))
        elif source.kind == "question":
            out.update(root(found[1].lower()) for found in _NAME.finditer(source.text[:2000]))
    return frozenset(out)
