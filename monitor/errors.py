"""
What can go wrong, said once: what happened, where, and what to do next.

Every error that a person can mend is a :class:`MonitorError` with a hint. The command line prints both and
exits with 2; anything else that escapes is a defect of ours.
"""

from __future__ import annotations

import traceback


class MonitorError(Exception):
    """
    An error with a remedy.

    *message* says what happened and where; *hint* what to do next, as one sentence for a person.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ConfigError(MonitorError):
    """A configuration or rule file is wrong. Stops the start, with file, line and field in the message."""


class SourceError(MonitorError):
    """A source cannot be read at all: a missing file, a permission, a damaged archive."""


class StoreError(MonitorError):
    """The state store cannot be opened, is locked, full, or has a newer schema."""


class RecordError(MonitorError):
    """
    One record cannot be read. It is quarantined with *cause* and the rest goes on.

    *cause* is low-cardinality: ``not_json``, ``not_utf8``, ``too_deep``, ``too_large``, ``unknown_format``,
    ``invalid`` (right format, wrong content), ``unsupported`` (a known format that is not read).
    """

    def __init__(self, cause: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.cause = cause


class TooLarge(MonitorError):
    """A check's bound on time or size was reached; the outcome is ``not_evaluable: too_large``."""


def where(error: BaseException) -> str:
    """``file:line`` of the innermost frame of *error*: enough to find it, and none of the text it met."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rsplit('/', 2)[-1]}:{frames[-1].lineno}" if frames else "?"
