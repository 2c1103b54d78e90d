"""``monitor evaluate FILE``: rules over recordings, ignoring sampling."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    paths: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="files, folders, globs, or - for standard input")
    ],
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; its redaction, errors and limits hold")] = None,
    rules: Annotated[
        Path | None, typer.Option(help="a folder of rules, or one rule's file; default: the shipped ones")
    ] = None,
    as_format: Annotated[
        str, typer.Option("--format", help="the recordings' format; default: found out by looking")
    ] = "auto",
    source: Annotated[str | None, typer.Option(help="read FILE as this source of the configuration is read")] = None,
    sampled: Annotated[bool, typer.Option("--sampled", help="obey the rules' sampling")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one outcome a line")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="list every outcome and every record that cannot be read")
    ] = False,
) -> None:
    """Run rules over recorded conversations. Exits 1 when a turn fails, 2 when nothing could be read."""
    from monitor.cli import evaluating

    code = evaluating.run(
        paths,
        config=config,
        rules=rules,
        as_format=as_format,
        source=source,
        sampled=sampled,
        as_json=as_json,
        every=every,
    )
    raise typer.Exit(code)
