"""
What the evidence of an answer speaks of at all, cells of numbers aside.
"""

from __future__ import annotations

from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.text.names import words_in

MAX_READ = 20_000
"""So many characters of a text or query are read."""


class Spoken:
    """The words of names, texts and queries, read when first asked for."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._words: frozenset[str] | None = None

    def unheard_of(self, nouns: list[str]) -> bool:
        """Whether no column, name, text or query has one of *nouns*, stemmed words; False where there are none."""
        if not nouns:
            return False
        if self._words is None:
            names = [name for table in self.evidence.tables for name in (table.name, *table.columns)]
            texts = [source.text[:MAX_READ] for source in self.evidence.sources]
            queries = [query[:MAX_READ] for query in self.evidence.sqls]
            words = words_in(" ".join([*names, *texts, *queries, *self.evidence.texts()]).replace("_", " "))
            self.evidence.spend(len(words) // 4)
            self._words = frozenset(words)
        return self._words.isdisjoint(nouns)
