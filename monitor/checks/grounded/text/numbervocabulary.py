"""
What each word of a language is worth in a number, made from numbertables when a language is first met.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from monitor.checks.grounded.text import numbertables as tables

TOKEN = re.compile(r"[^\W\d_]+")


class Atom(NamedTuple):
    """A part of a number: *kind* is ``one``, ``hundred``, ``scale``, ``lot`` or ``half``."""

    kind: str
    value: float


ONE = Atom("one", 1)


class Vocabulary(NamedTuple):
    """
    The words of one language: *atoms* make numbers, after an article or not, with *joint* between some of them and
    *point* before decimals; *glued* cuts a number in one word, *joiners* stand in it; *phrases* have their *values*.
    """

    atoms: dict[str, Atom]
    articles: frozenset[str]
    joint: str
    point: str
    halves: tuple[str, ...]
    glued: re.Pattern[str] | None
    joiners: frozenset[str]
    phrases: re.Pattern[str]
    values: dict[str, tuple[float, str]]


def _forms(words: str) -> list[str]:
    return words.split("/") if words else []


def _atoms(code: str) -> dict[str, Atom]:
    atoms: dict[str, Atom] = {}
    for value, words in enumerate(tables.ONES[code].split()):
        atoms.update(dict.fromkeys(_forms(words), Atom("one", value)))
    for ten, words in enumerate(tables.TENS[code].split(), 2):
        atoms.update(dict.fromkeys(_forms(words), Atom("one", ten * 10)))
    for hundred, words in enumerate(tables.HUNDREDS.get(code, "").split(), 1):
        atoms.update(dict.fromkeys(_forms(words), Atom("one", hundred * 100)))
    atoms.update(dict.fromkeys(_forms(tables.HUNDRED.get(code, "")), Atom("hundred", 100)))
    for scale, words in tables.SCALES[code].items():
        atoms.update(dict.fromkeys(_forms(words), Atom("scale", scale)))
    for lot, words in tables.GROUPS[code].items():
        atoms.update(dict.fromkeys(_forms(words), Atom("lot", lot)))
    atoms.update(dict.fromkeys(_forms(tables.ONE_AND_A_HALF.get(code, "")), Atom("half", 1.5)))
    atoms.pop("-", None)
    return atoms


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _glued(code: str, atoms: dict[str, Atom]) -> re.Pattern[str] | None:
    if code not in tables.GLUED:
        return None
    parts = [word for word, atom in atoms.items() if atom.kind != "lot" and atom.value < 1e6]
    parts += _forms(tables.GLUED[code]) + _forms(tables.GLUED_HALF.get(code, ""))
    return re.compile(_alternatives(parts).replace("cento|", "cento(?!tt)|"))


def _phrases(code: str, atoms: dict[str, Atom]) -> dict[str, tuple[float, str]]:
    """Fractions and multiples, each with its value."""
    out: dict[str, tuple[float, str]] = dict.fromkeys(_forms(tables.HALF[code]), (0.5, "fraction"))
    out.update({phrase: (value, "fraction") for phrase, value in tables.FRACTIONS.get(code, {}).items()})
    ones: dict[float, list[str]] = {}
    for word, atom in atoms.items():
        if atom.kind == "one" and atom.value < 10:
            ones.setdefault(atom.value, []).append(word)
    ones[1] = ones[1] + _forms(tables.ARTICLES[code])
    for below, words in tables.DENOMINATORS[code].items():
        for above in range(1, below):
            for one in ones[above]:
                for part in _forms(words):
                    out[f"{one} {part}"] = out[f"{one}-{part}"] = (above / below, "fraction")
    for value, words in tables.MULTIPLES[code].items():
        out.update(dict.fromkeys(_forms(words), (float(value), "multiple")))
    return out


@lru_cache(maxsize=32)
def vocabulary(code: str) -> Vocabulary:
    """The words of the language *code*. KeyError for one without tables."""
    atoms = _atoms(code)
    phrases = _phrases(code, atoms)
    halves = sorted(_forms(tables.HALVES[code]), key=len, reverse=True)
    for phrase in _forms(tables.HALF_OF[code]):
        for word, atom in atoms.items():
            if atom.kind in ("scale", "lot"):
                phrases.setdefault(f"{phrase} {word}", (atom.value / 2, "count"))
                phrases.setdefault(f"{phrase}-{word}", (atom.value / 2, "count"))
    return Vocabulary(
        atoms,
        frozenset(_forms(tables.ARTICLES[code])),
        tables.JOINTS[code],
        tables.POINTS.get(code, ""),
        tuple(halves),
        _glued(code, atoms),
        frozenset(_forms(tables.GLUED.get(code, ""))),
        re.compile(rf"(?:{_alternatives(phrases)})(?!\w|-\w)"),
        phrases,
    )


def _glued_tens(code: str) -> Iterator[str]:
    """The numbers from 21 to 99 of a language that writes them as one word."""
    ones = [word for words in tables.ONES[code].split()[1:10] for word in _forms(words)]
    for words in tables.TENS[code].split() if code in tables.GLUED else ():
        for ten, one in product(_forms(words), ones):
            joiners = _forms(tables.GLUED[code])
            yield from [one + joiner + ten for joiner in joiners] if joiners else [ten + one]


@lru_cache(maxsize=1)
def telling_words() -> frozenset[str]:
    """Words one of which stands in every text that holds a number word, unless it is glued to others."""
    words: set[str] = set()
    for code in tables.ONES:
        atoms = _atoms(code)
        words.update(_glued_tens(code))
        words.update(word for word, atom in atoms.items() if atom.value != 1)
        words.update(max(phrase.replace("-", " ").split(), key=len) for phrase in _phrases(code, atoms))
    return frozenset(words)


@lru_cache(maxsize=32)
def first_words(code: str) -> frozenset[str]:
    """The words that can begin a number in the language *code*."""
    known = vocabulary(code)
    firsts = {found[0] for phrase in known.values if (found := TOKEN.search(phrase))}
    return frozenset(known.atoms) | firsts | known.articles
