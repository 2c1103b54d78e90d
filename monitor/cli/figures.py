"""
An answer with its figures for people: each marked where it stands, and what each comes from beneath.

Colour says it at a glance; the brackets say it without: ``[1,374]`` is grounded, ``[!12.4 minutes]`` is not, and
``[?564]`` could not be decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from monitor.cli import output
from monitor.log import printable
from monitor.outcome import FigureVerdict

STYLES = {True: "green", False: "bold red", None: "yellow"}
_SIGNS = {True: "[", False: "[!", None: "[?"}
_WORDS = {True: "ok", False: "no", None: "??"}
LONG = 4_000
"""Characters of an answer that are shown whole; of a longer one what stands around the figures in question."""
AROUND = 150
LISTED = 100
"""Figures that are listed; the grounded ones are left out first."""
NARROW = 60
"""Below so many cells a line, what a figure comes from stands under it."""


def show_answer(answer: str, figures: Sequence[FigureVerdict], *, lead: str = "", most: int = LONG) -> None:
    """Print *answer*, its own line breaks kept, with its *figures* marked; *lead* stands before it.

    Of an answer longer than *most* characters what stands around the figures in question is shown.
    """
    from rich.text import Text

    prefix = lead
    for start, end in _stretches(answer, figures, most):
        if start:
            output.sentence("…", indent=2)
        for begin, stop in _lines(answer, start, end):
            output.sentence(Text(prefix).append_text(_marked(answer, begin, stop, figures)), indent=2)
            prefix = ""
        if end < len(answer):
            output.sentence("…", indent=2)


def show_figures(figures: Sequence[FigureVerdict]) -> None:
    """Print one line a figure: whether it is grounded, and what it comes from or what is wrong with it."""
    listed = _listed(figures)
    rows = [[output.styled(_WORDS[f.grounded], STYLES[f.grounded]), f.text, _wrong(f), f.explanation] for f in listed]
    columns = ["", "figure", "fault", "where it comes from"]
    if not any(row[2] for row in rows):
        rows, columns = [[row[0], row[1], row[3]] for row in rows], [columns[0], columns[1], columns[3]]
    width = output.width()
    below = len(columns) - 1 if width is not None and width < NARROW else None
    output.table("", columns, rows, below=below, drop=[2] if len(columns) > 3 and below is not None else ())
    if len(listed) < len(figures):
        output.sentence(f"and {output.counted(len(figures) - len(listed), 'more figure')}; --json has all")


def _wrong(figure: FigureVerdict) -> str:
    """What is wrong, and how much that matters."""
    return f"{figure.fault.replace('_', ' ')}, {figure.severity}" if figure.fault and figure.severity else ""


def _listed(figures: Sequence[FigureVerdict]) -> list[FigureVerdict]:
    if len(figures) <= LISTED:
        return list(figures)
    room = max(0, LISTED - sum(figure.grounded is not True for figure in figures))
    kept = []
    for figure in figures:
        if figure.grounded is True:
            room -= 1
            if room < 0:
                continue
        kept.append(figure)
    return kept[:LISTED]


def _stretches(answer: str, figures: Sequence[FigureVerdict], most: int) -> list[tuple[int, int]]:
    """What is shown of *answer*: all of it, or the stretches around the figures in question (else around all)."""
    if len(answer) <= most:
        return [(0, len(answer))]
    told = [(figure.start, figure.end) for figure in figures if figure.grounded is not True]
    found: list[tuple[int, int]] = [(0, AROUND)]
    for start, end in told or [(figure.start, figure.end) for figure in figures]:
        if sum(stop - begin for begin, stop in found) >= most - 2 * AROUND:
            break
        if start - AROUND <= found[-1][1]:
            found[-1] = (found[-1][0], min(max(found[-1][1], end + AROUND), len(answer)))
        else:
            found.append((start - AROUND, min(end + AROUND, len(answer))))
    return found


def _lines(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the lines of *answer* that hold anything begin and stop, between *start* and *end*."""
    while start < end:
        stop = answer.find("\n", start, end)
        stop = end if stop < 0 else stop
        if answer[start:stop].strip():
            yield start, stop
        start = stop + 1


def _marked(answer: str, start: int, end: int, figures: Sequence[FigureVerdict]) -> Any:
    """One line of *answer*, safe for a terminal, with what *figures* stand in it marked."""
    from rich.text import Text

    line, at = Text(), start
    for figure in figures:
        if figure.end <= start or figure.start >= end or figure.start < at:
            continue
        stop = min(figure.end, end)
        line.append(printable(answer[at : figure.start]))
        line.append(
            f"{_SIGNS[figure.grounded]}{printable(answer[figure.start : stop])}]", style=STYLES[figure.grounded]
        )
        at = stop
    return line.append(printable(answer[at:end]))
