"""Tables on terminals of any width."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.text import Text

from monitor.cli.layout import Column, table, wrapped

COLUMNS = [
    Column("rule"),
    Column("not_applicable", right=True),
    Column("failing", right=True),
    Column("95 % interval", right=True, drop=2),
    Column("effective n", right=True, drop=1),
]
ROWS = [
    ("grounded", "322", "2.3 %", "0.4 % to 7.0 %", "231"),
    ("refusal_explained", "588", "–", "", "0"),
]


def lines(width: int | None, rows: Sequence[tuple[str, ...]] = ROWS, below: str = "") -> list[str]:
    laid = [([Text(cell) for cell in row], Text(below)) for row in rows]
    return [line.plain for line in table(COLUMNS[: len(rows[0])], laid, width)]


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 120, 160, None])
def test_words_and_numbers_stay_whole(width: int | None) -> None:
    """No line is wider than the terminal or ends in blanks; names and numbers are never cut, and none gets lost."""
    drawn = lines(width, below="“7”: nothing gives 7: no result, definition, question or query argument")
    words = " ".join(drawn).split()
    assert all(width is None or cell_len(line) <= width for line in drawn)
    assert all(line == line.rstrip() for line in drawn)
    for text in ("grounded", "322", "588", "2.3", "231", "failing", "definition,"):
        assert text in words, drawn
    assert "0.4 % to 7.0 %" in "\n".join(drawn)
    assert {"not_applicable"} == {"".join(word for word in words if word in ("not_", "applicable", "not_applicable"))}


def test_what_has_no_room_goes_below_its_row() -> None:
    """Columns that may be left out stand under the row by name, where they say something."""
    assert [
        "                         not_",
        "rule               applicable  failing",
        "grounded                  322    2.3 %",
        "    95 % interval 0.4 % to 7.0 %;",
        "    effective n 231",
        "refusal_explained         588        –",
    ] == lines(40)


def test_a_pipe_gets_no_more_than_is_there() -> None:
    """Without a width everything is on one line and as wide as its content."""
    assert [
        "rule               not_applicable  failing   95 % interval  effective n",
        "grounded                      322    2.3 %  0.4 % to 7.0 %          231",
        "    because",
        "refusal_explained             588        –                            0",
        "    because",
    ] == lines(None, below="because")


def test_a_long_name_breaks_at_its_separators() -> None:
    """A name that has no room is broken where it has parts, and in the middle only when it has none."""
    assert ["rule", "a_rule_with_a_long_", "name"] == lines(20, [("a_rule_with_a_long_name",)])
    assert ["rule", "x" * 20, "x" * 5] == lines(20, [("x" * 25,)])


def test_wide_characters_count_twice() -> None:
    """Text is broken by the cells that it takes, not by its characters."""
    assert ["  航班延误航班延误航班", "  延误"] == [
        line.plain for line in wrapped(Text("航班延误航班延误航班延误"), 22, indent=2)
    ]
