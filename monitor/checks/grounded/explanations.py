"""
What explains a figure: texts, arguments, counts, and the calculations that its words announce or that are no accident.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from monitor.checks.grounded import match, messages
from monitor.checks.grounded.answer import Answer
from monitor.checks.grounded.claims.bind import Binding
from monitor.checks.grounded.claims.counts import Counts
from monitor.checks.grounded.claims.judgements import Claims
from monitor.checks.grounded.context.limits import sets_limit
from monitor.checks.grounded.context.naming import Naming
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.derive import Derivation, derive
from monitor.checks.grounded.derivations.likely import Likely
from monitor.checks.grounded.derivations.operands import Columns, Operands
from monitor.checks.grounded.derivations.rates import Rates
from monitor.checks.grounded.evidence.index import Cell
from monitor.checks.grounded.evidence.labels import TOTALS
from monitor.checks.grounded.evidence.quantiles import percentile
from monitor.checks.grounded.sources import Found, Sources
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.figures import Reading

FEW = 12
"""A small number is a count rather than a number that some text holds too."""
LEAD = 30
"""Characters before a figure in which it is called a total."""
_ACROSS = re.compile(r"\d\S{0,3}\s(?:[^\W\d_]{1,20}\W{1,4}){0,2}(?:over|über)\s\W{0,3}$", re.IGNORECASE)


class Explanations:
    """Looks for what explains the figures of one answer that no cell, or none that their words mean, gives."""

    def __init__(
        self, answer: Answer, columns: Columns, sources: Sources, counts: Counts, claims: Claims, naming: Naming
    ) -> None:
        self.answer, self.evidence = answer, answer.evidence
        self.columns, self.sources, self.counts, self.claims = columns, sources, counts, claims
        self.rates = Rates(columns, naming, answer.question)
        self.likely = Likely(columns)

    def find(self, view: View, bound: Binding | None) -> Found | None:
        """What explains a figure that stands in no cell its words mean; *bound*: where its value stands else."""
        total = self._total(view, bound) if bound else None
        if total:
            return messages.derived(self.evidence, total)
        if bound and (bound.expected or bound.fault == "coincidence"):
            found = self._instead(view, bound.expected)
            if not found and not bound.expected and view.figure.readings[0].value > 1:
                found = self.counts.count(view, strict=True)
        else:
            found = self._explained(view, strict=bound is not None)
        if not found and (bound is None or bound.fault == "coincidence"):
            found = self.counts.confirms(view)
        if not found and (bound is None or bound.fault in ("wrong_value", "coincidence")):
            found = self.calculated(view)
        if not found and bound and bound.fault in ("wrong_row", "wrong_column") and sets_limit(view.figure):
            found = self.sources.condition(view, strict=False)
        return found

    def calculated(self, view: View) -> Found | None:
        """A rate that the words set per something, or a calculation over the named rows that is hardly an accident."""
        if self.answer.bare is not None:
            return None
        derived = self.rates.explain(view) or self.likely.explain(view)
        return self.derived(derived)

    def derived(self, derived: Derivation | None) -> Found | None:
        return messages.derived(self.evidence, derived) if derived else None

    def meant(self, view: View) -> Found | None:
        """A count, or a text about the same thing: better than a cell of which the words say nothing."""
        value = view.figure.readings[0].value
        if view.figure.unit or value > FEW:
            return self.sources.about(view)
        return self.counts.count(view, strict=True) if value > 1 else None

    def added_up(self, view: View, cell: Cell) -> bool:
        """Whether the words call the figure a total, and name neither the row of *cell* nor its column so."""
        table = self.evidence.tables[cell.table]
        if len(table.rows) < 2:
            return False
        lead = view.sentence.text[: view.figure.start - view.sentence.start][-LEAD:].lower()
        if not ("tot" in lead or "sum" in lead or "gesamt" in lead or "overall" in lead):
            return False
        if cell.row in view.named(cell.table).rows:
            return False
        return not TOTALS.isdisjoint(announce.words(lead)) and TOTALS.isdisjoint(
            announce.words(table.columns[cell.column].replace("_", " "))
        )

    def across(self, view: View) -> Cell | None:
        """The named row's cell with just the value that *over* or the like leads to as what an amount is spread across."""
        head = view.sentence.text[: view.figure.start - view.sentence.start]
        if view.figure.bound != "over" or not _ACROSS.search(head[-60:]):
            return None
        plain = view.figure._replace(bound="exactly")
        cells = (cell for cell, _ in match.candidates(plain, self.evidence, turned=False, raw=False))
        return next((cell for cell in cells if cell.row in view.named(cell.table).rows), None)

    def _explained(self, view: View, *, strict: bool) -> Found | None:
        """What explains a figure that no cell gives; *strict*: although a cell of another row or column has its value."""
        sources, counting = self.sources, self.answer.bare is None or self.answer.bare.counting()
        small = counting and 1 < view.figure.readings[0].value <= FEW
        found = self.counts.count(view, strict=True) if small else None
        found = found or sources.quoted(view, strict=strict) or sources.argument(view, strict=strict)
        if not found and counting:
            found = self.counts.count(view, strict=strict)
        if found:
            return found
        for variant in self._scaled(view):
            derived = (
                self.answer.bare.derive(variant.figure) if self.answer.bare else self._derived(variant, strict=strict)
            )
            if derived:
                return messages.derived(self.evidence, derived)
        for explain in (sources.condition, sources.sql, sources.ending, sources.token):
            found = explain(view, strict=strict)
            if found:
                return found
        return percentile(view, self.evidence)

    def _derived(self, view: View, *, strict: bool) -> Derivation | None:
        """What the words beside a figure announce; a short answer leaves that to its question."""
        words = f"{view.sentence.text} {view.heading}" if view.heading else view.sentence.text
        if self.answer.short:
            words = f"{words} {self.answer.question}"
        return derive(self.columns, view, words, strict=strict)

    def _instead(self, view: View, meant: tuple[Cell, ...]) -> Found | None:
        """What explains a figure although its words mean other cells: a text about the same thing, a calculation with their column."""
        found = self.sources.quoted(view, strict=True, where=partial(self.claims.meant, view, meant))
        found = found or self.sources.argument(view, strict=True)
        if found:
            return found
        columns = {(cell.table, cell.column) for cell in meant}
        words = f"{view.clause_text} {view.heading}" if view.heading else view.clause_text
        for variant in self._scaled(view):
            derived = derive(self.columns, variant, words, strict=True)
            if not derived or (derived.kind == "difference" and not announce.differs(view.beside_text)):
                continue
            if not columns.isdisjoint((t, c) for t, _, c in derived.cells):
                return messages.derived(self.evidence, derived)
        return None

    def _total(self, view: View, bound: Binding) -> Derivation | None:
        """The sum of the column that the words mean, where no name stands in the figure's own clause."""
        if bound.right is None or self.evidence.incomplete or any(not m.period for m in view.clause.mentions):
            return None
        t, c = bound.right.table, bound.right.column
        total = Operands(self.columns, view, t).total(c)
        if total and match.fits(view.figure, total.value, self.evidence.tables[t].units[c].unit):
            return Derivation("sum", total.label, total.cells)
        return None

    def _scaled(self, view: View) -> Iterator[View]:
        """The figure as written, and in the magnitude that a heading declares (``in thousands``)."""
        yield view
        figure = view.figure
        for scale in self.evidence.scales if figure.factor != 1.0 else ():
            if scale <= figure.factor:
                readings = tuple(Reading(value / scale, half / scale) for value, half in figure.readings)
                yield view.of(figure._replace(readings=readings, factor=figure.factor / scale))
        if figure.factor == 1.0 and (self.answer.raw or view.heading):
            for scale in self.evidence.column_scales:
                readings = tuple(Reading(value * scale, half * scale) for value, half in figure.readings)
                yield view.of(figure._replace(readings=readings, factor=scale))
