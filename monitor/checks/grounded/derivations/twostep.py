"""
Derivations of two steps for a bare figure: the change of a sum, the share of two together, the mean change.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.derivations.relations import Relations
from monitor.checks.grounded.derivations.terms import MAX_LINE, Term, Terms
from monitor.checks.grounded.match import fits

MAX_ROWS = 5
MAX_COLUMNS = 6


class TwoStep:
    """Looks for derivations of two steps among the cells that a question names."""

    def __init__(self, terms: Terms, relations: Relations) -> None:
        self.terms, self.relations = terms, relations
        self.asked, self.evidence = terms.asked, terms.evidence
        self.kinds = relations.kinds

    def find(self, t: int) -> Derivation | None:
        """The first in table *t*, over its best named rows."""
        meant = self.terms.meant(t)
        rows = (meant.named + meant.others)[:MAX_ROWS]
        for r in rows[:3]:
            named, others = self.asked.columns(t, r)
            columns = (named if len(named) > 2 else named + others)[:MAX_LINE]
            line = self.terms.at(t, [(r, c) for c in columns])
            found = self._steps(line) or self._parts(line)
            if found:
                return found
        return self._of_rows(t, rows) if len(rows) > 1 else None

    def _of_rows(self, t: int, rows: list[int]) -> Derivation | None:
        named, others = self.asked.columns(t, rows[0])
        columns = (named if len(named) > 1 else named + others)[:MAX_COLUMNS]
        totals = sorted(self.asked.grid(t).totals)[:4]
        for c in columns if self.relations.ratios else ():
            for whole in dict.fromkeys([*rows, *totals]):
                for a, b in combinations([r for r in rows if r != whole], 2):
                    found = self._together(self.terms.at(t, [(a, c), (b, c), (whole, c)]))
                    if found:
                        return found
        for a, b in combinations(rows, 2):
            for c, d in combinations(columns, 2):
                square = self.terms.at(t, [(a, c), (b, c), (a, d), (b, d)])
                found = self._square(square) if len(square) == 4 else None
                if found:
                    return found
        return None

    def _parts(self, line: list[Term]) -> Derivation | None:
        """Two neighbours of a line together, as a share of its largest."""
        if not self.relations.ratios or not line:
            return None
        whole = max(line, key=lambda term: abs(term.value))
        for a, b in pairwise([term for term in line if term is not whole]):
            found = self._together([a, b, whole])
            if found:
                return found
        return None

    def _together(self, three: list[Term]) -> Derivation | None:
        """Two terms together, as a share of a third."""
        self.evidence.spend(1)
        if len(three) < 3 or not three[2].value:
            return None
        a, b, whole = three
        if not self.relations.is_ratio((a.value + b.value) / whole.value):
            return None
        name = self.terms.name
        return derivation("share", f"{name(a)} and {name(b)} as a share of {name(whole)}", three)

    def _steps(self, line: list[Term]) -> Derivation | None:
        """The mean change along a line of periods, or the difference of two neighbouring means."""
        if len(line) < 3 or not {"average", "difference"} <= self.kinds:
            return None
        line = sorted(line, key=lambda term: term.when)
        plain, name = self.relations.plain, self.terms.name
        self.evidence.spend(len(line))
        if fits(plain, (line[-1].value - line[0].value) / (len(line) - 1)):
            return derivation("average", f"the mean change from {name(line[0])} to {name(line[-1])}", line)
        for a, _, b in zip(line, line[1:], line[2:], strict=False):
            if fits(plain, (b.value - a.value) / 2) or fits(plain, (a.value - b.value) / 2):
                return derivation("difference", f"the difference of two means from {name(a)} to {name(b)}", [a, b])
        return None

    def _square(self, square: list[Term]) -> Derivation | None:
        """Two rows and two columns: the change of their sum, of their share, their mean difference."""
        self.evidence.spend(2)
        if "difference" not in self.kinds:
            return None
        for kind, what in self._of_four(square):
            names = f"{self.terms.name(square[0])}, {self.terms.name(square[1])} and the two beside them"
            return derivation(kind, f"the {what} of {names}", square)
        return None

    def _of_four(self, square: list[Term]) -> Iterator[tuple[str, str]]:
        """(kind, phrase) of what two rows give in two columns, the later first."""
        relations = self.relations
        if square[0].when < square[2].when:
            square = square[2:] + square[:2]
        ordered = 0 < square[2].when < square[0].when
        a, b, c, d = (term.value for term in square)
        if relations.percent and relations.changed(a + b, c + d, ordered=ordered):
            yield "change", "change of the sum"
        if relations.ratios and b and d:
            gap = a / b - c / d
            inverse = b / a - d / c if a and c else gap
            if any(relations.is_ratio(value) for value in (gap, -gap, inverse, -inverse)):
                yield "difference", "difference of the ratios"
        if relations.percent:
            return
        if "average" in self.kinds and fits(relations.plain, (abs(a - b) + abs(c - d)) / 2):
            yield "average", "mean difference"
        if "sum" in self.kinds and relations.moved(a + b - c - d, ordered=False):
            yield "difference", "difference of the sums"


def derivation(kind: str, phrase: str, terms: list[Term]) -> Derivation:
    """A derivation over terms."""
    return Derivation(kind, phrase, tuple(term.place for term in terms if term.place))
