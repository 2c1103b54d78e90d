"""
What a question names and wants, for an answer that is a bare figure: rows, columns, years, the derivation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import fsum, log
from typing import NamedTuple

from monitor.checks.grounded.evidence.headings import Grid, Label, words_of, years_in
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.figures import Figure, find_figures
from monitor.checks.grounded.text.names import words_in
from monitor.language import language

MAX_QUESTION = 2000
MAX_ROWS = 8
"""So many rows of a table may be meant at most."""
MOSTLY = 0.75
"""A row is named by so many of its words, where no other is named as well."""
_SPAN = re.compile(
    r"((?:19|20)\d\d)\s?(?:to|through|until|till|-|–|bis|à|a|tot|and)\s?(?:(?:FY|fiscal)\s?)?((?:19|20)\d\d)",
    re.IGNORECASE,
)
_KINDS = {
    "sum": "total\\w*|sums?|summed|altogether|combined|together|all|both|add(?:s|ed)? up|aggregate|cumulative\\w*|overall|insgesamt|gesamt\\w*|"
    "zusammen|summe|kumuliert\\w*|ensemble|somme|totaux|cumul\\w*|suma|juntos|conjunto|acumulad\\w*|samen|totaal|somma|totale|soma|suma|łącznie|totalt",
    "average": "averages?|averaged|mean|avg|durchschnitt\\w*|mittel\\w*|mittlere\\w*|moyenn?e?s?|promedio|media|gemiddeld\\w*|genomsnitt\\w*|"
    "média|medio|średni\\w*",
    "ratio": "proportions?|ratios?|constitut\\w*|constituent|represent\\w*|expressed as|percentages? of|percent of|out of|shares? of|part of|"
    "portion|as an? (?:percentage|share|ratio|proportion)|what (?:percentage|percent|share|part)|per|times|anteil\\w*|verhältnis|quote|je|"
    "rapport|part|par|proporci\\w*|porcentaje|por|aandeel|verhouding|andel",
}
_ANNOUNCED = {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _KINDS.items()}
_RELATIVE = re.compile(
    r"\b(?:percent\w*|prozent\w*|pourcent\w*|por ?cent\w*|procent\w*|relative|growth rate|year[- ]on[- ]year|yoy)|%",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:how many|number of|count of|wie ?viele?|anzahl|combien|nombre d|cuánt[oa]s|número de|hoeveel|aantal|quant[ie]|numero di|"
    r"quant[oa]s|hur många|antal|ile|liczba)\b|いくつ|何[件人台個社回日]|多少|几|कितन[ेी]",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:exceed\w*|above|over|more than|greater|higher|at least|über|mehr als|plus de|más de|meer dan)\b|[>≥]",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"\b(?:below|under|less than|fewer|lower|at most|unter|weniger als|moins de|menos de|minder dan)\b|[<≤]",
    re.IGNORECASE,
)
_DIRECTED = re.compile(
    r"\b(?:increases?|growth|grew|grow|rise|rose|zunahme|wachstum|anstieg|hausse|croissance|aumento|groei|ökning)\b",
    re.IGNORECASE,
)
_FALLS = re.compile(
    r"\b(?:differences?|decreas\w*|declin\w*|fall|fell|drop\w*|less|lower|fewer|reduc\w*|unterschied|rückgang|différence|diferencia)\b",
    re.IGNORECASE,
)
_PRICED = re.compile(
    r"\b(?:values?|worth|costs?|earnings|proceeds|revenues?|amount|wert|kosten|valeur|valor|waarde)\b", re.IGNORECASE
)
"""What a number of things times what one of them is worth may be called."""
_TOP = re.compile(r"\b(?:top|largest|highest|biggest|smallest|lowest|bottom|least)\b", re.IGNORECASE)


_DIVIDED = re.compile(
    r"\b(?:ratio|proportion) of (?:the )?(?P<a>.{2,120}?) (?:to|over) (?:the )?(?P<b>.{2,120})|"
    r"\b(?P<c>\w.{2,120}?) (?:expressed )?as an? (?:percentage|percent|share|proportion|fraction|part) of (?:the )?(?P<d>.{2,120})|"
    r"\bwhat (?:percentage|percent|share|proportion|fraction|part) of (?:the )?(?P<f>.{2,120}?) "
    r"(?:is|was|are|were|did|does|do|came|comes|went|goes|consisted|consists) (?P<e>.{2,120})",
    re.IGNORECASE,
)
_PERIODS = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|\d{1,2})(?: |-)(?:fiscal |financial |calendar )?(?:year|quarter|month|week|day|period)s?\b",
    re.IGNORECASE,
)
_NUMBERS = {word: n for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)}


def _order(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words of what is divided, and of what by (``the ratio of A to B``); None where the text does not say. Linear: each part is bounded."""
    found = _DIVIDED.search(text)
    if not found:
        return None
    top, under = found["a"] or found["c"] or found["e"], found["b"] or found["d"] or found["f"]
    return words_of(top), words_of(under)


