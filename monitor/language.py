"""
Which language a text is in, told by script and function words. No model, microseconds, never an error.
"""

from __future__ import annotations

import re
from functools import lru_cache

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        "the of and to in is was were with for that by at from this are it had has not on than there their which as".split()
    ),
    "de": frozenset(
        "der die das und ist war waren mit für von im den dem ein eine nicht auf bei zu wurden hatte es sind als aus gibt insgesamt wir".split()
    ),
    "fr": frozenset(
        "le la les des et est une un dans pour que avec par sur du au aux en ne pas sont été était il ont soit ses plus".split()
    ),
    "es": frozenset(
        "el la los las de y es una un en para que con por del al se no fue fueron más hubo tuvo hay son".split()
    ),
    "nl": frozenset(
        "de het een en van is was waren met voor in op niet dat te bij door had hebben naar er zijn dan uit".split()
    ),
    "it": frozenset(
        "il la i gli le di e è una un in che con del della nel non sono stato più ha delle dei ogni".split()
    ),
    "pt": frozenset(
        "o a os as de e é uma um em para que com por do da no na não foi foram mais teve dos das são".split()
    ),
    "sv": frozenset("och i att det som en på är av för med den till inte var har ett om från hade än de".split()),
    "pl": frozenset("w i na z do nie się to jest był było były o od dla po oraz która miał przez są czyli".split()),
}
_SPOKEN_IN = {
    word: tuple(code for code, known in FUNCTION_WORDS.items() if word in known)
    for word in frozenset().union(*FUNCTION_WORDS.values())
}
"""The languages that have a function word."""
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]"), re.compile("[\u3040-\u30ff\u4e00-\u9fff]")),
    ("zh", re.compile("[\u4e00-\u9fff]"), re.compile("[\u4e00-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]"), re.compile("[\u0900-\u097f]")),
    ("ar", re.compile("[\u0600-\u06ff]"), re.compile("[\u0600-\u06ff]")),
)
"""(language, what only it is written with, its script); a name in such a script does not make a text one in it."""


def language(text: str) -> str:
    """A two-letter code (``en`` when nothing tells otherwise), from the first 600 characters of *text*."""
    return _languages(text[:600])[0]


def languages(text: str) -> tuple[str, ...]:
    """The language of *text*, and another one that its words fit as well."""
    return _languages(text[:600])


@lru_cache(maxsize=1024)
def _languages(head: str) -> tuple[str, ...]:
    if not head.isascii():
        for code, own, script in _SCRIPTS:
            if own.search(head) and 2 * len(script.findall(head)) >= len(_LATIN.findall(head)):
                return (code,)
    scores = dict.fromkeys(FUNCTION_WORDS, 0)
    for word in _WORD.findall(head.lower()):
        for code in _SPOKEN_IN.get(word, ()):
            scores[code] += 1
    most = max(scores.values())
    return tuple([code for code, score in scores.items() if score == most][:2]) if most else ("en",)
