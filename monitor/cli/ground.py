"""``monitor ground FILE``: figure by figure, where each comes from."""

from __future__ import annotations

from typing import Annotated

import typer


def ground(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="records of {id, question, evidence, answer}; - for standard input"),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="one record a line: {id, figures: [...]}")] = False,
    every: Annotated[bool, typer.Option("--all", help="name every record that cannot be read")] = False,
) -> None:
    """Show where each figure of an answer comes from. Exits 1 when one comes from nowhere."""
    from monitor.cli import grounding

    raise typer.Exit(grounding.run(paths, as_json=as_json, every=every))
