"""What ``monitor demo`` plays: recorded conversations of invented airlines over a governed flights model."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def recordings() -> Path:
    """The folder with the packaged recordings, one file a format."""
    return Path(str(files("monitor.demo") / "recordings"))
