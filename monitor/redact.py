"""
Take secrets and personal data out of records, before anything is stored, sent or logged.

What is found is replaced by a typed marker such as ``[redacted:api_key]``, so that a reader and a check see that
something was there, and what. Numbers, booleans, nulls and the structure stay as they are; so does, under a name
like ``token``, a string that reads as a number or a date, since an answer may be held against it.

A record without a hit costs one scan of its JSON text by a linear-time engine (Rust's, which pydantic brings). The
patterns of that scan, the *probes*, are looser than the detectors that then look at each string: they may hit in
vain and never miss what a detector would find. Detectors have bounded or possessive repeats only.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import SchemaValidator, core_schema

from monitor.errors import RecordError
from monitor.redact_detectors import (
    ACCOUNT,
    CARD,
    CREDENTIALS,
    EMAIL,
    HIDDEN,
    IDENTIFIER,
    IDENTIFIER_BEFORE,
    KINDS,
    PHONE,
    Detector,
    SecretName,
    secret_name,
    secret_span,
)

Json = Any

MAX_DEPTH = 200
"""Containers within containers that are walked; a deeper record is refused, never half redacted."""
_MARKER = re.compile(r"(\[redacted:[a-z][a-z0-9_]{0,39}\])")
_ROUNDS = 16
MAX_PATTERN = 200
"""Characters of one of your own patterns."""
MAX_WAYS = 5_000
"""Ways in which one of your own patterns may be tried at one place of a text."""
_VALUE_KEYS = frozenset(("value", "stringValue", "string_value"))


class Redaction(BaseModel):
    """
    What to take out.

    *credentials*: keys, tokens, passwords, private keys. Personal data only when asked for: *email*, *phone*,
    *card*, *account* (IBAN, and CLABE or ABA numbers that are called so). *patterns*: your own, a name (it becomes
    the marker) and a regular expression; one without three literal letters or digits in a row costs a look at every
    string of every record.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    credentials: bool = True
    email: bool = False
    phone: bool = False
    card: bool = False
    account: bool = False
    patterns: dict[str, str] = Field(default_factory=dict)

    @field_validator("patterns")
    @classmethod
    def _safe(cls, patterns: dict[str, str]) -> dict[str, str]:
        for name, pattern in patterns.items():
            if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or name in KINDS:
                raise ValueError(
                    f"'{name}' can't name a pattern: write at most 40 lower-case letters, digits and '_', "
                    f"and none of {', '.join(sorted(KINDS))}"
                )
            check_pattern(name, pattern)
        return patterns


class Name(NamedTuple):
    """The name of a field: redacted, the kinds *found* in it, and what it says of the strings under it."""

    clean: str
    found: tuple[str, ...]
    secret: SecretName | None
    identifier: bool


_NO_NAME = Name("", (), None, False)


