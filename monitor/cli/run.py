"""``monitor run``: the daemon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from monitor.config import Config, SourceConfig


def run(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE...]", help="watch these instead of the configured sources")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="with FILE: go on reading what is appended, and new files")
    ] = False,
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder")] = None,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error")] = "info",
) -> None:
    """Watch the configured sources, or FILE. Ends when they do, or drains on SIGTERM; goes on where it left off."""
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
    if files:
        settings = settings.model_copy(update={"sources": tuple(_sources(files, follow, settings))})
    elif follow:
        raise ConfigError("--follow goes with FILE", hint="for a configured source write follow: true in monitor.yaml")
    asyncio.run(serve(settings, load_rules(settings.rules)))


def _sources(files: list[str], follow: bool, settings: Config) -> Iterator[SourceConfig]:
    """A source for each path, named as the path is."""
    from monitor.config import Origin, SourceConfig

    seen: set[str] = set()
    for number, path in enumerate(files, 1):
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", path).strip("-._")[-50:].lstrip("-._") or f"file-{number}"
        name = f"{name}-{number}" if name in seen else name
        seen.add(name)
        source = SourceConfig.model_validate({"name": name, "type": "file", "path": path, "follow": follow})
        source._origin = Origin(errors=settings.errors)
        yield source
