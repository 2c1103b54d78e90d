"""
What words claim of figures beyond their value: a rank, a part of something, a direction, a target reached or set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from monitor.checks.grounded.claims.changes import Changes
from monitor.checks.grounded.claims.echoes import Echoes
from monitor.checks.grounded.claims.expect import Expect
from monitor.checks.grounded.claims.parts import Parts
from monitor.checks.grounded.claims.ranks import Ranks
from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.rankwords import Rank
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.derivations.operands import Columns
from monitor.checks.grounded.evidence.index import Cell, Evidence, Source
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text.figures import Figure
from monitor.outcome import FigureVerdict


class Ranked(NamedTuple):
    """A rank in words as a figure, whether it *holds*, and what shows it."""

    figure: Figure
    holds: bool
    found: Found


class Claims:
    """Judges what the words of one answer claim of its figures."""

    def __init__(self, evidence: Evidence, columns: Columns, expect: Expect, question: str) -> None:
        self._ranks = Ranks(evidence, question)
        self._parts = Parts(evidence, columns)
        self._changes = Changes(evidence)
        self._echoes = Echoes(evidence, expect)

    def judge(self, view: View) -> tuple[bool, Found] | None:
        """(whether it holds, why) of a share of something named, and of the question's own number said to be reached; else None."""
        part = self._parts.judge(view)
        if part and part.sure:
            return part.holds, part.found
        reached = self._echoes.reached(view)
        return (False, reached) if reached else None

    def multiple(self, view: View) -> tuple[bool, Found] | None:
        """(whether it holds, why) of a multiple in words that nothing else explains; None where it is said of nothing named."""
        part = self._parts.judge(view)
        return (part.holds, part.found) if part else None

    def denied(self, view: View, cell: Cell) -> Found | None:
        """What stands against a figure that has the value of *cell*: a change the other way, a target that nothing gives."""
        return self._changes.against(view, cell) or self._echoes.target(view, cell)

    def meant(self, view: View, cells: tuple[Cell, ...], source: Source, other: Figure) -> bool:
        """Whether a text that holds the figure may be what the words mean, although they mean *cells*."""
        return self._echoes.meant(view, cells, source, other)

    def spoiled(self, views: Sequence[View], told: Sequence[FigureVerdict | None]) -> list[tuple[int, Found]]:
        """(position, why) of the fractions that are right, but of amounts that are wrong."""
        if not self._parts.wholes:
            return []
        wrong = {each.start: each for each in told if each and each.grounded is False}
        out = []
        for position, (view, own) in enumerate(zip(views, told, strict=True)):
            whole = wrong.get(self._parts.wholes.get(view.figure.start, -1))
            if whole and own and own.grounded:
                text = f"it is a part of {whole.text}, which is wrong"
                out.append((position, Found(own.source or {}, text, "wrong_share")))
        return out

    def ranked(
        self, places: list[Rank], sentences: list[Sentence], taken: Sequence[FigureVerdict | Mention]
    ) -> list[Ranked]:
        """Those of *places* that can be decided and are part of nothing *taken*."""
        out = []
        for place in places:
            if any(each.start < place.end and place.start < each.end for each in taken):
                continue
            sentence = next(each for each in reversed(sentences) if each.start <= place.start)
            judged = self._ranks.judge(place, sentence)
            if judged:
                out.append(Ranked(Figure(place.start, place.end, place.text, (), word=True), *judged))
        return out
