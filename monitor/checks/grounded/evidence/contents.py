"""
What stands in a cell: a number, with its unit perhaps, a date, or a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from monitor.checks.grounded.text.calendarwords import MONTHS, WEEKDAYS
from monitor.checks.grounded.text.dates import Moment, moment_of
from monitor.checks.grounded.text.figures import find_figures
from monitor.checks.grounded.text.units import CURRENCY_CODES, PERCENT

TEXT_CELL, PARSED_CELL = 6, 50
"""Steps that a text costs which is told at a glance, and one that must be parsed as a figure or a date."""
LONGEST_CELL = 60
"""Characters of a text cell that may be a number or a date."""
LONGEST_MONTH = 12
"""Characters of a text without digits that may be a date (``September``)."""
HUGE = 1e300
"""Numbers beyond this are not looked at."""
NOTHING: tuple[float | None, str, Moment | None] = (None, "", None)

_MARKED = re.compile(r"\d[.,]\d")
_COMMAS = re.compile(
    r"^[^\d\n]{0,5}(?:\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d\d?|\d{4,}))[^\d\n]{0,8}$", re.MULTILINE
)
_POINTS = re.compile(
    r"^[^\d\n]{0,5}(?:\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:,\d{3})+\.\d+|\d+\.(?:\d\d?|\d{4,})|0\.\d+)[^\d\n]{0,8}$",
    re.MULTILINE,
)
_GROUPED = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+)(?![\d.,])")
_SWAPPED = str.maketrans({".": None, ",": "."})


def decimal_comma(columns: Sequence[tuple[Sequence[Any], set[type]]]) -> bool:
    """
    Whether a table's text numbers are surely written with a decimal comma: one is, and none is written with a point.

    *columns* are their cells and the types of these. That all points of a column stand before three digits is not enough: so do those of ``9.150`` seconds.
    """
    texts = ["\n".join([cell for cell in cells if type(cell) is str]) for cells, kinds in columns if str in kinds]
    shown = [text for text in texts if _MARKED.search(text)]
    return any(map(_COMMAS.search, shown)) and not any(map(_POINTS.search, shown))


def with_point(content: str) -> str:
    """*content*, written with a decimal comma, with a point instead."""
    return _GROUPED.sub(lambda found: found[0].translate(_SWAPPED), content)


def number(content: Any) -> float | None:
    """The number that a cell holds, as a number or as text; None for anything else, and for what is beyond all bounds."""
    kind = type(content)
    if kind is float or kind is int:
        return float(content) if -HUGE < content < HUGE else None
    if isinstance(content, str):
        return cell_of(content)[0] if len(content) <= LONGEST_CELL else None
    if isinstance(content, bool) or not isinstance(content, (int, float, Decimal)):
        return None
    if isinstance(content, Decimal) and not content.is_finite():
        return None
    return float(content) if -HUGE < content < HUGE else None


DIGIT = re.compile(r"\d")
_QUICK = re.compile(r"-?(?:\d{1,18}|[1-9]\d{0,2}(?:,\d{3}){1,5})(?:\.\d{1,12})?(%?)", re.ASCII)
"""A number, grouped by commas perhaps, in percent perhaps: what needs no parser."""
_LEADS = re.compile(
    rf"(?:Q[1-4]|FY|W\d|R\$|Rs|Fr|{'|'.join(sorted({name[:3] for name in (*MONTHS, *WEEKDAYS)} | CURRENCY_CODES))})",
    re.IGNORECASE,
)
_CLOCKED = re.compile(r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d(?:\.\d{1,3})?)")
_ACCOUNTING = re.compile(r"([$€£¥₹]?)\s?\(\s?([$€£¥₹]?\s?[\d.,'’ \u00a0\u202f]{1,30})\s?(%?)\s?\)\s?([%$€£]?)")
_TRAILING = re.compile(r"([$€£¥₹]?\s?[\d.,'’ \u00a0\u202f]{0,30}\d)\s?[-−–]")


@lru_cache(maxsize=32_768)
def cell_of(content: str) -> tuple[float | None, str, Moment | None]:
    """(number, unit, moment) of a text cell that is, as a whole, one of these."""
    text = " ".join(content.split()) if "  " in content else content.strip()
    if not text or len(text) > 40:
        return None, "", None
    if not DIGIT.search(text):
        return None, "", moment_of(text) if len(text) <= LONGEST_MONTH else None
    if text[0].isalpha() and not _LEADS.match(text):
        return None, "", None
    try:
        plain = float(text.replace("_", "x"))
    except ValueError:
        pass
    else:
        return (plain if -HUGE < plain < HUGE else None), "", None
    quick = _QUICK.fullmatch(text)
    if quick:
        return float(text.rstrip("%").replace(",", "")), PERCENT if quick[1] else "", None
    negative = _ACCOUNTING.fullmatch(text)
    if negative:
        value, unit, _ = cell_of(negative[1] + negative[2] + (negative[3] or negative[4]))
        return (None if value is None else -value), unit, None
    trailing = _TRAILING.fullmatch(text)
    if trailing:
        value, unit, _ = cell_of(trailing[1])
        return (None if value is None else -value), unit, None
    timed = _CLOCKED.fullmatch(text)
    if timed and (timed[1] or "." in timed[3]):
        seconds = int(timed[1] or 0) * 3600 + int(timed[2]) * 60 + float(timed[3])
        clock = timed[1] and len(timed[1]) == 2 and int(timed[1]) < 24
        return seconds, "s", Moment(0, len(text), minute=int(timed[1]) * 60 + int(timed[2])) if clock else None
    moment = moment_of(text)
    if moment is not None:
        return None, "", moment
    found = find_figures(text, words=False)
    if len(found) == 1 and found[0].readings and found[0].end - found[0].start >= len(text) - 2:
        return found[0].readings[0].value, found[0].unit, None
    return None, "", None


def steps(cells: Sequence[Any], kinds: set[type]) -> int:
    """The steps that it takes to index a column of cells of these *kinds*: texts that are alike are parsed once."""
    if str not in kinds:
        return 1 + len(cells)
    texts = {cell for cell in cells if type(cell) is str}
    parsed = sum(cell[:1] not in _LETTERS and not _QUICK.fullmatch(cell) for cell in texts)
    return 1 + len(cells) * 3 + len(texts) * TEXT_CELL + parsed * PARSED_CELL


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
