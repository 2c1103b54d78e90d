"""
JSON and text as the store keeps them.

Fragments come back as they went in, exact decimals included, so that a conversation joined from stored fragments
says what it says when joined at once. Everything else is JSON for people and other programs: a decimal is its text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson
from pydantic import BaseModel

from monitor.conversation import Json

DECIMAL = "$decimal"
LITERAL = "$literal"
"""Marks an object that was recorded with one of our marks as its only key: it stands inside, as it was."""
UNWRITABLE = (UnicodeEncodeError, orjson.JSONEncodeError)
"""What a lone surrogate raises on its way into the database, as text or inside JSON."""


def dump(value: Json) -> str:
    """*value* as JSON text with sorted keys; models as objects, a Decimal as its text."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()


def load(text: str) -> Json:
    """What :func:`dump` wrote."""
    return orjson.loads(text)


def dump_exact(value: Json) -> str:
    """*value* as JSON text from which :func:`load_exact` gives the same back, a Decimal as ``{"$decimal": "1.50"}``."""
    decimals = 0

    def exact(item: Any) -> Any:
        nonlocal decimals
        if isinstance(item, Decimal):
            decimals += 1
            return {DECIMAL: str(item)}
        return str(item)

    data = orjson.dumps(value, default=exact, option=orjson.OPT_NON_STR_KEYS)
    if b'"$' in data and sum(map(data.count, _KEYS)) > decimals:
        data = orjson.dumps(_escaped(value), default=exact, option=orjson.OPT_NON_STR_KEYS)
    return data.decode()


def load_exact(text: str) -> Json:
    """What :func:`dump_exact` wrote."""
    value = orjson.loads(text)
    return _restored(value) if DECIMAL in text or LITERAL in text else value


def clean(text: str) -> str:
    """*text* with each lone surrogate, which no database takes, as ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def cleaned(value: Any) -> Any:
    """*value* (JSON, dataclasses, models) with every string :func:`clean`."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(cleaned, value))
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: cleaned(item) for name, item in value.__dict__.items()})
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (item.name for item in dataclasses.fields(value))
        return dataclasses.replace(value, **{name: cleaned(getattr(value, name)) for name in fields})
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.__dict__
    return str(value)


_KEYS = tuple(f'"{mark}":'.encode() for mark in (DECIMAL, LITERAL))


def _marked(value: dict[Any, Any]) -> bool:
    return len(value) == 1 and (DECIMAL in value or LITERAL in value)


def _escaped(value: Json) -> Json:
    if isinstance(value, (list, tuple)):
        return [_escaped(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {key: _escaped(item) for key, item in value.items()}
    return {LITERAL: inner} if _marked(value) else inner


def _restored(value: Json) -> Json:
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _marked(value):
        [(mark, inner)] = value.items()
        if mark == LITERAL and isinstance(inner, dict):
            return {key: _restored(item) for key, item in inner.items()}
        if mark == DECIMAL and isinstance(inner, str):
            try:
                return Decimal(inner)
            except InvalidOperation:
                return value
    return {key: _restored(item) for key, item in value.items()}
