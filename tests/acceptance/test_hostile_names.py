"""Names of files come from outside: what is said about them cannot pass for something else."""

from __future__ import annotations

from tests.acceptance.conftest import Monitor


def test_a_name_forges_no_line(monitor: Monitor) -> None:
    """Control characters and line breaks in a path are spaces in the complaint about it."""
    done = monitor("evaluate", "no\x1b[31m\nerror: forged.yaml")
    assert 2 == done.returncode
    assert "\x1b" not in done.stderr
    assert 1 == sum(line.startswith("error:") for line in done.stderr.splitlines())
    assert "no [31m error: forged.yaml" in done.stderr
