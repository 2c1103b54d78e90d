"""
Derivations for a bare figure, whose question names the operands and announces the sum.

What the question names comes first and may be taken at the written precision; what it names only loosely must agree in
three digits, so that no coincidence passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from monitor.checks.grounded.claims.howmany import HowMany
from monitor.checks.grounded.claims.lookup import Lookup
from monitor.checks.grounded.context.asked import Asked
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.derivations.passages import Passages
from monitor.checks.grounded.derivations.relations import Relations
from monitor.checks.grounded.derivations.terms import MAX_LINE, Term, Terms
from monitor.checks.grounded.derivations.twostep import TwoStep, derivation
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.evidence.texts import Source
from monitor.checks.grounded.evidence.textyears import years_said
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure

MAX_RUN = 6
MAX_TERMS = 8
MAX_ALIKE = 40
_SAYS_NOTHING = frozenset(
    "and the about around million millions thousand thousands billion billions und oder etwa circa environ".split()
)


class Bare:
    """What the question says of the bare figures of one answer."""

    def __init__(self, question: str, evidence: Evidence) -> None:
        self.asked, self.evidence = Asked(question, evidence), evidence
        self.passages, self.howmany = Passages(self.asked, evidence), HowMany(self.asked, evidence)
        self.lookup, self.terms = Lookup(self.asked, evidence), Terms(self.asked)

    def derive(self, figure: Figure) -> Derivation | None:
        """The first derivation that the question announces and that gives *figure*; None when none does."""
        if not figure.readings or figure.moment or (figure.year and not self.asked.kinds):
            return None
        for t in self.terms.tables() if self.asked.counts else ():
            counted = self.howmany.count(figure, t, self.terms.meant(t))
            if counted:
                return Derivation("count", counted.phrase, counted.cells)
        search = _Search(self, figure)
        return search.find(loose=False) or (search.find(loose=True) if search.relations.precise() else None)

    def meant(self, source: Source, figure: Figure) -> bool:
        """Whether a text says *figure* of a year of the question, as far as it tells, or nothing else like it of such a year."""
        years = self.asked.years
        said = years_said(source, figure) if years and source.kind != "question" else frozenset()
        if not said or not self.asked.elsewhen(said):
            return True
        self.evidence.spend(4 * len(source.figures()))
        others = [
            f
            for f in source.figures()[:MAX_ALIKE]
            if f.readings and f.unit == figure.unit and f.factor == figure.factor and not f.year
        ]
        return not any(years_said(source, other) & years for other in others)

    def counting(self) -> bool:
        """Whether the question asks how many there are, without a condition, so that the number of rows may be the answer."""
        return self.asked.counts and not self.asked.side()


class _Search:
    """The derivations of one bare figure."""

    def __init__(self, bare: Bare, figure: Figure) -> None:
        self.bare, self.asked, self.evidence, self.terms = bare, bare.asked, bare.evidence, bare.terms
        self.relations = Relations(figure, bare.asked)
        self.amounts = not self.relations.percent or self.relations.ratios

    def find(self, *, loose: bool) -> Derivation | None:
        """The first derivation over the tables, then over the texts, then over both."""
        for t in self.terms.tables():
            found = self._in_table(t, loose=loose)
            if found:
                return found
        return self._in_texts(loose=loose)

    def _in_table(self, t: int, *, loose: bool) -> Derivation | None:
        relations = self.relations
        if relations.pairs:
            owners = {*self.terms.meant(t).named, *self.asked.grid(t).totals} if loose else None
            for line in self.terms.lines(t, amounts=self.amounts, ratios=relations.ratios, loose=loose):
                found = self._pairs(line, owners)
                if found:
                    return found
        for line in self.terms.sets(t, loose=loose) if relations.sums else ():
            found = self._added(line) or self._ranked(line)
            if found:
                return found
        return TwoStep(self.terms, relations).find(t) if relations.pairs else None

    def _pairs(self, line: list[Term], owners: set[int] | None = None) -> Derivation | None:
        """Two terms of a line, one of them at least in a row of *owners*."""
        self.evidence.spend(len(line) * len(line))
        for x, y in combinations(line, 2):
            if owners and not any(term.place and term.place[1] in owners for term in (x, y)):
                continue
            kind = self.relations.two(x, y)
            if kind:
                return derivation(kind, f"{_PHRASES[kind]} {self.terms.name(x)} and {self.terms.name(y)}", [x, y])
        return None

    def _added(self, line: list[Term]) -> Derivation | None:
        """The sum or the mean of a line."""
        self.evidence.spend(1 + len(line))
        kind = self.relations.added(line)
        if not kind:
            return None
        more = f"{self.terms.name(line[0])} and {len(line) - 1} more"
        return derivation(kind, f"the {'mean' if kind == 'average' else 'sum'} of {more}", line)

    def _ranked(self, line: list[Term]) -> Derivation | None:
        """The sum or the mean of so many of the largest, or of the smallest, as the question says."""
        if not self.asked.top or len(line) < 3:
            return None
        ranked = sorted(line, key=lambda term: term.value)
        for figure in self.asked.figures():
            count = int(figure.readings[0].value) if not figure.unit else 0
            found = (self._added(ranked[-count:]) or self._added(ranked[:count])) if 1 < count < len(line) else None
            if found:
                return found
        return None

    # -- texts ---------------------------------------------------------------------------------------------------------

    def _in_texts(self, *, loose: bool) -> Derivation | None:
        lines = [_alike(passage) for passage in self.bare.passages.lines(loose=loose)]
        for amounts, percents in lines:
            for line in (amounts, percents):
                found = (self._pairs(line) if self.relations.pairs else None) or self._runs(line)
                if found:
                    return found
        for amounts, _ in lines[:2] if self.relations.pairs else ():
            for t in self.terms.tables():
                found = self._mixed(t, amounts[:MAX_TERMS])
                if found:
                    return found
        return None

    def _runs(self, line: list[Term]) -> Derivation | None:
        """The sum or the mean of figures that stand beside each other in a text."""
        for size in range(2, min(len(line), MAX_RUN) + 1) if self.relations.sums else ():
            for start in range(len(line) - size + 1):
                found = self._added(line[start : start + size])
                if found:
                    return found
        return None

    def _mixed(self, t: int, texts: list[Term]) -> Derivation | None:
        """A figure of a text with a named cell, in a magnitude that the table's headings declare."""
        for r in self.terms.meant(t).named[:4]:
            named, others = self.terms.columns(t, r, amounts=self.amounts)
            for cell in self.terms.at(t, [(r, c) for c in (named or others)[:MAX_TERMS]]):
                for term in texts:
                    for scale in (1.0, *(scale for scale in self.evidence.scales if abs(term.value) * 1e3 >= scale)):
                        found = self._pairs([term._replace(value=term.value / scale), cell])
                        if found:
                            return found
        return None


def _alike(passage: Sequence[Figure]) -> tuple[list[Term], list[Term]]:
    """The figures of a text as terms: the amounts, the percentages."""
    terms = [Term(f.readings[0].value, text=f.text, percent=f.unit == units.PERCENT) for f in passage[: 2 * MAX_LINE]]
    return [t for t in terms if not t.percent][:MAX_LINE], [t for t in terms if t.percent][:MAX_LINE]


_PHRASES = {
    "difference": "the difference of",
    "change": "the change between",
    "product": "the product of",
    "share": "the share of",
    "ratio": "the ratio of",
}


def bare_answer(answer: str, figures: Sequence[Figure]) -> bool:
    """Whether an answer says little more than its figures, so that the question must say what they are."""
    if not figures:
        return False
    left = answer
    for figure in reversed(figures):
        left = left[: figure.start] + " " + left[figure.end :]
    own = [word for word in announce.words(left) if len(word) > 2 and word not in _SAYS_NOTHING]
    return len(own) <= 1 and not announce.announced(" ".join(own))
