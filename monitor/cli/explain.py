"""``monitor explain ID``: why a turn was checked or not, and what each rule said."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def explain(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="a conversation id, or a result id of the state")],
    turn: Annotated[str | None, typer.Option(help="only this turn of the conversation")] = None,
    file: Annotated[str | None, typer.Option("--in", help="look in these recordings instead of the state")] = None,
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder, if any")] = None,
    rules: Annotated[Path | None, typer.Option(help="a folder of rules, or one rule's file")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one turn a line")] = False,
) -> None:
    """Show, turn by turn: sampled or not and why, which rules matched, what each said. Exits 2 for an unknown id."""
    import asyncio

    from monitor.cli import explaining
    from monitor.config import load_config
    from monitor.rules import load_rules

    settings = load_config(config)
    chosen = load_rules(rules or settings.rules)
    if file is not None:
        asyncio.run(explaining.from_recordings(identifier, turn, file, settings, chosen, as_json=as_json))
    else:
        explaining.from_state(identifier, turn, settings, chosen, as_json=as_json)
