"""
From the words around a count to the filters that they set on the rows of one table.

Every word is spent on a cell, a column's name, a comparison, a date, an outcome, the noun that is counted, or is a
function word. A word that is left over says something that no filter holds: then the reading is not sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from monitor.checks.grounded import units
from monitor.checks.grounded.dates import MONTHS, Moment
from monitor.checks.grounded.figures import Figure
from monitor.checks.grounded.index import Source
from monitor.checks.grounded.labels import clean, column_label
from monitor.checks.grounded.names import plain_lower
from monitor.checks.grounded.scope import View
from monitor.checks.grounded.vocabulary import Value, Vocabulary, bits, outcome_of, root, tokens

LONGEST_PHRASE = 8
_TOKEN = re.compile(r"[^\W_]+|%")
_PIECE = re.compile(r"[;:]|,|\b(?:and|while|whereas|but|although)\b")
_FUNCTION = frozenset(
    "a an the this that these those there here it its they their them his her he she which who whom whose what when where "
    "of in on at by for from to with as into during within among out up and or but while also too than so such "
    "is are was were be been being am has have had having do does did done can could will would "
    "all only just both overall total totals number count counted altogether exactly precisely ever any some "
    "list lists listed table shown show shows showing recorded record appear appears appeared occur occurs occurred happen "
    "happened finish finished end ended result resulted participate participated receive received use used according "
    "against versus vs per take takes took taken place places hold holds held make makes made get gets got include includes included "
    "including contain contains contained feature features featured play plays played come comes came go went give given "
    "time times occasion occasions different distinct unique separate other s t".split()
)
_LIGHT = frozenset("play plays played listed recorded shown took held".split())
_PREPOSITIONS = frozenset("of in on at by for from to with as into during within among than that which who".split())
_NEGATIONS = frozenset("not without no non never neither didn wasn weren doesn don isn aren".split())
_DIFFERENT = frozenset("different distinct unique separate".split())
_COMPARING = frozenset("more less fewer greater higher lower larger smaller over under above below exceed exceeds exceeding exceeded "
                       "least most than at no not or better worse up to excess".split())  # fmt: skip
_STOPS = _PREPOSITIONS | frozenset("is are was were be been has have had do does did and or but while when where".split())
_VERBS = frozenset("is are was were be been has have had do does did".split())
_OF = frozenset(["of", "out"])
_SKIPPED = frozenset("of out the these those its their his her all our this that total different distinct unique separate".split())
_PERIODS = frozenset("day days week weeks month months quarter quarters season seasons year years date dates".split())
_MORE = frozenset("more less fewer higher lower".split())
_PRONOUNS = frozenset("them these those which us".split())
_ORDINALS = {word: float(n) for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)}
_NTH = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_SINCE = {"since": 1, "after": 2, "before": -2, "until": -1, "till": -1, "through": -1}
_DECADE = re.compile(r"\b(1[5-9]\d0|20\d0)\s?'?s\b")
_IRREGULAR = frozenset("men women people children series species".split())


class Filter(NamedTuple):
    """*rows* that meet one condition of the sentence, on a *column*; *kind* tells a column's month from its year."""

    column: int
    rows: int
    text: str
    kind: str = ""


@dataclass(slots=True)
class Word:
    """A word of the sentence: its *root*, its span, the *figure* that it is part of, and whether it was *used*."""

    text: str
    root: str
    start: int
    end: int
    figure: Figure | None = None
    used: bool = False


@dataclass(slots=True)
class Reading:
    """
    What the words say of a count over one table.

    *terms* are the conditions, each with its alternatives; *nouns* the columns that the counted noun names, *head* the
    noun; *different* asks for different values; *whole* says that the figure is all there is (``of the 13``); *sure* that
    every word was understood.
    """

    terms: list[list[Filter]] = field(default_factory=list)
    nouns: list[int] = field(default_factory=list)
    head: str = ""
    different: bool = False
    sure: bool = True
    whole: bool = False


_NAME = re.compile(r"(?<=[a-z,] )([A-Z][^\W\d_]{2,})")
_LISTED = re.compile(r"\d\s?(?:,|,?\s?\band|&|or)\s?$")
_OF_THE = re.compile(r"\b(?:of\s(?:all\s)?(?:the|these|those|its|their)|out\sof)\s$")
_NEXT = re.compile(r"[\s*_]*([^\W\d_]+)")


