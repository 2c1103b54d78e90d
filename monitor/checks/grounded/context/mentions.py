"""
Row keys of the evidence that an answer mentions: whole, by a word that only one of them has, or as a date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text.names import plain_lower
from monitor.checks.grounded.text.units import SCALES
from monitor.remember import remembered

MAX_MENTIONS = 2000
MANY = 400
_TOKEN = re.compile(r"[^\W_]+")
_LONG = re.compile(r"[^\W_]{4,}")
_SPACED = re.compile("[^\\W_\u3040-\u30ff\u4e00-\u9fff]+")
"""Words of scripts that part them, also where others stand right beside (``のAuroraは``)."""
_COMMON = frozenset(
    "total other others none null true false population change north south east west first second third high low male female "
    "men women city state county new united national league party club".split()
)


_THE = re.compile(r"(?:^|\W)(?:the|der|die|das|den|dem|el|la|le|il|de|het|o|a)\s$")
ARABIC_PREFIXES = frozenset("وبلف")
"""*And*, *by*, *for* and *so*, written as one with the word after them."""


@dataclass(slots=True)
class Mention:
    """A row key in the text: its span, and the cells that hold it. *period*: a date; *partial*: one word of a longer key."""

    start: int
    end: int
    cells: list[Cell]
    period: bool = False
    partial: bool = False
    _rows: dict[int, dict[int, frozenset[int]]] | None = None

    def rows(self, table: int) -> dict[int, frozenset[int]]:
        """For each column of *table* that holds the key, the rows where it stands."""
        if self._rows is None:
            found: dict[int, dict[int, set[int]]] = {}
            for t, row, column in self.cells:
                found.setdefault(t, {}).setdefault(column, set()).add(row)
            self._rows = {t: {c: frozenset(rows) for c, rows in columns.items()} for t, columns in found.items()}
        return self._rows.get(table, {})


def find_mentions(answer: str, evidence: Evidence) -> list[Mention]:
    """Row keys of *evidence* that *answer* mentions as whole words, the longest where they overlap."""
    lower = plain_lower(answer)
    found: list[Mention] = []
    tokens = _TOKEN.findall(lower)
    if not lower.isascii():
        tokens += _SPACED.findall(lower)
    words = {"", *tokens}
    words.update([token[:-1] for token in tokens if token[-1] == "s"])
    words.update([f"{token[:-3]}y" for token in tokens if token.endswith("ies")])
    words.update([token[1:] for token in tokens if token[0] == "v" and token[1:].isdigit()])
    words.update([token[:-1] for token in tokens if token[-1] == "n"])
    words.update([token[1:] for token in tokens if token[0] in ARABIC_PREFIXES])
    count = 0
    for table, names in evidence.names():
        count += len(names)
        evidence.spend(len(names) // 2)
        for first, name, key in names:
            if first in words and len(name) > 1:
                evidence.spend(1 + len(answer) // 1500)
                if name in lower:
                    _add(found, lower, answer, name, key, table, evidence)
                if (declined := name.replace(" ", "n ", 1)) in lower and declined != name:
                    _add(found, lower, answer, declined, key, table, evidence)
                if name[-1] == "y" and (plural := f"{name[:-1]}ies") in lower:
                    _add(found, lower, answer, plural, key, table, evidence)
                if "_" in name and (spaced := name.replace("_", " ")) in lower:
                    _add(found, lower, answer, spaced, key, table, evidence)
    found.sort(key=lambda mention: (mention.start, mention.start - mention.end))
    kept: list[Mention] = []
    for mention in found:
        if kept and mention.start < kept[-1].end:
            if (mention.start, mention.end) == (kept[-1].start, kept[-1].end):
                kept[-1].cells = kept[-1].cells + mention.cells
            continue
        kept.append(mention)
    return kept + _partial(answer, kept, evidence) if count <= MANY else kept


def _add(found: list[Mention], lower: str, answer: str, form: str, key: str, table: int, evidence: Evidence) -> None:
    cells: list[Cell] = []
    exact = len(form) <= 3 and form.isascii()
    position = lower.find(form)
    while position >= 0 and len(found) < MAX_MENTIONS:
        evidence.spend(1)
        end = position + len(form)
        called = (
            not exact or answer[position:end] == key.strip() or (len(form) > 2 and _THE.search(lower[:position][-6:]))
        )
        if called and _whole(lower, position, end):
            cells = cells or evidence.holding(key, table)
            found.append(Mention(position, end, cells))
        position = lower.find(form, end)


def _whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if before == "v" and text[start].isdigit() and not text[max(0, start - 2) : start - 1].isalnum():
        before = ""
    if before and before in ARABIC_PREFIXES and not text[max(0, start - 2) : start - 1].isalnum():
        before = ""
    if _joins(before) or before == "_":
        return False
    if after == "s" and end - start >= 5 and not text[end + 1 : end + 2].isalnum():
        return True
    return not (_joins(after) or after == "_")


def _joins(char: str) -> bool:
    return char.isalnum() and not ("\u3040" <= char <= "\u9fff")


@remembered(8192)
def _tokens(key: str) -> tuple[str, ...]:
    """The words by which a longer name may be called, lower case."""
    words = _TOKEN.findall(key)
    if len(words) < 2:
        return ()
    return tuple(word.lower() for word in words if len(word) > 3 and not word.isdigit() and word.lower() not in _COMMON)


def _partial(answer: str, whole: list[Mention], evidence: Evidence) -> list[Mention]:
    """Capitalised words of *answer* that stand in one key only of a column (``Search`` for ``Spring_Search``)."""
    words: dict[str, list[tuple[int, int]]] = {}
    lower = answer.islower()
    index = 0
    for found in _LONG.finditer(answer):
        word = found[0]
        if not (word[0].isupper() or lower) or word in _COMMON or word.lower() in SCALES:
            continue
        while index < len(whole) and whole[index].end <= found.start():
            index += 1
        if index == len(whole) or whole[index].start >= found.end():
            words.setdefault(word.lower(), []).append(found.span())
    if not words:
        return []
    for table in evidence.tables if lower else ():
        for column in table.columns:
            for word in _TOKEN.findall(column.lower()):
                words.pop(word, None)
    named = [names for _, names in evidence.names()]
    evidence.spend(sum(map(len, named)) * len(words) // 8)
    out = []
    for word, spans in words.items():
        keys = {key for names in named for _, name, key in names if word in name and word in _tokens(key)}
        if len(keys) == 1:
            cells = evidence.holding(keys.pop())
            out += [Mention(start, end, cells, partial=True) for start, end in spans]
    return out
