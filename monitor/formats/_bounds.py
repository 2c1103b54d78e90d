"""What happens to values that JSON cannot hold, or that nest without end: the record is refused, nothing breaks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from monitor.errors import RecordError

_FOREIGN = ("JSON serializable", "valid UTF-8", "64-bit", "Dict key", "cannot hash")
"""Words of orjson's and our own refusals."""


@contextmanager
def json_only() -> Iterator[None]:
    """Turn what Python and orjson say of too deep or foreign values into RecordError (``too_deep``, ``invalid``)."""
    try:
        yield
    except RecursionError:
        raise RecordError("too_deep", "a value is nested too deep") from None
    except TypeError as error:
        text = str(error)
        if "Recursion" in text:
            raise RecordError("too_deep", "a value is nested too deep") from None
        if any(mark in text for mark in _FOREIGN):
            raise RecordError("invalid", f"a value is no JSON: {text}"[:200]) from None
        raise
