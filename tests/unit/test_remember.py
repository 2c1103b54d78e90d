"""Remembering what was worked out of texts."""

from __future__ import annotations

from monitor.remember import LONGEST, remembered


def test_a_short_text_is_worked_out_once_and_a_long_one_is_not_kept() -> None:
    """Memory holds no text of a record's choosing length."""
    asked: list[int] = []

    @remembered(10)
    def length(text: str) -> int:
        asked.append(len(text))
        return len(text)

    for text in ("a", "x" * (LONGEST + 1)) * 2:
        assert len(text) == length(text)
    assert [1, LONGEST + 1, LONGEST + 1] == asked
