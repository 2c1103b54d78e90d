"""
What a batch came to, as plain values: the whole of what the store is asked to write.

Nothing here knows SQL, so that a filer or an assembler can speak of these without loading a database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from monitor.conversation import Json, Scope
from monitor.formats import Fragment
from monitor.outcome import Outcome

Decision = Literal["evaluated", "sampled_out", "filtered", "abandoned", "pending"]
DECISIONS: tuple[Decision, ...] = ("evaluated", "sampled_out", "filtered", "abandoned", "pending")
RECORD_DECISIONS = ("parsed", "ignored", "quarantined")
Reason = Literal["fail", "control", "cause"]


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that cannot be read: why, how large in bytes, and the SHA-256 of its bytes; never the bytes."""

    source: str
    position: str
    cause: str
    message: str
    hint: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class TurnRow:
    """
    One turn and what was decided about it.

    *revised_at* is the newest source time in it, None where the record has no times, and *fragments* how many parts
    it was joined from: the current revision is the one with the greatest (revised_at, fragments, revision).
    """

    conversation_id: str
    turn_id: str
    revision: str
    state: str
    decision: Decision
    scope: Scope = field(default_factory=Scope)
    closed_at: datetime | None = None
    revised_at: datetime | None = None
    fragments: int = 1


@dataclass(frozen=True, slots=True)
class TurnText:
    """What a reviewer reads of a turn: *evidence* are its queries, with rows, as JSON."""

    conversation_id: str
    turn_id: str
    revision: str
    question: str
    answer: str
    evidence: Json


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """
    An outcome for a person to look at. *result_id* is also the item's id.

    *probability* is that with which an outcome like this was filed, so that what people find can be weighted.
    """

    result_id: str
    rule: str
    severity: str
    reason: Reason
    scope: Scope
    day: date
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Commit:
    """
    Everything that one batch of *source* came to. The store writes all of it, or nothing.

    *checkpoint* is where the source goes on (None: the source keeps no place). *records* counts ``read``, and apart
    from it ``parsed``, ``ignored`` and ``quarantined``. *joined* are groups that have been joined with all fragments
    stored so far, those of this batch included; *forgotten* those whose fragments may go. *unknown_codes* counts
    error codes that no class is known for, by (code, kind).
    """

    source: str
    checkpoint: Json | None = None
    records: Mapping[str, int] = field(default_factory=dict)
    quarantined: list[Quarantined] = field(default_factory=list)
    fragments: list[Fragment] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    turns: list[TurnRow] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    texts: list[TurnText] = field(default_factory=list)
    review: list[ReviewItem] = field(default_factory=list)
    unknown_codes: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Committed:
    """
    What was new in a commit: the ids of results never stored before, how many turns never seen before, and the turns
    that were decided for the first time (a turn that was pending until now is decided, but was seen before).
    """

    new_results: set[str]
    new_turns: int
    decided: list[TurnRow]
