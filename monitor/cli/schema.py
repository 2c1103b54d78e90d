"""``monitor schema WHAT``: JSON schemas of what people and programs write."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class What(StrEnum):
    """What has a schema."""

    NATIVE = "native"
    RULE = "rule"
    CONFIG = "config"
    OUTCOME = "outcome"


def schema(what: Annotated[What, typer.Argument(help="which schema")]) -> None:
    """Print a JSON schema: native, rule, config or outcome.

    Of the native format, of a rule's file, of monitor.yaml, or of an outcome as --json prints it.
    """
    import sys

    import orjson

    sys.stdout.buffer.write(orjson.dumps(_schema(what), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _schema(what: What) -> object:
    if what is What.NATIVE:
        from monitor.formats.native import native_schema

        return native_schema()
    if what is What.RULE:
        from monitor.rules import rule_schema

        return rule_schema()
    if what is What.CONFIG:
        from monitor.config import config_schema

        return config_schema()
    from monitor.outcome import outcome_schema

    return outcome_schema()
