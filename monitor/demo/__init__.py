"""
What ``monitor demo`` plays: recorded conversations of invented airlines over a governed flights model, one file a
format, and ``expected.jsonl``, which says of every turn what the monitor should find and why.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def recordings() -> Path:
    """The folder with the packaged recordings and their ``expected.jsonl``."""
    return Path(str(files("monitor.demo") / "recordings"))
