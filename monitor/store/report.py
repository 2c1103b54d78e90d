"""What the state adds up to: both ledgers, the outcomes, and what waits for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from monitor.store.batch import DECISIONS, RECORD_DECISIONS
from monitor.store.schema import (
    TEXT_TABLES,
    current_scores,
    error_codes,
    groups,
    ledger,
    meta,
    metadata,
    quarantine,
    review_items,
    turns,
)

COUNTED = ("fragments", *TEXT_TABLES, "live_scores", "review_items", "quarantine", "turns")


@dataclass(frozen=True, slots=True)
class SourceLedger:
    """
    What became of everything that one source gave.

    *records* has ``read`` and, counted apart from it, ``parsed``, ``ignored``, ``quarantined``; *turns* has ``seen``,
    counted as turns first come, and every decision, counted over the turns stored. *revised* counts later revisions.
    """

    records: Mapping[str, int]
    turns: Mapping[str, int]
    revised: int = 0

    @property
    def lost_records(self) -> int:
        """Records read that are unaccounted for; negative: counted more than once."""
        return self.records["read"] - sum(self.records[decision] for decision in RECORD_DECISIONS)

    @property
    def lost_turns(self) -> int:
        """Turns seen that are unaccounted for; negative: counted more than once."""
        return self.turns["seen"] - sum(self.turns[decision] for decision in DECISIONS)

    @property
    def imbalance(self) -> int:
        """Records and turns that are unaccounted for; 0 when both ledgers add up."""
        return abs(self.lost_records) + abs(self.lost_turns)

    @property
    def balanced(self) -> bool:
        """Whether both ledgers add up."""
        return self.imbalance == 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """Both ledgers of every source, by its name."""

    sources: Mapping[str, SourceLedger]

    @property
    def balanced(self) -> bool:
        """Whether both ledgers of every source add up."""
        return all(source.balanced for source in self.sources.values())


@dataclass(frozen=True, slots=True)
class UnknownCode:
    """An error code that no class is known for."""

    source: str
    code: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Status:
    """
    What ``monitor status`` shows.

    *outcomes* counts the current outcomes by rule and label, *causes* those with a cause by rule, label and cause.
    *groups_waiting* counts conversations that wait for their end, *waiting_since* is by source when the oldest began.
    *quarantine* counts by cause what is still kept, *review_open* by rule and severity. *rows* counts what the tables
    hold; *size* is in bytes on disk.
    """

    schema_version: str
    created_at: str
    ledger: Ledger
    outcomes: Mapping[str, Mapping[str, int]]
    causes: Mapping[str, Mapping[str, Mapping[str, int]]]
    unknown_codes: list[UnknownCode]
    quarantine: Mapping[str, int]
    review_open: Mapping[str, Mapping[str, int]]
    groups_waiting: int
    waiting_since: Mapping[str, datetime]
    rows: Mapping[str, int]
    size: int


def read_ledger(connection: Connection) -> Ledger:
    """Both ledgers, by source."""
    counts: dict[str, dict[str, int]] = {}
    for source, entry, count in connection.execute(select(ledger.c.source, ledger.c.entry, ledger.c.count)):
        counts.setdefault(source, {})[entry] = count
    decided: dict[str, dict[str, int]] = {}
    revised: dict[str, int] = {}
    by_decision = select(
        turns.c.source, turns.c.decision, func.count(), func.sum(turns.c.revisions) - func.count()
    ).group_by(turns.c.source, turns.c.decision)
    for source, decision, count, later in connection.execute(by_decision):
        decided.setdefault(source, {})[decision] = count
        revised[source] = revised.get(source, 0) + later
    sources = {}
    for source in sorted({*counts, *decided}):
        entries, decisions = counts.get(source, {}), decided.get(source, {})
        records = {entry: entries.get(f"records_{entry}", 0) for entry in ("read", *RECORD_DECISIONS)}
        of_turns = {decision: decisions.get(decision, 0) for decision in DECISIONS}
        seen = {"seen": entries.get("turns_seen", 0)}
        sources[source] = SourceLedger(records, seen | of_turns, revised.get(source, 0))
    return Ledger(sources)


def read_status(connection: Connection, schema_version: str, size: int) -> Status:
    """Everything that :class:`Status` holds, as of one moment."""
    outcomes, causes = _outcomes(connection)
    code = error_codes.c
    codes = select(code.source, code.code, code.kind, code.count).order_by(code.count.desc(), code.source, code.code)
    return Status(
        schema_version=schema_version,
        created_at=connection.execute(select(meta.c.value).where(meta.c.key == "created_at")).scalar() or "",
        ledger=read_ledger(connection),
        outcomes=outcomes,
        causes=causes,
        unknown_codes=[UnknownCode(*row) for row in connection.execute(codes)],
        quarantine=_quarantine(connection),
        review_open=_review_open(connection),
        groups_waiting=connection.execute(select(func.count()).where(groups.c.dirty)).scalar_one(),
        waiting_since=_waiting_since(connection),
        rows={name: _rows(connection, name) for name in COUNTED},
        size=size,
    )


def _waiting_since(connection: Connection) -> dict[str, datetime]:
    oldest = select(groups.c.source, func.min(groups.c.first_at)).where(groups.c.dirty).group_by(groups.c.source)
    return dict(connection.execute(oldest).all())


def _outcomes(connection: Connection) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, int]]]]:
    score = current_scores.c
    query = select(score.rule, score.label, score.cause, func.count()).group_by(score.rule, score.label, score.cause)
    outcomes: dict[str, dict[str, int]] = {}
    causes: dict[str, dict[str, dict[str, int]]] = {}
    for rule, label, cause, count in connection.execute(query.order_by(score.rule, score.label, score.cause)):
        of_rule = outcomes.setdefault(rule, {})
        of_rule[label] = of_rule.get(label, 0) + count
        if cause is not None:
            causes.setdefault(rule, {}).setdefault(label, {})[cause] = count
    return outcomes, causes


def _quarantine(connection: Connection) -> dict[str, int]:
    cause = quarantine.c.cause
    rows = connection.execute(select(cause, func.count()).group_by(cause).order_by(cause))
    return {row[0]: row[1] for row in rows}


def _review_open(connection: Connection) -> dict[str, dict[str, int]]:
    item = review_items.c
    query = select(item.rule, item.severity, func.count()).where(item.status == "open")
    found: dict[str, dict[str, int]] = {}
    for rule, severity, count in connection.execute(query.group_by(item.rule, item.severity)):
        found.setdefault(rule, {})[severity] = count
    return found


def _rows(connection: Connection, name: str) -> int:
    return connection.execute(select(func.count()).select_from(metadata.tables[name])).scalar_one()
