"""Dates, weeks, quarters, years and times: read in any writing, and compared part by part."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.dates import Moment, find_moments, moment_of


def parts(moment: Moment) -> dict[str, int]:
    names = ("year", "month", "day", "quarter", "week", "minute", "first_day", "last_year", "last_week")
    return {name: getattr(moment, name) for name in names if getattr(moment, name) is not None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1–14 January 2026", {"year": 2026, "month": 1, "day": 14, "first_day": 1}),
        ("January 1-14, 2026", {"year": 2026, "month": 1, "day": 14, "first_day": 1}),
        ("14/01/2026", {"year": 2026, "month": 1, "day": 14}),
        ("14.01.26", {"year": 2026, "month": 1, "day": 14}),
        ("1. Januar 2026", {"year": 2026, "month": 1, "day": 1}),
        ("el 3 de marzo de 2025", {"year": 2025, "month": 3, "day": 3}),
        ("1er mars 2025", {"year": 2025, "month": 3, "day": 1}),
        ("May 2025", {"year": 2025, "month": 5}),
        ("Q3 2024", {"year": 2024, "quarter": 3}),
        ("FY2024", {"year": 2024}),
        ("FY24", {"year": 2024}),
        ("2016-17", {"year": 2016, "last_year": 2017}),
        ("2024/25", {"year": 2024, "last_year": 2025}),
        ("week 17", {"week": 17}),
        ("weeks 14–17", {"week": 14, "last_week": 17}),
        ("2025-W17", {"year": 2025, "week": 17}),
        ("2025年4月", {"year": 2025, "month": 4}),
        ("7:30 pm", {"minute": 1170}),
        ("at 07:30", {"minute": 450}),
        ("2025-05-06T07:30:00+01:00", {"year": 2025, "month": 5, "day": 6, "minute": 450}),
    ],
)
def test_a_moment_is_read(text: str, expected: dict[str, int]) -> None:
    """Every usual writing of a date or time gives its parts."""
    assert [expected] == [parts(moment) for moment in find_moments(text)]


@pytest.mark.parametrize(
    "text", ["may be 5", "score 3:2", "10/15", "ratio 1.5.2", "x2025-01-01", "1,234.56", "March of", "10-15"]
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    """Scores, fractions and versions are no dates."""
    assert [] == find_moments(text)


@pytest.mark.parametrize(
    ("stated", "given", "expected"),
    [
        ("January 2026", "2026-01-14", True),
        ("14 January", "2026-01-14", True),
        ("15 January 2026", "2026-01-14", False),
        ("January 2025", "2026-01-14", False),
        ("Q1 2026", "2026-02", True),
        ("Q2 2026", "2026-02", False),
        ("03/04/2025", "2025-04-03", True),
        ("03/04/2025", "2025-03-04", True),
        ("week 17", "2025-W17", True),
        ("week 16", "2025-W17", False),
        ("06:30 UTC", "2025-05-06T07:30:00+01:00", True),
        ("07:30", "2025-05-06T07:30:00", True),
        ("07:31", "2025-05-06T07:30:00", False),
    ],
)
def test_a_stated_moment_agrees_with_what_is_given(stated: str, given: str, expected: bool) -> None:
    """No part that is stated may differ, and none may be missing."""
    other = moment_of(given)
    assert other is not None
    assert expected is find_moments(stated)[0].agrees(other)
