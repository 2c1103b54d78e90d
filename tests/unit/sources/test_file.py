"""Files as a source."""

from __future__ import annotations

import asyncio
import gzip
import os
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pytest
import structlog
from pyarrow import parquet

from monitor.errors import SourceError
from monitor.sources import Batch, Raw, Unreadable
from monitor.sources.file import FileSource


def lines(count: int, start: int = 0) -> bytes:
    return b"".join(orjson.dumps({"n": n}) + b"\n" for n in range(start, start + count))


def read(path: Path | str, checkpoint: Any = None, *, records: int = 10, record_bytes: int = 1000) -> list[Batch]:
    """Every batch of a source that does not follow."""

    async def drive() -> list[Batch]:
        source = FileSource(path=str(path))
        batches = source.batches(checkpoint, records=records, record_bytes=record_bytes, stop=asyncio.Event())
        return [batch async for batch in batches]

    return asyncio.run(drive())


def fill(file: Path, count: int, start: int = 0) -> None:
    """Write *count* records into *file*, in the way that its name says."""
    if file.name.endswith(".gz"):
        file.write_bytes(gzip.compress(lines(count, start)))
    elif file.name.endswith(".json"):
        file.write_bytes(orjson.dumps([{"n": n} for n in range(start, start + count)]))
    elif file.name.endswith(".parquet"):
        parquet.write_table(pa.table({"n": list(range(start, start + count))}), file)
    else:
        file.write_bytes(lines(count, start))


def numbers(batches: list[Batch]) -> list[int]:
    """The n of each record."""
    out = []
    for batch in batches:
        for item in batch.items:
            assert isinstance(item, Raw)
            out.append((orjson.loads(item.data) if isinstance(item.data, bytes) else item.data)["n"])
    return out


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json", "a.parquet", "a.log"])
def test_each_kind_of_file(tmp_path: Path, name: str) -> None:
    """JSON Lines, gzipped or not, a JSON list, Parquet and unknown endings give their records in order."""
    file = tmp_path / name
    fill(file, 25)
    assert numbers(read(file)) == list(range(25))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.parquet"])
@pytest.mark.parametrize("taken", [1, 2, 3])
def test_goes_on_after_any_batch(tmp_path: Path, name: str, taken: int) -> None:
    """From each batch's checkpoint the rest comes, and nothing twice."""
    file = tmp_path / name
    fill(file, 25)
    whole = read(file)
    checkpoint = orjson.loads(orjson.dumps(whole[taken - 1].checkpoint))
    assert numbers(whole[:taken]) + numbers(read(file, checkpoint)) == list(range(25))


def test_a_file_that_is_done_is_not_read_again(tmp_path: Path) -> None:
    """With the last checkpoint nothing comes; after an append, only what was appended."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(5))
    checkpoint = read(file)[-1].checkpoint
    assert read(file, checkpoint) == []
    with file.open("ab") as handle:
        handle.write(lines(2, start=5))
    assert numbers(read(file, checkpoint)) == [5, 6]


def test_a_renamed_file_is_known(tmp_path: Path) -> None:
    """A file that was rotated away goes on where it was left."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(15))
    checkpoint = read(file)[0].checkpoint
    file.rename(tmp_path / "a.1.jsonl")
    file.write_bytes(lines(1, start=99))
    assert sorted(numbers(read(tmp_path, checkpoint))) == [10, 11, 12, 13, 14, 99]


def test_a_truncated_file_is_read_from_its_start(tmp_path: Path) -> None:
    """A file that became shorter is a new one."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(15))
    checkpoint = read(file)[-1].checkpoint
    file.write_bytes(lines(2, start=40))
    assert numbers(read(file, checkpoint)) == [40, 41]


@pytest.mark.parametrize("first", [1, 15, 500])
def test_a_file_replaced_by_a_larger_one_is_read_from_its_start(tmp_path: Path, first: int) -> None:
    """Another content under the same inode is a new file, whatever its size."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(first))
    checkpoint = read(file)[-1].checkpoint
    inode = file.stat().st_ino
    file.write_bytes(lines(600, start=1000))
    assert inode == file.stat().st_ino
    assert list(range(1000, 1600)) == numbers(read(file, checkpoint))


