"""
One calculation for several things: figures of one answer that the same two columns give, each for the row it names.

A difference or ratio that no word announces may give one figure by accident. That it gives another one too, in the row
that this one names, is much less of an accident: people apply one formula to all that they list.
"""

from __future__ import annotations

from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.owner import FEW, owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.accident import ACCIDENT, chance
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.derivations.formulas import SHARES
from monitor.checks.grounded.derivations.likely import MAX_TABLES, Likely, Result, comparable, within
from monitor.checks.grounded.text import units

MAX_MEMBERS = 24
"""So many figures of an answer are compared at most."""
MAX_APPLIED = 4
"""A formula that gives so many figures is sure enough; more are not looked for."""

Key = tuple[str, tuple[int, ...], int]
"""A formula: its kind, its columns, and which of several such."""


class Member(NamedTuple):
    """A figure that may follow from each of the *rows* of a table that it names (``35 each``)."""

    view: View
    rows: frozenset[int]


class Joint:
    """Looks for formulas that give several figures of one answer. *views*: those that stand in no cell."""

    def __init__(self, likely: Likely, views: list[View]) -> None:
        self.likely, self.evidence = likely, likely.evidence
        self.views = [view for view in views if _calculable(view)][:MAX_MEMBERS]
        self._members: dict[int, list[Member]] = {}
        self._results: dict[tuple[int, int], dict[Key, Result]] = {}

    def explain(self, view: View) -> Derivation | None:
        """The formula that gives the figure of *view* and another one, each for its own row; None where there is none."""
        if not _calculable(view) or len(self.views) < 2:
            return None
        for t, table in enumerate(self.evidence.tables[:MAX_TABLES]):
            if table.is_result and not table.earlier:
                own = next((member for member in self._members_of(t) if member.view.figure is view.figure), None)
                found = self._shared(own, t) if own else None
                if found:
                    return Derivation(found.kind, found.phrase, found.cells)
        return None

    def _members_of(self, t: int) -> list[Member]:
        if t not in self._members:
            rows = [(view, owner(view, t).rows) for view in self.views]
            self._members[t] = [Member(view, own) for view, own in rows if 0 < len(own) <= FEW]
        return self._members[t]

    def _shared(self, own: Member, t: int) -> Result | None:
        """The result for the row of *own* by the formula that gives most figures, where that is hardly an accident."""
        figure = own.view.figure
        others = [m for m in self._members_of(t) if m.rows.isdisjoint(own.rows) and _alike(m.view, own.view)]
        tried = [(key, found) for key, found in self._of(t, min(own.rows)).items() if comparable(figure, found.unit)]
        for key, result in tried if others else ():
            if not self._gives(own, t, key):
                continue
            accident = chance(figure, len(tried))
            given: set[int] = set()
            for other in others:
                if len(given) < MAX_APPLIED and other.rows.isdisjoint(given) and self._gives(other, t, key):
                    given |= other.rows
                    accident *= min(1.0, chance(other.view.figure, len(others)))
            if given and accident < ACCIDENT:
                return result
        return None

    def _gives(self, member: Member, t: int, key: Key) -> bool:
        """Whether a formula gives a figure for each of its rows."""
        found = [self._of(t, row).get(key) for row in member.rows]
        return all(result is not None and _states(member.view, result) for result in found)

    def _of(self, t: int, row: int) -> dict[Key, Result]:
        """What the formulas give in one row."""
        known = self._results.get((t, row))
        if known is None:
            known = self._results[t, row] = {}
            for result in within(self.likely.line(t, row)):
                columns = tuple(c for _, _, c in result.cells)
                number = 0
                while (result.kind, columns, number) in known:
                    number += 1
                known[result.kind, columns, number] = result
            self.evidence.spend(len(known))
        return known


def _calculable(view: View) -> bool:
    figure = view.figure
    return bool(figure.readings and figure.readings[0].value) and not (figure.word or figure.year or figure.fraction)


def _alike(a: View, b: View) -> bool:
    """Whether two figures can be of one measure: in the same unit, where both have one."""
    one, two = a.figure, b.figure
    if one.unit in SHARES or two.unit in SHARES:
        return one.unit in SHARES and two.unit in SHARES
    return one.unit == two.unit or not one.unit or not two.unit


def _states(view: View, result: Result) -> bool:
    figure = view.figure
    plain = figure._replace(unit="") if not result.unit or figure.unit == units.POINTS else figure
    return match.fits(plain, result.value, "" if figure.unit == units.POINTS else result.unit)
