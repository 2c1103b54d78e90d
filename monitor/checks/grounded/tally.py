"""
Counts worked out: the rows that the words around a figure single out, and whether they are as many as it says.
"""

from __future__ import annotations

from itertools import islice, product
from typing import NamedTuple

from monitor.checks.grounded.filters import Filter, Reader, Reading, caption_of, counts_rows, word_at
from monitor.checks.grounded.index import Cell, Evidence
from monitor.checks.grounded.labels import clean, column_label
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.vocabulary import MAX_ROWS, Vocabulary, rows_of

MAX_READINGS = 24
"""So many ways to combine the alternatives of the conditions are tried."""

MANY_CONDITIONS = 3
"""So many conditions that leave one row describe that row rather than count."""


class Count(NamedTuple):
    """How many there are under one way to read the conditions."""

    value: int
    text: str


class Tally:
    """Executes the counts of one answer."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._vocabularies: dict[int, Vocabulary] = {}
        self._caption: frozenset[str] | None = None
        self._lists: dict[int, bool] = {}

    def judge(self, view: View) -> tuple[bool, Found] | None:
        """
        (whether the count holds, why) for a figure that counts the rows of a filter; None when that is not sure.

        A count that holds under any reading holds; one is wrong only if every word was understood and no reading gives it.
        """
        if not counts_rows(view):
            return None
        if view.heading:
            return None
        for t, table in enumerate(self.evidence.tables):
            if view.figure.readings[0].value <= 2 * len(table.rows) and self._countable(t):
                found = self._judged(view, t)
                if found is not None:
                    return found
        return None

    def _countable(self, t: int) -> bool:
        """Whether a table's rows are all there are, and things of one kind."""
        known = self._lists.get(t)
        if known is None:
            table = self.evidence.tables[t]
            cut = table.truncated or len(table.rows) in (table.limit, 1) or (table.row_count or 0) > len(table.rows)
            plain = table.is_result and not table.earlier and 1 < len(table.rows) <= MAX_ROWS
            known = self._lists[t] = plain and not cut and not self._record(t)
        return known

    def _record(self, t: int) -> bool:
        """Whether a table of two columns is one record: a field and its value in each row, texts and numbers by turns."""
        table = self.evidence.tables[t]
        if len(table.columns) != 2:
            return False
        numbers = dict(self.evidence.numeric(t)).get(1, 0)
        return 0 < numbers < len(table.rows) - table.header_rows

    def _judged(self, view: View, t: int) -> tuple[bool, Found] | None:
        vocabulary = self._vocabulary(t)
        if vocabulary.measured_by(word_at(view.sentence.text, view.figure.end - view.sentence.start)):
            return None
        reading = Reader(view, vocabulary, self.caption()).read()
        if reading is not None and not reading.sure and not reading.whole:
            reading = Reader(view, vocabulary, self.caption(), aside=True).read() or reading
        if reading is None:
            return None
        if reading.whole:
            every = self._counts(Reading(nouns=reading.nouns), vocabulary)
            held = next((count for count in every if _holds(view, count.value)), None)
            return (True, Found({"kind": "count", "table": vocabulary.table.name}, held.text)) if held else None
        counts = self._counts(reading, vocabulary)
        if not counts:
            return None
        source = {"kind": "count", "table": vocabulary.table.name}
        for count in counts:
            if reading.sure and _holds(view, count.value):
                return True, Found(source, count.text)
        if self.evidence.incomplete or not reading.sure or any(count.value == 0 for count in counts) or not (reading.terms or reading.nouns):
            return None
        conditions = {f.column for term in reading.terms for f in term[:1]}
        if counts[0].value == 1 and (not reading.nouns or len(conditions) >= MANY_CONDITIONS):
            return None
        if _in_name(view):
            return None
        return False, Found({**source, "fault": "count"}, f"{counts[0].text}, not {view.figure.text}")

    def _vocabulary(self, t: int) -> Vocabulary:
        known = self._vocabularies.get(t)
        if known is None:
            known = self._vocabularies[t] = Vocabulary(self.evidence, t)
        return known

    def caption(self) -> frozenset[str]:
        """The words that hold for every row."""
        if self._caption is None:
            self._caption = caption_of(self.evidence.sources)
        return self._caption

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
            if not reading.different or not reading.nouns:
                out[Count(rows.bit_count(), _rows(rows.bit_count(), said))] = None
        return list(out)


def _in_name(view: View) -> bool:
    """Whether a capitalised word follows the figure in a text that writes words small: it is part of a name."""
    text = view.sentence.text[view.figure.end - view.sentence.start :].lstrip()
    return text[:1].isupper() or (view.figure.word and view.figure.text[:1].isupper() and view.figure.start > view.sentence.start)


def _holds(view: View, value: int) -> bool:
    stated = view.figure.readings[0].value
    bound = view.figure.bound
    if bound == "at_least":
        return value >= stated
    if bound == "at_most":
        return value <= stated
    if bound == "over":
        return value > stated
    if bound == "under":
        return value < stated
    return value == stated


def _rows(count: int, said: str) -> str:
    rows = "1 row has" if count == 1 else f"{count} rows have"
    return f"{rows} {said}" if said else (f"there {'is 1 row' if count == 1 else f'are {count} rows'}")


def _different(vocabulary: Vocabulary, column: int, count: int, said: str) -> str:
    name = column_label(vocabulary.table, column)
    text = f"there are {count} different values of {clean(name)}" if count != 1 else f"there is 1 value of {clean(name)}"
    return f"{text} where {said}" if said else text