@pytest.mark.parametrize("first", [1, 15, 500])
@pytest.mark.parametrize("old", [False, True])
def test_a_file_that_grew_goes_on_also_from_an_older_checkpoint(tmp_path: Path, first: int, old: bool) -> None:
    """Appending keeps the place, and so does a checkpoint of a release that kept no fingerprint."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(first))
    checkpoint: Any = read(file)[-1].checkpoint
    if old:
        state = checkpoint["files"][str(file)]
        checkpoint = {"files": {str(file): {"id": state["id"], "bytes": state["bytes"], "records": state["records"]}}}
    for start in range(first, first + 600, 200):
        with file.open("ab") as handle:
            handle.write(lines(200, start=start))
        batches = read(file, checkpoint)
        assert list(range(start, start + 200)) == numbers(batches)
        checkpoint = batches[-1].checkpoint


@pytest.mark.parametrize("name", ["a.json", "a.parquet", "a.jsonl.gz"])
def test_a_file_written_anew_is_read_anew(tmp_path: Path, name: str) -> None:
    """What is not appended to but replaced in place is read from its start."""
    file = tmp_path / name

    fill(file, 3)
    checkpoint = read(file)[-1].checkpoint
    assert [] == read(file, checkpoint)
    fill(file, 3, start=100)
    assert [100, 101, 102] == numbers(read(file, checkpoint))


def test_a_line_over_the_limit_is_unreadable_and_the_rest_goes_on(tmp_path: Path) -> None:
    """A line of 50 MB is reported with its place and size; its neighbours are read."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(1) + b'"' + b"x" * 50_000_000 + b'"\n' + lines(1, start=1))
    items = [item for batch in read(file) for item in batch.items]
    assert [type(item) for item in items] == [Raw, Unreadable, Raw]
    big = items[1]
    assert isinstance(big, Unreadable)
    assert (big.position, big.size, big.error.cause) == (f"{file}:2", 50_000_003, "too_large")


def test_a_last_line_without_its_newline_is_a_record(tmp_path: Path) -> None:
    """What ends without a newline is read when nothing more is to come."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(2).rstrip(b"\n"))
    assert numbers(read(file)) == [0, 1]


@pytest.mark.parametrize("half", [b'{"n": ', b'{"text": "' + b"x" * 2000])
def test_a_line_caught_half_written_is_read_when_it_is_whole(tmp_path: Path, half: bytes) -> None:
    """What ends within a record is reported once; the next run reads that record from its start."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(2) + half)
    batches = read(file)
    assert 3 == len(batches[-1].items)
    checkpoint = batches[-1].checkpoint
    assert [] == read(file, checkpoint)
    with file.open("ab") as handle:
        handle.write(b"2}\n" if half.endswith(b" ") else b'", "n": 2}\n')
        handle.write(lines(1, start=3))
    assert [2, 3] == numbers(read(file, checkpoint, record_bytes=10_000))


