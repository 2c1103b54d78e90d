"""
Conditions by names: words that stand together in cells, and what was won, lost or drawn.
"""

from __future__ import annotations

from collections.abc import Collection

from monitor.checks.grounded.context.stretch import FUNCTION, NEGATIONS, Filter, Stretch, Word
from monitor.checks.grounded.evidence.labels import clean
from monitor.checks.grounded.evidence.vocabulary import Value, outcome_of

LONGEST_PHRASE = 8
_OTHER = {"won": "lost", "lost": "won"}


def read_names(stretch: Stretch) -> None:
    """Take in the names of cells, the longest run of words first."""
    words = stretch.words
    at = 0
    while at < len(words):
        if not words[at].used and words[at].text not in NEGATIONS and not _is_amount(stretch, words[at]):
            length, found = _run(stretch, at)
            if (length > 1 or (length == 1 and not _is_plain(stretch, at))) and (
                stretch.free(at) or _is_cell(words[at : at + length], found)
            ):
                first, found = _with_negation(stretch, at, length, found)
                _take(stretch, first, at + length - first, found)
                at += length
                continue
        at += 1


def read_flags(stretch: Stretch) -> None:
    """Take in what the name of a column of yes and no says (``4 employees are remote``)."""
    for at, word in enumerate(stretch.words):
        called = stretch.vocabulary.called(word.root) if stretch.free(at) else []
        flags = stretch.vocabulary.flags if called else {}
        found = [Filter(c, flags[c], f"{stretch.label(c)} yes") for c in called if c in flags]
        if found:
            stretch.add(found, at, 1)


def read_outcomes(stretch: Stretch) -> None:
    """Take in *won*, *lost* and *drawn*, by the column that says so of each row."""
    columns = stretch.vocabulary.outcomes if any(outcome_of(word.text) for word in stretch.words) else {}
    for at, word in enumerate(stretch.words):
        outcome = outcome_of(word.text)
        if outcome and columns and not word.used:
            found = [
                Filter(column, rows[outcome], f"{stretch.label(column)} {outcome}", outcome)
                for column, rows in columns.items()
                if outcome in rows
            ]
            if found:
                stretch.add(found, at, 1)
    _used_sides(stretch)


def _used_sides(stretch: Stretch) -> None:
    """Take *won* or *lost* for the name of the column that says who did, where that is counted or has a condition."""
    reading = stretch.reading
    columns = {*reading.nouns, *(condition.column for term in reading.terms for condition in term)}
    for word in stretch.words:
        outcome = outcome_of(word.text)
        if outcome and not columns.isdisjoint(stretch.vocabulary.sides.get(outcome, ())):
            word.used = True


def _run(stretch: Stretch, at: int) -> tuple[int, list[Value]]:
    """(how many words from *at* stand together in cells, these cells); the last is no function word."""
    words = stretch.words
    end = at
    while end < len(words) and end - at < LONGEST_PHRASE and not (words[end].used and words[end].figure):
        end += 1
    length, found = stretch.vocabulary.starting([word.root for word in words[at:end]])
    while length > 1 and words[at + length - 1].text in FUNCTION and not _is_cell(words[at : at + length], found):
        length -= 1
        found = stretch.vocabulary.holding(_phrase(words[at : at + length]))
    return length, found


def _is_amount(stretch: Stretch, word: Word) -> bool:
    """Whether a number is a limit, or the whole that the figure is a part of, and so in no name."""
    return word.figure is not None and (bool(word.figure.bound) or stretch.is_whole(word.figure))


def _is_cell(words: list[Word], found: list[Value]) -> bool:
    """Whether words are, together, a cell: function words alone name nothing else."""
    phrase = _phrase(words)
    return len(words) > 1 and any(value.words == phrase for value in found)


def _phrase(words: list[Word]) -> str:
    return f" {' '.join(word.root for word in words)} "


def _with_negation(stretch: Stretch, at: int, length: int, found: list[Value]) -> tuple[int, list[Value]]:
    """The run of words, with a negation before it that stands in the cells too (``did not qualify``)."""
    for back in (2, 1):
        words = stretch.words[at - back : at + length] if at >= back else []
        if any(word.text in NEGATIONS for word in words[:back]):
            phrase = _phrase(words)
            held = [value for value in found if phrase in value.words]
            if held:
                stretch.use(words[:back])
                return at - back, held
    return at, found


def _is_plain(stretch: Stretch, at: int) -> bool:
    """Whether a single word is rather a column's name, or says who won, than part of a cell."""
    word, vocabulary = stretch.words[at], stretch.vocabulary
    if outcome_of(word.text) and vocabulary.outcomes:
        return True
    called = vocabulary.called(word.root)
    beside = {stretch.words[n].root for n in (at - 1, at + 1) if 0 <= n < len(stretch.words)}
    if any(not vocabulary.names[column].isdisjoint(beside) for column in called):
        return True
    return (word is stretch.head or bool(called)) and not vocabulary.holds(word.root)


def _take(stretch: Stretch, at: int, length: int, found: list[Value]) -> None:
    """Take in one name: a condition on each column that may hold it, as a whole cell and as part of one."""
    words = stretch.words[at : at + length]
    phrase = _phrase(words)
    columns: dict[int, tuple[int, int]] = {}
    for value in found:
        whole, part = columns.get(value.column, (0, 0))
        columns[value.column] = (whole | (value.rows if value.words == phrase else 0), part | value.rows)
    side = _side(stretch, at, columns)
    name = clean(" ".join(word.text for word in words))
    out = []
    for column in side or _likeliest(stretch, columns):
        whole, part = columns[column]
        masks = dict.fromkeys(mask for mask in (whole, part) if mask)
        out += [Filter(column, mask, f"{stretch.label(column)} {name}") for mask in masks]
    if len({condition.column for condition in out}) > 1:
        everywhere = 0
        for condition in out:
            everywhere |= condition.rows
        out.append(out[0]._replace(rows=everywhere, text=name))
    if not side and all(word.root in stretch.caption for word in words):
        out.append(Filter(-1, stretch.vocabulary.rows, ""))
    if not side:
        stretch.named.append(at)
    stretch.add(out, at, length)


def _likeliest(stretch: Stretch, columns: dict[int, tuple[int, int]]) -> list[int]:
    """The columns that hold the name as a whole cell, if any do; of these the ones that the words name, if any."""
    whole = [column for column, (mask, _) in columns.items() if mask] or list(columns)
    roots = {word.root for word in stretch.words}
    return [column for column in whole if not stretch.vocabulary.names[column].isdisjoint(roots)] or whole


def _side(stretch: Stretch, at: int, columns: Collection[int]) -> list[int]:
    """Which of the columns a name at *at* stands in, by who is said to have won (``A beat B``, ``B lost to A``)."""
    sides = stretch.vocabulary.sides
    if not sides or stretch.vocabulary.outcomes:
        return []
    verb = next((n for n, word in enumerate(stretch.words) if outcome_of(word.text) in _OTHER), None)
    if verb is None or stretch.words[verb] is stretch.head:
        return []
    subject = outcome_of(stretch.words[verb].text) or ""
    passive = stretch.text(verb + 1) == "by"
    own = subject if (at < verb) != passive else _OTHER[subject]
    found = [column for column in sides.get(own, []) if column in columns]
    if found:
        stretch.words[verb].used = True
    return found
