"""
One answer, read once: its figures, the names and periods in it, its sentences, and the question where it is bare.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.mentions import Mention, find_mentions
from monitor.checks.grounded.context.periodnames import find_periods
from monitor.checks.grounded.context.rankwords import find_ranks
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Clause, Sentence, split
from monitor.checks.grounded.derivations.bare import Bare, bare_answer
from monitor.checks.grounded.evidence.headings import grouped, printed
from monitor.checks.grounded.evidence.index import Evidence, reading
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure, Reading, find_figures
from monitor.errors import TooLarge

MAX_FIGURES = 2_000
MAX_QUESTION = 2_000
BARE = 60
"""An answer this short says nothing of how its figure was made; the question does."""
_IN_THOUSANDS = re.compile(
    r"\b(?:in thousands?|in millions?|thousands? of|'000|in Tausend|en milliers|in k€|\(k\b)", re.IGNORECASE
)
_BRACKETS = re.compile(r"[(\[]\s*([^()\[\]\d]{1,20}?)\s*[)\]]\s*$")


class Answer:
    """
    What all figures of one answer share.

    *figures* are those that are no part of a name; *places* ranks in words, read where these are judged; *asked* is the
    question of a short answer, *bare* what it means for an answer that is nothing but figures; *raw*: the answer says
    that it speaks in a column's own thousands or millions. Raises TooLarge beyond the bounds.
    """

    def __init__(self, text: str, evidence: Evidence, question: str, *, ranks: bool) -> None:
        self.text, self.evidence, self.question = text, evidence, question
        evidence.spend(reading(text))
        self.short = len(text) < BARE
        figures = find_figures(text)
        if self.short and question and any(map(grouped, evidence.tables)):
            figures = [figure.grouped() for figure in figures]
        if len(figures) > MAX_FIGURES:
            raise TooLarge(f"the answer states more than {MAX_FIGURES} figures")
        self.places = find_ranks(text) if ranks else []
        mentions = find_mentions(text, evidence) if figures or self.places else []
        self.figures = _outside(figures, mentions)
        dates = {(figure.start, figure.end) for figure in self.figures if figure.moment}
        mentions = [mention for mention in mentions if (mention.start, mention.end) not in dates]
        mentions += find_periods(text, self.figures, evidence)
        mentions.sort(key=lambda mention: mention.start)
        self.mentions = mentions
        self.sentences = split(text, mentions, self.figures) if self.figures or self.places else []
        self.asked: Sentence | None = None
        self.bare: Bare | None = None
        if self.figures and self.short and question:
            self._ask()
        self.raw = bool(evidence.column_scales) and bool(_IN_THOUSANDS.search(text))

    def _ask(self) -> None:
        """Read the question of a short answer."""
        question, evidence = self.question, self.evidence
        asked = find_mentions(question[:MAX_QUESTION], evidence)
        self.asked = Sentence(0, len(question), question[:MAX_QUESTION], [Clause(0, len(question), mentions=asked)])
        if bare_answer(self.text, self.figures) and all(mention.period for mention in self.mentions):
            self.bare = Bare(question, evidence)
            if not evidence.scales and not evidence.column_scales and all(map(printed, evidence.tables)):
                evidence.scales.update((1e3, 1e6, 1e9))

    def views(self) -> list[View]:
        """Each figure in its sentence, with the sentence before and the last one before that names something."""
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
        return views


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
