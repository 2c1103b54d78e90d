"""The daemon as an operator runs it: signals, endpoints, following, restarts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from monitor.demo import recordings
from tests.acceptance.conftest import Monitor

Start = Callable[..., "Daemon"]


class Daemon:
    """A running ``monitor run``."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.log = folder / "log"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "monitor", "run"],
                cwd=folder,
                stderr=out,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
            )

    def said(self) -> str:
        return self.log.read_text()

    def wait_for(self, condition: Callable[[], Any], seconds: float = 30) -> Any:
        """What *condition* gives once it is true."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                found = condition()
            except OSError:
                found = None
            if found:
                return found
            assert self.process.poll() is None, self.said()
            time.sleep(0.05)
        raise AssertionError(self.said())

    @property
    def port(self) -> int:
        found = self.wait_for(lambda: re.search(r'"port": ?(\d+)', self.said()))
        return int(found[1])

    def get(self, path: str, accept: str = "*/*") -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=5) as answer:
            return str(answer.read().decode())

    def total(self, name: str, **labels: str) -> float:
        """The sum of a metric's samples with these labels, by OpenMetrics."""
        text = self.get("/metrics", "application/openmetrics-text")
        families = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]  # untyped in the client
        samples = [
            sample for family in families for sample in family.samples if sample.name == f"conversation_monitor_{name}"
        ]
        return sum(float(s.value) for s in samples if labels.items() <= s.labels.items())

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(30)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    daemons: list[Daemon] = []

    def run(config: str, **environment: str) -> Daemon:
        (tmp_path / "monitor.yaml").write_text(config)
        daemons.append(Daemon(tmp_path, environment))
        return daemons[-1]

    yield run
    for daemon in daemons:
        daemon.process.kill()
        daemon.process.wait()


FOLLOWING = """\
telemetry: {metrics_port: 0}
sources:
- {name: live, type: file, path: live.jsonl, follow: true, poll_seconds: 0.05, scope: {team: ops, agent: bi}}
"""


def lines() -> list[bytes]:
    return (recordings() / "openai_chat.jsonl").read_bytes().splitlines(keepends=True)


def test_following_with_metrics_and_a_clean_end(start: Start, tmp_path: Path, monitor: Monitor) -> None:
    """Lines that are appended are checked and counted; SIGTERM ends it with 0, and nothing is lost."""
    live = tmp_path / "live.jsonl"
    live.write_bytes(b"".join(lines()[:3]))
    daemon = start(FOLLOWING)
    daemon.wait_for(lambda: "ok" in daemon.get("/healthz") and daemon.get("/readyz"))
    daemon.wait_for(lambda: daemon.total("records_total", decision="parsed") == 3)
    with live.open("ab") as out:
        out.writelines(lines()[3:])
    daemon.wait_for(lambda: daemon.total("records_total", source="live", decision="parsed") == 8)
    daemon.wait_for(lambda: daemon.total("turns_total", source="live", decision="evaluated") == 16)
    daemon.wait_for(lambda: daemon.total("outcomes_total", rule="grounded", team="ops", agent="bi") == 16)
    assert 0 == daemon.total("ledger_imbalance")
    assert 0 == daemon.stop(), daemon.said()
    assert "monitor_stopped" in daemon.said()
    status = orjson.loads(monitor("status", "--json").stdout)
    assert {"read": 8, "parsed": 8, "ignored": 0, "quarantined": 0} == status["ledger"]["sources"]["live"]["records"]
    assert 16 == status["ledger"]["sources"]["live"]["turns"]["evaluated"]


def test_a_restart_counts_nothing_twice(start: Start, tmp_path: Path, monitor: Monitor) -> None:
    """Stopped and started again, it goes on where it left off."""
    (tmp_path / "live.jsonl").write_bytes(b"".join(lines()[:4]))
    first = start(FOLLOWING)
    first.wait_for(lambda: first.total("records_total", decision="parsed") == 4)
    assert 0 == first.stop()
    (tmp_path / "log").unlink()
    with (tmp_path / "live.jsonl").open("ab") as out:
        out.writelines(lines()[4:])
    second = start(FOLLOWING)
    second.wait_for(lambda: second.total("records_total", decision="parsed") == 4)
    assert 0 == second.stop()
    status = orjson.loads(monitor("status", "--json").stdout)
    assert (8, 16) == (
        status["ledger"]["sources"]["live"]["records"]["read"],
        status["ledger"]["sources"]["live"]["turns"]["seen"],
    )


