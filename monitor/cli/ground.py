"""``monitor ground FILE``: figure by figure, where each comes from."""

from __future__ import annotations

from typing import Annotated

import typer


def ground(
    path: Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines of {id, question, evidence, answer}, or -")],
    as_json: Annotated[bool, typer.Option("--json", help="one record a line: {id, figures: [...]}")] = False,
) -> None:
    """Show where each figure of an answer comes from. Exits 1 when one comes from nowhere."""
    from monitor.cli import grounding

    raise typer.Exit(grounding.run(path, as_json=as_json))
