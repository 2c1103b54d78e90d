"""What contract suites share: recorded examples, read as a source reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from monitor.assembly import MemoryAssembler
from monitor.conversation import Conversation
from monitor.errors import RecordError
from monitor.formats import Format, Fragment, Record, formats
from monitor.formats.detect import detect
from monitor.formats.unwrap import unwrap
from monitor.jsonio import parse

EXAMPLES = Path(__file__).resolve().parent.parent / "formats" / "examples"


@dataclass
class Reading:
    """What came of a file: its format, its conversations by id, and why some records were refused."""

    format: str
    conversations: dict[str, Conversation] = field(default_factory=dict)
    refusals: list[RecordError] = field(default_factory=list)


def records_of(path: Path) -> list[Record]:
    """The records in a file, out of their envelopes: a line each in JSON Lines, else the whole file."""
    raw = path.read_bytes()
    if path.suffix != ".jsonl":
        return [unwrap(Record(parse(raw), path.name))]
    lines = [(number, line) for number, line in enumerate(raw.splitlines(), start=1) if line.strip()]
    return [unwrap(Record(parse(line), f"{path.name}:{number}")) for number, line in lines]


def fragments_of(format_: Format, records: list[Record], refusals: list[RecordError] | None = None) -> list[Fragment]:
    """The fragments in *records*; a record that is refused goes to *refusals*, or raises where there are none."""
    found: list[Fragment] = []
    for record in records:
        try:
            found += format_.fragments(record)
        except RecordError as error:
            if refusals is None:
                raise
            refusals.append(error)
    return found


def joined(format_: Format, fragments: list[Fragment]) -> dict[str, Conversation]:
    """The conversations that *fragments* make, held and ordered by the assembler."""
    assembler = MemoryAssembler()
    assembler.add(fragments)
    groups = {group: assembler.fragments(group) for group in assembler.groups()}
    return {group: format_.conversation(group, held) for group, held in groups.items()}


def read_example(path: Path, format: str = "auto", **options: Any) -> Reading:  # noqa: A002 - the word users write
    """
    The file at *path*, read in *format* (auto: as it is detected) with its *options*.

    Raises RecordError where the format is not read at all.
    """
    records = records_of(path)
    name = detect(records).name if format == "auto" else format
    format_ = formats.get(name)(**options)
    reading = Reading(name)
    found = fragments_of(format_, records, reading.refusals)
    conversations = joined(format_, found).values()
    reading.conversations = {conversation.id: conversation for conversation in conversations}
    return reading
