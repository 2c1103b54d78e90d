"""
Numbers that a text holds too, but says of something else: the user's target given as the result, the whole's figure given as a part's.
"""

from __future__ import annotations

import re

from monitor.checks.grounded import match
from monitor.checks.grounded.claims.expect import Expect
from monitor.checks.grounded.context.owner import owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Cell, Evidence, Source
from monitor.checks.grounded.evidence.labels import is_, row_label
from monitor.checks.grounded.messages import source_of
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import words_in

MAX_COLUMNS = 60
_LIMIT = re.compile(
    r"\b(?:targets?|goals?|thresholds?|limits?|objectives?|benchmarks?|required?|requirements?|agreed|promised|expected|planned|budget\w*|"
    r"asked|wanted|mark|level of|at least|at most|above|below|over|under|exceed\w*|more|less|fewer|miss(?:ed|es)?|short of|not|no|n['’]t|"
    r"within|against|beat|meet|meets|met|ziel\w*|grenz\w*|schwelle\w*|vorgabe\w*|limit\w*|gefordert\w*|mindestens|höchstens|über|unter|"
    r"mehr|weniger|verfehlt\w*|nicht|kein\w*|objectif\w*|seuil\w*|plafond\w*|au moins|au plus|dépass\w*|plus|moins|pas|objetivo\w*|meta|"
    r"umbral\w*|límite\w*|al menos|como máximo|super\w+|más|menos|doel\w*|streef\w*|grens\w*|drempel\w*|minstens|hoogstens|boven|onder|"
    r"meer|minder|niet|geen)\b",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of a limit, or of being beyond it or short of it."""
_REACHED = re.compile(
    r"\b(?:reach(?:ed|es)|achiev(?:ed|es)|hit|hits|attained|recorded|posted|delivered|stood at|stands at|came to|erreicht\w*|erziel\w+|"
    r"verzeichne\w+|lag bei|liegt bei|a atteint|atteint|enregistr\w+|alcanz(?:ó|a)|logró|registr(?:ó|a)|llegó a|llegó al|haal(?:t|de)|"
    r"bereik(?:t|te)|kwam uit op)\s(?:a\s|an\s|the\s|un\s|el\s)?$",
)
_NAMES = (
    r"targets?|budget\w*|plan(?:ned)?|quotas?|forecasts?|benchmarks?|ziel\w*|zielwert|planwert|vorgabe|prognose|objectifs?|prévisions?|"
    r"objetivos?|metas?|presupuestos?|previsi\w+|doel\w*|streef\w*|begrot\w+|prognose"
)
_TARGET = re.compile(rf"(?<![^\W_])(?:{_NAMES})(?![^\W_])", re.IGNORECASE)
_TARGET_WAS = re.compile(
    rf"\b(?:{_NAMES})\s?(?:was|is|of|:|at|war|ist|von|lag bei|était|est|de|fue|era|es|was|van)\s"
    r"(?:about\s|around\s|etwa\s|environ\s|unos\s|ongeveer\s)?$",
)
"""A target right before its value."""
MAX_TEXT = 20_000


class Echoes:
    """Looks for figures of one answer that repeat what a text says of something else."""

    def __init__(self, evidence: Evidence, expect: Expect) -> None:
        self.evidence, self.expect = evidence, expect
        self._targets: bool | None = None

    def meant(self, view: View, meant: tuple[Cell, ...], source: Source, other: Figure) -> bool:
        """Whether a text that holds the figure may be what the words mean, although they mean *meant*, cells with other values."""
        if source.kind == "question":
            return view.figure.year or bool(view.figure.bound) or _LIMIT.search(view.sentence.text) is not None
        if source.kind != "text" or len({(cell.table, cell.row) for cell in meant}) != 1:
            return True
        label = frozenset(words_in(row_label(self.evidence, meant[0].table, meant[0].row)))
        return not label or not label.isdisjoint(words_in(_sentence_of(source.text, other)))

    def reached(self, view: View) -> Found | None:
        """Against the question's own number given as what a named row reached: what it did reach."""
        figure = view.figure
        if not figure.unit or not figure.readings or figure.bound:
            return None
        text = view.sentence.text
        start = figure.start - view.sentence.start
        if not _REACHED.search(text[max(0, start - 40) : start].lower()) or _LIMIT.search(text):
            return None
        questions = [source for source in self.evidence.sources if source.kind == "question"]
        asked = [f for source in questions for f in source.figures() if f.unit == figure.unit]
        if not any(f.readings and f.readings[0].value == figure.readings[0].value for f in asked):
            return None
        cells = [cell for t in self.expect.tables for cell in self._of_unit(view, t)]
        if len(cells) != 1 or any(match.candidates(figure, self.evidence, turned=False, raw=False)):
            return None
        return Found(source_of(self.evidence, cells[0]), is_(self.evidence, cells[0]), "wrong_value")

    def target(self, view: View, cell: Cell) -> Found | None:
        """Against the value of *cell* given as a target or plan, of which no result, definition, question or text speaks."""
        head = view.sentence.text[: view.figure.start - view.sentence.start][-60:].lower()
        if not _TARGET_WAS.search(head):
            return None
        if self._targets is None:
            names = (name for table in self.evidence.tables for name in table.columns)
            texts = [text.text[:MAX_TEXT] for text in self.evidence.sources]
            self._targets = any(_TARGET.search(text) for text in (*names, *texts, *self.evidence.texts()))
        if self._targets:
            return None
        return Found(
            {**source_of(self.evidence, cell), "fault": "wrong_column"},
            f"no target is given; {is_(self.evidence, cell)}",
        )

    def _of_unit(self, view: View, t: int) -> list[Cell]:
        """The cells of the row that surely owns the figure, in its unit."""
        own = owner(view, t)
        table = self.evidence.tables[t]
        if not own.sure or len(own.rows) != 1 or not table.is_result:
            return []
        cells = [Cell(t, min(own.rows), c) for c in range(min(len(table.columns), MAX_COLUMNS))]
        return [cell for cell in cells if self._in_unit(view.figure, cell)]

    def _in_unit(self, figure: Figure, cell: Cell) -> bool:
        unit = self.evidence.unit(cell)
        if self.evidence.value(cell) is None:
            return False
        if not unit and figure.unit == units.PERCENT:
            return match.is_share(self.evidence, cell)
        return bool(unit) and units.factor(unit, figure.unit) is not None


def _sentence_of(text: str, figure: Figure) -> str:
    """The sentence of a text around one of its figures, at most 200 characters on either side."""
    head, tail = text[max(0, figure.start - 200) : figure.start], text[figure.end : figure.end + 200]
    ends = [found.end() for found in _SENTENCE.finditer(head)]
    stop = _SENTENCE.search(tail)
    return f"{head[ends[-1] if ends else 0 :]} {tail[: stop.start()] if stop else tail}"


_SENTENCE = re.compile(r"[.!?]\s|\n")
