"""What is in a file: lines, a document, Parquet rows, each also gzipped, as records with the state after each."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from monitor.conversation import Json
from monitor.errors import RecordError
from monitor.jsonio import parse
from monitor.sources import Raw, Unreadable

DOCUMENT_BYTES = 64 * 1024 * 1024
STDIN = "-"
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
Items = Iterator[tuple[Raw | Unreadable, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Kind:
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
def opened(path: str) -> Iterator[tuple[Any, Kind, Any]]:
    """A file or standard input, unzipped where it is gzip, with what its first bytes say, and as it is stored."""
    with contextlib.ExitStack() as stack:
        raw: Any = sys.stdin.buffer if path == STDIN else stack.enter_context(Path(path).open("rb"))
        handle = raw
        start = handle.peek(4)
        zipped = start.startswith(_GZIP)
        if zipped:
            handle = stack.enter_context(gzip.open(handle))
            try:
                start = handle.peek(4)
            except DAMAGE:
                start = b""
        rows = start.startswith(_PARQUET) or path.removesuffix(".gz").endswith(".parquet")
        yield handle, Kind(zipped, rows, path), raw


def items_of(handle: Any, path: str, kind: Kind, state: dict[str, Any], record_bytes: int, *, complete: bool) -> Items:
    name = "standard input" if path == STDIN else path
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
) -> Items:
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


def _skipping(handle: Any, path: str, state: dict[str, Any], limit: int) -> Items:
    """Lines of a gzip file after those already read; damage ends it as one unreadable record."""
    fresh = {"id": state["id"], "bytes": 0, "records": 0}
    last = fresh
    try:
        for item, after in _lines(handle, path, fresh, limit, complete=True):
            last = after
            if after["records"] > state["records"]:
                yield item, after
    except DAMAGE as damage:
        number = last["records"] + 1
        error = RecordError("invalid", f"damaged gzip: {damage}", hint="records before the damage were read")
        yield Unreadable(error, path, f"{path}:{number}", 0, ""), {**last, "records": number}


def _document(handle: Any) -> Json | None:
    """The one JSON value in a .json file; None when it is JSON Lines after all."""
    try:
        data = handle.read(DOCUMENT_BYTES + 1)
    except DAMAGE:
        return None
    if len(data) > DOCUMENT_BYTES:
        return None
    try:
        return parse(data.removeprefix(b"\xef\xbb\xbf"))
    except RecordError:
        return None


def _elements(document: Json, path: str, state: dict[str, Any]) -> Items:
    """A document is one record, unless it is a list of records."""
    from monitor.formats.detect import guess

    listed = isinstance(document, list) and document and guess(document, {}) is None
    for number, element in enumerate(document if listed else [document], 1):
        if number > state["records"]:
            position = f"{path}[{number - 1}]" if listed else path
            yield Raw(element, path, position), {"id": state["id"], "bytes": 0, "records": number}


def _rows(handle: Any, path: str, state: dict[str, Any]) -> Items:
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
    except (pyarrow.ArrowException, ValueError, OSError, *DAMAGE) as error:
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
