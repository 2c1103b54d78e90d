from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from monitor import httpserver
from monitor.conversation import Scope
from monitor.errors import ConfigError
from monitor.httpserver import Health, HttpServer
from monitor.metrics import Metrics
from monitor.outcome import Outcome


class Serving:
    """A running server with what it serves."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self.health = Health()
        self.server = HttpServer(self.metrics, self.health, port=0)
        self.server.start()

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read().decode()
        finally:
            connection.close()

    def talk(self, raw: bytes) -> bytes:
        """Everything that is answered to the bytes *raw*."""
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as client:
            client.sendall(raw)
            answer = b""
            while part := client.recv(65_536):
                answer += part
            return answer

    def outcomes(self) -> float:
        """What a scrape says of outcomes."""
        _, _, body = self.ask("/metrics")
        families = text_string_to_metric_families(body)
        return sum(sample.value for f in families for sample in f.samples if sample.name.endswith("_outcomes_total"))


@pytest.fixture
def serving() -> Iterator[Serving]:
    serving = Serving()
    yield serving
    serving.server.stop()


def test_metrics_are_served_in_the_format_that_is_asked_for(serving: Serving) -> None:
    """OpenMetrics to who accepts it, else Prometheus text; never cached, never sniffed."""
    accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"
    status, headers, body = serving.ask("/metrics", Accept=accept)
    assert (200, "application/openmetrics-text; version=1.0.0; charset=utf-8") == (status, headers["Content-Type"])
    assert body.endswith("# EOF\n")
    status, headers, body = serving.ask("/metrics?debug=1")
    assert (200, "text/plain; version=0.0.4; charset=utf-8") == (status, headers["Content-Type"])
    assert str(len(body.encode())) == headers["Content-Length"]
    assert ("no-store", "nosniff") == (headers["Cache-Control"], headers["X-Content-Type-Options"])
    assert "conversation_monitor_build_info{" in body


def test_the_first_scrape_shows_zero_and_the_second_the_burst(serving: Serving) -> None:
    """Over real scrapes, a new agent's first outcomes appear between two samples; a HEAD is no scrape."""
    for _ in range(5):
        serving.metrics.outcome(Outcome(label="fail", rule="grounded", scope=Scope(agent="new")))
    assert 200 == serving.ask("/metrics", "HEAD")[0]
    assert 0 == serving.outcomes()
    assert 5 == serving.outcomes()


