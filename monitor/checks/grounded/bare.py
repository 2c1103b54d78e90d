"""
Derivations for a bare figure, whose question names the operands and announces the sum.

What the question names comes first and may be taken at the written precision; what it names only loosely must agree in
three digits, so that no coincidence passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, pairwise, product
from typing import NamedTuple

from monitor.checks.grounded import announce, units
from monitor.checks.grounded.asked import Asked, Meant, meant_rows
from monitor.checks.grounded.derive import Derivation
from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.headings import Grid
from monitor.checks.grounded.howmany import HowMany
from monitor.checks.grounded.index import Cell, Evidence
from monitor.checks.grounded.labels import column_label, row_label
from monitor.checks.grounded.lookup import Lookup
from monitor.checks.grounded.match import fits
from monitor.checks.grounded.operands import Position
from monitor.checks.grounded.passages import Passages

MAX_LINE = 16
MAX_SUMMED = 60
MAX_PAIRED = 8
PRECISE = 0.006
"""Half of the last digit over the value: three digits or more are written."""

PRODUCT = 1e-5
"""A product must agree in six digits: any two columns have one."""


class Term(NamedTuple):
    """A value to calculate with; *percent*: it is one; *when*: its latest year, 0 when it has none."""

    value: float
    label: str
    cells: tuple[Position, ...]
    percent: bool = False
    when: int = 0


class Bare:
    """Looks for derivations of the bare figures of one answer."""

    def __init__(self, asked: Asked, evidence: Evidence) -> None:
        self.asked, self.evidence = asked, evidence
        self.passages, self.howmany = Passages(asked, evidence), HowMany(asked, evidence)
        self.lookup = Lookup(asked, evidence)
        self._meant: dict[int, Meant] = {}

    def derive(self, figure: Figure) -> Derivation | None:
        """The first derivation that the question announces and that gives *figure*; None when none does."""
        if not figure.readings or figure.moment or (figure.year and not self.asked.kinds):
            return None
        for t in self.tables() if self.asked.counts else ():
            counted = self.howmany.count(figure, t, self.meant(t))
            if counted:
                return Derivation("count", counted.phrase, counted.cells)
        search = _Search(self, figure)
        return search.find(loose=False) or (search.find(loose=True) if _precise(figure) else None)

    def conditional(self) -> bool:
        """Whether the question asks how many meet a condition, so that the number of rows is no answer."""
        return self.asked.counts and bool(self.asked.side())

    def meant(self, t: int) -> Meant:
        """The rows of table *t* that the question means."""
        if t not in self._meant:
            self._meant[t] = meant_rows(self.asked, t)
        return self._meant[t]

    def tables(self) -> Iterator[int]:
        """The tables to look at, this turn's first."""
        tables = self.evidence.tables
        for t in sorted(range(len(tables)), key=lambda t: tables[t].earlier):
            if self.asked.grid(t).measures:
                yield t


