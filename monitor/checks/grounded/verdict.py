"""
The verdict on every figure: the best explanation it has, or what stands against it.
"""

from __future__ import annotations

import re
from typing import Literal

from monitor.checks.grounded import faults, match, messages
from monitor.checks.grounded.answer import Answer
from monitor.checks.grounded.claims.bind import Binder, Binding, earned
from monitor.checks.grounded.claims.counts import Counts
from monitor.checks.grounded.claims.extremes import Extremes
from monitor.checks.grounded.claims.judgements import Claims
from monitor.checks.grounded.claims.listplaces import Places
from monitor.checks.grounded.claims.moments import Moments
from monitor.checks.grounded.claims.pairs import pair_of
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.derivations.amounts import Amounts
from monitor.checks.grounded.derivations.arithmetic import Arithmetic, Stated
from monitor.checks.grounded.derivations.bare import Bare
from monitor.checks.grounded.derivations.grammar import Grammar
from monitor.checks.grounded.derivations.joint import Joint
from monitor.checks.grounded.derivations.operands import Columns, Position
from monitor.checks.grounded.derivations.spans import Spans
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import clean
from monitor.checks.grounded.explanations import Explanations
from monitor.checks.grounded.nearmiss import NearMiss
from monitor.checks.grounded.sources import Found, Sources
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure
from monitor.errors import TooLarge
from monitor.outcome import FigureVerdict

Mode = Literal["strict", "membership"]
"""*strict*: a value must belong to what the sentence names. *membership*: it is enough that the evidence has it."""
MAX_ANSWER = 100_000
FIGURE, PER_TABLE = 100, 20
"""Steps that each figure costs, and each table for every figure, besides what depends on their size."""
MAX_SENTENCE = 300
_NAME = re.compile(r"(?<![.!?:|*\n] )(?<!^)\b(?:[A-Z][a-z]+[’'a-z]*|[a-z]{1,2}[A-Z]{1,3}|[A-Z]{2,6}):?\s$")