def _periods(text: str) -> int:
    """Over how many periods the text asks for a sum or a mean (``over the three years``); 0 where it does not say."""
    found = {_NUMBERS.get(number.lower()) or int(number) for number in _PERIODS.findall(text)}
    return found.pop() if len(found) == 1 else 0


class Asked:
    """One question, with its rankings of the rows and columns of each table."""

    def __init__(self, question: str, evidence: Evidence) -> None:
        self.text, self.evidence = question[:MAX_QUESTION], evidence
        self.words = words_of(self.text)
        self.stems = words_in(self.text)
        self.order = _order(self.text)
        self.periods = _periods(self.text)
        self.kinds = announce.announced(self.text)
        if language(self.text) == "en":
            self.kinds &= {"difference"}
        self.kinds |= {kind for kind, words in _ANNOUNCED.items() if words.search(self.text)}
        self.counts = bool(_COUNT.search(self.text))
        self.years = self._years()
        if not self.kinds and len(self.years) > 1:
            self.kinds = {"sum"}
        self.relative = bool(_RELATIVE.search(self.text))
        self.directed = bool(_DIRECTED.search(self.text)) and not _FALLS.search(self.text)
        self.priced = bool(_PRICED.search(self.text))
        self.top = bool(_TOP.search(self.text))
        self._grids: dict[int, Grid] = {}
        self._columns: dict[tuple[int, int], tuple[list[int], list[int]]] = {}

    def _years(self) -> frozenset[int]:
        """The years that the question names; those between two as well, where it asks for more than their difference."""
        years = set(years_in(self.text))
        for pair in _SPAN.findall(self.text) if self.counts or self.kinds != {"difference"} else ():
            first, last = sorted(map(int, pair))
            if last - first <= 20:
                years.update(range(first, last + 1))
        return frozenset(years)

    def figures(self) -> list[Figure]:
        """The numbers that the question itself states, years left out."""
        return [f for f in find_figures(self.text) if f.readings and not f.year and f.moment is None]

    def side(self) -> int:
        """1 when the question counts what is above a limit, -1 below it, 0 when it sets none."""
        return 1 if _OVER.search(self.text) else -1 if _UNDER.search(self.text) else 0

    def grid(self, t: int) -> Grid:
        """Table *t* as people read it."""
        if t not in self._grids:
            self._grids[t] = Grid(self.evidence, t)
        return self._grids[t]

    def rows(self, t: int) -> list[tuple[float, int]]:
        """(score, row) of the rows that the question's words name, the best first."""
        grid = self.grid(t)
        weights = weights_of(label.words | label.above for label in grid.rows.values())
        known = fsum(weights[word] for word in self.words & weights.keys()) or 1.0
        out = []
        for r, label in grid.rows.items():
            own = fsum(weights[word] for word in label.words & self.words)
            above = fsum(weights[word] for word in (label.above - label.words) & self.words)
            if own or above:
                whole = fsum(weights[word] for word in label.words) or 1.0
                covered, told = own / whole, (own + above) / known
                if not own:
                    covered = 0.1
                out.append((2 * covered * told / (covered + told), r))
        self.evidence.spend(len(grid.rows))
        return sorted(out, key=lambda pair: (-pair[0], pair[1]))

    def columns(self, t: int, r: int) -> tuple[list[int], list[int]]:
        """
        (the columns that the years, and the words, of the question name at row *r*; all others with numbers).

        Where columns stand for the years of the question, those of other years are left out.
        """
        key = t, self.grid(t).block(r)
        if key not in self._columns:
            self._columns[key] = self._find_columns(t, r)
        return self._columns[key]

    def _find_columns(self, t: int, r: int) -> tuple[list[int], list[int]]:
        grid = self.grid(t)
        heads = {c: grid.head(r, c) for c in grid.measures}
        dated = [c for c, head in heads.items() if head.years & self.years]
        pool = dated or list(heads)
        weights = weights_of(head.words for head in heads.values())
        scores = {c: fsum(weights[word] for word in heads[c].words & self.words) for c in pool}
        best = max(scores.values(), default=0.0)
        named = [c for c in pool if scores[c] >= best * 0.6 or self.covers(heads[c].words)] if best or dated else []
        if dated and best:
            told = [{year for c in some for year in heads[c].years & self.years} for some in (named, dated)]
            named = named if len(told[0]) == len(told[1]) else dated
        return named, [c for c in grid.measures if c not in named and not (dated and self.elsewhen(heads[c].years))]

    def elsewhen(self, years: frozenset[int]) -> bool:
        """Whether *years* are other ones than the question's; for the change of one year the one before is its own too."""
        own = self.years
        if len(own) == 1 and "difference" in self.kinds:
            own = own | {min(own) - 1}
        return bool(own and years) and own.isdisjoint(years)

    def told(self, grid: Grid, ranked: list[tuple[float, int]]) -> list[frozenset[str]]:
        """The words, as far as the question has them, of the rows that it names in full, or all but, and better than any other."""
        rows = [grid.rows[r].words for _, r in ranked[:MAX_ROWS]]
        full = [words for words in rows if self.covers(words)]
        best = rows[0] & self.words if rows and (len(ranked) == 1 or ranked[0][0] > ranked[1][0]) else frozenset()
        return [*full, best] if best and len(best) >= len(rows[0]) * MOSTLY else full

    def shorter(self, label: Label, named: Iterable[frozenset[str]]) -> bool:
        """Whether the question says of a row only a part of what it says of one of the *named*, and only once."""
        own = (label.words | label.above) & self.words
        if label.years & self.years or not any(own < words for words in named):
            return False
        return not self.covers(label.words) or any(self.stems.count(word) < 2 for word in own)

    def covers(self, words: frozenset[str]) -> bool:
        """Whether every word of a name stands in the question."""
        return bool(words) and words <= self.words


