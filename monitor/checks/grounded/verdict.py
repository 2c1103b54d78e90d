"""
The verdict on every figure: the best explanation it has, or what stands against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Literal

from monitor.checks.grounded import faults, match, messages
from monitor.checks.grounded.claims.bind import Binder, Binding, earned
from monitor.checks.grounded.claims.counts import Counts
from monitor.checks.grounded.claims.extremes import Extremes
from monitor.checks.grounded.claims.judgements import Claims
from monitor.checks.grounded.claims.listplaces import Places
from monitor.checks.grounded.claims.moments import Moments
from monitor.checks.grounded.claims.pairs import pair_of
from monitor.checks.grounded.context.limits import sets_limit
from monitor.checks.grounded.context.mentions import Mention, find_mentions
from monitor.checks.grounded.context.periodnames import find_periods
from monitor.checks.grounded.context.rankwords import find_ranks
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Clause, Sentence, split
from monitor.checks.grounded.derivations.amounts import Amounts
from monitor.checks.grounded.derivations.arithmetic import Arithmetic, Stated
from monitor.checks.grounded.derivations.bare import Bare, bare_answer
from monitor.checks.grounded.derivations.derive import Derivation, derive
from monitor.checks.grounded.derivations.grammar import Grammar
from monitor.checks.grounded.derivations.joint import Joint
from monitor.checks.grounded.derivations.likely import Likely
from monitor.checks.grounded.derivations.operands import Columns, Operands, Position
from monitor.checks.grounded.derivations.rates import Rates
from monitor.checks.grounded.derivations.spans import Spans
from monitor.checks.grounded.evidence.headings import grouped, printed
from monitor.checks.grounded.evidence.index import Cell, Evidence, reading
from monitor.checks.grounded.evidence.labels import TOTALS, clean
from monitor.checks.grounded.evidence.quantiles import percentile
from monitor.checks.grounded.nearmiss import NearMiss
from monitor.checks.grounded.sources import Found, Sources
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure, Reading, find_figures
from monitor.errors import TooLarge
from monitor.outcome import FigureVerdict

Mode = Literal["strict", "membership"]
"""*strict*: a value must belong to what the sentence names. *membership*: it is enough that the evidence has it."""
MAX_ANSWER = 100_000
MAX_FIGURES = 2_000
FIGURE, PER_TABLE = 100, 20
"""Steps that each figure costs, and each table for every figure, besides what depends on their size."""
MAX_SENTENCE = 300
BARE = 60
"""An answer this short says nothing of how its figure was made; the question does."""
_IN_THOUSANDS = re.compile(
    r"\b(?:in thousands?|in millions?|thousands? of|'000|in Tausend|en milliers|in k€|\(k\b)", re.IGNORECASE
)
_ACROSS = re.compile(r"\d\S{0,3}\s(?:[^\W\d_]{1,20}\W{1,4}){0,2}(?:over|über)\s\W{0,3}$", re.IGNORECASE)
LEAD = 30
"""Characters before a figure in which it is called a total."""
_BRACKETS = re.compile(r"[(\[]\s*([^()\[\]\d]{1,20}?)\s*[)\]]\s*$")
FEW = 12
"""A small number is a count rather than a number that some text holds too."""
_NAME = re.compile(r"(?<![.!?:|*\n] )(?<!^)\b(?:[A-Z][a-z]+[’'a-z]*|[a-z]{1,2}[A-Z]{1,3}|[A-Z]{2,6}):?\s$")


class _Grounder:
    """One answer against its evidence. Holds what all its figures share."""

    def __init__(self, answer: str, evidence: Evidence, question: str = "", mode: Mode = "strict") -> None:
        self.answer, self.evidence, self.question = answer, evidence, question
        self.strict = mode == "strict"
        evidence.spend(reading(answer))
        figures = find_figures(answer)
        if len(answer) < BARE and question and any(map(grouped, evidence.tables)):
            figures = [figure.grouped() for figure in figures]
        if len(figures) > MAX_FIGURES:
            raise TooLarge(f"the answer states more than {MAX_FIGURES} figures")
        self.places = find_ranks(answer) if mode == "strict" else []
        mentions = find_mentions(answer, evidence) if figures or self.places else []
        self.figures = _outside(figures, mentions)
        dates = {(figure.start, figure.end) for figure in self.figures if figure.moment}
        mentions = [mention for mention in mentions if (mention.start, mention.end) not in dates]
        mentions += find_periods(answer, self.figures, evidence)
        mentions.sort(key=lambda mention: mention.start)
        self.mentions = mentions
        self.sentences = split(answer, mentions, self.figures) if self.figures or self.places else []
        definitions = {source.name.lower(): source.text for source in evidence.sources if source.kind == "definition"}
        self.binder = Binder(evidence, definitions, accuse=self.strict)
        self.sources, self.counts = Sources(evidence), Counts(evidence)
        self.columns, self.spans = Columns(evidence), Spans(evidence, self.sources)
        self.extremes = Extremes(evidence, self.sentences)
        self.listed = Places(evidence, self.sentences)
        self.claims = Claims(evidence, self.columns, self.binder.expect, question)
        self.rates = Rates(self.columns, self.binder.expect.naming, question)
        self.likely = Likely(self.columns)
        self.grammar = Grammar(self.columns, self.binder.expect.naming, question)
        self.near = NearMiss(evidence, self.counts, self.columns)
        self.moments = Moments(answer, evidence, self.sources)
        self.averages: set[int] = set()
        self.settled: set[int] = set()
        self.loose: set[int] = set()
        self.asked: Sentence | None = None
        self.bare: Bare | None = None
        if self.figures and len(answer) < BARE and question:
            asked = find_mentions(question[:2000], evidence)
            self.asked = Sentence(0, len(question), question[:2000], [Clause(0, len(question), mentions=asked)])
            if bare_answer(answer, self.figures) and all(mention.period for mention in mentions):
                self.bare = Bare(question, evidence)
                self.sources.meant = self.bare.meant
                if not evidence.scales and not evidence.column_scales and all(map(printed, evidence.tables)):
                    evidence.scales.update((1e3, 1e6, 1e9))
        self.raw = bool(evidence.column_scales) and bool(_IN_THOUSANDS.search(answer))

    def verdicts(self) -> list[FigureVerdict]:
        """One verdict a figure, in order; number words that count nothing known are left out."""
        views: list[View] = []
        index = 0
        head = None
        for figure in self.figures:
            while index + 1 < len(self.sentences) and self.sentences[index].end <= figure.start:
                head = self.sentences[index] if self.sentences[index].names() else head
                index += 1
            back = self.sentences[index - 1] if index else None
            view = View(figure, self.sentences[index], self.evidence, self.asked, back, head)
            views.append(view.of(_in_unit(figure, view.heading)) if view.heading and not figure.unit else view)
        out = [self._verdict(view) for view in views]
        if self.loose or any(self._open(verdict) for verdict in out):
            self._follow(views, out)
        for position, found in self.claims.spoiled(views, out) if self.strict else ():
            out[position] = _says(views[position].figure, False, found)
        told = [verdict for verdict in out if verdict is not None]
        ranks = self.claims.ranked(self.places, self.sentences, [*told, *self.mentions]) if self.places else []
        return sorted(told + [_says(*rank) for rank in ranks], key=lambda each: each.start)

    def _open(self, verdict: FigureVerdict | None) -> bool:
        """Whether a figure is without any explanation so far, and nothing surely stands against it."""
        return verdict is not None and not verdict.grounded and verdict.start not in self.settled

    def _follow(self, views: list[View], out: list[FigureVerdict | None]) -> None:
        """Explain what follows from the answer's own grounded figures."""
        arithmetic = Arithmetic(self.answer, self.evidence)
        amounts = Amounts(self.answer, self.evidence, self.figures, self.mentions)
        unstated = [view for view, verdict in zip(views, out, strict=True) if verdict and _calculated_or_open(verdict)]
        joint = Joint(self.likely, unstated)
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
                or amounts.explain(view, stated, self.question)
                or self.spans.explain(view)
                or self._derivation(joint.explain(view))
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
        return self._derivation(self.grammar.explain(view, beside, behind))

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
            meant = None if view.means(bound.cell) else self._meant(view)
            if figure.unit and self._added_up(view, bound.cell):
                self.loose.add(figure.start)
            return _says(figure, True, meant or messages.cell(self.evidence, bound.cell))
        found = self._found(view, bound)
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

    def _across(self, view: View) -> Cell | None:
        """The named row's cell with just the value that *over* or the like leads to as what an amount is spread across."""
        head = view.sentence.text[: view.figure.start - view.sentence.start]
        if view.figure.bound != "over" or not _ACROSS.search(head[-60:]):
            return None
        plain = view.figure._replace(bound="exactly")
        cells = (cell for cell, _ in match.candidates(plain, self.evidence, turned=False, raw=False))
        return next((cell for cell in cells if cell.row in view.named(cell.table).rows), None)

    def _misplaced(self, view: View, bound: Binding) -> FigureVerdict:
        """The verdict on a figure whose words mean another cell than it is bound to."""
        if bound.fault == "wrong_value":
            rate = self.columns.additive(bound.cell.table, bound.cell.column) and self.rates.told(view)
            return self._against(view.figure, self.near.other_value(view, bound.cell), surely=not rate)
        found = messages.fault(self.evidence, bound)
        return self._against(view.figure, found, surely=bound.fault != "coincidence")

    def _added_up(self, view: View, cell: Cell) -> bool:
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

    def _claimed(self, view: View) -> FigureVerdict | None:
        """The verdict on a count with a condition, or on what is said to be an extreme; None where the words claim neither."""
        counted = self.listed.judge(view) or self.counts.judge(view)
        judged = counted or self.extremes.judge(view)
        if judged is None:
            across = self._across(view)
            if across:
                return _says(view.figure, True, messages.cell(self.evidence, across))
            claimed = self.claims.judge(view) if self.strict else None
            return self._told(view.figure, *claimed) if claimed else None
        holds, found = judged
        calculated = None if holds or counted else self._calculated(view)
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
        bound = self.binder.bind(view, raw=self.raw or bool(view.heading) or view.wrapped())
        if bound and bound.fault and view.figure.word and view.figure.unit == units.TIMES:
            bound = None
        return bound if self.bare is None else self._pointed(view, bound, self.bare)

    def _calculated(self, view: View) -> Found | None:
        """A rate that the words set per something, or a calculation over the named rows that is hardly an accident."""
        if self.bare is not None:
            return None
        derived = self.rates.explain(view) or self.likely.explain(view)
        return self._derivation(derived)

    def _derivation(self, derived: Derivation | None) -> Found | None:
        return messages.derived(self.evidence, derived) if derived else None

    def _pointed(self, view: View, bound: Binding | None, bare: Bare) -> Binding | None:
        """What a bare figure is bound to: its question alone says which row, column and period it means."""
        if bound is None or bound.fault == "wrong_value":
            return None
        cells = (cell for cell, _ in match.candidates(view.figure, self.evidence, turned=True, raw=False))
        misplaced = bare.lookup.misplaced(view.figure, cells)
        return misplaced or (Binding(bound.cell) if bound.fault in ("wrong_row", "wrong_column") else bound)

    def _found(self, view: View, bound: Binding | None) -> Found | None:
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
            found = self._calculated(view)
        if not found and bound and bound.fault in ("wrong_row", "wrong_column") and sets_limit(view.figure):
            found = self.sources.condition(view, strict=False)
        return found

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
        stands = not self.strict and bool(found.source) and faults.FAULTS[found.fault].stands
        return _says(figure, stands, found._replace(fault="") if stands else found)

    def _in_brackets(self, negative: Binding) -> bool:
        """Whether a bare amount stands in brackets, as accountants write what goes out, and the question speaks of no gain."""
        return str(self.evidence.raw(negative.cell)).rstrip().endswith(")") and not earned(self.question)

    def _meant(self, view: View) -> Found | None:
        """A count, or a text about the same thing: better than a cell of which the words say nothing."""
        value = view.figure.readings[0].value
        if view.figure.unit or value > FEW:
            return self.sources.about(view)
        return self.counts.count(view, strict=True) if value > 1 else None

    def _explained(self, view: View, *, strict: bool) -> Found | None:
        """What explains a figure that no cell gives; *strict*: although a cell of another row or column has its value."""
        sources, counting = self.sources, self.bare is None or self.bare.counting()
        small = counting and 1 < view.figure.readings[0].value <= FEW
        found = self.counts.count(view, strict=True) if small else None
        found = found or sources.quoted(view, strict=strict) or sources.argument(view, strict=strict)
        if not found and counting:
            found = self.counts.count(view, strict=strict)
        if found:
            return found
        for variant in self._scaled(view):
            derived = self.bare.derive(variant.figure) if self.bare else self._derived(variant, strict=strict)
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
        if len(self.answer) < BARE:
            words = f"{words} {self.question}"
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
        if figure.factor == 1.0 and (self.raw or view.heading):
            for scale in self.evidence.column_scales:
                readings = tuple(Reading(value * scale, half * scale) for value, half in figure.readings)
                yield view.of(figure._replace(readings=readings, factor=scale))

    def _is_name(self, view: View) -> bool:
        """Whether an unexplained small whole number belongs to a name, such as *Studio 54*."""
        figure = view.figure
        if figure.unit or figure.bound or not figure.text.isdigit() or len(figure.text) > 2 or pair_of(view):
            return False
        return bool(_NAME.search(self.answer[max(0, figure.start - 30) : figure.start]))