class _Grounder:
    """One answer against its evidence. Holds what all its figures share."""

    def __init__(self, answer: str, evidence: Evidence, question: str = "", mode: Mode = "strict") -> None:
        self.strict = mode == "strict"
        self.answer, self.evidence = Answer(answer, evidence, question, ranks=self.strict), evidence
        self.bare = self.answer.bare
        definitions = {source.name.lower(): source.text for source in evidence.sources if source.kind == "definition"}
        self.binder = Binder(evidence, definitions, accuse=self.strict)
        self.sources, self.counts, self.columns = Sources(evidence), Counts(evidence), Columns(evidence)
        if self.bare is not None:
            self.sources.meant = self.bare.meant
        self.claims = Claims(evidence, self.columns, self.binder.expect, question)
        self.explanations = Explanations(
            self.answer, self.columns, self.sources, self.counts, self.claims, self.binder.expect.naming
        )
        self.extremes = Extremes(evidence, self.answer.sentences)
        self.listed = Places(evidence, self.answer.sentences)
        self.spans = Spans(evidence, self.sources)
        self.grammar = Grammar(self.columns, self.binder.expect.naming, question)
        self.near = NearMiss(evidence, self.counts, self.columns)
        self.moments = Moments(answer, evidence, self.sources)
        self.averages: set[int] = set()
        self.settled: set[int] = set()
        self.loose: set[int] = set()

    def verdicts(self) -> list[FigureVerdict]:
        """One verdict a figure, in order; number words that count nothing known are left out."""
        here = self.answer
        views = here.views()
        out = [self._verdict(view) for view in views]
        if self.loose or any(self._open(verdict) for verdict in out):
            self._follow(views, out)
        for position, found in self.claims.spoiled(views, out) if self.strict else ():
            out[position] = _says(views[position].figure, False, found)
        told = [verdict for verdict in out if verdict is not None]
        ranks = self.claims.ranked(here.places, here.sentences, [*told, *here.mentions]) if here.places else []
        return sorted(told + [_says(*rank) for rank in ranks], key=lambda each: each.start)

    def _open(self, verdict: FigureVerdict | None) -> bool:
        """Whether a figure is without any explanation so far, and nothing surely stands against it."""
        return verdict is not None and not verdict.grounded and verdict.start not in self.settled

    def _follow(self, views: list[View], out: list[FigureVerdict | None]) -> None:
        """Explain what follows from the answer's own grounded figures."""
        arithmetic = Arithmetic(self.answer.text, self.evidence)
        amounts = Amounts(self.answer.text, self.evidence, self.answer.figures, self.answer.mentions)
        unstated = [view for view, verdict in zip(views, out, strict=True) if verdict and _calculated_or_open(verdict)]
        joint = Joint(self.explanations.likely, unstated)
        stated = [
            Stated(view.figure, view.figure.start not in self.averages)
            for view, verdict in zip(views, out, strict=True)
            if verdict and verdict.grounded and view.figure.readings
        ]
        for position, (view, verdict) in enumerate(zip(views, out, strict=True)):
            if view.figure.start in self.loose:
                summed = arithmetic.run(view.figure, stated)
                out[position] = _says(view.figure, True, summed) if summed else verdict
            if not self._open(verdict) or not view.figure.readings:
                continue
            found = (
                arithmetic.explain(view, stated)
                or amounts.explain(view, stated, self.answer.question)
                or self.spans.explain(view)
                or self.explanations.derived(joint.explain(view))
                or self._formula(view, out)
            )
            if found:
                out[position] = _says(view.figure, True, found)
                stated.append(Stated(view.figure, adds=True, own=True))

    def _formula(self, view: View, out: list[FigureVerdict | None]) -> Found | None:
        """The formula over what the words, and the grounded figures of this sentence and the one before, name."""
        if self.bare is not None or not self.strict:
            return None
        beside, behind = self._cells(view.sentence, out), self._cells(view.back, out) if view.back else []
        return self.explanations.derived(self.grammar.explain(view, beside, behind))

    def _cells(self, sentence: Sentence, out: list[FigureVerdict | None]) -> list[Position]:
        """The cells that grounded figures of *sentence* stand for or follow from."""
        sources = [v.source for v in out if v and v.grounded and v.source and sentence.start <= v.start < sentence.end]
        return [cell for source in sources for cell in messages.positions(self.evidence, source)]

    def _dated(self, view: View) -> FigureVerdict | None:
        """The verdict on a date, time or period, and on a year that is wrong; None for other figures."""
        figure = view.figure
        if figure.moment is not None:
            dated = self.moments.judge(view, figure.moment)
            extreme = self.extremes.judge_date(view) if dated.grounded else None
            if extreme and self.strict:
                return self._against(figure, extreme.found)
            if dated.grounded or not figure.readings:
                part = _at(figure, dated.span)
                if dated.grounded is False:
                    return self._against(part, dated.found)
                return _says(part, dated.grounded, dated.found, dated.cause)
        wrong = self.moments.wrong_year(view) if figure.year else None
        return self._against(figure, wrong) if wrong else None

    def _verdict(self, view: View) -> FigureVerdict | None:
        figure = view.figure
        dated = self._dated(view)
        if dated:
            return dated
        self.evidence.spend(FIGURE + view.sentence.weight + PER_TABLE * len(self.evidence.tables))
        claimed = None if self.bare else self._claimed(view)
        if claimed:
            return claimed
        bound = self._bound(view)
        denied = self._denied(view, bound) if self.strict else None
        if denied:
            return self._against(figure, denied)
        if bound and not bound.fault:
            if not self.columns.additive(bound.cell.table, bound.cell.column):
                self.averages.add(figure.start)
            meant = None if view.means(bound.cell) else self.explanations.meant(view)
            if figure.unit and self.explanations.added_up(view, bound.cell):
                self.loose.add(figure.start)
            return _says(figure, True, meant or messages.cell(self.evidence, bound.cell))
        found = self.explanations.find(view, bound)
        if found:
            return _says(figure, True, found)
        if bound:
            return self._misplaced(view, bound)
        multiple = self.claims.multiple(view) if self.strict else None
        if multiple:
            return self._told(figure, *multiple)
        if figure.word and (figure.fraction or figure.unit == units.TIMES or not self.counts.counts_something(view)):
            return None
        if self._is_name(view):
            return None
        return self._unexplained(view)

    def _misplaced(self, view: View, bound: Binding) -> FigureVerdict:
        """The verdict on a figure whose words mean another cell than it is bound to."""
        if bound.fault == "wrong_value":
            rate = self.columns.additive(bound.cell.table, bound.cell.column) and self.explanations.rates.told(view)
            return self._against(view.figure, self.near.other_value(view, bound.cell), surely=not rate)
        found = messages.fault(self.evidence, bound)
        return self._against(view.figure, found, surely=bound.fault != "coincidence")

    def _claimed(self, view: View) -> FigureVerdict | None:
        """The verdict on a count with a condition, or on what is said to be an extreme; None where the words claim neither."""
        counted = self.listed.judge(view) or self.counts.judge(view)
        judged = counted or self.extremes.judge(view)
        if judged is None:
            across = self.explanations.across(view)
            if across:
                return _says(view.figure, True, messages.cell(self.evidence, across))
            claimed = self.claims.judge(view) if self.strict else None
            return self._told(view.figure, *claimed) if claimed else None
        holds, found = judged
        calculated = None if holds or counted else self.explanations.calculated(view)
        if holds or calculated:
            return _says(view.figure, True, calculated or found)
        return self._against(view.figure, found) if self.strict else None

    def _told(self, figure: Figure, holds: bool, found: Found) -> FigureVerdict:
        """The verdict on a figure of which a claim *holds* or does not."""
        return _says(figure, True, found) if holds else self._against(figure, found)

    def _denied(self, view: View, bound: Binding | None) -> Found | None:
        """What stands against a figure although a cell, or nothing but the number of rows recorded, has its value."""
        if bound is None:
            return self.near.truncated_count(view)
        if bound.fault or self.bare:
            return None
        return self.near.empty(view, bound.cell) or self.claims.denied(view, bound.cell)

    def _bound(self, view: View) -> Binding | None:
        """The cell that explains a figure, or with a fault the cell that stands against it; a multiple in words is no cell's."""
        bound = self.binder.bind(view, raw=self.answer.raw or bool(view.heading) or view.wrapped())
        if bound and bound.fault and view.figure.word and view.figure.unit == units.TIMES:
            bound = None
        return bound if self.bare is None else self._pointed(view, bound, self.bare)

    def _pointed(self, view: View, bound: Binding | None, bare: Bare) -> Binding | None:
        """What a bare figure is bound to: its question alone says which row, column and period it means."""
        if bound is None or bound.fault == "wrong_value":
            return None
        cells = (cell for cell, _ in match.candidates(view.figure, self.evidence, turned=True, raw=False))
        misplaced = bare.lookup.misplaced(view.figure, cells)
        return misplaced or (Binding(bound.cell) if bound.fault in ("wrong_row", "wrong_column") else bound)

    def _unexplained(self, view: View) -> FigureVerdict:
        """The verdict on a figure that nothing gives as it is written."""
        figure = view.figure
        negative = self.binder.unsigned(view)
        bracketed = self.bare is not None and negative is not None and self._in_brackets(negative)
        if negative and (bracketed or not negative.fault):
            return _says(figure, True, messages.cell(self.evidence, negative.cell))
        if negative:
            return self._against(figure, messages.fault(self.evidence, negative))
        truncated = self.near.truncated_total(view)
        if truncated:
            return self._against(figure, truncated)
        cause = self.evidence.incomplete
        if cause:
            return _says(figure, None, Found({}, messages.UNDECIDED[cause]), cause)
        return self._against(figure, self.near.miss(view), surely=False)

    def _against(self, figure: Figure, found: Found, *, surely: bool = True) -> FigureVerdict:
        """
        The verdict on a figure that something stands against; under *membership* not when its value is evidence.

        *surely*: nothing that the answer itself calculates can explain it any more.
        """
        if surely:
            self.settled.add(figure.start)
        if self.strict or not found.source or not faults.FAULTS[found.fault].stands:
            return _says(figure, False, found)
        cells = messages.positions(self.evidence, found.source) if found.source["kind"] == "cell" else []
        held = messages.cell(self.evidence, Cell(*cells[0])) if cells else found._replace(fault="")
        return _says(figure, True, held)

    def _in_brackets(self, negative: Binding) -> bool:
        """Whether a bare amount stands in brackets, as accountants write what goes out, and the question speaks of no gain."""
        return str(self.evidence.raw(negative.cell)).rstrip().endswith(")") and not earned(self.answer.question)

    def _is_name(self, view: View) -> bool:
        """Whether an unexplained small whole number belongs to a name, such as *Studio 54*."""
        figure = view.figure
        if figure.unit or figure.bound or not figure.text.isdigit() or len(figure.text) > 2 or pair_of(view):
            return False
        return bool(_NAME.search(self.answer.text[max(0, figure.start - 30) : figure.start]))


