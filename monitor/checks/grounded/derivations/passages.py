"""
The sentences of the texts that a question is about, and their figures as operands.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.asked import Asked, weights_of
from monitor.checks.grounded.evidence.headings import words_of
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.text.figures import Figure

MAX_SENTENCES = 400
CLOSE = 0.6
"""A sentence this close to the best, by the weight of shared words, is as good."""
_KINDS = frozenset(["text", "tool", "answer", "definition"])
_END = re.compile(r"(?<=[a-z)\d][.!?])\s+(?=[A-Z(])")


class Passages:
    """The sentences that one question is about."""

    def __init__(self, asked: Asked, evidence: Evidence) -> None:
        self.asked, self.evidence = asked, evidence
        self._ranked: list[tuple[float, list[Figure]]] | None = None

    def lines(self, *, loose: bool) -> list[list[Figure]]:
        """The figures of the sentences that share most with the question; *loose*: then those of them all together."""
        if self._ranked is None:
            self._ranked = self._rank()
        best = self._ranked[0][0] if self._ranked else 0.0
        close = [figures for score, figures in self._ranked[:6] if score >= best * CLOSE]
        together = [figure for figures in close for figure in figures]
        return [*close, together] if len(close) > 1 and (loose or len(together) <= 6) else close

    def _rank(self) -> list[tuple[float, list[Figure]]]:
        sentences: list[tuple[frozenset[str], list[Figure]]] = []
        for source in self.evidence.sources:
            if source.kind not in _KINDS or len(sentences) > MAX_SENTENCES:
                continue
            figures = [f for f in source.figures() if f.readings and not f.year and f.moment is None]
            ends = [found.start() for found in _END.finditer(source.text[:20_000])] + [len(source.text)]
            self.evidence.spend(len(ends) * (8 + len(figures) // 8))
            start = 0
            for end in ends:
                inside = [f for f in figures if start <= f.start < end]
                if inside:
                    sentences.append((words_of(source.text[start:end][:400]), inside))
                start = end
        self.evidence.spend(len(sentences))
        weights = weights_of(words for words, _ in sentences)
        scored = [(sum(weights[word] for word in words & self.asked.words), figures) for words, figures in sentences]
        return sorted((item for item in scored if item[0]), key=lambda item: -item[0])
