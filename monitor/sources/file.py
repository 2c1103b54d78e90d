"""
Files: JSON Lines, JSON, Parquet, each also gzipped; a folder of them, a glob, or standard input.

Read as streams: memory holds one batch, whatever the file's size. With ``follow`` files are tailed and new ones taken
up; a checkpoint then survives restarts and renames (a file is known by its device and inode).
"""

from __future__ import annotations

import asyncio
import contextlib
import glob
import gzip
import hashlib
import sys
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, Any, ClassVar

from pydantic import Field

from monitor.conversation import Json
from monitor.errors import RecordError, SourceError
from monitor.jsonio import parse
from monitor.sources import Batch, Raw, Source, Unreadable, register
from monitor.validation import LocalText

SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
DOCUMENT_BYTES = 64 * 1024 * 1024
_STDIN = "-"
_BATCH_BYTES = 8 * 1024 * 1024


@register("file")
class FileSource(Source):
    """Recorded conversations in files on this machine."""

    type: ClassVar[str] = "file"

    path: LocalText = Field(description="a file, a folder (read recursively), a glob, or - for standard input")
    follow: bool = Field(default=False, description="go on reading what is appended, and new files")
    poll_seconds: float = Field(default=1.0, gt=0, le=3600, description="how often --follow looks for more, in seconds")

    async def batches(
        self, checkpoint: Json, *, records: int, record_bytes: int, stop: asyncio.Event
    ) -> AsyncIterator[Batch]:
        progress = _Progress(checkpoint)
        while True:
            found = self._files()
            progress.forget(found)
            for file in found:
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

    def _files(self) -> list[str]:
        """The files to read, in order. Raises SourceError when the path names nothing."""
        if self.path == _STDIN:
            return [_STDIN]
        path = Path(self.path).expanduser()
        if path.is_dir():
            found = sorted(str(each) for each in path.rglob("*") if each.is_file() and _readable_name(each.name))
            if not found and not self.follow:
                raise SourceError(
                    f"no files to read in {path}", hint=f"files must end in {', '.join(SUFFIXES)} (or .gz)"
                )
            return found
        if path.exists():
            return [str(path)]
        matches = sorted(match for match in glob.glob(str(path), recursive=True) if Path(match).is_file())  # noqa: PTH207 - absolute globs
        if not matches and not self.follow:
            raise SourceError(
                f"{self.path}: no such file or folder", hint="check the path; it is relative to where you are"
            )
        return matches


def _readable_name(name: str) -> bool:
    return not name.startswith(".") and name.removesuffix(".gz").endswith(SUFFIXES)


class _Progress:
    """How far each file is read: ``{path: {id, bytes, records}}``, the checkpoint itself."""

    def __init__(self, checkpoint: Json) -> None:
        files = checkpoint.get("files") if isinstance(checkpoint, dict) else None
        self.files: dict[str, dict[str, Any]] = dict(files) if isinstance(files, dict) else {}

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


def _read(path: str, progress: _Progress, records: int, record_bytes: int, *, follow: bool) -> Iterator[Batch]:
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


def _read_open(path: str, progress: _Progress, records: int, record_bytes: int, *, follow: bool) -> Iterator[Batch]:
    name = "standard input" if path == _STDIN else path
    if path == _STDIN:
        items: Iterator[tuple[Raw | Unreadable, dict[str, Any]]] = _lines(
            sys.stdin.buffer, name, {"id": "", "bytes": 0, "records": 0}, record_bytes, complete=True
        )
    else:
        stat = Path(path).stat()
        state = progress.of(path, f"{stat.st_dev}:{stat.st_ino}")
        if state.get("done") == [stat.st_size, stat.st_mtime_ns]:
            return
        if stat.st_size < state["bytes"] if _grows(path) else "done" in state:
            state = {"id": state["id"], "bytes": 0, "records": 0}
        items = _items(path, state, record_bytes, follow=follow)
    held: list[Raw | Unreadable] = []
    size, last = 0, None
    for item, after in items:
        held.append(item)
        size += len(item.data) if isinstance(item, Raw) and isinstance(item.data, bytes) else 1000
        last = after
        if len(held) >= records or size >= _BATCH_BYTES:
            yield Batch(held, progress.set(path, last))
            held, size = [], 0
    done = {} if path == _STDIN or (follow and _is_lines(path)) else {"done": [stat.st_size, stat.st_mtime_ns]}
    if held or (last is not None and done):
        yield Batch(held, progress.set(path, {**(last or {}), **done}))


def _grows(path: str) -> bool:
    """Whether a file of this name is appended to; others that changed after they were read were written anew."""
    return not path.endswith((".gz", ".parquet", ".json"))


