"""
Numbers and dates among a query's or call's own arguments and in the literals of its SQL.

What the agent only wrote down (a thought, a note) explains nothing, nor do the arguments of a call that failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from monitor.checks.grounded.text.dates import Moment
from monitor.checks.grounded.text.figures import find_figures
from monitor.conversation import Json, ToolCall
from monitor.remember import remembered

MAX_PROSE = 12
"""Words in a row, in one argument, that are no filter any more but a text that the agent wrote."""
_THINKS = frozenset(
    "think thinking thought thoughts reasoning reflect reflection scratchpad sequentialthinking".split()
)
_NOTES = _THINKS | frozenset("reason rationale note notes comment explanation justification summary message".split())
_NAME = re.compile(r"[a-z]+")
_WORD = re.compile(r"(?<!\S)[^\W\d_]+[,.;:]?(?!\S)")
_QUERY = re.compile(r"\s*(?:select|with|explain|describe|show)\b|.*\bwhere\b", re.IGNORECASE)


def thinks(tool: str) -> bool:
    """Whether a tool of this name only takes down what the agent thinks (``think``)."""
    return not _THINKS.isdisjoint(_NAME.findall(tool.lower()))


def failed(call: ToolCall) -> bool:
    """Whether *call* ended in an error, or says so in its result."""
    if call.error is not None or call.status == "error":
        return True
    return isinstance(call.result, str) and call.result[:6].lower() == "error:"


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
            if _NOTES.isdisjoint(_NAME.findall(name.lower())) and not _is_prose(item):
                yield from ((name, found) for found in literals(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield name, float(item)


@remembered(4096)
def _is_prose(text: str) -> bool:
    """Whether a text argument is a text of many words rather than a value, a filter or a query."""
    return len(text) > 60 and len(_WORD.findall(text[:2000])) > MAX_PROSE and not _QUERY.match(text[:2000])


@remembered(4096)
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
