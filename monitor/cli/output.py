"""What every verb prints with: tables, complaints, counts. Recorded text is made safe for a terminal here."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from monitor.errors import MonitorError
from monitor.log import printable

if TYPE_CHECKING:
    from monitor.store.batch import Quarantined

SHOWN = 10


def complain(error: MonitorError) -> None:
    """Say what is wrong and what to do, on standard error; only the mistakes of a file have lines of their own."""
    from monitor.yamlfile import FileError

    listed = isinstance(error, FileError) and len(error.problems) > 1
    first, *others = error.message.split("\n  ") if listed else [error.message]
    note(f"error: {first}")
    for each in others:
        note(f"  {each}")
    if error.hint:
        note(f"hint:  {error.hint}")


def note(text: str) -> None:
    """A line about the run itself, on standard error, after what was printed before it."""
    sys.stdout.flush()
    print(printable(text), file=sys.stderr)


def json_line(value: Any) -> None:
    """One JSON value as a line on standard output."""
    sys.stdout.buffer.write(orjson.dumps(value, default=str, option=orjson.OPT_APPEND_NEWLINE))


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    right: Iterable[int] = (),
    drop: Sequence[int] = (),
    below: int | None = None,
) -> None:
    """
    A table for people. *right* are columns of numbers; *drop* those that go under the row first where there is no room;
    *below* is a column of sentences, which always stand under their row.
    """
    from monitor.cli import layout

    numbers, sentences = set(right), {below}
    order = {index: place for place, index in enumerate(drop, 1)}
    drawn = [
        layout.Column(name, index in numbers, order.get(index, 0))
        for index, name in enumerate(columns)
        if index not in sentences
    ]
    laid = []
    for row in rows:
        cells = [styled(cell, "") if not hasattr(cell, "plain") else cell for cell in row]
        under = cells[below] if below is not None else None
        laid.append(([cell for index, cell in enumerate(cells) if index not in sentences], under))
    if title:
        line(styled(title, "bold"))
    for text in layout.table(drawn, laid, width()):
        line(text)


def sentence(text: Any, *, indent: int = 0) -> None:
    """A text for people, broken at words where the terminal ends; what was recorded is made safe."""
    from monitor.cli import layout

    for each in layout.wrapped(styled(text, "") if isinstance(text, str) else text, width(), indent):
        line(each)


def line(text: Any) -> None:
    """One line as it is, in its styles where they can be shown."""
    console().print(text, soft_wrap=True)


def width() -> int | None:
    """Cells in a line: COLUMNS, or the terminal's own; None, without end, for a pipe or a file."""
    named = os.environ.get("COLUMNS", "")
    if named.isdigit() and int(named):
        return int(named)
    return os.get_terminal_size(sys.stdout.fileno()).columns or None if sys.stdout.isatty() else None


@cache
def console() -> Any:
    """Standard output as rich writes on it."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def styled(text: object, style: str) -> Any:
    """*text*, made printable, in a rich style."""
    from rich.text import Text

    return Text(printable(str(text)), style=style)


def quarantine(found: Sequence[Quarantined], total: int, *, every: bool = False) -> None:
    """
    What could not be read, on standard error: for each file and cause the first record, and how many are like it.

    *found* are the first of *total*. *every*: each of them on a line of its own.
    """
    groups: dict[object, list[Quarantined]] = {}
    for number, item in enumerate(found):
        groups.setdefault(number if every else (_file(item.position), item.cause), []).append(item)
    shown = list(groups.values())[: None if every else SHOWN]
    remedies: set[str] = set()
    for first, *others in shown:
        more = f" and {len(others)} more" if others else ""
        said = problem(first, remedy=first.hint not in remedies)
        remedies.add(first.hint)
        note(f"quarantined: {printable(first.position)}{more}: {first.cause}: {said}")
    left = total - sum(map(len, shown))
    if left > 0:
        note(f"quarantined: {left} more" + ("" if every else "; --all shows each"))


def problem(item: Quarantined, *, remedy: bool = True) -> str:
    """What is wrong with a record, and the *remedy*; without its place, which stands beside it."""
    hint = f" ({item.hint})" if item.hint and remedy else ""
    return printable(item.message.removeprefix(f"{item.position}: "), 300) + hint


def _file(position: str) -> str:
    """The file that a place is in: without the line, the row or the element."""
    return re.sub(r"(?::\d+|\[\d+\]| row \d+)$", "", position)


def ledger_line(
    name: str, counts: Mapping[str, int], whole: str, parts: Sequence[str], meaning: Mapping[str, str] | None = None
) -> str:
    """``turns: seen 12 = evaluated 10 + abandoned 2 (no answer)``, with a mark when it does not add up."""
    said = {part: f" ({text})" for part, text in (meaning or {}).items() if text and counts.get(part, 0)}
    total = counts.get(whole, 0)
    summed = sum(counts.get(part, 0) for part in parts)
    terms = " + ".join(f"{part} {counts.get(part, 0)}{said.get(part, '')}" for part in parts)
    return f"{name}: {whole} {total} {'=' if total == summed else '≠'} {terms}"


def percent(share: float | None) -> str:
    """A share as people read it; a dash for none."""
    return "–" if share is None else f"{share * 100:.1f} %"


def counted(number: int, name: str) -> str:
    """``1 source``, ``2 sources``."""
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
