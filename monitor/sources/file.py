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
import gzip
import hashlib
import itertools
import os
import shutil
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

import structlog
from pydantic import Field, PrivateAttr

from monitor.conversation import Json
from monitor.errors import RecordError, SourceError
from monitor.jsonio import parse
from monitor.sources import Batch, Raw, Source, Unreadable, register
from monitor.validation import LocalText

log = structlog.get_logger(__name__)

SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
DOCUMENT_BYTES = 64 * 1024 * 1024
_STDIN = "-"
_HEAD_BYTES = 1024
_FOLDER_ENTRIES = 10_000
_SETTLED_NS = 2_000_000_000
_BATCH_BYTES = 8 * 1024 * 1024
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)
_Items = Iterator[tuple[Raw | Unreadable, dict[str, Any]]]


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
        progress = _Progress(checkpoint)
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
    if name == _STDIN:
        return [_STDIN]
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


class _Progress:
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
    return _id(about) if stat.S_ISREG(about.st_mode) else ""


def _id(about: os.stat_result) -> str:
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
    about = None if path == _STDIN else Path(path).stat()
    state: dict[str, Any] = {"id": "", "bytes": 0, "records": 0}
    if about is None or not stat.S_ISREG(about.st_mode):
        about = None
    else:
        if follow and progress.files.get(path, {}).get("id", _id(about)) != _id(about):
            return
        state = progress.of(path, _id(about))
        if state.get("done") == [about.st_size, about.st_mtime_ns]:
            return
    was = {"was": state["was"]} if "was" in state else {}
    with _opened(path) as (handle, kind, raw):
        if about and follow and _id(os.fstat(raw.fileno())) != state["id"]:
            return
        if was and not (kind.grows and about and not _replaced(raw, about, state)):
            progress.files.pop(path, None)
            return
        if about and (_replaced(raw, about, state) if kind.grows else state.keys() & {"done", "head"}):
            state = {"id": state["id"], "bytes": 0, "records": 0}
        head = _head(raw, state) if about and kind.grows else {}
        if about and kind.grows and "head" not in state:
            progress.set(path, {**state, **head})
        held: list[Raw | Unreadable] = []
        size, last = 0, None
        for item, last in _items(handle, path, kind, state, record_bytes, complete=about is None or not follow):
            held.append(item)
            size += len(item.data) if isinstance(item, Raw) and isinstance(item.data, bytes) else 1000
            if len(held) >= records or size >= _BATCH_BYTES:
                head = _head(raw, last, head) if head else head
                yield Batch(held, progress.set(path, {**last, **head, **was}))
                held, size = [], 0
        head = _head(raw, last, head) if head and last else head
    done = {} if about is None or (follow and kind.grows) else {"done": [about.st_size, about.st_mtime_ns]}
    if held or (last is not None and done):
        yield Batch(held, progress.set(path, {**(last or {}), **head, **was, **done}))


def _replaced(raw: Any, about: os.stat_result, state: dict[str, Any]) -> bool:
    """Whether a file that is appended to no longer begins with what was read of it."""
    if about.st_size < state["bytes"]:
        return True
    return "head" in state and state["head"] != _digest(raw, state["head_bytes"])


def _head(raw: Any, state: dict[str, Any], known: dict[str, Any] | None = None) -> dict[str, Any]:
    """The fingerprint of the start of what was read; *known* while that start is as long as before."""
    size = min(_HEAD_BYTES, state["bytes"])
    if known and known["head_bytes"] == size:
        return known
    return {"head": _digest(raw, size), "head_bytes": size}


def _digest(raw: Any, size: int) -> str:
    return hashlib.sha256(os.pread(raw.fileno(), size, 0)).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a file holds. *named*: as its name says, since JSON that is a document looks like one that is a line."""

    zipped: bool
    rows: bool
    named: str

    @property
    def document(self) -> bool:
        """Whether it may be one JSON value."""
        return self.named.removesuffix(".gz").endswith(".json")

    @property
    def grows(self) -> bool:
        """Whether it is appended to; others that changed after they were read were written anew."""
        return not (self.zipped or self.rows or self.document)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[tuple[Any, _Kind, Any]]:
    """A file or standard input, unzipped where it is gzip, with what its first bytes say, and as it is stored."""
    with contextlib.ExitStack() as stack:
        raw: Any = sys.stdin.buffer if path == _STDIN else stack.enter_context(Path(path).open("rb"))
        handle = raw
        start = handle.peek(4)
        zipped = start.startswith(_GZIP)
        if zipped:
            handle = stack.enter_context(gzip.open(handle))
            try:
                start = handle.peek(4)
            except _DAMAGE:
                start = b""
        rows = start.startswith(_PARQUET) or path.removesuffix(".gz").endswith(".parquet")
        yield handle, _Kind(zipped, rows, path), raw


def _items(handle: Any, path: str, kind: _Kind, state: dict[str, Any], record_bytes: int, *, complete: bool) -> _Items:
    name = "standard input" if path == _STDIN else path
    if kind.rows:
        yield from _rows(handle, name, state)
        return
    if kind.document and handle.seekable():
        document = _document(handle)
        if document is not None:
            yield from _elements(document, name, state)
            return
        handle.seek(0)
    if kind.zipped:
        yield from _skipping(handle, name, state, record_bytes)
        return
    if state["bytes"]:
        handle.seek(state["bytes"])
    yield from _lines(handle, name, state, record_bytes, complete=complete, again=True)


def _lines(
    handle: IO[bytes], name: str, state: dict[str, Any], limit: int, *, complete: bool, again: bool = False
) -> _Items:
    """
    Each line as a record, with the state after it. A line over *limit* bytes is skipped without being held.

    *complete*: a last line without its newline is a record too; else it may still be written to. With *again* one that
    is no JSON is reported, and the state stays before it: the rest of it may be written later.
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
        ended = line.endswith(b"\n")
        if not complete and not ended:
            return
        before = {"id": state["id"], "bytes": offset, "records": number}
        offset += size
        number += 1
        after = {"id": state["id"], "bytes": offset, "records": number}
        position = f"{name}:{number}"
        if digest is not None:
            error = RecordError(
                "too_large", f"a line of {size} bytes; the limit is {limit}", hint="raise limits.record_bytes"
            )
            yield Unreadable(error, name, position, size, digest.hexdigest()), after if ended or not again else before
            continue
        content = line.strip().removeprefix(b"\xef\xbb\xbf") if number == 1 else line.strip()
        if content:
            half = again and not ended and not _is_json(content)
            yield Raw(content, name, position), before if half else after


