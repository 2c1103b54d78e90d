"""
A table as people read it: what names each of its rows and columns, with headings over several rows, sections and years.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from monitor.checks.grounded.evidence.contents import number
from monitor.checks.grounded.evidence.index import Cell, Evidence, Table
from monitor.checks.grounded.evidence.labels import is_total
from monitor.checks.grounded.text.names import GENERIC, WORD, stem
from monitor.checks.grounded.text.units import PERCENT

MAX_ROWS = 400
MAX_COLUMNS = 40
_YEAR = re.compile(
    r"(?<![\d.,])(?:FY_?)?((?:19|20)\d\d)(?:[/–-](\d\d)(?![\d/-]))?(?![\d%])|"
    r"(?:\b(?:FY|CY|F|Q[1-4])[\s'’]?|[‘'’])(\d\d)(?!\d)"
)
_PERCENT = re.compile(r"%|\bpercent|\bper cent\b|\bprozent|\bpourcent|\bporcent|\bmargin\b", re.IGNORECASE)
_MEANT = re.compile(r"[^\W\d_]{2}|(?:19|20)\d\d")
_UNNAMED = frozenset(["total"])
"""What a row without a name is: the total of those above it."""
_GROUPED = re.compile(r"\d[,'’\u202f]\d{3}(?!\d)")
_COMMA_GROUP = re.compile(r"^[^\d.]*\d{1,3}(?:,\d{3})+\b(?!,)")
_NOTHING = frozenset(["-", "–", "—", "- ", "$-", "$—", "$–", "$ -", "$ —", "€-", "€—", "nil"])


_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:prev(?:ious)?|prior|last|py|ly|before|vorjahr\w*|vorher\w*|vorig\w*|précédente?|anterior|förra|föregående)(?:[^a-z]|$)|"
    r"前年|前月|前期|去年|昨年|上年|上月|上期",
    re.IGNORECASE,
)
"""What names the column of an earlier period."""


class Label(NamedTuple):
    """
    What names a row or a column: its stemmed *words*, those of the heading *above* it, the *years* in either, and whether
    they speak of *percent*.
    """

    words: frozenset[str]
    above: frozenset[str]
    years: frozenset[int]
    percent: bool


class Grid:
    """
    One table read as people read it. *rows* are those with numbers, *measures* the columns with numbers.

    A row without numbers is a heading: of the rows below it when only its first cell is filled, else of the columns,
    from there on.
    """

    def __init__(self, evidence: Evidence, t: int) -> None:
        self.evidence, self.t = evidence, t
        self.table = evidence.tables[t]
        self.width = min(len(self.table.columns), MAX_COLUMNS)
        self.rows: dict[int, Label] = {}
        self.sections: dict[int, int] = {}
        self.totals: set[int] = set()
        self._values: dict[int, dict[int, float]] = {}
        self._starts: list[int] = [0]
        self._heads: list[list[Label]] = []
        self.keys = self._key_columns()
        numbers = {c: len(evidence.column(t, c)) for c in range(self.width) if c not in self.keys}
        few = len(self.table.rows) // 4
        self.measures = [c for c, count in numbers.items() if count > (few if c == 0 and len(numbers) > 1 else 0)]
        self._read()
        self._percents = {c for c in self.measures if self._of_percent(c)}

    def _of_percent(self, c: int) -> bool:
        """Whether a column without a heading that says so holds percentages: some cell has the sign, none another unit."""
        units_ = {self.evidence.unit(Cell(self.t, r, c)) for r, _ in self.evidence.column(self.t, c)}
        return PERCENT in units_ <= {PERCENT, ""} and all(abs(v) <= 100 for _, v in self.evidence.column(self.t, c))

    def percent(self, r: int, c: int) -> bool:
        """Whether a place holds a percentage: by its own sign, its column's, or its heading's."""
        unit = self.evidence.unit(Cell(self.t, r, c))
        return unit == PERCENT or (
            not unit and (c in self._percents or self.head(r, c).percent or self.rows[r].percent)
        )

    def _key_columns(self) -> frozenset[int]:
        """Columns of plain years: they name rows and are nothing to calculate with."""
        found = []
        for c in range(self.width):
            scale = self.table.units[c].scale
            values = [value / scale for _, value in self.evidence.column(self.t, c)]
            plain = len(values) * 4 > len(self.table.rows) and all(
                1900 <= value <= 2100 and value == int(value) for value in values
            )
            if plain and (c == 0 or self.table.columns[c].lower() in ("year", "jahr", "año", "jaar", "anno", "ano")):
                found.append(c)
        return frozenset(found)

    def _read(self) -> None:
        names = [name.strip() for name in self.table.columns[: self.width]]
        heads = [[name] if name else [] for name in (_spread(names) if self.table.header_rows else names)]
        texts, marks = [list(parts) for parts in heads], list(names)
        section = -1
        rows = self.table.rows[:MAX_ROWS]
        self.evidence.spend(len(rows) * 2)
        started = False
        above, count = [0.0] * 4, 0
        for r, row in enumerate(rows):
            kind = self._kind(r, started=started)
            if kind == "columns":
                if started:
                    texts, marks = [list(parts) for parts in heads], list(names)
                    started = False
                for c, cell in enumerate(row[: self.width]):
                    marks[c] += f" {cell or ''}"
                for c, text in enumerate(_spread([str(cell or "").strip() for cell in row[: self.width]])):
                    if text and c:
                        texts[c].append(text)
                section = r if str(row[0] or "").strip() and r >= self.table.header_rows else section
            elif kind == "section":
                section = r
                above, count = [0.0] * 4, 0
            elif kind == "row":
                if not started:
                    self._open(r, texts, marks)
                started = True
                self.sections[r] = section
                self.rows[r] = self._label(r, section)
                if self._adds_up(r, above if count > 1 else []):
                    self.totals.add(r)
                    section = -1
                    above, count = [0.0] * 4, 0
                else:
                    above = [total + (self.value(r, c) or 0.0) for c, total in zip(self.measures, above, strict=False)]
                    count += 1
        if not self._heads:
            self._open(0, texts, marks)

    def _open(self, r: int, texts: list[list[str]], marks: list[str]) -> None:
        """Start a block of rows under one set of column headings."""
        if self._heads:
            self._starts.append(r)
        self._heads.append(
            [
                _label(" ".join(parts), "")._replace(percent=_PERCENT.search(mark) is not None)
                for parts, mark in zip(texts, marks, strict=True)
            ]
        )

    def _adds_up(self, r: int, above: list[float]) -> bool:
        """Whether row *r* is a total: by its name, without any, or because what stands above it, in sums, adds up to it."""
        if is_total(self.evidence, self.t, r) or self.rows[r].words == _UNNAMED:
            return True
        sums = [(value, total) for c, total in zip(self.measures, above, strict=False) if (value := self.value(r, c))]
        return bool(sums) and all(abs(value - total) <= abs(value) * 0.001 for value, total in sums)

    def _kind(self, r: int, *, started: bool) -> str:
        """``row``, ``section``, ``columns`` (a heading of columns) or ``""``."""
        row = self.table.rows[r]
        filled = [c for c in range(min(len(row), self.width)) if str("" if row[c] is None else row[c]).strip()]
        if not filled:
            return ""
        numbers = [c for c in filled if c in self.measures and number(row[c]) is not None]
        if numbers and r >= self.table.header_rows:
            plain = all(1900 <= (number(row[c]) or 0) <= 2100 and str(row[c]).strip().isdigit() for c in numbers)
            return "columns" if plain and not str(row[0] or "").strip() else "row"
        if r >= self.table.header_rows and any(str(row[c]).strip() in _NOTHING for c in filled if c):
            return "row"
        if filled == [0] or (started and len(filled) == 1 and not years_in(str(row[filled[0]]))):
            return "section"
        meant = [c for c in filled if (c and not started) or _MEANT.search(str(row[c]))]
        return "columns" if meant else ""

    def _label(self, r: int, section: int) -> Label:
        row = self.table.rows[r]
        own = [
            str(row[c])
            for c in range(min(len(row), self.width, 6))
            if (isinstance(row[c], str) and number(row[c]) is None) or c in self.keys
        ]
        above = self.title(section) if section >= 0 else ""
        label = _label(" ".join(own), above)
        return label if label.words or label.years else label._replace(words=_UNNAMED)

    def title(self, section: int) -> str:
        """What the heading row *section* says."""
        return next((str(cell) for cell in self.table.rows[section] if str(cell or "").strip()), "")

    def block(self, r: int) -> int:
        """Which of the sets of column headings row *r* stands under."""
        return max(0, bisect_right(self._starts, r) - 1)

    def head(self, r: int, c: int) -> Label:
        """What names column *c* at row *r*."""
        return self._heads[self.block(r)][c]

    def value(self, r: int, c: int) -> float | None:
        """The number at a place, in the one magnitude that headings over several rows declare; a dash is nothing, 0."""
        values = self._values.get(c)
        if values is None:
            scale = self.table.units[c].scale if self.table.header_rows else 1.0
            values = self._values[c] = {row: value / scale for row, value in self.evidence.column(self.t, c)}
        value = values.get(r)
        if value is None and str(self.evidence.raw(Cell(self.t, r, c)) or "").strip() in _NOTHING:
            return 0.0
        return value

    def total(self, r: int) -> bool:
        """Whether row *r* holds totals: by its name, or without any."""
        return r in self.totals


def _spread(cells: list[str]) -> list[str]:
    """
    The cells of a heading row, the empty ones filled: a heading may stand over several columns.

    Each over as many, where they divide the row so; else up to the next on its right.
    """
    filled = [c for c, cell in enumerate(cells) if cell and c]
    wide, rest = divmod(len(cells) - 1, len(filled)) if filled else (0, 1)
    if not rest and all((c - 1) // wide == place for place, c in enumerate(filled)):
        return [cells[0], *(cells[filled[(c - 1) // wide]] for c in range(1, len(cells)))]
    out: list[str] = []
    last = ""
    for cell in cells:
        last = cell or last
        out.append(last)
    return out


def printed(table: Table) -> bool:
    """Whether a table is a report's, not a query's: its numbers are texts in groups of three, so its caption may be lost."""
    cells = (cell for row in table.rows[:20] for cell in row if number(cell) is not None)
    numbers = [cell for cell, _ in zip(cells, range(40), strict=False)]
    return all(isinstance(cell, str) for cell in numbers) and any(_GROUPED.search(str(cell)) for cell in numbers)


def grouped(table: Table) -> bool:
    """Whether a table's texts group digits by commas, so that a comma before three digits is no decimal one."""
    return any(isinstance(cell, str) and _COMMA_GROUP.search(cell) for row in table.rows[:20] for cell in row[:40])


