"""
Recorded-conversation formats: one module each, from records to conversations.

A format does two pure things. :meth:`Format.fragments` takes a record apart into fragments, each with the group it
belongs to (a conversation, or a trace where the conversation is not known yet), a key to recognise it again, and an
order. :meth:`Format.conversation` joins all fragments of one group, in order and without repeats, into a
conversation. Between the two stands the assembler, which stores fragments as JSON and knows no format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from monitor.conversation import Conversation, Json, canonical
from monitor.formats.extract import Extraction
from monitor.registry import Registry

HELPERS = ("extract", "detect", "messages", "unwrap")
"""Modules of this package that are no format."""


@dataclass(frozen=True, slots=True)
class Record:
    """
    One thing that a source delivered, parsed and redacted.

    *position* says where it stood, for people (``file.jsonl:12``); *attributes* are a message's own (CloudEvents).
    """

    data: Json
    position: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fragment:
    """
    A part of a conversation, as JSON that survives being stored.

    *key* identifies it within its *group* (a repeat has the same key); *order* sorts the group's fragments: ISO time,
    then what the format breaks ties with. *conversation* names the conversation, where a group is only a part of one
    and this fragment tells: groups of one conversation are joined together. *ends* marks the end of a turn. A *whole* fragment needs no other: it is
    joined at once and never held.
    """

    group: str
    key: str
    order: tuple[str, str]
    event: Json
    ends: bool = False
    whole: bool = False
    conversation: str = ""


class Format(BaseModel):
    """Base of all formats. Fields are the options that a source's ``format`` block may set."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]
    user_paths: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Where the events of fragments that are held name the person who asked: hashed or dropped before they are stored."""

    extract: Extraction = Extraction()

    def fragments(self, record: Record) -> list[Fragment]:
        """
        The fragments in *record*; an empty list when the record is of this format and of no interest.

        Raises RecordError (``invalid``, ``unsupported``, ``unknown_format``) when it cannot be read.
        """
        raise NotImplementedError

    def conversation(self, group: str, fragments: Sequence[Fragment]) -> Conversation:
        """
        What *fragments* (ordered, distinct, at least one) of *group* say.

        A turn without an end is ``in_progress``. Raises RecordError when they cannot be joined.
        """
        raise NotImplementedError


formats: Registry[Format] = Registry("format", "monitor.formats")
register = formats.register


def digest(value: Any, length: int = 16) -> str:
    """A short hash of a JSON value: an id where the record has none, a key to recognise a repeat."""
    return hashlib.sha256(canonical(value)).hexdigest()[:length]
