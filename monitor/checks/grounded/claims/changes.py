"""
Changes to a value: what rose to 36 % must have been lower in the period before, and what fell to it higher.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from monitor.checks.grounded import match
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.headings import period_order
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import is_, is_total, place
from monitor.checks.grounded.messages import source_of
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text.names import telling_words

LOOK = 60
MAX_ROWS = 2_000
MAX_COLUMNS = 60
MAX_CANDIDATES = 40
_RISES = (
    r"rose|rises|risen|rising|increas(?:ed|es|ing)|grew|grows|grown|growing|climb(?:ed|s|ing)|went up|jump(?:ed|s|ing)|soar(?:ed|s)|"
    r"stieg(?:en)?|steigt|gestiegen|kletterte|wuchs|wächst|erhöhte sich|sprang|"
    r"(?:a |ont )?(?:augment\w+|progress\w+|grimp\w+|mont(?:é|ée|e))|"
    r"subi(?:ó|eron)|sube|aument(?:ó|aron|a)|creci(?:ó|eron)|crece|"
    r"steeg|stijgt|gestegen|groeide|groeit|nam(?:en)? toe|klom"
)
_FALLS = (
    r"fell|falls|fallen|falling|decreas(?:ed|es|ing)|declin(?:ed|es|ing)|drop(?:ped|s|ping)|went down|slip(?:ped|s)|shrank|sank|dipped|"
    r"fiel(?:en)?|fällt|gefallen|sank(?:en)?|sinkt|gesunken|verringerte sich|ging(?:en)? zurück|schrumpfte|"
    r"(?:a |ont |est |sont )?(?:baiss\w+|diminu\w+|recul\w+|chut\w+|tomb(?:é|ée|és|ées|e))|"
    r"baj(?:ó|aron|a)|cay(?:ó|eron)|cae|descend(?:ió|ieron)|disminuy(?:ó|eron)|"
    r"daalde(?:n)?|daalt|gedaald|zakte|zakt|nam(?:en)? af|kromp"
)
_TO = r"to|auf|à|a|hasta|naar|tot"
_ROUGHLY = r"about|around|roughly|only|just|nearly|almost|over|rund|etwa|knapp|environ|près de|casi|unos|bijna|ongeveer"
_END = rf"(?:{_TO})\s(?:(?:{_ROUGHLY})\s)?[$€£(~]{{0,2}}$"
_CHANGE = re.compile(
    rf"\b(?:(?P<rise>{_RISES})|(?P<fall>{_FALLS}))\s(?:(?:back|further|again|slightly|sharply|steadily|weiter|wieder|leicht|encore|légèrement|"
    rf"ligeramente|verder|licht|un peu)\s){{0,2}}(?P<from>(?:from|von|de|desde|van)\s[^;()\n]{{1,24}}?\s)?{_END}"
)
_ENDS, NEAR = re.compile(rf"\b{_END}"), 24
"""How what may be a change ends, in so many characters before its figure."""
_COMPARED = re.compile(
    r"\b(?:than|versus|vs|compared|plan\w*|budget\w*|target\w*|forecast\w*|average|als|verglichen|gegenüber|prévu\w*|objecti\w+|"
    r"comparad\w+|dan|vergeleken|year[- ]on[- ]year|year[- ]over[- ]year|yoy|annual\w*|Vorjahr\w*|interannuel\w*|interanual|jaar[- ]op[- ]jaar|if|would|could|should|will|wenn|würde|si|serait)\b",
    re.IGNORECASE,
)
"""Words by which a change may be one against something else than the period before."""


class Changes:
    """Judges what the figures of one answer are said to have changed to."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def against(self, view: View, bound: Cell) -> Found | None:
        """What stands against the direction in which the value of *bound* is said to have been reached; None where nothing does."""
        text = view.sentence.text
        start = view.figure.start - view.sentence.start
        head = text[max(0, start - LOOK) : start].lower()
        said = _CHANGE.search(head) if _ENDS.search(head[-NEAR:]) else None
        if said is None or view.figure.bound in ("over", "under") or _COMPARED.search(text):
            return None
        rising = said["rise"] is not None
        if said["from"]:
            return self._from(view, bound, rising=rising)
        worst: Found | None = None
        for cell in self._candidates(view, bound):
            before = list(self._before(view, cell))
            if not before:
                later = self._after(cell)
                if later is None or self._named(view, cell):
                    return None
                worst = worst or self._first(cell, later)
                continue
            value = self.evidence.value(cell) or 0.0
            if any(value == old or (value > old) is rising for _, old in before):
                return None
            worst = worst or self._denied(cell, before[0][0])
        return worst

    def _from(self, view: View, bound: Cell, *, rising: bool) -> Found | None:
        """Against a change between two figures that the sentence gives (``rose from 12 to 9``)."""
        before = [f for f in view.sentence.figures() if f.end <= view.figure.start and f.readings and not f.year]
        old = before[-1] if before else None
        if old is None or old.unit not in (view.figure.unit, "") or view.figure.start - old.end > 16:
            return None
        a, b = old.readings[0].value, view.figure.readings[0].value
        if a == b or (b > a) is rising:
            return None
        said = "less" if rising else "more"
        return Found(source_of(self.evidence, bound), f"{view.figure.text} is {said} than {old.text}", "direction")

    # -- cells -------------------------------------------------------------------------------------------------------

    def _candidates(self, view: View, bound: Cell) -> Iterator[Cell]:
        """*bound*, and the other cells that the figure may state."""
        yield bound
        found = match.candidates(view.figure, self.evidence, turned=False, raw=False)
        for (cell, _), _ in zip(found, range(MAX_CANDIDATES), strict=False):
            if cell != bound:
                yield cell

    def _before(self, view: View, cell: Cell) -> Iterator[tuple[Cell, float]]:
        """(cell, value) of what *cell* may have changed from: the periods named, the one right before, the first one."""
        columns = self._columns(cell)
        if columns:
            yield from ((c, v) for c, v, order in columns if order < 0)
            return
        rows = [(order, c, v) for order, c, v in self._rows(cell) if order < self._order(cell)]
        if not rows:
            return
        rows.sort(key=lambda found: found[0])
        yield rows[-1][1:]
        yield rows[0][1:]
        for _, c, v in rows:
            if self._named(view, c):
                yield c, v

    def _after(self, cell: Cell) -> Cell | None:
        """The value of the period after *cell*'s; None where there is none."""
        for c, _, order in self._columns(cell):
            if order > 0:
                return c
        later = sorted((order, c) for order, c, _ in self._rows(cell) if order > self._order(cell))
        return later[0][1] if later else None

    def _order(self, cell: Cell) -> tuple[int, ...]:
        moment = self.evidence.dated(cell.table).get(cell.row)
        return tuple(moment.order) if moment is not None else ()

    def _rows(self, cell: Cell) -> Iterator[tuple[tuple[int, ...], Cell, float]]:
        """(order, cell, value) of the other periods of the same thing: rows whose other names are those of *cell*'s row."""
        dated = self.evidence.dated(cell.table)
        table = self.evidence.tables[cell.table]
        own_moment = dated.get(cell.row)
        if own_moment is None or own_moment.minute is not None or len(table.rows) > MAX_ROWS:
            return
        self.evidence.spend(len(dated))
        own = self._names(cell)
        for row, moment in dated.items():
            other = cell._replace(row=row)
            value = self.evidence.value(other)
            if row == cell.row or value is None or is_total(self.evidence, cell.table, row):
                continue
            if self._names(other) == own:
                yield tuple(moment.order), other, value

    def _names(self, cell: Cell) -> tuple[object, ...]:
        """The texts of a row that are no dates, left of its first number."""
        first = self.evidence.first_measure(cell.table)
        cells = [Cell(cell.table, cell.row, c) for c in range(min(first, 6))]
        return tuple(self.evidence.raw(each) for each in cells if self.evidence.moment_at(each) is None)

    def _columns(self, cell: Cell) -> list[tuple[Cell, float, int]]:
        """(cell, value, -1 before or 1 after) of the columns that hold the same of other periods."""
        names = self.evidence.tables[cell.table].columns[:MAX_COLUMNS]
        if cell.column >= len(names):
            return []
        own = _measure(names[cell.column])
        out = []
        for c, name in enumerate(names):
            order = period_order(self.evidence.tables[cell.table], c, cell.column) if c != cell.column else 0
            other = cell._replace(column=c)
            value = self.evidence.value(other) if order else None
            if value is not None and _measure(name) == own:
                out.append((other, value, order))
        return out

    def _named(self, view: View, cell: Cell) -> bool:
        """Whether the sentence, or the one before it, names the period of *cell*."""
        mentions = view.sentence.mentions() + (view.back.mentions() if view.back else [])
        return any(
            m.period and any(c.table == cell.table and c.row == cell.row for c in m.cells[:200]) for m in mentions
        )

    # -- words -------------------------------------------------------------------------------------------------------

    def _denied(self, cell: Cell, before: Cell) -> Found:
        return Found(source_of(self.evidence, cell), f"before it {is_(self.evidence, before)}", "direction")

    def _first(self, cell: Cell, later: Cell) -> Found:
        return Found(
            source_of(self.evidence, cell),
            f"that is {place(self.evidence, cell)}; after it {is_(self.evidence, later)}",
            "wrong_period",
        )


def _measure(name: str) -> frozenset[str]:
    """The words of a column's name without those of its period."""
    return frozenset(
        word for word in telling_words(name) if not any(char.isdigit() for char in word) and word not in _PERIODS
    )


_PERIODS = frozenset(
    "prev previou prior last current curren fy year month week quarte before now vorjah vormon".split()
)
