"""
The durable state: what was read, joined, decided and found, in SQL.

:class:`Store` is all of it; a :class:`Commit` is what one batch came to. Naming a batch's values loads no database:
SQLAlchemy is imported when :class:`Store` is first asked for, so that a command without a state starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from monitor.store.batch import (
    Commit,
    Committed,
    Decision,
    Quarantined,
    Reason,
    ReviewItem,
    TurnRow,
    TurnText,
)

if TYPE_CHECKING:
    from monitor.store.reader import Listed, Observation, Snapshot, StoredTurn
    from monitor.store.report import Ledger, SourceLedger, Status, UnknownCode
    from monitor.store.retention import Pruned
    from monitor.store.store import Store

__all__ = [
    "Commit",
    "Committed",
    "Decision",
    "Ledger",
    "Listed",
    "Observation",
    "Pruned",
    "Quarantined",
    "Reason",
    "ReviewItem",
    "Snapshot",
    "SourceLedger",
    "Status",
    "Store",
    "StoredTurn",
    "TurnRow",
    "TurnText",
    "UnknownCode",
]

_LATER = {
    "Store": "store",
    "Listed": "reader",
    "Observation": "reader",
    "Snapshot": "reader",
    "StoredTurn": "reader",
    "Ledger": "report",
    "SourceLedger": "report",
    "Status": "report",
    "UnknownCode": "report",
    "Pruned": "retention",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