class Redactor:
    """Redacts by one configuration. Holds no state of records; made once, used for all."""

    def __init__(self, config: Redaction) -> None:
        self._credentials = config.credentials
        personal = ((config.account, ACCOUNT), (config.card, CARD), (config.phone, PHONE), (config.email, EMAIL))
        self._detectors = [
            *(CREDENTIALS if config.credentials else ()),
            *(detector for wanted, detector in personal if wanted),
            *(own_detector(name, pattern) for name, pattern in config.patterns.items()),
        ]
        self._searches = [(detector, _Probe(detector.probe)) for detector in self._detectors]
        self._of_record = _combined([(d.scan, d.probe_of_record or d.probe) for d in self._detectors])
        self._of_string = _combined([(d.scan, d.probe) for d in self._detectors])
        self._shortest = 0 if config.patterns else 6
        self._short_name = lru_cache(maxsize=4096)(self._inspect)

    def text(self, text: str) -> str:
        """Return *text* with markers for what was found; the same object when nothing was."""
        return self._string(text, _NO_NAME, Counter())

    def record(self, value: Json, raw: bytes | None = None) -> tuple[Json, dict[str, int]]:
        """
        Redact a parsed JSON value: keys and values, at any depth, JSON within strings too.

        *raw* is the very JSON text that *value* was parsed from; without it (or with other text) every string is
        looked at. Returns the redacted value, the same object when nothing was found, and how many markers of each
        kind were put in. Raises RecordError (``too_deep``) beyond MAX_DEPTH, unless *raw* shows that nothing is there.
        """
        if not self._detectors or (raw is not None and not _any_hits(self._of_record, raw)):
            return value, {}
        counts: Counter[str] = Counter()
        return self._walk(value, _NO_NAME, 0, counts), dict(counts)

    def _walk(self, value: Json, under: Name, depth: int, counts: Counter[str]) -> Json:
        """Redact what stands *under* a name; the same object when nothing was found."""
        if isinstance(value, str):
            return self._string(value, under, counts)
        if not isinstance(value, dict | list | tuple):
            return value
        if depth >= MAX_DEPTH:
            raise RecordError(
                "too_deep",
                f"the record nests deeper than {MAX_DEPTH} levels and can't be redacted",
                hint="such a record is quarantined; see what writes it",
            )
        if isinstance(value, dict):
            return self._object(value, under, depth, counts)
        items = [self._walk(item, under, depth + 1, counts) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return items if isinstance(value, list) else tuple(items)

    def _object(self, value: dict[Json, Json], under: Name, depth: int, counts: Counter[str]) -> dict[Json, Json]:
        """Redact an object; ``{"key": "password", "value": …}`` names its value like ``{"password": …}`` does."""
        label = value.get("key", value.get("name")) if "value" in value else None
        if isinstance(label, str):
            under = self._name(label)
        out: dict[Json, Json] = {}
        changed = False
        for key, old in value.items():
            name = self._name(key)
            new = self._walk(old, under if key in _VALUE_KEYS else name, depth + 1, counts)
            clean = key
            if name.found:
                counts.update(name.found)
                clean = _unused(name.clean, out, value)
            changed = changed or new is not old or clean is not key
            out[clean] = new
        return out if changed else value

    def _string(self, text: str, under: Name, counts: Counter[str]) -> str:
        secret = under.secret
        if secret is not None and self._credentials and (span := secret_span(text, secret)):
            counts[secret.kind] += 1
            text = f"{text[: span[0]]}[redacted:{secret.kind}]{text[span[1] :]}"
        if len(text) < self._shortest or not _any_hits(self._of_string, text):
            return text
        return self._clean(text, under.identifier, counts)

    def _name(self, key: Json) -> Name:
        if not isinstance(key, str):
            return _NO_NAME
        return self._short_name(key) if len(key) <= 64 else self._inspect(key)

    def _inspect(self, key: str) -> Name:
        counts: Counter[str] = Counter()
        clean = self._string(key, _NO_NAME, counts)
        return Name(clean, tuple(counts.elements()), secret_name(key), IDENTIFIER.search(key) is not None)

    def _clean(self, text: str, identifier: bool, counts: Counter[str]) -> str:
        r"""
        Redact one string, until a further look finds nothing: taking one thing out may bare another.

        An ASCII character that JSON within the string hides as ``\u00XX`` is written plainly where there is a hit.
        """
        plain = _unhide(text) if "\\u00" in text else text
        found: Counter[str] = Counter()
        for _ in range(_ROUNDS):
            before = found.total()
            for detector, probe in self._searches:
                if probe.hits(plain) and not (identifier and detector.personal):
                    plain = _replace(detector, plain, found)
            if found.total() == before:
                break
        counts.update(found)
        return plain if found else text


class _Probe:
    """
    Says whether a text may hold what a pattern describes, by Rust's linear-time engine.

    Text that is not UTF-8 can't be searched: it may. An empty pattern hits always, as one that says nothing should.
    """

    def __init__(self, pattern: str) -> None:
        self._matches = SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python

    def hits(self, text: str | bytes) -> bool:
        return self._matches(text) or not (text.isascii() or _is_utf8(text))


def _combined(probes: list[tuple[int, str]]) -> list[_Probe]:
    """Make one search of the probes of each scan; an empty probe makes it hit always."""
    if any(not probe for _, probe in probes):
        return [_Probe("")]
    scans: dict[int, list[str]] = {0: [HIDDEN]}
    for scan, probe in probes:
        scans.setdefault(scan, []).append(probe)
    return [_Probe("|".join(patterns)) for patterns in scans.values()]


def _any_hits(probes: list[_Probe], text: str | bytes) -> bool:
    for probe in probes:  # noqa: SIM110 - asked of every string: a generator would double its time
        if probe.hits(text):
            return True
    return False


_is_utf8 = SchemaValidator(core_schema.str_schema(pattern="")).isinstance_python


def _replace(detector: Detector, text: str, found: Counter[str]) -> str:
    """Put markers in, never into a marker that is already there."""
    pieces = _MARKER.split(text)
    for index in range(0, len(pieces), 2):
        spans = list(_outside_identifiers(detector, pieces[index]))
        if spans:
            pieces[index] = _with_markers(pieces[index], spans, f"[redacted:{detector.kind}]")
            found[detector.kind] += len(spans)
    return "".join(pieces)


def _outside_identifiers(detector: Detector, text: str) -> Iterator[tuple[int, int]]:
    """Yield what is found; no personal data in the value of an identifier of JSON within the text."""
    for start, end in detector.spans(text):
        if not (detector.personal and IDENTIFIER_BEFORE.search(text[max(0, start - 200) : start])):
            yield start, end


def _with_markers(text: str, spans: list[tuple[int, int]], marker: str) -> str:
    parts: list[str] = []
    end = 0
    for start, stop in spans:
        parts += (text[end:start], marker)
        end = stop
    return "".join([*parts, text[end:]])


_HIDDEN_CHARACTER = re.compile(r"\\++u00([2-7][0-9A-Fa-f])")


def _unhide(text: str) -> str:
    """Write escaped ASCII plainly, but for what JSON must escape: quote, backslash and control characters."""

    def plain(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return match[0] if character in '"\\\x7f' else character

    return _HIDDEN_CHARACTER.sub(plain, text)


def _unused(key: str, out: dict[Json, Json], value: dict[Json, Json]) -> str:
    """Return *key*, numbered where two keys of one object became the same marker: no value gets lost."""
    number, unused = 1, key
    while unused in out or unused in value:
        number += 1
        unused = f"{key}#{number}"
    return unused


def own_detector(name: str, pattern: str) -> Detector:
    """Return the detector of a pattern that :func:`check_pattern` let pass; its probe is a literal, or empty."""
    return Detector(name, _literal(pattern), re.compile(pattern), scan=3)


def check_pattern(name: str, pattern: str) -> None:
    """Raise ValueError, with the remedy, on a pattern that is wrong or that a hostile text can make slow."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError(
            f"pattern '{name}' has {len(pattern)} characters: write at most {MAX_PATTERN}, or two patterns"
        )
    try:
        with warnings.catch_warnings(action="error"):
            tree = _parse(pattern)
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise ValueError(
            f"pattern '{name}' is no regular expression: {error}; escape what is meant literally"
        ) from None
    if tree.getwidth()[0] == 0:
        raise ValueError(f"pattern '{name}' matches an empty text: make a part of it necessary, '+' in place of '*'")
    ways = _ways(name, tree)
    if ways > MAX_WAYS:
        raise ValueError(
            f"pattern '{name}' can be tried in {ways} ways at one place, which a hostile text makes slow: narrow its "
            f"repeats and alternatives to {MAX_WAYS} at most, such as {{1,20}} for {{1,64}}"
        )


def _parse(pattern: str) -> Any:
    return re._parser.parse(pattern)  # type: ignore[attr-defined]


def _ways(name: str, tree: Any, *, repeated: bool = False) -> int:
    """Bound the ways to match at one place: each repeat multiplies by its counts, each alternative adds."""
    ways = 1
    for operator, argument in tree:
        match str(operator):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                ways *= _repeat_ways(name, *argument, repeated=repeated)
            case "BRANCH":
                ways *= sum(_ways(name, branch, repeated=repeated) for branch in argument[1])
            case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
                ways *= _ways(name, argument[-1], repeated=repeated)
            case "ATOMIC_GROUP":
                ways *= _ways(name, argument, repeated=repeated)
            case "GROUPREF" | "GROUPREF_EXISTS":
                raise ValueError(f"pattern '{name}' refers back to a group: write out what may stand there")
            case _:
                pass
    return ways


def _repeat_ways(name: str, low: int, high: int, body: Any, *, repeated: bool) -> int:
    if high > MAX_WAYS:
        raise ValueError(f"pattern '{name}' repeats without a bound: write one, {{1,64}} for '+' and {{0,64}} for '*'")
    if repeated and low != high:
        raise ValueError(
            f"pattern '{name}' has a repeat of a varying count within another, which a hostile text makes slow: "
            "give the inner or the outer one a fixed count, or write the parts one after another"
        )
    inner = _ways(name, body, repeated=repeated or low != high)
    if inner == 1:
        return int(high) - int(low) + 1
    return sum(min(inner**count, MAX_WAYS + 1) for count in range(int(low), min(int(high), 64) + 1))


def _literal(pattern: str) -> str:
    """Return letters and digits, three or more in a row, without which the pattern matches nothing; or an empty text."""
    tree = _parse(pattern)
    if tree.state.flags & re.IGNORECASE:
        return ""
    runs = [""]
    for operator, argument in tree:
        character = chr(argument) if str(operator) == "LITERAL" else ""
        if character.isascii() and character.isalnum():
            runs[-1] += character
        else:
            runs.append("")
    longest = max(runs, key=len)
    return longest if len(longest) >= 3 else ""


def user_pseudonym(user_id: str | None, secret: str | None) -> str | None:
    """Return 32 hex digits (HMAC-SHA256) that stand for a user, or None: without a user, or without a secret."""
    if not user_id or not secret:
        return None
    text = user_id.encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()[:32]