def _is_json(data: bytes) -> bool:
    try:
        parse(data)
    except RecordError:
        return False
    return True


def _skipping(handle: Any, path: str, state: dict[str, Any], limit: int) -> _Items:
    """Lines of a gzip file after those already read; damage ends it as one unreadable record."""
    fresh = {"id": state["id"], "bytes": 0, "records": 0}
    last = fresh
    try:
        for item, after in _lines(handle, path, fresh, limit, complete=True):
            last = after
            if after["records"] > state["records"]:
                yield item, after
    except _DAMAGE as damage:
        number = last["records"] + 1
        error = RecordError("invalid", f"damaged gzip: {damage}", hint="records before the damage were read")
        yield Unreadable(error, path, f"{path}:{number}", 0, ""), {**last, "records": number}


def _document(handle: Any) -> Json | None:
    """The one JSON value in a .json file; None when it is JSON Lines after all."""
    try:
        data = handle.read(DOCUMENT_BYTES + 1)
    except _DAMAGE:
        return None
    if len(data) > DOCUMENT_BYTES:
        return None
    try:
        return parse(data.removeprefix(b"\xef\xbb\xbf"))
    except RecordError:
        return None


def _elements(document: Json, path: str, state: dict[str, Any]) -> _Items:
    """A document is one record, unless it is a list of records."""
    from monitor.formats.detect import guess

    listed = isinstance(document, list) and document and guess(document, {}) is None
    for number, element in enumerate(document if listed else [document], 1):
        if number > state["records"]:
            position = f"{path}[{number - 1}]" if listed else path
            yield Raw(element, path, position), {"id": state["id"], "bytes": 0, "records": number}


def _rows(handle: Any, path: str, state: dict[str, Any]) -> _Items:
    """Rows of a Parquet file, a batch of rows in memory at a time; damage ends it as one unreadable record."""
    import pyarrow
    from pyarrow import parquet

    number = 0
    try:
        with _seekable(handle) as file:
            for batch in parquet.ParquetFile(file).iter_batches(batch_size=256):
                if number + batch.num_rows <= state["records"]:
                    number += batch.num_rows
                    continue
                for item in _values(batch, path, number + 1):
                    number += 1
                    if number > state["records"]:
                        yield item, {"id": state["id"], "bytes": 0, "records": number}
    except (pyarrow.ArrowException, ValueError, OSError, *_DAMAGE) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        problem = RecordError("invalid", f"not a Parquet file: {str(error)[:200]}", hint="check how it was written")
        yield Unreadable(problem, path, path, 0, ""), {"id": state["id"], "bytes": 0, "records": number}


def _values(batch: Any, path: str, first: int) -> Iterator[Raw | Unreadable]:
    """The rows of a batch, numbered from *first*; one with a value that Python cannot hold is unreadable, alone."""
    import pyarrow

    faults = (pyarrow.ArrowException, OverflowError, ValueError, LookupError)
    try:
        rows = batch.to_pylist()
    except faults:
        rows = None
    for number in range(first, first + batch.num_rows):
        position = f"{path} row {number}"
        try:
            row = rows[number - first] if rows is not None else batch.slice(number - first, 1).to_pylist()[0]
        except faults as error:
            problem = RecordError(
                "invalid",
                f"a value of this row cannot be read: {str(error)[:200]}",
                hint="look for times beyond year 9999, unknown time zones, and text that is not UTF-8",
            )
            yield Unreadable(problem, path, position, 0, "")
        else:
            yield Raw(row, path, position)


@contextlib.contextmanager
def _seekable(handle: Any) -> Iterator[Any]:
    """*handle*, or a copy on disk where it can only be read once, or only slowly more than once."""
    if handle.seekable() and not isinstance(handle, gzip.GzipFile):
        yield handle
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(handle, copy)
        copy.seek(0)
        yield copy
