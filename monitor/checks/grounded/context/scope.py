"""
What the words around one figure name: rows and columns of each table, and whether firmly enough to accuse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from monitor.checks.grounded.context.mentioned import in_order, in_turn, merged, without_attributes
from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.sentences import ByColumn, Clause, Sentence
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import plain_lower, spelled, stem, telling_words, words_in

_ADJACENT = re.compile(
    r"(?:['’]s?|\))?\s?(?:[:=(|–-]|was|is|at|of|had|with|averaged|had an?|recorded|reached|made|scored|has|ist|war|hatte|mit|avait|"
    r"avec|était|est|à|tuvo|con|fue|es|had|was|met|hade|var)?\s?(?:an? )?(?:about|around|roughly|only|just)?\s?[*_(~]{0,3}[$€£]?",
)
_TO = frozenset(
    ["and", "und", "et", "y", "en", "och", "e", "–", "-", "to", "through", "bis", "à", "a", "al", "tot", "till", "t/m"]
)
_TRAILING = re.compile(
    r"\s?(?:[^\W\d_]+\s){0,2}?(?:in|at|for|on|om|um|im|für|à|pour|en|a las|voor|i|på|during|bei|chez|bij|hos|au|aux|du|am|beim|zur|zum|al|del|no|na|nel|"
    r"nella|alla|لدى|في|من)(?:\s(?:the|der|dem|den|la|le|les|el|los|las|il|de|het))?\s(?:l['’])?[*_]{0,2}",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"[,;:()|.\n]|\b(?:and|with|while|but|und|et|y|en|och|of|in|for|on|at|against|from|to|per|were|was|are|is|mit|bei|von|im|in|"
    r"de|du|des|del|van|voor|op|på|av|i|mellan|had|have|has|within|over)\b",
)


_SLIGHT = frozenset("about only around roughly nearly almost over some just exactly a the total of all as many".split())
_BE = frozenset(["were", "was", "are", "is", "been", "got"])
_PARTICIPLES = ("ed", "sold", "lost", "paid", "sent", "ert", "late")
_NO_WORDS: frozenset[str] = frozenset()
_BY = re.compile(r"\bby\b")


MAX_TIMES = 100
MANY = 12
"""Among more cells with one value, exact ones are not preferred."""
NOWHERE = 99
"""A distance beyond all words."""


def open_at(text: str) -> re.Match[str] | None:
    """Where what a figure counts ends in *text*: at a mark, or a preposition, verb or conjunction."""
    return _OPEN.search(plain_lower(text))


class Named(NamedTuple):
    """The *rows* that the words name; *firm* when a value of another row would be a fault; *groups*, one set a name; *wide*, all rows of each name in the sentence."""

    rows: frozenset[int]
    firm: bool
    groups: tuple[frozenset[int], ...]
    wide: tuple[frozenset[int], ...] = ()


NOTHING = Named(frozenset(), firm=False, groups=())


class View:
    """One figure in its sentence. Everything is worked out when first asked for."""

    __slots__ = (
        "_after",
        "_before",
        "_deed",
        "_distances",
        "_named",
        "_near",
        "_noun",
        "asked",
        "back",
        "clause",
        "evidence",
        "figure",
        "head",
        "owners",
        "sentence",
    )

    def __init__(
        self,
        figure: Figure,
        sentence: Sentence,
        evidence: Evidence,
        asked: Sentence | None = None,
        back: Sentence | None = None,
        head: Sentence | None = None,
    ) -> None:
        self.head = head
        self.figure, self.sentence, self.evidence, self.asked, self.back = figure, sentence, evidence, asked, back
        self.clause = sentence.clauses[sentence.clause_at(figure.start)]
        self.owners: dict[int, Any] = {}
        """Who owns the figure, by table: kept here for ``owner``."""
        self._named: dict[int, Named] = {}
        self._distances: dict[str, int] = {}
        self._before: list[str] | None = None
        self._after: list[str] | None = None
        self._near: frozenset[str] | None = None
        self._noun: list[str] | None = None
        self._deed: frozenset[str] | None = None

    def of(self, figure: Figure) -> View:
        """The same place in the text, read as *figure*."""
        return View(figure, self.sentence, self.evidence, self.asked, self.back, self.head)

    @property
    def beside_text(self) -> str:
        """The words around the figure in its clause, up to the figures beside it."""
        start, end = self.figure.start - self.sentence.start, self.figure.end - self.sentence.start
        first = max((f.end for f in self.clause.figures if f.end <= self.figure.start), default=self.clause.start)
        last = min((f.start for f in self.clause.figures if f.start >= self.figure.end), default=self.clause.end)
        text = self.sentence.text
        return f"{text[max(first - self.sentence.start, start - 30) : start]} {text[end : min(last - self.sentence.start, end + 30)]}"

    def at(self, figure: Figure) -> View:
        """The view of another figure of the sentence."""
        return (
            self
            if figure is self.figure
            else View(figure, self.sentence, self.evidence, self.asked, self.back, self.head)
        )

    def means(self, cell: Cell) -> bool:
        """Whether a word beside the figure, or a name before it, speaks of the cell's column or row."""
        if not telling_words(self.evidence.tables[cell.table].columns[cell.column]).isdisjoint(self.near()):
            return True
        if self.head and self.head.rows().get((cell.table, cell.row)):
            return True
        return cell.row in self.named(cell.table).rows

    @property
    def clause_text(self) -> str:
        """The clause that the figure stands in."""
        return self.sentence.text[self.clause.start - self.sentence.start : self.clause.end - self.sentence.start]

    @property
    def shared_text(self) -> str:
        """The sentence, less the other clauses that have a name and a figure of their own."""
        start = self.sentence.start
        own = self.clause
        if in_turn(self.sentence):
            return ""
        if not own.mentions:
            return self.sentence.text
        return " ".join(
            self.sentence.text[clause.start - start : clause.end - start]
            for clause in self.sentence.clauses
            if clause is own or not (len(clause.mentions) == 1 == len(clause.figures))
        )

    # -- words -----------------------------------------------------------------------------------------------------

    @property
    def heading(self) -> str:
        """What stands above the figure in a Markdown table."""
        return self.sentence.heading(self.figure.start) if self.sentence.headings else ""

    @property
    def before(self) -> list[str]:
        """Stemmed words between the previous figure of the clause (or its start) and this one, nearest last."""
        if self._before is None:
            previous = max((f.end for f in self.clause.figures if f.end <= self.figure.start), default=None)
            start = self.clause.start if previous is None else previous
            if (
                previous is None
                and self.sentence.text[start - self.sentence.start : start - self.sentence.start + 1] in ":("
            ):
                start = self._clause_before().start
            text = self.sentence.text[max(0, start - self.sentence.start) : self.figure.start - self.sentence.start]
            one = text.rfind(" one ")
            if one >= 0:
                previous, text = start, text[one + 4 :]
            if previous is not None:
                stop = open_at(text)
                text = text[stop.end() :] if stop else ""
            self._before = words_in(text)[-8:]
        return self._before

    def _clause_before(self) -> Clause:
        """The clause before the figure's, unless it holds figures; then the figure's own."""
        index = self.sentence.clauses.index(self.clause)
        before = self.sentence.clauses[index - 1] if index else self.clause
        return self.clause if before.figures else before

    @property
    def after(self) -> list[str]:
        """Stemmed words right after the figure, up to five, before the next figure or the end of the clause."""
        if self._after is None:
            stop = min((f.start for f in self.clause.figures if f.start >= self.figure.end), default=self.clause.end)
            text = self.sentence.text[self.figure.end - self.sentence.start : max(0, stop - self.sentence.start)]
            self._after = words_in(text)[:5]
        return self._after

    def wrapped(self) -> bool:
        """Whether the figure stands alone in brackets, as accountants write a negative."""
        start, end = self.figure.start - self.sentence.start, self.figure.end - self.sentence.start
        return (
            self.sentence.text[max(0, start - 1) : start] == "("
            and self.sentence.text[end : end + 2].strip()[:1] == ")"
        )

    def joined(self) -> bool:
        """Whether a hyphen joins the figure to what stands beside it."""
        start, end = self.figure.start - self.sentence.start, self.figure.end - self.sentence.start
        return bool({self.sentence.text[max(0, start - 1) : start], self.sentence.text[end : end + 1]} & {"-", "–"})

    def follows(self, *words: str) -> bool:
        """Whether one of *words* stands right after the figure."""
        text = self.sentence.text[self.figure.end - self.sentence.start :][:12].lower()
        return any(text.startswith(f" {word} ") for word in words)

    def preceded(self, *words: str) -> bool:
        """Whether one of *words* stands right before the figure."""
        text = self.sentence.text[: self.figure.start - self.sentence.start][-14:].lower()
        return any(text.endswith(f" {word} ") for word in words)

    @property
    def noun(self) -> list[str]:
        """The words that say what the figure counts or measures: at most three after it, up to a preposition."""
        if self._noun is None:
            text = self.sentence.text[self.figure.end - self.sentence.start :][:60]
            stop = open_at(text)
            self._noun = [stem(word) for word in spelled(text[: stop.start()] if stop else text)[:3]]
        return self._noun

    @property
    def deed(self) -> frozenset[str]:
        """The stemmed participle that says what became of what is counted (*cancelled* 12 flights, 12 flights were *cancelled*)."""
        if self._deed is None:
            self._deed = self._participles()
        return self._deed

    def _participles(self) -> frozenset[str]:
        start, end = self.figure.start - self.sentence.start, self.figure.end - self.sentence.start
        stop = min((f.start for f in self.clause.figures if f.start >= self.figure.end), default=self.clause.end)
        first = max((f.end for f in self.clause.figures if f.end <= self.figure.start), default=self.clause.start)
        head = self.sentence.text[max(first - self.sentence.start, start - 40, 0) : start]
        tail = self.sentence.text[end : min(end + 60, stop - self.sentence.start)]
        around = f"{head} {tail}"
        for ending in _PARTICIPLES:
            if ending in around:
                break
        else:
            return _NO_WORDS
        before = [word for word in spelled(head) if word not in _SLIGHT]
        after = spelled(tail)[:5]
        found = before[-1:] + after[:1]
        found += [word for be, word in pairwise(after) if be in _BE]
        return frozenset(stem(word) for word in found if word.endswith(_PARTICIPLES) and len(word) > 3)

    def near(self) -> frozenset[str]:
        """All words of the figure's own stretch of the clause, its heading included."""
        if self._near is None:
            self._near = self._words_near()
        return self._near

    def _words_near(self) -> frozenset[str]:
        words = frozenset(self.before) | frozenset(self.after) | frozenset(words_in(self.heading))
        return words | frozenset(words_in(self.asked.text)) if self.asked else words

    def distance(self, column: str) -> int:
        """How far from the figure a telling word of *column* stands: 0 in its heading, NOWHERE when none stands near."""
        known = self._distances.get(column)
        if known is None:
            known = self._distances[column] = self._distance(column)
        return known

    def _distance(self, column: str) -> int:
        telling = telling_words(column)
        if telling.isdisjoint(self.near()):
            return NOWHERE
        if self.heading and not telling.isdisjoint(words_in(self.heading)):
            return 0
        before, after = self.before, self.after
        found = [len(before) - place for place, word in enumerate(before) if word in telling]
        found += [place + 1 for place, word in enumerate(after) if word in telling]
        return min(found) * 2 - len(telling & {*before, *after}) if found else 50

    # -- rows ------------------------------------------------------------------------------------------------------

    def named(self, table: int) -> Named:
        """The rows of *table* that the words name."""
        found = self._named.get(table)
        if found is None:
            found = self._named[table] = self._find(table)
        return found

    def _find(self, table: int) -> Named:
        by_column = self.names(table)
        if not by_column:
            return self._find_asked(table)
        chosen: list[list[frozenset[int]]] = []
        firm = True
        for column, items in by_column.items():
            picked, single = self._pick(items)
            chosen.append(picked)
            firm = firm and single and self._identifies(table, column, items)
        rows = frozenset.intersection(*(frozenset().union(*sets) for sets in chosen))
        wide = tuple(dict.fromkeys(found for items in by_column.values() for _, found in items)) + self.ranges(
            by_column
        )
        if not rows:
            return Named(frozenset().union(*(s for sets in chosen for s in sets)), firm=False, groups=(), wide=wide)
        firm = firm and not len(rows) * 2 > len(self.evidence.tables[table].rows) > 2
        most = max(chosen, key=len)
        groups = tuple(dict.fromkeys(group for s in most if (group := s & rows)))
        return Named(rows, firm, groups, wide)

    def names(self, table: int) -> ByColumn:
        """The mentions of the figure's own sentence by column of *table*, less those that only describe what others name."""
        sentence = self.sentence
        if sentence.names_at(self.figure.start):
            return merged(without_attributes(self.by_column(sentence, table)))
        known = sentence.by_table.get(table)
        if known is None:
            known = merged(without_attributes(self.by_column(sentence, table)))
            if not any(mention.period for mention in sentence.mentions()):
                sentence.by_table[table] = known
        else:
            self.evidence.spend(sentence.named)
        return known

    def by_column(self, sentence: Sentence, table: int) -> ByColumn:
        """For each column of *table* the mentions of its keys in *sentence*, with their rows."""
        by_column: ByColumn = {}
        self.evidence.spend(sentence.named)
        for clause in sentence.clauses:
            for mention in clause.mentions:
                if mention.start == self.figure.start and sentence is self.sentence:
                    continue
                if mention.period and (self.figure.year or self._aside(mention, sentence)):
                    continue
                for column, rows in mention.rows(table).items():
                    if not (mention.period and column > self.evidence.last_key(table)):
                        by_column.setdefault(column, []).append((mention, rows))
        return by_column

    def _aside(self, mention: Mention, sentence: Sentence) -> bool:
        """Whether *mention* stands in brackets after another figure, and so speaks of that one."""
        start = sentence.text.rfind("(", 0, mention.start - sentence.start)
        end = sentence.text.find(")", start + 1) if start >= 0 else -1
        if not start < mention.start - sentence.start < end < self.figure.start - sentence.start:
            return False
        return any(figure.end - sentence.start in (start, start - 1) for figure in sentence.figures())

    def ranges(self, by_column: ByColumn) -> tuple[frozenset[int], ...]:
        """The rows from one period to another (``June–August``)."""
        out = []
        for items in by_column.values():
            for (first, low), (last, high) in pairwise(items):
                gap = self.sentence.text[first.end - self.sentence.start : last.start - self.sentence.start]
                if first.period and last.period and gap.strip() in _TO and low and high:
                    both = low | high
                    out.append(frozenset(range(min(both), max(both) + 1)))
            out += [rows for mention, low in items if mention.period and (rows := self._until(mention, low))]
        return tuple(out)

    def _until(self, mention: Mention, low: frozenset[int]) -> frozenset[int]:
        """The rows from the time that *mention* is up to the one that follows it, that one left out (``from 08:00 to 13:00``)."""
        base = self.sentence.start
        after = next((f for f in self.sentence.figures() if f.start >= mention.end and f.moment is not None), None)
        cell = next((cell for cell in mention.cells if cell.row in low), None)
        if (
            after is None
            or cell is None
            or self.sentence.text[mention.end - base : after.start - base].strip() not in _TO
        ):
            return frozenset()
        last = after.moment.minute if after.moment else None
        if last is None:
            return frozenset()
        times: list[tuple[int, int]] = []
        for row in range(cell.row, len(self.evidence.tables[cell.table].rows)):
            moment = self.evidence.moment_at(Cell(cell.table, row, cell.column))
            if moment is None:
                continue
            if moment.minute is None or len(times) == MAX_TIMES:
                return frozenset()
            times.append((moment.minute, row))
        self.evidence.spend(len(times))
        rows = frozenset(row for minute, row in times if minute < last)
        return rows if len(rows) > 1 else frozenset()

    def _find_asked(self, table: int) -> Named:
        """The rows that the question names (for a bare figure), or the sentence before; never firm."""
        behind = self.asked or self.back
        by_column = self.by_column(behind, table) if behind else {}
        groups = tuple(dict.fromkeys(rows for items in by_column.values() for _, rows in items))
        return Named(frozenset().union(*groups), firm=False, groups=groups) if groups else NOTHING

    def _pick(self, items: list[tuple[Mention, frozenset[int]]]) -> tuple[list[frozenset[int]], bool]:
        """(the row sets that may own the figure, whether it is one and surely) among the mentions of one column."""
        ordered = in_order(self.sentence, self.figure, items)
        if ordered is not None:
            return [ordered], True
        own = [item for item in items if self.clause.start <= item[0].start < self.clause.end]
        if len(own) > 1:
            close = [item for item in own if self.adjacent(item[0])] or [item for item in own if self.trailing(item[0])]
            if len({rows for _, rows in close}) == 1:
                return [close[0][1]], True
        if own:
            distinct = list(dict.fromkeys(rows for _, rows in own))
            first = own[0][0]
            surely = self._owns(first) or self.adjacent(first) or self.trailing(first)
            return distinct, len(distinct) == 1 and surely
        distinct = list(dict.fromkeys(rows for _, rows in items))
        before = any(mention.start < self.figure.start for mention, _ in items)
        return distinct, len(distinct) == 1 and before and not self.sentence.says("compared")

    def adjacent_names(self) -> bool:
        """Whether a name stands right before the figure."""
        return any(self.adjacent(mention) for mention in self.sentence.mentions())

    def adjacent(self, mention: Mention) -> bool:
        """Whether nothing but small words stands between *mention* and the figure."""
        if mention.end > self.figure.start:
            return False
        gap = self.sentence.text[mention.end - self.sentence.start : self.figure.start - self.sentence.start]
        return len(gap) <= 24 and _ADJACENT.fullmatch(gap.lower()) is not None

    def trailing(self, mention: Mention) -> bool:
        """Whether *mention* follows the figure closely (``318 om 08:00``, ``12 flights in July``)."""
        if mention.start < self.figure.end:
            return False
        gap = self.sentence.text[self.figure.end - self.sentence.start : mention.start - self.sentence.start]
        return len(gap) <= 30 and _TRAILING.fullmatch(gap) is not None

    def _owns(self, mention: Mention) -> bool:
        """Whether the only name in the clause is the figure's: no comparison, no list of names before it."""
        index = self.sentence.clauses.index(self.clause)
        before = self.sentence.clauses[index - 1] if index else None
        if before is not None and before.mentions and not before.figures and not self._period(mention, before.mentions):
            return False
        if not self.sentence.says("compared"):
            return True
        plain = _BY.sub(" ", self.clause_text)
        return not announce.compared(plain) and (plain == self.clause_text or not announce.differs(plain))

    @staticmethod
    def _period(mention: Mention, others: list[Mention]) -> bool:
        """Whether *others* are of another column than *mention*, so that they make no list with it."""
        columns = {(cell.table, cell.column) for cell in mention.cells}
        return not any((cell.table, cell.column) in columns for other in others for cell in other.cells)

    def _identifies(self, table: int, column: int, items: list[tuple[Mention, frozenset[int]]]) -> bool:
        """Whether names of this column tell rows apart, and stand in the text as names do."""
        for mention, _ in items:
            written = self.sentence.text[mention.start - self.sentence.start : mention.end - self.sentence.start]
            plain = written.islower() and written.isascii() and " " not in written
            if plain and not (mention.period or self.heading or any(self.evidence.tables[table].aggregated)):
                return False
        return column <= 3 or (items[0][0].period and column <= self.evidence.last_key(table))

    # -- columns ---------------------------------------------------------------------------------------------------

    def columns(self, table: int, words: frozenset[str] | None = None) -> list[int]:
        """Columns of *table* all of whose telling words are among *words* (by default those near the figure)."""
        near = self.near() if words is None else words
        return [
            column
            for column, name in enumerate(self.evidence.tables[table].columns)
            if (telling := telling_words(name)) and telling <= near
        ]


def nearness(view: View, cells: Sequence[Cell]) -> list[tuple[Any, ...]]:
    """
    A key for each of *cells* with one value, the best the smallest: this turn's first, then the named row's, the nearest
    column's, exact values, the row of the list's heading.
    """
    evidence, head = view.evidence, view.head.rows() if view.head else {}
    exact = frozenset(reading.value for reading in view.figure.readings) if len(cells) <= MANY else None
    columns: dict[tuple[int, int], tuple[bool, frozenset[int], int]] = {}
    out: list[tuple[Any, ...]] = []
    for cell in cells:
        t, row, column = cell
        known = columns.get((t, column))
        if known is None:
            table = evidence.tables[t]
            known = table.earlier, view.named(t).rows, view.distance(table.columns[column])
            columns[t, column] = known
        earlier, rows, distance = known
        rounded = exact is not None and evidence.value(cell) not in exact
        out.append((earlier, bool(rows) and row not in rows, distance, rounded, -head.get((t, row), 0), cell))
    return out
