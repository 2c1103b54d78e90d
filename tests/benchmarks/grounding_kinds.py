"""
Sort the remaining errors into kinds: what the check said, and what sort of figure it said it of.

A false flag's cause is the fault that its source names, else whether anything was offered instead; a miss's is what the
figure was taken for. The sort is the derivation that the label names (``op``), where it does, else the figure's shape.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.checks.grounded.faults import FAULTS
from monitor.checks.grounded.text.calendarwords import MONTHS
from monitor.checks.grounded.text.names import GENERIC, telling_words, words_in
from monitor.checks.grounded.text.units import CURRENCY_CODES
from tests.benchmarks.grounding_score import Error

QUOTABLE = {"CC0-1.0": 0, "Apache-2.0": 0, "MIT": 1, "MIT (repo)": 1, "CC-BY-4.0": 2}
"""Licences under which a few words may be quoted with the record's id, in order of preference."""
AROUND = 35
"""So many characters on either side of a figure are quoted at most."""

_PLAIN = frozenset(["", "none", "lookup"])
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_SHAPES = (
    ("a date", re.compile(rf"\b(?:{_MONTH})\b|\d{{4}}-\d\d|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}|\bQ[1-4]\b", re.IGNORECASE)),
    ("a time of day", re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE)),
    ("a percentage", re.compile(r"%|\bper\s?cent|\bpct\b|\bpp\b|\bbps\b|prozent", re.IGNORECASE)),
    ("an amount of money", re.compile(rf"[$€£¥₹]|\b(?:{'|'.join(sorted(CURRENCY_CODES))})\b|\bdollars?\b|\beuros?\b")),
    ("a year", re.compile(r"^(?:1[5-9]|20)\d\d$")),
    ("a count word", re.compile(r"^\D+$")),
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_PAIR_BEFORE = re.compile(r"\d\s?[-–—/:]\s?$")
_MARKUP = re.compile(r"[\\`*_\[\]<>~$#]")
_PAIR_AFTER = re.compile(r"^\s?[-–—/:]\s?\d")


@dataclass(frozen=True, slots=True)
class Kind:
    """
    One kind of error: a false flag or a miss, what the check *said*, of what sort of *figure*; how often it was met, in
    all and by set, and one *example*.
    """

    error: str
    said: str
    figure: str
    count: int
    by_set: tuple[tuple[str, int], ...]
    example: str


def shape(error: Error) -> str:
    """What sort of figure it is, by how it is written."""
    label, answer = error.label, error.record["answer"]
    text = answer[label["start"] : label["end"]]
    for name, pattern in _SHAPES:
        if pattern.search(text):
            return name
    before, after = answer[max(0, label["start"] - 4) : label["start"]], answer[label["end"] : label["end"] + 4]
    if _PAIR_BEFORE.search(before) or _PAIR_AFTER.search(after) or _PAIR_AFTER.search(text.lstrip("+-0123456789.,")):
        return "one of a pair"
    if re.match(r"\s?(?:%|per\s?cent)", after):
        return "a percentage"
    return "a small whole number" if re.fullmatch(r"1?\d", text) else "a plain number"


def cause(error: Error) -> str:
    """Why it was flagged, or for what it was taken when it was not."""
    verdict = error.verdict
    if error.false_flag:
        fault = (verdict.fault if verdict else None) or "invented"
        return "nothing explains it" if fault == "invented" else f"taken for {FAULTS[fault].meaning}"
    if verdict is None:
        return "not read as a figure"
    if verdict.grounded is None:
        return f"undecided ({verdict.cause})"
    source = verdict.source or {}
    if source.get("kind") == "derived":
        return f"explained as {_article(str(source.get('derivation')).replace('_', ' '))}"
    if source.get("kind") == "cell" and "row" in source:
        return f"explained by a cell; {_named(error, source)}"
    return f"explained by {_article(str(source.get('kind') or 'nothing').replace('_', ' '))}"


def _named(error: Error, source: dict[str, Any]) -> str:
    """Whether the sentence has a word of the cell's row (of its first texts) and of its column's name."""
    tables = {str(e.get("name") or f"table {n}"): e for n, e in enumerate(error.record["evidence"], 1)}
    rows = tables.get(source["table"], {}).get("rows", ())
    texts = [cell for cell in rows[source["row"]] if isinstance(cell, str)][:2] if source["row"] < len(rows) else []
    start, end, answer = error.label["start"], error.label["end"], error.record["answer"]
    words = _words(_SENTENCE.split(answer[:start])[-1] + " " + _SENTENCE.split(answer[end:], maxsplit=1)[0])
    row, column = bool(words & _words(" ".join(texts))), bool(words & telling_words(source["column"]))
    if row == column:
        return "its row and column are named" if row else "neither its row nor its column is named"
    return "its row is named, its column is not" if row else "its column is named, its row is not"


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in words_in(text) if word not in GENERIC)


def _article(noun: str) -> str:
    return noun if noun == "nothing" else f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def kind(error: Error) -> tuple[str, str, str]:
    """The kind of an error, in words: false flag or miss, what the check said, of what sort of figure."""
    targeted = error.label.get("target", True)
    named = error.label.get("op") or (targeted and error.record["labels"].get("op")) or ""
    sort = shape(error) if named in _PLAIN else _article(named.replace("_", " "))
    return "false flag" if error.false_flag else "miss", cause(error), sort


def example(errors: Sequence[Error]) -> str:
    """A short quote with its id from the set that allows it most freely, else a figure's id alone."""
    error = min(errors, key=lambda e: (QUOTABLE.get(e.record.get("licence", ""), 9), e.record["id"], e.label["start"]))
    licence = error.record.get("licence", "")
    if licence not in QUOTABLE:
        return f"not quoted (licence {licence}): [{error.record['id']}]"
    answer, start, end = error.record["answer"], error.label["start"], error.label["end"]
    before = answer[max(0, start - AROUND) : start].rsplit("\n", 1)[-1]
    after = answer[end : end + AROUND].split("\n", 1)[0]
    if start > AROUND == len(before):
        before = "…" + before.partition(" ")[2]
    if len(after) == AROUND:
        after = after.rpartition(" ")[0] + "…"
    quote = f"{_plain(before)}**{_plain(answer[start:end])}**{_plain(after)}".strip()
    return f"“{quote}” [{error.record['id']}, {licence}]"


def _plain(text: str) -> str:
    """*text* as Markdown that shows it as it is, also in a table."""
    return _MARKUP.sub(r"\\\g<0>", text).replace("|", "¦")


def largest(errors: Iterable[Error], count: int = 10) -> list[Kind]:
    """The *count* largest kinds of error, the largest first."""
    known: dict[tuple[str, str, str], list[Error]] = {}
    for error in errors:
        known.setdefault(kind(error), []).append(error)
    ranked = sorted(known.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        Kind(*named, len(some), tuple(Counter(error.set for error in some).most_common()), example(some))
        for named, some in ranked[:count]
    ]