class _Search:
    """The derivations of one bare figure."""

    def __init__(self, bare: Bare, figure: Figure) -> None:
        self.bare, self.asked, self.evidence = bare, bare.asked, bare.evidence
        self.figure = figure
        self.plain = figure._replace(unit="")
        self.kinds = set(self.asked.kinds)
        self.percent = figure.unit == units.PERCENT
        if self.percent and self.asked.relative:
            self.kinds |= {"difference"} if not self.kinds & {"sum", "average", "ratio"} else set()
        if "ratio" in self.kinds:
            self.kinds.add("share")

    def find(self, *, loose: bool) -> Derivation | None:
        """The first derivation over the tables, then over the texts, then over both."""
        for t in self.bare.tables():
            found = self._in_table(t, loose=loose)
            if found:
                return found
        return self._in_texts(loose=loose)

    def _in_table(self, t: int, *, loose: bool) -> Derivation | None:
        pairs = self.asked.priced or self.kinds & {"difference", "ratio", "share"}
        for line in self._lines(t, loose=loose) if pairs else ():
            found = self._pairs(line, [*self.bare.meant(t).named, *self.asked.grid(t).totals] if loose else [])
            if found:
                return found
        for line in self._sets(t, loose=loose) if self.kinds & {"sum", "average"} else ():
            found = self._set(line)
            if found:
                return found
        return self._nested(t) if pairs else None

    # -- lines of terms --------------------------------------------------------------------------------------------

    def _term(self, t: int, r: int, c: int, grid: Grid) -> Term | None:
        value = grid.value(r, c)
        if value is None:
            return None
        head = grid.head(r, c)
        when = max(head.years | grid.rows[r].years, default=0)
        label = f"{row_label(self.evidence, t, r)}'s {column_label(self.evidence.tables[t], c)}"
        percent = grid.percent(r, c)
        return Term(value, label, ((t, r, c),), percent, when)

    def _terms(self, t: int, places: Sequence[tuple[int, int]]) -> list[Term]:
        grid = self.asked.grid(t)
        return [term for r, c in places if (term := self._term(t, r, c, grid)) is not None]

    def _lines(self, t: int, *, loose: bool) -> Iterator[list[Term]]:
        """Terms any two of which the question may set against each other: along a row, and down a column."""
        grid, meant = self.asked.grid(t), self.bare.meant(t)
        rows = meant.named + (meant.others if loose else [])
        every = list(grid.rows) if not rows else rows
        for r in every[: MAX_LINE if loose or len(grid.rows) <= 4 else len(rows)]:
            named, others = self.asked.columns(t, r)
            columns = named if len(named) > 1 and not loose else named + others
            yield self._terms(t, [(r, c) for c in columns[:MAX_LINE]])
        if len(rows) > 1 or loose:
            down = (rows if len(rows) > 1 else list(grid.rows))[:MAX_LINE]
            named, others = self._in_unit(t, down[0]) if down else ([], [])
            for c in named + (others if loose or not named else []):
                yield self._terms(t, [(r, c) for r in down])
        if loose and self.asked.top:
            for c in grid.measures:
                column = self._terms(t, [(r, c) for r in grid.rows if not grid.total(r)])
                yield sorted(column, key=lambda term: term.value)[:: max(1, len(column) - 1)]
        totals = [r for r in grid.rows if grid.total(r)][:4]
        for r in meant.named if self.kinds & {"share", "ratio"} else ():
            named, others = self.asked.columns(t, r)
            for c in named or others:
                yield self._terms(t, [(r, c), *((r2, c) for r2 in totals if r2 != r)])

    def _in_unit(self, t: int, r: int) -> tuple[list[int], list[int]]:
        """The named and the other columns, those of percentages left out where an amount is looked for."""
        named, others = self.asked.columns(t, r)
        if self.percent and "ratio" not in self.kinds:
            return named, others
        grid = self.asked.grid(t)
        amounts = [c for c in (*named, *others) if not grid.head(r, c).percent]
        kept = [c for c in named if c in amounts]
        if kept or not amounts:
            return kept or named, [c for c in others if c in amounts]
        dated = [c for c in amounts if grid.head(r, c).years & self.asked.years]
        return dated, [c for c in amounts if c not in dated]

    def _sets(self, t: int, *, loose: bool) -> Iterator[list[Term]]:
        """Terms that the question may sum or average: along a row, and down a column."""
        grid, meant = self.asked.grid(t), self.bare.meant(t)
        rows = meant.named + (meant.others if loose else [])
        for r in rows:
            named, others = self.asked.columns(t, r)
            yield self._terms(t, [(r, c) for c in named])
            for columns in self._one_a_year(t, r, named):
                yield self._terms(t, [(r, c) for c in columns])
            yield self._terms(t, [(r, c) for c in grid.measures])
            yield self._terms(t, [(r, c) for c in grid.measures if grid.head(r, c).years])
            for size in range(2, len(grid.measures)) if loose and len(grid.measures) <= MAX_LINE else ():
                for start in range(len(grid.measures) - size + 1):
                    yield self._terms(t, [(r, c) for c in grid.measures[start : start + size]])
            yield self._terms(t, [(r, c) for c in grid.measures if "total" not in grid.head(r, c).words])
        sets = list(self._down(t, rows))
        for c in grid.measures:
            for down in sets:
                named, _ = self.asked.columns(t, down[0])
                if loose or not named or c in named:
                    yield self._terms(t, [(r, c) for r in down])

    def _one_a_year(self, t: int, r: int, named: list[int]) -> Iterator[tuple[int, ...]]:
        """For each year of the question one of the columns that stand for it."""
        grid = self.asked.grid(t)
        by_year = [[c for c in named if year in grid.head(r, c).years] for year in sorted(self.asked.years)]
        by_year = [columns for columns in by_year if columns]
        if len(by_year) > 1 and any(len(columns) > 1 for columns in by_year):
            yield from islice((line for line in product(*by_year) if len(set(line)) == len(line)), 16)

    def _down(self, t: int, rows: list[int]) -> Iterator[list[int]]:
        """Rows that the question may sum: those named, those of a section, all but totals."""
        grid = self.asked.grid(t)
        if len(rows) > 1:
            yield sorted(rows)
            dated = [r for r in rows if grid.rows[r].years & self.asked.years]
            if 1 < len(dated) < len(rows):
                yield dated
            for pair in combinations(sorted(rows[:MAX_PAIRED]), 2):
                yield list(pair)
        alike: dict[frozenset[str], list[int]] = {}
        for r in rows:
            alike.setdefault(grid.rows[r].words, []).append(r)
        for same in alike.values():
            for size in range(2, len(same) if len(same) <= 6 else 3):
                yield from map(list, combinations(same, size))
        for section in dict.fromkeys(grid.sections.values()):
            inside = [r for r in grid.rows if grid.sections[r] == section]
            plain = [r for r in inside if not grid.total(r)]
            if 1 < len(plain) <= MAX_SUMMED:
                yield plain
        plain = [r for r in grid.rows if not grid.total(r)]
        if 1 < len(plain) <= MAX_SUMMED:
            yield plain

    # -- two terms ---------------------------------------------------------------------------------------------------

    def _pairs(self, line: list[Term], owners: Sequence[int] = ()) -> Derivation | None:
        """Two terms of a line, one of them at least in a row of *owners* where there are any."""
        self.evidence.spend(len(line) * len(line))
        for x, y in combinations(line, 2):
            if owners and x.cells[0][1] not in owners and y.cells[0][1] not in owners:
                continue
            kind = self._two(x, y)
            if kind:
                return Derivation(kind, f"{_PHRASES[kind]} {x.label} and {y.label}", x.cells + y.cells)
        return None

    def _two(self, x: Term, y: Term) -> str:
        """The kind by which two terms give the figure; "" when none does."""
        if x.when < y.when:
            x, y = y, x
        ordered = 0 < y.when < x.when
        if "difference" in self.kinds:
            gap = abs(x.value) - abs(y.value) if x.value < 0 and y.value < 0 and not self.figure.signed else x.value - y.value
            alike = x.percent == y.percent and (x.percent or not self.percent)
            if alike and self._moved(gap, self.plain, "", ordered=ordered):
                return "difference"
            if self.percent and self._changed(x.value, y.value, ordered=ordered):
                return "change"
        if self.asked.priced and not self.percent and fits(self.plain, x.value * y.value) and _precise(self.figure, PRODUCT):
            return "product"
        if x.value and y.value and self.kinds & {"share", "ratio"}:
            unit = "ratio" if self.percent else ""
            for ratio in (x.value / y.value, y.value / x.value):
                if fits(self.figure, ratio, unit) or fits(self.figure, abs(ratio), unit):
                    return "share" if self.percent else "ratio"
        return ""

    def _moved(self, gap: float, figure: Figure, unit: str, *, ordered: bool) -> bool:
        """Whether *figure* states a move by *gap*: with its sign, where both dates are known and no fall is asked for."""
        if fits(figure, gap, unit):
            return True
        return not (ordered and self.asked.directed) and fits(figure, -gap, unit)

    def _changed(self, later: float, earlier: float, *, ordered: bool) -> bool:
        """Whether the figure is the relative change between two values."""
        if earlier and self._moved(later / earlier - 1, self.figure, "ratio", ordered=ordered):
            return True
        if earlier < 0 and self._moved((later - earlier) / -earlier, self.figure, "ratio", ordered=ordered):
            return True
        return not ordered and bool(later) and fits(self.figure, earlier / later - 1, "ratio")

    # -- many terms --------------------------------------------------------------------------------------------------

    def _set(self, line: list[Term]) -> Derivation | None:
        """The sum or the mean of a line, or of its largest."""
        if len(line) < 2:
            return None
        found = self._added(line)
        if not found and self.asked.top and len(line) > 2:
            numbers = [int(f.readings[0].value) for f in self.asked.figures() if not f.unit]
            for count in [n for n in numbers if 1 < n < len(line)]:
                ranked = sorted(line, key=lambda term: term.value)
                found = found or self._added(ranked[-count:]) or self._added(ranked[:count])
        return found

    def _added(self, line: list[Term]) -> Derivation | None:
        self.evidence.spend(len(line))
        total = sum(term.value for term in line)
        percent = all(term.percent for term in line)
        if self.percent and not percent:
            return None
        cells = tuple(cell for term in line for cell in term.cells)
        some = f"{line[0].label} and {len(line) - 1} more"
        for kind, value in (("average", total / len(line)), ("sum", total)):
            if kind in self.kinds and (fits(self.plain, value) or fits(self.plain, -value)):
                return Derivation(kind, f"the {'mean' if kind == 'average' else 'sum'} of {some}", cells)
        return None

    # -- two steps -----------------------------------------------------------------------------------------------------

    def _nested(self, t: int) -> Derivation | None:
        """Two named rows and two columns: the change of their sum, of their share; the mean step along one row."""
        grid, meant = self.asked.grid(t), self.bare.meant(t)
        rows = (meant.named + meant.others)[:5]
        for r in rows[:3]:
            named, others = self.asked.columns(t, r)
            line = self._terms(t, [(r, c) for c in (named if len(named) > 2 else named + others)[:MAX_LINE]])
            found = self._steps(line) or self._of_whole(line)
            if found:
                return found
        if len(rows) < 2:
            return None
        named, others = self.asked.columns(t, rows[0])
        columns = (named if len(named) > 1 else named + others)[:6]
        found = self._parts(t, rows, columns)
        if found:
            return found
        for a, b in combinations(rows, 2):
            for c, d in combinations(columns, 2):
                square = self._terms(t, [(a, c), (b, c), (a, d), (b, d)])
                if len(square) == 4 and (found := self._square(square)):
                    return found
        return None

    def _parts(self, t: int, rows: list[int], columns: list[int]) -> Derivation | None:
        """Two named rows together, as a share of a third or of the total."""
        if not self.kinds & {"ratio"}:
            return None
        grid = self.asked.grid(t)
        wholes = list(dict.fromkeys([*rows, *sorted(grid.totals)[:4]]))
        for c in columns:
            for whole in wholes:
                parts = [r for r in rows if r != whole]
                for a, b in combinations(parts, 2):
                    three = self._terms(t, [(a, c), (b, c), (whole, c)])
                    if len(three) < 3 or not three[2].value:
                        continue
                    ratio = (three[0].value + three[1].value) / three[2].value
                    if fits(self.figure, ratio, "ratio" if self.percent else ""):
                        cells = tuple(cell for term in three for cell in term.cells)
                        return Derivation(
                            "share", f"{three[0].label} and {three[1].label} as a share of {three[2].label}", cells
                        )
        return None

    def _of_whole(self, line: list[Term]) -> Derivation | None:
        """Two neighbours of a line together, as a share of its largest."""
        whole = max(line, key=lambda term: abs(term.value), default=None)
        if whole is None or not whole.value or "ratio" not in self.kinds:
            return None
        parts = [term for term in line if term is not whole]
        for a, b in pairwise(parts):
            if fits(self.figure, (a.value + b.value) / whole.value, "ratio" if self.percent else ""):
                label = f"{a.label} and {b.label} as a share of {whole.label}"
                return Derivation("share", label, a.cells + b.cells + whole.cells)
        return None

    def _steps(self, line: list[Term]) -> Derivation | None:
        """The mean change along a line of periods, or the difference of two neighbouring means."""
        line = sorted(line, key=lambda term: term.when)
        if len(line) < 3 or not {"average", "difference"} <= self.kinds:
            return None
        cells = tuple(cell for term in line for cell in term.cells)
        first, last = line[0].value, line[-1].value
        self.evidence.spend(len(line))
        if fits(self.plain, (last - first) / (len(line) - 1)):
            return Derivation("average", f"the mean change from {line[0].label} to {line[-1].label}", cells)
        for a, _, b in zip(line, line[1:], line[2:], strict=False):
            gap = (b.value - a.value) / 2
            if fits(self.plain, gap) or fits(self.plain, -gap):
                return Derivation("difference", f"the difference of two means from {a.label} to {b.label}", cells)
        return None

    def _square(self, square: list[Term]) -> Derivation | None:
        """The change of a sum, or of a share, between two columns."""
        (a, b, c, d) = (term.value for term in square)
        ordered = square[0].when and square[2].when and square[0].when != square[2].when
        if ordered and square[0].when < square[2].when:
            a, b, c, d = c, d, a, b
        self.evidence.spend(2)
        cells = tuple(cell for term in square for cell in term.cells)
        names = f"{square[0].label}, {square[1].label} and the two beside them"
        if "difference" in self.kinds:
            if self.percent and self._changed(a + b, c + d, ordered=bool(ordered)):
                return Derivation("change", f"the change of the sum of {names}", cells)
            if self.kinds & {"share", "ratio"} and b and d:
                gap = a / b - c / d
                inverse = b / a - d / c if a and c else gap
                for value in (gap, -gap, inverse, -inverse):
                    if fits(self.figure, value, "ratio" if self.percent else ""):
                        return Derivation("difference", f"the difference of the ratios of {names}", cells)
            if "average" in self.kinds and not self.percent and fits(self.plain, (abs(a - b) + abs(c - d)) / 2):
                return Derivation("average", f"the mean difference of {names}", cells)
            if "sum" in self.kinds and not self.percent and self._moved(a + b - c - d, self.plain, "", ordered=False):
                return Derivation("difference", f"the difference of the sums of {names}", cells)
        return None

    # -- texts ---------------------------------------------------------------------------------------------------------

    def _in_texts(self, *, loose: bool) -> Derivation | None:
        lines = [
            [Term(f.readings[0].value, f.text, (), f.unit == units.PERCENT) for f in passage]
            for passage in self.bare.passages.lines(loose=loose)
        ]
        for line in lines:
            found = self._pairs(line[:MAX_LINE]) or self._runs(line[:MAX_LINE])
            if found:
                return found
        terms = [term for line in lines[:1] for term in line][:8]
        for t in self.bare.tables() if terms and self.kinds & {"ratio", "share", "difference", "sum"} else ():
            found = self._mixed(t, terms)
            if found:
                return found
        return None

    def _runs(self, line: list[Term]) -> Derivation | None:
        """The sum or mean of figures that stand beside each other in a text."""
        if not self.kinds & {"sum", "average"}:
            return None
        for size in range(2, min(len(line), 6) + 1):
            for start in range(len(line) - size + 1):
                found = self._added(line[start : start + size])
                if found:
                    return found
        return None

    def _mixed(self, t: int, terms: list[Term]) -> Derivation | None:
        """A figure of a text with a named cell, in the magnitude that the table's headings declare."""
        scales = {1.0, *self.evidence.scales}
        for r in self.bare.meant(t).named[:4]:
            named, others = self._in_unit(t, r)
            for cell in self._terms(t, [(r, c) for c in (named or others)[:6]]):
                for term in terms:
                    for scale in scales:
                        found = self._pairs([term._replace(value=term.value / scale), cell])
                        if found and abs(term.value) >= scale:
                            return found
        return None


_PHRASES = {
    "difference": "the difference of",
    "change": "the change between",
    "product": "the product of",
    "share": "the share of",
    "ratio": "the ratio of",
}


def _precise(figure: Figure, part: float = PRECISE) -> bool:
    """Whether half of the last digit written is at most *part* of the value."""
    value, half = figure.readings[0]
    return half <= abs(value) * part


def bare_answer(answer: str, figures: Sequence[Figure]) -> bool:
    """Whether an answer says little more than its figures, so that the question must say what they are."""
    if not figures:
        return False
    left = answer
    for figure in reversed(figures):
        left = left[: figure.start] + " " + left[figure.end :]
    own = [word for word in announce.words(left) if len(word) > 2 and word not in _SAYS_NOTHING]
    return len(own) <= 1 and not announce.announced(" ".join(own))


_SAYS_NOTHING = frozenset("and the about around million millions thousand thousands billion billions und oder etwa circa environ".split())
