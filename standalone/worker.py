"""The gunicorn worker of the standalone service.

One event loop receives the requests and sends the responses of all clients, so no thread waits for
a client. The loop answers what is cached; threads answer all other requests.
"""

import asyncio
import ctypes
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from math import inf
from operator import attrgetter
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from gunicorn.glogging import Logger
from gunicorn.workers.base import Worker as BaseWorker

from landform.standalone.balance import Balance
from landform.standalone.connections import PROGRESS_BYTES, Connection
from landform.standalone.logs import LineFormatter
from landform.standalone.parser import IS_FAST, Environ
from landform.standalone.settings import read_settings

try:
    import uvloop
except ImportError:
    uvloop = None  # type: ignore[assignment]

# As in `app.py`.
AT_ONCE, MOST_FILE_BYTES = "landform.at_once", "landform.most_file_bytes"
# The memory of all connections of a worker together, and what they have on disk.
MAX_CONNECTIONS_BYTES, MAX_FILES_BYTES = 128 << 20, 512 << 20
SWEEP_SECONDS, CLOSING_SECONDS, QUITTING_SECONDS = 0.2, 2.0, 1.0
# How often a worker that stops looks whether it is done.
STOPPING_SECONDS = 0.02
# Open files of the worker that are not connections.
RESERVED_FILES = 64
PROBE = "/readyz"
PR_SET_PDEATHSIG = 1
M_MMAP_THRESHOLD, LARGE_BYTES = -3, 1 << 18
Work = Callable[[], object]
# What is missing for the speed of the docs.
SLOW = [] if IS_FAST else ["gunicorn_h1c"]
SLOW += ["uvloop"] if not uvloop else []


