"""Values as recorders write them: cells that are text by their column's type, and text that is or is not SQL."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

INTEGERS = frozenset("INTEGER INT INT64 BIGINT SMALLINT TINYINT BYTEINT".split())
EXACT = frozenset("NUMERIC BIGNUMERIC DECIMAL BIGDECIMAL".split())
FLOATS = frozenset("FLOAT FLOAT64 DOUBLE REAL".split())
BOOLEANS = frozenset("BOOL BOOLEAN".split())
_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?")
_WHOLE = re.compile(r"[+-]?\d{1,400}")
_VERB = re.compile(r"[a-z]+", re.IGNORECASE)
_INT64 = 2**63
_SCANNED = 20_000
QUERY_VERBS = frozenset(("select", "with"))
SQL_VERBS = QUERY_VERBS | frozenset(
    "from values show describe explain insert update delete merge create call declare begin".split()
)


def typed(value: Any, type_name: str) -> Any:
    """
    A cell by its column's type: text of a whole number as int, of an exact number as Decimal, of a float as float.
    A whole number of more than 64 bits is a Decimal.

    What the type does not fit (a list, a date, a number of 500 digits) stays as it is.
    """
    kind = type_name.strip().upper().split("(", 1)[0]
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return value
    text = value.strip() if isinstance(value, str) else repr(value)
    if kind in BOOLEANS:
        return {"true": True, "false": False}.get(text.lower(), value)
    if not _NUMBER.fullmatch(text):
        return value
    if kind in INTEGERS:
        exact = Decimal(text)
        whole = bool(_WHOLE.fullmatch(text)) or (isinstance(value, float) and value.is_integer())
        return value if not whole else int(exact) if abs(exact) < _INT64 else exact
    if kind in EXACT:
        return Decimal(text)
    number = float(text) if kind in FLOATS else value
    return value if number in (math.inf, -math.inf) else number


def starts_with_verb(text: str, verbs: frozenset[str]) -> bool:
    """Whether the first word of *text* after comments, blanks and parentheses is one of *verbs*. Linear in *text*."""
    text, at = text[:_SCANNED], 0
    while at < len(text):
        if text[at].isspace() or text[at] == "(":
            at += 1
        elif text.startswith(("--", "#"), at):
            at = text.find("\n", at)
        elif text.startswith("/*", at):
            at = text.find("*/", at + 2)
            at = at + 2 if at >= 0 else at
        else:
            word = _VERB.match(text, at)
            return word is not None and word[0].lower() in verbs
        if at < 0:
            return False
    return False
