"""
Numbers written as words: ``twelve``, ``einundzwanzig``, ``two thirds``, ``le double``, in the answer's own language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from monitor.checks.grounded.names import plain_lower

_TOKEN = re.compile(r"[^\W\d_]+")

_UNITS = {
    "en": "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
          "nineteen twenty",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn "
          "neunzehn zwanzig",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf "
          "vingt",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho "
          "diecinueve veinte",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien "
          "negentien twintig",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "dois três quatro cinco seis sete oito nove dez onze doze",
    "sv": "två tre fyra fem sex sju åtta nio tio elva tolv",
    "pl": "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
}  # fmt: skip
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_ONES = {
    "en": "one two three four five six seven eight nine",
    "de": "ein zwei drei vier fünf sechs sieben acht neun",
    "fr": "un deux trois quatre cinq six sept huit neuf",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve",
    "nl": "een twee drie vier vijf zes zeven acht negen",
}
_JOIN = {"en": ("-", " "), "de": (), "fr": ("-", "-et-", " et "), "es": (" y ",), "nl": ()}
_MORE = {
    "en": {"a dozen": 12.0, "hundred": 100.0, "one hundred": 100.0, "a hundred": 100.0},
    "de": {"ein dutzend": 12.0, "hundert": 100.0, "einhundert": 100.0},
    "fr": {"une douzaine": 12.0, "cent": 100.0, "vingt et une": 21.0},
    "es": {
        "una docena": 12.0,
        "cien": 100.0,
        "veintiuno": 21.0,
        "veintidós": 22.0,
        "veintitrés": 23.0,
        "veinticuatro": 24.0,
    },
    "nl": {"een dozijn": 12.0, "honderd": 100.0},
}
_FRACTIONS = {
    "en": {"half": 1 / 2, "one half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3, "a quarter": 1 / 4,
           "one quarter": 1 / 4, "three quarters": 3 / 4, "a fifth": 1 / 5, "one fifth": 1 / 5, "two fifths": 2 / 5,
           "three fifths": 3 / 5, "four fifths": 4 / 5, "a tenth": 1 / 10},
    "de": {"die hälfte": 1 / 2, "ein drittel": 1 / 3, "zwei drittel": 2 / 3, "ein viertel": 1 / 4, "drei viertel": 3 / 4},
    "fr": {"la moitié": 1 / 2, "un tiers": 1 / 3, "deux tiers": 2 / 3, "un quart": 1 / 4, "trois quarts": 3 / 4},
    "es": {"la mitad": 1 / 2, "un tercio": 1 / 3, "dos tercios": 2 / 3, "un cuarto": 1 / 4, "tres cuartos": 3 / 4},
    "nl": {"de helft": 1 / 2, "een derde": 1 / 3, "twee derde": 2 / 3, "een kwart": 1 / 4, "driekwart": 3 / 4},
    "it": {"la metà": 1 / 2, "un terzo": 1 / 3, "due terzi": 2 / 3, "un quarto": 1 / 4, "tre quarti": 3 / 4},
    "pt": {"a metade": 1 / 2, "um terço": 1 / 3, "dois terços": 2 / 3, "um quarto": 1 / 4, "três quartos": 3 / 4},
    "sv": {"hälften": 1 / 2, "en tredjedel": 1 / 3, "två tredjedelar": 2 / 3, "en fjärdedel": 1 / 4},
    "pl": {"połowa": 1 / 2, "połowę": 1 / 2, "jedna trzecia": 1 / 3, "dwie trzecie": 2 / 3, "jedna czwarta": 1 / 4},
}  # fmt: skip
_MULTIPLES = {
    "en": {"twice": 2.0, "double": 2.0, "doubled": 2.0, "triple": 3.0, "tripled": 3.0},
    "de": {"doppelt": 2.0, "das doppelte": 2.0, "verdoppelt": 2.0, "dreimal": 3.0, "das dreifache": 3.0},
    "fr": {"le double": 2.0, "le triple": 3.0},
    "es": {"el doble": 2.0, "el triple": 3.0},
    "nl": {"het dubbele": 2.0, "twee keer": 2.0, "dubbel": 2.0},
    "it": {"il doppio": 2.0, "il triplo": 3.0},
    "pt": {"o dobro": 2.0, "o triplo": 3.0},
    "sv": {"dubbelt": 2.0, "det dubbla": 2.0},
    "pl": {"dwukrotnie": 2.0},
}


_NUMERATORS = dict.fromkeys("one eine einer eines un une uno una één een um uma en ett jeden jedna".split(), 1.0)
_IN = re.compile(r"\s(?:in|in every|out of every|von je|sur|de cada|op de|su|em cada|av)\s$")
_ALONE = re.compile(r"\s?(?:[.,;:)]|\Z|(?:is|are|was|were|has|had|ist|war|wird|est|était|es|era|è|era|fue|foi)\b)")
"""What follows the whole of a fraction (``one order in twenty was late``): no noun of its own (``one shop in three towns``)."""


class Word(NamedTuple):
    """A number in words: its *value*; *kind* is ``count``, ``fraction`` or ``multiple``."""

    start: int
    end: int
    value: float
    kind: str


@lru_cache(maxsize=32)
def _table(code: str) -> tuple[re.Pattern[str], dict[str, tuple[float, str]]]:
    words: dict[str, tuple[float, str]] = {}
    for value, word in enumerate(_UNITS[code].split(), 2):
        words[word] = (float(value), "count")
    for ten, word in enumerate(_TENS.get(code, "").split(), 2):
        words[word] = (ten * 10.0, "count")
        for one, digit in enumerate(_ONES[code].split(), 1):
            compound = [f"{digit}und{word}"] if code == "de" else [f"{digit}en{word}", f"{digit}ën{word}"]
            for form in [word + join + digit for join in _JOIN[code]] or compound:
                words[form] = (ten * 10.0 + one, "count")
    words.update({word: (value, "count") for word, value in _MORE.get(code, {}).items()})
    words.update({word: (value, "fraction") for word, value in _FRACTIONS[code].items()})
    words.update({word.replace(" ", "-"): (value, "fraction") for word, value in _FRACTIONS[code].items()})
    words.update({word: (value, "multiple") for word, value in _MULTIPLES[code].items()})
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:{pattern})(?![\w]|-\w)"), words


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    return frozenset(found[0] for code in _UNITS for word in _table(code)[1] if (found := _TOKEN.search(word)))


@lru_cache(maxsize=1)
def _telling_words() -> frozenset[str]:
    """The longest word of each number word: one of them stands in every text that holds any."""
    return frozenset(max(_TOKEN.findall(word), key=len) for code in _UNITS for word in _table(code)[1])


def may_hold_words(text: str) -> bool:
    """Whether *text* may hold a number word of any language."""
    return not _telling_words().isdisjoint(_TOKEN.findall(text.lower()))


def _part_of(lower: str, start: int, end: int, whole: tuple[float, str], code: str) -> Word | None:
    """The fraction whose whole stands from *start* to *end* (``two in five``, ``one order in twenty``)."""
    first = max(0, start - 40)
    found = _IN.search(lower[first:start]) if whole[1] == "count" else None
    if not found:
        return None
    for place, token in enumerate(reversed(list(_TOKEN.finditer(lower, first, first + found.start()))[-3:])):
        many = _NUMERATORS.get(token[0]) or _table(code)[1].get(token[0], (0.0, ""))[0]
        if many:
            alone = not place or (many == 1 and _ALONE.match(lower, end))
            return Word(token.start(), end, many / whole[0], "fraction") if many < whole[0] and alone else None
    return None


def find_words(text: str, code: str) -> list[Word]:
    """The number words of *text* in the language *code*, in order; none in a language that has no table."""
    if code not in _UNITS:
        return []
    pattern, words = _table(code)
    lower = plain_lower(text)
    out: list[Word] = []
    end = 0
    for token in _TOKEN.finditer(lower):
        if token[0] not in _first_words() or token.start() < end or lower[token.start() - 1 : token.start()] == "-":
            continue
        found = pattern.match(lower, token.start())
        if found:
            end = found.end()
            part = _part_of(lower, token.start(), end, words[found[0]], code)
            if part:
                while out and out[-1].end > part.start:
                    out.pop()
                out.append(part)
                continue
            out.append(Word(token.start(), end, *words[found[0]]))
    return out
