"""
Rates of something per something: litres per cow, je Mitarbeiter, per 1,000 connections.

The words name what is counted below the line, in the figure's sentence, before its list, or in the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from monitor.checks.grounded.context.naming import Naming
from monitor.checks.grounded.context.owner import FEW, owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.derivations.operands import Columns, Position, is_key
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.evidence.labels import column_label, row_label
from monitor.checks.grounded.match import fits
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import tokens

MAX_TABLES = 10
_PER = re.compile(
    r"\b(?:per|pro|je|par|por|each|every|for every|av|na)\s(?:(\d[\d.,  ]{0,11}\d|\d|hundred|hundert|cent|cien|honderd|"
    r"thousand|tausend|mille|mil|duizend|tusen|million|millionen?|millón)\s)?(?:de\s|d['’])?([^\W\d_]{2,30})",
    re.IGNORECASE,
)
_EAST = re.compile(r"[每均]([\u3040-\u9fff]{1,4})|([\u3040-\u9fff]{1,6})(?:あたり|当たり)")
_ARABIC = re.compile(r"\b(?:لكل\s|لل)([^\W\d_]{2,30})")
_SCALES = {
    **dict.fromkeys(["hundred", "hundert", "cent", "cien", "honderd"], 100.0),
    **dict.fromkeys(["thousand", "tausend", "mille", "mil", "duizend", "tusen"], 1e3),
    **dict.fromkeys(["million", "millionen", "millón"], 1e6),
}
_NO_RATE = frozenset(["cent", "centage"])


class Rates:
    """Looks for figures of one answer that set one column against another."""

    def __init__(self, columns: Columns, naming: Naming, question: str) -> None:
        self.columns, self.naming, self.question = columns, naming, question
        self.evidence: Evidence = columns.evidence

    def explain(self, view: View) -> Derivation | None:
        """The two columns whose ratio the figure is, for the row that owns it, else for all rows; None where no words say so."""
        for words, scale in self._per(view):
            for t in range(min(len(self.evidence.tables), MAX_TABLES)):
                below = self.naming.phrases(t).named(words)
                found = self._in_table(view, t, below, scale) if below else None
                if found:
                    return found
        return None

    def told(self, view: View) -> bool:
        """Whether the words near the figure set something per something."""
        return any(True for _ in self._per(view))

    def _per(self, view: View) -> Iterator[tuple[list[str], float]]:
        """(the stemmed words of what a rate is per, how many of it) that the words near the figure speak of."""
        texts = [view.sentence.text, *(s.text for s in (view.back, view.head) if s), self.question[:500]]
        unit = view.figure.unit.partition("/")[2]
        if unit:
            yield tokens(unit), 1.0
        for text in texts:
            for found in _PER.finditer(text):
                if found[2].lower() not in _NO_RATE:
                    yield tokens(found[2]), _how_many(found[1] or "")
            for found in _ARABIC.finditer(text):
                yield tokens(found[1]), 1.0
            for found in _EAST.finditer(text):
                yield [found[1] or found[2]], 1.0

    def _in_table(self, view: View, t: int, below: set[int], scale: float) -> Derivation | None:
        table = self.evidence.tables[t]
        plain = view.figure._replace(unit=view.figure.unit.partition("/")[0])
        rows = sorted(owner(view, t).rows or view.named(t).rows)[:FEW]
        for b in sorted(below):
            for a in range(len(table.columns)):
                if a == b or is_key(table.columns[a]) or not self.evidence.column(t, a):
                    continue
                label = f"{column_label(table, a)} per {column_label(table, b)}"
                for x, y, whose, cells in self._values(t, a, b, rows):
                    self.evidence.spend(1)
                    if y and _states(plain, x / y * scale, table.units[a].unit):
                        return Derivation("ratio", f"{whose} {label}", cells)
        return None

    def _values(
        self, t: int, a: int, b: int, rows: list[int]
    ) -> Iterator[tuple[float, float, str, tuple[Position, ...]]]:
        """(numerator, denominator, whose, cells) of the named rows and of all."""
        above, below = dict(self.evidence.column(t, a)), dict(self.evidence.column(t, b))
        for row in rows:
            if row in above and row in below:
                yield above[row], below[row], f"{row_label(self.evidence, t, row)}'s", ((t, row, a), (t, row, b))
        adding = self.columns.additive(t, a) and self.columns.additive(t, b) and not self.columns.cut(t)
        if adding and len(above) > 1:
            both = [row for row in above if row in below]
            yield (
                sum(above[row] for row in both),
                sum(below[row] for row in both),
                "the overall",
                ((t, both[0], a), (t, both[0], b)) if both else (),
            )


def _how_many(text: str) -> float:
    known = _SCALES.get(text.lower())
    if known:
        return known
    digits = re.sub(r"\D", "", text)
    return float(digits) if digits and len(digits) <= 9 else 1.0


def _states(figure: Figure, value: float, unit: str) -> bool:
    return fits(figure, value, unit) or (bool(unit) and fits(figure._replace(unit=""), value) and not figure.unit)
