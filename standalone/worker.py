"""The gunicorn worker of the standalone service: no thread of it ever waits for a client.

waitress receives the requests and sends the responses of all clients in one event loop. What the
application can answer at once, the loop answers; for anything else a thread makes the response.
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
MOST_HEAD_BYTES = 1 << 15
# What all connections of a worker may hold together.
HELD_BYTES = 128 << 20
UNBOUNDED = 1 << 40
SWEEP_SECONDS, CLOSING_SECONDS, QUITTING_SECONDS = 0.2, 2.0, 1.0
# Files of the worker that are not connections of clients.
OTHER_FILES = 64
PROBE = "/readyz"
PR_SET_PDEATHSIG = 1
M_MMAP_THRESHOLD, LARGE_BYTES = -3, 1 << 18


class ServerLogger(Logger):  # type: ignore[misc]
    """gunicorn's logger, and that of waitress with it, in the format of the settings."""

    def setup(self, cfg: Any) -> None:
        """Set up the handlers that gunicorn is configured for."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(LineFormatter(read_settings().log_format))
        logging.getLogger("waitress").handlers = self.error_log.handlers
        # It would say of each request that it waits for a thread.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)


class Worker(BaseWorker):  # type: ignore[misc]
    """A worker that serves HTTP without TLS, with the bounds of the settings."""

    # What the process was sent while it had the handlers of the master.
    early: "SimpleQueue[int]" = SimpleQueue()
    alive: bool
    is_quitting = False
    # Where it shares its number of connections with others; see `Balance`.
    counts: "memoryview[int]" = memoryview(b"")
    slot = 0
    _swept = 0.0

    @staticmethod
    def check_config(cfg: Any, log: Any) -> None:
        """Refuse what this worker has not."""
        if cfg.is_ssl:
            raise SystemExit(
                "Error: landform's worker has no TLS: leave it to a proxy, or add "
                "`--worker-class gthread`, whose threads wait for slow clients."
            )

    def run(self) -> None:
        """Serve until the worker is told to stop, and then finish what is under way."""
        if sys.platform == "linux":
            system = ctypes.CDLL(None)
            # An orphan would hold the listening socket.
            system.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if hasattr(system, "mallopt"):
                # What large responses took goes back to the system.
                system.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        self.at_once = getattr(self.wsgi, "extensions", {}).get(AT_ONCE)
        seconds = read_settings().client_timeout
        self.limits = {"client": seconds, "idle": self.cfg.keepalive, "closing": CLOSING_SECONDS}
        self.map: dict[int, Any] = {}
        # The connections whose next request is complete; threads add to it too.
        self.arrived: deque[Connection] = deque()
        # Nothing else can keep the thread of the probe busy.
        self.pool, self.probing = ThreadedTaskDispatcher(), ThreadedTaskDispatcher()
        self.pool.set_thread_count(self.cfg.threads)
        self.probing.set_thread_count(1)
        servers = [self._listen(listener.sock) for listener in self.sockets]
        self.balance = Balance(servers, self.counts, self.slot)
        # Each signal wakes the loop.
        wakes = servers[0].trigger.trigger
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes)
        while self.alive and self.ppid == os.getppid():
            self._turn()
        self.balance.stop()
        self._finish()

    def _listen(self, listener: Any) -> Any:
        """Return a server of waitress' at a socket."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - OTHER_FILES
        name = listener.getsockname()
        server = create_server(
            self.wsgi,
            map=self.map,
            _dispatcher=SimpleNamespace(add_task=self.arrived.append),
            sockets=[listener],
            backlog=self.cfg.backlog,
            connection_limit=min(self.cfg.worker_connections, max(files, OTHER_FILES)),
            server_name=name[0] if isinstance(name, tuple) else "localhost",
            ident=None,
            # The application decides which it believes.
            clear_untrusted_proxy_headers=False,
            log_socket_errors=False,
            max_request_header_size=MOST_HEAD_BYTES,
            # What frames the chunks of a body counts too; the application refuses what is larger.
            max_request_body_size=read_settings().max_body_bytes + 1,
            # All stays in memory, which the sweep bounds; no thread waits there either.
            inbuf_overflow=UNBOUNDED,
            outbuf_overflow=UNBOUNDED,
            outbuf_high_watermark=UNBOUNDED,
            # The sweep does that too.
            cleanup_interval=UNBOUNDED,
        )
        server.channel_class = Connection
        return server

    def _turn(self) -> None:
        """Receive and send, answer what can be answered, and drop who takes too long."""
        self.notify()
        wasyncore.loop(timeout=self.balance.timeout, use_poll=True, map=self.map, count=1)
        self.balance.update()
        for _ in range(len(self.arrived)):
            conn = self.arrived.popleft()
            if conn.total_outbufs_len > PROGRESS_BYTES:
                # The client has asked for more before it has taken what it asked for.
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
        """Return whether a request can be answered without waiting for anything."""
        request = conn.requests[0]
        if request.error or not self.at_once or request.body_rcv:
            return bool(request.error)
        request.environ = Response(conn, request).get_environment()
        try:
            return bool(self.at_once(request.environ, None))
        except Exception:
            # The same happens to a thread, which can tell.
            return False

    def _connections(self) -> list[Connection]:
        return [one for one in list(self.map.values()) if isinstance(one, Connection)]

    def _sweep(self, now: float) -> None:
        """Drop who takes too long, and who holds much where all hold too much."""
        conns = self._connections()
        for conn in conns:
            phase = conn.phase(now)
            if now - conn.since > self.limits.get(phase, UNBOUNDED):
                conn.give_up(408)
        large = sorted((c for c in conns if c.size > PROGRESS_BYTES), key=lambda c: c.since)
        held = sum(conn.size for conn in large)
        for conn in large:
            if held > HELD_BYTES and (conn.total_outbufs_len or not conn.requests):
                held -= conn.size
                conn.give_up(503)

    def _finish(self) -> None:
        """Answer what is under way, and clients that have not noticed the stop yet."""
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
        """Install the handlers, and end where a signal to stop came before them."""
        super().init_signals()
        if not self.early.empty():
            os._exit(0)

    def handle_quit(self, sig: int, frame: object) -> None:
        """End soon, with the responses that are under way."""
        if not self.booted:
            # SystemExit could be raised where Python only reports exceptions: in a destructor.
            os._exit(0)
        self.alive, self.is_quitting = False, True
