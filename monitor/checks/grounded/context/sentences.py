"""
The structure of an answer: sentences, clauses, rows of Markdown tables, and the row keys that stand in them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import tokens

ByColumn = dict[int, list[tuple[Mention, frozenset[int]]]]
"""For each column of a table the mentions of its keys, with their rows."""
_SENTENCE_END = re.compile(
    r"(?<=;)\s+|(?<=[.!?])[\"')\]*_]{0,6}\s+(?=[\"'(\[*_]*[^\Wa-z\d_]|[-*•]\s|\d)|\n+|(?<=[。！？।])"
)
_MAY_END = re.compile(r"[;.!?。！？।\n]")
_CLAUSE_END = re.compile(
    r"[,;:()|،؛、；\u2014]|\s(?:\u2013|and|while|whereas|but|versus|und|während|aber|sowie|et|tandis que|mais|y|"
    r"mientras|pero|en|terwijl|maar|och|medan|men|e|mentre|ma|enquanto|mas|oraz|ale)\s|\sو(?=\w)",
)
_VALUE = re.compile(r"\s?[*_~≈-]{0,3}[$€£¥₹−]{0,2}\s?\d")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?")


MANY = 200
"""So many names of a sentence, and rows of a name, are looked at to tell rows apart."""


@dataclass(slots=True)
class Clause:
    """A stretch of a sentence, the mentions and figures in it, by position."""

    start: int
    end: int
    mentions: list[Mention] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)


@dataclass(slots=True)
class Sentence:
    """
    One sentence, list item or table row.

    *headings* are, for a row of a Markdown table, where its cells end and what stands above them.
    """

    start: int
    end: int
    text: str
    clauses: list[Clause]
    headings: list[tuple[int, str]] = field(default_factory=list)
    _rows: dict[tuple[int, int], int] | None = None
    _words: dict[str, float] | None = None
    _weight: int = -1
    _named: int = -1
    _kinds: frozenset[str] | None = field(default=None, init=False)
    _starts: list[int] | None = field(default=None, init=False)
    _named_at: frozenset[int] | None = field(default=None, init=False)
    by_table: dict[int, ByColumn] = field(default_factory=dict, init=False)
    """For each table the names by column, where they are the same for every figure: kept here for ``View``."""

    def says(self, kind: str) -> bool:
        """Whether the sentence has a word of a class of ``announce`` (``fall``, ``compared`` …)."""
        if self._kinds is None:
            self._kinds = announce.classes(self.text)
        return kind in self._kinds

    def words(self) -> dict[str, float]:
        """The stemmed words of the sentence, each as near as can be."""
        if self._words is None:
            self._words = dict.fromkeys(tokens(self.text), 1.0)
        return self._words

    @property
    def weight(self) -> int:
        """The steps that it takes to look through the sentence once for each of its figures."""
        if self._weight < 0:
            parts = sum(len(clause.mentions) + len(clause.figures) + 1 for clause in self.clauses)
            self._weight = len(self.text) // 2 + parts * 4 + len(self.headings)
        return self._weight

    @property
    def named(self) -> int:
        """How many cells its names stand in, counted once for each name."""
        if self._named < 0:
            self._named = sum(len(mention.cells) + 1 for clause in self.clauses for mention in clause.mentions)
        return self._named

    def rows(self) -> dict[tuple[int, int], int]:
        """How many of the names in the sentence stand in a row, by (table, row); dates do not count."""
        if self._rows is None:
            self._rows = {}
            for mention in self.mentions()[:MANY]:
                for place in {(cell.table, cell.row) for cell in mention.cells[:MANY] if not mention.period}:
                    self._rows[place] = self._rows.get(place, 0) + 1
        return self._rows

    def names(self) -> bool:
        """Whether a name, other than a date, stands in the sentence."""
        return any(not mention.period for clause in self.clauses for mention in clause.mentions)

    def mentions(self) -> list[Mention]:
        """Every mention in the sentence."""
        return [mention for clause in self.clauses for mention in clause.mentions]

    def figures(self) -> list[Figure]:
        """Every figure in the sentence."""
        return [figure for clause in self.clauses for figure in clause.figures]

    def clause_at(self, position: int) -> int:
        """The index of the clause that holds *position*."""
        if self._starts is None:
            self._starts = [clause.start for clause in self.clauses]
        return max(0, bisect_right(self._starts, position) - 1)

    def names_at(self, position: int) -> bool:
        """Whether a mention starts at *position*."""
        if self._named_at is None:
            self._named_at = frozenset([mention.start for clause in self.clauses for mention in clause.mentions])
        return position in self._named_at

    def heading(self, position: int) -> str:
        """What stands above *position* in a Markdown table; "" elsewhere."""
        for end, text in self.headings:
            if position < end:
                return text
        return ""


def split(answer: str, mentions: list[Mention], figures: list[Figure]) -> list[Sentence]:
    """The sentences of *answer*, each with its clauses, *mentions* and *figures*."""
    sentences: list[Sentence] = []
    start = 0
    heading: list[str] = []
    for stop, following in [*_ends(answer), (len(answer), len(answer))]:
        if stop > start:
            text = answer[start:stop]
            sentence = Sentence(start, stop, text, _clauses(answer, start, stop, mentions))
            heading = _table_row(sentence, heading) if text.lstrip().startswith("|") else []
            sentences.append(sentence)
        start = following
    starts = [sentence.start for sentence in sentences]
    for mention in mentions:
        index = bisect_right(starts, mention.start) - 1
        if index >= 0:
            sentence = sentences[index]
            sentence.clauses[sentence.clause_at(mention.start)].mentions.append(mention)
    for figure in figures:
        index = bisect_right(starts, figure.start) - 1
        if index >= 0:
            sentence = sentences[index]
            sentence.clauses[sentence.clause_at(figure.start)].figures.append(figure)
    return sentences


def _ends(answer: str) -> list[tuple[int, int]]:
    """Where sentences end, and what stands between them and the next: the matches of _SENTENCE_END, tried where one may be."""
    out: list[tuple[int, int]] = []
    last = 0
    for mark in _MAY_END.finditer(answer):
        position = mark.start() if mark[0] == "\n" else mark.end()
        found = _SENTENCE_END.match(answer, position) if position >= last else None
        if found:
            out.append(found.span())
            last = found.end()
    return out


def _table_row(sentence: Sentence, heading: list[str]) -> list[str]:
    """Give a table row its headings; the heading that holds for the next row."""
    text = sentence.text
    if _RULE.fullmatch(text.strip()):
        return heading
    cells, ends, position = [], [], 0
    for part in text.split("|"):
        position += len(part) + 1
        cells.append(part.strip())
        ends.append(sentence.start + position)
    if not heading:
        return cells
    sentence.headings = list(zip(ends, heading, strict=False))
    return heading


def _clauses(answer: str, start: int, stop: int, mentions: list[Mention]) -> list[Clause]:
    clauses: list[Clause] = []
    begin = start
    for found in _CLAUSE_END.finditer(answer, start, stop):
        at, end = found.span()
        if answer[at] == "," and answer[end : end + 1].isdigit() and answer[at - 1 : at].isdigit():
            continue
        if answer[at] in ":(" and _VALUE.match(answer, end) and _named_until(mentions, at, answer):
            continue
        if at > begin and not _inside(mentions, at, end):
            clauses.append(Clause(begin, at))
            begin = at
    clauses.append(Clause(begin, stop))
    return clauses


def _named_until(mentions: list[Mention], position: int, answer: str) -> bool:
    """Whether a name ends right before *position*, so that what follows is its value (``Aurora: 12``, ``Aurora (12)``)."""
    index = bisect_right(mentions, position, key=lambda mention: mention.start) - 1
    return index >= 0 and not answer[mentions[index].end : position].strip(" *_")


def _inside(mentions: list[Mention], start: int, end: int) -> bool:
    index = bisect_right(mentions, start, key=lambda mention: mention.start) - 1
    return index >= 0 and mentions[index].end > start and mentions[index].start < end
