"""Periods name rows, and are held against the queries' own filters."""

from __future__ import annotations

from typing import Any

import pytest

from monitor.checks.grounded.context.periodnames import days, find_periods
from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.evidence.timefilters import filters
from monitor.checks.grounded.text.dates import find_moments
from monitor.checks.grounded.text.figures import find_figures
from tests.unit.checks.grounded.turns import figures, value

MONTHS = [["2024-01", 10], ["2024-02", 20], ["2024-03", 30], ["2024-04", 44], ["2025-04", 50]]
DAYS = [[f"2024-03-{day:02}", day] for day in range(1, 15)]
PARTS = [[2023, 1, 10], [2023, 2, 20], [2024, 1, 30], [2024, 2, 44]]
WEEKS = [["2025-W14", 1], ["2025-W15", 2], ["2025-W16", 3]]


@pytest.mark.parametrize(
    ("columns", "rows", "answer", "expected"),
    [
        (["month", "n"], MONTHS, "in March 2024", [2]),
        (["month", "n"], MONTHS, "in April", [3, 4]),
        (["month", "n"], MONTHS, "in March and April 2024", [2, 3]),
        (["month", "n"], MONTHS, "in April and May 2024", [3]),
        (["month", "n"], MONTHS, "Apr was best", [3, 4]),
        (["month", "n"], MONTHS, "in Q1", [0, 1, 2]),
        (["month", "n"], MONTHS, "in the first quarter", [0, 1, 2]),
        (["month", "n"], MONTHS, "in the second quarter of 2025", [4]),
        (["month", "n"], MONTHS, "in H1 2024", [0, 1, 2, 3]),
        (["month", "n"], MONTHS, "in 2025", [4]),
        (["month", "n"], MONTHS, "they may be late", []),
        (["day", "n"], DAYS, "from 3 to 5 March", [2, 3, 4]),
        (["day", "n"], DAYS, "in the first week of March", [0, 1, 2, 3, 4, 5, 6]),
        (["day", "n"], DAYS, "on Tuesdays", [4, 11]),
        (["day", "n"], DAYS, "on Tuesday, 5 March", [4]),
        (["day", "n"], DAYS, "in week 10", [3, 4, 5, 6, 7, 8, 9]),
        (["week", "n"], WEEKS, "in weeks 14–15", [0, 1]),
        (["year", "month", "n"], PARTS, "in January 2024", [2]),
        (["fiscal_year", "month", "n"], PARTS, "in February", [1, 3]),
        (["quarter", "n"], [[1, 5], [2, 6]], "in Q2", [1]),
        (["iso_week", "n"], [[14, 5], [15, 6]], "in week 15", [1]),
        (["hour", "n"], [[8, 5], [14, 6]], "at 2 pm", [1]),
        (["week", "n"], [["14", 5], ["all", 6], ["none", 7]], "in week 14", []),
    ],
)
def test_a_period_names_its_rows(columns: list[str], rows: list[list[Any]], answer: str, expected: list[int]) -> None:
    """Whatever the period is called in the answer, and however the rows write it."""
    evidence = evidence_of_record("", [{"kind": "table", "columns": columns, "rows": rows}])
    found = find_periods(answer, find_figures(answer), evidence)
    assert expected == sorted({cell.row for mention in found for cell in mention.cells})


HALF_OPEN = "SELECT SUM(r) FROM t WHERE d >= '2024-04-01' AND d < '2024-07-01'"
CLOSED = "SELECT SUM(r) FROM t WHERE d BETWEEN DATE '2024-04-01' AND DATE '2024-06-30'"


