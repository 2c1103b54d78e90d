"""The real process: how it is started, and what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Monitor = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def monitor(tmp_path: Path) -> Monitor:
    """Run ``monitor`` with these arguments in an empty folder; what it printed, and its exit code."""

    def run(*arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "monitor", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            timeout=120,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        )

    return run
