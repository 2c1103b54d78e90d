"""``monitor status``: what was read, what became of it, what waits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def status(
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="everything as one JSON object")] = False,
) -> None:
    """Show both ledgers, failure rates with intervals, causes, unknown error codes and the quarantine. Exits 1 when a ledger does not add up."""
    from monitor.cli import reporting
    from monitor.config import load_config
    from monitor.store import Store

    with Store.open(load_config(config).state.url, must_exist=True) as store:
        balanced = reporting.show_status(store, as_json=as_json)
    raise typer.Exit(0 if balanced else 1)
