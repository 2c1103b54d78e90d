"""
The daemon: read, evaluate, write, then tell others; drain on a signal.

One loop in one process. What a batch came to is one transaction together with the source's checkpoint, so a process
that is killed goes on where the last batch ended, and the same result is never counted twice. Telemetry and metrics
are best effort and come after the durable write; they speak of newly stored results only.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from monitor.config import Config, SourceConfig
from monitor.conversation import Conversation, Json
from monitor.decision import Decided, Seen, decide
from monitor.errors import RecordError, StoreError, where
from monitor.formats import Fragment
from monitor.intake import Intake
from monitor.outcome import Evaluation
from monitor.rules import Rule
from monitor.sinks.review import ReviewFiler
from monitor.store import Commit, Committed, Quarantined, Store, TurnRow, TurnText

log = structlog.get_logger(__name__)

GRACE = timedelta(seconds=30)
"""How long after a turn's end marker its group is joined: late parts may still come."""
QUIET = timedelta(minutes=10)
"""How long a group without an end marker must be quiet before it is joined."""
_CLOSING_SECONDS = 5.0
_GROUPS_AT_ONCE = 64
_EVIDENCE_ROWS = 200


class Observer:
    """
    What wants to know what the worker does: metrics, telemetry. Each method does nothing until a subclass overrides it.

    Best effort: it never raises and never blocks.
    """

    def committed(self, commit: Commit, committed: Committed) -> None:
        """*commit* is durable."""

    def evaluated(self, source: str, evaluation: Evaluation) -> None:
        """The outcomes in *evaluation* are durable, and new."""

    def sink_failed(self, sink: str, error: StoreError) -> None:
        """Something could not be written, and will be tried again."""

    def sink_recovered(self, sink: str) -> None:
        """It could be written after all."""

    def progressed(self, source: str, *, at_end: bool) -> None:
        """The worker is alive; with *at_end*, it has read everything that *source* held a moment ago."""


@dataclass(slots=True)
class _Work:
    """One commit in the making, with the evaluations to speak of once it is durable."""

    turns: list[TurnRow] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)
    unknown_codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    joined: list[str] = field(default_factory=list)
    decided: list[tuple[str, Decided]] = field(default_factory=list)


