"""
Counts worked out: the rows that the words around a figure single out, and whether they are as many as it says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import islice, product
from operator import ge, gt, le, lt
from typing import NamedTuple

from monitor.checks.grounded import match, messages
from monitor.checks.grounded.claims.filters import caption_of, read
from monitor.checks.grounded.claims.margins import Margin, is_margin, margin
from monitor.checks.grounded.context.counted import counts_rows
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.stretch import Reading, word_at
from monitor.checks.grounded.derivations.derive import Derivation
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import clean, column_label, place
from monitor.checks.grounded.evidence.vocabulary import MAX_ROWS, Vocabulary, rows_of
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import units

MAX_TEXTS = 10_000
"""Cells of the columns without numbers in the largest table that is counted."""
MAX_READINGS = 24
"""So many ways to combine the alternatives of the conditions are tried."""

MANY_CONDITIONS = 3
"""So many conditions that leave one row describe that row rather than count."""

_BOUNDS: dict[str, Callable[[float, float], bool]] = {"at_least": ge, "at_most": le, "over": gt, "under": lt}


class Count(NamedTuple):
    """How many there are under one way to read the conditions."""

    value: int
    text: str


READING = 450
"""Steps that it takes to read the words around one figure to a filter."""


class Tally:
    """Executes the counts of one answer."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._vocabularies: dict[int, Vocabulary] = {}
        self._lists: dict[int, bool] = {}

    def judge(self, view: View) -> tuple[bool, Found] | None:
        """
        (whether the count holds, why) for a figure that counts the rows of a filter; None when that is not sure.

        A count that holds under any reading holds; one is wrong only if every word was understood and no reading gives it.
        """
        if view.heading:
            return None
        ahead = self._ahead(view) if is_margin(view) else None
        if ahead or not counts_rows(view):
            return ahead
        for t, table in enumerate(self.evidence.tables):
            if view.figure.readings[0].value <= 2 * len(table.rows) and self.countable(t):
                found = self._judged(view, t)
                if found is not None:
                    return found
        return None

    def confirms(self, view: View) -> Found | None:
        """A count of what the words single out that agrees with a figure, though not every word was understood."""
        if view.heading or not counts_rows(view):
            return None
        for t, table in enumerate(self.evidence.tables):
            if view.figure.readings[0].value <= len(table.rows) and self.countable(t):
                vocabulary = self.vocabulary(t)
                reading = read(view, vocabulary, self.caption)
                for count in self._counts(reading, vocabulary) if reading and reading.nouns else ():
                    if _holds(view, count.value):
                        return Found({"kind": "count", "table": table.name}, count.text)
        return None

    def _ahead(self, view: View) -> tuple[bool, Found] | None:
        """Whether a figure is the margin by which one named thing is ahead of another."""
        for t in range(len(self.evidence.tables)):
            self.evidence.spend(READING)
            found = margin(view, self.vocabulary(t), self.caption) if self.countable(t) else None
            if found is not None:
                return self._weighed(view, found)
        return None

    def _weighed(self, view: View, found: Margin) -> tuple[bool, Found] | None:
        plain = view.figure.unit == units.POINTS and not found.unit
        holds = match.fits(view.figure._replace(unit="") if plain else view.figure, found.value, found.unit)
        phrase = found.text
        if found.sure and found.cells:
            phrase = " and ".join(place(self.evidence, cell) for cell in found.cells)
            phrase = f"the difference of {phrase}"
        derived = messages.derived(self.evidence, Derivation("difference", phrase, found.cells))
        if holds:
            return True, derived
        if not found.sure or self.evidence.incomplete:
            return None
        return False, Found(derived.source, found.text, "wrong_difference")

    def countable(self, t: int) -> bool:
        """Whether a table's rows are all there are, not too many, and things of one kind."""
        known = self._lists.get(t)
        if known is None:
            table = self.evidence.tables[t]
            cut = table.truncated or len(table.rows) in (table.limit, 1) or (table.row_count or 0) > len(table.rows)
            plain = table.is_result and not table.earlier and 1 < len(table.rows) <= MAX_ROWS
            texts = len(table.rows) * (len(table.columns) - len(self.evidence.numeric(t)))
            known = self._lists[t] = plain and not cut and texts <= MAX_TEXTS and not self._record(t)
        return known

    def _record(self, t: int) -> bool:
        """Whether a table of two columns is one record: a field and its value in each row, texts and numbers by turns."""
        table = self.evidence.tables[t]
        if len(table.columns) != 2:
            return False
        numbers = dict(self.evidence.numeric(t)).get(1, 0)
        return 0 < numbers < len(table.rows) - table.header_rows

    def _judged(self, view: View, t: int) -> tuple[bool, Found] | None:
        self.evidence.spend(READING)
        vocabulary = self.vocabulary(t)
        if vocabulary.measured_by(word_at(view.sentence.text, view.figure.end - view.sentence.start)):
            return None
        reading = read(view, vocabulary, self.caption)
        if reading is None or not (reading.sure or reading.whole):
            return None
        if reading.whole:
            reading = Reading(nouns=reading.nouns, whole=True)
        counts = self._counts(reading, vocabulary)
        source = {"kind": "count", "table": vocabulary.table.name}
        for count in counts:
            if _holds(view, count.value):
                return True, Found(source, count.text)
        if self.evidence.incomplete or not _contradicts(reading, counts) or _in_name(view):
            return None
        text = f"{counts[0].text}, not {view.figure.text}" if reading.terms else counts[0].text
        return False, Found(source, text, "wrong_count")

    def vocabulary(self, t: int) -> Vocabulary:
        """The words of table *t*."""
        known = self._vocabularies.get(t)
        if known is None:
            known = self._vocabularies[t] = Vocabulary(self.evidence, t)
        return known

    @cached_property
    def caption(self) -> frozenset[str]:
        """The roots of the words that hold for every row."""
        return caption_of(self.evidence.sources)

    def _counts(self, reading: Reading, vocabulary: Vocabulary) -> list[Count]:
        """What there is under each way to read the conditions, the first the likeliest."""
        out: dict[Count, None] = {}
        for chosen in islice(product(*reading.terms), MAX_READINGS):
            rows = vocabulary.rows
            groups: dict[tuple[int, str], int] = {}
            for term in chosen:
                key = (term.column, term.kind)
                joined = key in groups and not term.kind.startswith("not")
                groups[key] = groups[key] | term.rows if joined else groups.get(key, vocabulary.rows) & term.rows
            for mask in groups.values():
                rows &= mask
            self.evidence.spend(len(chosen) + 1)
            said = " and ".join(dict.fromkeys(term.text for term in chosen if term.text))
            for column in reading.nouns:
                names = {str(self.evidence.raw(Cell(vocabulary.index, row, column))) for row in rows_of(rows)}
                self.evidence.spend(rows.bit_count())
                if len(names) < rows.bit_count() or reading.different:
                    out[Count(len(names), _different(vocabulary, column, len(names), said))] = None
            repeated = not reading.terms and bool(out)
            if not (repeated or reading.different) or not reading.nouns:
                out[Count(rows.bit_count(), _rows(vocabulary, rows.bit_count(), said))] = None
        return list(out)


