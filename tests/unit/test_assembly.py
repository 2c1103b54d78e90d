"""Fragments held until their group is joined, in memory and beyond it: one contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from monitor.assembly import Assembler, MemoryAssembler
from monitor.formats import Fragment


def fragment(group: str, key: str, second: int) -> Fragment:
    return Fragment(group, key, (f"2026-01-09T09:00:{second:02}", key), {"key": key, "text": "é\u0000"})


@pytest.fixture(params=["memory", "spilled"])
def assembler(request: pytest.FixtureRequest) -> Iterator[Assembler]:
    held = MemoryAssembler(limit=1_000_000 if request.param == "memory" else 0)
    held.add([fragment("warm-up", "w", 0)], size=1)
    assert held.spilled == (request.param == "spilled")
    held.joined("warm-up")
    yield held
    held.close()


def test_order_and_repeats(assembler: Assembler) -> None:
    """Fragments come back in their order and once, however they were given."""
    given = [fragment("a", "k2", 2), fragment("a", "k1", 1), fragment("b", "k3", 3), fragment("a", "k2", 2)]
    for each in given:
        assembler.add([each])
    assert ["k1", "k2"] == [each.key for each in assembler.fragments("a")]
    assert ["a", "b"] == list(assembler.groups())


def test_a_joined_group_is_gone_until_more_comes(assembler: Assembler) -> None:
    """A joined group is named again only when it got another fragment."""
    assembler.add([fragment("a", "k1", 1), fragment("b", "k2", 2)])
    assembler.joined("a")
    assert ["b"] == list(assembler.groups())
    assembler.add([fragment("a", "k3", 3)])
    assert ["a", "b"] == list(assembler.groups())


def test_groups_of_one_conversation(assembler: Assembler) -> None:
    """Groups whose fragments name one conversation are related; others stand alone."""
    parts = [replace(fragment(group, f"k{group}", 1), conversation="c") for group in ("a", "b")]
    assembler.add([*parts, fragment("b", "more", 2), fragment("d", "k", 3)])
    assert [["a", "b"], ["a", "b"], ["d"]] == [assembler.related(group) for group in ("a", "b", "d")]


def test_events_survive(assembler: Assembler) -> None:
    """An event comes back as it was given, hostile text included."""
    assembler.add([fragment("a", "k1", 1)])
    assert {"key": "k1", "text": "é\u0000"} == assembler.fragments("a")[0].event


def test_memory_is_bounded() -> None:
    """Beyond its limit the assembler in memory moves to disk, and loses nothing on the way."""
    held = MemoryAssembler(limit=100)
    for number in range(30):
        held.add([fragment(f"g{number % 3}", f"k{number:02}", number)], size=10)
    assert held.spilled
    assert [10, 10, 10] == [len(held.fragments(group)) for group in held.groups()]
    held.close()
