"""
``/metrics``, ``/healthz`` and ``/readyz`` over plain HTTP: three answers, nothing else.

``/healthz`` says whether the process works at all (restart it if not), ``/readyz`` whether it should be given work
now, with the reasons why not. A request costs a bounded amount: GET and HEAD only, no bodies, so many at once, so
many seconds each.
"""

from __future__ import annotations

import os
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

import orjson
import structlog

from monitor.errors import ConfigError
from monitor.metrics import Metrics

REQUESTS_AT_ONCE = 16
SECONDS_A_REQUEST = 15.0
_JSON = "application/json"
_log = structlog.get_logger(__name__)


class Health:
    """
    What the process says of itself; from any thread.

    It is alive while its loop calls :meth:`beat` at least every *stale_seconds*; it is ready once :meth:`started`
    was called, unless it is :meth:`draining` or a part of it is :meth:`failing`.
    """

    def __init__(self, *, stale_seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._stale_seconds = stale_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._beat = clock()
        self._state = "starting"
        self._failures: dict[str, str] = {}

    def beat(self) -> None:
        """The loop is running."""
        self._beat = self._clock()

    def started(self) -> None:
        """Work may come."""
        self._state = ""

    def draining(self) -> None:
        """What is in hand is finished, and no more is taken."""
        self._state = "draining"

    def failing(self, part: str, reason: str) -> None:
        """*part*, such as the store, does not work, because of *reason*. Both are shown to whoever asks."""
        with self._lock:
            self._failures[part] = reason

    def recovered(self, part: str) -> None:
        """*part* works again."""
        with self._lock:
            self._failures.pop(part, None)

    def alive(self) -> tuple[bool, dict[str, Any]]:
        """Whether the loop runs, and how long ago it said so."""
        age = max(0.0, self._clock() - self._beat)
        alive = age <= self._stale_seconds
        return alive, {"status": "ok" if alive else "stalled", "heartbeat_age_seconds": round(age, 3)}

    def ready(self) -> tuple[bool, dict[str, Any]]:
        """Whether work may come, and the reasons if not."""
        alive, _ = self.alive()
        with self._lock:
            reasons = [f"{part}: {reason}" for part, reason in sorted(self._failures.items())]
        if not alive:
            reasons.insert(0, "stalled")
        if self._state:
            reasons.insert(0, self._state)
        return not reasons, {"status": "not ready" if reasons else "ready", "reasons": reasons}


class HttpServer:
    """
    Serves *metrics* and *health* on *host* and *port* from threads of its own. Port 0: a free one, see :attr:`port`.

    Raises ConfigError when the address cannot be listened on.
    """

    def __init__(self, metrics: Metrics, health: Health, host: str = "127.0.0.1", port: int = 9464) -> None:
        self._server = _listen(metrics, health, host, port)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="http", daemon=True
        )

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Answer from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening. Answers that are under way end by themselves."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Threads by request, but only so many, and none for longer than it may take."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, family: socket.AddressFamily, address: Any, metrics: Metrics, health: Health) -> None:
        self.address_family = family
        self.metrics = metrics
        self.health = health
        self._under_way: dict[socket.socket, float] = {}
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give *request* a thread; when there are too many, the oldest is cut off, so that a probe always gets in."""
        with self._lock:
            self._under_way[request] = time.monotonic() + SECONDS_A_REQUEST
            self._cut(list(self._under_way)[:-REQUESTS_AT_ONCE])
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._under_way.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Cut off who takes too long; called several times a second."""
        now = time.monotonic()
        with self._lock:
            self._cut([request for request, deadline in self._under_way.items() if now > deadline])

    def _cut(self, requests: Iterable[socket.socket]) -> None:
        """End the connections of *requests*; their threads end by themselves."""
        for request in requests:
            del self._under_way[request]
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - as socketserver calls it
        if not isinstance(sys.exception(), OSError):
            _log.warning("http_request_failed", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One request, one answer, then the connection ends."""

    server: _Server
    timeout = SECONDS_A_REQUEST

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        if self.command in ("GET", "HEAD"):
            return True
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)
        return False

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics":
            exposition = self.server.metrics.render(self.headers.get("Accept", ""))
            self._answer(HTTPStatus.OK, exposition.content_type, exposition.body)
            if self.command == "GET":
                exposition.delivered()
        elif path == "/healthz":
            self._answer_state(*self.server.health.alive())
        elif path == "/readyz":
            self._answer_state(*self.server.health.ready())
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code: int, *_: str | None) -> None:
        """Answer with the status alone: nothing of the request is repeated."""
        phrase = HTTPStatus(code).phrase
        self._answer(HTTPStatus(code), "text/plain; charset=utf-8", f"{phrase}\n".encode())

    def version_string(self) -> str:
        return "conversation-monitor"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as http.server calls it
        """Log nothing."""

    def _answer_state(self, good: bool, state: dict[str, Any]) -> None:
        self._answer(HTTPStatus.OK if good else HTTPStatus.SERVICE_UNAVAILABLE, _JSON, orjson.dumps(state) + b"\n")

    def _answer(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _listen(metrics: Metrics, health: Health, host: str, port: int) -> _Server:
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return _Server(family, address, metrics, health)
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise ConfigError(
            f"cannot listen on {where}: {reason}",
            hint="choose another telemetry.metrics_host or telemetry.metrics_port; port 0 takes a free one",
        ) from error
