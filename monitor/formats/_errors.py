"""What a tool result says went wrong, and which class of error that is."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from monitor.conversation import ErrorKind, Json, canonical

REFUSALS = frozenset(
    "fan_out no_path mixed_grain metric_unanchored unknown_metric unknown_field tables_not_shared table_not_readable "
    "environment_not_enabled unsafe_expression forbidden permission_denied access_denied policy_violation "
    "not_supported".split()
)
RECOVERABLE = frozenset(
    "ambiguous_join invalid_grain invalid_order invalid_request invalid_model no_model syntax_error".split()
)
INFRASTRUCTURE = frozenset(
    "busy unavailable timeout platform_error rate_limited resource_exhausted deadline_exceeded".split()
)

_SHORT = 2_000
ERROR_TEXT_KEYS = (
    *("message", "error_message", "error_details", "detail", "details", "reason"),
    *("text", "content", "error", "description"),
)
_ERROR_PREFIX = r"(?i:\w{0,60}(?:error|exception))(?: (?:executing|calling|running) (?:tool )?[\w./-]{1,100})?:"
_CODE = re.compile(
    rf"\s*(?:{_ERROR_PREFIX}\s+)?(?!(?:error|warning|exception|message)\b)([a-z][a-z0-9_]{{2,60}}):(?!/)"
)
_SAYS_ERROR = re.compile(rf"\s*{_ERROR_PREFIX}")
_SYNTAX = re.compile(r"\bsyntax error\b|\bparse error\b|^syntax\b", re.IGNORECASE)
_HTTP = re.compile(r"(?i:http[ /]?)?([45]\d\d)(?=\s*$|[:,.;]|\s+(?:[A-Z]|internal|too many|service|bad|gateway))")


class ErrorClasses(BaseModel):
    """
    Which error codes are refusals, which the agent can mend, and which are the platform's.

    The lists add to the built-in ones; a code named here leaves its built-in class.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    refusal: frozenset[str] = frozenset()
    recoverable: frozenset[str] = frozenset()
    infrastructure: frozenset[str] = frozenset()

    @field_validator("refusal", "recoverable", "infrastructure")
    @classmethod
    def _lower(cls, codes: frozenset[str]) -> frozenset[str]:
        return frozenset(code.strip().lower() for code in codes)

    def kind(self, code: str | None, message: str = "", refused: bool = False) -> ErrorKind:
        """The class of an error with this *code* and *message*; ``unknown`` when neither tells."""
        if refused:
            return "refusal"
        name = (code or "").strip().lower()
        own: tuple[tuple[ErrorKind, frozenset[str]], ...] = (
            ("refusal", self.refusal),
            ("recoverable", self.recoverable),
            ("infrastructure", self.infrastructure),
        )
        built_in: tuple[tuple[ErrorKind, frozenset[str]], ...] = (
            ("refusal", REFUSALS),
            ("recoverable", RECOVERABLE),
            ("infrastructure", INFRASTRUCTURE),
        )
        for kind, codes in own + built_in:
            if name in codes:
                return kind
        status = _HTTP.match(name) or _HTTP.match(message)
        if status and (status[1] == "429" or status[1].startswith("5")):
            return "infrastructure"
        if _SYNTAX.search(name.replace("_", " ")) or _SYNTAX.search(message[:500]):
            return "recoverable"
        return "unknown"


def error_in(result: Json) -> tuple[str | None, str, bool] | None:
    """(code, message, refused) that a result itself reports; never from rows, an empty or null ``error`` key."""
    if not isinstance(result, dict):
        return None
    refused = result.get("refused") is True
    error = result.get("error")
    if isinstance(error, str):
        error = error.strip()
    if error in ("", {}, [], False):
        error = None
    flagged = result.get("isError") is True or result.get("is_error") is True
    if error is None and not (refused or flagged or _bad_status(result)):
        return None
    body: Json = result if error is None else error
    if isinstance(body, dict) and isinstance(body.get("error"), dict) and body["error"]:
        body = body["error"]
    code = _error_code(body) or next(
        (found for key in ("code", "error_code") if (found := text_of(result.get(key)))), None
    )
    text = _error_text(body)
    if not text and body is not result:
        text = _error_text(result)
    if not text and code is None:
        text = "the tool reported an error"
    return (code or leading_code(text), text, refused)


def _bad_status(result: dict[str, Any]) -> bool:
    """Whether a result says that it failed, and what went wrong; a status alone may be the row's own."""
    status = result.get("status")
    bad = isinstance(status, str) and status.lower() in ("error", "failed", "failure", "refused", "denied")
    return bad and any(text_of(result.get(key)) for key in ("error_details", "error_message", "error", "message"))


def _error_text(body: Json) -> str:
    if not isinstance(body, dict):
        return text_of(body)
    return next((text for key in ERROR_TEXT_KEYS if (text := text_of(body.get(key)))), "")


def _error_code(body: Json) -> str | None:
    """``code``, ``type`` or ``error_code``; beside a numeric code the name that Google's APIs give as ``status``."""
    if not isinstance(body, dict):
        return None
    code = next((text for key in ("code", "error_code", "type") if (text := text_of(body.get(key)))), None)
    status = body.get("status")
    if code and code.isdigit() and isinstance(status, str) and re.fullmatch(r"[A-Z_]{3,60}", status):
        return status
    return code


def error_said(text: str, classes: ErrorClasses) -> tuple[str | None, str, bool] | None:
    """The error that a result of plain text reports: one that starts with a known code, or with ``Error:``."""
    code = leading_code(text)
    if code and classes.kind(code) != "unknown":
        return (code, text, False)
    return (code, text, False) if len(text) < _SHORT and _SAYS_ERROR.match(text) else None


def leading_code(message: str) -> str | None:
    """The code that a message starts with (``fan_out: …``), also after ``Error executing tool run_query:``."""
    found = _CODE.match(message)
    return found[1] if found else None


def text_of(value: Json) -> str:
    """*value* as text: JSON where it is a list or object, nothing where it is None or a boolean."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return str(value)
    return canonical(value).decode()
