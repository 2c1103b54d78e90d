"""
Ranks: numbers in a list's column of places, which hold if the list's own values stand in that order.
"""

from __future__ import annotations

import re

from monitor.checks.grounded import match
from monitor.checks.grounded.index import Cell, Evidence
from monitor.checks.grounded.labels import column_label, row_label
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.sources import Found

_RANK = re.compile(
    r"\W*(?:rank(?:ing)?|place|position|pos|no|nr|n|#|№|rang|platz|puesto|posición|lugar|plaats|posizione|posto|posição|plats|miejsce|"
    r"順位|順番|排名|名次|الترتيب|المرتبة|स्थान)?\W*",
    re.IGNORECASE,
)
MAX_COLUMNS = 60


def rank(view: View, evidence: Evidence) -> Found | None:
    """
    The column in which the row that a table's line names has the place that the figure, under a heading for places, says.

    Only columns whose value stands in the line count, where there are any. Rows that are equal share their places.
    """
    figure = view.figure
    if not view.sentence.headings or figure.unit or not figure.text.isdigit() or not _RANK.fullmatch(view.heading):
        return None
    for t, table in enumerate(evidence.tables):
        rows = view.named(t).rows
        if len(rows) != 1 or not table.is_result:
            continue
        (row,) = rows
        columns = [c for c, _ in evidence.numeric(t)][:MAX_COLUMNS]
        shown = [c for c in columns if _stands(view, evidence, Cell(t, row, c))]
        for c in shown or columns:
            if figure.readings[0].value in _places(evidence, t, row, c):
                source = {"kind": "rank", "table": table.name, "row": row, "column": table.columns[c]}
                return Found(source, f"{row_label(evidence, t, row)} is number {figure.text} by {column_label(table, c)}")
    return None


def _stands(view: View, evidence: Evidence, cell: Cell) -> bool:
    value = evidence.value(cell)
    others = [f for f in view.sentence.figures() if f is not view.figure]
    unit = evidence.unit(cell) or ("ratio" if match.is_share(evidence, cell) else "")
    return value is not None and any(match.fits(f, value, unit) for f in others)


def _places(evidence: Evidence, t: int, row: int, c: int) -> set[int]:
    """The places that a row may be said to have in a column, from the highest value down or from the lowest up."""
    values = evidence.by_row(t, c)
    own = values.get(row)
    if own is None:
        return set()
    evidence.spend(len(values))
    more, less = sum(v > own for v in values.values()), sum(v < own for v in values.values())
    level = len(values) - more - less
    return set(range(more + 1, more + level + 1)) | set(range(less + 1, less + level + 1))
