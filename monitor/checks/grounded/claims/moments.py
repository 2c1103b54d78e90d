"""
Dates, clock times, periods and years: where they come from, and whether they are those of the row that is named.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from monitor.checks.grounded import messages
from monitor.checks.grounded.claims.bind import Binding
from monitor.checks.grounded.claims.yearcells import YearCells
from monitor.checks.grounded.context.scope import NOWHERE, View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import clean
from monitor.checks.grounded.sources import Found, Sources
from monitor.checks.grounded.text.dates import Moment, moment_of, shared_parts
from monitor.checks.grounded.text.names import telling_words
from monitor.checks.grounded.text.zones import zone_of

MAX_CANDIDATES = 300
MAX_COLUMNS = MAX_HEADINGS = 60
MAX_ROWS = 5
"""A name of more rows says too little of which date is meant."""
_NONE: frozenset[int] = frozenset()
_LOCAL = re.compile(
    r"\b(?:local|[A-Z][a-z]+) time\b|\b(?:Orts|[A-Z][a-zé]+er )[Zz]eit\b|\bheure (?:locale|de )|\bhora (?:local|de )"
)
_RELATIVE = re.compile(
    r"\b(?:before|after|since|until|till|through|thru|between|earlier than|later than|by|prior to|as of|start\w*|from|to|vor|nach|seit|"
    r"bis|ab|zwischen|avant|après|depuis|jusqu\w*|entre|antes|después|desde|hasta|voor|na|sinds|tot|tussen|före|efter|sedan|"
    r"except|than|not|never|n't|no|kein\w*|nicht|pas|nunca|niet|geen|inte)\b[^.;,]{0,14}$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|without|except|kein\w*|nicht|nie|pas|jamais|nunca|niet|geen|inte)\b|n't\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+")


class Judged(NamedTuple):
    """The verdict on a date, time or period: *grounded*, where from or why not, the *cause* if undecided, the wrong span."""

    grounded: bool | None
    found: Found
    cause: str | None = None
    span: tuple[int, int] | None = None


class Moments:
    """Judges the dates, times, periods and years of one answer."""

    def __init__(self, answer: str, evidence: Evidence, sources: Sources) -> None:
        self.years = YearCells(evidence)
        self.answer, self.evidence, self.sources = answer, evidence, sources
        self._sentences: dict[int, Sentence] = {}
        self._zone: str | None = None
        self._zones: dict[int, str] = {}
        self._last: View | None = None

    # -- verdicts --------------------------------------------------------------------------------------------------

    def judge(self, view: View, moment: Moment) -> Judged:
        """The verdict on a date, time or period that the figure of *view* states."""
        moment = self._in_zone(view, moment)
        whole = self.sources.within(moment) if moment.first_day is not None else None
        if whole:
            return Judged(True, whole)
        explained = [self._explained(part, view) for part in _ends(moment)]
        if all(explained) and explained[0]:
            wrong = None if self.sources.given(moment) else self.misplaced(view, moment)
            if wrong is None or wrong.right is None:
                return Judged(True, explained[0])
            own = self.evidence.moment_at(wrong.right)
            span = self._wrong_part(view, moment, [own] if own else [])
            return Judged(False, messages.fault(self.evidence, wrong), span=span)
        elsewhere = self._other_zone(view, moment)
        if elsewhere:
            return Judged(False, elsewhere)
        token = self.sources.token(view, strict=False)
        if token:
            return Judged(True, token)
        cause = self.evidence.incomplete
        if cause:
            return Judged(None, Found({}, messages.UNDECIDED[cause]), cause)
        expected = self._expected(view, moment)
        own = self.evidence.moment_at(expected) if expected else None
        known = [own] if own else [other for other, _ in self.evidence.moments]
        span = self._wrong_part(view, moment, known)
        return Judged(False, messages.no_period(self.evidence, expected), span=span)

    def _in_zone(self, view: View, moment: Moment) -> Moment:
        """A time as the sentence means it: in a place's own time, where it says so; else in the answer's, if it fits."""
        if moment.minute is None or moment.offset is not None:
            return moment
        place = view.sentence.start
        if place not in self._zones:
            text = view.sentence.text
            self._zones[place] = zone_of(text) or ("local" if _LOCAL.search(text) else "")
        zone = self._zones[place]
        if zone:
            return moment._replace(local=True, zone="" if zone == "local" else zone)
        if self._zone is None:
            self._zone = zone_of(self.answer)
        there = moment._replace(zone=self._zone)
        return there if self._zone and not self.sources.moment(moment, view) else moment

    def _other_zone(self, view: View, moment: Moment) -> Found | None:
        """What stands against a time that is right in another zone than the one that is named."""
        given = self.sources.moment(moment._replace(zone="", local=False), view) if moment.zone else None
        place = moment.zone.rsplit("/", 1)[-1].replace("_", " ")
        return given and Found(given.source, f"{given.text}, which is another time in {place}", "time_zone")

    def wrong_year(self, view: View) -> Found | None:
        """What stands against a bare year: it is another row's than the one named."""
        moment = Moment(0, 0, year=int(view.figure.readings[0].value))
        wrong = self.misplaced(view, moment) or (None if self._relative(view) else self.years.misplaced(view))
        if wrong is None or self.sources.sets_year(moment) or self.sources.quoted(view, strict=False):
            return None
        return messages.fault(self.evidence, wrong)

    def _explained(self, moment: Moment, view: View) -> Found | None:
        return (
            self.sources.moment(moment, view)
            or self.sources.within(moment)
            or self.sources.noted(moment)
            or self._heading(moment)
            or self._by_year(moment)
        )

    def _heading(self, moment: Moment) -> Found | None:
        """A column that is a period (``2025-04``, ``Q1 2026``), or the stretch of such columns that holds it."""
        for table in self.evidence.tables:
            known = [
                (m, column) for column in table.columns[:MAX_HEADINGS] if (m := moment_of(column.replace("_", " ")))
            ]
            self.evidence.spend(len(known))
            for other, column in known:
                if moment.agrees(other):
                    source = {"kind": "heading", "table": table.name, "column": column}
                    return Found(source, f"stands in the heading {clean(column)}")
        return None

    def _by_year(self, moment: Moment) -> Found | None:
        """A period whose year alone, or whose week number alone, is given."""
        coarse = moment.day is None and moment.minute is None and moment.week is None
        if coarse and moment.year is not None and float(moment.year) in self.sources.years():
            return Found({"kind": "period"}, f"the year {moment.year} is the evidence's own")
        if moment.week is not None and moment.year is None:
            for text in self.evidence.texts():
                if str(moment.week) in _NUMBER.findall(text[:40]):
                    return Found({"kind": "cell", "value": text}, f"stands in {text[:40]}")
        return None

    # -- what the named row says -----------------------------------------------------------------------------------

    def misplaced(self, view: View, moment: Moment) -> Binding | None:
        """The cells that a date, time or year was taken from instead of the named row's own; None where it may be right."""
        if moment.first_day is not None or moment.last_week is not None or moment.last_year is not None:
            return None
        self.evidence.spend(len(self.evidence.moments))
        cells = [cell for other, cell in self.evidence.moments if moment.agrees(other)]
        cells = cells or self.sources.noted_at(moment)
        if not 0 < len(cells) <= MAX_CANDIDATES:
            return None
        rows = {table: self._rows(view, table) for table in {cell.table for cell in cells}}
        if not all(rows.values()):
            return None
        own = [cell for cell in cells if cell.row in rows[cell.table]]
        if own:
            return self._wrong_column(view, moment, own)
        if self._relative(view) or any(self._named_too(view, cell) for cell in cells):
            return None
        self.evidence.spend(len(cells) * MAX_ROWS)
        faults = [self._wrong_row(view, moment, cell, row) for cell in cells for row in sorted(rows[cell.table])]
        found = [fault for fault in faults if fault is not None]
        if len(found) < len(faults):
            return None
        return min(
            found, key=lambda fault: (fault.cell.column != fault.right.column if fault.right else True, fault.cell)
        )

    def _rows(self, view: View, table: int) -> frozenset[int]:
        """The few rows of *table* that the words surely name, by something else than dates; none where they may be others."""
        undated = self._undated(view)
        named = undated.named(table)
        if not 0 < len(named.rows) <= MAX_ROWS:
            return _NONE
        names = [
            mention
            for mention in undated.sentence.mentions()
            if any(c.table == table for c in mention.cells[:50])
            and any(map(str.isalpha, self.answer[mention.start : mention.end]))
        ]
        if not named.firm:
            names = [name for name in names if view.clause.start <= name.start < view.clause.end]
            names = [name for name in names if _surely(self.answer[name.start : name.end])]
        if not names and not undated.sentence.names() and undated.back is not None:
            names = undated.back.mentions()
        if len(named.rows) > 1:
            names = [name for name in names if all(c.column == 0 for c in name.cells[:50] if c.table == table)]
        return named.rows if names else _NONE

    def _undated(self, view: View) -> View:
        """The figure in its sentence, less the dates that may name rows."""
        if self._last is not None and self._last.figure is view.figure:
            return self._last
        sentence = self._sentences.get(view.sentence.start)
        if sentence is None:
            dates = {f.start for f in view.sentence.figures() if f.year or f.moment}
            clauses = [
                replace(c, mentions=[m for m in c.mentions if not m.period and m.start not in dates])
                for c in view.sentence.clauses
            ]
            sentence = replace(view.sentence, clauses=clauses)
            self._sentences[view.sentence.start] = sentence
        goes_on = view.back is not None and view.back.text.rstrip().endswith(";")
        self._last = View(view.figure, sentence, self.evidence, back=view.back if goes_on else None)
        return self._last

    def _named_too(self, view: View, cell: Cell) -> bool:
        """Whether some name in the sentence, but for those with a figure of their own, is one of the date's row too."""
        undated = self._undated(view)
        own = undated.clause
        clauses = [c for c in undated.sentence.clauses if c is own or not len(c.mentions) == 1 == len(c.figures)]
        names = [name for clause in clauses for name in clause.mentions]
        return any(c.table == cell.table and c.row == cell.row for name in names for c in name.cells[:MAX_CANDIDATES])

    def _relative(self, view: View) -> bool:
        """Whether the words in front only place something before, after or not at the date."""
        start = view.figure.start - view.sentence.start
        if _RELATIVE.search(view.sentence.text[max(0, start - 40) : start]):
            return True
        clause = self.answer[
            max(view.clause.start, view.figure.start - 200) : min(view.clause.end, view.figure.end + 80)
        ]
        return _NEGATED.search(clause) is not None

    def _wrong_row(self, view: View, moment: Moment, cell: Cell, row: int) -> Binding | None:
        """Another row's date, where the clause speaks of the named row or of the column, which say another one."""
        columns = {c: own for c, own in self._dates_of(cell.table, row) if _comparable(moment, own)}
        spoken = [column for column in columns if view.distance(self._name(cell.table, column)) < NOWHERE]
        chosen = spoken if len(spoken) == 1 else [column for column in spoken or columns if column == cell.column]
        if len(columns) == 1:
            chosen = list(columns)
        if not chosen:
            return None
        right = Cell(cell.table, row, chosen[0])
        beside = any(c.table == cell.table and c.row == row for m in view.clause.mentions for c in m.cells[:50])
        beside = beside or not self._undated(view).sentence.names()
        if not (beside or spoken) or self._said_too(view, columns[chosen[0]]) or self._in_row(view, right, moment):
            return None
        return Binding(cell, "wrong_row", right)

    def _dates_of(self, table: int, row: int) -> list[tuple[int, Moment]]:
        """(column, date) of a row."""
        width = min(MAX_COLUMNS, len(self.evidence.tables[table].columns))
        cells = [(column, self.evidence.moment_at(Cell(table, row, column))) for column in range(width)]
        return [(column, moment) for column, moment in cells if moment is not None]

    def _said_too(self, view: View, own: Moment) -> bool:
        """Whether the sentence states the row's own date as well, and not of another name."""
        clauses = [c for c in view.sentence.clauses if c is view.clause or all(m.period for m in c.mentions)]
        self.evidence.spend(sum(len(clause.figures) for clause in clauses))
        others = [figure for clause in clauses for figure in clause.figures if figure.start != view.figure.start]
        return any(
            (f.moment is not None and f.moment.agrees(own)) or (f.year and f.readings[0].value == own.year)
            for f in others
        )

    def _expected(self, view: View, moment: Moment) -> Cell | None:
        """The date that the only row named has in the only column that can be meant."""
        if self._relative(view):
            return None
        for table in range(len(self.evidence.tables)):
            rows = self._rows(view, table)
            for row in rows if len(rows) == 1 else ():
                columns = [column for column, own in self._dates_of(table, row) if _comparable(moment, own)]
                spoken = [column for column in columns if view.distance(self._name(table, column)) < NOWHERE]
                if len(spoken or columns) == 1:
                    return Cell(table, row, (spoken or columns)[0])
        return None

    def _in_row(self, view: View, right: Cell, moment: Moment) -> bool:
        """Whether the row has the date, or a stretch of years around it, inside a text, or the number in another cell."""
        row = self.evidence.tables[right.table].rows[right.row][:MAX_COLUMNS]
        for text in row:
            if isinstance(text, str) and self.sources.notes(text, moment):
                return True
        return bool(view.figure.readings) and any(
            self.evidence.value(right._replace(column=column)) == view.figure.readings[0].value
            for column in range(len(row))
        )

    def _wrong_column(self, view: View, moment: Moment, own: list[Cell]) -> Binding | None:
        """A date of the named row from another column than the one that the words before it name."""
        beside = frozenset(view.before[-4:])
        if any(not telling_words(self._name(cell.table, cell.column)).isdisjoint(view.near()) for cell in own):
            return None
        for column, other in self._dates_of(own[0].table, own[0].row):
            if not telling_words(self._name(own[0].table, column)).isdisjoint(beside) and _comparable(moment, other):
                return Binding(own[0], "wrong_column", own[0]._replace(column=column))
        return None

    def _name(self, table: int, column: int) -> str:
        return self.evidence.tables[table].columns[column]

    # -- which part is wrong -----------------------------------------------------------------------------------------

    def _wrong_part(self, view: View, moment: Moment, known: list[Moment]) -> tuple[int, int] | None:
        """The span of the day or of the year in the answer, where all else agrees with one of *known*; None: the whole."""
        figure = view.figure
        if moment.day is None or moment.month is None or moment.first_day is not None or moment.swapped:
            return None
        day = moment._replace(day=None)
        if moment.year is None or any(day.agrees(other) and other.day is not None for other in known):
            if any(day.agrees(other) and other.month is not None for other in known):
                return _part(figure.text, figure.start, moment.day, 2)
            return None
        year = moment._replace(year=None)
        if any(year.agrees(other) and other.year is not None for other in known):
            return _part(figure.text, figure.start, moment.year, 4)
        return None


