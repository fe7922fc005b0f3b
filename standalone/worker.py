"""The gunicorn worker of the standalone service.

One event loop of waitress receives the requests and sends the responses of all clients, so no
thread waits for a client. The loop answers what is cached; threads answer all other requests.
"""

import ctypes
import logging
import os
import resource
import signal
import sys
from collections import deque
from queue import SimpleQueue
from time import monotonic
from types import SimpleNamespace
from typing import Any

from gunicorn.glogging import Logger
from gunicorn.workers.base import Worker as BaseWorker
from waitress import wasyncore
from waitress.server import create_server
from waitress.task import ThreadedTaskDispatcher

from landform.standalone.balance import Balance
from landform.standalone.connections import PROGRESS_BYTES, Connection, Response
from landform.standalone.logs import LineFormatter
from landform.standalone.settings import read_settings

# As in `app.py`.
AT_ONCE = "landform.at_once"
MAX_HEAD_BYTES = 1 << 15
# The memory of all connections of a worker together.
MAX_CONNECTIONS_BYTES = 128 << 20
UNBOUNDED = 1 << 40
SWEEP_SECONDS, CLOSING_SECONDS, QUITTING_SECONDS = 0.2, 2.0, 1.0
# Open files of the worker that are not connections.
RESERVED_FILES = 64
PROBE = "/readyz"
PR_SET_PDEATHSIG = 1
M_MMAP_THRESHOLD, LARGE_BYTES = -3, 1 << 18


