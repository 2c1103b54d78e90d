"""
Rules over recordings, once, without a state: what ``monitor evaluate`` and rule authors use.

Conversations come out as they are complete; memory holds one batch, and what waits for its end in a bounded
assembler.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from monitor.assembly import MemoryAssembler
from monitor.config import Config, SourceConfig
from monitor.conversation import Conversation
from monitor.decision import Decided, Seen, decide
from monitor.errors import RecordError
from monitor.intake import Intake
from monitor.process import tune_collector
from monitor.rules import Rule
from monitor.sources import Source
from monitor.store.batch import Quarantined

KEPT_QUARANTINE = 1_000


@dataclass(slots=True)
class Totals:
    """Both ledgers of a run, and what was quarantined (the first 1 000)."""

    records: Counter[str] = field(default_factory=Counter)
    turns: Counter[str] = field(default_factory=Counter)
    quarantined: list[Quarantined] = field(default_factory=list)
    conversations: int = 0
    repeated: int = 0


class BatchRun:
    """
    One pass over one source. Iterate :meth:`conversations`, then read :attr:`totals`.

    *reader* gives the records, where it is not *source* itself.
    """

    def __init__(
        self,
        config: Config,
        source: SourceConfig,
        rules: Sequence[Rule],
        *,
        sampled: bool,
        reader: Source | None = None,
    ) -> None:
        self.totals = Totals()
        self._config, self._source, self._rules, self._sampled = config, source, rules, sampled
        self._reader: Source = reader or source.build()
        self._intake = Intake(source, config, strict=True)
        self._seen = Seen()

    async def conversations(self) -> AsyncIterator[tuple[Conversation, list[Decided]]]:
        """Each conversation with its turns decided; turns already met, with the same content, are left out."""
        tune_collector()
        assembler = MemoryAssembler()
        done: set[str] = set()
        limits = self._config.limits
        try:
            batches = self._reader.batches(
                None, records=limits.batch, record_bytes=limits.record_bytes, stop=asyncio.Event()
            )
            async for batch in batches:
                taken = self._intake.take(batch.items)
                self._count(taken.counts, taken.quarantined)
                if taken.fragments:
                    assembler.add(taken.fragments, taken.size)
                for conversation in taken.whole:
                    yield conversation, await self._decide(conversation)
            for group in list(assembler.groups()) if not assembler.spilled else assembler.groups():
                if group in done:
                    continue
                parts = assembler.related(group)
                done.update(parts if len(parts) > 1 else ())
                try:
                    conversation = self._intake.join({part: assembler.fragments(part) for part in parts})
                except RecordError as error:
                    self._refuse(group, error)
                else:
                    yield conversation, await self._decide(conversation)
                for part in parts:
                    assembler.joined(part)
        finally:
            assembler.close()

    def _count(self, counts: Counter[str], quarantined: list[Quarantined]) -> None:
        self.totals.records.update(counts)
        room = KEPT_QUARANTINE - len(self.totals.quarantined)
        self.totals.quarantined.extend(quarantined[: max(0, room)])

    def _refuse(self, group: str, error: RecordError) -> None:
        """A group that cannot be joined: its records were parsed, its turns are lost, and that is said."""
        place = f"group {group}"
        self._count(Counter(), [Quarantined(self._source.name, place, error.cause, error.message, error.hint, 0, "")])

    async def _decide(self, conversation: Conversation) -> list[Decided]:
        self.totals.conversations += 1
        decided = await decide(conversation, self._rules, self._source.name, sampled=self._sampled, known=self._seen)
        self.totals.repeated += len(conversation.turns) - len(decided)
        for item in decided:
            self._seen.add(conversation.id, item)
            self.totals.turns.update(("seen", item.decision))
        return decided
