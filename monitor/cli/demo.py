"""``monitor demo``: everything on one machine, with packaged recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    once: Annotated[
        bool, typer.Option("--once", help="run, print, exit; else /metrics is served until Ctrl-C")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one outcome a line, then the counts")] = False,
    folder: Annotated[Path | None, typer.Option(help="keep the state here; default: a temporary folder")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="port of /metrics; 0: a free one")] = 0,
) -> None:
    """Watch packaged recordings of an imaginary flights agent.

    What was checked, what failed and why, where to look next. Without --once it goes on serving /metrics.
    """
    import asyncio

    from monitor.cli import demonstrating

    raise typer.Exit(asyncio.run(demonstrating.run(once=once, as_json=as_json, folder=folder, port=port)))
