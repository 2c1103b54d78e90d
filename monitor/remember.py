"""Remember what was worked out of a text, without keeping long texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")
LONGEST = 256
"""Characters of the longest text that is kept as a key."""


def remembered(maxsize: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """
    Like ``lru_cache`` for functions of one text, with bounded memory.

    Recorded texts may be as long as somebody likes: one over 256 characters is worked out each time.
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        cached = lru_cache(maxsize=maxsize)(function)

        @wraps(function)
        def remember(text: str) -> T:
            return cached(text) if len(text) <= LONGEST else function(text)

        return remember

    return decorate
