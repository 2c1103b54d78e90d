"""
Arithmetic of prices and payments: N times a price, what is left of an amount, the sum over what an answer lists.

The operands are what the user said, what the answer states and is grounded, and cells that hold amounts; words such as
"total", "per", "remaining" or "difference" must announce the arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.arithmetic import TOTALS_REACH, Stated, found
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import place
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import column_words, stem, words_in

LISTED = 4
"""So many names, and values a name, are added at most."""
MOST = 20
"""Prices are taken so many times at most."""
ALONE = 60
"""Characters of a text that says no more than one amount."""
FEW = 9
"""So many times at most where no number is told."""
_AMOUNTS = frozenset(
    stem(word)
    for word in "price prices cost costs fare fares amount amounts fee fees charge charges payment payments paid balance refund "
    "credit total value preis kosten betrag prix montant precio importe prijs bedrag".split()
)
_PAYS = re.compile(r"\b(?:payments?|cards?|certificates?|vouchers?|cash)\b", re.IGNORECASE)
_EACH = re.compile(r"\s?(?:per|each|apiece|a piece|/|a\s\w|pro|je|chacun|par|cada|por|elk)\b", re.IGNORECASE)


class Operand(NamedTuple):
    """An amount to calculate with, and what people call it."""

    value: float
    label: str


class Amounts:
    """Looks for figures of one answer that are amounts calculated from others."""

    def __init__(self, answer: str, evidence: Evidence, figures: list[Figure], mentions: list[Mention]) -> None:
        self.answer, self.evidence, self.figures, self.mentions = answer, evidence, figures, mentions
        self._asked: list[Figure] | None = None

    def explain(self, view: View, stated: list[Stated], question: str) -> Found | None:
        """How the amount of *view* follows; None when it does not, or is no amount."""
        figure = view.figure
        if figure.word or figure.year or figure.unit in (units.PERCENT, units.TIMES, "ratio", units.POINTS):
            return None
        if not figure.readings[0].value:
            return None
        if not units.is_money(figure.unit) and (figure.unit or abs(figure.readings[0].value) < 100):
            return None
        self.evidence.spend(20 + len(stated))
        near = [
            Operand(s.figure.readings[0].value, s.figure.text)
            for s in stated[-60:]
            if abs(s.figure.start - figure.start) < TOTALS_REACH
            and s.figure.unit in (figure.unit, "")
            and not s.figure.year
        ]
        text = f"{view.back.text} {view.sentence.text}" if view.back else view.sentence.text
        return (
            self._times(view, stated, text)
            or self._apart(figure, near, announce.leaves_rest(text), announce.leaves_rest(question))
            or self._listed(figure, text)
            or self._split(figure, stated, text)
        )

    def asked(self) -> list[Figure]:
        """The figures of the user's own questions."""
        if self._asked is None:
            sources = [source for source in self.evidence.sources if source.kind == "question"]
            self._asked = [f for source in sources[:20] for f in source.figures()[:40] if f.readings and not f.year]
        return self._asked

    def _cells(self, figure: Figure, value: float, many: int = 1) -> Iterator[Cell]:
        """The cells that hold the amount *value*, at the precision of *figure*, which is *many* of them; also a tool's only value."""
        half = min(figure.readings[0].half, 0.5) / many + 1e-9
        for cell in self.evidence.between(value - half, value + half)[:50]:
            unit = self.evidence.unit(cell)
            table = self.evidence.tables[cell.table]
            name = table.columns[cell.column]
            single = not table.is_result and len(table.rows) == len(table.columns) == 1
            if (units.is_money(unit) and unit == figure.unit) or (
                not unit and (single or not _AMOUNTS.isdisjoint(column_words(name)))
            ):
                yield cell

    # -- N times a price -----------------------------------------------------------------------------------------------

    def _times(self, view: View, stated: list[Stated], text: str) -> Found | None:
        figure = view.figure
        start, end = view.back.start if view.back else view.sentence.start, view.sentence.end
        here = [f for f in self.figures if start <= f.start < end and f.readings]
        prices = [f for f in here if f.unit == figure.unit and f.start != figure.start and _is_each(f, view)]
        if not prices and not announce.announced(text) & {"sum", "product"}:
            return None
        counts = _counts(here, figure) | _counts(self.asked(), figure)
        grounded = {s.figure.start for s in stated}
        for many, label in counts.items():
            for price in prices:
                value = price.readings[0].value * many
                if price.start in grounded and match.fits(figure, value, figure.unit):
                    return found("product", f"{label} times {price.text}")
            cell = next(self._cells(figure, figure.readings[0].value / many, many), None)
            if cell is not None:
                return found("product", f"{label} times {place(self.evidence, cell)}")
        return self._any_times(
            view, [price for price in prices if price.start in grounded], told=bool(_counts(here, figure))
        )

    def _any_times(self, view: View, prices: list[Figure], *, told: bool) -> Found | None:
        """A small multiple of a price that is stated for one, or stands in the row named where no count is *told*."""
        figure = view.figure
        for price in prices:
            many = figure.readings[0].value / price.readings[0].value if price.readings[0].value else 0
            counted = self._counted(_each_of(price, view))
            if 2 <= many <= FEW and many == int(many) and (not counted or int(many) in counted):
                return found("product", f"{int(many)} times {price.text}")
        for many in range(2, FEW + 1) if not told else ():
            for cell in self._cells(figure, figure.readings[0].value / many, many):
                if cell.row in view.named(cell.table).rows:
                    return found("product", f"{many} times {place(self.evidence, cell)}")
        return None

    def _counted(self, noun: str) -> set[int]:
        """The whole numbers that the questions and the answer put before *noun*."""
        texts = [(source.text, source.figures()) for source in self.evidence.sources if source.kind == "question"]
        out: set[int] = set()
        for text, figures in [*texts[:20], (self.answer, self.figures)]:
            for figure in figures if noun else ():
                if figure.readings and not figure.unit and noun in words_in(text[figure.end : figure.end + 30])[:2]:
                    out.add(int(figure.readings[0].value))
        return out

    # -- what is left --------------------------------------------------------------------------------------------------

    def _apart(self, figure: Figure, near: list[Operand], said: bool, asked: bool) -> Found | None:
        """The difference of two amounts: both stated, or one of them in a cell where the sentence itself says so."""
        if not (said or asked):
            return None
        known = near + [
            Operand(f.readings[0].value, f.text)
            for f in self.asked()[:40]
            if f.unit in (figure.unit, "") and not f.word
        ]
        bare = figure._replace(unit="")
        for index, x in enumerate(known):
            for y in known[index + 1 :]:
                if x.value != y.value and match.fits(bare, abs(x.value - y.value)):
                    return found("difference", f"the difference of {x.label} and {y.label}")
        value = figure.readings[0].value
        if not said or abs(value) < 20:
            return None
        for x in known[:40]:
            for other in (x.value + value, x.value - value):
                cell = next(self._cells(figure, other), None) if other > 0 else None
                if cell is not None:
                    return found("difference", f"the difference of {place(self.evidence, cell)} and {x.label}")
        return None

    def _split(self, figure: Figure, stated: list[Stated], text: str) -> Found | None:
        """The last part of a payment in parts: with the parts before it, it makes an amount that is known."""
        if not _PAYS.search(text):
            return None
        parts = [
            s.figure
            for s in stated
            if figure.start - 250 < s.figure.start < figure.start and s.figure.unit == figure.unit
        ]
        total = figure.readings[0].value
        for part in reversed(parts[-3:]):
            total += part.readings[0].value
            cell = next(self._cells(figure, total), None)
            whole = place(self.evidence, cell) if cell is not None else self._alone(total, figure.readings[0].half)
            if whole:
                return found("difference", f"the rest of {whole}, after {part.text}")
        return None

    def _alone(self, value: float, half: float) -> str:
        """The text of a tool that states *value* and nothing else; "" when none does."""
        for source in self.evidence.sources[-60:]:
            figures = source.figures() if source.kind in ("tool", "text") and len(source.text) <= ALONE else ()
            if len(figures) == 1 and figures[0].readings and abs(figures[0].readings[0].value - value) <= half:
                return figures[0].text
        return ""

    # -- what is listed ------------------------------------------------------------------------------------------------

    def _listed(self, figure: Figure, text: str) -> Found | None:
        """The sum of one amount for each name that stands before the figure, where a total is announced."""
        if "sum" not in announce.announced(text):
            return None
        names: dict[str, dict[tuple[int, ...], list[Cell]]] = {}
        for mention in self.mentions:
            if figure.start - TOTALS_REACH < mention.start < figure.start and not mention.period and mention.cells:
                column = self._column(mention.cells[0])
                key = tuple(dict.fromkeys((c.table * 100_003 + c.row) for c in mention.cells[:40]))
                names.setdefault(column, {})[key] = mention.cells[:40]
        for column, rows in names.items():
            if not 1 < len(rows) <= LISTED:
                continue
            values: dict[str, list[set[float]]] = {}
            for cells in rows.values():
                for name, some in self._amounts_of(cells).items():
                    values.setdefault(name, []).append(some)
            for name, sets in values.items():
                if len(sets) == len(rows) and any(match.fits(figure, sum(one)) for one in product(*sets)):
                    return found("sum", f"{name} of the {len(rows)} values of {column} before it")
        return None

    def _amounts_of(self, cells: list[Cell]) -> dict[str, set[float]]:
        """The amounts in the rows of *cells*, by the name of their column."""
        out: dict[str, set[float]] = {}
        for cell in cells:
            columns = self.evidence.tables[cell.table].columns[:40]
            self.evidence.spend(len(columns))
            for index, name in enumerate(columns):
                value = self.evidence.value(cell._replace(column=index))
                if value is not None and not _AMOUNTS.isdisjoint(column_words(name)):
                    known = out.setdefault(name, set())
                    if len(known) < LISTED:
                        known.add(value)
        return out

    def _column(self, cell: Cell) -> str:
        return self.evidence.tables[cell.table].columns[cell.column]


def _is_each(price: Figure, view: View) -> bool:
    """Whether *price* is said of one (``$174 per passenger``)."""
    for sentence in (view.sentence, view.back):
        if sentence and sentence.start <= price.start < sentence.end:
            return "/" in price.unit or _EACH.match(sentence.text, price.end - sentence.start) is not None
    return False


def _each_of(price: Figure, view: View) -> str:
    """The stemmed noun of *$174 per passenger*; "" where none stands there."""
    for sentence in (view.sentence, view.back):
        if sentence and sentence.start <= price.start < sentence.end:
            words = words_in(sentence.text[price.end - sentence.start :][:40])
            return words[1] if len(words) > 1 and words[0] != "each" else ""
    return ""


def _counts(figures: list[Figure], own: Figure) -> dict[int, str]:
    """The whole numbers from 2 to MOST among *figures*, with their text."""
    out: dict[int, str] = {}
    for figure in figures:
        if figure.readings and not figure.unit and not figure.fraction and figure.start != own.start:
            value = figure.readings[0].value
            if 2 <= value <= MOST and value == int(value):
                out.setdefault(int(value), figure.text)
    return out
