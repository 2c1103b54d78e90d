"""
Ranks in words: where a text says that something is third, on the fourth place, or has the second-lowest of something.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded.context.superlatives import HIGH, LOW

_ORDINALS = (
    "first 1st erste primer première premier primero primera eerste",
    "second 2nd zweite deuxième seconde segundo segunda segundo tweede",
    "third 3rd dritte troisième tercero tercera tercer derde",
    "fourth 4th vierte quatrième cuarto cuarta vierde",
    "fifth 5th fünfte cinquième quinto quinta vijfde",
    "sixth 6th sechste sixième sexto sexta zesde",
    "seventh 7th siebte septième séptimo séptima zevende",
    "eighth 8th achte huitième octavo octava achtste",
    "ninth 9th neunte neuvième noveno novena negende",
    "tenth 10th zehnte dixième décimo décima tiende",
)
_PLACE = {word: place for place, words in enumerate(_ORDINALS, 1) for word in words.split()}
_ORDINAL = "|".join(sorted(map(re.escape, _PLACE), key=len, reverse=True))
_GERMAN = "[nrs]?"
_NOUN = "place|position|spot|rank|slot|Platz|Rang|Stelle|Position|lugar|puesto|posición|plaats|plek|positie|rang"
_SMALL = r"(?:(?:in|on|at|the|a|joint|only|still|auf|an|den|dem|der|die|das|au|à|en|la|le|el|lo|op|de|het|nur|seul\w*|solo|erst)\s){0,3}"
_STRONG = (
    r"ranks?|ranked|ranking|placed|places|finish(?:es|ed|ing)?|came|comes|coming|takes?|took|holds?|held|sits?|stands?|"
    r"belegt\w*|landet\w*|kam|kommt|liegt|lag|steht|stand|rangiert\w*|wurde|wird|erreicht\w*|"
    r"arriv(?:e|ent|ait|é|ée)|se class(?:e|ent|ait)|termin(?:e|ent|ait)|occup(?:e|ent|ait)|se place|se situe|"
    r"qued(?:a|ó|an|aron)|ocup(?:a|ó|an|aron)|termin(?:a|ó|an|aron)|se sitúa|llegó|acab(?:a|ó)|"
    r"eindig(?:t|de)|komt|kwam|staat|stond|bezet(?:te)?|werd|wordt"
)
_WEAK = r"is|was|are|were|ist|war|est|était|fut|es|fue|era"
_END = (
    r"(?=\s?(?:[.,;:!?()\n]|\Z)|\s(?:by|with|overall|behind|ahead|and|but|out|mit|nach|hinter|vor|und|aber|avec|derrière|devant|et|mais|"
    r"con|detrás|por|y|pero|met|achter|en|maar)\b)"
)
_END_STRONG = r"(?=\s(?:at|in|for|on|of|bei|im|von|à|par|en|dans|in|van|bij)\b)"
_RANK = re.compile(
    rf"\b(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\s(?P<small>{_SMALL})(?P<ordinal>{_ORDINAL}){_GERMAN}"
    rf"(?:\s(?P<noun>{_NOUN})\b|(?P<plain>{_END})|(?P<loose>{_END_STRONG}))|"
    rf"\b(?:in|auf dem|auf den|an|au|en|op de|op het)\s(?P<ordinal2>{_ORDINAL}){_GERMAN}\s(?:{_NOUN})\b|"
    rf"\b(?:has|had|have|recorded|posted|shows?|is|was|are|were|hat|hatte|verzeichnet\w*|ist|war|a|avait|est|était|tiene|tuvo|registr\w+|es|fue|"
    rf"heeft|had)\s(?:the|den|die|das|der|dem|le|la|el|de|het)\s(?P<ordinal3>{_ORDINAL}){_GERMAN}[\s-](?:(?P<high>{HIGH})|(?P<low>{LOW}))\b",
    re.IGNORECASE,
)
_FORMS = frozenset(word + ending for word in _PLACE for ending in ("", "n", "r", "s"))
_WORD = re.compile(r"\w+")
_ARTICLE = re.compile(r"\b(?:the|der|die|das|le|la|el|lo|de|het)\s$", re.IGNORECASE)
_ORDER = re.compile(r"\b(?:came|comes|coming|arriv\w*|kam|kommt|komt|kwam|llegó)\b", re.IGNORECASE)


class Rank(NamedTuple):
    """A rank in words: its span, its *place*, and whether the words count from the *low* or *high* end ("" where neither is said)."""

    start: int
    end: int
    text: str
    place: int
    side: str = ""


def find_ranks(text: str) -> list[Rank]:
    """The ranks that *text* states in words, in order."""
    if _FORMS.isdisjoint(_WORD.findall(text.lower())):
        return []
    out = []
    for found in _RANK.finditer(text):
        group = next(name for name in ("ordinal", "ordinal2", "ordinal3") if found[name])
        place = _PLACE[found[group].lower()]
        if place == 1 and not _is_first(found):
            continue
        if found["weak"] and found["loose"] is not None and not _ARTICLE.search(found["small"]):
            continue
        side = "high" if found["high"] else "low" if found["low"] else ""
        end = found.end(group)
        while end < len(text) and text[end].isalpha():
            end += 1
        out.append(Rank(found.start(group), end, text[found.start(group) : end], place, side))
    return out


def _is_first(found: re.Match[str]) -> bool:
    """Whether *first* speaks of a rank rather than of time or order."""
    if found["ordinal3"]:
        return True
    if found["ordinal2"] or not found["ordinal"]:
        return False
    if found["noun"]:
        return found["strong"] is not None
    if found["loose"] is not None or (found["strong"] and _ORDER.match(found["strong"])):
        return False
    return found["strong"] is not None or _ARTICLE.search(found["small"]) is not None
