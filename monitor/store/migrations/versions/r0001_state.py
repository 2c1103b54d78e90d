"""The first schema: sources and their ledgers, fragments, turns, scores, texts and review items."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from monitor.store.dialect import UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    _sources()
    _assembly()
    _turns()
    _scores()
    _review()
    op.execute(Path(__file__).with_name("r0001_current_scores.sql").read_text(encoding="utf-8"))


def _sources() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "checkpoints",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("moved_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("source"),
    )
    op.create_table(
        "ledger",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source", "entry"),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("seen_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("source", "position", "sha256", name="quarantine_once"),
    )
    op.create_index("quarantine_by_cause", "quarantine", ["cause"], unique=False)
    op.create_index("quarantine_by_time", "quarantine", ["seen_at"], unique=False)
    op.create_table(
        "error_codes",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("last_seen", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("source", "code", "kind"),
    )


def _assembly() -> None:
    op.create_table(
        "fragments",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("grp", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("order_time", sa.Text(), nullable=False),
        sa.Column("order_tie", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("ends", sa.Boolean(), nullable=False),
        sa.Column("arrived_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("source", "grp", "key"),
    )
    op.create_table(
        "groups",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("grp", sa.Text(), nullable=False),
        sa.Column("first_at", UtcTime(), nullable=False),
        sa.Column("last_at", UtcTime(), nullable=False),
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.Column("dirty", sa.Boolean(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("source", "grp"),
    )
    op.create_index("groups_of_conversation", "groups", ["conversation", "source"], unique=False)
    op.create_index("groups_by_age", "groups", ["last_at"], unique=False)
    op.create_index("groups_to_join", "groups", ["dirty", "source", "grp"], unique=False)


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("revision", sa.String(length=32), nullable=False),
        sa.Column("fragments", sa.Integer(), nullable=False),
        sa.Column("revisions", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=False),
        sa.Column("closed_at", UtcTime(), nullable=True),
        sa.Column("revised_at", UtcTime(), nullable=True),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("agent_version", sa.Text(), nullable=False),
        sa.Column("semantic_model", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "turn_id", "source"),
    )
    op.create_index("turns_by_decision", "turns", ["decision", "source", "revisions"], unique=False)
    op.create_index("turns_by_id", "turns", ["turn_id"], unique=False)
    op.create_table(
        "turn_texts",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.String(length=32), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("stored_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "turn_id", "revision"),
    )
    op.create_index("turn_texts_by_time", "turn_texts", ["stored_at"], unique=False)


def _scores() -> None:
    op.create_table(
        "live_scores",
        sa.Column("result_id", sa.String(length=32), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.String(length=32), nullable=False),
        sa.Column("fragments", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("rule_version", sa.Text(), nullable=False),
        sa.Column("check", sa.Text(), nullable=False),
        sa.Column("label", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("error_type", sa.Text(), nullable=True),
        sa.Column("inclusion_probability", sa.Float(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("judge_model", sa.Text(), nullable=True),
        sa.Column("judge_method", sa.Text(), nullable=True),
        sa.Column("judge_tokens_in", sa.BigInteger(), nullable=True),
        sa.Column("judge_tokens_out", sa.BigInteger(), nullable=True),
        sa.Column("judge_cost", sa.Float(), nullable=True),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("agent_version", sa.Text(), nullable=False),
        sa.Column("semantic_model", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("trace_id", sa.Text(), nullable=True),
        sa.Column("span_id", sa.Text(), nullable=True),
        sa.Column("response_id", sa.Text(), nullable=True),
        sa.Column("evaluated_at", UtcTime(), nullable=False),
        sa.Column("revised_at", UtcTime(), nullable=True),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("result_id"),
    )
    op.create_index("live_scores_by_rule", "live_scores", ["rule", "label", "evaluated_at"], unique=False)
    op.create_index("live_scores_by_turn", "live_scores", ["conversation_id", "turn_id", "rule"], unique=False)
    op.create_table(
        "outcome_texts",
        sa.Column("result_id", sa.String(length=32), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.Column("stored_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("result_id"),
    )
    op.create_index("outcome_texts_by_time", "outcome_texts", ["stored_at"], unique=False)


def _review() -> None:
    op.create_table(
        "review_items",
        sa.Column("result_id", sa.String(length=32), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("filed_at", UtcTime(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("agent_version", sa.Text(), nullable=False),
        sa.Column("semantic_model", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("result_id"),
    )
    op.create_index("review_items_by_day", "review_items", ["day", "reason", "rule"], unique=False)
    op.create_index("review_items_by_status", "review_items", ["status", "rule", "severity"], unique=False)