@lru_cache(maxsize=4096)
def _label(text: str, above: str) -> Label:
    percent = _PERCENT.search(text) or _PERCENT.search(above)
    return Label(words_of(text), words_of(above), years_in(text) or years_in(above), percent is not None)


@lru_cache(maxsize=8192)
def words_of(text: str) -> frozenset[str]:
    """The stemmed words of *text* that mean something."""
    return frozenset(
        stem(word)
        for word in WORD.findall(text[:400])
        if (len(word) > 1 and word.lower() not in SMALL) or (len(word) == 1 and word.isupper())
    )


SMALL = (GENERIC - frozenset("total average min max rate ratio value amount number sum".split())) | frozenset(
    "what which how much many did does do were which who whom whose there their its our between during among through "
    "respectively than then this that these those have been being would could should".split()
)


@lru_cache(maxsize=8192)
def years_in(text: str) -> frozenset[int]:
    """The years that *text* names (``2019``, ``FY19``, ``2018/19``)."""
    found: set[int] = set()
    for whole, second, short in _YEAR.findall(text):
        if whole:
            found.add(int(whole))
            if second and int(second) == (int(whole) + 1) % 100:
                found.add(int(whole) + 1)
        elif short:
            found.add(2000 + int(short) if int(short) < 70 else 1900 + int(short))
    return frozenset(found)


_NUMBERED = re.compile(
    r"(?<![^\W_])(q|h|w|m|t|kw|quarter|week|month|day|half|quartal|monat|woche|mes|mois)[ _-]?(\d{1,2})(?![^\W_])",
    re.IGNORECASE,
)
"""A numbered period in a column's name (``subs_q3``)."""


def period_order(table: Table, a: int, b: int) -> int:
    """1 when column *a* stands for a later period than *b*, by year or as the one before; -1 for an earlier one; else 0."""
    return _period_order(table.columns[a], table.columns[b])


@lru_cache(maxsize=8192)
def _period_order(a: str, b: str) -> int:
    first, second = max(years_in(a), default=0), max(years_in(b), default=0)
    if first and second:
        return (first > second) - (first < second)
    one, two = _NUMBERED.search(a), _NUMBERED.search(b)
    if one and two and one[1].lower() == two[1].lower() and _NUMBERED.sub("", a) == _NUMBERED.sub("", b):
        return (int(one[2]) > int(two[2])) - (int(one[2]) < int(two[2]))
    return bool(_BEFORE.search(b)) - bool(_BEFORE.search(a))
