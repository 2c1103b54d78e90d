"""
Claims about extremes: a figure said to be the highest, the lowest or a bound of a range must be so, over the rows named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.periods import Periods, Rows
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.context.superlatives import LOOK, Claim, claim, dated, may_claim
from monitor.checks.grounded.derivations.operands import is_key
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import column_label, is_total, row_label, shown
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.figures import Figure, Reading
from monitor.checks.grounded.text.names import WORD, column_words, stem, telling_words

MAX_COLUMNS = 60
MAX_CANDIDATES = 300
MAX_DAYS = 31
"""Of so many days a claim may be about any, where the words do not settle which."""
Side = Literal["high", "low"]
FEWEST = 2
"""A column of fewer values has no highest one."""
_COMPARING = (units.TIMES, units.POINTS, units.BASIS)
_PLACES = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}


CLAIM = 300
"""Steps that it takes to find out what one claim speaks of."""


class Judged(NamedTuple):
    """Whether a claim *holds*, and what shows it."""

    holds: bool
    found: Found


class Extremum(NamedTuple):
    """The highest or lowest value of a column over some rows, or that in a later *place*."""

    cell: Cell
    value: float
    side: Side
    place: int = 1


class Extremes:
    """Judges the claims about extremes in one answer."""

    def __init__(self, evidence: Evidence, sentences: list[Sentence]) -> None:
        self.evidence = evidence
        self.periods = Periods(evidence, sentences)
        self._claims: dict[int, bool] = {}
        self._measures: dict[tuple[int, int], bool] = {}
        self._columns_by_row: dict[tuple[int, int], dict[int, float]] = {}
        self._ranked: dict[tuple[int, int, Rows | None], list[tuple[float, int]]] = {}

    def judge(self, view: View) -> Judged | None:
        """Whether the figure of *view* is the extremum that the words say; None where they say nothing, or not of what."""
        figure = view.figure
        if not figure.readings or figure.year or figure.fraction or figure.bound == "at_least":
            return None
        said = claim(figure, view.sentence) if self._may_claim(view) else None
        if said is None:
            return None
        self.evidence.spend(CLAIM)
        wrong: list[tuple[Extremum, Rows | None]] = []
        for t in self._tables(view):
            columns = self._columns(view, said, t)
            sets, clear = self._rows(view, t, said) if columns else ([None], False)
            if not sets:
                return None
            clear = clear and any(said.word not in column_words(self.evidence.tables[t].columns[c]) for c in columns)
            for rows in sets:
                found = [e for c in columns if (e := self._extremum(t, c, rows, _side(figure, said), said.place))]
                true = next((e for e in found if self._fits(figure, said, e)), None)
                if true:
                    return Judged(True, self._says(true, rows))
                wrong += [(e, rows) for e in found if clear]
        if (
            wrong
            and _POOLED.search(view.sentence.text)
            and not any(self._holding(view, e.cell.table) for e, _ in wrong)
        ):
            return None
        if not wrong or any(self._scaled(figure, e) for e, _ in wrong) or _FILTERS.search(_rest(view)):
            return None
        return Judged(False, self._denies(*wrong[0]))

    def judge_date(self, view: View) -> Judged | None:
        """Against a date on which something is said to be highest or lowest: when it was so; else None."""
        said = dated(view.figure, view.sentence) if self._may_claim(view) else None
        mentions = [m for m in view.sentence.mentions() if m.period and m.start == view.figure.start]
        if said is None or not mentions:
            return None
        for t in self._tables(view):
            rows = frozenset(cell.row for cell in mentions[0].cells if cell.table == t)
            columns = self._columns(view, said, t) if rows else []
            if said.local and any(self._stands(view, said, t, c, rows) for c in columns):
                return None
            frames = (None, *self.periods.scope(view, t).sets)
            found = [
                (e, f) for c in columns for f in frames if (e := self._extremum(t, c, f, _side(view.figure, said)))
            ]
            if found and not any(self._reached(one, rows) for one, _ in found):
                return Judged(False, self._denies(*found[0]))
        return None

    def _may_claim(self, view: View) -> bool:
        """Whether the sentence has a word for a claim; looking for it takes as long as the sentence has figures."""
        known = self._claims.get(view.sentence.start)
        if known is None:
            known = self._claims[view.sentence.start] = may_claim(view.sentence.text)
        if known:
            self.evidence.spend(1 + len(view.sentence.figures()) // 8)
        return known

    def _tables(self, view: View) -> Iterator[int]:
        """The results whose rows are all there, or of whose rows the sentence says that they are those shown."""
        shown_only = _SHOWN.search(view.sentence.text) is not None
        for t, table in enumerate(self.evidence.tables):
            rows = len(table.rows) - table.header_rows
            cut = table.truncated or (table.row_count or 0) > len(table.rows) or (table.limit or rows + 1) <= rows
            whole = shown_only or not (cut or self.evidence.incomplete)
            if table.is_result and not table.earlier and rows >= FEWEST and whole:
                yield t

    def _stands(self, view: View, said: Claim, t: int, c: int, rows: Rows) -> bool:
        """Whether a figure between the claim and its date is the highest or lowest of the date itself."""
        start, end = said.start + view.sentence.start, view.figure.start
        own = self._extremum(t, c, rows, _side(view.figure, said))
        between = [f for f in view.sentence.figures() if start <= f.start < end and f.readings and not f.year]
        return own is not None and any(match.fits(f, own.value, self._unit(f, t, c)) for f in between)

    def _reached(self, found: Extremum, rows: Rows) -> bool:
        """Whether one of *rows* has the extremum's value."""
        cells = self._cells(found.cell.table, found.cell.column)
        return any(cells.get(row) == found.value for row in rows)

    # -- columns -------------------------------------------------------------------------------------------------------

    def _columns(self, view: View, said: Claim, t: int) -> list[int]:
        """The columns that the claim may be about: those it names, else those where its figure stands."""
        table = self.evidence.tables[t]
        numeric = [
            c
            for c, name in enumerate(table.columns[:MAX_COLUMNS])
            if not is_key(name) and self._measure(t, c) and self._unit_fits(view.figure, t, c)
        ]
        unit = view.figure.unit.partition("/")[0]
        same = [c for c in numeric if unit and self.evidence.unit(self._first(t, c)).partition("/")[0] == unit]
        numeric = same or numeric
        words = self._words(view, said)
        scores = {
            c: len(_shared(name, words))
            for c, name in enumerate(table.columns[:MAX_COLUMNS])
            if self.evidence.column(t, c)
        }
        best = max((scores[c] for c in numeric), default=0)
        if not numeric or not scores or best < max(scores.values()) or _DERIVED.search(self._claimed(view, said)):
            return []
        if best:
            return [c for c in numeric if scores[c] == best]
        if not view.figure.readings:
            return numeric if len(numeric) == 1 else self._stated_after(view, t, numeric)
        if said.caps or (said.noun and len(numeric) > 1):
            return []
        holding = self._holding(view, t)
        return [c for c in numeric if c in holding]

    def _stated_after(self, view: View, t: int, numeric: list[int]) -> list[int]:
        """Those of *numeric* in which the next figure after a date stands (``a peak in week 15 with 60,340``)."""
        later = [f for f in view.sentence.figures() if f.start >= view.figure.end and f.readings and not f.year][:1]
        values = ((c, value) for c in numeric for value in self._cells(t, c).values())
        return sorted({c for c, value in values if later and match.fits(later[0], value, self._unit(later[0], t, c))})

    def _holding(self, view: View, t: int) -> set[int]:
        """The columns in which the figure's value stands."""
        cells = islice(match.candidates(view.figure, self.evidence, turned=False, raw=False), MAX_CANDIDATES)
        return {cell.column for cell, _ in cells if cell.table == t}

    def _first(self, t: int, c: int) -> Cell:
        """The first cell of a column that holds a number."""
        return Cell(t, self.evidence.column(t, c)[0][0], c)

    def _unit_fits(self, figure: Figure, t: int, c: int) -> bool:
        unit = self.evidence.tables[t].units[c].unit
        if not unit and (
            figure.unit in _COMPARING or (figure.unit == units.PERCENT and self.evidence.tables[t].counts[c])
        ):
            return False
        return units.factor(unit, figure.unit) is not None

    def _measure(self, t: int, c: int) -> bool:
        """Whether a column holds numbers, with few texts among them."""
        known = self._measures.get((t, c))
        if known is None:
            table = self.evidence.tables[t]
            numbers = len(self.evidence.column(t, c))
            texts = (
                sum(1 for row in table.rows[table.header_rows :] if c < len(row) and row[c] not in ("", None)) - numbers
            )
            known = self._measures[t, c] = numbers >= FEWEST and texts * 4 <= numbers
        return known

    def _words(self, view: View, said: Claim) -> frozenset[str]:
        """The words, whole and stemmed, of the claim."""
        found = [word.lower() for word in WORD.findall(self._claimed(view, said))]
        return frozenset(found) | frozenset(map(stem, found))

    def _claimed(self, view: View, said: Claim) -> str:
        """The claim: from its subject to the figure, and what follows the figure."""
        sentence, figure = view.sentence, view.figure
        start, end = figure.start - sentence.start, figure.end - sentence.start
        stop = min((f.start - sentence.start for f in sentence.figures() if f.start >= figure.end), default=end + 60)
        after = _NOUN_END.split(sentence.text[end : min(stop, end + 60)], maxsplit=1)[0]
        first = max(
            (f.end - sentence.start for f in sentence.figures() if f.end - sentence.start <= said.start), default=0
        )
        subject = _SUBJECT.search(sentence.text[max(first, said.start - LOOK) : said.start])
        return f"{subject[0] if subject else ''} {sentence.text[said.start : start]} {after}"

    def _unit(self, figure: Figure, t: int, c: int) -> str:
        unit = self.evidence.tables[t].units[c].unit
        if not unit and figure.unit == units.PERCENT and self.evidence.holds_ratios(t, c) and not self.evidence.percent:
            return "ratio"
        return unit

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _rows(self, view: View, t: int, said: Claim) -> tuple[list[Rows | None], bool]:
        """The sets of rows that the claim may be about (None for all), and whether it is clear that it is one of them."""
        scope = self.periods.scope(view, t)
        if scope.unknown:
            return [], False
        sets: list[Rows | None] = list(scope.sets)
        groups = self._groups(view, said, t)
        if not scope.told or _contrasted(view, said):
            sets.append(None)
        days = self.periods.days(t) if scope.vague else {}
        if len(days) <= MAX_DAYS:
            sets += [frozenset(rows) for rows in days.values()]
        for rows in groups:
            sets += [rows, *(rows & one for one in scope.sets if rows & one)]
        return sets, not scope.vague or 0 < len(days) <= MAX_DAYS

    def _groups(self, view: View, said: Claim, t: int) -> list[Rows]:
        """The rows that each name in the sentence covers, but for one that is said to hold the extremum."""
        out: list[Rows] = []
        text, base = view.sentence.text, view.sentence.start
        for mention in view.sentence.mentions()[:MAX_CANDIDATES]:
            if mention.period or mention.start == view.figure.start:
                continue
            rows = frozenset(cell.row for cell in mention.cells if cell.table == t)
            start, end = mention.start - base, mention.end - base
            after = said.start == view.figure.start - base
            held = (after or said.start < start) and end <= view.figure.start - base and len(rows) == 1
            holder = held and not _WITHIN.search(text[:start])
            if end <= said.start and said.start < view.figure.start - base:
                holder = _HOLDS.fullmatch(text[end : said.start]) is not None
            if rows and not holder:
                out.append(rows)
        return out

    # -- extrema -------------------------------------------------------------------------------------------------------

    def _fits(self, figure: Figure, said: Claim, found: Extremum) -> bool:
        """Whether the figure states the extremum."""
        unit = self._unit(figure, found.cell.table, found.cell.column)
        if said.side == "both" and figure.bound in ("", "about"):
            figure = _outward(figure, found.side)
        return match.fits(figure, found.value, unit)

    def _cells(self, t: int, c: int) -> dict[int, float]:
        """The numbers of a column by row."""
        known = self._columns_by_row.get((t, c))
        if known is None:
            known = self._columns_by_row[t, c] = dict(self.evidence.column(t, c))
        return known

    def _scaled(self, figure: Figure, found: Extremum) -> bool:
        """Whether the figure may state the extremum in a magnitude that the evidence declares."""
        scales = self.evidence.scales | self.evidence.column_scales
        return any(match.fits(figure, found.value / scale) for scale in scales)

    def _extremum(self, t: int, c: int, rows: Rows | None, side: Side, place: int = 1) -> Extremum | None:
        """The highest or lowest value, or that in a later *place*, of a column over *rows* (None for all), totals left out."""
        key = (t, c, rows)
        values = self._ranked.get(key)
        if values is None:
            cells = self._cells(t, c)
            self.evidence.spend(len(cells) if rows is None else len(rows))
            chosen = cells if rows is None else rows & cells.keys()
            values = self._ranked[key] = sorted(
                (cells[row], row) for row in chosen if not is_total(self.evidence, t, row)
            )
        if len(values) < place:
            return None
        value, row = values[-place] if side == "high" else values[place - 1]
        return Extremum(Cell(t, row, c), value, side, place)

    # -- words ---------------------------------------------------------------------------------------------------------

    def _phrase(self, found: Extremum, rows: Rows | None) -> str:
        column = column_label(self.evidence.tables[found.cell.table], found.cell.column)
        side = "highest" if found.side == "high" else "lowest"
        place = f"{_PLACES[found.place]} " if found.place > 1 else ""
        return f"the {place}{side} {column}{'' if rows is None else ' of the rows named'}"

    def _source(self, found: Extremum) -> dict[str, object]:
        table = self.evidence.tables[found.cell.table]
        return {
            "kind": "derived",
            "derivation": "maximum" if found.side == "high" else "minimum",
            "cells": [{"table": table.name, "row": found.cell.row, "column": table.columns[found.cell.column]}],
        }

    def _says(self, found: Extremum, rows: Rows | None) -> Found:
        label = row_label(self.evidence, found.cell.table, found.cell.row)
        return Found(self._source(found), f"{self._phrase(found, rows)}, {label}'s")

    def _denies(self, found: Extremum, rows: Rows | None) -> Found:
        label = row_label(self.evidence, found.cell.table, found.cell.row)
        text = f"{self._phrase(found, rows)} is {label}'s {shown(self.evidence.raw(found.cell))}"
        return Found(self._source(found), text, "wrong_extreme")


