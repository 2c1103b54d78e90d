"""
Whose figure it is: the rows of a table that own one figure of a sentence, and whether that is sure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded.context.mentions import Mention
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.sentences import ByColumn
from monitor.checks.grounded.evidence.labels import is_total
from monitor.checks.grounded.text import announce
from monitor.checks.grounded.text.calendarwords import MONTHS
from monitor.language import language

FEW = 4
"""Names of a column that cover more rows each are categories: they narrow, and own nothing."""
_AND = re.compile(r"\s*(?:,|and|&|und|et|y|en|och|e|or|,\s?and|/|as well as)\s*(?:the\s)?", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:he|she|its|his|her|they|their|him|them|it|er|sie|sein\w*|ihr\w*|elle|son|sa|ses|leur|leurs|su|sus|ella|hij|zij|zijn|haar)\b",
    re.IGNORECASE,
)


_NAME = re.compile(r"(?<=[a-zà-ÿ,] )[A-ZÀ-Þ][a-zà-ÿ][^\W\d_]+")
_CALENDAR = frozenset(MONTHS) | frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


_AGAINST = re.compile(
    r"\b(?:before|after|since|until|vor|nach|seit|avant|après|depuis|antes de|desde|voor|na|sinds)\s(?:the\s)?$",
    re.IGNORECASE,
)


_COMPARED = re.compile(
    r"\b(?:compared (?:with|to)|versus|vs\.?|unlike|than|gegenüber|verglichen mit|vergleich zu|als|comparé à|contrairement à|frente a|"
    r"comparado con|vergeleken met|dan)\s(?:\S{1,12}\s){0,3}$",
    re.IGNORECASE,
)
_WITH = re.compile(r"\s(?:\(|(?:with|at|on|mit|avec|con|met|com|med)\s)[$€£]?", re.IGNORECASE)
_RIVAL = re.compile(
    r"\b(?:defeat\w*|beat\w*|surpass\w*|outperform\w*|overt\w+|over|against|vs|versus|than|unlike|besieg\w*|schlug\w*|gegen|als|contre|battu|"
    r"contra|que|superó|tegen|versloeg|dan)\b",
    re.IGNORECASE,
)


class Owner(NamedTuple):
    """The *rows* that own a figure; *sure* when the words leave no other; *contested* by a rival or an unknown name."""

    rows: frozenset[int]
    sure: bool
    contested: bool = False


NOBODY = Owner(frozenset(), sure=False)
Pick = tuple[frozenset[int], bool, int]
Named = tuple[Mention, frozenset[int]]


def owner(view: View, t: int) -> Owner:
    """The rows of table *t* that own the figure of *view*: named in its sentence, else the one that a pronoun stands for."""
    known: Owner | None = view.owners.get(t)
    if known is None:
        known = view.owners[t] = _find(view, t)
    return known


def _find(view: View, t: int) -> Owner:
    found = _in(view, t, view.names(t))
    if found is not None:
        return found
    behind = view.asked or view.head
    if behind is None:
        return NOBODY
    if view.sentence.names():
        return NOBODY
    by_column = {c: items for c, items in view.by_column(behind, t).items() if not all(m.period for m, _ in items)}
    sets = {rows for items in by_column.values() for _, rows in items if len(rows) <= FEW}
    if not sets:
        return NOBODY
    rows = frozenset.intersection(*sets) or frozenset().union(*sets)
    sure = len(rows) == 1 and bool(view.asked or _PRONOUN.search(view.sentence.text) or _goes_on(view))
    return Owner(rows, sure and len(sets) == 1)


def _goes_on(view: View) -> bool:
    """Whether the figure's sentence is what follows a semicolon after the names, and speaks of no sum, mean or rest."""
    if view.back is None or view.back is not view.head or not view.back.text.rstrip().endswith(";"):
        return False
    text = view.sentence.text
    return announce.announced(text).isdisjoint(("sum", "average", "difference")) and not announce.the_rest(text)


def _in(view: View, t: int, by_column: ByColumn) -> Owner | None:
    """The owner among names of the figure's own sentence; None where there are none."""
    rows: frozenset[int] | None = None
    telling = {c: items for c, items in by_column.items() if view.evidence.tells_rows(t, c)}
    sure = len(telling) > 0
    for picked, single, _ in sorted(
        (_pick(view, items) for items in (telling or by_column).values()), key=_narrow_and_near
    ):
        if rows is not None and not rows & picked:
            continue
        rows = picked if rows is None else rows & picked
        sure = sure and single
    if rows is None:
        return None
    ranges = view.ranges(by_column)
    if ranges:
        return Owner(frozenset().union(*ranges), sure=False)
    contested = _stranger(view, by_column)
    alone = len(rows) == 1 or _listed(by_column, rows)
    return Owner(rows, sure and alone and not contested and not is_total(view.evidence, t, min(rows)), contested)


