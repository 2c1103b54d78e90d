"""
Ranks in words, held against the results: whether the row named is in the place that the words give it.

A rank is a figure only where it can be decided: a row is named, and a column, by the words, by a figure beside the rank or by
the question. Where several columns, orders or sets of rows may be meant, one that agrees is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.periods import Rows
from monitor.checks.grounded.context.rankwords import Rank
from monitor.checks.grounded.context.sentences import Clause, Sentence
from monitor.checks.grounded.derivations.operands import is_key
from monitor.checks.grounded.evidence.index import Cell, Evidence, Source
from monitor.checks.grounded.evidence.labels import column_label, is_total, row_label
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import stem, telling_words, words_in

MAX_TABLES = 8
MAX_COLUMNS = 60
MANY = 500
"""Rows of a name, and names of a sentence, beyond which nothing is decided."""
FEWEST = 3
"""Among fewer rows nothing has a rank worth the word."""
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_LEAST = re.compile(
    r"\b(?:lowest|fewest|smallest|least|shortest|slowest|worst|best|better|fastest|quickest|cheapest|youngest|bottom|last|ascending|"
    r"niedrigste\w*|wenigste\w*|kleinste\w*|geringste\w*|kürzeste\w*|schnellste\w*|beste\w*|schlechteste\w*|günstigste\w*|letzte\w*|"
    r"moins|plus (?:basse?s?|faibles?|petite?s?|courte?s?|rapides?)|meilleure?s?|pires?|minim\w+|"
    r"menos|menor(?:es)?|más (?:baj|rápid|cort|barat)\w+|mejor(?:es)?|peor(?:es)?|"
    r"laagste|minste|kleinste|kortste|snelste|beste|slechtste|goedkoopste)\b",
    re.IGNORECASE,
)
"""Words by which a rank may count from the low end, or from the better one."""
_TIMES = frozenset("s ms min h d days ppm".split())
_SMALLER = frozenset(
    stem(word)
    for word in "delay wait cost error defect fault churn complaint cancel price late latency lateness loss scrap bounce refund time "
    "duration downtime outage age failure miss backlog overdue debt rank place position verspätung fehler ausfall kosten preis dauer "
    "beschwerde storno ausschuss wartezeit verlust retard coût défaut prix durée erreur plainte perte attente retraso coste "
    "defecto precio duración queja espera pérdida vertraging kost fout prijs duur klacht wachttijd verlies uitval".split()
)
"""Of what these columns hold, less may rank first."""
_NARROWED = re.compile(
    r"\b(?:among|amongst|excluding|except|without|if|when|where|only|since|unter|ohne|außer|wenn|parmi|sauf|hors|sans|quand|"
    r"excepto|salvo|sin|cuando|onder|behalve|zonder|als)\b",
    re.IGNORECASE,
)
"""What may rank a row among others than those of the result."""
_BY = re.compile(
    r"\b(?:by|in terms of|nach|gemessen an|par|en termes de|por|en cuanto a|op basis van|qua|naar)\s(?!far\b)(?:the\s)?([^\W\d_][^,;:.()\n]{1,40})",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"(?:\s(?:place|position|spot|rank|slot|Platz|Rang|Stelle|Position|rang|lugar|puesto|posición|plaats|plek|positie))?"
    r"\s(?:in|on|of|across|within|for|from|im|am|in|unter|von|der|des|du|de|del|de la|dans|sur|en|entre|para|van|op|voor|uit)\s"
    r"([^,;:.()\n]{1,60})",
    re.IGNORECASE,
)
"""What follows a rank and says among what it is one."""
_PLACES = frozenset("rank ranking position place pos standing rang platz puesto posicion lugar plaat positi".split())
"""Columns that hold the places themselves."""
_AGAINST = re.compile(
    r"\b(?:behind|after|ahead of|before|than|below|above|over|versus|vs|and|hinter|nach|vor|als|und|derrière|après|devant|avant|que|et|"
    r"detrás de|tras|delante de|y|achter|na|voor|dan|en)\s(?:the\s)?$",
    re.IGNORECASE,
)
"""What stands before a name that another is set against or listed with."""


class Judged(NamedTuple):
    """Whether the row *holds* its rank, and what shows it."""

    holds: bool
    found: Found


class Ranks:
    """Judges the ranks in words of one answer."""

    def __init__(self, evidence: Evidence, question: str) -> None:
        self.evidence, self.question = evidence, question[:2000]

    def judge(self, rank: Rank, sentence: Sentence) -> Judged | None:
        """Whether *rank*, which stands in *sentence*, is so; None where it cannot be told."""
        clause = sentence.clauses[sentence.clause_at(rank.start)]
        subject = _subject(rank, sentence, clause)
        if subject is None:
            return None
        denied: Judged | None = None
        for t in self._tables():
            judged = self._in_table(rank, sentence, clause, subject, t)
            if judged and judged.holds:
                return judged
            denied = denied or judged
        return denied

    def _tables(self) -> Iterator[int]:
        for t, table in enumerate(self.evidence.tables[:MAX_TABLES]):
            if table.is_result and not table.earlier and len(table.rows) - table.header_rows >= FEWEST:
                yield t

    def _in_table(self, rank: Rank, sentence: Sentence, clause: Clause, subject: Mention, t: int) -> Judged | None:
        row, frames = self._row(sentence, subject, t)
        if row is None:
            return None
        columns = self._columns(rank, sentence, clause, t, row)
        if not columns or any(not self._complete(t, c) for c in columns):
            return None
        frames = self._alike(rank, sentence, t, row) + frames
        first: tuple[int, int] | None = None
        for c in columns:
            for rows in frames:
                for up in self._orders(rank, sentence, t, c):
                    low, high = self._places(t, c, row, rows, up=up)
                    if low <= rank.place <= high:
                        return Judged(True, self._says(Cell(t, row, c), low, fault=False))
                    first = first or ((c, low) if low else None)
        if first is None or self._unsure(rank, sentence, t):
            return None
        return Judged(False, self._says(Cell(t, row, first[0]), first[1], fault=True))

    # -- the row and the rows it is ranked among ---------------------------------------------------------------------

    def _row(self, sentence: Sentence, subject: Mention, t: int) -> tuple[int | None, list[Rows | None]]:
        """The only row that the subject, in the period named, is; and the sets of rows it may be ranked among (None for all)."""
        rows = {
            cell.row for cell in subject.cells[:MANY] if cell.table == t and not is_total(self.evidence, t, cell.row)
        }
        if not rows or len(subject.cells) > MANY:
            return None, []
        frames: list[Rows | None] = [None]
        for mention in sentence.mentions()[:MANY]:
            group = frozenset(cell.row for cell in mention.cells[:MANY] if cell.table == t)
            if mention is subject or len(group) < FEWEST - 1 or not rows & group:
                continue
            if len(rows) > 1:
                frames = [group]
                rows &= group
            else:
                frames.append(group)
        return (next(iter(rows)), frames) if len(rows) == 1 else (None, [])

    def _alike(self, rank: Rank, sentence: Sentence, t: int, row: int) -> list[Rows | None]:
        """The rows that share with *row* what the words say it is ranked within (``second in its region``)."""
        within = _WITHIN.match(sentence.text, rank.end - sentence.start)
        words = words_in(within[1]) if within else ()
        table = self.evidence.tables[t]
        out: list[Rows | None] = []
        for c, name in enumerate(table.columns[:MAX_COLUMNS] if words else ()):
            own = self.evidence.raw(Cell(t, row, c))
            if isinstance(own, str) and not telling_words(name).isdisjoint(words):
                self.evidence.spend(len(table.rows) // 4)
                alike = frozenset(r for r, cells in enumerate(table.rows) if c < len(cells) and cells[c] == own)
                out += [alike] if len(alike) > 1 else []
        return out

    # -- columns -----------------------------------------------------------------------------------------------------

    def _columns(self, rank: Rank, sentence: Sentence, clause: Clause, t: int, row: int) -> list[int]:
        """The columns that may be meant: named beside the rank, of a figure beside it, named in the sentence or the question."""
        names = self.evidence.tables[t].columns[:MAX_COLUMNS]
        measures = [c for c, name in enumerate(names) if not is_key(name) and len(self.evidence.column(t, c)) >= FEWEST]
        own = sentence.text[clause.start - sentence.start : clause.end - sentence.start]
        by = _BY.search(sentence.text, max(0, rank.end - sentence.start))
        if by:
            return _named(names, measures, by[1])
        return (
            _named(names, measures, own)
            or self._of_figures(clause.figures, measures, t, row)
            or self._of_figures(_next_to(sentence, clause), measures, t, row)
            or _named(names, measures, sentence.text)
            or _named(names, measures, self.question)
            or (measures if len(measures) == 1 else [])
        )

    def _of_figures(self, figures: Sequence[Figure], measures: list[int], t: int, row: int) -> list[int]:
        """The columns in which one of *figures* is the row's."""
        out = []
        for c in measures:
            cell = Cell(t, row, c)
            value, unit = self.evidence.value(cell), self.evidence.unit(cell)
            if value is not None and any(f.readings and match.fits(f, value, unit) for f in figures):
                out.append(c)
        return out

    def _complete(self, t: int, c: int) -> bool:
        """Whether a column shows all that may rank before its rows: all rows, or the first ones in its order."""
        table = self.evidence.tables[t]
        rows = len(table.rows) - table.header_rows
        cut = table.truncated or (table.row_count or 0) > len(table.rows)
        cut = cut or ((table.limit or rows + 1) <= rows and not self._asked_for(rows))
        if not cut and not self.evidence.incomplete:
            return True
        values = [value for _, value in self.evidence.column(t, c)]
        return values in (sorted(values), sorted(values, reverse=True))

    def _asked_for(self, rows: int) -> bool:
        """Whether the question itself wants so many rows (``top 5``)."""
        return any(f.readings and f.readings[0].value == rows for f in Source("question", "", self.question).figures())

    # -- places ------------------------------------------------------------------------------------------------------

    def _orders(self, rank: Rank, sentence: Sentence, t: int, c: int) -> tuple[bool, ...]:
        """Whether the place counts from the lowest value: in the order said first, or in both where both may be meant."""
        if rank.side:
            return (rank.side == "low",)
        words = f"{sentence.text} {self.question}"
        telling = telling_words(self.evidence.tables[t].columns[c])
        smaller = self.evidence.tables[t].units[c].unit in _TIMES or any(
            word.startswith(small) for word in telling for small in _SMALLER
        )
        return (False, True) if smaller or _LEAST.search(words) else (False,)

    def _places(self, t: int, c: int, row: int, rows: Rows | None, *, up: bool) -> tuple[int, int]:
        """The first and the last place that a row may be given, ties counted either way; (0, 0) where it has no number."""
        cell = self.evidence.value(Cell(t, row, c))
        if cell is not None and not _PLACES.isdisjoint(telling_words(self.evidence.tables[t].columns[c])):
            return int(cell), int(cell)
        values = {
            r: value
            for r, value in self.evidence.column(t, c)
            if (rows is None or r in rows) and not is_total(self.evidence, t, r)
        }
        self.evidence.spend(1 + len(values) // 4)
        own = values.get(row)
        if own is None or len(values) < 2:
            return 0, 0
        before = [value for value in values.values() if (value < own if up else value > own)]
        same = sum(1 for value in values.values() if value == own)
        return len(set(before)) + 1, len(before) + same

    def _unsure(self, rank: Rank, sentence: Sentence, t: int) -> bool:
        """Whether the words may rank the row among others than the result holds."""
        if _NARROWED.search(sentence.text):
            return True
        end = rank.end - sentence.start
        within = _WITHIN.match(sentence.text, end)
        if within is None or any(rank.end <= m.start < sentence.start + within.end() for m in sentence.mentions()):
            return False
        columns = self.evidence.tables[t].columns[:MAX_COLUMNS]
        told = frozenset().union(*map(telling_words, columns))
        return told.isdisjoint(words_in(within[1]))

    # -- words -------------------------------------------------------------------------------------------------------

    def _says(self, cell: Cell, place: int, *, fault: bool) -> Found:
        table = self.evidence.tables[cell.table]
        label = row_label(self.evidence, cell.table, cell.row)
        nth = _NTH[place - 1] if place <= len(_NTH) else f"number {place}"
        source: dict[str, object] = {
            "kind": "derived",
            "derivation": "rank",
            "cells": [{"table": table.name, "row": cell.row, "column": table.columns[cell.column]}],
        }
        text = f"{label} is {nth} by {column_label(table, cell.column)}"
        return Found(source, text, "wrong_extreme" if fault else "")


def _subject(rank: Rank, sentence: Sentence, clause: Clause) -> Mention | None:
    """The name that is ranked: the only one before the rank in its clause, else in the sentence; else the one right after it."""
    names = [mention for mention in sentence.mentions()[:MANY] if not mention.period]
    before = [mention for mention in names if mention.end <= rank.start]
    own = [mention for mention in before if mention.start >= clause.start]
    if own or before:
        chosen = own or before
        head = sentence.text[: chosen[-1].start - sentence.start][-24:]
        one = len({tuple(mention.cells[:1]) for mention in chosen}) == 1
        return chosen[-1] if one and not _AGAINST.search(head) else None
    after = [mention for mention in names if rank.end <= mention.start < clause.end]
    if not after or after[0].start - rank.end > 40:
        return None
    gap = sentence.text[rank.end - sentence.start : after[0].start - sentence.start]
    return after[0] if _INVERTED.search(gap) and not any(char.isdigit() for char in gap) else None


_INVERTED = re.compile(
    r"(?:\b(?:is|was|comes|came|ranks|stands|ist|war|liegt|lag|folgt|steht|kommt|est|arrive|vient|está|es|fue|queda|viene|"
    r"is|was|staat|komt|volgt)|:)\s(?:the\s|die\s|der\s|das\s|le\s|la\s|l['’]|el\s|de\s|het\s)?$",
    re.IGNORECASE,
)


def _next_to(sentence: Sentence, clause: Clause) -> list[Figure]:
    """The figures of the clauses beside *clause* that name nothing of their own."""
    index = sentence.clauses.index(clause)
    beside = sentence.clauses[max(0, index - 1) : index + 2]
    return [figure for each in beside if each is not clause for figure in each.figures]


def _named(names: list[str], measures: list[int], text: str) -> list[int]:
    """The columns of *measures* that a text names best by their telling words."""
    words = frozenset(words_in(text))
    scores = {c: len(telling_words(names[c]) & words) for c in measures}
    best = max(scores.values(), default=0)
    return [c for c, score in scores.items() if score == best] if best else []
