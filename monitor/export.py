"""
Copy the state's tables to Parquet files, for pandas, DuckDB, or any other reader.

All files are of one moment. Each is written beside its place and renamed when it is whole, so that a reader never
sees half a file; memory does not grow with the table.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monitor.errors import MonitorError
from monitor.store.dialect import UtcTime
from monitor.store.schema import QUOTING, READABLE, TEXT_TABLES

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy import Column

    from monitor.store.reader import Snapshot
    from monitor.store.store import Store

TABLES = ("live_scores", "current_scores", "turns", "review_items", "quarantine")
"""What is exported when nothing is named: no text of any conversation."""
ROW_GROUP, TEXT_ROW_GROUP = 10_000, 500
"""Rows held in memory at a time."""
# strings that hardly repeat, which a dictionary would only make larger
_DISTINCT = frozenset({"result_id", "conversation_id", "turn_id", "revision", "trace_id", "span_id", "response_id"})


def export(store: Store, folder: Path, tables: Sequence[str] | None = None, *, texts: bool = False) -> dict[str, int]:
    """
    Write each of *tables* to ``<folder>/<table>.parquet`` and return how many rows each has.

    *tables* defaults to :data:`TABLES`; with *texts* to these and the text tables, which are refused without it, and so
    is what a column of another table may quote: it is null.
    Times are timestamps in UTC, days are dates, missing values are null. Raises MonitorError for an unknown table or
    a folder that cannot be written.
    """
    names = _chosen(tables, texts=texts)
    with _written_by_us(folder), store.snapshot() as snapshot:
        folder.mkdir(parents=True, exist_ok=True)
        return {name: _write(snapshot, name, folder / f"{name}.parquet", texts=texts) for name in names}


def _chosen(tables: Sequence[str] | None, *, texts: bool) -> list[str]:
    names = list(dict.fromkeys((TABLES + (TEXT_TABLES if texts else ())) if tables is None else tables))
    for name in names:
        if name not in READABLE:
            raise MonitorError(f"there is no table {name!r} to export", hint=f"use some of: {', '.join(READABLE)}")
        if name in TEXT_TABLES and not texts:
            raise MonitorError(
                f"the table {name} holds text of conversations", hint="ask for texts as well if that is what you want"
            )
    return names


@contextmanager
def _written_by_us(folder: Path) -> Iterator[None]:
    """Name the folder when writing into it fails."""
    try:
        yield
    except OSError as error:
        raise MonitorError(
            f"cannot export to {folder}: {error.strerror or error}",
            hint="name a folder that this user may write to, on a disk with room",
        ) from error


def _write(snapshot: Snapshot, name: str, path: Path, *, texts: bool) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([pa.field(column.name, _arrow_type(column)) for column in READABLE[name].columns])
    strings = [field.name for field in schema if field.type == pa.string()]
    repeated = [] if name in TEXT_TABLES else [each for each in strings if each not in _DISTINCT]
    size = TEXT_ROW_GROUP if name in TEXT_TABLES else ROW_GROUP
    withheld = set() if texts else {place for place, each in enumerate(schema.names) if (name, each) in QUOTING}
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    rows = 0
    try:
        with pq.ParquetWriter(unfinished, schema, compression="zstd", use_dictionary=repeated) as writer:
            for batch in snapshot.batches(name, size):
                writer.write_batch(_record_batch(batch, schema, withheld), row_group_size=size)
                rows += len(batch)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return rows


def _record_batch(rows: list[tuple[Any, ...]], schema: pa.Schema, withheld: Collection[int] = ()) -> pa.RecordBatch:
    """*rows* as Arrow has them; the columns at the places *withheld* are null."""
    import pyarrow as pa

    arrays = [
        pa.nulls(len(rows), field.type) if place in withheld else pa.array(column, field.type)
        for place, (column, field) in enumerate(zip(zip(*rows, strict=True), schema, strict=True))
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _arrow_type(column: Column[Any]) -> pa.DataType:
    """The Arrow type of a table's column."""
    import pyarrow as pa
    from sqlalchemy import Boolean, Date, Float, Integer

    for kind, arrow in (
        (UtcTime, pa.timestamp("us", tz="UTC")),
        (Boolean, pa.bool_()),
        (Date, pa.date32()),
        (Float, pa.float64()),
        (Integer, pa.int64()),
    ):
        if isinstance(column.type, kind):
            return arrow
    return pa.string()
