"""
Fractions and multiples in words: two thirds of the total, roughly 1 in 2, twice as many as Rex, by a third.

What the fraction is taken of must be said: an amount, the total, another row. Then it holds or it does not; else nothing is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.operands import Columns, is_key
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import clean, column_label, is_total, place, row_label
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import telling_words, words_in

MARGIN = 0.05
"""A share farther than this from the fraction written is another one."""
APART = 0.1
"""The same of a multiple, relative to it."""
MAX_TABLES = 8
MAX_COLUMNS = 40
MAX_CANDIDATES = 40
MANY = 200
_OF = r"\s?(?:of|der|des|vom|von|du|de la|de l['’]|de los|de las|del|de|d['’]|van het|van de|van)\s?(?:the\s|all\s(?:the\s)?|los\s|las\s|den\s|dem\s|de\s)?"
_TOTAL = re.compile(
    rf"{_OF}(?:(?:grand |group |overall |whole )?total|whole|Gesamt\w+|Summe|Ganzen|totale?|ensemble|conjunto|totaal|geheel)\b"
    r"(?!\s(?:of|de|von|van)\b)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(rf"{_OF}(?:[^\W\d_][\w'’-]{{0,20}}\s){{0,4}}", re.IGNORECASE)
_END = re.compile(r"\s?(?:[.,;!?)\n]|\Z)")
_APPOSED = re.compile(
    r"(?:[^,;:()\n–—]{0,90})(?:,|\s?\(|\s[–—-]|,?\s(?:or|oder|ou|o|of|soit|also|i\.e\.),?)\s?"
    r"(?:or|i\.e\.|that is|soit|also|das sind|das ist|oder|es decir|o sea|c['’]est-à-dire|dat is|ofwel)?,?\s?"
    r"(?:(?!(?:and|und|et|y|en)\b)[^\W\d_][\w'’]{0,14}\s){0,4}",
    re.IGNORECASE,
)
"""What stands between an amount and the fraction that says what part of something it is."""
_TIMES_NAME = re.compile(
    r"\s?(?:of|that of|as (?:much|many|high|large|big|long)(?:\s[^\W\d_]{1,20}){0,3} as|von|"
    r"so (?:viele?|hoch|groß|lang)(?:\s[^\W\d_]{1,20}){0,3} wie|du|de|del|de la|que|que celui de|que celle de|"
    r"van|zo ?(?:veel|hoog|groot|lang)(?:\s[^\W\d_]{1,20}){0,3} als|des|der|d['’]|de l['’])\s?(?:the\s|los de\s|la de\s|el de\s|las de\s|die van\s|dat van\s)?",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(
    r"\s(?:(?P<more>more|higher|larger|mehr|höher|größer|de plus|más|mayor|meer|hoger)|(?P<less>less|fewer|lower|smaller|weniger|niedriger|"
    r"kleiner|de moins|menos|menor|minder|lager))\s(?:[^\W\d_]{1,20}\s){0,2}?(?:than|als|que|dan)\s(?:in\s|the\s|la\s|le\s|el\s)?",
    re.IGNORECASE,
)
_STOP = re.compile(r"[,.;:()]")
_EXCEEDS = re.compile(
    r"\b(?:exceed\w*|surpass\w*|outsold|tops?|topped|übertr\w+|dépass\w*|super(?:a|ó|an|aron)|overtr\w+|oversteeg)\b"
    r"(?:\s[^\W\d_]{1,20}){0,6}?\s(?:by|um|de|d['’]|en|met)\s?(?:[^\W\d_]{1,14}\s){0,2}$",
    re.IGNORECASE,
)
_MAKES = re.compile(
    r"\b(?:account(?:s|ed)? for|represent(?:s|ed)?|ma(?:kes?|de) up|contribut(?:es|ed)|macht\w*|stellt\w*|représent\w+|supon\w*|supuso|"
    r"represent(?:a|ó|an)|vertegenwoordig\w+)\s(?:[^\W\d_]{1,14}\s){0,4}$",
    re.IGNORECASE,
)


class Judged(NamedTuple):
    """Whether a fraction or multiple *holds*, what shows it, and whether that is *sure* whatever else may explain the figure."""

    holds: bool
    found: Found
    sure: bool = True


class _Share(NamedTuple):
    """One way to read a fraction: the *ratio* it would state, in words, and the cells it is worked out of."""

    ratio: float
    phrase: str
    cells: tuple[Cell, ...] = ()


class Parts:
    """Judges the fractions and multiples of one answer."""

    def __init__(self, evidence: Evidence, columns: Columns) -> None:
        self.evidence, self.columns = evidence, columns
        self.wholes: dict[int, int] = {}
        """Where the amount begins that a fraction is said to be of, by where the fraction begins."""

    def judge(self, view: View) -> Judged | None:
        """Whether the fraction or multiple of *view* holds of what the words name; None where they do not name it."""
        figure = view.figure
        if not figure.readings or not (figure.fraction or (figure.word and figure.unit == units.TIMES)):
            return None
        shares = list(self._multiples(view)) if figure.unit == units.TIMES else list(self._fractions(view))
        plain = figure._replace(unit="")
        fitting = next((share for share in shares if match.fits(plain, share.ratio)), None)
        if fitting:
            return Judged(True, self._says(fitting))
        if not shares or any(_close(figure, share.ratio) for share in shares) or self._elsewhere(view, shares[0]):
            return None
        return Judged(False, self._denies(shares[0]), sure=figure.unit != units.TIMES)

    def _elsewhere(self, view: View, share: _Share) -> bool:
        """Whether another result or a text gives an amount of which the part is the fraction said."""
        found = _part(view)
        if found is None or found[1] is not None or _amount(view, found[0]) is not None:
            return False
        part = found[0].readings[0].value
        own = {cell.table for cell in share.cells}
        figures = (f for source in self.evidence.sources for f in source.figures()[:MANY] if f.readings and not f.year)
        wholes = [f.readings[0].value for f in figures]
        for t, table in enumerate(self.evidence.tables[:MAX_TABLES] if len(self.evidence.tables) > 1 else ()):
            if t not in own:
                self.evidence.spend(len(table.columns))
                wholes += [value for c, _ in self._measures(t) for _, value in self.evidence.column(t, c)[:MANY]]
        return any(whole and _close(view.figure, part / whole) for whole in wholes)

    # -- fractions ---------------------------------------------------------------------------------------------------

    def _fractions(self, view: View) -> Iterator[_Share]:
        text, base = view.sentence.text, view.sentence.start
        start, end = view.figure.start - base, view.figure.end - base
        more = _MORE_THAN.match(text, end)
        exceeds = _EXCEEDS.search(text[:start])
        if more or exceeds:
            sign = -1 if more and more["less"] else 1
            for share in self._of_rows(view, more.end() if more else None):
                yield share._replace(ratio=sign * (share.ratio - 1))
            return
        found = _part(view)
        if found is not None:
            yield from self._of_part(view, found[0], _amount(view, found[0]) or found[1])
        elif _MAKES.search(text[max(0, start - 60) : start]):
            yield from self._of_column(view, text[end : end + 60])

    def _of_part(self, view: View, part: Figure, said: Figure | None) -> Iterator[_Share]:
        """What *part* may be a part of: an amount that is *said*, the total, another row, what it was before."""
        if said is not None:
            self.wholes[view.figure.start] = said.start
            yield _Share(part.readings[0].value / said.readings[0].value, f"{part.text} of {said.text}")
            return
        end = view.figure.end - view.sentence.start
        after = view.sentence.text[end:]
        cells = self._cells_of(view, part)
        other = _name_after(view, end, _TIMES_NAME)
        if _TOTAL.match(after):
            yield from self._of_totals(cells)
        elif other is not None:
            yield from self._of_other(cells, other)
        elif _END.match(after):
            for cell, value in cells:
                yield from self._of_line(cell, value)
            yield from self._of_totals(cells)

    def _of_totals(self, cells: list[tuple[Cell, float]]) -> Iterator[_Share]:
        """The sums that the cells are a part of."""
        for cell, value in cells:
            for whole, label in self._totals(cell):
                if whole:
                    yield _Share(value / whole, f"{place(self.evidence, cell)} as a share of {label}", (cell,))

    def _of_other(self, cells: list[tuple[Cell, float]], other: Mention) -> Iterator[_Share]:
        """The row that is named instead of a whole."""
        for cell, value in cells:
            for whole in self._in_column(other, cell):
                ratio = value / (self.evidence.value(whole) or 1.0)
                yield _Share(ratio, f"{place(self.evidence, cell)} of {place(self.evidence, whole)}", (cell, whole))

    def _of_line(self, cell: Cell, value: float) -> Iterator[_Share]:
        """The greater amounts of the same unit in the row."""
        for c in range(min(len(self.evidence.tables[cell.table].columns), MAX_COLUMNS)):
            other = cell._replace(column=c)
            whole = self.evidence.value(other)
            if whole is not None and whole > value and self.evidence.unit(other) == self.evidence.unit(cell):
                phrase = (
                    f"{place(self.evidence, cell)} as a share of {column_label(self.evidence.tables[cell.table], c)}"
                )
                yield _Share(value / whole, phrase, (cell, other))

    def _of_column(self, view: View, after: str) -> Iterator[_Share]:
        """A named row's part of a column that stands right after the fraction (``accounts for half of the sales``)."""
        words = frozenset(words_in(_STOP.split(after, maxsplit=1)[0])[:5])
        subjects = [m for m in view.sentence.mentions()[:MANY] if m.end <= view.figure.start and not m.period]
        if not subjects:
            return
        for t, row in _only_rows(subjects[-1]):
            for c, name in self._measures(t):
                telling = telling_words(name)
                cell = Cell(t, row, c)
                value = self.evidence.value(cell)
                if value is not None and telling and telling <= words:
                    yield from self._of_totals([(cell, value)])

    # -- multiples ---------------------------------------------------------------------------------------------------

    def _multiples(self, view: View) -> Iterator[_Share]:
        found = _TIMES_NAME.match(view.sentence.text, view.figure.end - view.sentence.start)
        if found:
            yield from self._of_rows(view, found.end())

    def _of_rows(self, view: View, at: int | None) -> Iterator[_Share]:
        """The row named before the figure over the one named at *at* (None: anywhere after), in each column that may be meant."""
        base = view.sentence.start
        names = [m for m in view.sentence.mentions()[:MANY] if not m.period]
        before = [m for m in names if m.end <= view.figure.start]
        after = [m for m in names if m.start >= view.figure.end and (at is None or 0 <= m.start - base - at <= 3)]
        if len(before) != 1 or not after or (at is None and len(after) != 1):
            return
        for t, row in _only_rows(before[0]):
            others = [r for table, r in _only_rows(after[0]) if table == t]
            measures = self._measures(t) if others else []
            words = frozenset(words_in(view.sentence.text))
            named = [(c, name) for c, name in measures if not telling_words(name).isdisjoint(words)]
            for c, _ in measures:
                own, other = Cell(t, row, c), Cell(t, others[0], c)
                value, against = self.evidence.value(own), self.evidence.value(other)
                if value is not None and against and (not named or any(c == each for each, _ in named)):
                    phrase = f"the ratio of {place(self.evidence, own)} and {row_label(self.evidence, t, others[0])}'s"
                    yield _Share(value / against, phrase, (own, other))

    # -- cells -------------------------------------------------------------------------------------------------------

    def _measures(self, t: int) -> list[tuple[int, str]]:
        """The columns of numbers, with their names."""
        names = self.evidence.tables[t].columns[:MAX_COLUMNS]
        return [(c, name) for c, name in enumerate(names) if not is_key(name) and self.evidence.column(t, c)]

    def _cells_of(self, view: View, part: Figure) -> list[tuple[Cell, float]]:
        """The cells whose value *part* states: those of a named row, where there are some."""
        found = []
        for (cell, _), _ in zip(
            match.candidates(part, self.evidence, turned=False, raw=False), range(MAX_CANDIDATES), strict=False
        ):
            value = self.evidence.value(cell)
            if value and not self.evidence.tables[cell.table].earlier:
                found.append((cell, value))
        named = [(cell, value) for cell, value in found if cell.row in view.at(part).named(cell.table).rows]
        return named or found

    def _in_column(self, mention: Mention, cell: Cell) -> list[Cell]:
        """The cell of the row that *mention* names in the column of *cell*."""
        rows = [row for t, row in _only_rows(mention) if t == cell.table]
        found = [cell._replace(row=row) for row in rows if row != cell.row]
        return [each for each in found if self.evidence.value(each)]

    def _totals(self, cell: Cell) -> Iterator[tuple[float, str]]:
        """(value, name) of the sums that *cell* is a part of: of its column, and of the rows that share one of its names."""
        t, row, c = cell
        table = self.evidence.tables[t]
        label = f"the total {column_label(table, c)}"
        total = self.columns.totals.get((t, c))
        if not self.columns.additive(t, c) or self.columns.cut(t) or is_total(self.evidence, t, row):
            return
        values = self.evidence.column(t, c)
        given = [value for r, value in values if is_total(self.evidence, t, r)]
        self.evidence.spend(len(values))
        if total or given:
            yield (total.value if total else given[0]), label
        rest = [(r, value) for r, value in values if not is_total(self.evidence, t, r)]
        if len(rest) < 2:
            return
        yield sum(value for _, value in rest), label
        for g in range(min(self.evidence.first_measure(t), 4)):
            own = self.evidence.raw(Cell(t, row, g))
            alike = [value for r, value in rest if self.evidence.raw(Cell(t, r, g)) == own]
            if 1 < len(alike) < len(rest):
                yield sum(alike), f"{label} of {clean(str(own))}"

    # -- words -------------------------------------------------------------------------------------------------------

    def _source(self, share: _Share) -> dict[str, object]:
        cells = [
            {"table": self.evidence.tables[t].name, "row": row, "column": self.evidence.tables[t].columns[c]}
            for t, row, c in share.cells
        ]
        return {"kind": "derived", "derivation": "share", "cells": cells}

    def _says(self, share: _Share) -> Found:
        return Found(self._source(share), share.phrase)

    def _denies(self, share: _Share) -> Found:
        value = f"{share.ratio:.0%}" if abs(share.ratio) < 1 else f"{share.ratio:.2f}"
        return Found(self._source(share), f"{share.phrase} is {value}", "wrong_share")


