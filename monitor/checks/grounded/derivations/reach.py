"""
What the words name of one table, and how far off they do: the sets of rows and the columns to calculate with.

Costs count steps away from the figure: 0 named in its own sentence, 1 in the sentence before or the heading, 2 in the
question, and one more for what no word names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import combinations

from monitor.checks.grounded.context.naming import Naming
from monitor.checks.grounded.context.owner import FEW, owner
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.derivations.operands import Operands, Position
from monitor.checks.grounded.evidence.index import Table
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.calendarwords import MONTHS
from monitor.checks.grounded.text.dates import moment_of
from monitor.checks.grounded.text.names import tokens

MAX_SETS = 10
MAX_COLUMNS = 12
UNNAMED = 3
"""The cost of a column that no word names."""
ASKED = 2
_MAX_TOGETHER = 6
_MAX_QUESTION = 500

Rows = frozenset[int]
Costs = dict[Rows, int]


class Reach:
    """What one figure's words name of table *t*. *beside*, *behind*: cells that figures of its sentence and the one before stand for."""

    def __init__(
        self,
        view: View,
        t: int,
        naming: Naming,
        question: str,
        beside: Collection[Position],
        behind: Collection[Position],
    ) -> None:
        self.view, self.t, self.naming, self.question = view, t, naming, question
        self._owner = owner(view, t)
        self.table: Table = view.evidence.tables[t]
        self._beside = [cell for cell in beside if cell[0] == t]
        self._behind = [cell for cell in behind if cell[0] == t]

    def own(self) -> Costs:
        """The sets of rows that the figure speaks of: of its owner, else of what the words before it name."""
        own, found = self._owner.rows, Costs()
        if own:
            self._each(found, own, 0)
            return found
        named = self.view.named(self.t)
        for group in (*named.groups, *named.wide):
            self._put(found, group, 0)
        self._each(found, frozenset(row for _, row, _ in self._beside), 1)
        for sentence in (self.view.back, self.view.head):
            self._each(found, _rows_of(sentence, self.t), 1)
        self._each(found, frozenset(row for _, row, _ in self._behind), 2)
        return _nearest(found)

    def others(self, own: Costs) -> Costs:
        """The sets of rows that these may be set against, or be a part of."""
        found = Costs()
        named = self.view.named(self.t)
        for group in (*named.groups, *named.wide):
            self._put(found, group, 0)
        for sentence in (self.view.back, self.view.head):
            for clause in sentence.clauses if sentence else ():
                for mention in clause.mentions:
                    for rows in mention.rows(self.t).values():
                        self._put(found, rows, 1)
        return {rows: cost for rows, cost in _nearest(found).items() if rows not in own}

    @property
    def sure(self) -> bool:
        """Whether the figure is surely that of its owner."""
        return self._owner.sure

    def _each(self, found: Costs, rows: Rows, cost: int) -> None:
        """A few rows: each, and all together; many are one category."""
        if len(rows) <= max(FEW, _MAX_TOGETHER):
            for row in rows:
                self._put(found, frozenset([row]), cost)
        self._put(found, rows, cost)

    def _put(self, found: Costs, rows: Rows, cost: int) -> None:
        if rows and len(rows) < len(self.table.rows):
            found[rows] = min(cost, found.get(rows, cost))

    def columns(self, operands: Operands) -> dict[int, int]:
        """The numeric columns, each with its cost."""
        phrases = self.naming.phrases(self.t)
        costs: dict[int, int] = {}
        view = self.view
        behind = [sentence.text for sentence in (view.back, view.head) if sentence]
        tiers: list[tuple[int, Iterable[int]]] = [
            (0, phrases.named(tokens(f"{view.sentence.text} {view.heading}"))),
            (0, {c for _, _, c in self._beside}),
            (1, phrases.named(tokens(" ".join(behind)))),
            (1, {c for _, _, c in self._behind}),
            (ASKED, phrases.named(tokens(self.question[:_MAX_QUESTION]))),
        ]
        for cost, columns in tiers:
            for c in columns:
                costs.setdefault(c, cost)
        return {c: costs.get(c, UNNAMED) for c in operands.numeric()[:MAX_COLUMNS]}

    def stretches(self, columns: dict[int, int], same: Callable[[int, int], bool]) -> dict[tuple[int, ...], int]:
        """
        Several columns to add up along a row, with their costs: all periods, those from one named period to another, two
        or all of *same* kind.
        """
        out: dict[tuple[int, ...], int] = {}
        dated = [c for c in sorted(columns) if moment_of(self.table.columns[c])]
        if len(dated) > 1:
            out[tuple(dated)] = 0
            for tier, text in enumerate((self.view.sentence, self.view.back, self.view.head)):
                ends = [c for c in dated if text and _names_period(text, self.table.columns[c])]
                if len(ends) > 1:
                    out.setdefault(tuple(dated[dated.index(ends[0]) : dated.index(ends[-1]) + 1]), tier)
            return out
        for a, b in combinations(sorted(columns), 2):
            if same(a, b):
                out[a, b] = columns[a] + columns[b]
        return out


def _nearest(found: Costs) -> Costs:
    return dict(sorted(found.items(), key=lambda item: (item[1], len(item[0])))[:MAX_SETS])


def _rows_of(sentence: Sentence | None, t: int) -> Rows:
    return frozenset(row for table, row in sentence.rows() if table == t) if sentence else frozenset()


def _names_period(sentence: Sentence, column: str) -> bool:
    """Whether a date in *sentence* is the one that heads a column."""
    head = moment_of(column)
    if head is None:
        return False
    named = {MONTHS[word] for word in announce.words(sentence.text) if len(word) > 2 and word in MONTHS}
    moments = [figure.moment for figure in sentence.figures() if figure.moment]
    return (head.month is not None and head.month in named) or any(
        (moment.month, moment.quarter, moment.week) == (head.month, head.quarter, head.week)
        and (None in (moment.year, head.year) or moment.year == head.year)
        for moment in moments
    )
