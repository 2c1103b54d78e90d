"""
Ranks: numbers in a list's column of places, which hold if the list's own values stand in that order.
"""

from __future__ import annotations

import re

from monitor.checks.grounded import match
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import column_label, row_label
from monitor.checks.grounded.sources import Found

_RANK = re.compile(
    r"\W*(?:rank(?:ing)?|place|position|pos|no|nr|n|#|№|rang|platz|puesto|posición|lugar|plaats|posizione|posto|posição|plats|miejsce|"
    r"順位|順番|排名|名次|الترتيب|المرتبة|स्थान)?\W*",
    re.IGNORECASE,
)
MAX_COLUMNS = 60


class Places:
    """Judges the places that the lines of one answer's tables give to the rows they name."""

    def __init__(self, evidence: Evidence, sentences: list[Sentence]) -> None:
        self.evidence, self.sentences = evidence, sentences
        self._listed: frozenset[tuple[int, int]] | None = None

    def judge(self, view: View) -> tuple[bool, Found] | None:
        """
        (whether it holds, why) for a figure under a heading for places; None for others, or where nothing tells.

        A place holds among all rows or among those listed. Only columns whose value stands in the line count, where there
        are any; rows that are equal share their places.
        """
        figure = view.figure
        if not view.sentence.headings or figure.unit or not figure.text.isdigit() or not _RANK.fullmatch(view.heading):
            return None
        for t, table in enumerate(self.evidence.tables):
            rows = view.named(t).rows
            if len(rows) == 1 and table.is_result and not any(_RANK.fullmatch(name) for name in table.columns):
                found = self._in_table(view, t, min(rows))
                if found:
                    return found
        return None

    def _in_table(self, view: View, t: int, row: int) -> tuple[bool, Found] | None:
        columns = [c for c, _ in self.evidence.numeric(t)][:MAX_COLUMNS]
        shown = [c for c in columns if _stands(view, self.evidence, Cell(t, row, c))]
        name = row_label(self.evidence, t, row)
        for c in shown or columns:
            if view.figure.readings[0].value in self._places(view, t, row, c):
                said = f"{name} is number {view.figure.text} by {column_label(self.evidence.tables[t], c)}"
                return True, Found(self._source(t, row, c), said)
        if len(shown) != 1 or self.evidence.incomplete or not view.heading.strip():
            return None
        places = self._places(view, t, row, shown[0])
        if not places:
            return None
        said = f"{name} is number {min(places)} by {column_label(self.evidence.tables[t], shown[0])}"
        return False, Found(self._source(t, row, shown[0]), said, "wrong_extreme")

    def _source(self, t: int, row: int, c: int) -> dict[str, object]:
        table = self.evidence.tables[t]
        return {
            "kind": "derived",
            "derivation": "rank",
            "cells": [{"table": table.name, "row": row, "column": table.columns[c]}],
        }

    def _places(self, view: View, t: int, row: int, c: int) -> set[int]:
        """The places of a row in a column: counted as the line before it tells, from the highest or from the lowest value."""
        values = self.evidence.by_row(t, c)
        own = values.get(row)
        if own is None:
            return set()
        before = {r for table, r in view.back.rows() if table == t} if view.back and view.back.headings else set()
        last = values.get(min(before)) if len(before) == 1 else None
        out: set[int] = set()
        for among in (values, {r: value for r, value in values.items() if (t, r) in self._rows()}):
            self.evidence.spend(len(among))
            more, less = sum(v > own for v in among.values()), sum(v < own for v in among.values())
            level = len(among) - more - less
            if last is None or last >= own:
                out |= set(range(more + 1, more + level + 1))
            if last is None or last <= own:
                out |= set(range(less + 1, less + level + 1))
        return out

    def _rows(self) -> frozenset[tuple[int, int]]:
        """The rows that the lines of the answer's tables name, as (table, row)."""
        if self._listed is None:
            self._listed = frozenset(place for s in self.sentences if s.headings for place in s.rows())
        return self._listed


def _stands(view: View, evidence: Evidence, cell: Cell) -> bool:
    value = evidence.value(cell)
    others = [f for f in view.sentence.figures() if f is not view.figure]
    unit = evidence.unit(cell) or ("ratio" if match.is_share(evidence, cell) else "")
    return value is not None and any(match.fits(f, value, unit) for f in others)
