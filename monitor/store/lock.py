"""
One daemon a state: a lock file beside the database.

The operating system lets go of it when the process ends, however it ends, so a killed daemon leaves nothing to
clean up. Reading needs no lock.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from monitor.errors import StoreError


class Lock:
    """An exclusive advisory lock on *path*, which holds the process id of the holder for people to read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; whether it is held now. Raises StoreError when the file cannot be made."""
        if self._file is not None:
            return True
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(
                f"cannot make the lock file {self.path}: {error.strerror}",
                hint="let this user write to the folder of the state, or name another state",
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        self._file = file
        return True

    def holder(self) -> str:
        """Who holds it, for a message."""
        try:
            text = self.path.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            text = ""
        return f"process {text}" if text.isdigit() else "another process"

    def release(self) -> None:
        """Let go of it, if held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
