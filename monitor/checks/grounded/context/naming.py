"""
Which columns the words around a figure name, and whether they stand beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from monitor.checks.grounded.context.phrases import Phrases, phrases_of_table, weight
from monitor.checks.grounded.context.scope import View, open_at
from monitor.checks.grounded.derivations.operands import is_key
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.text import units
from monitor.checks.grounded.text.names import tokens

ENOUGH = 0.5
"""How well a column must be named to be thought of."""
FULL = 3
MOST_OF_RATIO = 2
"""A bare number beyond this is none of a column of fractions."""
TIED = 0.05
_BEFORE = tuple(0.6 - 0.05 * place for place in range(8))
_AFTER = tuple(0.7 - 0.08 * place for place in range(5))
"""How close words before and after a figure are, the nearest first."""
SHARES = (units.PERCENT, "ratio")
_SLIGHT = frozenset(
    "about only around roughly nearly almost over some just exactly a an the was were is are of at to had has with and".split()
)
_TIME_WORDS = frozenset(
    tokens(
        "min minute sec second hour day week month year time duration age tage dauer zeit jour heure durée jours uur dagen tiempo "
        "dias horas"
    )
)


class Expectation(NamedTuple):
    """The *cells* that the words mean, the best named first; *strong*: named beside the figure, so that it may accuse."""

    cells: tuple[Cell, ...]
    strong: bool


class Near(NamedTuple):
    """The words near a figure with their *closeness* (0 to 1), and its *own*: those right beside it."""

    closeness: dict[str, float]
    own: tuple[str, ...]


class Naming:
    """The columns that the words of one answer name. Asked once a figure and table."""

    def __init__(self, evidence: Evidence, definitions: Mapping[str, str]) -> None:
        self.evidence, self.definitions = evidence, definitions
        self._phrases: dict[int, Phrases] = {}
        self._near: dict[int, Near] = {}
        self._columns: dict[tuple[int, int], tuple[list[int], bool]] = {}

    def phrases(self, t: int) -> Phrases:
        """What the columns of a table may be called."""
        known = self._phrases.get(t)
        if known is None:
            known = self._phrases[t] = phrases_of_table(self.evidence.tables[t], self.definitions)
        return known

    def columns(self, view: View, t: int) -> tuple[list[int], bool]:
        """The columns of a table that the words near the figure name best, and whether they do so beside it."""
        key = view.figure.start, t
        known = self._columns.get(key)
        if known is None:
            known = self._columns[key] = self._find(view, t)
        return known

    def spoken(self, view: View, cell: Cell) -> bool:
        """Whether a word of the figure's sentence names the column of *cell*."""
        phrases = self.phrases(cell.table)
        self.evidence.spend(4 + 4 * len(view.sentence.words()))
        return phrases.match(cell.column, phrases.aliased(view.sentence.words())).matched >= ENOUGH

    def fully(self, view: View, cell: Cell) -> bool:
        """Whether the words near the figure name the column of *cell* by all that its phrase says."""
        phrases = self.phrases(cell.table)
        found = phrases.match(cell.column, phrases.aliased(self._words(view).closeness))
        return found.rest * FULL <= found.matched

    def _find(self, view: View, t: int) -> tuple[list[int], bool]:
        phrases, words = self.phrases(t), self._words(view)
        near = phrases.aliased(words.closeness)
        named = phrases.named(near)
        self.evidence.spend(1 + 8 * len(named) + 4 * len(near))
        scored = []
        for column in named:
            if self._typed(view, t, column):
                found = phrases.match(column, near)
                if found.matched >= ENOUGH or (found.matched and not found.rest):
                    scored.append((found.score, column))
        if not scored:
            return [], False
        own = {*words.own, *(word for word in near if word not in words.closeness and word.startswith(words.own))}
        done = self._done(view, phrases)
        if done:
            scored = [pair for pair in scored if pair[1] in done] or [(1.0, column) for column in done]
            own |= view.deed
        best = max(scored)[0]
        chosen = [column for score, column in scored if score >= best - TIED]
        return chosen, any(self._beside(phrases, column, near, own) for column in chosen)

    @staticmethod
    def _beside(phrases: Phrases, column: int, near: Mapping[str, float], own: set[str]) -> bool:
        """Whether words beside the figure name *column*, and the words near it at least half of it."""
        found = phrases.match(column, near)
        return found.rest <= found.matched and any(
            column in phrases.by_word.get(word, ()) for word in own if not found.rest or phrases.weight(word) >= 1
        )

    @staticmethod
    def _done(view: View, phrases: Phrases) -> list[int]:
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
        """Whether the figure could be said of a column: no key, a percentage of shares only, a duration of times."""
        table, unit = self.evidence.tables[t], view.figure.unit
        if is_key(table.columns[column]):
            return False
        own, phrases = table.units[column].unit, self.phrases(t)
        shares = own in SHARES or column in phrases.shares
        if unit in SHARES:
            return shares
        if unit in units.CLOCK and own not in units.CLOCK and phrases.words[column].isdisjoint(_TIME_WORDS):
            return False
        if (
            shares
            and not unit
            and view.figure.readings[0].value > MOST_OF_RATIO
            and self.evidence.holds_ratios(t, column)
        ):
            return False
        return not shares or unit in ("", units.POINTS)

    def _words(self, view: View) -> Near:
        known = self._near.get(view.figure.start)
        if known is None:
            known = self._near[view.figure.start] = _near(view)
        return known


def _near(view: View) -> Near:
    figure, sentence = view.figure, view.sentence
    after = sentence.text[figure.end - sentence.start :][:80]
    stop = open_at(after)
    own = tokens(figure.text)[1:] if figure.unit else []
    own += tokens(after[: stop.start()] if stop else after)[: 1 if figure.unit else 3]
    if figure.unit in SHARES:
        own += [word for word in view.after if word not in _SLIGHT and weight(word) >= 1][:1]
    if view.heading:
        own += tokens(view.heading)
    elif max(map(weight, own), default=0.0) < 1:
        own += [word for word in view.before[-4:] if word not in _SLIGHT and weight(word) >= 1][-1:]
    near: dict[str, float] = {}
    for word, close in zip(reversed(view.before), _BEFORE, strict=False):
        near.setdefault(word, close)
    for word, close in zip(view.after, _AFTER, strict=False):
        if near.get(word, 0.0) < close:
            near[word] = close
    near.update(dict.fromkeys(own, 1.0))
    return Near(near, tuple(own))
