"""``monitor explain``: why a turn was checked or not, what each rule said, and which turns fail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def explain(
    identifier: Annotated[
        str | None, typer.Argument(metavar="ID", help="a conversation id, or a turn or result id of the state")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="more recordings after --in")] = None,
    *,
    turn: Annotated[str | None, typer.Option(help="only this turn of the conversation")] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="FILE", help="look in these recordings instead of the state; may be repeated"),
    ] = None,
    failing: Annotated[bool, typer.Option("--failing", help="instead of ID: list what fails, newest first")] = False,
    label: Annotated[
        str | None, typer.Option(help="list another label: pass, fail, not_applicable, not_evaluable or error")
    ] = None,
    rule: Annotated[str | None, typer.Option(help="list only what this rule says")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="list at most so many")] = 20,
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder, if any")] = None,
    rules: Annotated[Path | None, typer.Option(help="a folder of rules, or one rule's file")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one turn, or one listed outcome, a line")] = False,
) -> None:
    """Tell a turn's story, or list what fails (--failing).

    Question and answer, which rules matched and whether the turn was sampled, what each rule said, figure by figure.
    Exits 2 for an unknown id.
    """
    import asyncio

    from monitor.cli import explaining, listing
    from monitor.config import load_config
    from monitor.rules import load_rules

    settings = load_config(config)
    if listing.asked(identifier, files, failing=failing, label=label, rule=rule):
        listing.show(settings, label or "fail", rule, limit, as_json=as_json)
        return
    chosen = load_rules(rules or settings.rules)
    named, recordings = explaining.what(identifier, more, files)
    if recordings:
        asyncio.run(explaining.from_recordings(named, turn, recordings, settings, chosen, as_json=as_json))
    else:
        explaining.from_state(named, turn, settings, chosen, as_json=as_json)
