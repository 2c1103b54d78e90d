"""
JSON in, bounded: size, encoding, depth.

orjson decides what is JSON: NaN, Infinity, lone surrogates and invalid UTF-8 are refused; of duplicate keys the
last wins. Depth over 64 is refused by us.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from monitor.errors import RecordError

MAX_DEPTH = 64
_NOT_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))


def parse(data: bytes | str) -> Any:
    """The JSON value in *data*. Raises RecordError with cause ``not_utf8``, ``not_json`` or ``too_deep``."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _refusal(raw, error) from None
    if _maybe_deep(raw) and depth(value) > MAX_DEPTH:
        raise RecordError("too_deep", f"JSON nested deeper than {MAX_DEPTH} levels")
    return value


def maybe_json(value: Any) -> Any:
    """What a string holds when it holds a JSON object or list, else *value* itself. JSON columns arrive either way."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return parse(value)
    except RecordError:
        return value


def json_fields(value: Any, names: Iterable[str]) -> Any:
    """*value* itself, unless it or one of its fields *names* is JSON as text: then a copy in which that is parsed."""
    held = maybe_json(value)
    if not isinstance(held, dict):
        return held
    texts = {name: maybe_json(held[name]) for name in names if isinstance(held.get(name), str)}
    return {**held, **texts} if texts else held


def depth(value: Any) -> int:
    """Levels of lists and objects in *value*; 0 for a scalar. Never recurses."""
    level, current = 0, [value]
    while current:
        inner: list[Any] = []
        for item in current:
            if isinstance(item, dict):
                inner.extend(item.values())
                inner.append(None)
            elif isinstance(item, list):
                inner.extend(item)
                inner.append(None)
        if not inner:
            return level
        level, current = level + 1, inner
    return level


def _maybe_deep(raw: bytes) -> bool:
    """
    Whether *raw* could nest deeper than the limit, at the price of a scan in C.

    Brackets inside strings can fool it only into a needless or, for text made to do so, a skipped exact count; what
    is skipped stays under the parser's own limit and is met again as a RecursionError that quarantines the record.
    """
    brackets = raw.translate(None, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return False
        shorter = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(shorter) == len(brackets):
            return True
        brackets = shorter
    return bool(brackets)


def _refusal(raw: bytes, error: orjson.JSONDecodeError) -> RecordError:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        return RecordError("not_utf8", f"invalid UTF-8 at byte {bad.start}")
    if "recursion" in error.msg.lower() or "depth" in error.msg.lower():
        return RecordError("too_deep", f"JSON nested deeper than {MAX_DEPTH} levels")
    return RecordError("not_json", f"not JSON: {error.msg}")