def test_a_scraper_that_hangs_up_has_seen_nothing(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be written does not count as shown."""
    serving.metrics.outcome(Outcome(label="fail", rule="grounded"))

    def refuse(*_: Any) -> None:
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(httpserver._Handler, "_answer", refuse)
        assert b"" == serving.talk(b"GET /metrics HTTP/1.0\r\n\r\n")
    assert 0 == serving.outcomes()
    assert 1 == serving.outcomes()


def test_readiness_follows_the_process_through_its_life(serving: Serving) -> None:
    """Not ready before the start, while a part fails, and while draining; the reasons say which."""

    def ready() -> tuple[int, dict[str, Any]]:
        status, headers, body = serving.ask("/readyz")
        assert "application/json" == headers["Content-Type"]
        return status, json.loads(body)

    health = serving.health
    assert (503, {"status": "not ready", "reasons": ["starting"]}) == ready()
    health.started()
    assert (200, {"status": "ready", "reasons": []}) == ready()
    health.failing("store", "database is locked")
    health.failing("source files", "permission denied")
    reasons = ["source files: permission denied", "store: database is locked"]
    assert (503, {"status": "not ready", "reasons": reasons}) == ready()
    health.recovered("store")
    health.recovered("source files")
    health.recovered("never failed")
    assert (200, {"status": "ready", "reasons": []}) == ready()
    health.draining()
    assert (503, {"status": "not ready", "reasons": ["draining"]}) == ready()
    assert 200 == serving.ask("/healthz")[0]


def test_a_process_is_alive_while_its_loop_beats() -> None:
    """A loop that stops beating makes the process neither alive nor ready, until it beats again."""
    now = [0.0]
    health = Health(stale_seconds=60, clock=lambda: now[0])
    health.started()
    now[0] = 60
    assert (True, {"status": "ok", "heartbeat_age_seconds": 60.0}) == health.alive()
    now[0] = 61
    assert (False, {"status": "stalled", "heartbeat_age_seconds": 61.0}) == health.alive()
    assert (False, {"status": "not ready", "reasons": ["stalled"]}) == health.ready()
    health.beat()
    assert (True, {"status": "ok", "heartbeat_age_seconds": 0.0}) == health.alive()


def test_a_stalled_process_says_so_over_http() -> None:
    """/healthz is 503 once the loop is stale."""
    server = HttpServer(Metrics(), Health(stale_seconds=-1), port=0)
    server.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", "/healthz")
    assert 503 == connection.getresponse().status
    connection.close()
    server.stop()


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 404),
        ("/metrics/", "GET", 404),
        ("/../metrics", "GET", 404),
        ("/metrics", "POST", 405),
        ("/healthz", "DELETE", 405),
        ("/metrics", "BREW", 405),
        ("/readyz", "HEAD", 503),
    ],
)
def test_nothing_else_is_answered(serving: Serving, path: str, method: str, status: int) -> None:
    """Other paths and methods are refused in a word, and repeat nothing of the request."""
    found, headers, body = serving.ask(path, method)
    assert status == found
    assert "conversation-monitor" == headers["Server"]
    assert {404: "Not Found\n", 405: "Method Not Allowed\n", 503: ""}[status] == body
    assert (status == 405) == ("Allow" in headers)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"200 OK"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414 "),
        (b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"431 "),
        (b"<script>alert(1)</script>\r\n\r\n", b"Bad Request"),
        (b"GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text; version=9\r\n x: y\r\n\r\n", b"200 OK"),
    ],
)
def test_odd_requests_get_a_short_answer(serving: Serving, raw: bytes, status: bytes) -> None:
    """Too long, too many headers, not HTTP at all: a status, and the connection ends."""
    answer = serving.talk(raw)
    assert status in answer.splitlines()[0]
    assert b"script" not in answer
    assert 200 == serving.ask("/healthz")[0]


def test_slow_connections_do_not_keep_probes_out(serving: Serving) -> None:
    """Many connections that never send a request are cut off for new ones."""
    clients = [socket.create_connection(("127.0.0.1", serving.server.port), 10) for _ in range(40)]
    assert 200 == serving.ask("/healthz")[0]
    deadline = time.monotonic() + 10
    while threading.active_count() > httpserver.REQUESTS_AT_ONCE + 10 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert threading.active_count() <= httpserver.REQUESTS_AT_ONCE + 10
    for client in clients:
        client.close()


def test_a_request_that_trickles_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending a byte now and then does not keep a connection beyond its time."""
    monkeypatch.setattr(httpserver, "SECONDS_A_REQUEST", 0.3)
    serving = Serving()
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", serving.server.port), 10) as client:
        try:
            while time.monotonic() - started < 10:
                client.sendall(b"G")
                time.sleep(0.05)
        except OSError:
            pass
    assert time.monotonic() - started < 5
    serving.server.stop()


def test_a_port_in_use_is_a_mistake_of_the_configuration(serving: Serving) -> None:
    """The message says which address, the hint which settings to change."""
    with pytest.raises(ConfigError) as caught:
        HttpServer(Metrics(), Health(), port=serving.server.port)
    assert f"cannot listen on 127.0.0.1:{serving.server.port}: Address already in use" == caught.value.message
    assert "telemetry.metrics_port; port 0 takes a free one" in caught.value.hint


def test_an_address_that_is_not_ours_is_a_mistake_of_the_configuration() -> None:
    """A host that cannot be resolved or is another machine's stops the start."""
    with pytest.raises(ConfigError, match=r"cannot listen on 192\.0\.2\.1:0: Cannot assign requested address"):
        HttpServer(Metrics(), Health(), host="192.0.2.1", port=0)


def test_after_stop_nothing_listens_and_stopping_is_safe_before_the_start() -> None:
    """The port is free again at once, whether anything was served or not."""
    server = HttpServer(Metrics(), Health(), port=0)
    server.start()
    port = server.port
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)
    again = HttpServer(Metrics(), Health(), port=port)
    again.stop()