class ServerLogger(Logger):  # type: ignore[misc]
    """The loggers of gunicorn and waitress, in the format of the settings."""

    def setup(self, cfg: Any) -> None:
        """Set up the handlers of the configuration."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(LineFormatter(read_settings().log_format))
        logging.getLogger("waitress").handlers = self.error_log.handlers
        # Its warnings come with each request that waits for a thread.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)


class Worker(BaseWorker):  # type: ignore[misc]
    """A gunicorn worker that serves HTTP without TLS."""

    # Signals that came while the process still had the handlers of the master.
    early: "SimpleQueue[int]" = SimpleQueue()
    alive: bool
    is_quitting = False
    # The numbers of connections of all workers, and its place in them; see `Balance`.
    counts: "memoryview[int]" = memoryview(b"")
    slot = 0
    _swept = 0.0

    @staticmethod
    def check_config(cfg: Any, log: Any) -> None:
        """Refuse a configuration with TLS."""
        if cfg.is_ssl:
            raise SystemExit(
                "Error: landform's worker has no TLS: leave it to a proxy, or add "
                "`--worker-class gthread`, whose threads wait for slow clients."
            )

    def run(self) -> None:
        """Serve until the worker has to stop, and then finish open requests."""
        if sys.platform == "linux":
            system = ctypes.CDLL(None)
            # End with the master: else the listening socket would stay open.
            system.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if hasattr(system, "mallopt"):
                # Give the memory of large responses back to the system.
                system.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        self.at_once = getattr(self.wsgi, "extensions", {}).get(AT_ONCE)
        seconds = read_settings().client_timeout
        self.limits = {"client": seconds, "idle": self.cfg.keepalive, "closing": CLOSING_SECONDS}
        self.map: dict[int, Any] = {}
        # Connections with a complete request; threads add to it too.
        self.arrived: deque[Connection] = deque()
        # The probe has a thread of its own.
        self.pool, self.probing = ThreadedTaskDispatcher(), ThreadedTaskDispatcher()
        self.pool.set_thread_count(self.cfg.threads)
        self.probing.set_thread_count(1)
        servers = [self._listen(listener.sock) for listener in self.sockets]
        self.balance = Balance(servers, self.counts, self.slot)
        # A signal wakes the loop.
        wakes = servers[0].trigger.trigger
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes)
        while self.alive and self.ppid == os.getppid():
            self._turn()
        self.balance.stop()
        self._finish()

    def _listen(self, listener: Any) -> Any:
        """Return a waitress server for a listening socket."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES
        name = listener.getsockname()
        server = create_server(
            self.wsgi,
            map=self.map,
            _dispatcher=SimpleNamespace(add_task=self.arrived.append),
            sockets=[listener],
            backlog=self.cfg.backlog,
            connection_limit=min(self.cfg.worker_connections, max(files, RESERVED_FILES)),
            server_name=name[0] if isinstance(name, tuple) else "localhost",
            ident=None,
            # The application decides which of these headers it trusts.
            clear_untrusted_proxy_headers=False,
            log_socket_errors=False,
            max_request_header_size=MAX_HEAD_BYTES,
            # With the framing of chunks; the application refuses a larger body.
            max_request_body_size=read_settings().max_body_bytes + 1,
            # Everything stays in memory, which `_sweep` bounds; threads never wait.
            inbuf_overflow=UNBOUNDED,
            outbuf_overflow=UNBOUNDED,
            outbuf_high_watermark=UNBOUNDED,
            # `_sweep` closes idle connections.
            cleanup_interval=UNBOUNDED,
        )
        server.channel_class = Connection
        return server

    def _turn(self) -> None:
        """Receive and send, start complete requests, and enforce the limits."""
        self.notify()
        wasyncore.loop(timeout=self.balance.timeout, use_poll=True, map=self.map, count=1)
        self.balance.update()
        for _ in range(len(self.arrived)):
            conn = self.arrived.popleft()
            if conn.total_outbufs_len > PROGRESS_BYTES:
                # The client sends requests without reading the responses.
                self.arrived.append(conn)
                continue
            self.nr += 1
            if self._is_at_once(conn):
                conn.service()
            else:
                pool = self.probing if conn.requests[0].path == PROBE else self.pool
                pool.add_task(conn)
        self.alive = self.alive and self.nr < self.max_requests
        if (now := monotonic()) > self._swept + SWEEP_SECONDS:
            self._swept = now
            self._sweep(now)

    def _is_at_once(self, conn: Connection) -> bool:
        """Return whether a request can be answered without waiting."""
        request = conn.requests[0]
        if request.error or not self.at_once or request.body_rcv:
            return bool(request.error)
        request.environ = Response(conn, request).get_environment()
        try:
            return bool(self.at_once(request.environ, None))
        except Exception:
            # It happens again in the thread, which logs it.
            return False

    def _connections(self) -> list[Connection]:
        return [item for item in list(self.map.values()) if isinstance(item, Connection)]

    def _sweep(self, now: float) -> None:
        """Close connections that are too slow, and the oldest large ones if memory is short."""
        conns = self._connections()
        for conn in conns:
            phase = conn.phase(now)
            if now - conn.since > self.limits.get(phase, UNBOUNDED):
                conn.give_up(408)
        large = sorted((c for c in conns if c.size > PROGRESS_BYTES), key=lambda c: c.since)
        total = sum(conn.size for conn in large)
        for conn in large:
            if total > MAX_CONNECTIONS_BYTES and (conn.total_outbufs_len or not conn.requests):
                total -= conn.size
                conn.give_up(503)

    def _finish(self) -> None:
        """Answer open requests, and requests that idle clients still send."""
        began = monotonic()
        self.limits["idle"] = CLOSING_SECONDS
        for conn in self._connections():
            conn.since = max(conn.since, began)
        while busy := self._connections():
            seconds = QUITTING_SECONDS if self.is_quitting else self.cfg.graceful_timeout
            if self.is_quitting:
                busy = [conn for conn in busy if conn.requests or conn.total_outbufs_len]
            if not busy or monotonic() > began + seconds:
                return
            self._turn()

    def init_signals(self) -> None:
        """Install the handlers; end at once if a signal came before them."""
        super().init_signals()
        if not self.early.empty():
            os._exit(0)

    def handle_quit(self, sig: int, frame: object) -> None:
        """End soon, with the responses that are being sent."""
        if not self.booted:
            # An exception could be raised in a destructor, where Python ignores it.
            os._exit(0)
        self.alive, self.is_quitting = False, True
