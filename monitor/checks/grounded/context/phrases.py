"""
What people may call the columns of a table: by name, by heading rows, by definition and its bracketed alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from monitor.checks.grounded.evidence.index import Table
from monitor.checks.grounded.text.names import GENERIC, tokens
from monitor.remember import remembered

SHORTEST, LONGEST_SHORT = 4, 5
"""Letters of a shortened word."""
MAX_COLUMNS = 200
MAX_PHRASES = 12
MAX_PAIRED = 40
MAX_NAME, MAX_TEXT = 120, 600
LONGEST = 12
"""Words of a definition's alternative that are looked at."""
_MAIN = re.compile(r"[.;:(\n]|\bwhich\b|\bthat\b")
_BRACKETS = re.compile(r"\(([^()]{1,120})\)")
_SMALL = frozenset(
    "the of a an in per by to on at as is it or be for from with and was were has had not but all this each are have only between "
    "after before than more less those which their its out into such he his her they there been being so far every "
    "der die das den von und im le la les de du des et en el los las een het van".split()
)
_TELLING = frozenset("first two one last time date name type year".split())
PERCENT = frozenset(["percent", "percen", "pct", "%", "share", "rate", "ratio"])
LIGHT = 0.3
"""What a word weighs that many columns share (``total``, ``rate``)."""


class Match(NamedTuple):
    """How well words name a column: the weight of what matched, and less what the phrase has beside."""

    matched: float
    rest: float

    @property
    def score(self) -> float:
        """One number to compare columns by."""
        return self.matched - self.rest / 4


def phrases_of(name: str, heads: tuple[str, ...], definition: str) -> tuple[frozenset[str], ...]:
    """The alternatives by which a column may be called, each a set of stemmed words."""
    out = [frozenset(tokens(name.replace("_", " ")))]
    out += [out[0] | frozenset(tokens(head)) for head in heads[:2]]
    out += [frozenset([code]) for code in _codes(name)]
    if definition:
        stop = _MAIN.search(definition)
        out.append(_content(definition[: stop.start()] if stop else definition))
        for found in _BRACKETS.finditer(definition):
            out += [_content(part) for part in re.split("[,;]", found[1])]
    return tuple(dict.fromkeys(phrase for phrase in out if phrase))[:MAX_PHRASES]


def _codes(name: str) -> list[str]:
    """The beginnings of an abbreviated name (``FG`` of ``FGM``)."""
    return [
        part[:end].lower()
        for part in name.split("_")
        for end in range(2, len(part))
        if part.isupper() and len(part) <= 5
    ]


def _content(text: str) -> frozenset[str]:
    return frozenset([word for word in tokens(text) if word not in _SMALL or word == "%"][:LONGEST])


@remembered(8192)
def weight(word: str) -> float:
    """What one word counts for."""
    return LIGHT if (word in GENERIC and word not in _TELLING) or len(word) < 2 else 1.0


class Phrases:
    """
    What the columns of a table may be called.

    *phrases* has, for each column, its alternatives; *words* all their words; *by_word* the columns that a word stands
    in; *shares* the columns that speak of a percentage, a rate or a share; *siblings* the pairs of columns that belong
    together, since one phrase of each differs in a single word.
    """

    def __init__(self, phrases: Sequence[tuple[frozenset[str], ...]]) -> None:
        self.phrases = phrases
        self.words = [frozenset().union(*own) for own in phrases]
        self.by_word: dict[str, set[int]] = {}
        for column, words in enumerate(self.words):
            for word in words:
                self.by_word.setdefault(word, set()).add(column)
        self.shares = frozenset(column for column, words in enumerate(self.words) if not words.isdisjoint(PERCENT))
        self._short = frozenset(word for word in self.by_word if SHORTEST <= len(word) <= LONGEST_SHORT)
        self._weighed = [[[(word, self.weight(word)) for word in sorted(phrase)] for phrase in own] for own in phrases]
        self._siblings: list[tuple[int, int]] | None = None

    @property
    def siblings(self) -> list[tuple[int, int]]:
        """The pairs of columns that belong together, either way round."""
        if self._siblings is None:
            plain = [column for column in range(min(len(self.phrases), MAX_PAIRED)) if column not in self.shares]
            self._siblings = [(a, b) for a in plain for b in plain if a != b and self._alike(a, b)]
        return self._siblings

    def _alike(self, a: int, b: int) -> bool:
        return any(
            len(one - two) == 1 == len(two - one) and len(one) > 1 for one in self.phrases[a] for two in self.phrases[b]
        )

    def weight(self, word: str) -> float:
        """What one word counts for in this table: little when most columns have it."""
        columns = len(self.by_word.get(word, ()))
        return LIGHT if columns > 2 and columns * 2 > len(self.phrases) else weight(word)

    def aliased(self, near: Mapping[str, float]) -> dict[str, float]:
        """*near* with the shortened forms of its words that columns use (``temp`` for *temperature*)."""
        out = dict(near)
        for word, close in near.items() if self._short else ():
            for length in range(SHORTEST, min(len(word), LONGEST_SHORT + 1)):
                if word[:length] in self._short and word[:length] not in out:
                    out[word[:length]] = close
        return out

    def named(self, words: Iterable[str]) -> set[int]:
        """The columns that have one of *words* in a phrase."""
        return {column for word in words for column in self.by_word.get(word, ())}

    def match(self, column: int, near: Mapping[str, float]) -> Match:
        """How well the words *near* a figure, each with its closeness (0 to 1), name *column*, by its best phrase."""
        most = least = best = 0.0
        for phrase in self._weighed[column] if column < len(self._weighed) else ():
            matched = rest = 0.0
            for word, weight in phrase:
                close = near.get(word)
                if close is None:
                    rest += weight
                else:
                    matched += weight * close
            if matched and (not most or matched - rest / 4 > best):
                most, least, best = matched, rest, matched - rest / 4
        return Match(most, least)


def phrases_of_table(table: Table, definitions: Mapping[str, str]) -> Phrases:
    """What the columns of *table* may be called, worked out once for equal headings and definitions."""
    heads = table.rows[: table.header_rows]
    columns = []
    for column, name in enumerate(table.columns[:MAX_COLUMNS]):
        above = tuple(text for row in heads if column < len(row) and (text := str(row[column]).strip()[:MAX_NAME]))
        columns.append((name[:MAX_NAME], above, definitions.get(name.strip().lower(), "")[:MAX_TEXT]))
    return _phrases(tuple(columns))


@lru_cache(maxsize=128)
def _phrases(columns: tuple[tuple[str, tuple[str, ...], str], ...]) -> Phrases:
    return Phrases([phrases_of(*column) for column in columns])
