"""
Take a record out of its envelopes: Pub/Sub messages, subscription rows, CloudEvents, base64, gzip, JSON in text.

What an envelope says of the message (its attributes) stays with the record. Bytes that are no JSON stay bytes, for
formats that are binary.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from monitor.conversation import Json
from monitor.errors import RecordError
from monitor.formats import Record
from monitor.jsonio import maybe_json, parse

MAX_ENVELOPES = 3
MAX_BYTES = 64 * 1024 * 1024
"""Bytes that a compressed message may become."""
_GZIP = b"\x1f\x8b"
_ROW = ("subscription_name", "message_id", "publish_time", "messageId", "publishTime")
Attributes = Mapping[str, str]


def unwrap(record: Record, limit: int = MAX_BYTES) -> Record:
    """
    *record* without its envelopes, up to three of them.

    Raises RecordError: ``too_large`` when it decompresses to more than *limit* bytes, ``invalid`` for damaged base64 or
    gzip and for more envelopes, ``not_json`` where a message says that it is JSON and is not.
    """
    data, attributes = _decoded(record.data, record.attributes, limit)
    for _ in range(MAX_ENVELOPES):
        opened = _opened(data)
        if opened is None:
            break
        data, inner = opened
        attributes = {**attributes, **inner}
        data, attributes = _decoded(data, attributes, limit)
    else:
        if _opened(data) is not None:
            raise RecordError("invalid", f"more than {MAX_ENVELOPES} envelopes around the record")
    if data is record.data and attributes is record.attributes:
        return record
    return replace(record, data=data, attributes=attributes)


def _opened(data: Json) -> tuple[Json, dict[str, str]] | None:
    """What is in an envelope, with the envelope's attributes; None when *data* is none."""
    if not isinstance(data, dict):
        return None
    message = data.get("message")
    if isinstance(message, dict) and ("subscription" in data or _is_message(message)):
        if "data" in message or "attributes" in message:
            return _from_base64(message.get("data")), _attributes(message.get("attributes"))
        return None
    if "data_decoded" in data and "attributes" in data:
        return data["data_decoded"], _attributes(data["attributes"])
    if "data" in data and "attributes" in data and _is_message(data):
        content = maybe_json(data["data"])
        return _from_base64(content) if isinstance(content, str) else content, _attributes(data["attributes"])
    if "specversion" in data and "type" in data and "source" in data:
        return _cloud_event(data)
    return None


def _is_message(data: dict[str, Any]) -> bool:
    return any(name in data for name in _ROW)


def _cloud_event(data: dict[str, Any]) -> tuple[Json, dict[str, str]]:
    """An event in structured mode: its attributes get the names that they have in binary mode."""
    attributes = {
        "content-type" if name == "datacontenttype" else f"ce-{name}": _scalar(value)
        for name, value in data.items()
        if name not in ("data", "data_base64") and isinstance(value, (str, int, float, bool))
    }
    if "data_base64" in data:
        return _from_base64(data["data_base64"]), attributes
    return data.get("data"), attributes


def _attributes(value: Json) -> dict[str, str]:
    """A message's attributes: an object, or that as JSON text."""
    value = maybe_json(value)
    if not isinstance(value, dict):
        return {}
    return {str(name): _scalar(item) for name, item in value.items() if isinstance(item, (str, int, float, bool))}


def _scalar(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _from_base64(value: Json) -> Json:
    """The bytes in base64 text (either alphabet); other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        raise RecordError("invalid", "the message's data is no base64") from None


def _decoded(data: Json, attributes: Attributes, limit: int) -> tuple[Json, Attributes]:
    """Bytes and text as what they hold: decompressed, parsed where it is JSON."""
    if isinstance(data, str):
        return maybe_json(data), attributes
    if not isinstance(data, (bytes, bytearray, memoryview)):
        return data, attributes
    raw = bytes(data)
    if raw.startswith(_GZIP):
        raw = gunzip(raw, limit)
        attributes = {name: value for name, value in attributes.items() if name.lower() != "content-encoding"}
    return _parsed(raw, attributes), attributes


def _parsed(raw: bytes, attributes: Attributes) -> Json:
    kind = next((value for name, value in attributes.items() if name.lower() == "content-type"), "").lower()
    if "json" in kind:
        return parse(raw)
    if "protobuf" in kind or raw.lstrip()[:1] not in (b"{", b"["):
        return raw
    try:
        return parse(raw)
    except RecordError as error:
        if error.cause == "too_deep":
            raise
        return raw


def gunzip(raw: bytes, limit: int = MAX_BYTES) -> bytes:
    """*raw* decompressed, all its members. Raises RecordError ``too_large`` over *limit* bytes, ``invalid`` if damaged."""
    parts: list[bytes] = []
    size = 0
    while raw:
        stream = zlib.decompressobj(wbits=31)
        try:
            part = stream.decompress(raw, limit + 1 - size)
        except zlib.error as error:
            raise RecordError("invalid", f"damaged gzip: {error}") from None
        size += len(part)
        if size > limit:
            raise RecordError("too_large", f"gzip that decompresses to more than {limit} bytes")
        if not stream.eof:
            raise RecordError("invalid", "damaged gzip: it ends too early")
        parts.append(part)
        raw = stream.unused_data
    return b"".join(parts)
