"""
The tables of the state, as the newest migration leaves them.

Text of conversations stands in ``fragments`` (until a conversation is joined for good), ``turn_texts`` and
``outcome_texts``, and nowhere else. ``live_scores`` is append-only; ``current_scores`` is how to read it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from monitor.store.dialect import UtcTime

metadata = MetaData()
views = MetaData()

SCOPE = ("team", "environment", "agent", "agent_version", "semantic_model")


def _scope() -> list[Column[Any]]:
    return [Column(name, Text, nullable=False) for name in SCOPE]


def _key(name: str) -> Column[Any]:
    return Column(name, Text, primary_key=True)


def _text(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=nullable)


def _count(name: str) -> Column[Any]:
    return Column(name, BigInteger, nullable=False)


def _score_columns() -> list[Column[Any]]:
    return [
        Column("result_id", String(32), primary_key=True),
        _text("conversation_id"),
        _text("turn_id"),
        Column("revision", String(32), nullable=False),
        Column("fragments", Integer, nullable=False),
        _text("rule"),
        _text("rule_version"),
        _text("check"),
        Column("label", String(16), nullable=False),
        _text("cause", nullable=True),
        Column("score", Float),
        _text("error_type", nullable=True),
        Column("inclusion_probability", Float, nullable=False),
        Column("weight", Float, nullable=False),
        _text("judge_model", nullable=True),
        _text("judge_method", nullable=True),
        Column("judge_tokens_in", BigInteger),
        Column("judge_tokens_out", BigInteger),
        Column("judge_cost", Float),
        *_scope(),
        _text("model", nullable=True),
        _text("trace_id", nullable=True),
        _text("span_id", nullable=True),
        _text("response_id", nullable=True),
        Column("evaluated_at", UtcTime, nullable=False),
        Column("revised_at", UtcTime),
        Column("day", Date, nullable=False),
    ]


meta = Table("meta", metadata, _key("key"), _text("value"))

checkpoints = Table(
    "checkpoints", metadata, _key("source"), _text("position"), Column("moved_at", UtcTime, nullable=False)
)

ledger = Table("ledger", metadata, _key("source"), _key("entry"), _count("count"))

quarantine = Table(
    "quarantine",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _text("source"),
    _text("position"),
    _text("cause"),
    _text("message"),
    _text("hint"),
    _count("size"),
    Column("sha256", String(64), nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    UniqueConstraint("source", "position", "sha256", name="quarantine_once"),
    Index("quarantine_by_cause", "cause"),
    Index("quarantine_by_time", "seen_at"),
)

fragments = Table(
    "fragments",
    metadata,
    _key("source"),
    _key("grp"),
    _key("key"),
    _text("order_time"),
    _text("order_tie"),
    _text("event"),
    Column("ends", Boolean, nullable=False),
    Column("arrived_at", UtcTime, nullable=False),
)

groups = Table(
    "groups",
    metadata,
    _key("source"),
    _key("grp"),
    Column("first_at", UtcTime, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    Column("ended", Boolean, nullable=False),
    Column("dirty", Boolean, nullable=False),
    _text("conversation", nullable=True),
    Index("groups_of_conversation", "conversation", "source"),
    Index("groups_to_join", "dirty", "source", "grp"),
    Index("groups_by_age", "last_at"),
)

turns = Table(
    "turns",
    metadata,
    _key("conversation_id"),
    _key("turn_id"),
    _key("source"),
    Column("revision", String(32), nullable=False),
    Column("fragments", Integer, nullable=False),
    Column("revisions", Integer, nullable=False),
    _text("state"),
    Column("decision", String(16), nullable=False),
    Column("closed_at", UtcTime),
    Column("revised_at", UtcTime),
    *_scope(),
    Index("turns_by_decision", "decision", "source", "revisions"),
    Index("turns_by_id", "turn_id"),
)

turn_texts = Table(
    "turn_texts",
    metadata,
    _key("conversation_id"),
    _key("turn_id"),
    Column("revision", String(32), primary_key=True),
    _text("question"),
    _text("answer"),
    _text("evidence"),
    Column("stored_at", UtcTime, nullable=False),
    Index("turn_texts_by_time", "stored_at"),
)

live_scores = Table(
    "live_scores",
    metadata,
    *_score_columns(),
    Index("live_scores_by_turn", "conversation_id", "turn_id", "rule"),
    Index("live_scores_by_rule", "rule", "label", "evaluated_at"),
)

outcome_texts = Table(
    "outcome_texts",
    metadata,
    Column("result_id", String(32), primary_key=True),
    _text("explanation"),
    _text("figures"),
    Column("stored_at", UtcTime, nullable=False),
    Index("outcome_texts_by_time", "stored_at"),
)

review_items = Table(
    "review_items",
    metadata,
    Column("result_id", String(32), primary_key=True),
    _text("rule"),
    _text("severity"),
    Column("reason", String(16), nullable=False),
    Column("probability", Float, nullable=False),
    Column("filed_at", UtcTime, nullable=False),
    Column("status", String(16), nullable=False),
    *_scope(),
    Column("day", Date, nullable=False),
    Index("review_items_by_day", "day", "reason", "rule"),
    Index("review_items_by_status", "status", "rule", "severity"),
)

error_codes = Table(
    "error_codes",
    metadata,
    _key("source"),
    _key("code"),
    _key("kind"),
    _count("count"),
    Column("last_seen", UtcTime, nullable=False),
)

current_scores = Table("current_scores", views, *_score_columns())
"""The view: of every turn and rule, the row of the current revision and the newest rule version."""

TEXT_TABLES = ("turn_texts", "outcome_texts")
QUOTING = frozenset({("quarantine", "message")})
"""Columns of other tables that may quote a few words of a conversation."""
READABLE: dict[str, Table] = {
    table.name: table
    for table in (live_scores, current_scores, turns, review_items, quarantine, turn_texts, outcome_texts)
}
"""What may be read as a whole, as an export does."""
