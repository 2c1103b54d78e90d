"""An answer with its figures, for people on any terminal."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from monitor.cli import figures, output
from monitor.outcome import FigureVerdict

Printed = Callable[..., str]
ANSWER = (
    "Cloudline had 12.4 minutes,\n\nAurora 1,374 flights and 总共 564 others in a sentence that goes on for some time."
)


def verdict(
    text: str, grounded: bool | None, explanation: str = "why", answer: str = ANSWER, **more: str
) -> FigureVerdict:
    start = answer.index(text)
    return FigureVerdict(
        start=start, end=start + len(text), text=text, grounded=grounded, explanation=explanation, **more
    )


VERDICTS = [
    verdict("12.4 minutes", False, "12.4 is Aurora's average delay; Cloudline's is 9.1", fault="wrong_row", severity="major"),
    verdict("1,374", True, "Aurora's flights are 1,374"),
    verdict("564", None, "not found, and parts of the record are redacted"),
]  # fmt: skip


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    """What is printed on a terminal so wide, without colours or with them."""

    def run(act: Callable[[], None], width: int | None = None, *, colour: bool = False) -> str:
        out = io.StringIO()
        console = Console(file=out, force_terminal=colour, color_system="standard" if colour else None, highlight=False)
        monkeypatch.setattr(output, "console", lambda: console)
        monkeypatch.setattr(output, "width", lambda: width)
        act()
        return out.getvalue()

    return run


def both(answer: str, found: list[FigureVerdict]) -> Callable[[], None]:
    def act() -> None:
        figures.show_answer(answer, found)
        figures.show_figures(found)

    return act


def test_marks_survive_without_colour(printed: Printed) -> None:
    """Each figure is bracketed where it stands, and told in one line beneath."""
    assert [
        "  Cloudline had [!12.4 minutes],",
        "  Aurora [1,374] flights and 总共 [?564] others in a sentence that goes on for some time.",
        "    figure        fault             where it comes from",
        "no  12.4 minutes  wrong row, major  12.4 is Aurora's average delay; Cloudline's is 9.1",
        "ok  1,374                           Aurora's flights are 1,374",
        "??  564                             not found, and parts of the record are redacted",
    ] == printed(both(ANSWER, VERDICTS)).splitlines()


def test_colours_are_shown_where_they_can_be(printed: Printed) -> None:
    """Green, red and yellow; none at all where output is no terminal."""
    shown = printed(both(ANSWER, VERDICTS), 100, colour=True)
    assert "\x1b[1;31m[!12.4 minutes]\x1b[0m" in shown
    assert "\x1b[32m[1,374]\x1b[0m" in shown
    assert "\x1b[33m[?564]\x1b[0m" in shown
    assert "\x1b" not in printed(both(ANSWER, VERDICTS), 100)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_narrow_terminals_lose_nothing(printed: Printed, width: int) -> None:
    """No line is wider than the terminal, and every word of every explanation is there."""
    shown = printed(both(ANSWER, VERDICTS), width)
    assert all(cell_len(line) <= width for line in shown.splitlines())
    words = set(shown.split())
    assert all(set(found.explanation.split()) <= words for found in VERDICTS)


def test_a_long_answer_is_shown_around_what_is_wrong(printed: Printed) -> None:
    """Of 100 KB the beginning and the stretches with figures in question; a list of a hundred, the wrong ones first."""
    filler = "flights and more " * 4000
    text = f"{filler}4711{filler}"
    wrong = verdict("4711", False, answer=text, fault="invented", severity="major")
    right = [
        FigureVerdict(start=n * 17, end=n * 17 + 7, text="flights", grounded=True, explanation="x") for n in range(500)
    ]
    shown = printed(both(text, [*right, wrong]), 100)
    assert len(shown) < 20_000
    assert "[!4711]" in shown
    assert "and 401 more figures; --json has all" in shown
    assert 1 == shown.count("\nno  ")


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\u202e", "\x07", "\r", "\x9b1m"])
def test_hostile_text_is_printed_safely(printed: Printed, hostile: str) -> None:
    """No control or bidirectional character of an answer, a figure or an explanation reaches the terminal."""
    text = f"A{hostile}urora had 7{hostile}5 flights."
    found = [
        FigureVerdict(
            start=text.index("7"), end=text.index("5") + 1, text=f"7{hostile}5", grounded=False, explanation=hostile
        )
    ]
    shown = printed(both(text, found), 60)
    assert not set(hostile[:1]) & set(shown)
    assert "[!7" in shown
