"""Logs tell nothing that is secret."""

from __future__ import annotations

import subprocess
import sys


def test_a_malformed_header_is_not_printed() -> None:
    """The OpenTelemetry SDK would log a header that it cannot read, with the secret in it."""
    program = (
        "from monitor import log; log.setup(); from opentelemetry.util.re import parse_env_headers; "
        "print(parse_env_headers('authorization Bearer s3cret'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ("{}\n", "") == (done.stdout, done.stderr)
