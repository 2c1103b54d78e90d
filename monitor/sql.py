"""
What a recorded SQL text says: its literals, limit, aggregates, tables. Parsed, never run; cached by text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_SQL = 20_000
"""Characters that the parser gets, of one text and of one turn."""
_LITERAL = re.compile(r"'([^']{1,200})'|(?<![\w.])(\d+(?:\.\d+)?)(?![\w.])")
_LIMIT = re.compile(r"\blimit\s+(\d{1,12})", re.IGNORECASE)


class SqlFacts(NamedTuple):
    """
    *literals*: numbers and strings as written; *limit*; *aggregations* by lower-case output column (``sum``, ``avg``,
    ``count``, ``count_distinct`` …); *tables* and *outputs* (normalised expressions of the select list) for comparing
    two queries. *parsed* is false where the text could only be scanned.
    """

    literals: tuple[str, ...] = ()
    limit: int | None = None
    aggregations: tuple[tuple[str, str], ...] = ()
    tables: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    parsed: bool = False


@lru_cache(maxsize=1024)
def facts(sql: str, dialect: str | None = None) -> SqlFacts:
    """The facts of *sql*. Never raises: what is too long or does not parse is scanned for literals only."""
    plain = scanned(sql)
    if len(sql) > MAX_SQL:
        return plain
    try:
        return _parsed(sql, dialect, plain)
    except Exception:  # noqa: BLE001 - the parser meets hostile text: whatever it raises means "not parsed"
        return plain


def scanned(sql: str) -> SqlFacts:
    """What *sql* says without a parser: literals and limit of its first MAX_SQL characters."""
    literals = tuple(text or number for text, number in _LITERAL.findall(sql[:MAX_SQL]))
    limit = _LIMIT.search(sql[:MAX_SQL])
    return SqlFacts(literals=literals, limit=int(limit[1]) if limit else None)


def _parsed(sql: str, dialect: str | None, plain: SqlFacts) -> SqlFacts:
    import logging

    import sqlglot
    from sqlglot import exp

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    tree = sqlglot.parse_one(sql, read=dialect if dialect in _dialects() else "bigquery")
    select = tree.find(exp.Select)
    if select is None:
        return plain
    aggregations: list[tuple[str, str]] = []
    outputs: set[str] = set()
    for expression in select.expressions:
        inner = expression.unalias()
        outputs.add(inner.sql(normalize=True).lower())
        found = inner if isinstance(inner, exp.AggFunc) else inner.find(exp.AggFunc)
        if found is not None and expression.alias_or_name:
            kind = found.key
            if found is not inner and isinstance(inner, (exp.Div, exp.SafeDivide)):
                kind = "ratio"
            elif kind == "count" and found.find(exp.Distinct):
                kind = "count_distinct"
            aggregations.append((expression.alias_or_name.lower(), kind))
    tables = frozenset(table.sql(dialect="bigquery").split(" AS ")[0].lower() for table in tree.find_all(exp.Table))
    return plain._replace(aggregations=tuple(aggregations), tables=tables, outputs=frozenset(outputs), parsed=True)


@lru_cache(maxsize=1)
def _dialects() -> frozenset[str]:
    from sqlglot.dialects.dialect import Dialects

    return frozenset(dialect.value for dialect in Dialects)
