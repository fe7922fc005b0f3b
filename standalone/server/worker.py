"""The gunicorn worker of landform: none of its threads ever waits for a client.

One event loop receives the requests and sends the responses of all clients at once, each against
a deadline. A thread of the pool gets a request when all of it has arrived, and is free again when
the response is made. Parsing requests and making responses is left to gunicorn.
"""

import errno
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from time import monotonic

from gunicorn.http.errors import NoMoreData, ParseException

from landform.standalone.server.connection import Connection
from landform.standalone.server.quitting import QuittingWorker
from landform.standalone.server.refusals import TOO_MUCH, TOO_SLOW, unreadable
from landform.standalone.server.waiting import (
    BODY,
    CLOSED,
    CLOSING,
    HANDLING,
    HEAD,
    IDLE,
    NEW,
    SEND,
    Waiting,
)

CLOSING_SECONDS = STOPPING_SECONDS = 2.0
# How much all connections of a worker may hold together.
HELD_BYTES = 128 << 20
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
# Each has a thread of its own, which no other request can keep busy.
PROBES = ("/healthz", "/readyz")
RESET = struct.pack("ii", 1, 0)


class Worker(QuittingWorker):
    """gunicorn's threaded worker, with an event loop of its own that receives and sends.

    The timeouts are in seconds: for all of a head; for a body, or the next 64 KiB of it; for the
    client to take a response, or the next 64 KiB of it. `max_body_bytes` is the most that the
    application reads of a body. With TLS, and with other protocols than HTTP, it works as
    gunicorn's own does.
    """

    head_timeout, body_timeout, send_timeout = 10.0, 30.0, 30.0
    max_body_bytes = 4 << 20

    def init_process(self) -> None:
        """Prepare what this worker has beside gunicorn's, and run."""
        others = getattr(self.cfg, "protocol", "http"), getattr(self.cfg, "http2_cleartext", "off")
        self.is_plain = not self.cfg.is_ssl and others == ("http", "off")
        self.probing = {path: ThreadPoolExecutor(1) for path in PROBES}
        self.waiting = Waiting()
        self.accepting_from = 0.0
        super().init_process()

    def run(self) -> None:
        """Serve until the worker is told to stop, and then finish what is under way."""
        if not self.is_plain:
            super().run()
            return
        # gunicorn looks at its length, and announces no further request where it is full.
        self.keepalived_conns = self.waiting.by_phase[IDLE]
        queue = self.method_queue
        self.poller.register(queue.fileno(), EVENT_READ, queue.run_callbacks)
        while self.alive and self.is_parent_alive():
            has_room = self.nr_conns < self.worker_connections
            self.set_accept_enabled(has_room and monotonic() >= self.accepting_from)
            self._turn()
        self._stop()

    def _turn(self) -> None:
        """Handle the events up to the next deadline, and then what is overdue."""
        self.notify()
        now = monotonic()
        seconds = self.waiting.first_deadline(now + 1) - now
        self.wait_for_and_dispatch_events(min(1.0, max(0.0, seconds)))
        self._expire(monotonic())
        self._shed()

    def _stop(self) -> None:
        """Finish what is under way, and serve clients that have not noticed the stop yet."""
        self.set_accept_enabled(False)
        now = monotonic()
        for phase in (NEW, IDLE):
            for conn in self.waiting.by_phase[phase]:
                conn.deadline = min(conn.deadline, now + STOPPING_SECONDS)
        while self.is_needed(monotonic() - now, self.nr_conns - self.waiting.idle()):
            self._turn()
        for conn in self.waiting:
            self._close(conn)
        for pool in (self.tpool, *self.probing.values()):
            pool.shutdown(wait=False)
        self.poller.close()
        self.method_queue.close()
        for listener in self.sockets:
            listener.close()

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection. One that the system has no room for waits a second."""
        if not self.is_plain:
            super().accept(listener)
            return
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in NO_ROOM:
                self.accepting_from = monotonic() + 1
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED):
                raise
            return
        self.nr_conns += 1
        self._wait(Connection(self.cfg, sock, client, listener.getsockname()), NEW, EVENT_READ)

    def _on_event(self, conn: Connection, _: object) -> None:
        """Receive from a connection, or send to it, whichever it waits for."""
        try:
            if conn.phase == SEND:
                self._proceed(conn)
            elif conn.phase == HANDLING:
                # Its turn comes when the response is out.
                self._watch(conn, 0)
            elif conn.phase != CLOSED and conn.receive():
                self._received(conn)
        except Exception:
            self.log.exception("A connection failed.")
            self._close(conn)

    def _received(self, conn: Connection) -> None:
        if conn.phase == CLOSING:
            conn.source.data.clear()
        if conn.is_broken or self.is_quitting or (conn.has_ended and not conn.source.data):
            self._close(conn)
        elif conn.phase != CLOSING:
            self._advance(conn)

    def _advance(self, conn: Connection) -> None:
        """Pass a complete request to a thread, and wait for the rest of any other."""
        try:
            complete = conn.is_complete(self.max_body_bytes + 1)
        except (NoMoreData, StopIteration):
            self._close(conn)
            return
        except ParseException as error:
            # What it says may be a part of the request, with secrets in it.
            self.log.warning("A request cannot be read: %s.", type(error).__name__)
            conn.sock.sendall(unreadable(error))
            conn.keep = False
            self._proceed(conn)
            return
        if complete:
            self.waiting.leave(conn, HANDLING)
            pool = self.probing.get(conn.request.path) or self.tpool
            # What the application notes of the request is forgotten with it.
            pool.submit(copy_context().run, self._handle, conn)
        else:
            self._wait(conn, BODY if conn.request else HEAD, EVENT_READ)

    def _handle(self, conn: Connection) -> None:
        """Make the response to a request. Runs in a thread, which waits for no client."""
        keep = False
        try:
            keep = self.handle_request(conn.request, conn) and conn.finish()
        except StopIteration:
            self.log.debug("A response broke off.")
        except OSError:
            self.log.exception("Socket error processing request.")
        except Exception as error:
            self.handle_error(conn.request, conn.sock, conn.client, error)
        finally:
            conn.flush()
            self.method_queue.defer(self._handled, conn, keep)

    def _handled(self, conn: Connection, keep: bool) -> None:
        conn.keep = keep and not conn.has_ended and not self.is_quitting
        try:
            self._proceed(conn)
        except Exception:
            self.log.exception("A connection failed.")
            self._close(conn)

    def _proceed(self, conn: Connection) -> None:
        """Send what is left of a response, and then wait for the next request, or close."""
        conn.flush()
        if conn.is_broken:
            self._close(conn)
        elif conn.sock.size:
            self._wait(conn, SEND, EVENT_WRITE)
        elif not conn.keep:
            # Not at once: closing with unread data would take the response away from the client.
            conn.give_up()
            try:
                conn.socket.shutdown(socket.SHUT_WR)
            except OSError:
                self._close(conn)
            else:
                self._wait(conn, CLOSING, EVENT_READ)
        elif conn.source.data:
            self._advance(conn)
        else:
            self._wait(conn, IDLE, EVENT_READ)

    def _seconds(self, phase: str) -> float:
        """Return how long a connection may wait in a phase."""
        if phase == IDLE:
            return float(self.cfg.keepalive) if self.alive else STOPPING_SECONDS
        if phase == CLOSING:
            return CLOSING_SECONDS
        limits = {BODY: self.body_timeout, SEND: self.send_timeout}
        return limits.get(phase, self.head_timeout)

    def _wait(self, conn: Connection, phase: str, events: int) -> None:
        """Let a connection wait for events; its time runs from when it entered the phase."""
        if conn.phase != phase:
            self.waiting.enter(conn, phase, self._seconds(phase))
        self._watch(conn, events)
        self.waiting.account(conn)

    def _watch(self, conn: Connection, events: int) -> None:
        """Let the poller look for these events of a connection, and for no others."""
        if events and conn.events and events != conn.events:
            self.poller.modify(conn.socket, events, partial(self._on_event, conn))
        elif events and not conn.events:
            self.poller.register(conn.socket, events, partial(self._on_event, conn))
        elif conn.events and not events:
            self.poller.unregister(conn.socket)
        conn.events = events

    def _shed(self) -> None:
        """Give up the longest waits of large requests while all connections hold too much."""
        while self.waiting.held_bytes > HELD_BYTES and (conn := self.waiting.longest_large()):
            self._give_up(conn, TOO_MUCH)

    def _expire(self, now: float) -> None:
        """Give up those whose deadline has come, unless their clients made progress."""
        for conn in self.waiting.overdue(now):
            if not self.waiting.extend(conn, now + self._seconds(conn.phase)):
                self._give_up(conn, TOO_SLOW)

    def _give_up(self, conn: Connection, response: bytes) -> None:
        """Close the connection of a client that is too slow, with a response if it can get one."""
        if conn.phase in (HEAD, BODY):
            conn.give_up(response)
            self._proceed(conn)
            return
        if conn.phase == SEND:
            # The system drops too what it buffers for a client that does not read.
            conn.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._close(conn)

    def _close(self, conn: Connection) -> None:
        if conn.phase == CLOSED:
            return
        self._watch(conn, 0)
        self.waiting.leave(conn, CLOSED)
        conn.socket.close()
        self.nr_conns -= 1
        self.waiting.forget(conn)
