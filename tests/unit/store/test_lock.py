from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from monitor.errors import StoreError
from monitor.store.lock import Lock

HOLD = """
import sys, time
from pathlib import Path
from monitor.store.lock import Lock
lock = Lock(Path(sys.argv[1]))
assert lock.acquire()
print("held", flush=True)
time.sleep(60)
"""


def test_lock_is_exclusive(tmp_path: Path) -> None:
    """While one holds it nobody else gets it, and the holder can be named; afterwards anybody can."""
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    assert f"process {os.getpid()}" == second.holder()
    first.release()
    assert second.acquire()
    second.release()


def test_lock_ends_with_its_process(tmp_path: Path) -> None:
    """A killed process leaves no lock behind."""
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "held\n" == process.stdout.readline()
        assert not Lock(path).acquire()
        process.kill()
    lock = Lock(path)
    assert lock.acquire()
    lock.release()


def test_lock_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """The message names the file and the hint what to do."""
    with pytest.raises(StoreError, match="nowhere/lock") as caught:
        Lock(tmp_path / "nowhere" / "lock").acquire()
    assert "write to the folder" in caught.value.hint
