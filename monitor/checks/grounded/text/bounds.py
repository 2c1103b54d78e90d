"""
Approximators and inequalities before and after a number: ``about``, ``more than``, ``≥``, ``or less``.
"""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["", "about", "exactly", "over", "under", "nearly", "at_least", "at_most"]

_PHRASES: dict[Bound, str] = {
    "exactly": "exactly, precisely, genau, exakt, exactement, précisément, exactamente, precies, exact, esattamente, exatamente, "
    "dokładnie, ठीक",
    "at_least": "at least, no less than, no fewer than, a minimum of, mindestens, wenigstens, au moins, al menos, por lo menos, como "
    "mínimo, minstens, ten minste, minst, almeno, pelo menos, no mínimo, co najmniej, przynajmniej, कम से कम, على الأقل",
    "at_most": "at most, no more than, not more than, up to, a maximum of, höchstens, maximal, bis zu, au plus, au maximum, jusqu'à, "
    "como máximo, a lo sumo, hasta, hoogstens, ten hoogste, maximaal, högst, upp till, al massimo, fino a, no máximo, até, "
    "co najwyżej, maksymalnie, अधिकतम",
    "over": "topped, tops, topping, surpassed, surpasses, in excess of, longer than, larger than, bigger than, taller than, heavier than, "
    "older than, deeper than, wider than, faster than, more than, over, above, greater than, higher than, exceed, exceeds, exceeded, exceeding, just over, well over, just above, "
    "a little over, slightly over, slightly more than, a bit over, a bit above, a bit more than, a little above, a little more than, slightly above, "
    "somewhat more than, surpassing, upwards of, mehr als, über, knapp über, etwas mehr als, etwas über, "
    "plus de, plus d', un peu plus de, supérieur à, supérieure à, au-dessus de, más de, poco más de, algo más de, superior a, por encima de, "
    "meer dan, iets meer dan, ruim, boven de, över, mer än, fler än, drygt, più di, poco più di, oltre, superiore a, mais de, pouco mais "
    "de, acima de, ponad, więcej niż, powyżej, أكثر من, أكبر من, أعلى من",
    "under": "less than, fewer than, under, below, lower than, shorter than, smaller than, lighter than, younger than, slower than, "
    "weniger als, unter, etwas weniger als, moins de, inférieur à, inférieure à, "
    "en dessous de, menos de, inferior a, por debajo de, minder dan, onder, onder de, under, mindre än, färre än, meno di, inferiore a, "
    "abaixo de, poniżej, mniej niż, أقل من, أدنى من",
    "nearly": "almost, nearly, just under, just below, close to, slightly under, a little under, slightly below, a little below, a little less than, a bit under, a bit below, "
    "a bit less than, slightly less than, fast, knapp, beinahe, nahezu, "
    "presque, près de, un peu moins de, à peine, casi, poco menos de, algo menos de, bijna, iets minder dan, net geen, nästan, knappt, quasi, "
    "poco meno di, quase, pouco menos de, prawie, niemal, blisko",
    "about": "about, around, roughly, approximately, approx, approx., circa, ca., ca, c., some, an estimated, say, etwa, rund, ungefähr, "
    "zirka, gut, environ, autour de, aproximadamente, alrededor de, unos, unas, cerca de, en torno a, ongeveer, rond de, zo'n, omkring, "
    "ungefär, cirka, circa, più o meno, około, mniej więcej, लगभग, करीब, तकरीबन, حوالي, نحو",
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
    " oder mehr": "at_least", " ou plus": "at_least", " o más": "at_least", " of meer": "at_least", " o più": "at_least",
    " ou mais": "at_least", " eller mer": "at_least", " eller fler": "at_least", " lub więcej": "at_least", "+": "at_least",
    " or less": "at_most", " or fewer": "at_most", " or lower": "at_most", " or below": "at_most", " oder weniger": "at_most",
    " ou moins": "at_most", " o menos": "at_most", " of minder": "at_most", " o meno": "at_most", " ou menos": "at_most",
    " eller mindre": "at_most", " lub mniej": "at_most", " से अधिक": "over", " से ज़्यादा": "over", " से ज्यादा": "over", " से कम": "under",
}  # fmt: skip
_NOT = frozenset("never nor neither not no nie weder noch jamais ni nunca nooit".split())
_NEGATED: dict[Bound, Bound] = {"over": "at_most", "under": "at_least"}
_CJK_BEFORE: dict[str, Bound] = {
    "約": "about", "约": "about", "大約": "about", "およそ": "about", "ほぼ": "about", "至少": "at_least", "少なくとも": "at_least",
    "最多": "at_most", "最大": "at_most", "超过": "over", "超過": "over", "不到": "under", "不足": "under", "低于": "under", "将近": "nearly",
    "接近": "nearly", "近": "nearly", "高于": "over", "高於": "over", "多于": "over", "大于": "over", "低於": "under", "少于": "under", "小于": "under",
    "不低于": "at_least", "不少于": "at_least", "不超过": "at_most", "不高于": "at_most",
}  # fmt: skip
_CJK_AFTER = re.compile(
    r"[円元人名个個件単单台家次回天日%％]{0,2}(?:(以上)|(以下)|(未満|未满|を下回)|(超|を超|を上回|余り?|強)|(弱|近く)|(左右|前後|前后|程度|ほど|くらい))"
)
_CJK_KINDS: tuple[Bound, ...] = ("at_least", "at_most", "under", "over", "nearly", "about")


_AFTER_STARTS = frozenset(phrase[1] for phrase in _AFTER if phrase[0] == " ")


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
        return _cjk_before(head) if last >= "\u3040" else ""
    for count in (3, 2, 1):
        found = _TABLE.get(" ".join(words[-count:]))
        if found:
            return _NEGATED.get(found, found) if words[-count - 1 : -count] and words[-count - 1] in _NOT else found
    return ""


def _cjk_before(head: str) -> Bound:
    for size in (5, 3, 2, 1):
        found = _CJK_BEFORE.get(head[-size:])
        if found:
            return found
    return ""


def after(text: str, end: int) -> Bound:
    """The bound that follows *end* (``5 or more``); "" when there is none."""
    first = text[end : end + 1]
    if not first or ("+" < first < "\u3040") or (first < "+" and first != " "):
        return ""
    following = text[end : end + 14].lower()
    if following[0] >= "\u3040":
        found = _CJK_AFTER.match(following)
        return _CJK_KINDS[(found.lastindex or 1) - 1] if found else ""
    if following[0] not in " +" or (following[0] == " " and following[1:2] not in _AFTER_STARTS):
        return ""
    for phrase, bound in _AFTER.items():
        if following.startswith(phrase) and not following[len(phrase) : len(phrase) + 1].isalnum():
            return bound
    return ""
