"""
The rows that a date, a weekday or "the third day" names, in the sentence or in one before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import NamedTuple

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.evidence.index import Evidence

Rows = frozenset[int]
BACK = 6
"""So many sentences back a date still holds."""
MANY = 100
"""So many names of a sentence are looked at."""
APART = 12
"""So near a weekday and its date stand."""
_WEEKDAYS = frozenset(
    "monday montag lundi lunes maandag tuesday dienstag mardi martes dinsdag wednesday mittwoch mercredi miércoles woensdag "
    "thursday donnerstag jeudi jueves donderdag friday freitag vendredi viernes vrijdag saturday samstag samedi sábado zaterdag "
    "sunday sonntag dimanche domingo zondag".split()
)
_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first one 1 1st ersten premier primer eerste",
            "second two 2 2nd zweiten deuxième segundo tweede",
            "third three 3 3rd dritten troisième tercer derde",
            "fourth four 4 4th vierten quatrième cuarto vierde",
            "fifth five 5 5th fünften cinquième quinto vijfde",
            "sixth six 6 6th sechsten sixième sexto zesde",
            "seventh seven 7 7th siebten septième séptimo zevende",
        )
    )
    for word in words.split()
}
_ORDINALS["last"] = _ORDINALS["final"] = _ORDINALS["letzten"] = _ORDINALS["dernier"] = _ORDINALS["laatste"] = -1
_DAY = re.compile(
    rf"\b(?:(?P<nth>{'|'.join(word for word in _ORDINALS if not word.isdigit())})\s(?:day|tag|jour|día|dag)\b|day\s(?P<day>one|two|three|four|five|six|seven|[1-7])\b|"
    rf"(?P<weekday>{'|'.join(_WEEKDAYS)}))s?\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:mornings?|afternoons?|evenings?|nights?|midday|noon|overnight|weekends?|today|tomorrow|yesterday|morgens?|abends?|nachts?|"
    r"matin|soir|nuit|mañana|tarde|noche|ochtend|avond|nacht|early|late|mid|initial\w*|previous\w*|former\w*|recent\w*|first half|second half)\b|\bmid-",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\W{0,3}\s?(?:to|until|till|through|and|bis|und|à|au|a|al|hasta|y|tot|en|–|-)\s?(?:the\s|le\s|el\s|den\s)?",
    re.IGNORECASE,
)
_AND = frozenset(["and", "und", "et", "y", "en"])
_FROM = re.compile(
    r"\b(?:from|between|von|vom|zwischen|de|du|del|entre|van|tussen|for|over)\s(?:the\s)?(?:[^\W\d]{1,12},?\s)?$",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"[^,;:.\n]{0,40}?\b(?:on|in|at|for|during|am|im|le|el|en|op|during|throughout)\s(?:the\s|early\s|late\s)?(?:[^\W\d]{1,12},?\s)?$",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """A stretch of text that names rows in time."""

    start: int
    end: int
    rows: Rows


class Scope(NamedTuple):
    """
    The sets of rows that a figure may be said of: any *one*; *told*, whether the sentence itself names the period; *vague*, whether it names
    one that no row can be found for; *unknown*, whether it dates what no row holds.
    """

    sets: tuple[Rows, ...]
    told: bool
    vague: bool
    unknown: bool = False


class Periods:
    """The rows that the periods in one answer's sentences name."""

    def __init__(self, evidence: Evidence, sentences: list[Sentence]) -> None:
        self.evidence, self.sentences = evidence, sentences
        self._starts = [sentence.start for sentence in sentences]
        self._spans: dict[tuple[int, int], tuple[list[Span], bool]] = {}
        self._dated: dict[int, dict[str, Rows]] = {}
        self._days: dict[int, dict[tuple[int, int, int], set[int]]] = {}

    def scope(self, view: View, table: int) -> Scope:
        """The rows of *table* that the figure of *view* may be said of; no sets where no period is named."""
        index = max(0, bisect_right(self._starts, view.figure.start) - 1)
        spans, vague = self.spans(index, table)
        spans = [span for span in spans if span.start != view.figure.start]
        if spans:
            return self._own(view, spans, vague)
        if self._undated(view.sentence, table):
            return Scope((), told=False, vague=True, unknown=True)
        if vague:
            return Scope((), told=False, vague=True)
        for back in range(index - 1, max(-1, index - BACK - 1), -1):
            before, unclear = self.spans(back, table)
            if before or unclear:
                return Scope(tuple(span.rows for span in before), told=False, vague=unclear and not before)
        return Scope((), told=False, vague=False)

    def _own(self, view: View, spans: list[Span], vague: bool) -> Scope:
        figure = view.figure
        self.evidence.spend(len(spans) * len(view.sentence.figures()))
        text, base = view.sentence.text, view.sentence.start
        after = [
            s for s in spans if s.start >= figure.end and _NEAR.fullmatch(text[figure.end - base : s.start - base])
        ]
        before = [s for s in spans if s.end <= figure.start and not self._trails(view, s)]
        if after:
            frames = [s.rows for s in before if s.rows > after[0].rows]
            return Scope((frames[-1] if frames else after[0].rows,), True, vague)
        if before:
            return Scope((before[-1].rows,), True, vague)
        return Scope(tuple(span.rows for span in spans), False, vague)

    @staticmethod
    def _trails(view: View, span: Span) -> bool:
        """Whether a period stands in brackets, or right behind another figure, and so is that one's own."""
        text, base = view.sentence.text, view.sentence.start
        if ")" in text[span.end - base : view.figure.start - base] and "(" in text[: span.start - base]:
            return True
        figures = [f for f in view.sentence.figures() if f.readings and not f.year and f.end <= span.start]
        return bool(figures) and _NEAR.fullmatch(text[figures[-1].end - base : span.start - base]) is not None

    def _undated(self, sentence: Sentence, table: int) -> bool:
        """Whether a sentence gives a date that no row of a dated table has."""
        return bool(self.evidence.dated(table)) and any(
            figure.moment is not None and figure.moment.month for figure in sentence.figures()
        )

    def spans(self, index: int, table: int) -> tuple[list[Span], bool]:
        """The periods of a sentence with their rows in *table*, by position; whether it names one without rows."""
        known = self._spans.get((index, table))
        if known is None:
            known = self._spans[index, table] = self._find(self.sentences[index], table)
        return known

    def _find(self, sentence: Sentence, table: int) -> tuple[list[Span], bool]:
        last = self.evidence.last_key(table)
        found: list[Span] = []
        for mention in sentence.mentions()[:MANY]:
            if mention.period:
                rows = frozenset(c.row for c in mention.cells if c.table == table and c.column <= last)
                if rows:
                    found.append(Span(mention.start, mention.end, rows))
        vague = _VAGUE.search(sentence.text) is not None
        for match in islice(_DAY.finditer(sentence.text), MANY):
            start, end = match.start() + sentence.start, match.end() + sentence.start
            if match["weekday"] and any(
                0 <= span.start - end < APART or 0 <= start - span.end < APART for span in found
            ):
                continue
            rows = self._named(match, table)
            if rows:
                found.append(Span(start, end, rows))
            else:
                vague = True
        found.sort()
        return self._stretches(sentence, found, table), vague

    def _named(self, match: re.Match[str], table: int) -> Rows:
        days = self.days(table)
        if not days:
            return frozenset()
        if match["weekday"]:
            return self._weekdays(table).get(match["weekday"].lower(), frozenset())
        place = _ORDINALS[(match["nth"] or match["day"]).lower()]
        order = sorted(days)
        return frozenset(days[order[place]]) if place < len(order) else frozenset()

    def _weekdays(self, table: int) -> dict[str, Rows]:
        """The rows of each weekday that the answer itself dates (``Thursday, January 4``)."""
        known = self._dated.get(table)
        if known is None:
            known = self._dated[table] = {}
            for sentence in self.sentences:
                names = [m for m in _DAY.finditer(sentence.text) if m["weekday"]]
                for mention in sentence.mentions() if names else ():
                    rows = frozenset(cell.row for cell in mention.cells if cell.table == table and mention.period)
                    for name in names:
                        start, end = name.start() + sentence.start, name.end() + sentence.start
                        if rows and (0 <= mention.start - end < APART or 0 <= start - mention.end < APART):
                            known.setdefault(name["weekday"].lower(), rows)
        return known

    def days(self, table: int) -> dict[tuple[int, int, int], set[int]]:
        """The rows of each day of a table whose rows have one date each."""
        known = self._days.get(table)
        if known is None:
            known = self._days[table] = {}
            for row, moment in self.evidence.dated(table).items():
                if moment.year and moment.month and moment.day:
                    known.setdefault((moment.year, moment.month, moment.day), set()).add(row)
        return known

    def _stretches(self, sentence: Sentence, spans: list[Span], table: int) -> list[Span]:
        """Two periods with "to" between them as one, all rows from the first to the last; with "and", both."""
        out: list[Span] = []
        for span in spans:
            gap = sentence.text[out[-1].end - sentence.start : span.start - sentence.start] if out else ""
            if not out or not _TO.fullmatch(gap):
                out.append(span)
                continue
            lead = sentence.text[: out[-1].start - sentence.start][-40:]
            both = out[-1].rows | span.rows
            if gap.strip().lower() not in _AND or _FROM.search(lead):
                both = self._between(both, table)
            out[-1] = Span(out[-1].start, span.end, both)
        return out

    def _between(self, rows: Rows, table: int) -> Rows:
        """All rows dated from the first to the last of *rows*."""
        dated = self.evidence.dated(table)
        orders = sorted(dated[row].order for row in rows if row in dated)
        if not orders:
            return rows
        return rows | {row for row, moment in dated.items() if orders[0] <= moment.order <= orders[-1]}
