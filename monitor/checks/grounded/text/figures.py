"""
From text to typed figures: what numbers a text states, where, and how exactly.

Parsed once, in linear time. Code, links, ids, versions, list markers and names with digits are no figures. An
ambiguous reading (``1.234``) keeps both values. The same parser reads answers, definitions and text cells.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterator

from monitor.checks.grounded.text import bounds, shapes, units
from monitor.checks.grounded.text.bounds import Bound
from monitor.checks.grounded.text.dates import Moment, find_moments
from monitor.checks.grounded.text.hanzi import find_numerals
from monitor.checks.grounded.text.numberwords import Word, find_words, may_hold_words
from monitor.checks.grounded.text.quantity import Figure, Reading
from monitor.checks.grounded.text.readings import SPACES, in_language, in_one_style, read_digits
from monitor.language import languages

MAX_DIGITS = 40
MAX_LOOSE = 20
"""A number in words beyond this, or of per cent or money, is meant as exactly as one in digits."""
MAX_FOUND = 2_001
"""No text is read beyond so many figures."""
MAX_PAIR = 60
"""Characters from the start of a duration or range to its second number."""
_NUMBER = re.compile(
    rf"(?:\d{{1,3}}(?:[{SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*|(?<![\w.])\.\d+)(?:[eE][+-]?\d{{1,3}}(?!\w))?"
)
_DIGIT = re.compile(r"\d")
_MASKS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|www\.\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}|"
    r"\[redacted:\w{1,40}\]|(?<=\])\([^()\s]{1,200}\)|^[ \t]{0,6}(?:\d{1,3}[.)]|[-*•]|#{1,6})(?=\s)|\[\^?\d{1,3}\]|"
    r"\b24/7\b|\+\d{1,3}(?:[ -]\(?\d{2,12}\)?){2,6}|"
    r"(?<=:\d\d)(?:\s[A-Z]{2,4})?\s?\(?\+[1-3](?!\d|[.:]\d)(?:\s?days?)?\)?|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})",
    re.DOTALL | re.MULTILINE,
)
_PHONE = re.compile(r"(?<![\w.,-])(?:1-)?(?:\(\d{3}\) ?|\d{3}-)\d{3}-(?:\d{4}|[A-Z]{4})(?![\w-])(?: ?\(\d{4}\))?")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
"""Control and formatting characters: they neither are nor part a figure."""
_NAMED = frozenset(
    "no nr id ids ticket version v step figure fig table section page option chapter part q room gate phone abbildung schritt "
    "paso étape".split()
)
_LABELS = frozenset(
    "flight leg segment item reservation passenger traveler traveller booking group scenario case row order flug vuelo vol volo "
    "voo vlucht passagier pasajero passager punkt punto opción opção opzione optie".split()
)
_LABEL_END = re.compile(
    r"\d{1,2}[*_]{0,3}(?:\s?[:()–—,;\n]|\s-\s|\.?\s*\Z|\.\s|\s(?:is|has|was|and|or|to|from|in|by|with|departs|leaves|arrives|costs)\b)"
)
_NAMES_WHAT_FOLLOWS = re.compile(r"\d{1,2}[*_]{0,3}:[*_]{0,3}\s")
_CLOSING = frozenset(")-")
_CODE_JOINTS = frozenset("-/")
_OUT_OF = re.compile(r"\d-(?:of|for)-\Z")
_MINUS = frozenset("-–")
_SIGNS = frozenset("-–+")
_PREFIXES = frozenset("وبلف")
_OLD = frozenset(["15", "16", "17", "18"])
_IN = re.compile(r"\b(?:in|after|before|since|until|year)\s$", re.IGNORECASE)
_CENTURIES = frozenset(["19", "20"])
_SPACED_OR_SLASHED = frozenset(" /:")
_ORDINAL_BEFORE = frozenset("_第")
_ORDINAL_STARTS = frozenset("snrteèº.ª")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|ère|ème|e|º|ª)(?![^\W_])")
_DOTTED = re.compile(r"\.\s(?=[A-ZÄÖÜ]?[a-zäöüåøæ]{2,})")
_BEFORE_DOTTED = re.compile(
    r"\b(?:der|die|das|den|dem|des|am|im|vom|zum|zur|beim|ins|jede[rnms]?|seinen?|ihren?|på|den|det|de)\s$",
    re.IGNORECASE,
)
"""What stands before an ordinal written with a full stop (``am 3. Platz``); elsewhere the stop ends the sentence."""
_DIGITS = {ord(c): str(unicodedata.digit(c)) for c in map(chr, range(0x660, 0xFF20)) if unicodedata.category(c) == "Nd"}


_FOLDED = {
    **_DIGITS, **{ord(sign): plain for sign, plain in zip("−－‑％٪．٫，٬", "---%%..,,", strict=True)},
}  # fmt: skip
_WIDE = re.compile("[" + "".join(map(chr, _FOLDED)) + "]")
_LINE_START = frozenset("-*•#0123456789")
_MASKABLE = ("`", "://", "www.", "@", "[", "24/7", "+", "\n", "\\")


def fold(text: str) -> str:
    """*text* with ASCII digits and plain signs, character for character, so that offsets stay."""
    if text.isascii() or not _WIDE.search(text):
        return text
    return text.translate(_FOLDED)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def masked(text: str) -> str:
    """*text* (folded) with code, links, phone numbers, list markers and SQL blanked out, same length."""
    out = text
    if text.lstrip()[:1] in _LINE_START or any(sign in text for sign in _MASKABLE):
        out = _MASKS.sub(_blank, text)
    if "-" in text and _PHONE.search(text):
        out = _PHONE.sub(_blank, out)
    position = out.find("SELECT ")
    while position >= 0:
        source = out.find("FROM ", position, position + 4000)
        if source < 0:
            break
        end = out.find("\n\n", source)
        end = len(out) if end < 0 else end
        out = out[:position] + " " * (end - position) + out[end:]
        position = out.find("SELECT ", end)
    return out


def find_figures(text: str, *, words: bool = True) -> list[Figure]:
    """
    The figures that *text* states, in order.

    *words*: also numbers written as words. Nothing overlaps. Linear in the length of *text*.
    """
    if not _UNSEEN.search(text):
        return _find(text, words=words)
    kept = [position for position, char in enumerate(text) if not _UNSEEN.match(char)]
    found = _find("".join([text[position] for position in kept]), words=words)
    spans = [(kept[figure.start], kept[figure.end - 1] + 1) for figure in found]
    return [
        figure._replace(start=start, end=end, text=text[start:end])
        for figure, (start, end) in zip(found, spans, strict=True)
    ]


def _find(text: str, *, words: bool) -> list[Figure]:
    clean = masked(fold(text))
    figures = [_dated(text, moment) for moment in find_moments(clean)]
    if ":" in clean:
        figures = shapes.clocked(text, clean, figures)
    spans = [(figure.start, figure.end) for figure in figures]
    cursor = taken = 0
    for found in _numbers(clean):
        start, end = found.span()
        while cursor < len(spans) and spans[cursor][1] <= start:
            cursor += 1
        if start < taken or (cursor < len(spans) and spans[cursor][0] < end):
            continue
        figure = _figure(text, clean, start, end, taken)
        gap = found[0].find(" ")
        if figure is None and gap > 0:
            start += gap + 1
            figure = _figure(text, clean, start, end, taken)
        if figure is None:
            continue
        if cursor < len(spans) and spans[cursor][0] < figure.end:
            figure = figure._replace(end=end, text=text[figure.start : end], unit="")
        taken = figure.end
        if figure.readings and not figure.signed and clean[figure.end : figure.end + 1] in _CLOSING:
            figure = shapes.accounting(text, clean, figure)
            taken = figure.end
        if figures and figures[-1].start >= figure.start - MAX_PAIR:
            figures[-1:] = shapes.paired(text, clean, figures[-1], figure)
        else:
            figures.append(figure)
        if len(figures) >= MAX_FOUND:
            break
    if words:
        figures.extend(_words(text, clean, figures))
    figures.sort(key=lambda figure: figure.start)
    return in_one_style(in_language(figures, text) if words else figures)


def _numbers(clean: str) -> Iterator[re.Match[str]]:
    """The matches of _NUMBER, tried where a digit stands."""
    position = 0
    while digit := _DIGIT.search(clean, position):
        start = digit.start()
        point = start > position and clean[start - 1] == "."
        found = (_NUMBER.match(clean, start - 1) if point else None) or _NUMBER.match(clean, start)
        if found is None:
            position = start + 1
            continue
        yield found
        position = found.end()


def _dated(text: str, moment: Moment) -> Figure:
    """A date or time as a figure, less the full stop after it."""
    end = moment.end
    if text[end - 1] == "." and text[end - 3 : end - 2] != ".":
        end -= 1
    return Figure(moment.start, end, text[moment.start : end], (), moment=moment)


def _words(text: str, clean: str, figures: list[Figure]) -> list[Figure]:
    if not text.isascii() and languages(text)[0] in ("ja", "zh"):
        return [
            figure
            for figure in find_numerals(text, clean, MAX_FOUND)
            if not any(other.start < figure.end and figure.start < other.end for other in figures)
        ]
    if not may_hold_words(clean):
        return []
    taken = sorted((figure.start, figure.end) for figure in figures)
    out: list[Figure] = []
    for code in languages(text):
        for word in find_words(clean, code)[:MAX_FOUND]:
            place = bisect_left(taken, (word.end, 0))
            if place and taken[place - 1][1] > word.start:
                continue
            figure = _of_word(text, clean, word)
            if place < len(taken) and taken[place][0] < figure.end:
                figure = _worded(text, word.start, word.end, Reading(word.value, word.half), "", figure.bound)
            out.append(figure)
            insort(taken, (figure.start, figure.end))
    return out


def _of_word(text: str, clean: str, word: Word) -> Figure:
    bound = bounds.before(clean, word.start) or ("about" if word.about else "")
    if word.kind == "fraction":
        reading = Reading(word.value, 0.04 if bound == "about" else 0.025)
        return _worded(text, word.start, word.end, reading, "ratio", bound)._replace(fraction=True)
    factor, unit, end = units.after(clean, word.end)
    if word.kind == "multiple":
        factor, unit, end = 1.0, units.TIMES, word.end
    half = max(word.half * factor, 0.05 if unit == units.TIMES else 0.0, 0.5 * factor if factor != 1.0 else 0.0)
    figure = _worded(text, word.start, end, Reading(word.value * factor, half), unit, bound)
    definite = word.kind == "count" and (
        word.value * factor > MAX_LOOSE or unit == units.PERCENT or units.is_money(unit)
    )
    return figure._replace(factor=factor, word=not definite)


def _worded(text: str, start: int, end: int, reading: Reading, unit: str, bound: Bound) -> Figure:
    return Figure(start, end, text[start:end], (reading,), unit=unit, bound=bound, word=True)


def _figure(text: str, clean: str, start: int, end: int, taken: int) -> Figure | None:
    """The figure whose digits are at [start, end); what stands before *taken* belongs to another one."""
    if end - start > MAX_DIGITS:
        return None
    first, currency, sign = _lead(clean, start)
    if first < taken:
        first, currency, sign = start, "", ""
    previous = clean[first - 1] if first else " "
    if (previous.isalpha() and not _is_cjk(previous) and not _is_prefix(clean, first)) or previous in _ORDINAL_BEFORE:
        return None
    if sign and sign != "+" and (previous.isalnum() or previous in ")%°€"):
        if _is_cjk(previous):
            figure = _build(text, clean, start, end, first, currency, sign)
            return figure and figure._replace(readings=figure.readings + _negated(figure.readings))
        if previous.isdigit() or previous in ")%°€" or _OUT_OF.search(clean[max(0, first - 6) : start]):
            sign, first = "", start
        else:
            return None
    if previous in "/\\" and not currency and not (first > 1 and clean[first - 2].isspace()):
        return _slashed(text, clean, start, end, first)
    if not currency and _is_named(clean, first):
        return None
    return _build(text, clean, start, end, first, currency, sign)


def _negated(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    return tuple([Reading(-value, half) for value, half in readings])


def _is_named(clean: str, first: int) -> bool:
    """Whether a word in front makes the number a name (``ticket 4711``, ``#12``)."""
    before = clean[max(0, first - 14) : first]
    last = before[-1:]
    if last in "#№" and last:
        return True
    if last not in " .:" or not last:
        return False
    words = before.rstrip(" .:#").rsplit(None, 1)
    if (
        words
        and words[-1].lstrip("(*_")[:1].isupper()
        and before.endswith(f"{words[-1]} ")
        and _NAMES_WHAT_FOLLOWS.match(clean, first)
    ):
        return True
    word = words[-1].lower().rstrip("*_").lstrip("(*_#") if words else ""
    if word in _LABELS:
        return before.endswith(words[-1] + " ") and _LABEL_END.match(clean, first) is not None
    return word in _NAMED


def _lead(clean: str, start: int) -> tuple[int, str, str]:
    """(first position, currency, sign) of what belongs to a number in front of it."""
    first, currency, sign = start, "", ""
    while True:
        before = clean[first - 1] if first else ""
        if before and before in "-–+±" and not sign:
            sign, first = before, first - 1
        elif before and before in "$€£¥₹" and not currency:
            currency, first = units.currency(before), first - 1
            if (
                before == "$"
                and clean[first - 2 : first] in ("US", "CA", "AU")
                and not clean[first - 3 : first - 2].isalpha()
            ):
                first -= 2
            elif before == "$" and clean[first - 1 : first] == "R":
                currency, first = "BRL", first - 1
        elif before == " " and not currency and not sign:
            code = clean[max(0, first - 4) : first - 1]
            if (
                len(code) >= 3
                and code[-3:].isupper()
                and code[-3:] in units.CURRENCY_CODES
                and not clean[first - 5 : first - 4].isalpha()
            ):
                return first - 4, code[-3:], sign
            if clean[first - 2 : first - 1] in tuple("€£₹") or (
                clean[first - 2 : first - 1] == "$" and start - first == 0
            ):
                first -= 1
                continue
            return first, currency, sign
        else:
            return first, currency, sign


def _slashed(text: str, clean: str, start: int, end: int, first: int) -> Figure | None:
    """A number after a slash: part of ``5/7``, never of a path or a name."""
    before = clean[first - 2 : first - 1]
    return _build(text, clean, start, end, first, "", "") if before.isdigit() else None


def _build(text: str, clean: str, start: int, end: int, first: int, currency: str, sign: str) -> Figure | None:
    written = clean[start:end]
    plain = written.isdigit()
    if not plain and _is_version(written):
        return None
    factor, unit, last = units.after(clean, end, priced=bool(currency))
    following = clean[last : last + 1]
    if factor == 1.0 and not unit:
        if _goes_on(clean, start, end, following, plain=plain and not currency):
            return None
        few = plain and first == start and end - start < 4 and following in _SPACED_OR_SLASHED
        whole = shapes.fraction(text, clean, first, end) if few else None
        if whole:
            return whole
    if following == "_" or (following.isalpha() and not _is_cjk(following)):
        return None
    readings = read_digits(written)
    whole = None
    if unit == "h" and plain:
        whole = shapes.duration(text, clean, first, last, written)
    elif factor in (1e4, 1e8) and clean[last - 1] in units.SCALES:
        whole = shapes.east_asian(text, clean, first, last, readings[0][0] * factor)
    if whole:
        return whole
    if factor == 1.0 and not unit and clean[last : last + 2] == " m" and not clean[last + 2 : last + 3].isalnum():
        readings += [(value * 1e6, half * 1e6) for value, half in readings]
    elif factor == 1e6 and clean[end] == "m" and last == end + 1 and not currency:
        readings += [(value / 1e6, half / 1e6) for value, half in readings]
    if currency:
        last = end if unit == units.TIMES and factor == 1.0 else last
        unit = f"{currency}/{unit.partition('/')[2]}" if "/" in unit else currency
    scale = -factor if sign in _MINUS else factor
    return Figure(
        first,
        last,
        text[first:last],
        tuple([Reading(value * scale, half * factor) for value, half in readings]),
        unit,
        bounds.before(clean, first) or bounds.after(clean, last),
        year=plain and end - start == 4 and _is_century(clean, first, written) and factor == 1.0 and not unit,
        factor=factor,
        signed=sign in _SIGNS,
    )


def _is_century(clean: str, start: int, written: str) -> bool:
    """Whether four digits can be a year: by their century, or by the word in front (``after 1850``)."""
    return written[:2] in _CENTURIES or (
        written[:2] in _OLD and _IN.search(clean[max(0, start - 8) : start]) is not None
    )


def _goes_on(clean: str, start: int, end: int, following: str, *, plain: bool) -> bool:
    """Whether what follows a bare number makes it an ordinal or part of a code (``3rd``, ``am 3. Platz``, ``7-ELEVEN``)."""
    if plain and following == "月" and end - start < 3 and clean[end + 1 : end + 2] != "間":
        return True
    if plain and following in _ORDINAL_STARTS:
        if _ORDINAL.match(clean, end):
            return True
        if following == "." and end - start < 3 and _DOTTED.match(clean, end):
            return _BEFORE_DOTTED.search(clean[max(0, start - 12) : start]) is not None
    return following in _CODE_JOINTS and clean[end + 1 : end + 3].isupper() and clean[end + 1 : end + 2].isalpha()


def _is_cjk(char: str) -> bool:
    return char >= "\u3040" and (char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" or char >= "\uff00")


def _is_prefix(clean: str, first: int) -> bool:
    """Whether an Arabic *and*, *by* or *for*, written as one with what follows, stands before *first*."""
    return clean[first - 1] in _PREFIXES and not clean[first - 2 : first - 1].isalpha()


def _is_version(written: str) -> bool:
    parts = written.split(".")
    return len(parts) > 2 and not all(len(part) == 3 for part in parts[1:]) and "," not in written


__all__ = ["Figure", "Reading", "find_figures", "fold", "masked"]
