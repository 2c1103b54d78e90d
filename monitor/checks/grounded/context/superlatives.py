"""
What the words around a figure say of it: that it is the highest or the lowest, or a bound of a range.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from monitor.checks.grounded.context.sentences import Sentence
from monitor.checks.grounded.text.figures import Figure

LOOK = 120
"""So many characters before a figure are searched for the word that makes it an extremum."""
MAX_GAP = 10
"""Words between such a word and its figure."""
HIGH = (
    r"highest|largest|biggest|greatest|longest|maximum|max|peak(?:ed|ing)?|highs?|topped out|"
    r"höchste[nrs]?|größte[nrs]?|längste[nrs]?|Maximum|Höchstwert|Spitzenwert|maximale?|maximaux|pic|"
    r"plus (?:haute?|élevée?|grande?|longue?)|máxim[oa]s?|pico|más alt[oa]s?|mayor|más larg[oa]|"
    r"hoogste|grootste|langste|piek(?:t|te)?|hoogtepunt"
)
LOW = (
    r"lowest|smallest|shortest|minimum|(?<!\d )min|lows?|trough|bottom(?:ed|ing)(?: out)?|"
    r"niedrigste[nrs]?|kleinste[nrs]?|geringste[nrs]?|kürzeste[nrs]?|tiefste[nrs]?|Tiefstwert|Tiefpunkt|minimale?|"
    r"plus (?:basse?|faible|petite?|courte?)|creux|mínim[oa]s?|más baj[oa]s?|menor|más cort[oa]|"
    r"laagste|kleinste|kortste|dieptepunt"
)
_CUE = re.compile(
    rf"(?<![\w-])(?:as (?P<as>high|low) as|(?P<upto>up to)|(?P<high>{HIGH})|(?P<low>{LOW}))(?![\w-])", re.IGNORECASE
)
_RANGE = re.compile(
    r"\b(?:rang(?:e[sd]?|ing)|var(?:y|ies|ied|ying)|fluctuat\w+|span\w*|between|zwischen|reich(?:t|en|te|ten)|schwank\w+|entre|"
    r"all(?:ant|ait|aient)|vari(?:e|ent|ait|ant)|oscil\w+|tussen|varie(?:er|ren|erde)\w*)\b",
    re.IGNORECASE,
)
_ABOUT = (
    r"(?:\s(?:about|around|roughly|approximately|nearly|almost|over|under|just|only|rund|etwa|environ|unos|ongeveer))?"
)
_OF = r"(?:\s(?:an?|einem|une?|una|een))?(?:\s(?:low|high|minimum|maximum)s?\sof)?"
_FROM = re.compile(
    rf"\b(?:from|between|von|zwischen|de|entre|van|tussen){_OF}{_ABOUT}\s?[$€£(~]{{0,2}}$", re.IGNORECASE
)
_TO = re.compile(
    rf"\s?[^\d\s,;:.]{{0,12}}(?:\s[^\W\d]{{1,12}}){{0,3}}?\s?(?:to|and|bis|und|à|et|a|y|tot|en|–|-|through){_OF}{_ABOUT}\s?[$€£(~]{{0,2}}",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"[;()\n]|\b(?:and|while|whereas|but|than|which|followed|und|aber|als|et|mais|que|y|pero|maar|dan|(?:averag\w*|mean|median)\s(?:of|at|was|is)|"
    r"among|per|each|with\san?)\b|,(?!\s(?:at|with|of|reaching)\b)",
    re.IGNORECASE,
)
"""What parts a superlative from a figure that comes later."""
_DATE = re.compile(r",?\s?(?:(?:on|in|um|am|im|le|el|en|op)\s)?0+,?")
_PLACES = (
    "second zweit deuxième segund tweede 2nd",
    "third dritt troisième tercer derde 3rd",
    "fourth viert quatrième cuart vierde 4th",
    "fifth fünft cinquième quint vijfde 5th",
)
_PLACE = {word: place for place, words in enumerate(_PLACES, 2) for word in words.split()}
_RANKED = re.compile(rf"\b({'|'.join(_PLACE)}|next|last|\d{{1,3}}th)(?:\w{{0,3}})(?:\s|-)?(?:most\s)?$", re.IGNORECASE)
_APART = re.compile(
    r"\b(?:spread|gap|differences?|margin|career|records?|all-time|ever|histor\w+|world|unterschied|differenz|spanne|écart|"
    r"différence|diferencia|verschil|rekord\w*)\b",
    re.IGNORECASE,
)
"""Words beside a superlative that make it one of more, or of other things, than a table holds."""
_JOINS = re.compile(
    r"(?:\b(?:of|at|is|was|are|were|be|been|with|to|reaching|reached|reaches|being|recorded|hit|hitting|"
    rf"von|bei|ist|war|mit|auf|de|à|est|était|fue|es|con|van|op)|[:=(–-]){_ABOUT}\s?(?:an?\s)?[$€£(~*]{{0,3}}$",
    re.IGNORECASE,
)
_OWNER = re.compile(
    r"\b(?:is|was|are|were|ist|war|est|était|es|fue)\s(?:[^\s,;]{1,30}\s){0,2}[^\s,;]{1,30}['’]s?\s$", re.IGNORECASE
)
_AFTER = re.compile(
    rf"[\s*)_]{{0,3}}(?:[^\W\d]{{1,12}}\s)?(?:,|\(|–|is|was|ist|war|est|es)\s?(?:which\s(?:is|was)\s)?"
    rf"(?:the|der|die|das|le|la|el|lo|de|het)\s(?:(?P<high>{HIGH})|(?P<low>{LOW}))\b",
    re.IGNORECASE,
)
_ON = re.compile(
    r"\b(?:in|on|around|during|im|am|en|le|el|op|au)\s(?:the\s|early\s|late\s|mid-?\s?)?(?:[^\W\d]{1,12},?\s)?$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:another|several|many|local|initial|first|smaller|new|one|autre|otro|andere[rnms]?)\s(?:\w{1,12}\s)?$",
    re.IGNORECASE,
)
_LOCAL = re.compile(r"\b(?:an?|ein(?:en|em)?|une?|una|een)\s(?:\w{1,12}\s)?$", re.IGNORECASE)
_WORD, _PLAIN_WORD = re.compile(r"[^\W\d_]+"), re.compile("[a-z]+")
_SMALL = frozenset(
    "a an the of at in on for is was are were be been being with to reaching reached reaches recorded expected observed hit value values "
    "point level about around roughly approximately nearly almost over under just only von bei ist war mit auf rund etwa de à "
    "est était fue es con van op".split()
)
_NUMBER = re.compile(r"\d[\d.,]*")
_PLAIN = frozenset(["high", "low"])
_CAPS = re.compile(r"up to|max|min|as high as|as low as", re.IGNORECASE)


class Claim(NamedTuple):
    """
    What is claimed of a figure.

    *side* is ``high``, ``low``, or ``both`` for a bound of a range whose other bound is *partner*; *start* is where the claim begins in the
    sentence, *word* what makes it; *place* is 2 for the second highest; *local*, whether it may be one peak of several;
    *noun*, whether it says what is highest.
    """

    side: Literal["high", "low", "both"]
    start: int
    word: str
    partner: Figure | None = None
    place: int = 1
    local: bool = False
    noun: bool = False

    @property
    def caps(self) -> bool:
        """Whether the word can also set a limit (``up to``, ``maximum``)."""
        return _CAPS.match(self.word) is not None


_STARTS = frozenset(
    "high low lowe lows larg bigg grea long maxi max peak topp smal shor mini min trou bott as up höch größ läng spit pic plus "
    "máxi pico más mayo hoog groo lang piek nied klei geri kürz tief creu míni meno laag kort diep rang vary vari fluc "
    "span betw zwis reic schw entr alla osci tuss".split()
)
"""What the words that make a claim begin with."""


def may_claim(text: str) -> bool:
    """Whether *text* may have a word that makes a figure an extremum or a bound."""
    return not _STARTS.isdisjoint(
        [word[:4] for word in (_PLAIN_WORD if text.isascii() else _WORD).findall(text.lower())]
    )


def claim(figure: Figure, sentence: Sentence) -> Claim | None:
    """The claim that the sentence makes of *figure*; None when it makes none."""
    start, end = figure.start - sentence.start, figure.end - sentence.start
    return _of_range(figure, sentence) or _before(sentence, start) or _after(sentence.text[end : end + 60], start)


def dated(figure: Figure, sentence: Sentence) -> Claim | None:
    """The claim that something was highest or lowest on the date that *figure* is; None when there is none."""
    start = figure.start - sentence.start
    text = sentence.text[max(0, start - LOOK) : start]
    found = list(_CUE.finditer(text)) if _ON.search(text) else []
    if not found:
        return None
    last = found[-1]
    head, gap = text[: last.start()], text[last.end() :]
    if last["as"] or last["upto"] or _STOP.search(gap) or len(gap.split()) > MAX_GAP or len(_NUMBER.findall(gap)) > 1:
        return None
    if last[0].lower() in _PLAIN and not gap.startswith(" of"):
        return None
    if _RANKED.search(head) or _OTHER.search(head) or _APART.search(text[max(0, last.start() - 40) : last.end() + 8]):
        return None
    side = _side(last)
    return Claim(side, start - len(text) + last.start(), last[0].lower(), local=_LOCAL.search(head) is not None)


def _side(cue: re.Match[str]) -> Literal["high", "low"]:
    return "low" if cue["low"] or (cue["as"] or "").lower() == "low" else "high"


def _after(text: str, start: int) -> Claim | None:
    found = _AFTER.match(text)
    if found is None:
        return None
    return Claim("high" if found["high"] else "low", start, (found["high"] or found["low"]).lower())


def _before(sentence: Sentence, start: int) -> Claim | None:
    """A superlative before the figure, with nothing but its own noun, a name or a date between."""
    first, text = _left(sentence, start)
    found = list(_CUE.finditer(text))
    if not found:
        return None
    last = found[-1]
    head, gap = text[: last.start()], text[last.end() :]
    if _APART.search(text[max(0, last.start() - 40) : last.end() + 8]) or _OTHER.search(head):
        return None
    if _STOP.search(_DATE.sub(" ", gap)) or len(gap.split()) > MAX_GAP:
        return None
    if not (last["as"] or last["upto"]):
        bare = not gap.strip()
        if (gap.strip() and not (_JOINS.search(gap) or _OWNER.search(gap))) or (
            bare and last[0].lower() in (*_PLAIN, "peak", "max", "min")
        ):
            return None
    ranked = _RANKED.search(head)
    place = _PLACE.get(ranked[1].lower(), 0) if ranked else 1
    noun = any(word.lower() not in _SMALL for word in _WORD.findall(gap))
    return Claim(_side(last), first + last.start(), last[0].lower(), place=place, noun=noun) if place else None


def _left(sentence: Sentence, start: int) -> tuple[int, str]:
    """(where it begins, the text before *start*, back to the figure before); dates are written as zeros."""
    figures = [f for f in sentence.figures() if f.end - sentence.start <= start]
    first = max((f.end - sentence.start for f in figures if f.readings and not f.year), default=0)
    first = max(first, start - LOOK)
    text = sentence.text[first:start]
    for date in figures:
        if date.moment is not None or date.year:
            low, high = max(0, date.start - sentence.start - first), date.end - sentence.start - first
            text = text[:low] + "0" * max(0, high - low) + text[max(low, high) :]
    return first, text


def _of_range(figure: Figure, sentence: Sentence) -> Claim | None:
    """A bound of a range that a verb or ``between`` announces."""
    base = sentence.start
    figures = [f for f in sentence.figures() if f.readings and not f.year]
    index = next((i for i, f in enumerate(figures) if f.start == figure.start), None)
    if index is None:
        return None
    for low, high in ((index, index + 1), (index - 1, index)):
        if low < 0 or high >= len(figures):
            continue
        a, b = figures[low], figures[high]
        between = sentence.text[a.end - base : b.start - base]
        if len(between) > 60 or not _TO.fullmatch(between):
            continue
        begin = figures[low - 1].end - base if low else 0
        left = sentence.text[max(begin, a.start - base - LOOK) : a.start - base]
        verbs = list(_RANGE.finditer(left))
        gap = left[verbs[-1].start() :] if verbs else ""
        if gap and len(gap.split()) < MAX_GAP - 2 and _FROM.search(gap):
            return Claim("both", a.start - base - len(gap), verbs[-1][0].lower(), b if a.start == figure.start else a)
    return None
