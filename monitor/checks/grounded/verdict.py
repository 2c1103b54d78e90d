"""
The verdict on every figure: the best explanation it has, or what stands against it.
"""

from __future__ import annotations

import re
from typing import Any

from monitor import sql
from monitor.checks.grounded import match, units
from monitor.checks.grounded.dates import Moment
from monitor.checks.grounded.derive import derive, falls, rises, row_label
from monitor.checks.grounded.evidence import Cell, Evidence, literals
from monitor.checks.grounded.figures import Figure, find_figures
from monitor.checks.grounded.names import telling_words, words_in
from monitor.checks.grounded.sentences import (
    Mention,
    Sentence,
    compared,
    find_mentions,
    find_periods,
    named_rows,
    split,
)
from monitor.errors import TooLarge
from monitor.outcome import FigureVerdict

MAX_ANSWER = 100_000
MAX_FIGURES = 2_000
_WINDOW_END = re.compile(r"[,.;:()\n|]|\b(?:and|with|while|but|und|et|y|en)\b", re.IGNORECASE)


class _Grounder:
    """One answer against its evidence. Holds what all its figures share."""

    def __init__(self, answer: str, evidence: Evidence, question: str = "") -> None:
        self.answer, self.evidence, self.question = answer, evidence, question
        figures = find_figures(answer)
        self.mentions = find_mentions(answer, evidence)
        inside = [(mention.start, mention.end) for mention in self.mentions]
        self.figures = [figure for figure in figures if not _within(figure, inside)]
        if len(self.figures) > MAX_FIGURES:
            raise TooLarge(f"the answer states more than {MAX_FIGURES} figures")
        self.mentions += find_periods(answer, self.figures, evidence)
        self.sentences = split(answer, self.mentions, self.figures)
        self._literals: list[float | Moment] | None = None

    def verdicts(self) -> list[FigureVerdict]:
        """One verdict a figure, in order; number words that count nothing known are left out."""
        out: list[FigureVerdict] = []
        index = 0
        for figure in self.figures:
            while index + 1 < len(self.sentences) and self.sentences[index].end <= figure.start:
                index += 1
            verdict = self._verdict(figure, self.sentences[index])
            if verdict is not None:
                out.append(verdict)
        return out

    def _verdict(self, figure: Figure, sentence: Sentence) -> FigureVerdict | None:
        if figure.moment is not None:
            return self._moment(figure, figure.moment)
        fault: FigureVerdict | None = None
        cells = list(match.candidates(figure, self.evidence, negated=falls(sentence.text)))
        if cells:
            found = self._bind(figure, sentence, cells)
            if found.grounded:
                return found
            fault = found
        for explain in (
            self._quoted,
            self._argument,
            self._count,
            self._derived,
            self._condition,
            self._sql,
            self._token,
        ):
            source, text = explain(figure, sentence) or (None, "")
            if source is not None:
                return _says(figure, True, source, text)
        if fault is not None:
            return fault
        if figure.word and not self._names_a_column(figure):
            return None
        cause = self.evidence.incomplete
        if cause:
            return _says(figure, None, None, _UNDECIDED[cause], cause)
        return _says(figure, False, None, self._nowhere(figure, sentence))

    def _nowhere(self, figure: Figure, sentence: Sentence) -> str:
        """Why a figure without any explanation is wrong: what stands where it should, when that is clear."""
        for table in range(len(self.evidence.tables)):
            rows, firm = named_rows(sentence, figure.start, table)
            if firm and len(rows) == 1:
                row = next(iter(rows))
                column = self._column_of(figure, table)
                if column is not None:
                    raw = self.evidence.raw(Cell(table, row, column))
                    label = row_label(self.evidence, table, row)
                    return (
                        f"nothing gives {figure.text}; {label}'s {self.evidence.tables[table].columns[column]} is {raw}"
                    )
        return f"nothing gives {figure.text}: no result, definition, question or query argument"

    # -- cells ---------------------------------------------------------------------------------------------------

    def _bind(self, figure: Figure, sentence: Sentence, cells: list[tuple[Cell, bool]]) -> FigureVerdict:
        """Which of the cells with this value the sentence means; a fault when it names another row or column."""
        wrong: tuple[str, Cell, str] | None = None
        excused: tuple[Cell, bool] | None = None
        cells.sort(key=lambda item: (self.evidence.tables[item[0].table].earlier, item[0]))
        for cell, turned in cells[:500]:
            rows, firm = named_rows(sentence, figure.start, cell.table)
            if rows and cell.row not in rows:
                if not (firm and not compared(sentence.text)):
                    excused = excused or (cell, turned)
                    continue
                instead = self._instead(cell, rows)
                if instead:
                    wrong = wrong or ("wrong_row", cell, instead)
                else:
                    excused = excused or (cell, turned)
                continue
            column = self._better_column(figure, cell, rows)
            if column is not None:
                wrong = wrong or ("wrong_column", cell, self._is(cell._replace(column=column)))
                continue
            if self._wrong_direction(cell, turned, sentence):
                wrong = wrong or ("direction", cell, f"{self._is(cell)}, and the words say the opposite")
                continue
            return self._from_cell(figure, cell)
        if wrong is None and excused is not None:
            return self._from_cell(figure, excused[0])
        kind, cell, instead = wrong or ("wrong_row", cells[0][0], "")
        return _says(
            figure,
            False,
            {**self._source(cell), "fault": kind},
            f"{figure.text} is {self._is(cell, value=False)}; {instead}",
        )

    def _from_cell(self, figure: Figure, cell: Cell) -> FigureVerdict:
        table = self.evidence.tables[cell.table]
        source = self._source(cell)
        text = f"{self._is(cell)}"
        if table.unseen_from is not None and cell.row >= table.unseen_from:
            source["unseen"] = True
            text += ", in a row that the agent was not shown"
        return _says(figure, True, source, text)

    def _source(self, cell: Cell) -> dict[str, Any]:
        table = self.evidence.tables[cell.table]
        source: dict[str, Any] = {
            "kind": "cell",
            "table": table.name,
            "row": cell.row,
            "column": table.columns[cell.column],
            "value": self.evidence.raw(cell),
        }
        if table.earlier:
            source["kind"], source["turn"] = "earlier_turn", table.origin
        return source

    def _is(self, cell: Cell, *, value: bool = True) -> str:
        table = self.evidence.tables[cell.table]
        phrase = f"{row_label(self.evidence, cell.table, cell.row)}'s {table.columns[cell.column]}"
        phrase += f" in {table.name}" if len(self.evidence.tables) > 1 else ""
        return f"{phrase} is {self.evidence.raw(cell)}" if value else phrase

    def _instead(self, cell: Cell, rows: set[int]) -> str | None:
        """What stands in the named row, in the column of the value; None when nothing does."""
        for row in sorted(rows)[:5]:
            other = cell._replace(row=row)
            if self.evidence.value(other) is not None:
                return self._is(other)
        return None

    def _better_column(self, figure: Figure, cell: Cell, rows: set[int]) -> int | None:
        """Another column that the words beside the figure name, when they do not name the cell's own."""
        table = self.evidence.tables[cell.table]
        near = self._near(figure)
        own = telling_words(table.columns[cell.column])
        if not table.is_result or not near or own & near:
            return None
        named = [c for c, name in enumerate(table.columns) if telling_words(name) and telling_words(name) <= near]
        for column in named:
            other = cell._replace(column=column)
            value = self.evidence.value(other)
            if column != cell.column and value is not None and (rows or len(table.rows) == 1):
                return column
        return None

    def _near(self, figure: Figure) -> frozenset[str]:
        """Stemmed words right after the figure, up to four, within its phrase."""
        after = self.answer[figure.end : figure.end + 60]
        stop = _WINDOW_END.search(after)
        return frozenset(words_in(after[: stop.start()] if stop else after)[:4])

    def _column_of(self, figure: Figure, table: int) -> int | None:
        before = self.answer[max(0, figure.start - 60) : figure.start]
        near = self._near(figure) | frozenset(words_in(before)[-6:])
        best, most = None, 0
        for column, name in enumerate(self.evidence.tables[table].columns):
            score = len(telling_words(name) & near)
            if score > most:
                best, most = column, score
        return best

    def _wrong_direction(self, cell: Cell, turned: bool, sentence: Sentence) -> bool:
        """A change that is stated against its sign."""
        name = telling_words(self.evidence.tables[cell.table].columns[cell.column])
        if not name & {"change", "growth", "delta", "diff", "difference", "variance", "yoy", "mom"}:
            return False
        value = self.evidence.value(cell)
        if not value:
            return False
        clause = self.answer[sentence.start : sentence.end]
        return (value < 0 and not turned and rises(clause)) or (
            value > 0 and falls(clause) and not rises(clause) and not turned and not _both(clause)
        )

    # -- other sources -------------------------------------------------------------------------------------------

    def _quoted(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        for source in self.evidence.sources:
            for other in source.figures():
                if other.moment is not None:
                    if figure.year and other.moment.year == figure.readings[0].value:
                        return {"kind": source.kind, "name": source.name}, f"{other.text} stands in {_the(source.name)}"
                    continue
                same = any(match.fits(figure, reading.value, other.unit) for reading in other.readings)
                if same and not (
                    figure.unit in units.CURRENCIES.values() and not other.unit and source.kind != "question"
                ):
                    return {"kind": source.kind, "name": source.name}, f"{other.text} stands in {_the(source.name)}"
        return None

    def _argument(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        for name, value in self.evidence.arguments:
            if _literal_fits(figure, value):
                return {"kind": "argument", "name": name}, f"the query's own {name or 'argument'}"
        if figure.year:
            wanted = figure.readings[0].value
            for moment, cell in self.evidence.moments:
                if moment.year == wanted:
                    return self._source(cell), self._is(cell)
        return None

    def _count(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        value = figure.readings[0].value if figure.readings else -1
        if figure.unit or value != int(value) or value < 0:
            return None
        for index, table in enumerate(self.evidence.tables):
            if (value == len(table.rows) and (value > 0 or table.is_result)) or value == table.row_count:
                return {"kind": "count", "table": table.name}, f"{table.name} has {int(value)} rows"
            if value > len(table.rows) or value == 0:
                continue
            groups: dict[int, set[Any]] = {}
            mentioned: dict[tuple[int, str], int] = {}
            for row in table.rows[:2000]:
                for column, content in enumerate(row):
                    if isinstance(content, str):
                        groups.setdefault(column, set()).add(content)
                        key = (column, content)
                        mentioned[key] = mentioned.get(key, 0) + 1
            for column, distinct in groups.items():
                if len(distinct) == value:
                    return {"kind": "count", "table": table.name, "column": table.columns[column]}, (
                        f"{table.name} has {int(value)} different values of {table.columns[column]}"
                    )
            lower = sentence.text.lower()
            for (column, content), number in mentioned.items():
                if number == value and 1 < len(content) <= 60 and content.lower().replace("_", " ") in lower:
                    return {"kind": "count", "table": table.name, "column": table.columns[column]}, (
                        f"{int(value)} rows of {table.name} have {table.columns[column]} {content[:60]}"
                    )
        return None

    def _derived(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        named = {
            t: rows for t in range(len(self.evidence.tables)) if (rows := named_rows(sentence, figure.start, t)[0])
        }
        words = sentence.text
        if len(self.answer) < 60:
            words = f"{words} {self.question}"
        found = derive(figure, self.evidence, words, named)
        if found is None:
            return None
        cells = [
            {"table": self.evidence.tables[t].name, "row": row, "column": self.evidence.tables[t].columns[c]}
            for t, row, c in found.cells
        ]
        return {"kind": "derived", "derivation": found.kind, "cells": cells}, f"{found.phrase} gives {figure.text}"

    def _condition(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        """The threshold of a count: in "3 wards are above 90 %", 90 % is set by the sentence itself."""
        if figure.bound not in ("over", "under", "at_least", "at_most"):
            return None
        before = [
            f for f in self.figures if sentence.start <= f.start < figure.start and not f.unit and f.moment is None
        ]
        if before and before[-1].readings[0].value == int(before[-1].readings[0].value) <= 1000:
            return {"kind": "condition"}, "a threshold that the sentence itself sets"
        return None

    def _sql(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        """Literals of the queries' SQL, read only for a figure that nothing else explains."""
        for value in self._sql_literals():
            if _literal_fits(figure, value):
                return {"kind": "argument", "name": "sql"}, "a literal of the query's own SQL"
        return None

    def _sql_literals(self) -> list[float | Moment]:
        if self._literals is None:
            self._literals = [
                value
                for text in self.evidence.sqls
                for literal in sql.facts(text).literals
                for value in literals(literal)
            ]
        return self._literals

    def _token(self, figure: Figure, sentence: Sentence) -> tuple[dict[str, Any], str] | None:
        """A number inside a text cell, such as a name, a code or a note."""
        written = figure.text.strip()
        if figure.unit or len(written) < 2:
            return None
        for text, cells in self.evidence.texts.items():
            position = text.find(written)
            if (
                position >= 0
                and not text[position - 1 : position].isdigit()
                and not text[position + len(written) :][:1].isdigit()
            ):
                return self._source(cells[0]), f"stands in the text of {self._is(cells[0], value=False)}"
        return None

    def _names_a_column(self, figure: Figure) -> bool:
        """Whether the word after a number word is what a column or table counts."""
        near = list(self._near(figure))
        names = set().union(
            *(telling_words(c) for table in self.evidence.tables if table.is_result for c in table.columns), set()
        )
        return any(word in names for word in near[:2])

    # -- dates ---------------------------------------------------------------------------------------------------

    def _moment(self, figure: Figure, moment: Moment) -> FigureVerdict:
        parts = [moment]
        if moment.first_day is not None:
            parts.append(Moment(0, 0, year=moment.year, month=moment.month, day=moment.first_day))
        explained = [self._moment_source(part) for part in parts]
        for source, text in explained:
            if source is None:
                cause = self.evidence.incomplete
                if cause:
                    return _says(figure, None, None, _UNDECIDED[cause], cause)
                return _says(figure, False, None, f"{figure.text} stands in no result, question, definition or filter")
        source, text = explained[0]
        return _says(figure, True, source, text)

    def _moment_source(self, moment: Moment) -> tuple[dict[str, Any] | None, str]:
        for other, cell in self.evidence.moments:
            if moment.agrees(other):
                return self._source(cell), self._is(cell)
        for name, value in self.evidence.arguments:
            if isinstance(value, Moment) and moment.agrees(value):
                return {"kind": "argument", "name": name}, f"the query's own {name or 'argument'}"
        for source in self.evidence.sources:
            for figure in source.figures():
                if figure.moment is not None and moment.agrees(figure.moment):
                    return {"kind": source.kind, "name": source.name}, f"stands in {_the(source.name)}"
        for value in self._sql_literals():
            if isinstance(value, Moment) and moment.agrees(value):
                return {"kind": "argument", "name": "sql"}, "a literal of the query's own SQL"
        for source in self.evidence.sources:
            if moment.year is not None and moment.month is not None and moment.day is None and moment.minute is None:
                if any(f.year and f.readings[0].value == moment.year for f in source.figures()):
                    return {"kind": source.kind, "name": source.name}, f"the year stands in {_the(source.name)}"
        return None, ""


_UNDECIDED = {
    "truncated": "not among the rows recorded, and rows are missing from the record",
    "redacted": "not found, and parts of the record are redacted",
    "not_recorded": "the record does not hold what the agent's queries returned",
}


def _both(text: str) -> bool:
    return bool(re.search(r"\b(?:increas\w*|rose|grew|more|higher|up)\b", text, re.IGNORECASE))


def _the(name: str) -> str:
    return name if name.startswith(("the ", "a ", "an ")) else f"the definition of {name}"


def _literal_fits(figure: Figure, value: float | Moment) -> bool:
    if isinstance(value, Moment):
        return figure.year and value.year == figure.readings[0].value
    if figure.unit in (units.PERCENT, units.BASIS) and abs(value) < 1 and match.fits(figure, value, "ratio"):
        return True
    return any(abs(reading.value - value) <= abs(value) * 1e-9 for reading in figure.readings)


def _within(figure: Figure, spans: list[tuple[int, int]]) -> bool:
    """Whether a figure is part of a name (``Line 2``), not a whole cell that is itself a date or number."""
    return any(
        start <= figure.start and figure.end <= end and (end - start) > (figure.end - figure.start)
        for start, end in spans
    )


def _says(
    figure: Figure, grounded: bool | None, source: dict[str, Any] | None, explanation: str, cause: str | None = None
) -> FigureVerdict:
    return FigureVerdict(
        start=figure.start,
        end=figure.end,
        text=figure.text,
        grounded=grounded,
        cause=cause,
        source=source,
        explanation=explanation,
    )


def ground(answer: str, evidence: Evidence, question: str = "") -> list[FigureVerdict]:
    """
    A verdict on every figure that *answer* states, in order.

    Raises TooLarge when the answer, its figures or the evidence are beyond the bounds.
    """
    if len(answer) > MAX_ANSWER:
        raise TooLarge(f"the answer is longer than {MAX_ANSWER} characters")
    return _Grounder(answer, evidence, question).verdicts()


__all__ = ["Mention", "ground"]