class Worker:
    """Reads every source until its end (or, where it follows, until stopped) and evaluates what it finds."""

    def __init__(self, config: Config, rules: Sequence[Rule], store: Store, observers: Iterable[Observer] = ()) -> None:
        self._config, self._rules, self._store = config, tuple(rules), store
        self._observers = tuple(observers)
        self._filer = ReviewFiler(rules, store)
        self._write_lock = asyncio.Lock()
        self._seen: dict[str, Seen] = {source.name: Seen() for source in config.sources}
        self._locks: dict[str, asyncio.Lock] = {source.name: asyncio.Lock() for source in config.sources}
        self._in_trouble = False

    async def run(self, stop: asyncio.Event) -> None:
        """
        Until every source is at its end, or *stop* is set; then what is in hand is finished.

        Raises ConfigError, SourceError or StoreError when going on makes no sense.
        """
        async with asyncio.TaskGroup() as group:
            for source in self._config.sources:
                group.create_task(self._source(source, stop))

    async def _source(self, source: SourceConfig, stop: asyncio.Event) -> None:
        reader, intake = source.build(), Intake(source, self._config)
        held = await asyncio.to_thread(self._store.checkpoint, source.name) or {}
        intake.pin(held.get("formats", {}))
        follows = bool(getattr(reader, "follow", False))
        async with asyncio.TaskGroup() as group:
            closing = group.create_task(self._close_quiet(source, intake, stop)) if follows else None
            limits = self._config.limits
            batches = reader.batches(held.get("at"), records=limits.batch, record_bytes=limits.record_bytes, stop=stop)
            async for batch in batches:
                self._progressed(source.name, at_end=not batch.items)
                if not batch.items:
                    continue
                async with self._locks[source.name]:
                    await self._batch(source, intake, batch.items, batch.checkpoint, final=not follows, stop=stop)
                if stop.is_set():
                    break
            if closing is not None:
                closing.cancel()
        if not follows and not stop.is_set():
            await self._close(source, intake, None, stop)
        log.info("source_ended", source=source.name, stopped=stop.is_set())

    async def _batch(
        self,
        source: SourceConfig,
        intake: Intake,
        items: Iterable[object],
        at: Json,
        *,
        final: bool,
        stop: asyncio.Event,
    ) -> None:
        taken = intake.take(items)  # type: ignore[arg-type]  # the source's own items
        work = _Work(quarantined=taken.quarantined)
        for conversation in taken.whole:
            await self._decide(source, conversation, work, fragments=1, final=final)
        checkpoint = {"at": at, "formats": intake.formats}
        commit = self._commit_of(source, work, checkpoint, taken.counts, taken.fragments)
        await self._write(source, commit, work, stop)

    async def _decide(
        self, source: SourceConfig, conversation: Conversation, work: _Work, *, fragments: int, final: bool
    ) -> None:
        seen = self._seen[source.name]
        for item in await decide(conversation, self._rules, source.name, final=final, known=seen):
            work.decided.append((conversation.id, item))
            work.turns.append(_row(conversation, item, fragments))
            for error in item.turn.errors:
                if error.kind == "unknown":
                    work.unknown_codes[(error.code or "(none)")[:100], error.kind] += 1
            if item.evaluation is not None:
                work.evaluations.append(item.evaluation)

    def _commit_of(
        self,
        source: SourceConfig,
        work: _Work,
        checkpoint: Json | None,
        counts: Counter[str] | None = None,
        fragments: list[Fragment] | None = None,
    ) -> Commit:
        outcomes = [outcome for evaluation in work.evaluations for outcome in evaluation.outcomes]
        items = self._filer.file(outcomes)
        filed = {item.result_id for item in items}
        texts = [
            _text(evaluation)
            for evaluation in work.evaluations
            if any(outcome.result_id in filed for outcome in evaluation.outcomes)
        ]
        return Commit(
            source=source.name,
            checkpoint=checkpoint,
            records=dict(counts or {}),
            quarantined=work.quarantined,
            fragments=fragments or [],
            joined=work.joined,
            turns=work.turns,
            outcomes=outcomes,
            texts=texts,
            review=items,
            unknown_codes=dict(work.unknown_codes),
        )

    async def _write(self, source: SourceConfig, commit: Commit, work: _Work, stop: asyncio.Event) -> None:
        """Make *commit* durable, however long that takes; nothing is read meanwhile. Then tell the observers."""
        wait = 0.5
        while True:
            try:
                async with self._write_lock:
                    committed = await asyncio.to_thread(self._store.commit, commit)
                break
            except StoreError as error:
                self._failed(error)
                if stop.is_set():
                    raise
                await _pause(stop, wait)
                wait = min(wait * 2, 30.0)
        if self._in_trouble:
            self._in_trouble = False
            log.info("sink_recovered", sink="state")
            self._tell(lambda observer: observer.sink_recovered("state"))
        for conversation_id, item in work.decided:
            self._seen[source.name].add(conversation_id, item)
        self._tell(lambda observer: observer.committed(commit, committed))
        for evaluation in work.evaluations:
            new = evaluation.only(committed.new_results)
            if new is not None:
                self._tell(partial(_evaluated, source.name, new))

    def _failed(self, error: StoreError) -> None:
        """Say once that the state cannot be written; count every time."""
        if not self._in_trouble:
            log.error("sink_failed", sink="state", reason=error.message, hint=error.hint)
        self._in_trouble = True
        self._tell(lambda observer: observer.sink_failed("state", error))

    def _progressed(self, source: str, *, at_end: bool = False) -> None:
        self._tell(lambda observer: observer.progressed(source, at_end=at_end))

    def _tell(self, tell: Callable[[Observer], None]) -> None:
        """Tell every observer. What breaks there is logged, and keeps nobody from the work."""
        for observer in self._observers:
            try:
                tell(observer)
            except Exception as defect:  # noqa: BLE001 - telling is best effort
                log.warning(
                    "observer_broke",
                    observer=type(observer).__name__,
                    error_type=type(defect).__name__,
                    at=where(defect),
                )

    async def _close_quiet(self, source: SourceConfig, intake: Intake, stop: asyncio.Event) -> None:
        """Every few seconds, join the groups whose turns are over or that have been quiet for long."""
        while not stop.is_set():
            await _pause(stop, _CLOSING_SECONDS)
            try:
                await self._close(source, intake, datetime.now(UTC), stop)
            except StoreError as error:
                self._failed(error)

    async def _close(self, source: SourceConfig, intake: Intake, now: datetime | None, stop: asyncio.Event) -> None:
        """Join and evaluate the groups that are due at *now*; None: all, since no more is to come."""
        due = self._store.groups(
            source.name,
            ended_before=now - GRACE if now else None,
            quiet_before=now - QUIET if now else None,
        )
        while True:
            batch = await asyncio.to_thread(
                lambda: [group for _, group in zip(range(_GROUPS_AT_ONCE), due, strict=False)]
            )
            if not batch:
                return
            async with self._locks[source.name]:
                await self._close_batch(source, intake, batch, stop, final=now is None)
            self._progressed(source.name)
            if stop.is_set():
                return

    async def _close_batch(
        self, source: SourceConfig, intake: Intake, groups: list[str], stop: asyncio.Event, *, final: bool
    ) -> None:
        """
        Join and evaluate *groups*. Nothing of the source is written meanwhile: a fragment that came between reading a
        group and saying that it was joined would never be looked at.
        """
        work = _Work()
        for group in groups:
            if group not in work.joined:
                await self._join(source, intake, group, work, final=final)
        await self._write(source, self._commit_of(source, work, None), work, stop)

    async def _join(self, source: SourceConfig, intake: Intake, group: str, work: _Work, *, final: bool) -> None:
        parts = await asyncio.to_thread(self._parts, source.name, group)
        work.joined.extend(parts)
        try:
            conversation = intake.join(parts)
        except RecordError as error:
            work.quarantined.append(
                Quarantined(source.name, f"group {group[:200]}", error.cause, error.message, error.hint, 0, "")
            )
            return
        await self._decide(source, conversation, work, fragments=sum(map(len, parts.values())), final=final)

    def _parts(self, source: str, group: str) -> dict[str, list[Fragment]]:
        """The groups of *group*'s conversation with their fragments."""
        return {part: self._store.fragments(source, part) for part in self._store.related(source, group)}