def _is_lines(path: str) -> bool:
    return path.endswith((".jsonl", ".ndjson"))


def _items(
    path: str, state: dict[str, Any], record_bytes: int, *, follow: bool
) -> Iterator[tuple[Raw | Unreadable, dict[str, Any]]]:
    plain = path.removesuffix(".gz")
    if plain.endswith(".parquet"):
        yield from _rows(path, state)
        return
    if plain.endswith(".json"):
        document = _document(path)
        if document is not None:
            yield from _elements(document, path, state)
            return
    if path.endswith(".gz"):
        with gzip.open(path, "rb") as unzipped:
            yield from _skipping(unzipped, path, state, record_bytes)
        return
    with Path(path).open("rb") as handle:
        handle.seek(state["bytes"])
        yield from _lines(handle, path, state, record_bytes, complete=not follow)


def _lines(
    handle: IO[bytes], name: str, state: dict[str, Any], limit: int, *, complete: bool
) -> Iterator[tuple[Raw | Unreadable, dict[str, Any]]]:
    """
    Each line as a record, with the state after it. A line over *limit* bytes is skipped without being held.

    *complete*: a last line without its newline is a record too; else it may still be written to.
    """
    offset, number = state["bytes"], state["records"]
    while True:
        line = handle.readline(limit + 1)
        if not line:
            return
        size, digest = len(line), None
        if size > limit and not line.endswith(b"\n"):
            digest = hashlib.sha256(line)
            while line and not line.endswith(b"\n"):
                line = handle.readline(1 << 20)
                digest.update(line)
                size += len(line)
        if not complete and not line.endswith(b"\n"):
            return
        offset += size
        number += 1
        after = {"id": state["id"], "bytes": offset, "records": number}
        position = f"{name}:{number}"
        if digest is not None:
            error = RecordError(
                "too_large", f"a line of {size} bytes; the limit is {limit}", hint="raise limits.record_bytes"
            )
            yield Unreadable(error, name, position, size, digest.hexdigest()), after
            continue
        content = line.strip().removeprefix(b"\xef\xbb\xbf") if number == 1 else line.strip()
        if content:
            yield Raw(content, name, position), after


def _skipping(
    handle: Any, path: str, state: dict[str, Any], limit: int
) -> Iterator[tuple[Raw | Unreadable, dict[str, Any]]]:
    """Lines of a gzip file after those already read; damage ends it as one unreadable record."""
    fresh = {"id": state["id"], "bytes": 0, "records": 0}
    last = fresh
    try:
        for item, after in _lines(handle, path, fresh, limit, complete=True):
            last = after
            if after["records"] > state["records"]:
                yield item, after
    except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
        number = last["records"] + 1
        error = RecordError("invalid", f"damaged gzip: {damage}", hint="records before the damage were read")
        yield Unreadable(error, path, f"{path}:{number}", 0, ""), {**last, "records": number}


def _document(path: str) -> Json | None:
    """The one JSON value in a .json file; None when it is JSON Lines after all."""
    opened: Any = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as handle:
        try:
            data = handle.read(DOCUMENT_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return None
    if len(data) > DOCUMENT_BYTES:
        return None
    try:
        return parse(data.removeprefix(b"\xef\xbb\xbf"))
    except RecordError:
        return None


def _elements(document: Json, path: str, state: dict[str, Any]) -> Iterator[tuple[Raw | Unreadable, dict[str, Any]]]:
    """A document is one record, unless it is a list of records."""
    from monitor.formats.detect import guess

    listed = isinstance(document, list) and document and guess(document, {}) is None
    for number, element in enumerate(document if listed else [document], 1):
        if number > state["records"]:
            position = f"{path}[{number - 1}]" if listed else path
            yield Raw(element, path, position), {"id": state["id"], "bytes": 0, "records": number}


def _rows(path: str, state: dict[str, Any]) -> Iterator[tuple[Raw | Unreadable, dict[str, Any]]]:
    """Rows of a Parquet file, a batch of rows in memory at a time."""
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
        number = 0
        for batch in file.iter_batches(batch_size=256):
            if number + batch.num_rows <= state["records"]:
                number += batch.num_rows
                continue
            for row in batch.to_pylist():
                number += 1
                if number > state["records"]:
                    yield Raw(row, path, f"{path} row {number}"), {"id": state["id"], "bytes": 0, "records": number}
    except pyarrow.ArrowInvalid as error:
        raise SourceError(f"{path}: not a Parquet file: {str(error)[:200]}", hint="check how it was written") from None
