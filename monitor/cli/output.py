"""What every verb prints with: tables, complaints, counts. Recorded text is made safe for a terminal here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from monitor.errors import MonitorError
from monitor.log import printable

if TYPE_CHECKING:
    from monitor.store.batch import Quarantined

SHOWN = 10


def complain(error: MonitorError) -> None:
    """Say what is wrong and what to do, on standard error."""
    sys.stdout.flush()
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"hint:  {error.hint}", file=sys.stderr)


def note(text: str) -> None:
    """A line about the run itself, on standard error."""
    print(text, file=sys.stderr)


def json_line(value: Any) -> None:
    """One JSON value as a line on standard output."""
    sys.stdout.buffer.write(orjson.dumps(value, default=str, option=orjson.OPT_APPEND_NEWLINE))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Iterable[int] = ()) -> None:
    """A table for people. *right* are columns of numbers."""
    from rich.table import Table
    from rich.text import Text

    numbers = set(right)
    drawn = Table(header_style="dim", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        drawn.add_column(column, justify="right" if index in numbers else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(cell if isinstance(cell, Text) else Text(printable(str(cell))) for cell in row))
    if title:
        console().print(Text(title, style="bold"))
    console().print(drawn)


def console() -> Any:
    """Standard output as rich draws on it: a terminal's own width, and a wide page for a pipe or a file."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False, width=None if sys.stdout.isatty() else 200)


def styled(text: str, style: str) -> Any:
    """*text*, made printable, in a rich style."""
    from rich.text import Text

    return Text(printable(text), style=style)


def quarantine(found: Sequence[Quarantined], total: int) -> None:
    """What could not be read, on standard error: the first few by place and cause, and how many there are."""
    for item in found[:SHOWN]:
        hint = f" ({item.hint})" if item.hint else ""
        note(f"quarantined: {printable(item.position)}: {item.cause}: {printable(item.message, 300)}{hint}")
    if total > SHOWN:
        note(f"quarantined: {total - SHOWN} more")


def ledger_line(name: str, counts: Mapping[str, int], whole: str, parts: Sequence[str]) -> str:
    """``turns: seen 12 = evaluated 10 + abandoned 2``, with a mark when it does not add up."""
    total = counts.get(whole, 0)
    summed = sum(counts.get(part, 0) for part in parts)
    terms = " + ".join(f"{part} {counts.get(part, 0)}" for part in parts)
    return f"{name}: {whole} {total} {'=' if total == summed else '≠'} {terms}"


def percent(share: float | None) -> str:
    """A share as people read it; a dash for none."""
    return "–" if share is None else f"{share * 100:.1f} %"
