"""
Where a figure should stand, by the words around it: the cells of the row and the column that they name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded import announce, match, units
from monitor.checks.grounded.index import Cell, Evidence
from monitor.checks.grounded.names import tokens
from monitor.checks.grounded.operands import is_key
from monitor.checks.grounded.owner import NOBODY, Owner, owner
from monitor.checks.grounded.pairs import Pair, Placed, across, beside, best_placed, down, pair_of
from monitor.checks.grounded.phrases import Phrases, weight
from monitor.checks.grounded.scope import OPEN, View

MAX_TABLES = 20
MAX_ROWS = 4
"""Among more named rows none is expected."""
FIRST_YEAR, LAST_YEAR = 1000, 2100
MAX_HEADINGS = 60
MAX_OTHERS = 40
TIED = 0.05
SHARED = (units.PERCENT, "ratio")
_SLIGHT = frozenset(
    "about only around roughly nearly almost over some just exactly a an the was were is are of at to had has with and".split()
)


_BASE = re.compile(
    r"\d\s?%?(?:\s\w+){0,2}\s(?:of|out of|von|av|de|des|van|sur|su|di)\s(?:(?:the|all|every|each|jede[nrms]?|chaque|cada|elke|its|their|his|her|our|den|alla|alle|les|las|los|die|total|more than|about)\s){0,3}\W{0,3}$",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:last|past|previous|next|first|final|letzten?|derni\w+|últim\w+|laatste)\s\W{0,3}$", re.IGNORECASE
)
_STREAK = re.compile(r"\s(?:of|out of)\s(?:its|their|his|her|the|our)\s(?:last|past|previous|first|next)\b")
_APART = frozenset(
    [
        "lead",
        "majori",
        "range",
        "rangin",
        "surplu",
        "defici",
        "more",
        "less",
        "fewer",
        "higher",
        "lower",
        "than",
        "by",
        "differ",
        "differ",
        "gap",
        "margin",
        "above",
        "below",
        "ahead",
        "behind",
        "worse",
        "better",
        "mehr",
        "weniger",
        "plus",
        "moins",
        "mas",
        "menos",
        "meer",
        "minder",
    ]
)


def is_aside(view: View) -> bool:
    """Whether a figure is no value of a row: the base of a share, the length of a stretch of time, a difference."""
    sentence, figure = view.sentence, view.figure
    head = sentence.text[max(0, figure.start - sentence.start - 60) : figure.start - sentence.start]
    if _BASE.search(head) or _SPAN.search(head) or _STREAK.match(sentence.text, figure.end - sentence.start):
        return True
    if _numbered(view):
        return True
    return bool(announce.leaves_rest(view.beside_text) or announce.the_rest(view.beside_text))


def _numbered(view: View) -> bool:
    """Whether the figure and the word before it stand together in a heading (``Race 2``)."""
    word = view.before[-1:]
    return bool(word) and any(
        view.figure.text in column and word[0] in tokens(column)
        for table in view.evidence.tables
        for column in table.columns[:MAX_HEADINGS]
    )


def apart(view: View) -> frozenset[str]:
    """The words beside a figure that make it a difference."""
    return _APART & {*view.before[-3:], *view.after[:3]}


_TIME_WORDS = frozenset(
    tokens(
        "min minute sec second hour day week month year time duration age tage dauer zeit jour heure durée jours uur dagen tiempo dias horas"
    )
)


_SIDES = {"over": True, "under": False}


class Expectation(NamedTuple):
    """The *cells* that the words mean, the best named first; *strong*: named beside the figure, so that it may accuse."""

    cells: tuple[Cell, ...]
    strong: bool


class Expect:
    """Looks for the cells that the words around the figures of one answer mean."""

    def __init__(self, evidence: Evidence, definitions: dict[str, str]) -> None:
        self.evidence, self.definitions = evidence, definitions
        self._phrases: dict[int, Phrases] = {}

    def phrases(self, t: int) -> Phrases:
        """The phrases of a table's columns."""
        known = self._phrases.get(t)
        if known is None:
            known = self._phrases[t] = Phrases(self.evidence.tables[t], self.definitions)
        return known

    def columns(self, view: View, t: int) -> tuple[list[int], bool]:
        """The columns of a table that the words beside the figure name best, and whether they do so firmly."""
        words, own = self.near(view)
        phrases = self.phrases(t)
        near = phrases.aliased(words)
        own = [*own, *(word for word in near if word not in words and any(other.startswith(word) for other in own))]
        scored: list[tuple[float, int]] = []
        strong = False
        for column in phrases.named(near):
            if self._is_key(t, column) or not self._typed(view, t, column):
                continue
            found = phrases.match(column, near)
            if found.matched >= 0.5 or (found.matched and not found.rest):
                scored.append((found.score, column))
        if not scored:
            return [], False
        done = self._done(view, phrases)
        if done:
            scored = [(score, column) for score, column in scored if column in done] or [
                (1.0, column) for column in done
            ]
            own = [*own, *view.deed]
        best = max(scored)[0]
        chosen = [column for score, column in scored if score >= best - TIED]
        strong = any(
            found.rest <= found.matched
            and any(
                (phrases.weight(word) >= 1 or not found.rest) and column in phrases.by_word.get(word, ())
                for word in own
            )
            for column in chosen
            for found in [phrases.match(column, near)]
        )
        return chosen, strong

    def _done(self, view: View, phrases: Phrases) -> list[int]:
        """The columns of what the words say was done with the things that they count (``cancelled flights``)."""
        deed = view.deed
        if not deed:
            return []
        words = deed | frozenset(view.noun)
        return [
            column
            for column in phrases.named(deed)
            if any(phrase <= words and not phrase.isdisjoint(deed) for phrase in phrases.phrases[column])
        ]

    def _typed(self, view: View, t: int, column: int) -> bool:
        """Whether the figure could be said of a column: a percentage of one that holds shares, and nothing else of it."""
        shares = self.evidence.tables[t].units[column].unit in SHARED or self.phrases(t).shares(column)
        if view.figure.unit in SHARED:
            return shares
        if view.figure.unit in units.CLOCK and not self._times(t, column):
            return False
        return not shares or view.figure.unit in ("", units.POINTS)

    def _times(self, t: int, column: int) -> bool:
        """Whether a column may hold durations: by its unit, or by a word of its name or definition."""
        if self.evidence.tables[t].units[column].unit in units.CLOCK:
            return True
        return any(not phrase.isdisjoint(_TIME_WORDS) for phrase in self.phrases(t).phrases[column])

    def _is_key(self, t: int, column: int) -> bool:
        return is_key(self.evidence.tables[t].columns[column])

    def near(self, view: View) -> tuple[dict[str, float], list[str]]:
        """(the words near the figure with their closeness, those right beside it)."""
        figure, sentence = view.figure, view.sentence
        after = sentence.text[figure.end - sentence.start :][:80]
        stop = OPEN.search(after)
        own = tokens(figure.text)[1:] if figure.unit else []
        own += tokens(after[: stop.start()] if stop else after)[:3]
        if figure.unit in SHARED:
            own += [word for word in view.after if word not in _SLIGHT and weight(word) >= 1][:1]
        near: dict[str, float] = {}
        for place, word in enumerate(reversed(view.before)):
            near[word] = max(near.get(word, 0), 0.6 - 0.05 * place)
        for place, word in enumerate(view.after):
            near[word] = max(near.get(word, 0), 0.7 - 0.08 * place)
        for word in own:
            near[word] = 1.0
        for word in tokens(view.heading):
            near[word] = 1.0
            own.append(word)
        beside = [word for word in view.before[-4:] if word not in _SLIGHT and weight(word) >= 1][-1:]
        if not any(weight(word) >= 1 for word in own):
            own += beside
            for word in beside:
                near[word] = 1.0
        return near, own

    def find(self, view: View) -> Expectation | None:
        """The cells that the words mean; None where they name no row, or no column."""
        if not view.figure.readings:
            return None
        pair = pair_of(view)
        if pair:
            placed = self._paired(view, pair)
            if placed or pair.tight:
                return placed
        if is_aside(view):
            return None
        out: list[Cell] = []
        firm = False
        away = apart(view)
        for t in self._current():
            named = owner(view, t)
            if not named.rows:
                named = self._single(t) or self._anchored(view, t)
            if not 0 < len(named.rows) <= MAX_ROWS:
                continue
            columns, strong = self.columns(view, t)
            columns = [column for column in columns if away <= self.phrases(t).words(column)]
            cells = [Cell(t, row, column) for row in sorted(named.rows) for column in columns]
            cells = [cell for cell in cells if self._holds(view, cell)]
            out += cells
            firm = firm or (bool(cells) and strong and named.sure)
        return Expectation(tuple(out), firm and not self._alike(out)) if out else None

    def _alike(self, cells: list[Cell]) -> bool:
        """Whether *cells* stand in columns of one name in several results, which may be added or compared."""
        places = {(cell.table, self.evidence.tables[cell.table].columns[cell.column]) for cell in cells}
        return len({name for _, name in places}) < len(places)

    def _holds(self, view: View, cell: Cell) -> bool:
        """Whether a cell holds a number; for a year, one that can be a year."""
        value = self.evidence.value(cell)
        return value is not None and (
            not view.figure.year or (FIRST_YEAR <= value <= LAST_YEAR and value == int(value))
        )

    def _single(self, t: int) -> Owner | None:
        """The only row of a result, which needs no name."""
        table = self.evidence.tables[t]
        if not table.is_result or len(table.rows) != 1 or any(isinstance(cell, str) for cell in table.rows[0]):
            return None
        return Owner(frozenset([0]), sure=True)

    def _anchored(self, view: View, t: int) -> Owner:
        """The row in which the figures said before, each of a column that is named beside it, stand together."""
        if view.sentence.names() or self.evidence.tables[t].columns == []:
            return NOBODY
        rows: frozenset[int] | None = None
        for other in view.sentence.figures():
            if other.end > view.figure.start or not other.readings or other.word or other.bound:
                continue
            there = view.at(other)
            columns, strong = self.columns(there, t)
            if not strong:
                continue
            found = frozenset(
                row
                for column in columns
                for row, value in self.evidence.column(t, column)
                if match.fits(other, value, self.evidence.unit(Cell(t, row, column)))
            )
            rows = found if rows is None else rows & found
        return Owner(rows, len(rows) == 1) if rows else NOBODY

    def _current(self) -> list[int]:
        """The tables of this turn."""
        return [t for t, table in enumerate(self.evidence.tables) if not table.earlier][:MAX_TABLES]

    def _paired(self, view: View, pair: Pair) -> Expectation | None:
        """Where a pair should stand: two columns of its row, or two rows of its column."""
        last = view.at(pair.figures[1])
        first = view.at(pair.figures[0])
        best: Placed | None = None
        sure = False
        for t in self._current():
            named = owner(first, t)
            phrases = self.phrases(t)
            columns = [c for c in self.columns(last, t)[0] if not phrases.shares(c)]
            places: list[tuple[Cell, Cell]] = []
            if 0 < len(named.rows) <= MAX_ROWS:
                for row in sorted(named.rows):
                    places += list(across(self.evidence, phrases, t, row, columns)) or across(
                        self.evidence, phrases, t, row, []
                    )
            rows = frozenset().union(*(rows for rows in first.named(t).wide if len(rows) <= MAX_ROWS)) | named.rows
            if len(self.evidence.tables[t].rows) == 2 and rows:
                rows = frozenset((0, 1))
            many = len(places)
            places += down(self.evidence, t, rows, columns or self._plain(t))
            found = best_placed(pair, iter(places), lambda f, cell: match.fits(f, self.evidence.value(cell) or 0.0))
            if found and (best is None or sum(found.agrees) > sum(best.agrees)):
                best = found
                in_row = best.cells[0].row == best.cells[1].row
                sure = named.sure and (bool(columns) or (in_row and many > 0 and any(found.agrees)))
        if best is None or not ((sure and pair.tight) or all(best.agrees)):
            return self._beside(first, pair) or (self._record(first, pair) if pair.tight else None)
        return Expectation((best.cells[pair.place],), sure)

    def _beside(self, first: View, pair: Pair) -> Expectation | None:
        """Two columns side by side that hold the pair for a named row."""
        for t in self._current():
            for row in sorted(owner(first, t).rows)[:MAX_ROWS]:
                for cells in beside(self.evidence, t, row):
                    if all(
                        match.fits(f, self.evidence.value(cell) or 0.0)
                        for f, cell in zip(pair.figures, cells, strict=True)
                    ):
                        return Expectation((cells[pair.place],), False)
        return None

    def _record(self, first: View, pair: Pair) -> Expectation | None:
        """The two columns of the row right before a pair in brackets, which hold the pair for another row."""
        if not first.adjacent_names():
            return None
        for t in self._current():
            named = owner(first, t)
            if not named.sure:
                continue
            own = min(named.rows)
            for row in range(min(len(self.evidence.tables[t].rows), MAX_OTHERS)):
                for a, b in across(self.evidence, self.phrases(t), t, row, []) if row != own else ():
                    values = self.evidence.value(a), self.evidence.value(b)
                    if all(v is not None and match.fits(f, v) for f, v in zip(pair.figures, values, strict=True)):
                        return Expectation(((a, b)[pair.place]._replace(row=own),), True)
        return None

    def _plain(self, t: int) -> list[int]:
        return [c for c in range(min(len(self.evidence.tables[t].columns), 40)) if not self.phrases(t).shares(c)]

    def fits(self, view: View, cell: Cell) -> bool:
        """Whether the figure states the value of *cell*."""
        value = self.evidence.value(cell)
        if value is None:
            return False
        unit = self.evidence.unit(cell)
        figure = view.figure
        if figure.unit and not unit:
            figure = figure._replace(unit="")
        if figure.bound in _SIDES:
            factor = units.factor(unit, figure.unit)
            edge = figure.readings[0].value
            return factor is not None and (value * factor > edge) is _SIDES[figure.bound] and value * factor != edge
        return match.fits(figure, value, unit)