def test_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    """A byte order mark and blank lines are no records and no fault."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + lines(1) + b"\n  \r\n" + lines(1, start=1))
    assert numbers(read(file)) == [0, 1]


def test_damaged_gzip_gives_what_came_before(tmp_path: Path) -> None:
    """A cut archive gives its records up to the damage, then one unreadable record."""
    file = tmp_path / "a.jsonl.gz"
    packed = gzip.compress(b"".join(orjson.dumps({"n": n, "noise": os.urandom(50).hex()}) + b"\n" for n in range(2000)))
    file.write_bytes(packed[: len(packed) // 2])
    items = [item for batch in read(file, records=500) for item in batch.items]
    assert isinstance(items[-1], Unreadable)
    assert len(items) > 500


def test_parquet_keeps_exact_numbers_and_times(tmp_path: Path) -> None:
    """A decimal stays a Decimal, a timestamp an aware time."""
    file = tmp_path / "a.parquet"
    at = datetime(2026, 1, 9, 9, tzinfo=UTC)
    parquet.write_table(pa.table({"price": [Decimal("10.10")], "at": pa.array([at], pa.timestamp("us", "UTC"))}), file)
    (item,) = read(file)[0].items
    assert isinstance(item, Raw)
    assert item.data == {"price": Decimal("10.10"), "at": at}


BROKEN_TEXT = pa.StringArray.from_buffers(
    3, pa.py_buffer(b"".join(at.to_bytes(4, "little") for at in (0, 2, 4, 6))), pa.py_buffer(b"ab\xff\xfecd")
)


@pytest.mark.parametrize(
    ("odd", "bad"),
    [
        (pa.array([0, 2**60, 1], pa.timestamp("ms")), [2]),
        (pa.array([0, 2**62, 1], pa.timestamp("us", "UTC")), [2]),
        (BROKEN_TEXT, [2]),
        (pa.array([0, 1, 2], pa.timestamp("us", "Mars/Olympus")), [1, 2, 3]),
    ],
    ids=["year", "year-utc", "text", "zone"],
)
def test_a_row_of_parquet_with_an_odd_value_is_unreadable_alone(tmp_path: Path, odd: pa.Array, bad: list[int]) -> None:
    """Times and texts that Python cannot hold cost their row, not the rows or files beside it."""
    file = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"n": [1, 2, 3], "odd": odd}), file)
    (tmp_path / "b.jsonl").write_bytes(lines(1, start=9))
    whole = read(tmp_path, records=1)
    items = [item for batch in whole for item in batch.items]
    unreadable = [item for item in items if isinstance(item, Unreadable)]
    assert [(f"{file} row {n}", "invalid") for n in bad] == [(each.position, each.error.cause) for each in unreadable]
    good = [Batch([item], None) for item in items if isinstance(item, Raw)]
    assert [n for n in (1, 2, 3) if n not in bad] + [9] == numbers(good)
    rest = read(tmp_path, orjson.loads(orjson.dumps(whole[1].checkpoint)), records=1)
    assert 2 == sum(len(batch.items) for batch in rest)


@pytest.mark.parametrize("name", ["missing.jsonl", "nothing/*.jsonl"])
def test_a_missing_file_is_a_clear_error(tmp_path: Path, name: str) -> None:
    """A path that names nothing stops the run, with a hint."""
    with pytest.raises(SourceError) as caught:
        read(tmp_path / name)
    assert str(tmp_path / name) in caught.value.message
    assert f"{tmp_path} " in caught.value.hint
    assert "relative" not in caught.value.hint


def test_an_empty_folder_is_a_clear_error(tmp_path: Path) -> None:
    """A folder without a file to read is said to be one."""
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(SourceError, match="no files to read"):
        read(tmp_path)


def test_follow_takes_up_appended_lines_and_new_files(tmp_path: Path) -> None:
    """Following waits for a line's end, and finds what is appended and what is new."""
    first = tmp_path / "a.jsonl"
    first.write_bytes(lines(2) + b'{"n": ')

    async def drive() -> list[int]:
        source = FileSource(path=str(tmp_path), follow=True, poll_seconds=0.02)
        stop = asyncio.Event()
        seen: list[int] = []
        async for batch in source.batches(None, records=10, record_bytes=1000, stop=stop):
            seen += numbers([batch])
            if seen == [0, 1] and batch.items:
                with first.open("ab") as handle:
                    handle.write(b"2}\n")
                (tmp_path / "b.jsonl").write_bytes(lines(1, start=3))
            if 3 in seen and 2 in seen:
                stop.set()
        return seen

    assert asyncio.run(asyncio.wait_for(drive(), 10)) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt", "a.jsonl.gz"])
@pytest.mark.parametrize("kind", ["gzip", "parquet", "plain"])
def test_content_decides_whatever_the_name(tmp_path: Path, name: str, kind: str) -> None:
    """Gzip and Parquet are known by their first bytes, and what says .gz and is not is read as it is."""
    file = tmp_path / name
    if kind == "parquet":
        parquet.write_table(pa.table({"n": list(range(25))}), file)
    else:
        file.write_bytes(gzip.compress(lines(25)) if kind == "gzip" else lines(25))
    whole = read(file)
    assert list(range(25)) == numbers(whole)
    assert [] == read(file, whole[-1].checkpoint)
    assert list(range(20, 25)) == numbers(read(file, whole[1].checkpoint))


