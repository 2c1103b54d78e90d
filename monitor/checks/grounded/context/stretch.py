"""
The words that speak of one count: each with its root and its figure, marked when something explains it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.labels import column_label
from monitor.checks.grounded.evidence.vocabulary import Vocabulary, outcome_of, root, tokens
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import plain_lower

LONGEST_SENTENCE = 600
"""Characters of the longest sentence that is read for a count."""
_TOKEN = re.compile(r"[^\W_]+|%")
_PIECE = re.compile(r"[;:]|,|\b(?:and|while|whereas|but|although)\b")
_NEXT = re.compile(r"[\s*_]*([^\W\d_]+)")
_OF_THE = re.compile(r"\b(?:of\s(?:all\s)?(?:the|these|those|its|their)|out\sof)\s$")
BE = frozenset("is are was were be been has have had having do does did".split())
PREPOSITIONS = frozenset("of in on at by for from to with as into during within among than that which who".split())
DIFFERENT = frozenset("different distinct unique separate".split())
FUNCTION = (
    BE
    | PREPOSITIONS
    | DIFFERENT
    | frozenset(
        "i we us our you your covered represented present a an the this these those there here it its they their them his him her he she whom whose what when where out up "
        "against versus vs per and or but while also too so such being am done can could will would all only just both "
        "overall total totals number count counted altogether exactly precisely ever any some other s t list lists listed "
        "table shown show shows showing recorded record appear appears appeared occur occurs occurred happen happened take "
        "takes took taken place places hold holds held make makes made get gets got include includes included including "
        "contain contains contained feature features featured play plays played come comes came go went give given finish "
        "finished end ended result resulted participate participated receive received use used according time times "
        "occasion occasions".split()
    )
)
"""Words that say nothing about which rows are counted: what joins words, and verbs of being, having and doing."""
NEGATIONS = frozenset("not without no non never neither didn wasn weren doesn don isn aren".split())
COMPARING = frozenset(
    "more less fewer greater higher lower larger smaller longer shorter taller bigger heavier lighter older deeper wider faster slower over under above below exceed exceeds exceeding exceeded least most "
    "than at no not or better worse up to excess".split()
)
_IRREGULAR = frozenset("men women people children series species".split())


class Filter(NamedTuple):
    """*rows* (as bits) that meet one condition of the sentence, on a *column*; *kind* tells a column's month from its year."""

    column: int
    rows: int
    text: str
    kind: str = ""


@dataclass(slots=True)
class Word:
    """
    A word of the sentence, lower case unless it is all in capitals (``IT`` is a name): its *root*, the *figure* that it is part of, and whether something explains
    it (*used*).
    """

    text: str
    root: str
    figure: Figure | None = None
    used: bool = False


@dataclass(slots=True)
class Reading:
    """
    What the words say of a count over one table.

    *terms* are the conditions, each with its alternatives; *nouns* the columns that the counted noun names; *different*
    asks for different values; *whole* says that the figure is all there is (``of the 13``); *cut* that
    another count stands before it in its clause; *sure* that every word was understood.
    """

    terms: list[list[Filter]] = field(default_factory=list)
    nouns: list[int] = field(default_factory=list)
    different: bool = False
    sure: bool = True
    whole: bool = False
    cut: bool = False


