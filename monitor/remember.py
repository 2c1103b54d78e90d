"""Remember what was worked out of a text, without keeping long texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
LONGEST = 256
"""Characters of the longest text that is kept as a key."""


class _Known(dict[str, T]):
    """What *function* gave for texts; emptied when it holds *maxsize* of them."""

    __slots__ = ("function", "maxsize")

    def __init__(self, function: Callable[[str], T], maxsize: int) -> None:
        self.function, self.maxsize = function, maxsize

    def __missing__(self, text: str) -> T:
        value = self.function(text)
        if len(text) <= LONGEST:
            if len(self) >= self.maxsize:
                self.clear()
            self[text] = value
        return value


def remembered(maxsize: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """
    Like ``lru_cache`` for functions of one text, with bounded memory and no call into Python for what is known.

    Recorded texts may be as long as somebody likes: one over 256 characters is worked out each time.
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        return _Known(function, maxsize).__getitem__

    return decorate
