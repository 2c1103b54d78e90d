"""
Words in names and sentences: column names split, words cut to a stem, words that tell a column from the others.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from monitor.remember import remembered

_CAMEL = re.compile(r"([a-z])([A-Z])")
_SPLIT = re.compile(r"[^\w%]+|_")
_CODE = re.compile(r"%|[^\W_]+")
WORD = re.compile("[\u0900-\u097f]{1,64}|[\u3040-\u30ff\u4e00-\u9fff]{1,64}|[^\\W\\d_\u3040-\u30ff\u4e00-\u9fff]{1,64}")
_PLAIN_WORD, _PLAIN_CODE = re.compile("[a-zA-Z]{1,64}"), re.compile("%|[a-zA-Z0-9]+")
"""WORD and _CODE for ASCII."""
GENERIC = frozenset(
    "avg average total sum count number num of the a an in per by mean min max value amount n no id rate ratio pct percent "
    "usd eur gbp kusd keur meur k h s t m c min x y ytd name type key date time ts as at de la le du des to on is it or be up so no us we he she and for with from was were has "
    "had not but all per one two first last und die der das den et les des en el los las een het che con".split()
)
LONGEST_NAME = 200
"""Characters of a column's name that are looked at."""
_SYNONYMS = {
    "canceled": "cancel", "cancelled": "cancel", "cancellation": "cancel", "cancellations": "cancel",
    "delayed": "delay", "delays": "delay", "punctuality": "ontime", "punctual": "ontime", "pax": "passenger",
    "revenues": "revenue", "pct": "percent", "qty": "quantity", "avg": "average", "dep": "depart", "arr": "arrive", "median": "p50",
    "arrival": "arrive", "arrivals": "arrive", "arriving": "arrive",
}  # fmt: skip


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """A rough stem: enough to see that ``flights`` and ``flight``, ``occupied`` and ``occupancy`` are one word."""
    word = word.lower()
    if not word.isascii():
        word = "".join(char for char in unicodedata.normalize("NFKD", word) if not "\u0300" <= char <= "\u036f") or word
        if "\u0620" <= word[0] <= "\u064a":
            return _arabic(word)
    if word in _SYNONYMS:
        return _SYNONYMS[word]
    if len(word) > 6 and word.isascii():
        return word[:6]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        return word[:-1]
    return word


def _arabic(word: str) -> str:
    """An Arabic word without its article and the ending of its number and gender, where two letters or more are left."""
    start = next(
        (part for part in ("وال", "بال", "ال", "لل") if word.startswith(part) and len(word) > len(part) + 1), ""
    )
    word = word[len(start) :]
    end = next((part for part in ("ات", "ين", "ون", "ة", "ه") if word.endswith(part) and len(word) > len(part) + 1), "")
    return word[: len(word) - len(end)]


@remembered(8192)
def column_words(name: str) -> frozenset[str]:
    """The words of a column's name, lower case, as written and stemmed."""
    parts = [part for part in _SPLIT.split(_CAMEL.sub(r"\1_\2", name[:LONGEST_NAME]).lower()) if part]
    return frozenset(parts) | frozenset(stem(part) for part in parts)


@remembered(8192)
def telling_words(name: str) -> frozenset[str]:
    """The stemmed words of a column's name that tell it from others."""
    parts = [part for part in _SPLIT.split(_CAMEL.sub(r"\1_\2", name[:LONGEST_NAME]).lower()) if part]
    return frozenset(stem(part) for part in parts if part not in GENERIC and not part.isdigit())


def words_in(text: str) -> list[str]:
    """The stemmed words of *text*, in order."""
    return [stem(word) for word in spelled(text)]


def spelled(text: str) -> list[str]:
    """The words of *text* as written, in order."""
    return (_PLAIN_WORD if text.isascii() else WORD).findall(text)


def plain_lower(text: str) -> str:
    """*text* in lower case, character for character, so that offsets stay."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def tokens(text: str) -> list[str]:
    """The stemmed words and alphanumeric codes of *text*, in order."""
    plain = text if text.islower() else _CAMEL.sub(r"\1 \2", text)
    return [stem(word) for word in (_PLAIN_CODE if plain.isascii() else _CODE).findall(plain)]