def _close(figure: Figure, ratio: float) -> bool:
    """Whether a ratio is too near what *figure* says, or too far on the right side of its inequality, to deny it."""
    value = figure.readings[0].value
    if figure.bound in ("over", "at_least"):
        return ratio >= value - MARGIN
    if figure.bound in ("under", "at_most"):
        return ratio <= value + MARGIN
    margin = APART * value if figure.unit == units.TIMES else max(MARGIN, figure.readings[0].half)
    return abs(ratio - value) <= margin


def _only_rows(mention: Mention) -> list[tuple[int, int]]:
    """(table, row) of the tables in which *mention* names one row only."""
    rows: dict[int, set[int]] = {}
    for cell in mention.cells[:MANY]:
        rows.setdefault(cell.table, set()).add(cell.row)
    return [(t, next(iter(found))) for t, found in rows.items() if len(found) == 1][:MAX_TABLES]


def _part(view: View) -> tuple[Figure, Figure | None] | None:
    """
    The amount of which the fraction says what part of something it is, set apart by a comma, and what it is said to be of.

    ``938 of the 1,840 customers, roughly 1 in 2``: 938 and 1,840; ``938 of the customers, roughly 1 in 2``: 938 alone.
    """
    base, text = view.sentence.start, view.sentence.text
    before = [f for f in view.sentence.figures() if f.end <= view.figure.start and f.moment is None and not f.year]
    last = before[-1] if before else None
    if last is None or not _is_amount(last) or not _APPOSED.fullmatch(text, last.end - base, view.figure.start - base):
        return None
    first = before[-2] if len(before) > 1 and _is_amount(before[-2]) else None
    if first is not None and _AMOUNT.fullmatch(text, first.end - base, last.start - base):
        return first, last
    return last, None


def _is_amount(figure: Figure) -> bool:
    """Whether a figure can be a part or the whole of something: no share itself, and more than none."""
    shares = (units.PERCENT, "ratio", units.POINTS, units.TIMES)
    return bool(figure.readings) and not figure.word and figure.unit not in shares and figure.readings[0].value > 0


def _amount(view: View, part: Figure) -> Figure | None:
    """The amount that stands after *of*, in the unit of *part*."""
    base = view.sentence.start
    after = [f for f in view.sentence.figures() if f.start >= view.figure.end]
    if not after or after[0].year or after[0].unit != part.unit or not _is_amount(after[0]):
        return None
    gap = view.sentence.text[view.figure.end - base : after[0].start - base]
    return after[0] if _AMOUNT.fullmatch(gap) else None


def _name_after(view: View, end: int, pattern: re.Pattern[str]) -> Mention | None:
    """The name that stands right after what *pattern* matches at *end*."""
    found = pattern.match(view.sentence.text, end)
    if not found:
        return None
    at = found.end() + view.sentence.start
    return next((m for m in view.sentence.mentions()[:MANY] if not m.period and 0 <= m.start - at <= 3), None)
