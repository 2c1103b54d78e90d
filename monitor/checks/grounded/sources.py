"""
Where a figure may come from besides a cell, a count or a derivation: texts, the query's arguments, names, dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.limits import counted, narrows, sets_limit, since
from monitor.checks.grounded.context.periodnames import days
from monitor.checks.grounded.context.scope import View, nearness
from monitor.checks.grounded.context.spoken import Spoken
from monitor.checks.grounded.context.wording import ending, kinship, one_of, states
from monitor.checks.grounded.evidence.arguments import arguments_in, literals
from monitor.checks.grounded.evidence.index import Cell, Evidence, Source, reading
from monitor.checks.grounded.evidence.labels import clean, column_label, is_
from monitor.checks.grounded.evidence.timefilters import Filters, day_before, filters
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.dates import Moment, moments_within
from monitor.checks.grounded.text.figures import Figure, find_figures
from monitor.checks.grounded.text.names import stem, words_in

_PER = re.compile(r"(?:\b(?:per|every|each|je|pro|por|cada|par|pour|op|på|na)\s|[每毎])$", re.IGNORECASE)
_BASES = frozenset([100.0, 1e3, 1e4, 1e5, 1e6])
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_CODE = re.compile(r"[^\W\d_]{1,6}[-_]?\d{1,4}")
"""A short name with a number, of which no count is a part (``TH-3``)."""
_GLUED = re.compile(r"[^\W\d_]\d")
INSTRUCTIONS = "instructions"
"""What recordings call the text that an agent was given to go by."""
MAX_SAME = 200
"""So many cells with the same date are looked at."""


class Found(NamedTuple):
    """Where a figure comes from, for machines and for people; the *fault* (see faults) where that is not what it says."""

    source: dict[str, Any]
    text: str
    fault: str = ""


class Sources:
    """Looks the figures of one answer up in texts, arguments and names."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._dated: list[tuple[str, tuple[Moment, ...]]] | None = None
        self._literals: list[float | Moment] | None = None
        self._filters: Filters | None = None
        self._agreeing: dict[Moment, list[tuple[Moment, Cell]]] = {}
        self._spoken = Spoken(evidence)
        self.meant: Callable[[Source, Figure], bool] | None = None
        """Whether the question of a bare answer means a figure of a text."""
        self._stated: dict[str, tuple[Figure, ...]] = {}
        self._given: list[tuple[str, float | Moment]] | None = None

    # -- texts -----------------------------------------------------------------------------------------------------

    def quoted(
        self, view: View, *, strict: bool, where: Callable[[Source, Figure], bool] | None = None
    ) -> Found | None:
        """
        The text that states the figure, of several the one with most of the answer's own words around it.

        *strict*: one that states it of the same thing, by the word beside it; *where*: only one of which this is true.
        """
        where = where or self.meant
        best: Found | None = None
        most = (-1, False)
        for source in self.evidence.sources:
            self.evidence.spend(1 + 3 * len(source.figures()))
            for other in source.figures():
                if self._gives(view, source, other, strict=strict) and (where is None or where(source, other)):
                    akin = kinship(view, source, other), source.kind == "question"
                    if akin > most:
                        best, most = _quoted(source, other), akin
        if best or strict:
            return best
        one = one_of(view, self.evidence)
        return Found({"kind": one.kind, "name": one.name}, f"“one” stands in {_where(one)}") if one else None

    def _gives(self, view: View, source: Source, other: Figure, *, strict: bool) -> bool:
        """Whether *other*, a figure of *source*, is what the figure of *view* states; a bare year also by a date of it."""
        figure = view.figure
        if other.moment is not None:
            dated = other.moment.year, other.moment.last_year
            if figure.year and not strict and figure.readings[0].value in dated:
                return True
            if not other.readings:
                return False
        return self._states(figure, other, source) and (not strict or _same_thing(view, source, other))

    def about(self, view: View) -> Found | None:
        """A definition, instruction or question that states the figure in the answer's own words."""
        beside = {word for word in (*view.before[-6:], *view.after[:4]) if len(word) > 3}
        for source in self.evidence.sources:
            for other in source.figures() if source.kind in ("definition", "question") else ():
                if other.readings and other.unit == view.figure.unit and self._states(view.figure, other, source):
                    around = source.text[max(0, other.start - 60) : other.end + 60]
                    if not beside.isdisjoint(words_in(around)):
                        return _quoted(source, other)
        return None

    def _states(self, figure: Figure, other: Figure, source: Source) -> bool:
        """Whether *other*, in a text, is what *figure* states."""
        if units.is_money(figure.unit) and not other.unit and source.kind == "definition":
            return False
        if figure.bound in ("", "exactly", "at_least", "at_most") or other.bound:
            exact = figure.bound in ("at_least", "at_most") or other.bound
            plain = figure._replace(bound="") if exact else figure
            return any(match.fits(plain, reading.value, other.unit) for reading in other.readings)
        return any(
            match.fits(figure, reading.value, other.unit)
            or match.fits(figure._replace(bound=""), reading.value, other.unit)
            for reading in other.readings
        )

    # -- arguments ---------------------------------------------------------------------------------------------------

    def argument(self, view: View, *, strict: bool) -> Found | None:
        """The query's own arguments, and for a year the dates in cells."""
        figure = view.figure
        self.evidence.spend(3 * len(self.arguments()))
        for name, value in self.arguments():
            if literal_fits(figure, self._in_period(value)):
                return Found({"kind": "argument", "name": name}, f"the query's own {clean(name) or 'argument'}")
        if figure.year and not strict:
            wanted = figure.readings[0].value
            for moment, cell in self.evidence.moments:
                if wanted in (moment.year, moment.last_year):
                    table = self.evidence.tables[cell.table]
                    source = {
                        "kind": "cell",
                        "table": table.name,
                        "row": cell.row,
                        "column": table.columns[cell.column],
                    }
                    return Found(source, f"stands in the column {column_label(table, cell.column)}")
        return None

    def sql(self, view: View, *, strict: bool) -> Found | None:
        """Literals of the queries' SQL, read only for a figure that nothing else explains."""
        if strict:
            return None
        self.evidence.spend(3 * len(self.sql_literals()))
        for value in self.sql_literals():
            if literal_fits(view.figure, self._in_period(value)):
                return Found({"kind": "argument", "name": "sql"}, "a literal of the query's own SQL")
        return None

    def arguments(self) -> list[tuple[str, float | Moment]]:
        """(name, value) of the numbers and dates among the queries' own arguments."""
        if self._given is None:
            self._given = [found for value in self.evidence.given for found in arguments_in(value)]
        return self._given

    def sql_literals(self) -> list[float | Moment]:
        """Numbers and dates that stand as literals in the queries' SQL."""
        if self._literals is None:
            self._literals = [
                value for facts in self.evidence.facts() for literal in facts.literals for value in literals(literal)
            ]
        return self._literals

    # -- the answer itself ---------------------------------------------------------------------------------------------

    def condition(self, view: View, *, strict: bool) -> Found | None:
        """What the sentence itself sets: the threshold of a count (3 wards are above 90 %), the base of a rate (per 1,000)."""
        figure = view.figure
        if is_base(view):
            return Found({"kind": "condition"}, "the base of a rate, set by the sentence itself")
        if strict or not (sets_limit(figure) or since(view)):
            return None
        if self._set_otherwise(view):
            return None
        value = figure.readings[0].value if figure.readings else 0.0
        narrow = narrows(view)
        for cell in self.evidence.between(value, value)[:MAX_SAME]:
            property_ = narrow or self.evidence.mixed(cell.table, cell.column)
            if property_ and match.unit_fits(figure, self.evidence, cell):
                return Found(self._cell(cell), is_(self.evidence, cell))
        return Found({"kind": "condition"}, "a threshold that the sentence itself sets") if counted(view) else None

    def _set_otherwise(self, view: View) -> bool:
        """Whether the question sets another threshold of the same thing, and no result holds what could be counted anew."""
        figure, after = view.figure, view.after[:1]
        if (
            not figure.unit
            or not after
            or any(u.unit == figure.unit for table in self.evidence.tables for u in table.units)
        ):
            return False
        for source in self.evidence.sources:
            for other in source.figures() if source.kind == "question" else ():
                alike = other.unit == figure.unit and other.bound == figure.bound and bool(other.readings)
                if alike and words_in(source.text[other.end : other.end + 40])[:1] == after:
                    return other.readings[0].value != figure.readings[0].value
        return False

    def token(self, view: View, *, strict: bool) -> Found | None:
        """A number inside a text cell, a heading or, if it is long, a text: a name, a code, a note."""
        figure = view.figure
        written = figure.text.strip()
        if figure.unit or figure.bound:
            digits = _DIGITS.search(written)
            written = digits[0] if digits else ""
        if not written or (len(written) < 2 and not figure.readings):
            return None
        short = (figure.unit or figure.bound) and sum(char.isdigit() for char in written) < 3
        if not short or any(_stated_in(column.replace("_", " "), figure) for column in self._headings(written)):
            found = self._in_name(written)
            if found:
                return found
        texts = self.evidence.texts()
        self.evidence.spend(1 + len(texts) // 2)
        tells = (
            len(texts) <= MAX_SAME
            and bool(figure.readings)
            and (figure.factor != 1.0 or sum(char.isdigit() for char in figure.text) > 1)
        )
        counts = not (figure.unit or figure.bound) and len(written) < 3 and self._spoken.unheard_of(view.noun[:2])
        for key in texts:
            holds = _holds(key, written) and not (short and not _stated_in(key, figure))
            if not holds and not (tells and _DIGITS.search(key) and self._states_own(key, figure)):
                continue
            if counts and _CODE.fullmatch(key):
                continue
            cells = self.evidence.holding(key)
            if not strict or any(cell.row in view.named(cell.table).rows for cell in cells):
                return Found({**self._cell(cells[0]), "value": key}, f"stands in “{clean(key)}”")
        notes = {} if strict else self.evidence.notes()
        self.evidence.spend(2 * len(notes))
        for text, cell in notes.items():
            if _holds(text, written) and (not short or _stated_in(text, figure)):
                return Found({**self._cell(cell), "value": clean(text)}, f"stands in “{clean(text)}”")
        return None

    def _states_own(self, text: str, figure: Figure) -> bool:
        """Whether a text cell states the figure in another form (``$1722 (body)`` for ``$1,722``). Parsed once."""
        if text not in self._stated:
            self.evidence.spend(reading(text) + 8)
            self._stated[text] = tuple(f for f in find_figures(text[:200], words=False) if f.readings)
        return states(self._stated[text], figure)

    def ending(self, view: View, *, strict: bool) -> Found | None:
        """The last digits of a name or id, where the words call them that."""
        name = None if strict else ending(view, self.evidence)
        return Found({"kind": "cell", "value": name}, f"the last digits of {name}") if name else None

    def _headings(self, written: str) -> list[str]:
        """The headings that hold a number."""
        return [c for table in self.evidence.tables for c in table.columns[:60] if _holds(c, written)]

    def _in_name(self, written: str) -> Found | None:
        """A heading that holds the number, or, for a long one, a text."""
        for table in self.evidence.tables:
            for column in table.columns[:60]:
                if _holds(column, written) and (len(written) > 1 or not _GLUED.search(column)):
                    source = {"kind": "heading", "table": table.name, "column": column}
                    return Found(source, f"stands in the heading {clean(column)}")
        for text in self.evidence.sources if len(written) >= 4 and written.isdigit() else ():
            if _holds(text.text, written):
                return Found({"kind": text.kind, "name": text.name}, f"“{written}” stands in {_where(text)}")
        return None

    def _cell(self, cell: Cell) -> dict[str, Any]:
        table = self.evidence.tables[cell.table]
        return {"kind": "cell", "table": table.name, "row": cell.row, "column": table.columns[cell.column]}

    # -- dates -------------------------------------------------------------------------------------------------------

    def moment(self, moment: Moment, view: View) -> Found | None:
        """Where a date, time or period stands: of several cells the one that the words beside it name."""
        self.evidence.spend(2 * len(self.evidence.moments) + len(self.arguments()))
        plain = moment._replace(start=0, end=0)
        found = self._agreeing.get(plain)
        if found is None:
            found = [(other, cell) for other, cell in self.evidence.moments if plain.agrees(other)][:MAX_SAME]
            self._agreeing[plain] = found
        if found:
            keys = nearness(view, [cell for _, cell in found])
            order = [
                (other._replace(start=0, end=0) != plain, key) for (other, _), key in zip(found, keys, strict=True)
            ]
            cell = found[order.index(min(order))][1]
            source = {**self._cell(cell), "value": self.evidence.raw(cell)}
            return Found(source, is_(self.evidence, cell))
        return self.given(moment)

    def noted(self, moment: Moment) -> Found | None:
        """A longer text cell in which a date or period stands."""
        cells = self.noted_at(moment)
        if not cells:
            return None
        text = self.evidence.raw(cells[0])
        return Found({**self._cell(cells[0]), "value": text}, f"stands in “{clean(text)}”")

    def noted_at(self, moment: Moment) -> list[Cell]:
        """The cells with a longer text in which a date or period stands."""
        if self._dated is None:
            texts = [text for text in self.evidence.texts() if _DIGITS.search(text)]
            self.evidence.spend(sum(reading(text) + 8 for text in texts))
            self._dated = [(text, dates) for text in texts if (dates := tuple(moments_within(text)))]
        self.evidence.spend(len(self._dated))
        found = [text for text, dates in self._dated if any(moment.agrees(other) for other in dates)]
        return [cell for text in found[:MAX_SAME] for cell in self.evidence.holding(text)]

    @staticmethod
    def notes(text: str, moment: Moment) -> bool:
        """Whether a text states *moment*, or years before and after it."""
        found = moments_within(text[:200])
        if any(moment.agrees(other) for other in found):
            return True
        years = [year for other in found for year in (other.year, other.last_year) if year is not None]
        return len(years) > 1 and moment.year is not None and min(years) <= moment.year <= max(years)

    @property
    def filters(self) -> Filters:
        """The periods that the queries filter on."""
        if self._filters is None:
            self._filters = filters(self.evidence.sqls, self.evidence.given)
        return self._filters

    def _agrees(self, moment: Moment, value: Moment) -> bool:
        """Whether *moment* is a literal's; one that only ends a period means the day before it, unless it is written out."""
        if moment.agrees(value) and moment.day is not None:
            return True
        return moment.agrees(self._in_period(value))

    def _in_period(self, value: float | Moment) -> Any:
        """A literal, or the day before one that only ends a period (``< 2024-07-01``)."""
        if not isinstance(value, Moment) or value.day is None:
            return value
        return day_before(value) if (value.year, value.month, value.day) in self.filters.open_ends else value

    def given(self, moment: Moment) -> Found | None:
        """The argument, text or SQL literal that gives a date, time or period."""
        self.evidence.spend(2 * len(self.arguments()) + len(self.sql_literals()))
        for name, value in self.arguments():
            if isinstance(value, Moment) and self._agrees(moment, value):
                return Found({"kind": "argument", "name": name}, f"the query's own {clean(name) or 'argument'}")
        for source_ in self.evidence.sources:
            self.evidence.spend(1 + len(source_.figures()))
            for figure in source_.figures():
                if figure.moment is not None and moment.agrees(figure.moment):
                    return _quoted(source_, figure)
        for value in self.sql_literals():
            if isinstance(value, Moment) and self._agrees(moment, value):
                return Found({"kind": "argument", "name": "sql"}, "a literal of the query's own SQL")
        return None

    def sets_year(self, moment: Moment) -> bool:
        """Whether a query's own argument or literal is of the year that *moment* is."""
        given = map(self._in_period, self._literal_values())
        return any(moment.agrees(value) if isinstance(value, Moment) else value == moment.year for value in given)

    def years(self) -> set[float]:
        """Bare years that cells, texts, arguments and literals state, months and days not given."""
        self.evidence.spend(2 * (len(self.evidence.moments) + len(self.arguments()) + len(self.sql_literals())))
        found = {float(m.year) for m, _ in self.evidence.moments if m.year and not m.month}
        for source in self.evidence.sources:
            for figure in source.figures():
                if figure.year:
                    found.add(figure.readings[0].value)
                elif figure.moment and figure.moment.year and not figure.moment.month:
                    found.add(float(figure.moment.year))
        for value in self._literal_values():
            if isinstance(value, Moment):
                found.update([float(value.year)] if value.year and not value.month else [])
            elif 1900 <= value <= 2100:
                found.add(float(value))
        return found

    def within(self, moment: Moment) -> Found | None:
        """
        A period that the queries' filter covers: all of it, a month or year that holds it, a month or quarter at either end of
        it, or, where the result tells days or months apart, a part of it.
        """
        span = days(moment)
        if span is None:
            return None
        for first, last in self.filters.periods:
            whole = span == (first, last) or (moment.day is None and span[0] <= first and last <= span[1])
            inside = first <= span[0] and span[1] <= last
            at_end = moment.day is None and (span[0] == first or span[1] == last)
            if whole or (inside and (at_end or self.evidence.moments)):
                return Found({"kind": "argument", "name": "period"}, "within the query's own period")
        return None if self.filters.periods else self._between(moment)

    def _between(self, moment: Moment) -> Found | None:
        """A date or month between the first and the last that the query's own arguments name."""
        self.evidence.spend(len(self.arguments()) + len(self.sql_literals()))
        given = sorted(m.order for m in self._literal_values() if isinstance(m, Moment) and m.year and m.month)
        if len(given) < 2 or moment.year is None or moment.month is None:
            return None
        if given[0][:2] <= moment.order[:2] <= given[-1][:2]:
            return Found({"kind": "argument", "name": "period"}, "within the query's own period")
        return None

    def _literal_values(self) -> list[float | Moment]:
        return [*(value for _, value in self.arguments()), *self.sql_literals()]


def literal_fits(figure: Figure, value: float | Moment) -> bool:
    """Whether a literal of a query is what *figure* states: exactly, but for a share written as percent."""
    if isinstance(value, Moment):
        return figure.year and figure.readings[0].value in (value.year, value.last_year)
    if figure.unit in (units.PERCENT, units.BASIS) and abs(value) < 1 and match.fits(figure, value, "ratio"):
        return True
    return any(abs(reading.value - value) <= abs(value) * 1e-9 for reading in figure.readings)


def _stated_in(text: str, figure: Figure) -> bool:
    """Whether a text cell states the figure, in its unit (``16 GB`` in ``1TB 16GB RAM``)."""
    return any(
        other.unit == figure.unit
        and any(match.fits(figure._replace(bound=""), r.value, other.unit) for r in other.readings)
        for other in Source("cell", "", text).figures()
    )


def _holds(text: str, written: str) -> bool:
    """Whether *written* stands in *text* as a number of its own: no part of a longer one, nor of a code (``KX4QF``)."""
    position = text.find(written)
    if position < 0:
        return False
    before, after = text[max(0, position - 1) : position], text[position + len(written) :][:1]
    return not (before.isdigit() or after.isdigit() or (before.isupper() and after.isupper()))


def _same_thing(view: View, source: Source, other: Figure) -> bool:
    """Whether the word after (or before) a figure in a text stands beside it in the answer too."""
    if view.figure.unit and view.figure.unit == other.unit and source.kind == "definition":
        return True
    text = source.text[max(0, other.start - 40) : other.start], source.text[other.end : other.end + 40]
    beside = set(words_in(text[0])[-2:]) | set(words_in(text[1])[:2])
    return bool({stem(word) for word in beside if len(word) > 2} & (set(view.before[-2:]) | set(view.after[:2])))


def _where(source: Source) -> str:
    name = clean(source.name)
    if source.kind == "tool":
        return f"the result of {name}"
    if name == INSTRUCTIONS:
        return f"the agent's {name}"
    if name.startswith(("the ", "a ", "an ")):
        return name
    return f"the {name}" if name == source.kind else f"the {source.kind} {name}"


def is_base(view: View) -> bool:
    """Whether a figure is how many of something a rate is per (``per 1,000``, ``je 100 km``)."""
    figure = view.figure
    before = view.sentence.text[: figure.start - view.sentence.start][-12:]
    return (
        bool(figure.readings)
        and not figure.bound
        and figure.readings[0].value in _BASES
        and _PER.search(before) is not None
    )


def _quoted(source: Source, figure: Figure) -> Found:
    text = f"“{clean(figure.text)}” stands in {_where(source)}"
    return Found({"kind": source.kind, "name": source.name}, text)
