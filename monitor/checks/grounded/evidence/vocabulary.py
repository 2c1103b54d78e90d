"""
The words of one table by the rows that hold them: what a filter in words can be made of.

Rows are bits of an integer, so that filters combine by ``&`` and ``|``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import is_total
from monitor.checks.grounded.text.dates import Moment, find_moments
from monitor.checks.grounded.text.names import GENERIC, plain_lower

MAX_ROWS = 2_000
MAX_COLUMNS = 60
MAX_VALUES = 500
"""So many different cells that share a word are looked at."""
LONGEST = 120
_TOKEN = re.compile(r"[^\W_]+")
_SPACED = re.compile(r"\s+(?=[,/.:–-])|(?<=[/–-])\s+")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(?=\d{2,4}\b)")
_AFTER_HEAD = re.compile(r"\b(?:in|of|on|at|by|for|from|to|with|per|used|listed|given)\b|\(")
_NAMING = frozenset(["title", "titles", "label", "code"])
_NOTHING = frozenset("none nil nothing zero no - – —".split())
_FLAGS = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_SUFFIXES = ("ing", "ed", "er", "or", "en", "ion", "al")
_OUTCOMES = {
    "won": "w win won wins winner winners victory champion",
    "lost": "l loss lost lose losses defeat runner",
    "drawn": "d t draw tie drew tied drawn",
}
_OUTCOME_OF = {word: outcome for outcome, words in _OUTCOMES.items() for word in words.split()}


class Value(NamedTuple):
    """The words of one text of a *column*, blanks around each, and the rows that hold it."""

    column: int
    words: str
    rows: int


class Dated(NamedTuple):
    """A date in a column and the row it stands in."""

    column: int
    row: int
    moment: Moment


@lru_cache(maxsize=32_768)
def root(word: str) -> str:
    """A stem that verbs and nouns of one deed share (``winner`` and ``winning``, ``directed`` and ``director``)."""
    if len(word) > 5 and word.endswith("ly"):
        word = word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@lru_cache(maxsize=16_384)
def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a short text, lower case."""
    return tuple(_TOKEN.findall(plain_lower(text)))


@lru_cache(maxsize=16_384)
def _spelled(text: str) -> str:
    return f" {' '.join(map(root, tokens(text)))} "


def _says_something(content: str) -> bool:
    """Whether a text is neither empty nor a plain number."""
    return content != "" and not content.replace(".", "", 1).isdigit()


def _spans(cells: Sequence[object]) -> bool:
    """Whether a row is a heading across the table: one text in three cells or more."""
    return len(cells) > 2 and isinstance(cells[0], str) and cells[0] != "" and all(cell == cells[0] for cell in cells)


def _heads(name: str) -> frozenset[str]:
    """The root of the word that says what a column's cells are (``opponent`` of *opponent in the final*), each of several."""
    out: set[str] = set()
    for part in name.lower().replace("(s)", "").split("/"):
        words = [word for word in _TOKEN.findall(_AFTER_HEAD.split(part.replace("_", " "))[0]) if word not in GENERIC]
        while len(words) > 1 and words[-1] in _NAMING:
            words.pop()
        out.update(root(word) for word in words[-1:])
    return frozenset(out)


