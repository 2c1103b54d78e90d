"""How far each file was read, and how a file is known again: by device, inode and its first bytes."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from monitor.conversation import Json

_HEAD_BYTES = 1024
_FOLDER_ENTRIES = 10_000
_SETTLED_NS = 2_000_000_000


class Progress:
    """
    How far each file is read: ``{path: {id, bytes, records, head, head_bytes, done, was}}``, the checkpoint itself.

    *head*: digest of the first *head_bytes*, which tells a file that was replaced in place; *done*: size and mtime of
    what was read to its end; *was*: the name under which a file was found that is now none of those to read.
    """

    def __init__(self, checkpoint: Json) -> None:
        files = checkpoint.get("files") if isinstance(checkpoint, dict) else None
        self.files: dict[str, dict[str, Any]] = dict(files) if isinstance(files, dict) else {}
        self._looked: dict[str, int] = {}

    def settle(self, found: list[str], named: Callable[[str], bool]) -> list[str]:
        """
        Give each known file its present name. Returns those to read on that are not among the *found*: renamed since.

        *named*: whether a name is one that is read at all; what was renamed from another is left alone. So is what has
        no fingerprint: an inode alone is soon another file's.
        """
        present = {file: _identity(file) for file in found}
        names = {identity: file for file, identity in present.items() if identity}
        settled: dict[str, dict[str, Any]] = {}
        lost: dict[str, dict[str, Any]] = {}
        gone: dict[str, tuple[str, dict[str, Any]]] = {}
        for name, state in self.files.items():
            identity = state.get("id") or ""
            if present.get(name, "") == identity:
                _keep(settled, name, state)
            elif identity in names:
                _keep(settled, names[identity], {key: value for key, value in state.items() if key != "was"})
            elif identity and state.get("head_bytes") and named(state.get("was", name)):
                gone[identity] = (name, state)
            elif name not in present:
                lost[name] = state
        moved = self._moved(gone)
        for identity, (name, state) in gone.items():
            if identity in moved:
                _keep(settled, moved[identity], {**state, "was": state.get("was", name)})
            elif name not in present:
                lost[name] = state
        self.files = {**lost, **settled}
        return sorted((file for file in moved.values() if self._unread(file)), key=_written)

    def _moved(self, gone: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, str]:
        """Where in their folders the files of these identities are now. A folder that did not change is not searched."""
        moved = {}
        folders: dict[str, set[str]] = {}
        for identity, (name, state) in gone.items():
            if _identity(name) == identity:
                if "was" in state:
                    moved[identity] = name
            else:
                folders.setdefault(str(Path(name).parent), set()).add(identity)
        for folder, identities in folders.items():
            with contextlib.suppress(OSError):
                changed = Path(folder).stat().st_mtime_ns
                if self._looked.get(folder) != changed:
                    moved.update(_inside(folder, identities))
                    if time.time_ns() - changed > _SETTLED_NS:
                        self._looked[folder] = changed
        self._looked = {folder: changed for folder, changed in self._looked.items() if folder in folders}
        return moved

    def _unread(self, path: str) -> bool:
        """Whether a renamed file holds more than was read, and may be read."""
        try:
            if Path(path).stat().st_size == self.files[path]["bytes"]:
                return False
        except OSError:
            return False
        return os.access(path, os.R_OK)

    def of(self, path: str, identity: str) -> dict[str, Any]:
        """The state of the file at *path*, carried over when it was renamed; new when it is another file."""
        state = self.files.get(path)
        if state is None or state.get("id") != identity:
            renamed = next((known for known in self.files.values() if identity and known.get("id") == identity), None)
            state = dict(renamed) if renamed else {"id": identity, "bytes": 0, "records": 0}
        return state

    def set(self, path: str, state: dict[str, Any]) -> Json:
        """Keep *state*; returns the checkpoint with it."""
        self.files[path] = state
        return self.checkpoint()

    def checkpoint(self) -> Json:
        """How far everything is read; later changes do not touch it."""
        return {"files": {name: dict(known) for name, known in self.files.items()}}

    def forget(self, present: list[str]) -> None:
        """Drop files that are gone, so that the checkpoint does not grow for ever."""
        keep = set(present)
        ids = {self.files[name]["id"] for name in keep & self.files.keys()}
        self.files = {name: known for name, known in self.files.items() if name in keep or known["id"] not in ids}
        if len(self.files) > 4 * len(keep) + 1000:
            self.files = {name: known for name, known in self.files.items() if name in keep}


def _identity(path: str) -> str:
    """What a regular file is known by, whatever its name; empty when there is none."""
    try:
        about = Path(path).stat()
    except OSError:
        return ""
    return identity(about) if stat.S_ISREG(about.st_mode) else ""


def identity(about: os.stat_result) -> str:
    return f"{about.st_dev}:{about.st_ino}"


def _written(path: str) -> tuple[int, str]:
    try:
        return Path(path).stat().st_mtime_ns, path
    except OSError:
        return 0, path


def _keep(files: dict[str, dict[str, Any]], name: str, state: dict[str, Any]) -> None:
    """Put *state* under *name*; of two of one file the one that is further on stays."""
    other = files.get(name)
    if other is None or other["id"] != state["id"] or other["records"] < state["records"]:
        files[name] = state


def _inside(folder: str, identities: set[str]) -> dict[str, str]:
    """Which of the first entries of *folder* are regular files of these identities."""
    inodes = {int(identity.rpartition(":")[2]) for identity in identities}
    with os.scandir(folder) as entries:
        near = [each.path for each in itertools.islice(entries, _FOLDER_ENTRIES) if each.inode() in inodes]
    return {identity: path for path in near if (identity := _identity(path)) in identities}


def replaced(raw: Any, about: os.stat_result, state: dict[str, Any]) -> bool:
    """Whether a file that is appended to no longer begins with what was read of it."""
    if about.st_size < state["bytes"]:
        return True
    return "head" in state and state["head"] != _digest(raw, state["head_bytes"])


def head_of(raw: Any, state: dict[str, Any], known: dict[str, Any] | None = None) -> dict[str, Any]:
    """The fingerprint of the start of what was read; *known* while that start is as long as before."""
    size = min(_HEAD_BYTES, state["bytes"])
    if known and known["head_bytes"] == size:
        return known
    return {"head": _digest(raw, size), "head_bytes": size}


def _digest(raw: Any, size: int) -> str:
    return hashlib.sha256(os.pread(raw.fileno(), size, 0)).hexdigest()[:16]