def weights_of(labels: Iterable[frozenset[str]]) -> dict[str, float]:
    """What each word of *labels* weighs: the fewer hold it, the more."""
    count: dict[str, int] = {}
    total = 0
    for words in labels:
        total += 1
        for word in words:
            count[word] = count.get(word, 0) + 1
    return {word: log(1 + total / many) for word, many in count.items()}


class Meant(NamedTuple):
    """The rows of one table that may be meant: those *named* best, and *others* whose names share a word."""

    named: list[int]
    others: list[int]


def meant_rows(asked: Asked, t: int) -> Meant:
    """The rows of table *t* that the question may mean; where rows, and no columns, stand for its years, those."""
    grid = asked.grid(t)
    ranked = _undominated(asked, grid, asked.rows(t))
    best = ranked[0][0] if ranked else 0.0
    named = [r for score, r in ranked if score >= best * 0.6 or grid.rows[r].words <= asked.words][:MAX_ROWS]
    dated = [r for r, label in grid.rows.items() if label.years & asked.years]
    across = any(grid.head(r, c).years & asked.years for r in dated[:1] for c in grid.measures)
    if dated and not across:
        both = [r for _, r in ranked if r in dated]
        named = (both if len(both) > 1 else dated)[: MAX_ROWS * 2]
    if any(asked.covers(grid.rows[r].words) for r in named) and any(
        grid.head(named[0], c).years & asked.years for c in grid.measures
    ):
        return Meant([r for r in named if r in dated or asked.covers(grid.rows[r].words) or not dated], [])
    told = [] if "ratio" in asked.kinds else asked.told(grid, ranked)
    totals = [] if told else sorted(grid.totals, reverse=True)[:4]
    others = [r for r in (*(r for _, r in ranked), *dated, *totals) if r not in named]
    if dated and not across:
        others = [r for r in others if not asked.elsewhen(grid.rows[r].years)]
    return Meant(named, list(dict.fromkeys(others))[: MAX_ROWS + 4])


def _undominated(asked: Asked, grid: Grid, ranked: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """
    *ranked* rows, less those of whose names the question has fewer words, and no other ones, than of one that it names.

    A name that is said beside a longer one that holds it stays (``EBITDA and underlying EBITDA``).
    """
    named = asked.told(grid, ranked)
    if not named or "ratio" in asked.kinds:
        return ranked
    asked.evidence.spend(len(ranked))
    return [(score, r) for score, r in ranked if not asked.shorter(grid.rows[r], named)]