@pytest.mark.parametrize("sql", [HALF_OPEN, CLOSED])
@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("in Q2 2024", True),
        ("in the second quarter of 2024", True),
        ("in Q3 2024", False),
        ("in Q1 2024", False),
        ("in July 2024", False),
        ("in May 2024", False),
        ("in 2024", True),
        ("in 2025", False),
        ("on 5 May 2024", False),
        ("in June 2024", True),
        ("on 1–30 June 2024", False),
        ("on 1–14 April 2024", False),
    ],
)
def test_a_period_is_held_against_the_filter(sql: str, period: str, expected: bool) -> None:
    """The filter's own period, or one that holds it or shares an end, is grounded; others are not."""
    found = figures(f"Revenue {period} was 1,234.", value(1234), sql=sql)
    assert [expected, True] == [figure.grounded for figure in found]


def test_a_range_of_days_is_the_filter_s_own() -> None:
    """Both ends count."""
    sql = "SELECT SUM(r) FROM t WHERE d BETWEEN '2026-01-01' AND '2026-01-14'"
    answers = ["1–14 January 2026: 1,234", "1–15 January 2026: 1,234", "2–14 January 2026: 1,234"]
    assert [True, False, False] == [figures(answer, value(1234), sql=sql)[0].grounded for answer in answers]


def test_a_year_that_only_ends_the_filter_is_not_covered() -> None:
    """``< 2025-01-01`` says nothing of 2025."""
    sql = "SELECT SUM(r) FROM t WHERE d >= '2024-01-01' AND d < '2025-01-01'"
    said = [figures(f"Revenue in {year} was 1,234.", value(1234), sql=sql)[0].grounded for year in (2024, 2025)]
    assert [True, False] == said


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"filters": [{"field": "month", "op": "=", "value": "2025-06"}]}, [("2025-06-01", "2025-06-30")]),
        (
            {"filters": [{"member": "d", "operator": "gte", "values": ["2025-06-01"]}, {"member": "d", "operator": "lt",
             "values": ["2025-07-01"]}]},
            [("2025-06-01", "2025-06-30")],
        ),
        ({"timeDimensions": [{"dimension": "d", "dateRange": ["2026-01-01", "2026-01-14"]}]}, [("2026-01-01", "2026-01-14")]),
        ({"startDate": "2026-01-01", "endDate": "2026-01-14"}, [("2026-01-01", "2026-01-14")]),
        ({"filters": [{"field": "d", "op": ">=", "value": "2025-06-01"}]}, []),
        ({"note": "2025-06-01"}, []),
    ],
)  # fmt: skip
def test_the_arguments_of_a_semantic_query_are_filters(given: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    """Operators, ranges, and start and end are read; half a period is none."""
    spans = [(days(find_moments(first)[0]), days(find_moments(last)[0])) for first, last in expected]
    assert [(first[0], last[1]) for first, last in spans if first and last] == list(filters([], [given]).periods)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM t WHERE d >= '2024-04-01' OR d < '2024-02-01'",
        "SELECT 1 FROM t WHERE NOT (d >= '2024-04-01' AND d < '2024-07-01')",
        "SELECT 1 FROM t WHERE d > '2024-07-01' AND d < '2024-04-01'",
        "SELECT 1 FROM t WHERE d >= '2024-04-01'",
        "x" * 30_000 + " >= '2024-04-01'",
    ],
)
def test_a_filter_that_is_not_understood_restricts_nothing(sql: str) -> None:
    """Alternatives, negations, empty and open periods are no period."""
    assert () == filters([sql], []).periods


@pytest.mark.parametrize(
    ("answer", "sql", "expected"),
    [
        ("Over the 91 days revenue was 1,234.", HALF_OPEN, True),
        ("Over the 92 days revenue was 1,234.", HALF_OPEN, False),
        ("In the 3 months revenue was 1,234.", CLOSED, True),
        ("In the 13 weeks revenue was 1,234.", CLOSED, True),
        ("In the 12 weeks revenue was 1,234.", CLOSED, False),
    ],
)
def test_the_length_of_the_filter_is_counted(answer: str, sql: str, expected: bool) -> None:
    """Days, weeks, months and quarters of the query's own period."""
    said = [figure.grounded for figure in figures(answer, value(1234), sql=sql) if "1,234" not in figure.text]
    assert [expected] == said
