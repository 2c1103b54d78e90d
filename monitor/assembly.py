"""
Assembly: fragments held until their group is joined.

A group is what a format joins at once: a conversation, or a trace. The durable assembler is the store, whose
transactions also hold the checkpoint; this module has the protocol they share, and the one in memory, which a
command uses that keeps no state.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from monitor.formats import Fragment

MEMORY_BYTES = 64 * 1024 * 1024


class Assembler(Protocol):
    """Holds fragments by group. A fragment given twice is held once; the order of giving does not matter."""

    def add(self, fragments: Sequence[Fragment], size: int = 0) -> None:
        """Hold *fragments*; *size* is what they came from, in bytes."""

    def groups(self) -> Iterator[str]:
        """Groups that got fragments since they were last joined."""

    def fragments(self, group: str) -> list[Fragment]:
        """The fragments of *group*, distinct by key, in their order."""

    def related(self, group: str) -> list[str]:
        """*group* and the other groups of its conversation."""

    def joined(self, group: str) -> None:
        """*group* was joined with all that it has so far."""

    def close(self) -> None:
        """Let go of everything held."""


class MemoryAssembler:
    """In memory up to *limit* bytes of input; beyond, everything moves into a temporary database on disk."""

    def __init__(self, limit: int = MEMORY_BYTES) -> None:
        self._limit = limit
        self._size = 0
        self._groups: dict[str, dict[str, Fragment]] = {}
        self._conversations: dict[str, str] = {}
        self._parts: dict[str, set[str]] = {}
        self._spilled: _SpilledAssembler | None = None

    @property
    def spilled(self) -> bool:
        """Whether the limit was reached."""
        return self._spilled is not None

    def add(self, fragments: Sequence[Fragment], size: int = 0) -> None:
        if self._spilled is None:
            for fragment in fragments:
                self._groups.setdefault(fragment.group, {}).setdefault(fragment.key, fragment)
                if fragment.conversation:
                    self._conversations[fragment.group] = fragment.conversation
                    self._parts.setdefault(fragment.conversation, set()).add(fragment.group)
            self._size += size
            if self._size > self._limit:
                self._spill()
        else:
            self._spilled.add(fragments)

    def groups(self) -> Iterator[str]:
        if self._spilled is not None:
            yield from self._spilled.groups()
        else:
            yield from sorted(self._groups)

    def fragments(self, group: str) -> list[Fragment]:
        if self._spilled is not None:
            return self._spilled.fragments(group)
        return sorted(self._groups[group].values(), key=lambda fragment: (fragment.order, fragment.key))

    def related(self, group: str) -> list[str]:
        if self._spilled is not None:
            return self._spilled.related(group)
        return sorted(self._parts.get(self._conversations.get(group, ""), set()) & self._groups.keys() | {group})

    def joined(self, group: str) -> None:
        if self._spilled is not None:
            self._spilled.joined(group)
        else:
            self._groups.pop(group, None)

    def close(self) -> None:
        if self._spilled is not None:
            self._spilled.close()

    def _spill(self) -> None:
        self._spilled = _SpilledAssembler()
        for held in self._groups.values():
            self._spilled.add(list(held.values()))
        self._groups.clear()


class _SpilledAssembler:
    """A store in a temporary folder, for one command's fragments."""

    _SOURCE = "spill"

    def __init__(self) -> None:
        from monitor.store import Store

        self._folder = tempfile.TemporaryDirectory(prefix="monitor-")
        self._store = Store.open(f"sqlite:///{Path(self._folder.name) / 'fragments.db'}", durable=False)

    def add(self, fragments: Sequence[Fragment]) -> None:
        from monitor.store import Commit

        self._store.commit(Commit(source=self._SOURCE, fragments=list(fragments)))

    def groups(self) -> Iterator[str]:
        yield from self._store.groups(self._SOURCE)

    def fragments(self, group: str) -> list[Fragment]:
        return self._store.fragments(self._SOURCE, group)

    def related(self, group: str) -> list[str]:
        return self._store.related(self._SOURCE, group)

    def joined(self, group: str) -> None:
        from monitor.store import Commit

        self._store.commit(Commit(source=self._SOURCE, joined=[group], forgotten=[group]))

    def close(self) -> None:
        self._store.close()
        self._folder.cleanup()
