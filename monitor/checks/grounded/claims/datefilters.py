"""
Conditions by dates: days, months and years, alone or from one to another.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from monitor.checks.grounded.context.stretch import Filter, Stretch
from monitor.checks.grounded.evidence.vocabulary import bits
from monitor.checks.grounded.text.calendarwords import MONTHS
from monitor.checks.grounded.text.dates import Moment

_FROM = frozenset(["between", "from"])
_TO = frozenset("and to until through till".split())
_MAY = frozenset("in of during on".split())
_DECADE = re.compile(r"(1[5-9]\d0|20\d0)s")
_Order = tuple[int, ...]
_SIDES: dict[str, Callable[[_Order, _Order], bool]] = {
    "since": lambda order, edge: order >= edge,
    "after": lambda order, edge: order > edge,
    "before": lambda order, edge: order < edge,
    "until": lambda order, edge: order <= edge,
    "till": lambda order, edge: order <= edge,
    "through": lambda order, edge: order <= edge,
}


def read_dates(stretch: Stretch) -> None:
    """Take in every date, month and year among the words."""
    moments = _moments(stretch)
    at = 0
    while at < len(moments):
        place, moment = moments[at]
        before = stretch.text(place - 1)
        if before in _FROM and at + 1 < len(moments) and stretch.text(moments[at + 1][0] - 1) in _TO:
            _period(stretch, (place, moment), moments[at + 1])
            at += 1
        elif before in _SIDES:
            _since(stretch, place, moment)
        else:
            _dated(stretch, place, moment)
        at += 1


def _moments(stretch: Stretch) -> list[tuple[int, Moment]]:
    """Where dates start among the words, and what they are."""
    out = []
    for at, word in enumerate(stretch.words):
        figure = word.figure
        if word.used or (figure is not None and at and stretch.words[at - 1].figure is figure):
            continue
        moment = figure.moment if figure else None
        if figure is not None and figure.year:
            moment = Moment(0, 0, year=int(figure.readings[0].value))
        elif figure is None and _is_month(stretch, at):
            moment = Moment(0, 0, month=MONTHS[word.text])
        decade = _DECADE.fullmatch(word.text)
        if decade:
            moment = Moment(0, 0, year=int(decade[1]), last_year=int(decade[1]) + 9)
        if moment is not None:
            out.append((at, moment))
    return out


def _is_month(stretch: Stretch, at: int) -> bool:
    word = stretch.text(at)
    if word == "may":
        return stretch.text(at - 1) in _MAY
    return len(word) > 3 and word in MONTHS


def _said(stretch: Stretch, at: int) -> str:
    figure = stretch.words[at].figure
    return figure.text if figure else stretch.words[at].text


def _dated(stretch: Stretch, at: int, moment: Moment) -> None:
    """Take in one date, month or year; a year of the caption that no cell has sets no condition."""
    vocabulary = stretch.vocabulary
    columns: dict[int, set[int]] = {}
    alone = moment.year is not None and moment.month is None
    for dated in vocabulary.dates if not alone else ():
        if moment.agrees(dated.moment):
            columns.setdefault(dated.column, set()).add(dated.row)
    first, last = moment.year or 0, moment.last_year or moment.year or 0
    for column, years in vocabulary.years.items() if alone else ():
        columns.setdefault(column, set()).update(row for row, year in years if first <= year <= last)
    said, kind = _said(stretch, at), _grain(moment)
    found = [Filter(c, bits(rows), f"{stretch.label(c)} in {said}", kind) for c, rows in columns.items() if rows]
    if found:
        stretch.add(found, at, stretch.use_figure(at))
        stretch.dated = True
    elif alone and str(moment.year) in stretch.caption:
        stretch.use_figure(at)
        stretch.dated = True


def _ordered(stretch: Stretch, test: Callable[[Moment], bool]) -> list[tuple[int, int]]:
    """(column, the rows as bits whose date meets a test) of the columns where any does."""
    columns: dict[int, int] = {}
    for column, row, moment in stretch.vocabulary.dates:
        if test(moment):
            columns[column] = columns.get(column, 0) | 1 << row
    for column, years in stretch.vocabulary.years.items():
        if column in stretch.vocabulary.numeric:
            columns[column] = bits(row for row, year in years if test(Moment(0, 0, year=year)))
    return [(column, rows) for column, rows in columns.items() if rows]


def _period(stretch: Stretch, first: tuple[int, Moment], last: tuple[int, Moment]) -> None:
    """Take in a period from one date to another, both included."""
    (at, start), (to, end) = first, last
    low, high = _order(start, start), _order(end, end)
    said = f"from {_said(stretch, at)} to {_said(stretch, to)}"
    found = [
        Filter(column, rows, f"{stretch.label(column)} {said}", "period")
        for column, rows in _ordered(stretch, lambda m: low <= _order(m, start) and _order(m, end) <= high)
    ]
    if found:
        stretch.add(found, at, stretch.use_figure(at))
        stretch.use_figure(to)
        stretch.use((stretch.words[at - 1], stretch.words[to - 1]))
        stretch.dated = True


def _since(stretch: Stretch, at: int, moment: Moment) -> None:
    """Take in a period that is open at one end."""
    word = stretch.text(at - 1)
    side, edge = _SIDES[word], _order(moment, moment)
    found = [
        Filter(column, rows, f"{stretch.label(column)} {word} {_said(stretch, at)}", "period")
        for column, rows in _ordered(stretch, lambda other: side(_order(other, moment), edge))
    ]
    if found:
        stretch.add(found, at, stretch.use_figure(at))
        stretch.words[at - 1].used = True
        stretch.dated = True


def _order(moment: Moment, like: Moment) -> _Order:
    """What to sort a moment by, as finely as *like* is written."""
    out = [moment.year or 0] if like.year else []
    if like.month:
        out.append(moment.month or 0)
        if like.day:
            out.append(moment.day or 0)
    return tuple(out)


def _grain(moment: Moment) -> str:
    """What of a date is said, so that a month and its year narrow each other and two months do not."""
    parts = (("y", moment.year), ("m", moment.month), ("d", moment.day))
    return "date:" + "".join(part for part, said in parts if said)
