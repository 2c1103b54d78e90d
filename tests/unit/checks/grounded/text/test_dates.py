"""Dates, weeks, quarters, years and times: read in any writing, and compared part by part."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.dates import Moment, find_moments, moment_of


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
        ("15 maja 2025", {"year": 2025, "month": 5, "day": 15}),
        ("w marcu 2025", {"year": 2025, "month": 3}),
        ("den 3 maj 2025", {"year": 2025, "month": 5, "day": 3}),
        ("15 मार्च 2025", {"year": 2025, "month": 3, "day": 15}),
        ("15 مارس 2025", {"year": 2025, "month": 3, "day": 15}),
        ("im 2. Quartal 2025", {"year": 2025, "quarter": 2}),
        ("T1 2025", {"year": 2025, "quarter": 1}),
        ("el 1.º trimestre de 2025", {"year": 2025, "quarter": 1}),
        ("2e kwartaal 2025", {"year": 2025, "quarter": 2}),
        ("2025年第3四半期", {"year": 2025, "quarter": 3}),
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
        ("october 12 , 1980", {"year": 1980, "month": 10, "day": 12}),
        ("January 11th, 1893", {"year": 1893, "month": 1, "day": 11}),
        ("19 / 4 / 2008", {"year": 2008, "month": 4, "day": 19}),
        ("2009 - 04 - 01", {"year": 2009, "month": 4, "day": 1}),
        ("2008 - 09", {"year": 2008, "last_year": 2009}),
        ("1999-00", {"year": 1999, "last_year": 2000}),
        ("2013, October", {"year": 2013, "month": 10}),
        ("Apr-24", {"year": 2024, "month": 4}),
        ("04/2025", {"year": 2025, "month": 4}),
        ("second quarter of 2024", {"year": 2024, "quarter": 2}),
        ("im zweiten Quartal 2024", {"year": 2024, "quarter": 2}),
        ("2. Quartal 2024", {"year": 2024, "quarter": 2}),
        ("deuxième trimestre 2024", {"year": 2024, "quarter": 2}),
        ("Q2'24", {"year": 2024, "quarter": 2}),
        ("2Q24", {"year": 2024, "quarter": 2}),
        ("2013, Q3", {"year": 2013, "quarter": 3}),
        ("KW 17/2025", {"year": 2025, "week": 17}),
        ("2025-05-06T07:30:00+01:00", {"year": 2025, "month": 5, "day": 6, "minute": 450}),
    ],
)
def test_a_moment_is_read(text: str, expected: dict[str, int]) -> None:
    """Every usual writing of a date or time gives its parts."""
    assert [expected] == [parts(moment) for moment in find_moments(text)]


@pytest.mark.parametrize(
    "text",
    [
        "may be 5",
        "score 3:2",
        "10/15",
        "ratio 1.5.2",
        "x2025-01-01",
        "1,234.56",
        "March of",
        "10-15",
        "1. 2. 30",
        "May 1200 units",
        "20 / 4",
    ],
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
        ("week 17", "2025-04-22", True),
        ("week 1 of 2025", "2024-12-31", True),
        ("week 16", "2025-04-22", False),
        ("20 August", "wednesday , august 20", True),
        ("1 April 2009", "2009 - 04 - 01 ( core city )", True),
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
