"""``monitor status``: what was read, what became of it, what waits."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer


def status(
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder")] = None,
    quarantine: Annotated[
        bool, typer.Option("--quarantine", help="list the records that could not be read, newest first")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="list at most so many")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object; of --quarantine one a record")] = False,
) -> None:
    """Show what was read, how often turns fail, and what waits.

    Both ledgers, failure rates with intervals, causes, unknown error codes, the quarantine. Exits 1 when a ledger does
    not add up.
    """
    from monitor.cli import listing, reporting
    from monitor.config import load_config
    from monitor.store import Store

    with Store.open(load_config(config).state.url, must_exist=True) as store:
        if quarantine:
            listing.show_quarantine(store, limit, as_json=as_json)
            return
        more = f" --config {shlex.quote(str(config))}" if config else ""
        balanced = reporting.show_status(store, as_json=as_json, options=more)
    raise typer.Exit(0 if balanced else 1)
