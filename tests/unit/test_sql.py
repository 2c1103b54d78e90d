"""What a recorded SQL text says, and that hostile text only ever says less."""

from __future__ import annotations

import time

import pytest

from monitor.sql import MAX_SQL, facts


def test_a_query_says_its_literals_limit_aggregates_and_tables() -> None:
    """Everything that a figure may come from is read."""
    found = facts(
        "SELECT carrier, SUM(x) AS total, AVG(d) avg_d FROM ops.flights WHERE day >= '2026-01-01' AND n > 15 LIMIT 5"
    )
    assert ("2026-01-01", "15", "5") == found.literals
    assert 5 == found.limit
    assert {"total": "sum", "avg_d": "avg"} == dict(found.aggregations)
    assert {"ops.flights"} == set(found.tables)
    assert found.parsed


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT SUM(a) AS x FROM t", "sum"),
        ("SELECT COUNT(*) x FROM t", "count"),
        ("SELECT COUNT(DISTINCT a) AS x FROM t", "count_distinct"),
        ("SELECT AVG(a) AS x FROM t", "avg"),
        ("SELECT MAX(a) AS x FROM t", "max"),
        ("SELECT SUM(a) / SUM(b) AS x FROM t", "ratio"),
        ("SELECT SAFE_DIVIDE(SUM(a), SUM(b)) AS x FROM t", "ratio"),
    ],
)
def test_an_output_is_known_by_its_aggregate(query: str, kind: str) -> None:
    """A sum may be added up, a ratio of sums may not."""
    assert (("x", kind),) == facts(query).aggregations


@pytest.mark.parametrize(
    "text", ["", "hello", "SELECT", "SELECT ((((", "SELECT 'unclosed", "DROP TABLE t; --", "\x00", "SELECT " * 500]
)
def test_what_does_not_parse_is_scanned(text: str) -> None:
    """Nothing that a record holds raises."""
    assert isinstance(facts(text).literals, tuple)


def test_a_text_beyond_the_bound_is_only_scanned() -> None:
    """The parser never sees more than the bound."""
    found = facts("SELECT 1 AS a FROM t LIMIT 7".ljust(MAX_SQL + 1))
    assert (False, 7) == (found.parsed, found.limit)


@pytest.mark.parametrize("piece", ["(", "'", "SELECT ", "1,", "a.", "-- x\n", "CASE ", "NOT ", "/*"])
def test_hostile_sql_ends_soon(piece: str) -> None:
    """20 KB of anything is a matter of moments."""
    start = time.process_time()
    facts((piece * MAX_SQL)[:MAX_SQL])
    assert 5.0 > time.process_time() - start
