"""Remember what was worked out of a text, without keeping long texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
LONGEST = 256
"""Characters of the longest text that is kept as a key."""
LAST = 100_000
"""Characters of the longest text that is kept as the last one."""


class _Known(dict[str, T]):
    """What *function* gave for texts, emptied when it holds *maxsize* of them, and for the last text too long to be kept."""

    __slots__ = ("function", "last", "maxsize")

    def __init__(self, function: Callable[[str], T], maxsize: int) -> None:
        self.function, self.maxsize = function, maxsize
        self.last: tuple[str, T] | None = None

    def __missing__(self, text: str) -> T:
        last = self.last
        if last is not None and last[0] == text:
            return last[1]
        value = self.function(text)
        if len(text) > LONGEST:
            self.last = (text, value) if len(text) <= LAST else None
            return value
        if len(self) >= self.maxsize:
            self.clear()
        self[text] = value
        return value


def remembered(maxsize: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """
    Like ``lru_cache`` for functions of one text, with bounded memory and no call into Python for what is known.

    Recorded texts may be as long as somebody likes: of those over 256 characters only the last is kept.
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        return _Known(function, maxsize).__getitem__

    return decorate