class Vocabulary:
    """
    The words of one table. *rows* are all rows that hold no totals; *names* the roots of each column's words, *heads* of
    what its cells are. The cells are read when first asked for.
    """

    def __init__(self, evidence: Evidence, table: int) -> None:
        self.evidence, self.index = evidence, table
        self.table = evidence.tables[table]
        evidence.spend(len(self.table.columns))
        self.names = [frozenset(map(root, tokens(name))) - {""} for name in self.table.columns[:MAX_COLUMNS]]
        self._amounts: dict[str, bool] = {}
        self.heads = [_heads(name) for name in self.table.columns[:MAX_COLUMNS]]

    @cached_property
    def body(self) -> list[int]:
        """The rows that hold no totals and are no heading across the table."""
        body = range(self.table.header_rows, len(self.table.rows))
        self.evidence.spend(len(body) // 4)
        return [
            row for row in body if not is_total(self.evidence, self.index, row) and not _spans(self.table.rows[row])
        ]

    @cached_property
    def rows(self) -> int:
        """:attr:`body` as bits."""
        return bits(self.body)

    @cached_property
    def measures(self) -> frozenset[int]:
        """The columns of numbers, but those that number the rows."""
        return frozenset(column for column in self.numeric if column not in self.keys)

    @cached_property
    def numeric(self) -> list[int]:
        """The columns more than half of whose cells are numbers."""
        many = len(self.table.rows) - self.table.header_rows
        return [c for c, rows in self.evidence.numeric(self.index) if rows * 2 > many and c < MAX_COLUMNS]

    @cached_property
    def keys(self) -> frozenset[int]:
        """The columns among the first two that number the rows: whole numbers that never fall."""
        out = set()
        for column in self.numeric[:2]:
            values = [value for _, value in self.evidence.column(self.index, column)]
            if column < 2 and all(value == int(value) for value in values) and values == sorted(values):
                out.add(column)
        return frozenset(out)

    @cached_property
    def texts(self) -> dict[int, dict[str, int]]:
        """For each column its different texts, plain numbers left out, with the rows that hold them."""
        self.evidence.spend(len(self.body) * len(self.names) // 2)
        return {column: self._texts(column) for column in range(len(self.names))}

    def _texts(self, column: int) -> dict[str, int]:
        texts: dict[str, int] = {}
        rows = self.table.rows
        for row in self.body:
            cells = rows[row]
            content = cells[column] if column < len(cells) else None
            if isinstance(content, str) and len(content) <= LONGEST and _says_something(content := content.strip()):
                texts[content] = texts.get(content, 0) | 1 << row
        return texts

    @cached_property
    def words(self) -> dict[str, list[Value]]:
        """For each root the cells that hold it."""
        out: dict[str, list[Value]] = {}
        for column, texts in self.texts.items():
            spelled: dict[str, int] = {}
            for content, rows in texts.items():
                words = _spelled(content)
                spelled[words] = spelled.get(words, 0) | rows
            self.evidence.spend(len(texts))
            for words, rows in spelled.items():
                value = Value(column, words, rows)
                for word in frozenset(words.split()):
                    out.setdefault(word, []).append(value)
        return out

    def starting(self, roots: Sequence[str]) -> tuple[int, list[Value]]:
        """(how many of the words stand together in some cell, the cells that hold them): the longest run from the first."""
        found = self.words.get(roots[0], [])[:MAX_VALUES] if roots else []
        length = 1 if found else 0
        while found and length < len(roots):
            phrase = f" {' '.join(roots[: length + 1])} "
            longer = [value for value in found if phrase in value.words]
            self.evidence.spend(1 + len(found) // 8)
            if not longer:
                break
            found, length = longer, length + 1
        return length, found

    def holds(self, word: str) -> bool:
        """Whether some cell is nothing but one word, by its root."""
        own = f" {word} "
        return any(value.words == own for value in self.words.get(word, ()))

    def holding(self, phrase: str) -> list[Value]:
        """The cells that hold a run of roots, blanks around each."""
        return [value for value in self.words.get(phrase.split(maxsplit=1)[0], ()) if phrase in value.words]

    def lacking(self, column: int) -> int:
        """The rows that say *none* in a column: 0 where it holds numbers, else a word or dash for nothing."""
        if column in self.numeric:
            return bits(row for row, value in self.measured(column) if value == 0)
        out = 0
        for text, rows in self.texts[column].items():
            out |= rows if text.lower() in _NOTHING else 0
        return out

    def alike(self, word: str) -> bool:
        """Whether some cell holds a longer or shorter word with the same first five letters."""
        self.evidence.spend(1 + len(self.words) // 16)
        return any(other != word and other.startswith(word[:5]) for other in self.words)

    def called(self, word: str) -> list[int]:
        """The columns whose name holds a word, by its root."""
        return [column for column, names in enumerate(self.names[:MAX_COLUMNS]) if word in names]

    def counting(self, word: str) -> list[int]:
        """The columns that hold what a noun names, by its root: it is the last telling word of their name."""
        return [column for column, head in enumerate(self.heads[:MAX_COLUMNS]) if word in head]

    @cached_property
    def described(self) -> frozenset[str]:
        """The roots of the words by which definitions say what a column of numbers measures."""
        told = {source.name.lower(): source.text for source in self.evidence.sources if source.kind == "definition"}
        texts = [told.get(self.table.columns[c].lower(), "") for c in self.numeric] if told else []
        return frozenset(root(word) for text in texts for word in tokens(text[:LONGEST]))

    def measured_by(self, noun: str) -> bool:
        """Whether the table holds amounts of what a noun names, so that a number of them is a cell's or a sum."""
        known = self._amounts.get(noun)
        if known is None:
            own = root(noun)
            held = not self.measures.isdisjoint(self.counting(own)) or own in self.described
            known = self._amounts[noun] = held and outcome_of(noun) is None
        return known

    @cached_property
    def dates(self) -> list[Dated]:
        """Every date in the table, also one that stands beside other words or is written with blanks."""
        return [found for column, texts in self.texts.items() for found in self._dated(column, texts)]

    def _dated(self, column: int, texts: dict[str, int]) -> Iterable[Dated]:
        if sum(any(char.isdigit() for char in text) for text in texts) * 2 < len(texts):
            return
        squeezed = {text: _SPACED.sub("", text) for text in texts if len(text) <= 40}
        slashed = [found for text in squeezed.values() if (found := _SLASHED.match(text))]
        month_first = any(int(found[2]) > 12 for found in slashed)
        for text, short in squeezed.items():
            self.evidence.spend(1)
            moments = [m for m in find_moments(short) if m.month or m.year]
            if len(moments) != 1:
                continue
            moment = moments[0]
            slash = _SLASHED.match(short)
            if slash and moment.swapped:
                day, month = (slash[2], slash[1]) if month_first else (slash[1], slash[2])
                moment = moment._replace(day=int(day), month=int(month), swapped=False)
            for row in rows_of(texts[text]):
                yield Dated(column, row, moment._replace(start=0, end=0))

    @cached_property
    def years(self) -> dict[int, list[tuple[int, int]]]:
        """(row, year) of each column that holds years or dates with a year."""
        found: dict[int, list[tuple[int, int]]] = {}
        for column, row, moment in self.dates:
            if moment.year:
                found.setdefault(column, []).append((row, moment.year))
        for column in self.numeric:
            values = self.measured(column)
            if values and all(1500 <= value <= 2100 for _, value in values):
                found[column] = [(row, int(value)) for row, value in values]
        return found

    @cached_property
    def outcomes(self) -> dict[int, dict[str, int]]:
        """The columns that say of each row whether it was won, lost or drawn, with the rows of each outcome."""
        return {c: found for c, texts in self.texts.items() if (found := self._outcomes(texts))}

    @cached_property
    def flags(self) -> dict[int, int]:
        """The columns that say yes or no of each row, with the rows of yes."""
        out: dict[int, int] = {}
        for column in range(len(self.names)):
            cells = {row: self.evidence.raw(Cell(self.index, row, column)) for row in self.body}
            said = {row: _FLAGS.get(str(cell).strip().lower()) for row, cell in cells.items() if cell not in (None, "")}
            if said and None not in said.values():
                out[column] = bits(row for row, yes in said.items() if yes)
        self.evidence.spend(len(self.body) * len(self.names) // 4)
        return out

    @cached_property
    def sides(self) -> dict[str, list[int]]:
        """The columns of names that say who won and who lost, by their own names (``winner``, ``losing team``)."""
        text = [column for column in range(len(self.names)) if column not in self.numeric]
        return {
            outcome: found
            for outcome, own in (("won", root("winner")), ("lost", root("loser")))
            if (found := [column for column in text if own in self.names[column]])
        }

    def _outcomes(self, texts: dict[str, int]) -> dict[str, int]:
        found: dict[str, int] = {}
        others = 0
        for text, rows in texts.items():
            first = tokens(text)[:1]
            outcome = _OUTCOME_OF.get(first[0]) if first else None
            if outcome:
                found[outcome] = found.get(outcome, 0) | rows
            elif first:
                others += rows.bit_count()
        return found if len(found) > 1 and others * 4 <= len(self.body) else {}

    def measured(self, column: int) -> list[tuple[int, float]]:
        """(row, value) of a column's numbers, total rows left out."""
        values = self.evidence.column(self.index, column)
        self.evidence.spend(1 + len(values) // 2)
        return [(row, value) for row, value in values if self.rows >> row & 1]


def outcome_of(word: str) -> str | None:
    """Whether a word of a sentence says that something was won, lost or drawn."""
    return _SAID.get(word)


_SAID = {
    word: outcome
    for outcome, words in {
        "won": "win wins won winning victory victories beat defeated",
        "lost": "lose loses lost losing loss losses defeat defeats",
        "drawn": "draw draws drew drawn tie ties tied",
    }.items()
    for word in words.split()
}


def bits(rows: Iterable[int]) -> int:
    """Rows as bits of one integer."""
    out = 0
    for row in rows:
        out |= 1 << row
    return out


def rows_of(mask: int) -> list[int]:
    """The rows whose bits are set."""
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out
