"""
Sources: where recorded conversations come from.

A source gives batches of raw records, each with a checkpoint: what to continue from once everything in the batch is
durable. It never decides what a record means.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from monitor.conversation import Json
from monitor.errors import RecordError
from monitor.registry import Registry


@dataclass(frozen=True, slots=True)
class Raw:
    """
    One record as delivered: ``bytes`` to parse, or a row that arrived parsed.

    *origin* is what shares one format (a file, a subscription); *position* where the record stands, for people.
    """

    data: bytes | Json
    origin: str
    position: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that could not even be taken in: too large, or damaged in its archive. *size* in bytes."""

    error: RecordError
    origin: str
    position: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Batch:
    """
    Records that were delivered together. *checkpoint* is where to go on once they are durable.

    A batch without items says that everything there is was read, and more may come.
    """

    items: list[Raw | Unreadable]
    checkpoint: Json


class Source(BaseModel):
    """Base of all sources. Fields are a source type's own options."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    type: ClassVar[str]

    def batches(
        self, checkpoint: Json, *, records: int, record_bytes: int, stop: asyncio.Event
    ) -> AsyncIterator[Batch]:
        """
        Batches of at most *records*, from *checkpoint* (None: the start), until the end or until *stop* is set.

        A record over *record_bytes* comes as Unreadable. Raises SourceError when the source cannot be read at all.
        """
        raise NotImplementedError


sources: Registry[Source] = Registry("source", "monitor.sources")
register = sources.register


def sha256(data: bytes) -> str:
    """Hex digest of raw bytes: how a quarantined record is found again without keeping it."""
    return hashlib.sha256(data).hexdigest()
