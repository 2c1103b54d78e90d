"""
Texts that may be quoted, and the figures in them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from monitor.checks.grounded.text.figures import Figure, find_figures

MAX_TEXT = 100_000


@dataclass(slots=True)
class Source:
    """A text that may be quoted: a definition, the question, instructions, an error's message."""

    kind: str
    name: str
    text: str
    spend: Callable[[int], None] | None = field(default=None, repr=False, compare=False)
    _figures: tuple[Figure, ...] | None = field(default=None, repr=False, compare=False)

    def figures(self) -> tuple[Figure, ...]:
        """The figures in the text, parsed once for equal texts. Counted as work, parsed before or not."""
        if self._figures is None:
            if self.spend is not None:
                self.spend(reading(self.text[:MAX_TEXT]))
            self._figures = _parsed(self.text)
        return self._figures


def reading(text: str) -> int:
    """The steps that it takes to read the figures out of *text*: more where there are digits."""
    return len(text) // 2 + 3 * sum(map(text.count, "0123456789")) + (0 if text.isascii() else 2 * len(text))


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[Figure, ...]:
    return tuple(find_figures(text[:MAX_TEXT]))