def word_at(text: str, position: int) -> str:
    """The word that starts at a position of *text*, lower case; "" where there is none."""
    found = _NEXT.match(text, position)
    return found[1].lower() if found else ""


def counts_rows(view: View) -> bool:
    """Whether a figure can be a count at all, as far as its own form and its neighbours tell."""
    figure = view.figure
    if not figure.readings or figure.moment or figure.year or figure.fraction or figure.factor != 1.0 or figure.signed:
        return False
    value = figure.readings[0].value
    if figure.unit not in ("", units.TIMES) or value != int(value) or not 1 <= value <= 1000:
        return False
    text = view.sentence.text
    before, after = text[: figure.start - view.sentence.start], text[figure.end - view.sentence.start :]
    if _LISTED.search(before[-12:]):
        return False
    return not (before.rstrip()[-1:] in ("-", "–", "+", "#", "/", ":", "(") or after.lstrip()[:1] in ("-", "–", "/", ":"))


class Reader:
    """Reads one sentence's words against one table."""

    def __init__(self, view: View, vocabulary: Vocabulary, caption: frozenset[str], *, aside: bool = False) -> None:
        self.aside = aside
        self.view, self.vocabulary, self.caption = view, vocabulary, caption
        self.reading = Reading()
        self.words: list[Word] = []
        self.head: Word | None = None
        self.left: list[str] = []
        self.dated = False
        self._negated: list[Word] = []

    def read(self) -> Reading | None:
        """The filters that the words set; None when the figure counts no rows."""
        if not self._open():
            return None
        self._negated = [word for word in self.words if word.text in _NEGATIONS]
        for step in (self._times, self._limits, self._phrases, self._outcomes, self._numbers):
            step()
        self._settle()
        return self.reading

    # -- the figure's stretch, and what it counts ----------------------------------------------------------------------

    def _open(self) -> bool:
        """Cut the sentence to what speaks of the figure, and find the noun it counts; False when it counts no rows."""
        start, end = self._stretch()
        text = plain_lower(self.view.sentence.text)[start:end]
        offset = self.view.sentence.start + start
        figures = [f for f in self.view.sentence.figures() if f.start >= offset and f.end <= offset + len(text)]
        for found in _TOKEN.finditer(text):
            word = Word(found[0], root(found[0]), offset + found.start(), offset + found.end())
            word.figure = next((f for f in figures if f.start < word.end and word.start < f.end), None)
            self.words.append(word)
        own = self.view.figure
        place = next((n for n, word in enumerate(self.words) if word.figure is own), None)
        if place is None:
            return False
        if self.aside and not any(word.text in _VERBS or word.text.endswith("ed") for word in self.words):
            return False
        for word in self.words:
            if word.figure is own:
                word.used = True
        return self._counted(place)

    def _stretch(self) -> tuple[int, int]:
        """Where the words that belong to the figure start and end in its sentence: no other count stands between."""
        sentence, own = self.view.sentence, self.view.figure
        others = [f for f in sentence.figures() if f is not own and self._counts(f)]
        start, end = 0, len(sentence.text)
        for found in _PIECE.finditer(sentence.text.lower()):
            at, last = sentence.start + found.start(), sentence.start + found.end()
            if last <= own.start and any(f.start < at for f in others):
                start = last - sentence.start
                self.reading.sure = False
            elif at >= own.end and (found[0] == ":" or (self.aside and found[0] == ",")):
                return start, min(end, at - sentence.start)
            elif at >= own.end and any(f.start >= last for f in others) and end == len(sentence.text):
                if found[0] != ",":
                    end = at - sentence.start
        return start, end

    def _counts(self, figure: Figure) -> bool:
        """Whether a figure may be another count, rather than a condition, a date or the whole."""
        if figure.bound or figure.year or figure.moment or figure.unit or not figure.readings or self._of(figure):
            return False
        sentence = self.view.sentence
        before = tokens(sentence.text[max(0, figure.start - sentence.start - 40) : figure.start - sentence.start])[-4:]
        if any(c in self.vocabulary.numeric for word in before for c in self.vocabulary.called(root(word))):
            return False
        return not self.vocabulary.measured_by(word_at(sentence.text, figure.end - sentence.start))

    def _of(self, figure: Figure) -> bool:
        """Whether a figure is the whole that something is a part of (``of the 13``)."""
        sentence = self.view.sentence
        head = sentence.text[max(0, figure.start - sentence.start - 20) : figure.start - sentence.start].lower()
        if _OF_THE.search(head):
            return True
        return head.endswith(" of ") and any(0 <= figure.start - f.end <= 4 for f in sentence.figures())

    def _counted(self, place: int) -> bool:
        """Read the noun behind the figure; False when it is an amount that the table holds, or no noun."""
        words = self.words
        before = words[place - 1] if place else None
        self.reading.whole = self._of(self.view.figure)
        if self.reading.whole and (one := next((n for n in range(place) if words[n].text == "one"), None)) is not None:
            del words[: one + 1]
            place -= one + 1
            self.reading.whole = False
        back = place - 1
        self._verb(back)
        while self.view.figure.bound and back >= 0 and words[back].text in _COMPARING:
            words[back].used = True
            back -= 1
        if before is not None and (before.text == "top" or self._numbered(before)):
            return False
        at = place
        while at < len(words) and words[at].figure is self.view.figure:
            at += 1
        first = at
        while at < len(words) and (words[at].text in _SKIPPED or (at > first and words[at].figure)):
            if words[at].figure is not None and words[at - 1].text not in (*_OF, "the"):
                break
            if words[at].text in _DIFFERENT:
                self.reading.different = True
            words[at].used = True
            at += 1
        noun: list[Word] = []
        while at < len(words) and words[at].text not in _STOPS and words[at].figure is None and len(noun) < 5:
            noun.append(words[at])
            at += 1
            if noun[-1].text in _DIFFERENT:
                self.reading.different = True
            elif _plural(noun[-1].text) and (self.vocabulary.measured_by(noun[-1].text) or not self._is_value(noun)):
                break
        if self.view.figure.unit == units.TIMES:
            return True
        if noun and noun[0].text in _MORE:
            return False
        if not noun and self.view.figure.bound in ("over", "under"):
            return False
        return self._head(noun) if noun else at > first or (at < len(words) and words[at].text in _STOPS - _PREPOSITIONS)

    def _verb(self, at: int) -> None:
        """Take the verb before a number for what joins its subject to it (``handled more than 90``)."""
        if at >= 0 and self.words[at].text.endswith("ed") and outcome_of(self.words[at].text) is None:
            self.words[at].used = True

    def _numbered(self, before: Word) -> bool:
        """Whether the figure is a name's number: a column's name stands before it (``round 5``)."""
        return bool(self.vocabulary.called(before.root)) and not _plural(before.text) and before.text not in _FUNCTION

    def _is_value(self, noun: list[Word]) -> bool:
        """Whether the words so far stand together in a cell that has more than them."""
        length, found = self.vocabulary.starting([word.root for word in noun])
        return length == len(noun) and any(value.words.count(" ") > length + 1 for value in found) and len(noun) < 2

    def _head(self, noun: list[Word]) -> bool:
        head = noun[-1]
        vocabulary = self.vocabulary
        if head.text in _PRONOUNS:
            head.used = True
            return True
        if vocabulary.measured_by(head.text):
            return False
        columns = vocabulary.counting(head.root)
        if not vocabulary.measures.isdisjoint(columns):
            return False
        self.reading.nouns = columns
        self.reading.head = head.text
        self.head = head
        length, found = vocabulary.starting([head.root])
        own = f" {head.root} "
        if outcome_of(head.text) or (length and any(value.words == own for value in found)):
            return True
        head.used = True
        if not columns and len(head.root) > 4 and len(noun) == 1:
            alike = [word for word in vocabulary.words if word != head.root and word.startswith(head.root[:5])]
            if alike:
                self.reading.sure = False
        return True

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _free(self, at: int) -> bool:
        word = self.words[at]
        return not word.used and word.text not in _FUNCTION and word.text not in _NEGATIONS

    def _add(self, alternatives: Iterable[Filter], at: int, length: int) -> None:
        """Take a condition in, turned round when a negation stands before it."""
        found = list(alternatives)
        negation = self._negation(at)
        if negation is not None:
            negation.used = True
            found = [self._without(f) for f in found]
        for word in self.words[at : at + length]:
            word.used = True
        self.reading.terms.append(found)

    def _without(self, condition: Filter) -> Filter:
        """The rows that do not meet a condition."""
        label = self._label(condition.column) if condition.column >= 0 else ""
        text = condition.text.replace(label, f"{label} not", 1)
        return condition._replace(
            rows=self.vocabulary.rows & ~condition.rows, text=text, kind=f"not {condition.kind}"
        )

    def _negation(self, at: int) -> Word | None:
        """The negation that the condition at *at* is under: nothing but function words stands between."""
        for back in range(at - 1, max(-1, at - 8), -1):
            word = self.words[back]
            if word.text in _NEGATIONS:
                return None if word.used else word
            if word.text not in _FUNCTION:
                return None
        return None

    def _phrases(self) -> None:
        """Words that stand together in cells, the longest run first."""
        at = 0
        words = self.words
        while at < len(words):
            if not self._free(at) or words[at].figure is not None and not _named_number(words[at]):
                at += 1
                continue
            end = at
            while end < len(words) and end - at < LONGEST_PHRASE and not (words[end].used and words[end].figure):
                end += 1
            length, found = self.vocabulary.starting([word.root for word in words[at:end]])
            while length > 1 and words[at + length - 1].text in _FUNCTION:
                length -= 1
                phrase = f" {' '.join(word.root for word in words[at : at + length])} "
                found = [v for v in self.vocabulary.words.get(words[at].root, ()) if phrase in v.words]
            if not length or (length == 1 and self._plain_name(words[at])):
                at += 1
                continue
            first, found = self._from(at, length, found)
            self._take(first, at + length - first, found)
            at += length

    def _from(self, at: int, length: int, found: list[Value]) -> tuple[int, list[Value]]:
        """The run of words, with a negation before it that stands in the cells too (``did not qualify``)."""
        for back in (2, 1):
            words = self.words[at - back : at + length] if at >= back else []
            if words and any(word.text in _NEGATIONS for word in words[:back]):
                phrase = f" {' '.join(word.root for word in words)} "
                held = [value for value in found if phrase in value.words]
                if held:
                    for word in words[:back]:
                        word.used = True
                    return at - back, held
        return at, found

    def _plain_name(self, word: Word) -> bool:
        """Whether a single word is rather a column's name or an outcome than part of a cell."""
        if outcome_of(word.text) and self.vocabulary.outcomes:
            return True
        if self._in_heading(word):
            return True
        own = f" {word.root} "
        whole = any(value.words == own for value in self.vocabulary.words.get(word.root, ()))
        if word is self.head:
            return not whole
        return bool(self.vocabulary.called(word.root)) and not whole

    def _in_heading(self, word: Word) -> bool:
        """Whether a word and one beside it stand in one column's name of several words."""
        at = next(n for n, other in enumerate(self.words) if other is word)
        beside = {other.root for other in self.words[max(0, at - 1) : at + 2] if other is not word}
        return any(not self.vocabulary.names[column].isdisjoint(beside) for column in self.vocabulary.called(word.root))

    def _take(self, at: int, length: int, found: list[Value]) -> None:
        words = self.words[at : at + length]
        phrase = f" {' '.join(word.root for word in words)} "
        shown = " ".join(word.text for word in words)
        columns: dict[int, tuple[int, int]] = {}
        for value in found:
            whole, part = columns.get(value.column, (0, 0))
            columns[value.column] = (whole | (value.rows if value.words == phrase else 0), part | value.rows)
        beside = frozenset(word.root for word in self.words)
        named = {c for c in columns if not self.vocabulary.names[c].isdisjoint(beside)}
        exact = {c for c in columns if columns[c][0]}
        if exact and len(exact) < len(columns):
            columns = {c: masks for c, masks in columns.items() if c in exact}
        side = self._side(at, columns)
        if side:
            columns = {c: masks for c, masks in columns.items() if c in side}
        elif named & columns.keys():
            columns = {c: masks for c, masks in columns.items() if c in named}
        out = []
        for column, (whole, part) in columns.items():
            text = f"{self._label(column)} {clean(shown)}"
            if whole:
                out.append(Filter(column, whole, text))
            if part != whole:
                out.append(Filter(column, part, text))
        if not side and all(word.root in self.caption for word in words):
            out.append(Filter(-1, self.vocabulary.rows, ""))
        self._add(out, at, length)

    def _side(self, at: int, columns: Iterable[int]) -> list[int]:
        """Which of the columns a name at *at* stands in, by who is said to have won (``A beat B``, ``B lost to A``)."""
        sides = self.vocabulary.sides
        if not sides or self.vocabulary.outcomes:
            return []
        verb = next((n for n, word in enumerate(self.words) if outcome_of(word.text) in ("won", "lost")), None)
        if verb is None or self.words[verb] is self.head:
            return []
        passive = verb + 1 < len(self.words) and self.words[verb + 1].text == "by"
        subject = outcome_of(self.words[verb].text)
        other = "lost" if subject == "won" else "won"
        own = subject if (at < verb) != passive else other
        found = [column for column in sides.get(own or "", []) if column in set(columns)]
        if found:
            self.words[verb].used = True
        return found

    def _label(self, column: int) -> str:
        return column_label(self.vocabulary.table, column)

    def _outcomes(self) -> None:
        """Won, lost and drawn, by the column that says so of each row."""
        columns = self.vocabulary.outcomes
        for at, word in enumerate(self.words):
            outcome = outcome_of(word.text)
            if outcome is None or word.used:
                continue
            found = [Filter(c, rows[outcome], f"{self._label(c)} {outcome}", outcome)
                     for c, rows in columns.items() if outcome in rows]  # fmt: skip
            if found:
                self._add(found, at, 1)

    def _times(self) -> None:
        """Dates, months and years, alone or from one to another."""
        moments: list[tuple[int, Moment]] = []
        seen: set[int] = set()
        for at, word in enumerate(self.words):
            if word.used or id(word.figure) in seen:
                continue
            moment = self._moment(at, word)
            if moment is not None:
                seen.add(id(word.figure) if word.figure else 0)
                seen.discard(0)
                moments.append((at, moment))
        at = 0
        while at < len(moments):
            place, moment = moments[at]
            before = self.words[place - 1].text if place else ""
            between = self.words[moments[at + 1][0] - 1].text if at + 1 < len(moments) else ""
            if before in ("between", "from") and between in ("and", "to", "until", "through", "till"):
                self._period(place, moment, moments[at + 1][1], moments[at + 1][0])
                at += 2
                continue
            if before in _SINCE:
                self._since(place, moment, _SINCE[before])
            else:
                self._dated(place, moment)
            at += 1

    def _moment(self, at: int, word: Word) -> Moment | None:
        if word.figure is not None:
            if word.figure is self.view.figure:
                return None
            if word.figure.year:
                return Moment(0, 0, year=int(word.figure.readings[0].value))
            return word.figure.moment
        month = MONTHS.get(word.text) if len(word.text) > 3 or word.text == "may" else None
        before = self.words[at - 1].text if at else ""
        if month is None or (word.text == "may" and before not in ("in", "of", "during", "on")):
            return None
        return Moment(0, 0, month=month)

    def _spend(self, at: int) -> int:
        """Use the word at *at* and those of the same figure; how many."""
        figure, length = self.words[at].figure, 0
        while at + length < len(self.words) and (length == 0 or (figure and self.words[at + length].figure is figure)):
            self.words[at + length].used = True
            length += 1
        return length

    def _dated(self, at: int, moment: Moment) -> None:
        columns: dict[int, set[int]] = {}
        for dated in self.vocabulary.dates:
            if moment.agrees(dated.moment):
                columns.setdefault(dated.column, set()).add(dated.row)
        if moment.year and not moment.month:
            for column, years in self.vocabulary.years.items():
                columns.setdefault(column, set()).update(row for row, year in years if year == moment.year)
        shown = self.words[at].figure.text if self.words[at].figure else self.words[at].text  # type: ignore[union-attr]
        found = [Filter(c, bits(rows), f"{self._label(c)} in {shown}", _grain(moment)) for c, rows in columns.items() if rows]
        if found:
            self._add(found, at, self._spend(at))
        elif moment.year and not moment.month and str(moment.year) in self.caption:
            self.dated = True
            self._spend(at)

    def _ordered(self, test: Callable[[Moment], bool]) -> list[tuple[int, int]]:
        columns: dict[int, int] = {}
        for dated in self.vocabulary.dates:
            if test(dated.moment):
                columns[dated.column] = columns.get(dated.column, 0) | 1 << dated.row
            else:
                columns.setdefault(dated.column, 0)
        for column, years in self.vocabulary.years.items():
            if column in self.vocabulary.numeric:
                columns[column] = bits(row for row, year in years if test(Moment(0, 0, year=year)))
        return [(column, rows) for column, rows in columns.items() if rows]

    def _period(self, at: int, first: Moment, last: Moment, to: int) -> None:
        low, high = _order(first, last), _order(last, first)
        found = [
            Filter(c, rows, f"{self._label(c)} from {self.words[at].text} to {self.words[to].text}", "period")
            for c, rows in self._ordered(lambda m: low <= _order(m, first) and _order(m, last) <= high)
        ]
        if found:
            self.words[at - 1].used = self.words[to - 1].used = True
            self._add(found, at, self._spend(at))
            self._spend(to)

    def _since(self, at: int, moment: Moment, side: int) -> None:
        edge = _order(moment, moment)

        def test(other: Moment) -> bool:
            order = _order(other, moment)
            if side > 0:
                return order > edge or (side == 1 and order == edge)
            return order < edge or (side == -1 and order == edge)

        word = self.words[at - 1].text
        found = [Filter(c, rows, f"{self._label(c)} {word} {self.words[at].text}", "period")
                 for c, rows in self._ordered(test)]  # fmt: skip
        if found:
            self.words[at - 1].used = True
            self._add(found, at, self._spend(at))

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _limits(self) -> None:
        """Comparisons with a column of numbers (``above 90 %``, ``fewer than 20 floors``, ``16 or more``)."""
        shared: list[int] = []
        for at, word in reversed(list(enumerate(self.words))):
            figure = word.figure
            if word.used or figure is None or figure is self.view.figure or not figure.bound or not figure.readings:
                continue
            if at and self.words[at - 1].figure is figure:
                continue
            columns, spent = self._columns(at, figure)
            shared = columns = columns or shared
            found = [made for c in columns if (made := self._limit(c, figure)) is not None]
            if not found:
                continue
            back = at - 1
            while back >= 0 and self.words[back].text in _COMPARING:
                self.words[back].used = True
                back -= 1
            self._verb(back)
            length = self._spend(at)
            after = at + length
            while after < len(self.words) and self.words[after].text in ("or", "more", "less", "fewer", "higher", "and"):
                self.words[after].used = True
                after += 1
            if after < len(self.words) and _plural(self.words[after].text):
                self.words[after].used = True
            self._add(found, at, length)
            for other in spent:
                other.used = True

    def _limit(self, column: int, figure: Figure) -> Filter | None:
        unit = self.vocabulary.table.units[column].unit
        factor = units.factor(unit, figure.unit) if figure.unit else 1.0
        if factor is None and unit == "" and figure.unit == units.PERCENT:
            factor = 100.0
        if not factor:
            return None
        edge = figure.readings[0].value
        test = _TESTS.get(figure.bound)
        if test is None:
            return None
        values = self.vocabulary.measured(column)
        rows = bits(row for row, value in values if test(value * factor, edge))
        side = {"over": "above", "under": "below", "at_least": "at least", "at_most": "at most"}.get(figure.bound, "")
        return Filter(column, rows, f"{self._label(column)} {side} {figure.text}".replace("  ", " "), figure.bound)

    def _columns(self, at: int, figure: Figure) -> tuple[list[int], list[Word]]:
        """The columns of numbers that the words beside the number at *at* name best, and these words."""
        end = at
        while end < len(self.words) and self.words[end].figure is figure:
            end += 1
        beside = [w for w in (*self.words[max(0, at - 6) : at], *self.words[end : end + 4]) if w.figure is None]
        roots = {root(word) for word in tokens(figure.text) if word.isalpha()} | {w.root for w in beside}
        best: list[int] = []
        most = 0
        for column in self.vocabulary.numeric:
            words = roots & self.vocabulary.names[column]
            score = len(words)
            if score > most:
                best, most = [column], score
            elif score and score == most:
                best.append(column)
        if best:
            names = frozenset().union(*(self.vocabulary.names[c] for c in best))
            return best, [w for w in beside if w.root in names]
        if figure.unit:
            return [c for c in self.vocabulary.numeric if self.vocabulary.table.units[c].unit == figure.unit], []
        return [], []

    def _numbers(self) -> None:
        """A number beside a column's name (``16 wins``, ``a frequency of 800``), and none of it (``no deaths``)."""
        for at, word in enumerate(self.words):
            figure = word.figure
            if not word.used and (nth := _ordinal(word.text)) is not None:
                self._placed(at, nth)
                continue
            none = word.text in ("no", "zero", "without") and not word.used
            if word.used or not (none or (figure and figure.readings and not figure.year)):
                continue
            if figure is self.view.figure:
                continue
            back = self.words[at - 1].text if at else ""
            if not none and back in (*_OF, "the") and self._total(at):
                after = at + self._spend(at)
                if after < len(self.words) and _plural(self.words[after].text):
                    self.words[after].used = True
                continue
            if none:
                beside = self.words[at + 1 : at + 4]
                roots = {w.root for w in beside}
                best = [c for c in self.vocabulary.numeric if self.vocabulary.names[c] & roots]
                spent = [w for w in beside if any(w.root in self.vocabulary.names[c] for c in best)]
                wanted = 0.0
            else:
                assert figure is not None
                best, spent = self._columns(at, figure)
                wanted = figure.readings[0].value
            found = []
            for column in best:
                rows = bits(row for row, value in self.vocabulary.measured(column) if value == wanted)
                found.append(Filter(column, rows, f"{self._label(column)} {wanted:g}", "number"))
            if found and any(f.rows for f in found):
                word.used = True
                negated, self._negated = self._negated, [] if none else self._negated
                self._add(found, at, self._spend(at))
                self._negated = negated
                for other in spent:
                    other.used = True

    def _placed(self, at: int, nth: float) -> None:
        """An ordinal before a column's name (``the 5th round``)."""
        word = self.words[at + 1] if at + 1 < len(self.words) else None
        found = []
        for column in self.vocabulary.called(word.root) if word else ():
            rows = bits(row for row, value in self.vocabulary.measured(column) if value == nth)
            if rows:
                found.append(Filter(column, rows, f"{self._label(column)} {nth:g}", "number"))
        if found:
            self._add(found, at, 2)

    def _total(self, at: int) -> bool:
        """Whether the number at *at* is the whole that the figure is a part of (``four of the 13``)."""
        back = at - 1
        while back >= 0 and (self.words[back].text in (*_OF, "the", "these", "those") or self.words[back] is self.head):
            back -= 1
        return self.words[back].figure is self.view.figure or back < 0

    # -- what is left --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Whether every word was understood: function words, caption, names of columns that a condition or the noun uses."""
        terms = {f.column for term in self.reading.terms for f in term}
        allowed = terms | set(self.reading.nouns) | {0}
        self.dated |= any(f.kind.startswith(("date", "period")) for term in self.reading.terms for f in term)
        for at, word in enumerate(self.words):
            if word.used or word.text in _FUNCTION:
                continue
            if at and self.words[at - 1].text in ("this", "these"):
                continue
            called = self.vocabulary.called(word.root)
            if any(column in allowed for column in called):
                continue
            if word.root in self.caption or (self.dated and word.text in _PERIODS and word is not self.head):
                continue
            self.left.append(word.text)
            self.reading.sure = False