def _listed(by_column: ByColumn, rows: frozenset[int]) -> bool:
    """Whether each of *rows* has a name of its own."""
    single = frozenset().union(*(own for items in by_column.values() for _, own in items if len(own) == 1))
    return rows <= single


def _narrow_and_near(pick: Pick) -> tuple[bool, int]:
    return len(pick[0]) > FEW, -pick[2]


def _stranger(view: View, by_column: ByColumn) -> bool:
    """Whether a name that no table knows may own the figure: before it, in the clause of the last known name or later."""
    before = [m for items in by_column.values() for m, _ in items if m.end <= view.figure.start]
    if not before:
        return False
    last = max(before, key=lambda mention: mention.start)
    sentence = view.sentence
    gap = sentence.text[last.end - sentence.start : view.figure.start - sentence.start]
    if view.adjacent(last) and not any(char.isalpha() for char in gap):
        return False
    begin = sentence.clauses[sentence.clause_at(last.start)].start
    if _RIVAL.search(sentence.text[begin - sentence.start : last.start - sentence.start]):
        return True
    known = [(m.start, m.end) for m in sentence.mentions()]
    for found in _NAME.finditer(sentence.text, begin - sentence.start, view.figure.start - sentence.start):
        at = found.start() + sentence.start
        if not any(a <= at < b for a, b in known) and found[0].lower() not in _CALENDAR:
            return language(sentence.text) != "de"
    return False


def _pick(view: View, items: list[Named]) -> Pick:
    """(the rows of the names of one column that may own the figure, whether it is surely these, where the last stands)."""
    own = [
        item
        for item in items
        if _has(view, item[0]) or (not _set_against(view, item[0]) and not _of_another(view, item[0]))
    ]
    if not own:
        return frozenset().union(*(rows for _, rows in items)), False, 0
    items = own
    near = [item for item in items if view.adjacent(item[0])] or [item for item in items if view.trailing(item[0])]
    if near:
        return near[-1][1], True, view.figure.end
    before = [item for item in items if item[0].end <= view.figure.start]
    behind = any(view.figure.end <= m.start < view.clause.end for m, _ in items)
    if not before:
        union = frozenset().union(*(rows for _, rows in items))
        alone = len({rows for _, rows in items}) == 1 and items[0][0].start < view.clause.end
        alone = alone and not any(view.figure.end <= f.start < items[0][0].start for f in view.clause.figures)
        return union, alone and not announce.compared(view.clause_text) and not _PRONOUN.search(view.clause_text), 0
    clauses = view.sentence.clauses
    for clause in reversed(clauses[: clauses.index(view.clause) + 1]):
        own = [item for item in before if clause.start <= item[0].start < clause.end]
        if own:
            break
    else:
        own = before
    group = _joined(view, before, own)
    if behind and own[0][0].start < view.clause.start:
        group = group + [item for item in items if view.figure.end <= item[0].start < view.clause.end]
    union = frozenset().union(*(rows for _, rows in group))
    return union, all(len(rows) == 1 for _, rows in group) or len({rows for _, rows in group}) == 1, own[-1][0].start


def _set_against(view: View, mention: Mention) -> bool:
    """Whether a name is only what another is compared with, or a period only what another is before or after of."""
    head = view.sentence.text[: mention.start - view.sentence.start][-36:]
    return (_AGAINST if mention.period else _COMPARED).search(head) is not None


def _has(view: View, mention: Mention) -> bool:
    """Whether *with* or a bracket joins the figure to a name that another is compared with (``more than Porto with 12``)."""
    if mention.period or mention.end > view.figure.start:
        return False
    gap = view.sentence.text[mention.end - view.sentence.start : view.figure.start - view.sentence.start]
    return _WITH.fullmatch(gap) is not None


def _of_another(view: View, mention: Mention) -> bool:
    """Whether the one word of a longer key stands in another name (``Chengdu Metro`` for *Chengdu Medical College*)."""
    after = view.sentence.text[mention.end - view.sentence.start :][:3]
    return mention.partial and after[:1] == " " and after[1:2].isupper()


def _joined(view: View, before: list[Named], own: list[Named]) -> list[Named]:
    """*own* with the names that are joined to its first one by *and* or a comma."""
    first = before.index(own[0])
    group = list(own)
    while first > 0:
        gap = view.sentence.text[
            before[first - 1][0].end - view.sentence.start : group[0][0].start - view.sentence.start
        ]
        if not _AND.fullmatch(gap):
            break
        first -= 1
        group.insert(0, before[first])
    return group