def _surely(name: str) -> bool:
    """Whether *name* is written as only names are: in several words, with a capital, or in another script."""
    return " " in name or not name.islower() or not name.isascii()


def _part(text: str, start: int, value: int, digits: int) -> tuple[int, int] | None:
    """Where the number *value* stands in *text*, in the only place where it can."""
    spans = [found.span() for found in _NUMBER.finditer(text) if int(found[0]) == value and len(found[0]) <= digits]
    return (start + spans[0][0], start + spans[0][1]) if len(spans) == 1 else None


def _ends(moment: Moment) -> list[Moment]:
    """A date or period, and where it starts or ends if it is a range of more than a season (``2016-17``)."""
    parts = [moment]
    if moment.first_day is not None:
        parts.append(moment._replace(day=moment.first_day, first_day=None))
    if moment.last_week is not None:
        parts.append(moment._replace(week=moment.last_week, last_week=None))
    if moment.last_year is not None and moment.year is not None and moment.last_year > moment.year + 1:
        parts.append(moment._replace(year=moment.last_year, last_year=None))
    return parts


def _comparable(stated: Moment, own: Moment) -> bool:
    """Whether two dates or times say something of the same parts, and not the same."""
    pairs = shared_parts(stated, own)
    return bool(pairs) and any(one != other for one, other in pairs)
