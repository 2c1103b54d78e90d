"""
Logs: structured, to standard error, without a word of what was recorded.

People on a terminal get lines, everything else one JSON object a line.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

_LONGEST = 500


def setup(level: str = "info") -> None:
    """Send logs of *level* and above to standard error; a library that would print what is secret says nothing."""
    logging.getLogger("opentelemetry.util.re").disabled = True
    number = logging.getLevelNamesMapping()[level.upper()]
    terminal = sys.stderr.isatty()
    render: Any = structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _bounded,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _bounded(_logger: Any, _method: str, event: Any) -> Any:
    """Cut long values and neutralise control characters: paths and error texts may come from outside."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = printable(value, _LONGEST)
    return event


def printable(text: str, limit: int = 0) -> str:
    """*text* on one line without control or bidirectional characters, cut to *limit* characters when that is not 0."""
    clean = "".join(char if char.isprintable() and char not in _BIDI else " " for char in text[: limit or None])
    return clean + "…" if limit and len(text) > limit else clean


_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
