"""
Which language a text is in, told by script and function words. No model, microseconds, never an error.
"""

from __future__ import annotations

import re
from functools import lru_cache

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset("the of and to in is was were with for that by at from this are it had has not on as".split()),
    "de": frozenset(
        "der die das und ist war waren mit für von im den dem ein eine nicht auf bei zu wurden hatte gibt insgesamt wir".split()
    ),
    "fr": frozenset(
        "le la les des et est une un dans pour que avec par sur du au aux en ne pas sont été était".split()
    ),
    "es": frozenset(
        "el la los las de y es una un en para que con por del al se no fue fueron más hubo tuvo hay".split()
    ),
    "nl": frozenset("de het een en van is was waren met voor in op niet dat te bij door had hebben naar er".split()),
    "it": frozenset("il la i gli le di e è una un in per che con del della nel non sono stato più ha delle".split()),
    "pt": frozenset("o a os as de e é uma um em para que com por do da no na não foi foram mais teve dos".split()),
    "sv": frozenset("och i att det som en på är av för med den till inte var har ett om från hade".split()),
    "pl": frozenset("w i na z do nie się to jest był było były o od dla po oraz która miał przez".split()),
}
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
)


def language(text: str) -> str:
    """A two-letter code (``en`` when nothing tells otherwise), from the first 600 characters of *text*."""
    return _language(text[:600])


@lru_cache(maxsize=1024)
def _language(head: str) -> str:
    if not head.isascii():
        for code, script in _SCRIPTS:
            if script.search(head):
                return code
    words = _WORD.findall(head.lower())
    best, most = "en", 0
    for code, known in FUNCTION_WORDS.items():
        score = sum(word in known for word in words)
        if score > most:
            best, most = code, score
    return best
