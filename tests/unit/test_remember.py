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


def test_no_more_texts_are_kept_than_allowed() -> None:
    """Beyond the bound what is known is dropped and worked out anew."""
    asked: list[str] = []

    @remembered(2)
    def upper(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert ["A", "B", "C", "A"] == [upper(text) for text in ("a", "b", "c", "a")]
    assert ["a", "b", "c", "a"] == asked
