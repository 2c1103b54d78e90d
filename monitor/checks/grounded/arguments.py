"""
Numbers and dates among a query's or call's own arguments and in the literals of its SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from monitor.checks.grounded.dates import Moment
from monitor.checks.grounded.figures import find_figures
from monitor.conversation import Json


def arguments_in(value: Json) -> Iterator[tuple[str, float | Moment]]:
    """Numbers and dates among a query's or call's own arguments, with the name they stand under."""
    stack: list[tuple[str, Json]] = [("", value)]
    budget = 500
    while stack and budget:
        budget -= 1
        name, item = stack.pop()
        if isinstance(item, dict):
            stack.extend((str(key), content) for key, content in item.items())
        elif isinstance(item, list):
            stack.extend((name, content) for content in item)
        elif isinstance(item, str):
            yield from ((name, found) for found in literals(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield name, float(item)


@lru_cache(maxsize=8192)
def literals(text: str) -> tuple[float | Moment, ...]:
    """Numbers and dates in a short text such as a filter (``month = '2026-01'``); nothing in a long one."""
    if len(text) > 2000:
        return ()
    out: list[float | Moment] = []
    for figure in find_figures(text, words=False):
        if figure.moment is not None:
            out.append(figure.moment)
        elif figure.readings:
            out.append(figure.readings[0].value)
    return tuple(out)
