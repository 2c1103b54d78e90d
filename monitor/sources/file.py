"""
Files: JSON Lines, JSON, Parquet, each also gzipped; a folder of them, a glob, or standard input.

Read as streams: memory holds one batch, whatever the file's size. Parquet and gzip are known by their first bytes, JSON
documents by their name. With ``follow`` files are tailed and new ones taken up; a checkpoint then survives restarts and
renames (a file is known by its device and inode).
"""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import glob
import os
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import structlog
from pydantic import Field, PrivateAttr

from monitor.conversation import Json
from monitor.errors import SourceError
from monitor.sources import Batch, Raw, Source, Unreadable, register
from monitor.sources._contents import STDIN, items_of, opened
from monitor.sources._progress import Progress, head_of, identity, replaced
from monitor.validation import LocalText

log = structlog.get_logger(__name__)

SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
_BATCH_BYTES = 8 * 1024 * 1024


@register("file")
class FileSource(Source):
    """Recorded conversations in files on this machine."""

    type: ClassVar[str] = "file"

    path: LocalText = Field(description="a file, a folder (read recursively), a glob, or - for standard input")
    follow: bool = Field(default=False, description="go on reading what is appended, and new files")
    poll_seconds: float = Field(default=1.0, gt=0, le=3600, description="how often --follow looks for more, in seconds")
    _more: tuple[str, ...] = PrivateAttr(default=())

    @classmethod
    def of(cls, paths: Sequence[str]) -> FileSource:
        """Everything that *paths* name, each file once, in their order; relative to the working folder."""
        source = cls(path=paths[0])
        source._more = tuple(paths[1:])
        return source

    async def batches(
        self, checkpoint: Json, *, records: int, record_bytes: int, stop: asyncio.Event
    ) -> AsyncIterator[Batch]:
        progress = Progress(checkpoint)
        waiting = False
        while True:
            found = self._files()
            if not found and not waiting:
                log.warning("path_matches_nothing", path=self.path)
            elif found and waiting:
                log.info("path_matches", path=self.path, files=len(found))
            waiting = not found
            moved = progress.settle(found, self._names)
            progress.forget([*moved, *found])
            for file in (*moved, *found):
                for batch in _read(file, progress, records, record_bytes, follow=self.follow):
                    yield batch
                    if stop.is_set():
                        return
                    await asyncio.sleep(0)
            if not self.follow:
                return
            yield Batch([], progress.checkpoint())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), self.poll_seconds)
            if stop.is_set():
                return

    def unmatched(self) -> SourceError | None:
        """What is wrong with a path that names nothing at this moment; None when there is something to read."""
        try:
            self._all()
        except SourceError as error:
            return error
        return None

    def _files(self) -> list[str]:
        """The files to read, in order. Raises SourceError when a path names nothing and is not waited for."""
        try:
            return self._all()
        except SourceError:
            if self.follow:
                return []
            raise

    def _names(self, file: str) -> bool:
        """Whether *file* is one that the paths could have named."""
        for name in (self.path, *self._more):
            path = Path(name).expanduser()
            if file == str(path) or path in Path(file).parents or fnmatch.fnmatchcase(file, str(path)):
                return True
        return False

    def _all(self) -> list[str]:
        return list(dict.fromkeys(file for path in (self.path, *self._more) for file in _found(path)))


def _found(name: str) -> list[str]:
    """The files that a path, a folder or a pattern names, in order. Raises SourceError when there is none."""
    if name == STDIN:
        return [STDIN]
    path = Path(name).expanduser()
    if path.is_dir():
        found = sorted(str(each) for each in path.rglob("*") if each.is_file() and _readable_name(each.name))
        if not found:
            raise SourceError(f"no files to read in {path}", hint=f"files must end in {', '.join(SUFFIXES)} (or .gz)")
        return found
    if path.exists():
        return [str(path)]
    matches = sorted(match for match in glob.glob(str(path), recursive=True) if Path(match).is_file())  # noqa: PTH207 - absolute globs
    if not matches:
        near = next(folder for folder in path.absolute().parents if folder.exists())
        if glob.has_magic(name):
            raise SourceError(f"{name}: no file matches", hint=f"check the pattern: nothing in {near} is like it")
        raise SourceError(f"{name}: no such file or folder", hint=f"check the path: {near} is there, the rest is not")
    return matches


def _readable_name(name: str) -> bool:
    return not name.startswith(".") and name.removesuffix(".gz").endswith(SUFFIXES)


def _read(path: str, progress: Progress, records: int, record_bytes: int, *, follow: bool) -> Iterator[Batch]:
    """Batches of one file from where it was left."""
    try:
        yield from _read_open(path, progress, records, record_bytes, follow=follow)
    except FileNotFoundError:
        if not follow:
            raise SourceError(f"{path}: no such file", hint="it was there when the run began") from None
    except PermissionError:
        raise SourceError(f"{path}: permission denied", hint="let this user read the file") from None
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}", hint="check the disk and the file") from None


def _read_open(path: str, progress: Progress, records: int, record_bytes: int, *, follow: bool) -> Iterator[Batch]:
    about = None if path == STDIN else Path(path).stat()
    state: dict[str, Any] = {"id": "", "bytes": 0, "records": 0}
    if about is None or not stat.S_ISREG(about.st_mode):
        about = None
    else:
        if follow and progress.files.get(path, {}).get("id", identity(about)) != identity(about):
            return
        state = progress.of(path, identity(about))
        if state.get("done") == [about.st_size, about.st_mtime_ns]:
            return
    was = {"was": state["was"]} if "was" in state else {}
    with opened(path) as (handle, kind, raw):
        if about and follow and identity(os.fstat(raw.fileno())) != state["id"]:
            return
        if was and not (kind.grows and about and not replaced(raw, about, state)):
            progress.files.pop(path, None)
            return
        if about and (replaced(raw, about, state) if kind.grows else state.keys() & {"done", "head"}):
            state = {"id": state["id"], "bytes": 0, "records": 0}
        head = head_of(raw, state) if about and kind.grows else {}
        if about and kind.grows and "head" not in state:
            progress.set(path, {**state, **head})
        held: list[Raw | Unreadable] = []
        size, last = 0, None
        for item, last in items_of(handle, path, kind, state, record_bytes, complete=about is None or not follow):
            held.append(item)
            size += len(item.data) if isinstance(item, Raw) and isinstance(item.data, bytes) else 1000
            if len(held) >= records or size >= _BATCH_BYTES:
                head = head_of(raw, last, head) if head else head
                yield Batch(held, progress.set(path, {**last, **head, **was}))
                held, size = [], 0
        head = head_of(raw, last, head) if head and last else head
    done = {} if about is None or (follow and kind.grows) else {"done": [about.st_size, about.st_mtime_ns]}
    if held or (last is not None and done):
        yield Batch(held, progress.set(path, {**(last or {}), **head, **was, **done}))