def _in_unit(figure: Figure, heading: str) -> Figure:
    """A bare number in the unit and magnitude that the heading above it gives in brackets (``Energy (MWh)``)."""
    found = _BRACKETS.search(heading)
    unit, scale = units.column_unit("", found[1]) if found else ("", 1.0)
    if not figure.readings or figure.moment or (scale == 1.0 and not units.known(unit)):
        return figure
    readings = tuple(Reading(value * scale, half * scale) for value, half in figure.readings)
    return figure._replace(unit=unit, factor=figure.factor * scale, readings=readings)


def _outside(figures: list[Figure], mentions: list[Mention]) -> list[Figure]:
    """Figures that are no part of a name (``Line 2``); a whole cell that is itself a number stays."""
    if not mentions:
        return figures
    kept = []
    index = 0
    for figure in figures:
        while index < len(mentions) and mentions[index].end <= figure.start:
            index += 1
        name = mentions[index] if index < len(mentions) else None
        within_unit = name is not None and figure.start < name.start and name.end < figure.end
        inside = name is not None and name.start < figure.end and not within_unit
        if inside and (figure.readings or mentions[index].end >= figure.end):
            same = mentions[index].start == figure.start and mentions[index].end == figure.end
            if not same or not (figure.text.isdigit() or figure.moment):
                continue
        kept.append(figure)
    return kept


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
