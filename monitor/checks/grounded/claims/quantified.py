"""
Limits that the words say of none, of all or of one only (``no station is allowed more than 50,000 W``): are they true?
"""

from __future__ import annotations

import re
from typing import Literal

from monitor.checks.grounded.claims.datefilters import read_dates
from monitor.checks.grounded.claims.filters import left_over
from monitor.checks.grounded.claims.namefilters import read_flags, read_names, read_outcomes
from monitor.checks.grounded.claims.numberfilters import LIMITS, columns_beside, limit
from monitor.checks.grounded.claims.tally import Tally
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.context.stretch import COMPARING, LONGEST_SENTENCE, Filter, Stretch, Word
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import is_, row_label
from monitor.checks.grounded.evidence.vocabulary import rows_of
from monitor.checks.grounded.sources import Found

Kind = Literal["none", "all", "one"]
READING = 450
"""Steps that it takes to read one sentence against one table."""
_QUANTIFIERS: dict[str, Kind] = {
    "no": "none",
    "none": "none",
    "all": "all",
    "every": "all",
    "each": "all",
    "only": "one",
}
_PARTS = re.compile(
    r"[;:]|\b(?:while|whereas|but|although|if|when|except|other|another|nearly|almost|not)\b", re.IGNORECASE
)
"""What makes a sentence say more than one thing of its limit, or another."""
_TAKEN = frozenset("of the in at for on with that which who whose".split())


class Quantified:
    """Judges the limits of one answer, over the tables that *tally* can count."""

    def __init__(self, evidence: Evidence, tally: Tally) -> None:
        self.evidence, self.tally = evidence, tally

    def judge(self, view: View) -> tuple[bool, Found] | None:
        """(whether it is so, why) for a limit that is said of none, all or one only; None where it is not, or of what is not clear."""
        figure, text = view.figure, view.sentence.text
        if (
            figure.bound not in LIMITS
            or figure.bound == "exactly"
            or not figure.readings
            or len(text) > LONGEST_SENTENCE
        ):
            return None
        others = [f for f in view.sentence.figures() if f is not figure and f.readings and not f.year]
        if others or _PARTS.search(text):
            return None
        for t in range(len(self.evidence.tables)):
            found = self._in(view, t) if self.tally.countable(t) else None
            if found is not None:
                return found
        return None

    def _in(self, view: View, t: int) -> tuple[bool, Found] | None:
        self.evidence.spend(READING)
        stretch = Stretch(view, self.tally.vocabulary(t), self.tally.caption)
        at = next((n for n in range(stretch.place) if stretch.text(n) in _QUANTIFIERS), -1)
        kind = _QUANTIFIERS.get(stretch.text(at))
        if kind is None or (kind == "all" and stretch.text(at - 1) in ("of", "at", "in")):
            return None
        if stretch.text(at + 1) in COMPARING:
            return None
        columns, spent = columns_beside(stretch, stretch.place, view.figure)
        met = limit(stretch, columns[0], view.figure) if len(columns) == 1 else None
        if met is None:
            return None
        subject = {row for m in view.sentence.mentions() for row in m.rows(t).get(0, ())}
        self._read(stretch, at, spent)
        conditions = [term for term in stretch.reading.terms if kind != "one" or term[0].rows.bit_count() > 1]
        counted = stretch.vocabulary.rows
        for term in conditions:
            counted &= counted if any(condition.rows == stretch.vocabulary.rows for condition in term) else term[0].rows
        measured = sum(1 << row for row, _ in stretch.vocabulary.measured(columns[0]))
        return self._weighed(stretch, kind, met, counted & measured, frozenset(subject))

    def _read(self, stretch: Stretch, at: int, spent: list[Word]) -> None:
        """Read the conditions that stand after the quantifier at a place; what it quantifies explains itself."""
        stretch.use_back(stretch.place - 1, COMPARING)
        stretch.use_figure(stretch.place)
        stretch.use(word for word in stretch.words if any(word is other for other in spent))
        del stretch.words[: at + 1]
        stretch.place -= at + 1
        for step in (read_dates, read_names, read_flags, read_outcomes):
            step(stretch)
        first = next((n for n, word in enumerate(stretch.words) if word.text not in _TAKEN), 0)
        for word in stretch.words[first : first + 1]:
            word.used = True

    def _weighed(
        self, stretch: Stretch, kind: Kind, met: Filter, counted: int, subject: frozenset[int]
    ) -> tuple[bool, Found] | None:
        above, rest = counted & met.rows, counted & ~met.rows
        many = above.bit_count()
        holds = {
            "none": not above,
            "all": not rest,
            "one": many > 0 and (subject >= {*rows_of(above)} if subject else many == 1),
        }[kind]
        source = {"kind": "count", "table": stretch.vocabulary.table.name}
        names = [
            row_label(self.evidence, stretch.vocabulary.index, row)
            for row in list(rows_of(rest if kind == "all" else above))[:2]
        ]
        text = f"{many} row{' has' if many == 1 else 's have'} {met.text}"
        if holds:
            return counted != 0, Found(source, text if kind != "all" else f"all {many} rows have {met.text}")
        if not counted or self.evidence.incomplete or len(left_over(stretch)) > 1:
            return None
        if kind == "all":
            other = Cell(stretch.vocabulary.index, rows_of(rest)[0], met.column)
            return False, Found(source, is_(self.evidence, other), "wrong_count")
        return False, Found(source, f"{text}: {' and '.join(names)}" if many in (1, 2) else text, "wrong_count")