def _contradicts(reading: Reading, counts: list[Count]) -> bool:
    """
    Whether the counts stand against another number: under every reading some row is left, the words set a condition or
    name a column, and what is counted is not the one thing that the conditions describe.
    """
    if (
        reading.whole
        or reading.cut
        or not (reading.terms or reading.nouns)
        or any(count.value == 0 for count in counts)
    ):
        return False
    conditions = {condition.column for term in reading.terms for condition in term[:1]}
    return counts[0].value > 1 or (bool(reading.nouns) and len(conditions) < MANY_CONDITIONS)


def _in_name(view: View) -> bool:
    """Whether a capital at the figure, or at the word after it, makes it part of a name."""
    figure, start = view.figure, view.sentence.start
    following = view.sentence.text[figure.end - start :].lstrip()
    return following[:1].isupper() or (figure.word and figure.text[:1].isupper() and figure.start > start)


def _holds(view: View, value: int) -> bool:
    stated = view.figure.readings[0].value
    test = _BOUNDS.get(view.figure.bound)
    return test(value, stated) if test else value == stated


def _rows(vocabulary: Vocabulary, count: int, said: str) -> str:
    if said:
        return f"1 row has {said}" if count == 1 else f"{count} rows have {said}"
    return f"{clean(vocabulary.table.name)} has {count} row{'' if count == 1 else 's'}"


def _different(vocabulary: Vocabulary, column: int, count: int, said: str) -> str:
    name = column_label(vocabulary.table, column)
    text = f"there is 1 value of {name}" if count == 1 else f"there are {count} different values of {name}"
    return f"{text} where {said}" if said else text