def _calculated_or_open(verdict: FigureVerdict) -> bool:
    """Whether no cell or text holds a figure: it is derived, or nothing explains it."""
    return not verdict.grounded or (verdict.source or {}).get("kind") == "derived"


def _at(figure: Figure, span: tuple[int, int] | None) -> Figure:
    """*figure*, or the part of it that *span* holds."""
    if span is None:
        return figure
    start, end = span
    return figure._replace(start=start, end=end, text=figure.text[start - figure.start : end - figure.start])


def _says(figure: Figure, grounded: bool | None, found: Found, cause: str | None = None) -> FigureVerdict:
    fault = (found.fault or faults.NOWHERE) if grounded is False else None
    return FigureVerdict(
        start=figure.start,
        end=figure.end,
        text=figure.text,
        value=figure.readings[0].value if figure.readings else figure.moment.iso() if figure.moment else None,
        unit=figure.unit or None,
        grounded=grounded,
        cause=cause,
        fault=fault,
        severity=faults.severity(fault) if fault else None,
        source=found.source or None,
        explanation=clean(found.text, MAX_SENTENCE),
    )


def ground(answer: str, evidence: Evidence, question: str = "", mode: Mode = "strict") -> list[FigureVerdict]:
    """
    A verdict on every figure that *answer* states, in order. *mode*: see :data:`Mode`.

    Raises TooLarge when the answer, its figures or the evidence are beyond the bounds.
    """
    if len(answer) > MAX_ANSWER:
        raise TooLarge(f"the answer is longer than {MAX_ANSWER} characters")
    return _Grounder(answer, evidence, question, mode).verdicts()
