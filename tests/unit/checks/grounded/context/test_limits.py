"""Bounded work: whatever the record holds, the check ends soon, in a verdict or in TooLarge."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor import sql
from monitor.checks.grounded.answer import MAX_FIGURES
from monitor.checks.grounded.evidence.gather import evidence_of, evidence_of_record
from monitor.checks.grounded.evidence.index import MAX_WORK
from monitor.checks.grounded.verdict import MAX_ANSWER, ground
from monitor.conversation import Conversation
from monitor.errors import TooLarge
from tests.unit.checks.grounded.turns import figures, result, turn

MAX_CALLS = 10 * MAX_WORK
"""Calls that the work of one answer may take. They are counted where time would be measured: a step is half a microsecond,
in which ten functions, most of them built in, can be called at most."""
PIECES = (
    "1", "1,", "1 ", "1.", "(", "((1))", "SELECT ", "SELECT FROM ", " ", "\n", "- \n", "| 1 ", "`", "](", "a@", "@", "a", "1:", "10:00:00 ",
    "2025-01-01 ", "January ", "more than ", "million ", "row 1 ", "row 1 is 7. ", "123 ", ". A", " and ", "http://", "+49 12 ", "1e9",
    "万1", "三百人", "百分之十", "İ1 ", "two hundred and ", "einhundert", "|(1)", "1 to ", "1/", "5 of 7 ", "row 5 had 35 and 12% more than row 6. ",
)  # fmt: skip
Items = list[dict[str, Any]]


def table(rows: int) -> dict[str, Any]:
    body = [[f"row {n}", n * 7, n / 97, f"2025-{n % 12 + 1:02d}-{n % 28 + 1:02d}", str(n)] for n in range(rows)]
    return {"kind": "table", "name": "t", "columns": ["name", "n", "share", "day", "k"], "rows": body}


def wide(rows: int, columns: int, **more: Any) -> dict[str, Any]:
    """A table of names, kinds and numbers."""
    body = [
        [f"Name{r}", f"Kind{r % 9}", *((r * 37 + c * 11) % 9973 + 0.25 for c in range(columns))] for r in range(rows)
    ]
    return {"kind": "table", "columns": ["name", "kind", *(f"m{c}" for c in range(columns))], "rows": body, **more}


def calls(answer: str, items: Items, question: str = "q") -> int:
    """How many functions are called until the answer is judged, or found too large."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        ground(answer, evidence_of_record(question, items), question)
    except TooLarge:
        pass
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("rows", [20, 10_000])
@pytest.mark.parametrize("piece", PIECES)
def test_hostile_text_ends_soon(piece: str, rows: int) -> None:
    """100 KB of anything is within the bound or too large, beside a small table and a large one."""
    answer = (piece * (MAX_ANSWER // len(piece) + 1))[:MAX_ANSWER]
    evidence = evidence_of_record("q", [table(rows)])
    try:
        found = ground(answer, evidence, "q")
    except TooLarge:
        return
    assert MAX_FIGURES >= len(found)
    assert MAX_WORK >= evidence.work


SENTENCE = "{} and {} had {:d} in total, {:d}% more, on average {:d}.7 and a share of {:d}.3%."
"""What announces every kind of derivation."""


def derivations(first: str, second: str, count: int) -> str:
    return " ".join(
        SENTENCE.format(first.format(n % 190), second.format(n % 190 + 1), n * 3 + 10_001, n, n, n % 90)
        for n in range(count)
    )


HOSTILE: dict[str, Callable[[], tuple[str, Items]]] = {
    "names and figures in one clause": lambda: (" ".join(f"Name{n} {n * 7}" for n in range(1900)), [wide(3000, 1)]),
    "names and figures in one sentence": lambda: (" and ".join(f"Name{n} {n * 7}" for n in range(1900)), [wide(3000, 1)]),
    "clauses in one sentence": lambda: (", ".join(f"Name{n % 50} had {n * 7 + 1} flights that we saw, on average" for n in range(800)), [wide(50, 5)]),
    "words between figures": lambda: ("x " * 25_000 + " ".join(str(n * 7) for n in range(800)), [wide(50, 5)]),
    "figures in one clause": lambda: (" ".join(str(n * 7) for n in range(1900)), [table(3000)]),
    "one name in every row": lambda: ("Kind1 had 7 and Kind1 had 8. " * 500, [wide(9000, 1)]),
    "conditions": lambda: ("3 are above 90 and 5 below 10 and 8 more than 20. " * 300, [wide(5000, 30)]),
    "long names of columns": lambda: ("It had 5 flights of col. " * 200, [wide(9, 2) | {"columns": ["name", "kind", "of a " * 900, "b"]}]),
    "many tables": lambda: ("Name5 had 777777 in total, 5% more. " * 100, [wide(5, 3) for _ in range(400)]),
    "columns of numbers": lambda: (" ".join(f"It had {n * 3 + 10_001} flights." for n in range(1500)), [wide(100, 1900)]),
    "derivations over names": lambda: (derivations("Name{}", "Name{}", 400), [wide(2000, 40)]),
    "derivations over groups": lambda: (derivations("Kind{}", "Kind1", 400), [wide(2000, 40)]),
    "derivations over all rows": lambda: (derivations("It", "they", 400), [wide(190, 40)]),
    "one value in every cell": lambda: ("Name5 had 7 of m. " * 900, [wide(2000, 39) | {"rows": [[f"Name{n}", "k"] + [7] * 39 for n in range(2000)]}]),
    "totals of what was cut off": lambda: ("In total 777777. " * 1500, [wide(2000, 40, truncated=True, row_count=9999)]),
    "months": lambda: ("In January it was 7, from June to August 9. " * 400, [wide(9000, 1) | {"rows": [[f"2025-{n % 12 + 1:02d}", "k", n] for n in range(9000)]}]),
    "literals of SQL": lambda: ("It was 7777 on 2025-03-04. " * 400, [wide(30, 5, sql="SELECT a FROM t WHERE b IN (" + ",".join(f"'{n}-01-02'" for n in range(1500)) + ")")]),
    "arguments": lambda: ("It was 7777 on 2025-03-04. " * 400, [wide(3, 2, arguments={"filters": [{"a": str(n), "b": n} for n in range(5000)]})]),
    "claims and counts": lambda: (" ".join(f"Name{n % 50} had the highest m3 of {n}.25, {n % 40 + 2} names had more than {n} m4." for n in range(500)), [wide(50, 60)]),
    "margins": lambda: (" ".join(f"Name{n} had {n} more m3 than Name{n + 7}." for n in range(900)), [wide(1000, 5)]),
    "notes": lambda: ("It was on 3 May 2023 and 192.1. " * 400, [{"kind": "table", "columns": ["a"], "rows": [[f"On 4 June 20{n % 90 + 10} with 3 of {n}, in words " * 3] for n in range(3000)]}]),
    "texts": lambda: ("It had 5 flights.", [{"kind": "text", "text": "It had 123 flights in 2019, 12.5% more. " * 2500 + str(n)} for n in range(20)]),
    "cells to be parsed": lambda: ("It had 5.", [{"kind": "table", "columns": ["a", "b"], "rows": [[f"{n}.{n % 999:03d},5 €", f"{n} h {n % 60} min"] for n in range(10_000)]}]),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_what_multiplies_is_counted(case: str) -> None:
    """Figures times names, rows, columns, tables or literals: the steps counted stand for the calls made."""
    assert MAX_CALLS > calls(*HOSTILE[case]())


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
    rows = [[f"route {n}", *range(n * 7, n * 7 + 19)] for n in range(10_000)]
    found = figures(
        "route 9999 had 69,993 flights, route 5 had 69,993.", result(["route", *(f"n{n}" for n in range(19))], *rows)
    )
    assert {True, False} == {figure.grounded for figure in found}


def test_a_column_beyond_those_that_are_named_is_judged() -> None:
    """Of a thousand columns only the first are looked at by name; a value in the last one breaks nothing."""
    table = result([f"measure {n}" for n in range(1000)], *[[row * 1000 + n for n in range(1000)] for row in range(9)])
    assert ["8,999"] == [figure.text for figure in figures("The thing of note is 8,999 here.", table)]


def test_more_cells_than_the_bound_are_too_large() -> None:
    """A result of millions of cells is refused, not held."""
    with pytest.raises(TooLarge):
        evidence_of(
            turn("1", result([f"c{n}" for n in range(50)], *[[0] * 50 for _ in range(5000)])), Conversation(id="c")
        )


def test_the_same_work_is_too_large_on_any_machine() -> None:
    """The bound counts steps, not seconds, whatever was looked at before."""
    items = [{"kind": "table", "columns": ["n"], "rows": [[7] for _ in range(5000)]}]
    answer = "A 7 with 7 or 7. " * 300
    outcomes: list[int | str] = []
    for _ in range(2):
        try:
            outcomes.append(len(ground(answer, evidence_of_record("", items))))
        except TooLarge as error:
            outcomes.append(error.message)
    assert outcomes[0] == outcomes[1]


def test_texts_and_tables_seen_before_cost_the_same() -> None:
    """What is kept from an earlier turn counts as it did there, so that an outcome does not hang on what is kept."""
    shown = result(["name", "n"], *[[f"Name{n}", n] for n in range(50)])
    one = turn("Name7 had 7, not 4711.", shown, definitions={"d": "within 15 minutes"})
    work = []
    for _ in range(2):
        evidence = evidence_of(one, Conversation(id="c"))
        ground("Name7 had 7, not 4711.", evidence)
        work.append(evidence.work)
    assert work[0] == work[1]


def test_the_parser_gets_so_much_sql_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many long queries of one turn are not all parsed; what is not is still searched for literals."""
    given: list[int] = []
    plain = sql._parsed

    def parsed(text: str, dialect: str | None, facts: sql.SqlFacts) -> sql.SqlFacts:
        given.append(len(text))
        return plain(text, dialect, facts)

    monkeypatch.setattr(sql, "_parsed", parsed)
    items = [
        wide(3, 1, sql=f"SELECT a{n}, {', '.join(f'c{n}_{c}' for c in range(900))} FROM t WHERE d = {n}4711")
        for n in range(9)
    ]
    found = ground("It was 84711 of 77777777.", evidence_of_record("", items))
    assert 0 < sum(given) <= sql.MAX_SQL
    assert [True, False] == [figure.grounded for figure in found]


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