def test_one_daemon_a_state(start: Start, tmp_path: Path, monitor: Monitor) -> None:
    """A second daemon on the same state is refused; reading it meanwhile works."""
    (tmp_path / "live.jsonl").write_bytes(b"".join(lines()))
    daemon = start(FOLLOWING)
    daemon.wait_for(lambda: daemon.total("records_total", decision="parsed") == 8)
    second = monitor("run")
    assert 2 == second.returncode
    assert "in use" in second.stderr
    assert 0 == monitor("status").returncode
    assert 0 == monitor("export", "out").returncode
    assert 0 == daemon.stop()


def test_an_unreachable_receiver_does_no_harm(start: Start, tmp_path: Path, monitor: Monitor) -> None:
    """With telemetry going nowhere everything is still checked, and the end comes in time."""
    (tmp_path / "live.jsonl").write_bytes(b"".join(lines()))
    daemon = start(FOLLOWING, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT="1")
    daemon.wait_for(lambda: daemon.total("outcomes_total", rule="grounded") == 16)
    began = time.monotonic()
    assert 0 == daemon.stop()
    assert time.monotonic() - began < 20
    assert 16 == orjson.loads(monitor("status", "--json").stdout)["ledger"]["sources"]["live"]["turns"]["evaluated"]


def test_a_port_in_use_is_said(start: Start, tmp_path: Path, monitor: Monitor) -> None:
    """A metrics port that is taken stops the start, with a hint."""
    (tmp_path / "live.jsonl").write_bytes(b"")
    daemon = start(FOLLOWING)
    port = daemon.port
    (tmp_path / "monitor.yaml").write_text(
        FOLLOWING.replace("metrics_port: 0", f"metrics_port: {port}") + "state: {url: 'sqlite:///b.db'}\n"
    )
    done = monitor("run")
    assert (2, True) == (done.returncode, "hint:" in done.stderr), done.stderr


def test_no_recorded_text_in_the_log(start: Start, tmp_path: Path) -> None:
    """What people and agents said, and secrets in it, are in no log line."""
    secret = "sk-proj-" + "a1B2c3D4" * 5
    said = [
        {
            "id": f"c{n}",
            "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": "PINEAPPLE 7"}],
        }
        for n, asked in enumerate((f"my key is {secret}", "Tell me."))
    ]
    broken = b'{"id": "PINEAPPLE"\n'
    (tmp_path / "live.jsonl").write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in said) + broken)
    daemon = start(FOLLOWING)
    daemon.wait_for(lambda: daemon.total("records_total", decision="quarantined") == 1)
    assert 0 == daemon.stop()
    state = b"".join(path.read_bytes() for path in tmp_path.rglob("monitor.db*"))
    assert "PINEAPPLE" not in daemon.said()
    assert secret.encode() not in state
    assert b"PINEAPPLE" in state


def test_files_without_a_configuration(tmp_path: Path, monitor: Monitor) -> None:
    """Files named on the command line are watched like configured ones, and gone on with the next time."""
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines()[:3]))
    environment = "MONITOR_TELEMETRY__METRICS_PORT"
    os.environ[environment] = "null"
    try:
        assert 0 == monitor("run", "a.jsonl").returncode
        with (tmp_path / "a.jsonl").open("ab") as out:
            out.writelines(lines()[3:])
        assert 0 == monitor("run", "a.jsonl").returncode
    finally:
        del os.environ[environment]
    ledger = orjson.loads(monitor("status", "--json").stdout)["ledger"]["sources"]["a.jsonl"]
    assert (8, 16) == (ledger["records"]["read"], ledger["turns"]["evaluated"])
    assert 2 == monitor("run", "--follow").returncode