def test_parquet_that_is_gzipped(tmp_path: Path) -> None:
    """Parquet within gzip is read too."""
    parquet.write_table(pa.table({"n": [1, 2]}), tmp_path / "a.parquet")
    (tmp_path / "b.parquet.gz").write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert [1, 2] == numbers(read(tmp_path / "b.parquet.gz"))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"hello"])
def test_damaged_parquet_is_one_unreadable_record(tmp_path: Path, content: bytes) -> None:
    """A file that says it is Parquet and is not does not stop the files beside it."""
    (tmp_path / "a.parquet").write_bytes(content)
    (tmp_path / "b.jsonl").write_bytes(lines(2))
    first, *rest = [item for batch in read(tmp_path) for item in batch.items]
    assert isinstance(first, Unreadable)
    assert ("invalid", 2) == (first.error.cause, len(rest))


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """What can only be read forwards, such as the output of another program, is a file too."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(lines(5))))
    writer.start()
    assert [0, 1, 2, 3, 4] == numbers(read(pipe))
    writer.join()


def test_several_paths_give_each_file_once(tmp_path: Path) -> None:
    """Paths, folders and patterns together are read in their order, what two of them name only once."""
    for number, name in enumerate(("a.jsonl", "b.jsonl", "c.jsonl")):
        (tmp_path / name).write_bytes(lines(1, start=number))
    source = FileSource.of([str(tmp_path / "c.jsonl"), str(tmp_path), str(tmp_path / "b*")])

    async def drive() -> list[Batch]:
        batches = source.batches(None, records=10, record_bytes=1000, stop=asyncio.Event())
        return [batch async for batch in batches]

    assert [2, 0, 1] == numbers(asyncio.run(drive()))


def test_following_says_once_that_nothing_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A followed pattern without a file is said once, and once more when the first file comes."""
    structlog.reset_defaults()

    async def drive() -> int:
        source = FileSource(path=str(tmp_path / "*.jsonl"), follow=True, poll_seconds=0.01)
        stop, looked = asyncio.Event(), 0
        async for batch in source.batches(None, records=10, record_bytes=1000, stop=stop):
            looked += 1
            if looked == 4:
                (tmp_path / "a.jsonl").write_bytes(lines(1))
            if batch.items:
                stop.set()
        return looked

    assert asyncio.run(asyncio.wait_for(drive(), 10)) > 4
    said = capsys.readouterr().out
    assert (1, 1) == (said.count("path_matches_nothing"), said.count("path_matches "))


def follow(path: Path | str, steps: Sequence[Callable[[], object]], checkpoint: Any = None) -> tuple[list[int], Any]:
    """What is read when each of *steps* happens once all before it was read; with the last checkpoint."""

    async def drive() -> tuple[list[int], Any]:
        source = FileSource(path=str(path), follow=True, poll_seconds=0.01)
        stop, seen, last = asyncio.Event(), [], checkpoint
        left = list(steps)
        async for batch in source.batches(checkpoint, records=10, record_bytes=1000, stop=stop):
            seen += numbers([batch])
            last = orjson.loads(orjson.dumps(batch.checkpoint))
            if not batch.items:
                if not left:
                    stop.set()
                else:
                    left.pop(0)()
        return seen, last

    return asyncio.run(asyncio.wait_for(drive(), 20))


def append(file: Path, data: bytes) -> None:
    """Write *data* at the end of *file*."""
    with file.open("ab") as handle:
        handle.write(data)


def rotate(file: Path, old: Path, before: bytes, after: bytes) -> None:
    """Append *before*, rename the file to *old*, write *after* to a new one: all between two looks."""
    append(file, before)
    file.rename(old)
    file.write_bytes(after)


@pytest.mark.parametrize("pattern", ["log.jsonl", "*.jsonl", ""])
def test_follow_reads_a_renamed_log_to_its_end(tmp_path: Path, pattern: str) -> None:
    """What was written before a rotation out of the path is read, first; what a slow writer still adds, too."""
    file, old, older = (tmp_path / name for name in ("log.jsonl", "log.jsonl.1", "log.jsonl.2"))
    file.write_bytes(lines(3))

    def again() -> None:
        old.rename(older)
        rotate(file, old, lines(1, start=8), lines(1, start=9))

    seen, _ = follow(
        tmp_path / pattern if pattern else tmp_path,
        [
            lambda: rotate(file, old, lines(2, start=3), lines(2, start=5)),
            lambda: append(old, lines(1, start=7)),
            again,
            lambda: append(older, lines(1, start=10)),
        ],
    )
    assert list(range(11)) == seen


