"""
Which rows a sentence names: clauses of an answer, and the row keys mentioned in them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from monitor.checks.grounded.dates import MONTHS, Moment
from monitor.checks.grounded.evidence import Cell, Evidence
from monitor.checks.grounded.figures import Figure

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"')\]*_]*\s+(?=[\"'(\[*_]*[^\Wa-z\d_]|[-*•]\s|\d)|\n+|(?<=[。！？])")
_CLAUSE_END = re.compile(
    r"(?<!\d),|,(?!\d)|[;:()|\u2013\u2014]|\s(?:and|while|whereas|but|und|während|aber|et|tandis que|mais|y|mientras|pero|en|terwijl|maar)\s",
    re.IGNORECASE,
)
_MONTH_NAME = re.compile(
    rf"\b(?:{'|'.join(sorted((m for m in MONTHS if len(m) > 3 or m == 'may'), key=len, reverse=True))})\b", re.IGNORECASE
)
_COMPARED = re.compile(
    r"\b(?:than|from|since|until|till|vs|versus|compared|against|before|after|als|seit|bis|que|desde|depuis)\b", re.IGNORECASE
)
MAX_MENTIONS = 2000


@dataclass(slots=True)
class Mention:
    """A row key in the text: its span, and the cells that hold it."""

    start: int
    end: int
    cells: list[Cell]
    period: bool = False


@dataclass(slots=True)
class Clause:
    """A stretch of a sentence, the mentions and figures in it, by position."""

    start: int
    end: int
    mentions: list[Mention] = field(default_factory=list)
    figures: int = 0


@dataclass(slots=True)
class Sentence:
    """One sentence, list item or table row."""

    start: int
    end: int
    text: str
    clauses: list[Clause]

    def mentions(self) -> list[Mention]:
        """Every mention in the sentence."""
        return [mention for clause in self.clauses for mention in clause.mentions]

    def clause_at(self, position: int) -> Clause:
        """The clause that holds *position*."""
        index = bisect_right([clause.start for clause in self.clauses], position) - 1
        return self.clauses[max(0, index)]


def find_mentions(answer: str, evidence: Evidence) -> list[Mention]:
    """Row keys of *evidence* that *answer* mentions as whole words, the longest where they overlap."""
    lower = answer.lower()
    found: list[Mention] = []
    for key, cells in evidence.texts.items():
        name = key.strip().lower()
        forms = {name, name.replace("_", " ")} if "_" in name else {name}
        for form in forms:
            if len(form) < 2 or form not in lower:
                continue
            position = lower.find(form)
            while position >= 0 and len(found) < MAX_MENTIONS:
                end = position + len(form)
                if _whole(lower, position, end):
                    found.append(Mention(position, end, cells))
                position = lower.find(form, end)
    found.sort(key=lambda mention: (mention.start, -(mention.end - mention.start)))
    kept: list[Mention] = []
    for mention in found:
        if kept and mention.start < kept[-1].end:
            if (mention.start, mention.end) == (kept[-1].start, kept[-1].end):
                kept[-1].cells = kept[-1].cells + mention.cells
            continue
        kept.append(mention)
    return kept


def find_periods(answer: str, figures: list[Figure], evidence: Evidence) -> list[Mention]:
    """Dates and months in *answer* that name rows by their date cells."""
    if not evidence.moments:
        return []
    moments = [(figure.start, figure.end, figure.moment) for figure in figures if figure.moment]
    taken = [(start, end) for start, end, _ in moments]
    for found in _MONTH_NAME.finditer(answer):
        if not any(start < found.end() and found.start() < end for start, end in taken):
            moments.append((found.start(), found.end(), Moment(0, 0, month=MONTHS[found[0].lower()])))
    out = []
    for start, end, moment in moments:
        cells = [cell for other, cell in evidence.moments if moment.agrees(other)]
        if cells:
            out.append(Mention(start, end, cells, period=True))
    return out


def _whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_")


def split(answer: str, mentions: list[Mention], figures: list[Figure]) -> list[Sentence]:
    """The sentences of *answer*, each with its clauses, *mentions* and counts of *figures*."""
    sentences: list[Sentence] = []
    start = 0
    ends = [found.span() for found in _SENTENCE_END.finditer(answer)]
    for stop, following in [*ends, (len(answer), len(answer))]:
        if stop > start:
            sentences.append(Sentence(start, stop, answer[start:stop], _clauses(answer, start, stop, mentions)))
        start = following
    starts = [sentence.start for sentence in sentences]
    for items, attach in ((mentions, True), (figures, False)):
        for item in items:
            index = bisect_right(starts, item.start) - 1
            if index < 0:
                continue
            clause = sentences[index].clause_at(item.start)
            if attach:
                clause.mentions.append(item)  # type: ignore[arg-type]  # the first of the two lists
            else:
                clause.figures += 1
    return sentences


def _clauses(answer: str, start: int, stop: int, mentions: list[Mention]) -> list[Clause]:
    clauses: list[Clause] = []
    begin = start
    for found in _CLAUSE_END.finditer(answer, start, stop):
        inside = any(mention.start < found.end() and found.start() < mention.end for mention in mentions)
        if not inside and found.start() > begin:
            clauses.append(Clause(begin, found.start()))
            begin = found.start()
    clauses.append(Clause(begin, stop))
    return clauses


def compared(text: str) -> bool:
    """Whether a sentence sets one thing against another, so that a name in it need not own the figure."""
    return bool(_COMPARED.search(text))


def named_rows(sentence: Sentence, position: int, table: int) -> tuple[set[int], bool]:
    """
    (rows of *table* that the words around *position* name, whether that is firm).

    Firm: the figure's own clause names one key, so a value of another row is a fault. Else every row that the
    sentence names will do.
    """
    clause = sentence.clause_at(position)
    own = _rows(clause.mentions, table)
    listed = _listed(sentence, clause)
    if own and len({mention.start for mention in clause.mentions if _in(mention, table)}) == 1 and not listed:
        everywhere = [m for m in sentence.mentions() if m in clause.mentions or m.period]
        narrowed = _rows(everywhere, table)
        return narrowed or own, True
    keys = [mention for mention in sentence.mentions() if _in(mention, table)]
    rows = _rows(keys, table)
    single = len({(m.start, m.end) for m in keys if not m.period}) <= 1
    firm = bool(rows) and single and bool([m for m in keys if not m.period])
    return rows, firm


def _in(mention: Mention, table: int) -> bool:
    return any(cell.table == table for cell in mention.cells)


def _rows(mentions: list[Mention], table: int) -> set[int]:
    """Rows of *table* that *mentions* name: any of a column's keys, in all columns at once where that is possible."""
    by_column: dict[int, set[int]] = {}
    for mention in mentions:
        for cell in mention.cells:
            if cell.table == table:
                by_column.setdefault(cell.column, set()).add(cell.row)
    if not by_column:
        return set()
    rows = set.intersection(*by_column.values())
    return rows or set.union(*by_column.values())


def _listed(sentence: Sentence, clause: Clause) -> bool:
    """Whether names stand in a list before their figures (``A, B and C had 1, 2 and 3``)."""
    index = sentence.clauses.index(clause)
    before = sentence.clauses[index - 1] if index else None
    return before is not None and bool(before.mentions) and not before.figures