class ServerLogger(Logger):  # type: ignore[misc]
    """The loggers of gunicorn and asyncio, in the format of the settings."""

    def setup(self, cfg: Any) -> None:
        """Set up the handlers of the configuration."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(LineFormatter(read_settings().log_format))
        logging.getLogger("asyncio").handlers = self.error_log.handlers


class Worker(BaseWorker):  # type: ignore[misc]
    """A gunicorn worker that serves HTTP without TLS."""

    # Signals that came while the process still had the handlers of the master.
    early: "SimpleQueue[int]" = SimpleQueue()
    alive: bool
    is_quitting = False
    # The numbers of connections of all workers, and its place in them; see `Balance`.
    counts: "memoryview[int]" = memoryview(b"")
    slot = 0

    @staticmethod
    def check_config(cfg: Any, log: Any) -> None:
        """Refuse a configuration with TLS."""
        if cfg.is_ssl:
            raise SystemExit(
                "Error: landform's worker has no TLS: leave it to a proxy, or add "
                "`--worker-class gthread`, whose threads wait for slow clients."
            )
        if SLOW:
            log.info("HTTP is slower without %s: install landform[fast].", " and ".join(SLOW))

    def run(self) -> None:
        """Serve until the worker has to stop, and then finish open requests."""
        if sys.platform == "linux":
            system = ctypes.CDLL(None)
            # End with the master: else the listening socket would stay open.
            system.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if hasattr(system, "mallopt"):
                # Give the memory of large responses back to the system.
                system.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        settings = read_settings()
        extensions = getattr(self.wsgi, "extensions", {})
        self.at_once = extensions.get(AT_ONCE)
        self.most_file_bytes = extensions.get(MOST_FILE_BYTES, lambda environ: 0)
        self.max_body_bytes, seconds = settings.max_body_bytes, settings.client_timeout
        # How long a connection may be in each of its phases.
        self.limits = {
            "idle": self.cfg.keepalive, "reading": seconds, "work": inf, "sending": seconds,
            "closing": CLOSING_SECONDS,
        }  # fmt: skip
        self.connections: set[Connection] = set()
        # The probe has a thread of its own, and so have requests with files, which take long: one
        # at a time. Those of an executor would be waited for.
        self.waiting, self.probes = SimpleQueue[Work](), SimpleQueue[Work]()
        self.with_files = SimpleQueue[Work]()
        for queue in [self.waiting] * self.cfg.threads + [self.probes, self.with_files]:
            Thread(target=self._work, args=[queue], daemon=True).start()
        self.loop: Any = (uvloop or asyncio).new_event_loop()
        self.loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES
        self.balance = Balance(self, min(self.cfg.worker_connections, max(files, RESERVED_FILES)))
        while self.alive and self.ppid == os.getppid():
            await self._turn(SWEEP_SECONDS)
        self.balance.stop()
        began, self.limits["idle"] = monotonic(), CLOSING_SECONDS
        for conn in self.connections:
            if conn.phase == "idle":
                conn.deadline = min(conn.deadline, began + CLOSING_SECONDS)
        # Requests that idle clients still send are answered too, unless it has to be soon.
        while any(
            conn.phase in ("work", "sending") or not self.is_quitting for conn in self.connections
        ):
            seconds = QUITTING_SECONDS if self.is_quitting else self.cfg.graceful_timeout
            if monotonic() > began + seconds:
                return
            await self._turn(STOPPING_SECONDS)

    async def _turn(self, seconds: float) -> None:
        """Tell the master, and enforce the limits of connections, after a time."""
        self.notify()
        now = monotonic()
        for conn in [*self.connections]:
            conn.look(now)
        self.bound_memory()
        await asyncio.sleep(seconds)

    def bound_memory(self) -> None:
        """Give up the connections that have waited longest, if all together hold too much."""
        for limit, size_of in (
            (MAX_CONNECTIONS_BYTES, attrgetter("size")),
            (MAX_FILES_BYTES, attrgetter("file_size")),
        ):
            large = [conn for conn in self.connections if size_of(conn) > PROGRESS_BYTES]
            excess = sum(map(size_of, large)) - limit
            for conn in sorted(large, key=lambda conn: conn.deadline):
                if excess > 0 and conn.phase in ("reading", "sending"):
                    excess -= size_of(conn)
                    conn.give_up(503)

    def accept(self, listener: Any) -> None:
        """Accept a connection, if no other worker was faster."""
        with suppress(OSError):
            client, address = listener.accept()
            here = listener.getsockname()
            # At a socket file neither end has an address.
            (name, port, *_), (host, number, *_) = (
                end if isinstance(end, tuple) else ("localhost", "") for end in (here, address)
            )
            base = {
                "SERVER_NAME": name, "SERVER_PORT": str(port), "SERVER_SOFTWARE": "landform",
                "REMOTE_ADDR": host, "REMOTE_PORT": str(number), "gunicorn.socket": client,
                "SCRIPT_NAME": "", "wsgi.version": (1, 0), "wsgi.url_scheme": "http",
                "wsgi.errors": sys.stderr, "wsgi.multithread": True, "wsgi.multiprocess": True,
                "wsgi.run_once": False, "wsgi.input_terminated": True,
            }  # fmt: skip
            conn = Connection(self, base)
            self.connections.add(conn)
            self.loop.create_task(self._open(conn, client))

    async def _open(self, conn: Connection, client: Any) -> None:
        try:
            await self.loop.connect_accepted_socket(lambda: conn, client)
        except OSError:
            self.lost(conn)

    def lost(self, conn: Connection) -> None:
        """Forget a connection that is closed."""
        self.connections.discard(conn)
        self.balance.update()

    def is_at_once(self, environ: Environ) -> bool:
        """Count a request, and return whether it can be answered without waiting."""
        self.nr += 1
        self.alive = self.alive and self.nr < self.max_requests
        if not self.at_once or environ.get("CONTENT_LENGTH", "0") != "0":
            return False
        try:
            return bool(self.at_once(environ, None))
        except Exception:
            # It happens again in the thread, which logs it.
            return False

    def submit(self, work: Work, path: str = "", *, has_file: bool = False) -> None:
        """Have a thread call a function."""
        if has_file:
            self.with_files.put(work)
        else:
            (self.probes if path == PROBE else self.waiting).put(work)

    def _work(self, queue: "SimpleQueue[Work]") -> None:
        while True:
            try:
                queue.get()()
            except BaseException:
                self.log.exception("The application failed after a response.")

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