@pytest.mark.parametrize("first", [lines(3), lines(2) + b'{"n": '])
def test_a_log_renamed_while_nothing_ran_is_read_to_its_end(tmp_path: Path, first: bytes) -> None:
    """A restart finds the renamed file from the checkpoint, once."""
    file, old = tmp_path / "log.jsonl", tmp_path / "log.jsonl.1"
    file.write_bytes(first)
    seen, checkpoint = follow(file, [])
    rotate(file, old, b"2}\n" if not first.endswith(b"\n") else b"", lines(1, start=5))
    append(old, lines(2, start=3))
    more, checkpoint = follow(file, [], checkpoint)
    assert list(range(6)) == seen + more
    again, _ = follow(file, [lambda: append(old, lines(1, start=6))], checkpoint)
    assert [6] == again


def test_a_log_rotated_to_a_later_name_in_its_folder_is_not_read_twice(tmp_path: Path) -> None:
    """A renamed file keeps its place wherever its new name sorts."""
    file, old = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    file.write_bytes(lines(3))
    seen, _ = follow(tmp_path, [lambda: rotate(file, old, lines(1, start=3), lines(1, start=4))])
    assert [0, 1, 2, 3, 4] == sorted(seen)


def test_a_log_that_is_no_longer_named_is_left_alone(tmp_path: Path) -> None:
    """With another path the files of the earlier one are not read on, renamed or not."""
    file, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    file.write_bytes(lines(1))
    other.write_bytes(lines(1, start=9))
    _, checkpoint = follow(file, [])
    append(file, lines(1, start=1))
    assert [9] == follow(other, [], checkpoint)[0]
    file.rename(tmp_path / "a.jsonl.1")
    assert [9] == follow(other, [], checkpoint)[0]


def test_a_deleted_log_does_not_stop_its_successor(tmp_path: Path) -> None:
    """A log that was compressed away between two looks leaves the new one to be read whole."""
    file = tmp_path / "log.jsonl"
    file.write_bytes(lines(2))

    def compressed() -> None:
        new = tmp_path / "new"
        new.write_bytes(lines(3, start=2))
        (tmp_path / "log.jsonl.1.gz.bak").write_bytes(gzip.compress(file.read_bytes()))
        new.rename(file)

    assert [0, 1, 2, 3, 4] == follow(file, [compressed, lambda: None])[0]


def test_a_renamed_log_takes_the_name_of_one_that_is_gone(tmp_path: Path) -> None:
    """When an older log is compressed away and the next takes its name, that one is read on."""
    file, old = tmp_path / "log.jsonl", tmp_path / "log.jsonl.1"
    file.write_bytes(lines(2))

    def again() -> None:
        old.unlink()
        rotate(file, old, lines(1, start=4), lines(1, start=5))

    steps = [lambda: rotate(file, old, lines(1, start=2), lines(1, start=3)), again, lambda: append(old, lines(1, 6))]
    assert list(range(7)) == follow(file, steps)[0]


@pytest.mark.parametrize("other", [lines(50, start=100), gzip.compress(lines(50, start=100)), b"PAR1"])
def test_another_file_with_the_inode_of_a_log_is_left_alone(tmp_path: Path, other: bytes) -> None:
    """A file that nobody named is not read because it took the place of a renamed log on the disk."""
    file, old = tmp_path / "log.jsonl", tmp_path / "log.jsonl.1"
    file.write_bytes(lines(2))
    steps = [lambda: rotate(file, old, lines(1, 2), lines(1, 3)), lambda: old.write_bytes(other), lambda: None]
    assert [0, 1, 2, 3] == follow(file, steps)[0]


def test_a_renamed_log_that_may_not_be_read_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rotated log that was taken from this user is left, its successor read."""
    file, old = tmp_path / "log.jsonl", tmp_path / "log.jsonl.1"
    file.write_bytes(lines(2))
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != old)
    assert [0, 1, 3] == follow(file, [lambda: rotate(file, old, lines(1, 2), lines(1, 3))])[0]
