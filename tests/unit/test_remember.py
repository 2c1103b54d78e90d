"""Remembering what was worked out of texts."""

from __future__ import annotations

from monitor.remember import LAST, LONGEST, remembered


def test_a_short_text_is_worked_out_once_and_of_long_ones_only_the_last_is_kept() -> None:
    """Memory holds one text of a record's choosing, of bounded length."""
    asked: list[int] = []

    @remembered(10)
    def length(text: str) -> int:
        asked.append(len(text))
        return len(text)

    long, longer, longest = "x" * (LONGEST + 1), "x" * (LONGEST + 2), "x" * (LAST + 1)
    for text in ("a", long, "a", long, longer, long, longest, longest):
        assert len(text) == length(text)
    assert [1, len(long), len(longer), len(long), len(longest), len(longest)] == asked


def test_no_more_texts_are_kept_than_allowed() -> None:
    """Beyond the bound what is known is dropped and worked out anew."""
    asked: list[str] = []

    @remembered(2)
    def upper(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert ["A", "B", "C", "A"] == [upper(text) for text in ("a", "b", "c", "a")]
    assert ["a", "b", "c", "a"] == asked
