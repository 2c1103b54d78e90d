"""
The answer's own arithmetic: a figure that follows from figures stated beside it, each of them grounded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.derivations.accident import ANNOUNCED, chance
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.figures import Figure
from monitor.checks.grounded.text.names import WORD, stem

REACH = 250
TOTALS_REACH = 1500
MOST_ADDED = 12
_FROM = re.compile(r"\b(?:from|von|de|desde|van|från|gegenüber|vs|versus|than|als|que|dan)\s\W{0,4}$", re.IGNORECASE)
_SO = re.compile(
    r"\b(?:so|thus|hence|therefore|leaving|which leaves|damit|somit|also|folglich|donc|ainsi|así que|por lo que|dus|quindi|alltså|logo)\s"
    r"(?:[^\W\d_]{1,12}\s){0,3}$",
    re.IGNORECASE,
)
_PER = re.compile(r"\s(?:per|an?|each|je|pro|par|por)\s([^\W\d_]{2,30})", re.IGNORECASE)
_SHARES = (units.PERCENT, "ratio", units.TIMES)


class Stated(NamedTuple):
    """A grounded figure; *adds* is false where its column holds averages; *own*: it follows from the answer itself."""

    figure: Figure
    adds: bool
    own: bool = False


class Arithmetic:
    """Looks for figures of one answer that follow from its own other figures."""

    def __init__(self, answer: str, evidence: Evidence) -> None:
        self.answer, self.evidence = answer, evidence
        self._texts: list[Figure] | None = None

    def explain(self, view: View, stated: list[Stated]) -> Found | None:
        """How the figure of *view* follows from *stated* ones; None when it does not."""
        for earlier in stated:
            value = earlier.figure.readings[0].value
            if (
                earlier.own
                and earlier.figure.unit == view.figure.unit
                and match.fits(view.figure, value, view.figure.unit)
            ):
                return found("repeated", f"{earlier.figure.text} follows from what stands before it")
        return (
            self._spelled_out(view, stated)
            or self._rated(view, stated)
            or self._compared(view, stated)
            or self._added(view, stated)
        )

    def _rated(self, view: View, stated: list[Stated]) -> Found | None:
        """An amount for each of what a count before it counts (``1,950 sessions``, ``127,641 kWh``: 65.5 kWh *per session*)."""
        per = _PER.match(self.answer, view.figure.end)
        if not per:
            return None
        near = [f for f, _, _ in stated if 0 < view.figure.start - f.start < REACH]
        counts = [f for f in near if not f.unit and f.readings[0].value and self._counts(f, stem(per[1]))]
        for count in counts[-2:]:
            for amount in near[-12:]:
                self.evidence.spend(2)
                if amount.unit == view.figure.unit and amount is not count:
                    value = amount.readings[0].value / count.readings[0].value
                    if match.fits(view.figure, value, amount.unit):
                        return found("ratio", f"the ratio of {amount.text} and {count.text}")
        return None

    def _counts(self, figure: Figure, noun: str) -> bool:
        """Whether one of the two words after a figure is *noun*."""
        return noun in [stem(word) for word in WORD.findall(self.answer[figure.end : figure.end + 40])[:2]]

    def _spelled_out(self, view: View, stated: list[Stated]) -> Found | None:
        """The result of arithmetic that the answer writes out (``$282 - $177 = $105``)."""
        before = self.answer[max(0, view.figure.start - 4) : view.figure.start].rstrip()
        two = sorted(f for f, _, _ in stated if view.sentence.start <= f.start < view.figure.start)[-2:]
        if not before.endswith("=") or len(two) < 2:
            return None
        a, b = two[0].readings[0].value, two[1].readings[0].value
        for value in (a + b, a - b, a - abs(b), a * b, a / b if b else a):
            if match.fits(view.figure._replace(unit=""), value):
                return found("spelled_out", f"written out from {two[0].text} and {two[1].text}")
        return None

    # -- two figures -----------------------------------------------------------------------------------------------

    def _compared(self, view: View, stated: list[Stated]) -> Found | None:
        """A difference, change, share or ratio of two figures, at least one of them in the same sentence."""
        start = view.sentence.start
        near = [
            f for f, _, _ in stated if start - REACH <= f.start < view.sentence.end and f.start != view.figure.start
        ][-12:]
        inside = [f for f in near if f.start >= start or announce.leaves_rest(view.beside_text)]
        reached = {f.start for f in inside}
        kinds = announce.announced(view.sentence.text)
        if _SO.search(view.sentence.text[: view.figure.start - start][-40:]):
            kinds.add("difference")
        if inside and kinds & {"difference", "ratio"}:
            near = near + self._quotable()
        outside = self._far(view, near, kinds)
        for first in near:
            for second in near:
                if first.start >= second.start or not (outside or {first.start, second.start} & reached):
                    continue
                self.evidence.spend(2)
                base, later = (second, first) if self._is_base(second) else (first, second)
                told = self._of(view, base, later, kinds)
                if told:
                    return told
        return None

    def _far(self, view: View, near: list[Figure], kinds: set[str]) -> bool:
        """Whether a difference of two figures that both stand before the sentence would hardly be an accident."""
        figure = view.figure
        if not figure.unit or figure.unit in _SHARES or "difference" not in kinds:
            return False
        alike = sum(f.unit == figure.unit for f in near)
        return chance(figure, alike * (alike - 1) / 2) < ANNOUNCED

    def _quotable(self) -> list[Figure]:
        """Figures of texts (an earlier answer, a threshold), placed before the answer; none where there are many."""
        if self._texts is None:
            found = [f for s in self.evidence.sources if s.kind != "error" for f in s.figures()[:20] if f.readings]
            found = [f for f in found if f.readings[0].value > 20]
            self._texts = [f._replace(start=-1 - index) for index, f in enumerate(found)] if len(found) <= 40 else []
        return self._texts

    def _is_base(self, figure: Figure) -> bool:
        """Whether *figure* is what another is set against (``to 5 from 4``)."""
        return figure.start > 0 and _FROM.search(self.answer[max(0, figure.start - 14) : figure.start]) is not None

    def _of(self, view: View, base: Figure, later: Figure, kinds: set[str]) -> Found | None:
        figure = view.figure
        a, b = base.readings[0].value, later.readings[0].value
        if not a or not b:
            return None
        shares = {figure.unit, base.unit, later.unit} & {*_SHARES}
        per = "ratio" in kinds and not shares and {base.unit, later.unit} & {figure.unit, ""}
        if per and min(base.start, later.start) >= view.sentence.start and self._divides(view, a, b):
            return found("ratio", f"{base.text} and {later.text}, divided")
        if base.unit != later.unit:
            return None
        text = view.sentence.text
        rising, falling = announce.rises(text), announce.falls(text) and not announce.both(text)
        against = (rising and b < a) or (falling and b > a)
        if figure.unit in _SHARES:
            low, high = sorted((a, b), key=abs)
            moves = (rising or falling) and not view.follows("of", "von", "sur", "de", "des", "van", "av", "di")
            if base.unit != units.PERCENT and not moves and match.fits(figure, low / high, "ratio"):
                return found("share", f"{_shorter(base, later, low)} as a share of {_shorter(base, later, high)}")
            if figure.unit == units.TIMES and (match.fits(figure, b / a) or match.fits(figure, a / b)):
                return found("ratio", f"the ratio of {later.text} and {base.text}")
            if "difference" not in kinds and not moves:
                return None
            if not against and match.fits(figure, abs(b / a - 1), "ratio"):
                return found("change", f"the change from {base.text} to {later.text}")
            if not rising and not falling and match.fits(figure, abs(a / b - 1), "ratio"):
                return found("change", f"the change from {later.text} to {base.text}")
        comparable = figure.unit in (base.unit, "") or (base.unit == units.PERCENT and figure.unit == units.POINTS)
        apart = "difference" in kinds and comparable and figure.unit != units.PERCENT and not against
        if apart and match.fits(figure._replace(unit=""), abs(a - b)):
            return found("difference", f"the difference of {later.text} and {base.text}")
        return None

    def _divides(self, view: View, a: float, b: float) -> bool:
        """Whether the figure is one of two others of its sentence per the other, and few such divisions are possible."""
        many = len(view.sentence.figures()) - 1
        if chance(view.figure, many * (many - 1)) > ANNOUNCED:
            return False
        plain = view.figure._replace(unit="")
        return match.fits(plain, a / b) or match.fits(plain, b / a)

    @staticmethod
    def run(figure: Figure, stated: list[Stated]) -> Found | None:
        """The last two to twelve figures before *figure*, in its unit, that add up to it."""
        total = 0.0
        for count, value in enumerate(reversed(_alike(figure, _earlier(figure, stated))), 1):
            total += value
            if 1 < count <= MOST_ADDED and match.fits(figure, total, figure.unit):
                return found("sum", f"the sum of the {count} figures before it")
        return None

    # -- sums ------------------------------------------------------------------------------------------------------

    def _added(self, view: View, stated: list[Stated]) -> Found | None:
        """The sum of the last figures before it, or one of them taken so many times, where a total is announced."""
        figure = view.figure
        if not announce.announced(view.sentence.text) & {"sum", "product"} or figure.unit in _SHARES:
            return None
        earlier = _earlier(figure, stated)
        alike = _alike(figure, earlier)
        summed = self.run(figure, stated)
        if summed or not figure.unit:
            return summed
        recent = alike[-8:]
        if any(match.fits(figure, a + b, figure.unit) for i, a in enumerate(recent) for b in recent[i + 1 :] if a != b):
            return found("sum", "the sum of two figures before it")
        for many, _, _ in earlier:
            times = many.readings[0].value
            counts = not many.unit and 1 < times <= 20 and times == int(times)
            if counts and any(match.fits(figure, value * times, figure.unit) for value in alike):
                return found("product", f"{many.text} times a figure before it")
        return None


def _earlier(figure: Figure, stated: list[Stated]) -> list[Stated]:
    """The last figures that are stated before *figure*, at most 24."""
    return sorted(s for s in stated if figure.start - TOTALS_REACH < s.figure.start < figure.start)[-24:]


def _alike(figure: Figure, earlier: list[Stated]) -> list[float]:
    """The values among *earlier* that add up and have the unit of *figure*."""
    return [f.readings[0].value for f, adds, _ in earlier if adds and f.unit == figure.unit and (f.unit or not f.year)]


def _shorter(a: Figure, b: Figure, value: float) -> str:
    return a.text if a.readings[0].value == value else b.text


def found(derivation: str, text: str) -> Found:
    """A figure that follows from the answer's own."""
    return Found({"kind": "derived", "derivation": derivation}, text)
