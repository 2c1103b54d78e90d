"""Bounded work: whatever the record holds, the check ends soon, in a verdict or in TooLarge."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.checks.grounded.evidence import evidence_of, evidence_of_record
from monitor.checks.grounded.verdict import MAX_ANSWER, MAX_FIGURES, ground
from monitor.conversation import Conversation
from monitor.errors import TooLarge
from tests.unit.checks.grounded.turns import figures, result, turn

SECONDS = 3.0
"""Far above what any case takes (under 0.5 s), so that a slow machine does not fail and an explosion does."""
PIECES = (
    "1", "1,", "1 ", "1.", "(", "((1))", "SELECT ", "SELECT FROM ", " ", "\n", "- \n", "| 1 ", "`", "](", "a@", "@", "a", "1:", "10:00:00 ",
    "2025-01-01 ", "January ", "more than ", "million ", "row 1 ", "row 1 is 7. ", "123 ", ". A", " and ", "http://", "+49 12 ", "1e9",
    "万1", "İ1 ", "1/", "5 of 7 ", "row 5 had 35 and 12% more than row 6. ",
)  # fmt: skip


def table(rows: int) -> dict[str, Any]:
    body = [[f"row {n}", n * 7, n / 97, f"2025-{n % 12 + 1:02d}-{n % 28 + 1:02d}", str(n)] for n in range(rows)]
    return {"kind": "table", "name": "t", "columns": ["name", "n", "share", "day", "k"], "rows": body}


@pytest.mark.parametrize("rows", [20, 10_000])
@pytest.mark.parametrize("piece", PIECES)
def test_hostile_text_ends_soon(piece: str, rows: int) -> None:
    """100 KB of anything is a matter of moments, beside a small table and a large one."""
    answer = (piece * (MAX_ANSWER // len(piece) + 1))[:MAX_ANSWER]
    evidence = evidence_of_record("q", [table(rows)])
    start = time.process_time()
    try:
        found = ground(answer, evidence, "q")
    except TooLarge:
        found = []
    assert SECONDS > time.process_time() - start
    assert MAX_FIGURES >= len(found)


def test_an_answer_beyond_the_bound_is_too_large() -> None:
    """Nothing longer than the bound is read."""
    with pytest.raises(TooLarge):
        ground("x" * (MAX_ANSWER + 1), evidence_of_record("", []))


def test_too_many_figures_are_too_large() -> None:
    """An answer of thousands of figures is no answer."""
    with pytest.raises(TooLarge):
        ground("7 and " * (MAX_FIGURES + 1), evidence_of_record("", []))


def test_a_result_of_10_000_rows_is_checked() -> None:
    """A large result is no reason to give up on a short answer."""
    rows = [[f"route {n}", n * 7] for n in range(10_000)]
    found = figures("route 9999 had 69,993 flights, route 5 had 69,993.", result(["route", "flights"], *rows))
    assert {True, False} == {figure.grounded for figure in found}


def test_more_cells_than_the_bound_are_too_large() -> None:
    """A result of millions of cells is refused, not held."""
    with pytest.raises(TooLarge):
        evidence_of(
            turn("1", result([f"c{n}" for n in range(50)], *[[0] * 50 for _ in range(5000)])), Conversation(id="c")
        )


@pytest.mark.parametrize("words", ["It had {} flights.", "It was {}.5% of the total."])
def test_a_wide_table_without_texts_ends_soon(words: str) -> None:
    """2,000 columns of numbers and 1,500 figures are no more work than the bound allows."""
    rows = [[(row * 2000 + column) % 9973 + 0.5 for column in range(2000)] for row in range(100)]
    items = [{"kind": "table", "name": "t", "columns": [f"c{n}" for n in range(2000)], "rows": rows}]
    answer = " ".join(words.format(n * 3 + 10_001) for n in range(1500))
    start = time.process_time()
    with suppress(TooLarge):
        ground(answer, evidence_of_record("q", items), "q")
    assert 2.0 > time.process_time() - start


def test_the_same_work_is_too_large_on_any_machine() -> None:
    """The bound counts steps, not seconds."""
    items = [{"kind": "table", "columns": ["n"], "rows": [[7] for _ in range(5000)]}]
    answer = "A 7 with 7 or 7. " * 300
    outcomes: list[int | str] = []
    for _ in range(2):
        try:
            outcomes.append(len(ground(answer, evidence_of_record("", items))))
        except TooLarge as error:
            outcomes.append(error.message)
    assert outcomes[0] == outcomes[1]


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12),
    st.sampled_from(["12%", "(1,234)", "2025-01", "Q3 2024", "$5.7m", "07:30:00", "—", "1e400", "-0", "٣٤", "٫"]),
)  # fmt: skip
WORDS = st.sampled_from(
    "Aurora had 12.4 1,374 flights, 5% more than in January 2026 | total of 3 in 4 -7 (2) €5.7m 万 ½ twice about ≥ 07:30 "
    "2016-17 12h30 1/3 of average each − ‰ 1e309 Q2 week 17 ² ٣".split(" ")
)
ANSWERS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))
TABLES = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.just("table"),
            "columns": st.just(["name", "n", "avg_x", "2024"]),
            "rows": st.lists(st.lists(SCALARS, max_size=4), max_size=6),
            "units": st.sampled_from([{}, {"n": "kUSD", "avg_x": "min"}, {"n": "ratio"}, {"n": "thousand people"}]),
        }
    ),
    max_size=2,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANSWERS, TABLES, ANSWERS)
def test_ground_never_breaks(answer: str, tables: list[dict[str, Any]], text: str) -> None:
    """Any text over any rows gives verdicts in order, on spans of the answer that do not overlap, or TooLarge."""
    items = [*tables, {"kind": "text", "text": text}, {"kind": "definition", "name": "n", "text": text}]
    try:
        found = ground(answer, evidence_of_record(text, items), text)
    except TooLarge:
        return
    end = 0
    for figure in found:
        assert end <= figure.start < figure.end <= len(answer)
        assert answer[figure.start : figure.end] == figure.text
        assert figure.grounded is not None or figure.cause
        end = figure.end