_TESTS: dict[str, Callable[[float, float], bool]] = {
    "over": lambda value, edge: value > edge,
    "under": lambda value, edge: value < edge,
    "at_least": lambda value, edge: value >= edge,
    "at_most": lambda value, edge: value <= edge,
    "exactly": lambda value, edge: value == edge,
}


def _order(moment: Moment, like: Moment) -> tuple[int, ...]:
    """What to sort a moment by, as finely as *like* is written."""
    out = [moment.year or 0] if like.year else []
    if like.month:
        out.append(moment.month or 0)
        if like.day:
            out.append(moment.day or 0)
    return tuple(out)


def _grain(moment: Moment) -> str:
    """What of a date is said, so that a month and its year narrow each other and two months do not."""
    return "date:" + "".join(part for part, said in (("y", moment.year), ("m", moment.month), ("d", moment.day)) if said)


def _plural(word: str) -> bool:
    return (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in _IRREGULAR


def _ordinal(word: str) -> float | None:
    nth = _NTH.fullmatch(word)
    return float(nth[1]) if nth else _ORDINALS.get(word)


def _named_number(word: Word) -> bool:
    """Whether a number may stand in a name (``800 mhz``)."""
    return word.figure is not None and not word.figure.bound


def caption_of(sources: Iterable[Source]) -> frozenset[str]:
    """The roots of what is said of all rows: a short text's words, and the names in the question."""
    out: set[str] = set()
    for source in sources:
        if source.kind == "text" and len(source.text) <= 200:
            out.update(map(root, tokens(source.text)))
        elif source.kind == "question":
            out.update(root(found[1].lower()) for found in _NAME.finditer(source.text[:2000]))
    return frozenset(out)