def _evaluated(source: str, evaluation: Evaluation, observer: Observer) -> None:
    observer.evaluated(source, evaluation)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    """Sleep *seconds*, or less when *stop* is set."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


def _row(conversation: Conversation, item: Decided, fragments: int) -> TurnRow:
    turn = item.turn
    return TurnRow(
        conversation_id=conversation.id,
        turn_id=turn.id,
        revision=item.revision,
        state=turn.state,
        decision=item.decision,
        scope=conversation.scope,
        closed_at=None if item.decision == "pending" else datetime.now(UTC),
        revised_at=turn.ended_at or conversation.ended_at or conversation.started_at,
        fragments=fragments,
    )


def _text(evaluation: Evaluation) -> TurnText:
    """What a reviewer reads of a turn: question, answer, and the queries with at most 200 rows each."""
    turn = evaluation.turn
    queries = []
    for query in turn.queries:
        shown = query.model_dump(mode="json", exclude_none=True)
        rows = query.result.rows if query.result else []
        if len(rows) > _EVIDENCE_ROWS:
            shown["result"]["rows"] = shown["result"]["rows"][:_EVIDENCE_ROWS]
            shown["result"]["rows_left_out"] = len(rows) - _EVIDENCE_ROWS
        queries.append(shown)
    covered = {query.tool_call_id for query in turn.queries}
    return TurnText(
        conversation_id=evaluation.conversation_id,
        turn_id=turn.id,
        revision=evaluation.revision,
        question=turn.question.text if turn.question else "",
        answer=turn.answer.text if turn.answer else "",
        evidence={
            "queries": queries,
            "errors": [error.model_dump(mode="json", exclude_none=True) for error in turn.errors],
            "definitions": [definition.model_dump(mode="json", exclude_none=True) for definition in turn.definitions],
            "tool_calls": [
                call.model_dump(mode="json", exclude_none=True) for call in turn.tool_calls if call.id not in covered
            ],
        },
    )