class Stretch:
    """
    The words of a sentence that may speak of its figure, read against one table. *place* is where the figure stands, *head*
    the noun that it counts, *dated* whether a period is named, *partial* whether the figure is a part of them (``4 of the``), *named* where names of cells start, *places* where each
    condition does; *aside* leaves out what follows a comma after the figure.
    """

    def __init__(self, view: View, vocabulary: Vocabulary, caption: frozenset[str], *, aside: bool = False) -> None:
        self.view, self.vocabulary, self.caption, self.aside = view, vocabulary, caption, aside
        self.reading = Reading()
        self.head: Word | None = None
        self.dated = self.partial = False
        self.named: list[int] = []
        self.places: list[int] = []
        start, end = self._ends()
        offset = view.sentence.start + start
        figures = [f for f in view.sentence.figures() if f.start >= offset and f.end <= view.sentence.start + end]
        self.words: list[Word] = []
        text = view.sentence.text
        shouted = text.isupper()
        for found in _TOKEN.finditer(plain_lower(text)[start:end]):
            first, last = offset + found.start(), offset + found.end()
            figure = next((f for f in figures if f.start < last and first < f.end), None)
            raw = text[start + found.start() : start + found.end()]
            word = raw if len(raw) > 1 and raw.isupper() and not shouted else found[0]
            self.words.append(Word(word, root(found[0]), figure, figure is view.figure))
        self.place = next((n for n, word in enumerate(self.words) if word.figure is view.figure), -1)

    # -- where it starts and ends --------------------------------------------------------------------------------------

    def _ends(self) -> tuple[int, int]:
        """Where the words that belong to the figure start and end in its sentence: no other count stands between."""
        sentence, own = self.view.sentence, self.view.figure
        others = [f for f in sentence.figures() if f is not own and self._is_count(f)]
        start, end = 0, len(sentence.text)
        for found in _PIECE.finditer(sentence.text.lower()):
            at, last = sentence.start + found.start(), sentence.start + found.end()
            if last <= own.start and any(f.start < at for f in others):
                start = last - sentence.start
                self.reading.cut = not self._has_verb()
                self.reading.sure = self._opens_alike(start, min(f.start for f in others))
            elif at >= own.end and (found[0] == ":" or (self.aside and found[0] == ",")):
                return start, min(end, at - sentence.start)
            elif at >= own.end and any(f.start >= last and (found[0] != "," or f.start - last < 2) for f in others):
                end = min(end, at - sentence.start)
        return start, end

    def _opens_alike(self, start: int, first: int) -> bool:
        """Whether only function words stand before the first count of the sentence, and before this one in its stretch."""
        text, offset = self.view.sentence.text, self.view.sentence.start
        opening = (text[: first - offset], text[start : self.view.figure.start - offset])
        return all(word in FUNCTION for part in opening for word in tokens(part))

    def _has_verb(self) -> bool:
        """Whether a verb of its own follows the figure closely (``and three depots were late``)."""
        following = self.view.sentence.text[self.view.figure.end - self.view.sentence.start :]
        return not BE.isdisjoint(tokens(following)[:3])

    def _is_count(self, figure: Figure) -> bool:
        """Whether a figure may be another count, rather than a condition, a date or the whole."""
        if figure.bound or figure.year or figure.moment or figure.unit or not figure.readings or self.is_whole(figure):
            return False
        text, start = self.view.sentence.text, figure.start - self.view.sentence.start
        before = tokens(text[max(0, start - 40) : start])[-4:]
        if any(c in self.vocabulary.numeric for word in before for c in self.vocabulary.called(root(word))):
            return False
        return not self.vocabulary.measured_by(word_at(text, figure.end - self.view.sentence.start))

    def is_whole(self, figure: Figure) -> bool:
        """Whether a figure is the whole that something is a part of (``of the 13``, ``four of 13``)."""
        sentence = self.view.sentence
        head = sentence.text[max(0, figure.start - sentence.start - 20) : figure.start - sentence.start].lower()
        if _OF_THE.search(head):
            return True
        return head.endswith(" of ") and any(0 <= figure.start - f.end <= 4 for f in sentence.figures())

    # -- what explains the words ---------------------------------------------------------------------------------------

    def text(self, at: int) -> str:
        """The word at a place; "" beyond the ends."""
        return self.words[at].text if 0 <= at < len(self.words) else ""

    def free(self, at: int) -> bool:
        """Whether the word at a place says something that nothing explains yet."""
        word = self.words[at]
        return not word.used and word.text not in FUNCTION and word.text not in NEGATIONS

    def use(self, words: Iterable[Word]) -> None:
        """Mark words as explained."""
        for word in words:
            word.used = True

    def use_figure(self, at: int) -> int:
        """Mark the word at a place, and those of the same figure; how many."""
        figure, length = self.words[at].figure, 1
        while figure and at + length < len(self.words) and self.words[at + length].figure is figure:
            length += 1
        self.use(self.words[at : at + length])
        return length

    def use_back(self, at: int, words: frozenset[str]) -> int:
        """Mark the words from a place backwards that are among *words*; the place before them."""
        while at >= 0 and self.words[at].text in words:
            self.words[at].used = True
            at -= 1
        return at

    def use_verb(self, at: int) -> None:
        """Take the verb before a number for what joins its subject to it (``handled more than 90``)."""
        if self.text(at).endswith("ed") and outcome_of(self.text(at)) is None:
            self.words[at].used |= not self.vocabulary.words.get(self.words[at].root)

    def add(self, alternatives: list[Filter], at: int, length: int = 0, *, plain: bool = False) -> None:
        """Take in a condition that the words from *at* on state; turned round after a negation, unless *plain*."""
        negation = None if plain else self._negation(at)
        if negation is not None:
            negation.used = True
            alternatives = [self._without(condition) for condition in alternatives]
        self.use(self.words[at : at + length])
        self.reading.terms.append(alternatives)
        self.places.append(at)

    def _negation(self, at: int) -> Word | None:
        """The negation that the condition at *at* is under: nothing but function words stands between."""
        for back in range(at - 1, max(-1, at - 8), -1):
            word = self.words[back]
            if word.text in NEGATIONS:
                return None if word.used else word
            if word.text not in FUNCTION:
                return None
        return None

    def _without(self, condition: Filter) -> Filter:
        label = self.label(condition.column) if condition.column >= 0 else ""
        text = condition.text.replace(label, f"{label} not", 1)
        return condition._replace(rows=self.vocabulary.rows & ~condition.rows, text=text, kind=f"not {condition.kind}")

    def label(self, column: int) -> str:
        """What people call a column."""
        return column_label(self.vocabulary.table, column)


def word_at(text: str, position: int) -> str:
    """The word that starts at a position of *text*, lower case; "" where there is none."""
    found = _NEXT.match(text, position)
    return found[1].lower() if found else ""


def plural(word: str) -> bool:
    """Whether a word looks like an English plural."""
    return (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in _IRREGULAR
