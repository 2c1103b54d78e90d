"""
Approximators and inequalities before and after a number: ``about``, ``more than``, ``≥``, ``or less``.
"""

from __future__ import annotations

from typing import Literal

Bound = Literal["", "about", "exactly", "over", "under", "nearly", "at_least", "at_most"]

_PHRASES: dict[Bound, str] = {
    "exactly": "exactly, precisely, genau, exakt, exactement, exactamente, precies, esattamente, exatamente",
    "at_least": "at least, no less than, no fewer than, mindestens, au moins, al menos, minstens, minst, almeno, pelo menos, "
    "co najmniej, a minimum of",
    "at_most": "at most, no more than, not more than, up to, höchstens, maximal, au plus, como máximo, hoogstens, högst, "
    "al massimo, no máximo, a maximum of",
    "over": "more than, over, above, greater than, higher than, exceed, exceeds, exceeded, exceeding, topped, tops, topping, surpassed, surpasses, in excess of, longer than, larger than, bigger than, taller than, "
    "heavier than, older than, deeper than, wider than, faster than, just over, well over, "
    "just above, a little over, slightly over, slightly more than, surpassing, upwards of, mehr als, über, knapp über, "
    "plus de, plus d', supérieur à, más de, meer dan, ruim, över, mer än, più di, oltre, mais de, acima de, ponad",
    "under": "less than, fewer than, under, below, lower than, shorter than, smaller than, lighter than, younger than, slower than, weniger als, unter, moins de, inférieur à, menos de, "
    "minder dan, onder, under, mindre än, meno di, abaixo de, poniżej",
    "nearly": "almost, nearly, just under, just below, close to, fast, knapp, beinahe, presque, près de, casi, bijna, "
    "nästan, knappt, quasi, quase, prawie, slightly under, a little under, slightly below",
    "about": "about, around, roughly, approximately, approx, approx., circa, ca., ca, c., some, etwa, rund, ungefähr, "
    "gut, environ, aproximadamente, alrededor de, unos, unas, cerca de, en torno a, ongeveer, zo'n, omkring, ungefär, "
    "cirka, circa, quasi, około, aproximadamente, an estimated, say, 約, 约, 大约, लगभग, करीब",
}
_SYMBOLS: dict[str, Bound] = {
    "~": "about",
    "≈": "about",
    "∼": "about",
    ">": "over",
    "<": "under",
    "≥": "at_least",
    "≤": "at_most",
}
_TABLE: dict[str, Bound] = {phrase.strip(): bound for bound, line in _PHRASES.items() for phrase in line.split(",")}
_LAST = frozenset(phrase.split()[-1] for phrase in _TABLE)
_AFTER: dict[str, Bound] = {
    " or more": "at_least", " or higher": "at_least", " or later": "at_least", " or earlier": "at_most", " or above": "at_least", " and over": "at_least", " and above": "at_least",
    " oder mehr": "at_least", " ou plus": "at_least", " o más": "at_least", " of meer": "at_least", "以上": "at_least",
    "+": "at_least", " or less": "at_most", " or fewer": "at_most", " or lower": "at_most", " or below": "at_most",
    "以下": "at_most",
}  # fmt: skip
_NOT = frozenset("never nor neither not no nie weder noch jamais ni nunca nooit".split())
_NEGATED: dict[Bound, Bound] = {"over": "at_most", "under": "at_least"}
_CJK = {"約": "about", "约": "about"}


def before(text: str, start: int) -> Bound:
    """The bound that stands right before *start*; "" when there is none."""
    head = text[max(0, start - 28) : start].rstrip(" \u00a0\u202f(*_")
    if not head:
        return ""
    last = head[-1]
    if last in _SYMBOLS:
        return _SYMBOLS[last]
    if last == "=" and head[-2:] in (">=", "<="):
        return "at_least" if head[-2] == ">" else "at_most"
    words = head.lower().split()
    if not words or words[-1] not in _LAST:
        return "about" if last in _CJK else ""
    for count in (3, 2, 1):
        found = _TABLE.get(" ".join(words[-count:]))
        if found:
            return _NEGATED.get(found, found) if words[-count - 1 : -count] and words[-count - 1] in _NOT else found
    return ""


def after(text: str, end: int) -> Bound:
    """The bound that follows *end* (``5 or more``); "" when there is none."""
    following = text[end : end + 11].lower()
    if not following or following[0] not in " +以" or (following[0] == " " and following[1:2] not in "oa"):
        return ""
    for phrase, bound in _AFTER.items():
        if following.startswith(phrase) and not following[len(phrase) : len(phrase) + 1].isalnum():
            return bound
    return ""
