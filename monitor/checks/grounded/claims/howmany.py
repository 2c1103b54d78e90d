"""
Counts that a question asks for: how many periods or rows of what it names meet its condition, how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from monitor.checks.grounded.context.asked import Asked, Meant
from monitor.checks.grounded.derivations.operands import CITED, Position
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import clean, row_label
from monitor.checks.grounded.text.figures import Figure

MOST = 100
"""A larger number is not counted by hand."""
NEAR = 10
"""A limit is written in the magnitude of what it limits: within so many times its range."""


class Counted(NamedTuple):
    """What is counted, for people, and its cells."""

    phrase: str
    cells: tuple[Position, ...] = ()


class HowMany:
    """Looks for what the figures of a bare answer count."""

    def __init__(self, asked: Asked, evidence: Evidence) -> None:
        self.asked, self.evidence = asked, evidence
        self._limits = [f for f in asked.figures() if f.readings[0].value >= 0]

    def count(self, figure: Figure, t: int, meant: Meant) -> Counted | None:
        """What *figure* counts in table *t*; None when it counts nothing that the question names."""
        value = figure.readings[0].value
        if (
            not self.asked.counts
            or figure.unit
            or figure.factor != 1.0
            or value != int(value)
            or not 0 <= value <= MOST
        ):
            return None
        side = self.asked.side()
        if side and self._limits:
            return self._meeting(int(value), side, t, meant)
        return self._listed(int(value), t)

    def _meeting(self, value: int, side: int, t: int, meant: Meant) -> Counted | None:
        """So many cells of a line on one side of the question's limit."""
        for name, places in self._lines(t, meant):
            if not places:
                continue
            for limit in self._limits:
                for edge in self._edges(limit, [number for _, number in places]):
                    met = [place for place, number in places if (number > edge if side > 0 else number < edge)]
                    if len(met) == value:
                        return Counted(
                            f"{value} of {name} are {'above' if side > 0 else 'below'} {limit.text}", tuple(met[:CITED])
                        )
        return None

    def _edges(self, limit: Figure, numbers: list[float]) -> list[float]:
        """The limit in the magnitudes that *numbers* may be written in: those that come near them, where some do."""
        edge = limit.readings[0].value
        edges = [edge, edge / limit.factor] if limit.factor != 1.0 else [edge]
        if limit.factor == 1.0:
            edges += [edge / scale for scale in self.evidence.scales if scale < edge]
        low, high = min(map(abs, numbers)) / NEAR, max(map(abs, numbers)) * NEAR
        return [edge for edge in edges if low <= edge <= high] or edges

    def _lines(self, t: int, meant: Meant) -> Iterator[tuple[str, list[tuple[Position, float]]]]:
        """Along the named rows, and down the named columns."""
        grid = self.asked.grid(t)
        self.evidence.spend(len(grid.rows) * len(grid.measures))
        for r in meant.named[:4]:
            named, others = self.asked.columns(t, r)
            for columns in (named, sorted(named + others)):
                if len(columns) > 1:
                    yield row_label(self.evidence, t, r), self._numbers(t, [(r, c) for c in columns])
        rows = [r for r in grid.rows if not grid.total(r)]
        some = [r for r in rows if grid.rows[r].above & self.asked.words]
        dated = [r for r in rows if grid.rows[r].years & self.asked.years]
        for c in self.asked.columns(t, rows[0])[0] if rows else ():
            for chosen in (meant.named, dated, some, rows):
                if len(chosen) > 1:
                    yield "the rows", self._numbers(t, [(r, c) for r in chosen])

    def _numbers(self, t: int, places: list[tuple[int, int]]) -> list[tuple[Position, float]]:
        return [((t, r, c), v) for r, c in places if (v := self.evidence.value(Cell(t, r, c))) is not None]

    def _listed(self, value: int, t: int) -> Counted | None:
        """So many rows stand under a heading that the question names, or in the whole table; or so many columns."""
        grid = self.asked.grid(t)
        table = self.evidence.tables[t]
        for section in dict.fromkeys(grid.sections.values()):
            inside = [r for r in grid.rows if grid.sections[r] == section and not grid.total(r)]
            titled = section < 0 or not grid.rows[inside[0]].above.isdisjoint(self.asked.words) if inside else False
            if titled and len(inside) == value:
                name = clean(grid.title(section)) if section >= 0 else clean(table.name)
                return Counted(f"{value} rows stand under {name}")
        if value == sum(not grid.total(r) for r in grid.rows):
            return Counted(f"{clean(table.name)} has {value} rows")
        heads = [grid.head(next(iter(grid.rows), 0), c).words for c in grid.measures]
        if value == sum("total" not in words for words in heads):
            return Counted(f"{clean(table.name)} has {value} columns with numbers")
        return None