def _contrasted(view: View, said: Claim) -> bool:
    """Whether the periods before a claim stand in another part of its sentence (``A peaked in May, whereas B ranged from``)."""
    periods = [m.end - view.sentence.start for m in view.sentence.mentions() if m.period and m.end <= view.figure.start]
    return bool(periods) and _CONTRAST.search(view.sentence.text[max(periods) : max(said.start, *periods)]) is not None


def _rest(view: View) -> str:
    """What follows the figure in its sentence."""
    return view.sentence.text[view.figure.end - view.sentence.start :][:120]


def _side(figure: Figure, said: Claim) -> Side:
    """Which side a figure claims; of the bounds of a range the smaller is the low one."""
    if said.side != "both" or said.partner is None:
        return "low" if said.side == "low" else "high"
    own, other = figure.readings[0].value, said.partner.readings[0].value
    return "low" if own < other or (own == other and figure.start < said.partner.start) else "high"


def _outward(figure: Figure, side: str) -> Figure:
    """A bound of a range as it may be rounded: to the nearest, or so that the range holds every value."""
    shift = 0.5 if side == "low" else -0.5
    return figure._replace(
        readings=tuple(Reading(value + shift * half, 1.5 * half) for value, half in figure.readings),
        bound="",
    )


_CONTRAST = re.compile(
    r";|\b(?:whereas|while|but|während|aber|tandis|mais|mientras|pero|terwijl|maar)\b|,\s(?:and|und|et|y|en|och)\s",
    re.IGNORECASE,
)
_FILTERS = re.compile(
    r"\b(?:when|where|whose|who|if|among|amongst|named|except|excluding|(?<!, )with(?=\s)|wenn|wo|unter|parmi|lorsque|quand|cuando|"
    r"entre|wanneer|waar)\b",
    re.IGNORECASE,
)
"""What narrows the rows in a way that is not worked out."""
_POOLED = re.compile(
    r"\b(?:total(?:e|s|es)?|overall|combined|altogether|together|sums?|averag\w*|mean|gesamt\w*|insgesamt|zusammen|durchschnitt\w*|"
    r"moyen\w*|somme|promedios?|media|suma|gemiddeld\w*|totaal|samen)\b",
    re.IGNORECASE,
)
"""Words by which a figure may be the highest of sums or averages over groups of rows."""
_SHOWN = re.compile(
    r"\b(?:these|shown|listed|returned|displayed|gezeigt\w*|angezeigt\w*|diese[nr]?|affich\w*|ces|mostrad\w*|est[ao]s|getoond\w*|deze)\b",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"(?:['’]s|,)?\s?(?:again\s)?(?:is|was|are|were|has|had|have|recorded|hat|hatte|ist|war|a|est|avait|tiene|tuvo|es|fue|heeft|had|is)\s"
    r"(?:the|den|die|das|der|le|la|el|de|het)\s(?:\w{1,20}\s)?",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:in|at|for|of|within|from|bei|für|von|im|pour|chez|de|du|en|para|van|voor|bij)\s(?:the\s)?$", re.IGNORECASE
)
_NOUN_END = re.compile(
    r"[,;:.()]|\b(?:on|in|at|with|and|for|while|when|from|to|as|am|im|mit|und|et|en|avec|y|con|met)\b"
)


_SUBJECT = re.compile(
    r"(?:(?!(?:and|with|while|und|mit|et|avec|y|con|en|met|but)\s)[^\W\d][\w'’-]{0,30}\s){0,7}\Z", re.IGNORECASE
)
"""The words in front of a claim, back to the last mark or conjunction."""


_DERIVED = re.compile(
    r"\b(?:shares?|increases?|decreases?|declines?|drops?|jumps?|growth|changes?|gaps?|rises?|falls?|swings?|improvements?|more|less|fewer|faster|slower|higher|lower|longer|shorter|better|worse|cheaper|mehr|weniger|moins|más|menos|meer|minder|"
    r"anteil\w*|zuwachs|rückgang|anstieg|parts?|hausse|baisse|écart|cuota|aumento|caída|aandeel|groei|daling|stijging)\b",
    re.IGNORECASE,
)
"""What is worked out of a column rather than read from it."""


def _shared(column: str, words: frozenset[str]) -> set[str]:
    """The telling words of a column that are among *words*; a short form of one counts (``temp`` for ``temperature``)."""
    out = set()
    for word in telling_words(column):
        if word in words or (len(word) > 3 and any(other.startswith(word) for other in words)):
            out.add(word)
    return out
