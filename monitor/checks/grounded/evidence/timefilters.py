"""
The periods that queries filter on: from comparisons in SQL and from the arguments of semantic queries.

Read without a parser, in linear time; a filter that is not understood restricts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, NamedTuple

from monitor.checks.grounded.context.periodnames import days
from monitor.checks.grounded.text.dates import Moment, moment_of

MAX_SQL = 20_000
MAX_NODES = 500
_VALUE = r"(?:(?:date|timestamp|datetime)\s?)?\(?\s?'(\d{4}[^']{0,32})'"
_COMPARED = re.compile(rf"(?<![\w.\"`])([\w.\"`]{{1,80}})\s{{0,3}}(>=|<=|<|>|=)\s{{0,3}}{_VALUE}", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"(?<![\w.\"`])([\w.\"`]{{1,80}})\s{{1,3}}between\s{{1,3}}{_VALUE}\)?\s{{1,3}}and\s{{1,3}}{_VALUE}", re.IGNORECASE
)
_ALTERNATIVES = re.compile(r"\b(?:or|not|union|case)\b", re.IGNORECASE)
_OPERATORS = {
    ">=": ">=", "gte": ">=", "ge": ">=", "after_or_on": ">=", "afterorondate": ">=", "from": ">=", "since": ">=",
    ">": ">", "gt": ">", "after": ">", "afterdate": ">", "<=": "<=", "lte": "<=", "le": "<=", "before_or_on": "<=",
    "beforeorondate": "<=", "until": "<=", "<": "<", "lt": "<", "before": "<", "beforedate": "<", "=": "=", "==": "=",
    "eq": "=", "equals": "=", "is": "=", "on": "=", "in": "=", "between": "between", "in_date_range": "between",
    "indaterange": "between", "range": "between",
}  # fmt: skip
_STARTS = re.compile(r"(?:^|_)(?:start|from|since|begin|min|gte)(?:$|_)")
_ENDS = re.compile(r"(?:^|_)(?:end|to|until|till|max|lte)(?:$|_)")
_CAMEL = re.compile(r"([a-z])([A-Z])")


class Filters(NamedTuple):
    """
    What the queries' filters say of time. *periods* are (first, last) day numbers, both included; *open_ends* are the
    dates that only end a period and no longer belong to it.
    """

    periods: tuple[tuple[int, int], ...]
    open_ends: frozenset[tuple[int, int, int]]


class _Bounds:
    """The bounds on one column."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None

    def add(self, operator: str, moment: Moment) -> None:
        span = days(moment)
        if span is None:
            return
        if operator in (">=", ">", "="):
            self.first = span[0] if operator != ">" else span[1] + 1
        if operator in ("<=", "<", "="):
            self.last = span[1] if operator != "<" else span[0] - 1


def filters(sqls: Iterable[str], given: Iterable[Any]) -> Filters:
    """The filters of all queries by their SQL texts and recorded arguments."""
    periods: list[tuple[int, int]] = []
    ends: set[tuple[int, int, int]] = set()
    others: set[tuple[int, int, int]] = set()
    for conditions in (*map(_in_sql, sqls), *map(_in_arguments, given)):
        bounds: dict[str, _Bounds] = {}
        for column, operator, moment in conditions:
            bounds.setdefault(column, _Bounds()).add(operator, moment)
            if moment.year and moment.month and moment.day:
                (ends if operator == "<" else others).add((moment.year, moment.month, moment.day))
        periods += [(b.first, b.last) for b in bounds.values() if b.first and b.last and b.first <= b.last]
    return Filters(tuple(dict.fromkeys(periods)), frozenset(ends - others))


def day_before(moment: Moment) -> Moment:
    """The day before a full date."""
    if moment.year is None or moment.month is None or moment.day is None:
        return moment
    try:
        before = date.fromordinal(date(moment.year, moment.month, moment.day).toordinal() - 1)
    except ValueError:
        return moment
    return Moment(0, 0, before.year, before.month, before.day)


def _in_sql(sql: str) -> Iterator[tuple[str, str, Moment]]:
    """(column, operator, moment) of the comparisons with dates in a query that has no alternatives."""
    text = sql[:MAX_SQL]
    if _ALTERNATIVES.search(text):
        return
    for found in _BETWEEN.finditer(text):
        yield from _pair(found[1].lower(), found[2], found[3])
    for found in _COMPARED.finditer(text):
        moment = moment_of(found[3])
        if moment is not None:
            yield found[1].lower(), found[2], moment


def _pair(column: str, first: str, last: str) -> Iterator[tuple[str, str, Moment]]:
    low, high = moment_of(first), moment_of(last)
    if low is not None and high is not None:
        yield column, ">=", low
        yield column, "<=", high


def _in_arguments(given: Any) -> Iterator[tuple[str, str, Moment]]:
    """(field, operator, moment) of the filters in a semantic query's or a call's arguments."""
    stack = [given]
    budget = MAX_NODES
    while stack and budget:
        budget -= 1
        item = stack.pop()
        if isinstance(item, list):
            stack += item
        elif isinstance(item, dict):
            yield from _condition(item)
            yield from _from_to(item)
            stack += [value for value in item.values() if isinstance(value, (dict, list))]


def _condition(item: dict[str, Any]) -> Iterator[tuple[str, str, Moment]]:
    """A filter object: a field, an operator and a value; or a field with a range of dates."""
    lower = {str(key).lower(): value for key, value in item.items()}
    field = next((lower[key] for key in ("field", "dimension", "column", "member", "name") if key in lower), "")
    given = next((lower[key] for key in ("value", "values", "daterange", "date_range") if key in lower), None)
    values = [value for value in (given if isinstance(given, list) else [given]) if isinstance(value, str)]
    written = str(lower.get("op") or lower.get("operator") or ("between" if len(values) == 2 else "=")).lower()
    operator = _OPERATORS.get(written.replace(" ", "_"), "")
    if operator == "between" and len(values) == 2:
        yield from _pair(str(field), values[0], values[1])
    elif operator and operator != "between" and len(values) == 1 and (moment := moment_of(values[0])) is not None:
        yield str(field), operator, moment


def _from_to(item: dict[str, Any]) -> Iterator[tuple[str, str, Moment]]:
    """``start_date`` and ``end_date`` of one object."""
    for key, value in item.items():
        moment = moment_of(value) if isinstance(value, str) and len(value) <= 40 else None
        if moment is None:
            continue
        name = _CAMEL.sub(r"\1_\2", str(key)).lower()
        if _STARTS.search(name):
            yield "", ">=", moment
        elif _ENDS.search(name):
            yield "", "<=", moment
