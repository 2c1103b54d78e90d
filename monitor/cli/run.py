"""``monitor run``: the daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder")] = None,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error")] = "info",
) -> None:
    """Watch the configured sources. Ends when they do, or drains on SIGTERM; goes on where it left off."""
    import asyncio

    from monitor import log
    from monitor.config import load_config
    from monitor.daemon import serve
    from monitor.errors import ConfigError
    from monitor.rules import load_rules

    if log_level not in ("debug", "info", "warning", "error"):
        raise ConfigError(f"no log level is called {log_level!r}", hint="use debug, info, warning or error")
    log.setup(log_level)
    settings = load_config(config)
    asyncio.run(serve(settings, load_rules(settings.rules)))
