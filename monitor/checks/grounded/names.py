"""
Words in names and sentences: column names split, words cut to a stem, row keys found in an answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CAMEL = re.compile(r"([a-z])([A-Z])")
_SPLIT = re.compile(r"[^\w%]+|_")
WORD = re.compile(r"[^\W\d_]+")
GENERIC = frozenset(
    "avg average total sum count number num of the a an in per by mean min max value amount n no id".split()
)
SYNONYMS = {
    "canceled": "cancel", "cancelled": "cancel", "cancellation": "cancel", "cancellations": "cancel",
    "delayed": "delay", "delays": "delay", "punctuality": "ontime", "dep": "departure", "arr": "arrival",
    "pax": "passenger", "revenues": "revenue", "pct": "percent", "qty": "quantity", "avg": "average",
}  # fmt: skip


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A rough stem: enough to see that ``flights`` and ``flight`` are one word."""
    word = word.lower()
    if word in SYNONYMS:
        return SYNONYMS[word]
    for ending in ("ies",):
        if word.endswith(ending) and len(word) > 4:
            return word[:-3] + "y"
    if word.endswith("sses") or word.endswith("shes") or word.endswith("ches"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        return word[:-1]
    return word


@lru_cache(maxsize=16_384)
def column_words(name: str) -> frozenset[str]:
    """The words of a column's name, stemmed, lower case."""
    parts = _SPLIT.split(_CAMEL.sub(r"\1_\2", name).lower())
    return frozenset(stem(part) for part in parts if part)


@lru_cache(maxsize=16_384)
def telling_words(name: str) -> frozenset[str]:
    """The words of a column's name that tell it from others."""
    return column_words(name) - GENERIC


def words_in(text: str) -> list[str]:
    """The stemmed words of *text*, in order."""
    return [stem(word) for word in WORD.findall(text)]
