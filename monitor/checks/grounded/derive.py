"""
Derivations that the words announce: differences, shares, ratios, changes, sums, averages, counts.

A derivation is looked for only when a word of the sentence announces it, and first over the cells that the sentence
names. The missing operand is found by bisection, not by trying all pairs. Averages, rates and the like never add.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from monitor import sql
from monitor.checks.grounded import units
from monitor.checks.grounded.evidence import Evidence, Table
from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.match import fits, interval

MAX_ROWS = 2000
_ANNOUNCED: dict[str, re.Pattern[str]] = {
    "difference": re.compile(
        r"\b(?:more|less|fewer|higher|lower|increas\w*|decreas\w*|differ\w*|gap|spread|rose|risen|fell|fallen|gain\w*|drop\w*|"
        r"change\w*|ahead|behind|grew|growth|down|up|lead|margin|longer|shorter|extra|additional|cheaper|above|below|by|than|"
        r"mehr|weniger|höher|niedriger|gestiegen|gesunken|stieg|sank|zunahme|rückgang|unterschied|"
        r"plus|moins|hausse|baisse|augment\w*|diminu\w*|écart|más|menos|aument\w*|disminu\w*|diferencia|"
        r"hoger|lager|meer|minder|gestegen|gedaald|verschil|remaining|left|refund\w*)\b",
        re.IGNORECASE,
    ),
    "sum": re.compile(
        r"\b(?:total\w*|combined|together|altogether|overall|sum|in all|both|sums|zusammen|insgesamt|gesamt\w*|summe|"
        r"au total|ensemble|somme|en total|juntos|suma|samen|totaal|in totale|cost|price|refund\w*|all)\b",
        re.IGNORECASE,
    ),
    "average": re.compile(
        r"\b(?:average\w*|mean|avg|per|each|durchschnitt\w*|mittel|im schnitt|moyenne|promedio|media|gemiddeld\w*|overall)\b",
        re.IGNORECASE,
    ),
    "ratio": re.compile(
        r"\b(?:times|twice|double|triple|ratio|fold|mal so|doppelt|fois|veces|keer|per|each|compared)\b|\dx\b|×", re.IGNORECASE
    ),
    "product": re.compile(r"\b(?:each|per|times|total|cost|for|x)\b|×", re.IGNORECASE),
}
_RISE = re.compile(
    r"\b(?:rose|risen|increas\w*|grew|grown|gain\w*|climb\w*|up|higher|more|jump\w*|improv\w*|stieg\w*|gestiegen|zunahme|erhöht\w*|"
    r"hausse|augment\w*|aument\w*|subi\w*|gestegen|growth)\b",
    re.IGNORECASE,
)
_FALL = re.compile(
    r"\b(?:fell|fallen|decreas\w*|declin\w*|drop\w*|down|lower|less|fewer|reduc\w*|lost|loss|negative|minus|shrank|sank|gesunken|"
    r"rückgang|weniger|baiss\w*|diminu\w*|recul\w*|disminu\w*|baj\w*|cay\w*|gedaald|below|behind|early|earlier|worse\w*|dip\w*)\b",
    re.IGNORECASE,
)


class Derivation(NamedTuple):
    """How a figure follows from cells: the *kind*, a phrase for people, and the cells as (table, row, column)."""

    kind: str
    phrase: str
    cells: tuple[tuple[int, int, int], ...] = ()


def rises(text: str) -> bool:
    """Whether the words speak of a rise and of no fall."""
    return bool(_RISE.search(text)) and not _FALL.search(text)


def falls(text: str) -> bool:
    """Whether the words speak of a fall."""
    return bool(_FALL.search(text))


def derive(figure: Figure, evidence: Evidence, words: str, named: dict[int, set[int]]) -> Derivation | None:
    """
    The first derivation over cells that gives *figure* and that *words* announce; None when there is none.

    *named*: for each table the rows that the sentence names. Tables of this turn come before earlier ones.
    """
    announced = {kind for kind, pattern in _ANNOUNCED.items() if pattern.search(words)}
    if figure.unit in (units.PERCENT, units.TIMES):
        announced |= {"share"} if figure.unit == units.PERCENT else {"ratio"}
    if figure.moment or not figure.readings or not announced or (figure.word and "difference" not in announced):
        return None
    order = sorted(range(len(evidence.tables)), key=lambda index: evidence.tables[index].earlier)
    for index in order:
        table = evidence.tables[index]
        if len(table.rows) > MAX_ROWS:
            continue
        found = _in_table(figure, evidence, index, table, announced, words, named.get(index, set()))
        if found:
            return found
    return None


def _in_table(
    figure: Figure, evidence: Evidence, index: int, table: Table, announced: set[str], words: str, named: set[int]
) -> Derivation | None:
    columns = {c: list(evidence.column(index, c)) for c in range(len(table.columns))}
    for column, values in columns.items():
        if not values or _is_key(table, column, values):
            continue
        chosen = [pair for pair in values if pair[0] in named] or values
        for kind, test in (("sum", _sum), ("average", _average)):
            if kind in announced:
                found = test(figure, evidence, index, column, chosen, values)
                if found:
                    return found
        if len(values) > 1:
            found = _pairs(figure, evidence, index, column, chosen, values, announced, words, bool(named))
            if found:
                return found
    if "share" in announced or "ratio" in announced or "difference" in announced or "product" in announced:
        return _across(figure, evidence, index, columns, announced, named)
    return None


def _is_key(table: Table, column: int, values: list[tuple[int, float]]) -> bool:
    """A column of ids or years is nothing to calculate with."""
    name = table.columns[column].lower()
    return name.endswith("id") or name in ("year", "month", "jahr", "día", "rank")


def _sum(
    figure: Figure, evidence: Evidence, t: int, c: int, chosen: list[tuple[int, float]], values: list[tuple[int, float]]
) -> Derivation | None:
    table = evidence.tables[t]
    if len(chosen) < 2 or not _additive(evidence, t, c):
        return None
    for rows in [chosen, values] if chosen != values else [values]:
        whole = len(rows) == len(table.rows)
        if whole and (table.truncated or _cut_by_limit(evidence, t)):
            continue
        if fits(figure, sum(value for _, value in rows), table.units[c]):
            phrase = f"the sum of {table.columns[c]} over {len(rows)} rows of {table.name}"
            return Derivation("sum", phrase, tuple((t, row, c) for row, _ in rows[:20]))
    return None


def _average(
    figure: Figure, evidence: Evidence, t: int, c: int, chosen: list[tuple[int, float]], values: list[tuple[int, float]]
) -> Derivation | None:
    table = evidence.tables[t]
    if len(chosen) < 2 or not _additive(evidence, t, c):
        return None
    if fits(figure, sum(value for _, value in chosen) / len(chosen), table.units[c]):
        return Derivation(
            "average",
            f"the mean of {table.columns[c]} over {len(chosen)} rows of {table.name}",
            tuple((t, row, c) for row, _ in chosen[:20]),
        )
    return None


def _pairs(
    figure: Figure,
    evidence: Evidence,
    t: int,
    c: int,
    chosen: list[tuple[int, float]],
    values: list[tuple[int, float]],
    announced: set[str],
    words: str,
    named: bool,
) -> Derivation | None:
    """Two cells of one column: a difference, a ratio, a share, a change in percent."""
    table = evidence.tables[t]
    unit = table.units[c]
    others = sorted((value, row) for row, value in (chosen if named and len(chosen) > 1 else values))
    numbers = [value for value, _ in others]
    total = sum(numbers)
    for reading in figure.readings:
        low, high = interval(figure, reading)
        for row, value in chosen[:200]:
            for kind, a, b in _targets(figure, unit, value, low, high, announced, words):
                position = bisect_left(numbers, min(a, b))
                while position < len(numbers) and numbers[position] <= max(a, b):
                    other = others[position][1]
                    if other != row and _direction_fits(kind, evidence, t, row, other, words):
                        return Derivation(
                            kind,
                            f"{_KINDS[kind]} {_at(evidence, t, row, c)} and {_at(evidence, t, other, c)}",
                            ((t, row, c), (t, other, c)),
                        )
                    position += 1
            if "share" in announced and figure.unit == units.PERCENT and total and _additive(evidence, t, c):
                if low <= value / total * 100 <= high:
                    return Derivation(
                        "share", f"{_at(evidence, t, row, c)} as a share of the column's total", ((t, row, c),)
                    )
    return None


_KINDS = {
    "difference": "the difference of",
    "ratio": "the ratio of",
    "share": "the share of",
    "change": "the change between",
}


def _targets(
    figure: Figure, unit: str, value: float, low: float, high: float, announced: set[str], words: str
) -> Iterator[tuple[str, float, float]]:
    """(kind, from, to): where the other operand must lie for *value* and it to give the figure."""
    if "difference" in announced and figure.unit != units.TIMES:
        factor = units.factor("points" if figure.unit == units.POINTS and unit == units.PERCENT else unit, figure.unit)
        if factor and not (figure.unit == units.PERCENT and unit in (units.PERCENT, "ratio")):
            yield "difference", value - high / factor, value - low / factor
            if low < 0:
                yield "difference", value + low / factor, value + high / factor
    if figure.unit == units.PERCENT and value:
        if "difference" in announced:
            up, down = (low / 100, high / 100), (-high / 100, -low / 100)
            for a, b in [up] if rises(words) else [down] if falls(words) and not _RISE.search(words) else [up, down]:
                if 1 + a > 0 and 1 + b > 0:
                    yield "change", value / (1 + b), value / (1 + a)
        if low > 0:
            yield "share", value * 100 / high, value * 100 / low
    if figure.unit in (units.TIMES, "") and "ratio" in announced and low > 0 and value:
        yield "ratio", value / high, value / low


def _direction_fits(kind: str, evidence: Evidence, t: int, row: int, other: int, words: str) -> bool:
    """A rise or fall between two dated rows must go the way the words say."""
    if kind not in ("difference", "change") or not (rises(words) or falls(words)):
        return True
    moments = {cell.row: moment for moment, cell in evidence.moments if cell.table == t and cell.row in (row, other)}
    if len(moments) < 2:
        return True
    a, b = moments[row], moments[other]
    key = lambda m: (m.year or 0, m.quarter or 0, m.month or 0, m.day or 0)  # noqa: E731 - used twice, here only
    if key(a) == key(b):
        return True
    later_minus_earlier_positive = key(a) > key(b)
    if kind == "difference":
        return later_minus_earlier_positive if rises(words) else not later_minus_earlier_positive
    return later_minus_earlier_positive


def _across(
    figure: Figure,
    evidence: Evidence,
    t: int,
    columns: dict[int, list[tuple[int, float]]],
    announced: set[str],
    named: set[int],
) -> Derivation | None:
    """Two columns of one row, or of the whole table."""
    table = evidence.tables[t]
    usable = [c for c, values in columns.items() if values and not _is_key(table, c, values)]
    if len(usable) < 2 or len(usable) > 12:
        return None
    rows: Iterable[int] = sorted(named) if named else range(min(len(table.rows), 50))
    by_row = [{c: dict(columns[c]).get(row) for c in usable} for row in rows]
    labels = list(rows)
    totals: dict[int, float | None] = {
        c: sum(value for _, value in columns[c]) for c in usable if _additive(evidence, t, c)
    }
    if not table.truncated:
        by_row.append(totals)
        labels.append(-1)
    for row, cells in zip(labels, by_row, strict=True):
        for a, x in cells.items():
            for b, y in cells.items():
                if a == b or x is None or y is None:
                    continue
                kind = _two(figure, x, y, table.units[a], table.units[b], announced)
                if kind:
                    where = "in all rows" if row < 0 else f"in row {row + 1}"
                    phrase = f"{_TWO[kind]} {table.columns[a]} and {table.columns[b]} {where} of {table.name}"
                    return Derivation(kind, phrase, () if row < 0 else ((t, row, a), (t, row, b)))
    return None


_TWO = {
    "share": "the share of",
    "ratio": "the ratio of",
    "difference": "the difference of",
    "product": "the product of",
}


def _two(figure: Figure, x: float, y: float, unit_x: str, unit_y: str, announced: set[str]) -> str | None:
    if (
        "share" in announced
        and figure.unit == units.PERCENT
        and y
        and unit_x == unit_y
        and fits(figure, x / y * 100, figure.unit)
    ):
        return "share"
    if "ratio" in announced and y and abs(x) > 0 and fits(figure, x / y):
        return "ratio"
    if "difference" in announced and unit_x == unit_y and fits(figure, x - y, unit_x):
        return "difference"
    if "product" in announced and 1 < min(abs(x), abs(y)) <= 20 and fits(figure, x * y):
        return "product"
    return None


def _additive(evidence: Evidence, t: int, c: int) -> bool:
    """Whether a column may be summed: as declared, as named, or as its query computes it."""
    table = evidence.tables[t]
    if not table.additive[c]:
        return False
    name = table.columns[c].lower()
    for text in evidence.sqls:
        for output, kind in sql.facts(text).aggregations:
            if output == name and kind not in ("sum", "count"):
                return False
    return True


def _cut_by_limit(evidence: Evidence, t: int) -> bool:
    """Whether the query's own limit, not the data, decided how many rows there are."""
    table = evidence.tables[t]
    if not table.is_result or len(table.rows) < 2:
        return False
    if table.limit is not None:
        return table.limit == len(table.rows)
    return any(sql.facts(text).limit == len(table.rows) for text in evidence.sqls)


def _at(evidence: Evidence, t: int, row: int, c: int) -> str:
    return f"{row_label(evidence, t, row)}'s {evidence.tables[t].columns[c]}"


def row_label(evidence: Evidence, table: int, row: int) -> str:
    """What people call a row: its text cells (at most two), else its number."""
    cells = evidence.tables[table].rows[row]
    names = [str(cell)[:60] for cell in cells if isinstance(cell, str) and cell and not cell.replace(".", "").isdigit()]
    return " / ".join(names[:2]) or f"row {row + 1}"
