"""
Numbers written as words: ``two and a half million``, ``einundzwanzig``, ``quatre-vingt-dix-sept``, ``two thirds``, ``le double``.

The words stand in numbertables; here they are put together. Linear in the length of the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from monitor.checks.grounded.text import numbertables as tables
from monitor.checks.grounded.text.names import plain_lower
from monitor.checks.grounded.text.numbervocabulary import (
    ONE,
    TOKEN,
    Atom,
    Vocabulary,
    first_words,
    telling_words,
    vocabulary,
)

MAX_WORDS = 24
"""No number has more words."""
_TENS_JOINTS = frozenset(["et", "y", "e"])
"""Joints that also stand between tens and ones (``treinta y uno``)."""
_HYPHENS = frozenset("-\u2011")
_GAPS = frozenset([" ", "-", "\u00a0", "\u202f", "\u2011"])


class Word(NamedTuple):
    """
    A number in words: its *value* and half of its last place (0: exact).

    *kind* is ``count``, ``fraction`` or ``multiple``; *about* says that the word itself is rough (``une dizaine``).
    """

    start: int
    end: int
    value: float
    kind: str
    half: float = 0.0
    about: bool = False


_GLUES = ("hundert", "tausend", "honderd", "duizend", "hundra", "tusen", "cento", "mila", "einhalb", "nhalf", "nhalve")
"""One of these stands in every number in one word that is not below a hundred."""


def may_hold_words(text: str) -> bool:
    """Whether *text* may hold a number word of any language."""
    lower = text.lower()
    if not telling_words().isdisjoint(TOKEN.findall(lower)):
        return True
    return any(part in lower for part in _GLUES)


def find_words(text: str, code: str) -> list[Word]:
    """The number words of *text* in the language *code*, in order; none in a language that has no table."""
    if code not in tables.ONES:
        return []
    known = vocabulary(code)
    lower = plain_lower(text)
    tokens = list(TOKEN.finditer(lower))
    first = first_words(code)
    out: list[Word] = []
    end = 0
    glues = known.glued is not None
    places = [i for i, token in enumerate(tokens) if token[0] in first or (glues and _is_glued(known, token[0]))]
    for index in places:
        token = tokens[index]
        start = token.start()
        if start < end:
            continue
        glued = lower[start - 1 : start]
        if glued in ("-", "_", "\u2011") or glued.isdigit():
            continue
        phrase = known.phrases.match(lower, start)
        before = tokens[index - 1][0] if index else ""
        number = None
        if _opens(known, tokens, index) and (before, token[0]) not in tables.PERCENTS:
            number = _Number(lower, tokens, index, known).read()
            if before in tables.VAGUE and known.atoms.get(token[0], ONE).kind != "one":
                number = None
        if phrase and (number is None or phrase.end() >= number.end):
            value, kind = known.values[phrase[0]]
            half = value / 10 if kind == "count" and value >= 1000 else 0.0
            number = Word(start, phrase.end(), value, kind, half)
        if number is not None:
            end = number.end
            part = _part_of(lower, number, out)
            while part and out and out[-1].end > part.start:
                out.pop()
            out.append(part or number)
    return out


_ONE = frozenset("one eine einer eines un une uno una één een um uma en ett jeden jedna".split())
_IN = re.compile(r"\s(?:in|in every|out of every|von je|sur|de cada|op de|su|em cada|av)\s$")
_ALONE = re.compile(r"\s?(?:[.,;:)]|\Z|(?:is|are|was|were|has|had|ist|war|wird|est|était|es|era|è|fue|foi)\b)")
"""What follows the whole of a fraction (``one order in twenty was late``): no noun of its own (``one shop in three towns``)."""


def _part_of(lower: str, whole: Word, before: list[Word]) -> Word | None:
    """The fraction that a count ends as its whole (``two in five``, ``one order in twenty``); None where it ends none."""
    first = max(0, whole.start - 40)
    found = _IN.search(lower, first, whole.start) if whole.kind == "count" else None
    if not found:
        return None
    for place, token in enumerate(reversed(list(TOKEN.finditer(lower, first, found.start()))[-3:])):
        counted = next(
            (word.value for word in before[-2:] if word.start == token.start() and word.kind == "count"), 0.0
        )
        many = counted or float(token[0] in _ONE)
        if many:
            alone = not place or (many == 1 and _ALONE.match(lower, whole.end))
            sound = many < whole.value and alone
            return whole._replace(start=token.start(), value=many / whole.value, kind="fraction") if sound else None
    return None


@lru_cache(maxsize=4096)
def _parts(code_pattern: re.Pattern[str], word: str) -> tuple[str, ...]:
    """The parts of a number in one word; none when it is no such word."""
    parts = code_pattern.findall(word)
    return tuple(parts) if len(parts) > 1 and sum(map(len, parts)) == len(word) else ()


def _opens(known: Vocabulary, tokens: list[re.Match[str]], index: int) -> bool:
    """Whether the token at *index* begins a number, by itself or as the article of what follows."""
    word = tokens[index][0]
    if word in known.articles:
        return index + 1 < len(tokens) and tokens[index + 1][0] in known.atoms
    return word in known.atoms or _is_glued(known, word)


def _is_glued(known: Vocabulary, word: str) -> bool:
    return known.glued is not None and 4 < len(word) < 80 and bool(_parts(known.glued, word))


class _Number:
    """One number, read word by word from the token at *index*."""

    def __init__(self, text: str, tokens: list[re.Match[str]], index: int, known: Vocabulary) -> None:
        self.text, self.tokens, self.index, self.known = text, tokens, index, known
        self.total = self.current = 0.0
        self.room = 1e15
        """What is added must be below this; 0 when nothing can be."""
        self.last = 0.0
        """The last magnitude."""
        self.place = 0.0
        self.about = False

    def read(self) -> Word | None:
        """The longest number that begins here; None when there is none."""
        start = self.tokens[self.index].start()
        end, index, opened = start, self.index, False
        if self.tokens[index][0] in self.known.articles:
            opened = True
            index += 1
        while index < len(self.tokens) and index - self.index < MAX_WORDS:
            if (end > start or opened) and not self._touches(index) and not self._resumes(index):
                break
            word = self.tokens[index][0]
            if end > start and word == self.known.joint and self._touches(index + 1):
                half = self._half(index + 1)
                if half:
                    end = half
                    index = self._after(end)
                    continue
                if not self._joins(index + 1):
                    break
                index += 1
                word = self.tokens[index][0]
            if word == self.known.point and end > start and self._touches(index + 1):
                after = self._decimals(index + 1)
                if not after:
                    break
                index, end = after, self.tokens[after - 1].end()
                continue
            if not self._take(word, opened=opened and end == start):
                break
            opened = opened and end > start
            end = self.tokens[index].end()
            index += 1
        value = self.total + self.current
        follows = self.text[end : end + 2]
        if (
            end == start
            or follows[:1] == "_"
            or follows[:1].isdigit()
            or (follows[:1] in _HYPHENS and follows[1:].isalnum())
        ):
            return None
        if value == 1 and not self.last:
            return None
        return Word(start, end, value, "count", self.place / 2, self.about)

    # -- tokens --------------------------------------------------------------------------------------------------------

    def _touches(self, index: int) -> bool:
        """Whether only a space or hyphen parts the token at *index* from the one before."""
        if index >= len(self.tokens):
            return False
        return self.text[self.tokens[index - 1].end() : self.tokens[index].start()] in _GAPS

    def _resumes(self, index: int) -> bool:
        """Whether a number goes on after a comma (*two thousand, three hundred*)."""
        if (
            self.current
            or self.last < 1000
            or self.text[self.tokens[index - 1].end() : self.tokens[index].start()] != ", "
        ):
            return False
        following = [self.known.atoms.get(token[0], ONE) for token in self.tokens[index : index + 5]]
        return any(
            atom.kind == "hundred"
            or (atom.kind == "scale" and atom.value < self.last)
            or (atom.kind == "one" and atom.value >= 100)
            for atom in following
        )

    def _after(self, end: int) -> int:
        index = self.index
        while index < len(self.tokens) and self.tokens[index].start() < end:
            index += 1
        return index

    def _joins(self, index: int) -> bool:
        """Whether the token after a joint goes on with the number (``a hundred and five``), rather than being the next one."""
        atom = self.known.atoms.get(self.tokens[index][0])
        if atom is None and self.last and not self.current:
            return _is_glued(self.known, self.tokens[index][0])
        if atom is None or atom.kind not in ("one", "hundred") or atom.value >= self.room:
            return False
        if self.room <= 20 and (
            self.known.joint not in _TENS_JOINTS or (self.known.joint == "et" and atom.value not in (1, 11))
        ):
            return False
        following = self.known.atoms.get(self.tokens[index + 1][0], ONE) if self._touches(index + 1) else ONE
        if following.kind == "hundred":
            return self.room > 100
        return following.kind != "scale" or not self.last or following.value < self.last

    def _half(self, index: int) -> int:
        """Where "and a half" ends that begins at *index*; 0 when it does not."""
        start = self.tokens[index].start()
        for half in self.known.halves:
            end = start + len(half)
            if self.text.startswith(half, start) and not self.text[end : end + 1].isalnum():
                step = self.last if self.last and not self.current else 1.0
                if self.place and not self.last:
                    return 0
                if self.last and not self.current:
                    self.total += step / 2
                else:
                    self.current += 0.5
                self.place = step / 10
                self.room = 0
                return end
        return 0

    def _decimals(self, index: int) -> int:
        """The token after the decimals that begin at *index*; 0 when there are none."""
        digits = ""
        while index < len(self.tokens) and len(digits) < 9 and (not digits or self._touches(index)):
            atom = self.known.atoms.get(self.tokens[index][0])
            if atom is None or atom.kind != "one" or atom.value >= 100:
                break
            digits += str(int(atom.value))
            index += 1
        if not digits or self.last:
            return 0
        self.current += float(f"0.{digits}")
        self.place, self.room = 10.0 ** -len(digits), 0
        return index

    # -- values --------------------------------------------------------------------------------------------------------

    def _take(self, word: str, *, opened: bool) -> bool:
        """Add one word; whether it goes on with the number."""
        atom = self.known.atoms.get(word)
        if atom is not None:
            return self._add(atom, opened=opened, alone=word in tables.ALONE)
        if self.known.glued is None or opened:
            return False
        parts = _parts(self.known.glued, word) if 4 < len(word) < 80 else ()
        if not parts:
            return False
        kept = (self.total, self.current, self.room, self.last, self.place)
        joined = False
        for part in parts:
            if part in self.known.joiners:
                joined = True
                continue
            if part.endswith(("half", "halb", "halve")) and part not in self.known.atoms:
                fits = 0 < self.current < 20 and self.place == 0
                self.current += 0.5
                self.place, self.room = 0.1, 0
            else:
                fits = (
                    self._join(self.known.atoms[part])
                    if joined
                    else self._add(self.known.atoms[part], opened=False, alone=True)
                )
            joined = False
            if not fits:
                self.total, self.current, self.room, self.last, self.place = kept
                return False
        return not joined

    def _join(self, atom: Atom) -> bool:
        """Tens after ones (*fünfundzwanzig*), or ones after a hundred (*hundertundfünf*)."""
        if 0 < self.current % 100 < 10 and 20 <= atom.value < 100 and atom.kind == "one":
            self.current += atom.value
            self.room = 0
            return True
        return self._add(atom, opened=False, alone=False)

    def _add(self, atom: Atom, *, opened: bool, alone: bool) -> bool:
        if atom.kind == "half":
            return self._begin(1.5, 0.1)
        if atom.kind == "one":
            return not opened and self._one(atom.value)
        if atom.kind == "hundred":
            return self._hundred()
        if atom.kind == "lot":
            return self._lot(atom.value, opened=opened)
        return self._scale(atom.value, implied=opened or alone)

    def _begin(self, value: float, place: float) -> bool:
        if self.current or self.total:
            return False
        self.current, self.place, self.room = value, place, 0
        return True

    def _one(self, value: float) -> bool:
        if value == 20 and self.current % 100 == 4 and "vingt" in self.known.atoms:
            self.current += 76
            self.room = 20
            return True
        if value >= self.room or (value == 0 and (self.current or self.total)):
            return False
        self.current += value
        self.place = 0.0
        if value >= 100:
            self.room = 100
        elif value >= 20 and value % 10 == 0:
            self.room = 20 if value == 60 and "vingt" in self.known.atoms else 10
        else:
            self.room = 10 if value == 10 and "vingt" in self.known.atoms else 0
        return True

    def _hundred(self) -> bool:
        if self.current % 100 not in (*range(10), 11, 12, 13, 14, 15, 16, 17, 18, 19) or self.current >= 100:
            return False
        if not self.current and self.total and self.room <= 100:
            return False
        self.current = (self.current or 1) * 100
        self.room = 100
        return True

    def _lot(self, value: float, *, opened: bool) -> bool:
        if self.total or not (opened or self.current):
            return False
        self.about = value != 12
        self.current = (1 if opened else self.current) * value
        self.room, self.last = 0, 1
        return True

    def _scale(self, scale: float, *, implied: bool) -> bool:
        if not self.current and not self.total and not implied:
            return False
        if scale > self.total:
            self.total = (self.total + self.current or 1) * scale
        elif scale >= self.last or not (self.current or implied):
            return False
        else:
            self.total += (self.current or 1) * scale
        self.place = (self.place if 0 < self.place < 1 else 1.0) * scale
        self.current, self.room, self.last = 0.0, scale, scale
        return True
