"""The worker of gunicorn that landform runs in: no thread of it ever waits for a client.

The worker's one event loop receives requests and sends responses, for all clients at once and
against deadlines. A thread of the pool gets a request when all of it is there, and is free again
when the response is made. What reads a request and what makes a response is gunicorn's own.
"""

import errno
import socket
import struct
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from time import monotonic
from typing import Any

from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import ThreadWorker

from landform.standalone.server.connection import Connection

# What a connection waits in: before its first request, between two, in a head, in a body, for a
# client to take its response, and for it to close. In ANSWERING a thread has it.
NEW, IDLE, HEAD, BODY, SEND, CLOSING = "new", "idle", "head", "body", "send", "closing"
ANSWERING, CLOSED = "answering", "closed"
CLOSING_SECONDS = STOPPING_SECONDS = 2.0
# Whoever takes or sends so much until the deadline gets another one.
PROGRESS_BYTES = 1 << 16
# Of requests that are not complete and responses that are not taken, in the whole worker.
HELD_BYTES = 128 << 20
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
# Each has a thread of its own, which no other request can keep busy.
PROBES = ("/healthz", "/readyz")
RESET = struct.pack("ii", 1, 0)


def _refusal(status: int, reason: str, code: str, message: str, *headers: str) -> bytes:
    body = f'{{"code":"{code}","message":"{message}","data":{{"status":{status}}}}}'
    lines = [
        f"HTTP/1.1 {status} {reason}", "Connection: close", "Content-Type: application/json",
        f"Content-Length: {len(body)}", *headers, "", body,
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


TOO_SLOW = _refusal(
    408, "Request Timeout", "rest_request_timeout", "The request did not arrive in time."
)
TOO_MUCH = _refusal(
    503, "Service Unavailable", "rest_too_busy", "Too many requests are arriving at once.",
    "Retry-After: 2",
)  # fmt: skip


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, with an event loop that receives and sends by itself.

    The timeouts are in seconds: all of a head; a body, or the next 64 KiB of it; a response that
    is taken, or the next 64 KiB of it. `max_body_bytes` is what the application reads of a body
    at most. With TLS, and other protocols than HTTP, it is gunicorn's worker unchanged.
    """

    head_timeout, body_timeout, send_timeout = 10.0, 30.0, 30.0
    max_body_bytes = 4 << 20

    def init_process(self) -> None:
        """Prepare what a worker has beside gunicorn's, and run."""
        others = getattr(self.cfg, "protocol", "http"), getattr(self.cfg, "http2_cleartext", "off")
        self.is_plain = not self.cfg.is_ssl and others == ("http", "off")
        self.probing = {path: ThreadPoolExecutor(1) for path in PROBES}
        self.waiting: dict[str, OrderedDict[Connection, None]] = {
            phase: OrderedDict() for phase in (NEW, IDLE, HEAD, BODY, SEND, CLOSING)
        }
        self.held = 0
        self.accepting_from = 0.0
        super().init_process()

    def run(self) -> None:
        """Serve until the worker is told to stop, and then what is under way."""
        if not self.is_plain:
            super().run()
            return
        # gunicorn looks at its length, and announces no further request where it is full.
        self.keepalived_conns = self.waiting[IDLE]
        queue = self.method_queue
        self.poller.register(queue.fileno(), EVENT_READ, queue.run_callbacks)
        while self.alive and self.is_parent_alive():
            has_room = self.nr_conns < self.worker_connections
            self.set_accept_enabled(has_room and monotonic() >= self.accepting_from)
            self._turn()
        self._stop()

    def _turn(self) -> None:
        self.notify()
        now = monotonic()
        first = (next(iter(waiting)).deadline for waiting in self.waiting.values() if waiting)
        self.wait_for_and_dispatch_events(min(1.0, max(0.0, min(first, default=now + 1) - now)))
        self._expire(monotonic())
        self._shed()

    def _stop(self) -> None:
        """Answer what is under way, and what clients send that have not seen the stop yet."""
        self.set_accept_enabled(False)
        now = monotonic()
        for conn in [*self.waiting[NEW], *self.waiting[IDLE]]:
            conn.deadline = min(conn.deadline, now + STOPPING_SECONDS)
        while self.nr_conns and monotonic() < now + self.cfg.graceful_timeout:
            self._turn()
        for waiting in self.waiting.values():
            for conn in list(waiting):
                self._close(conn)
        for pool in (self.tpool, *self.probing.values()):
            pool.shutdown(wait=False)
        self.poller.close()
        self.method_queue.close()
        for listener in self.sockets:
            listener.close()

    def accept(self, listener: Any) -> None:
        """Take a new connection. One that the system has no room for waits a second."""
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

    def _on_event(self, conn: Connection, _: Any) -> None:
        """Do what a connection was watched for."""
        try:
            if conn.phase == SEND:
                self._go_on(conn)
            elif conn.phase == ANSWERING:
                # It has its turn when the response is out.
                self._watch(conn, 0)
            elif conn.phase != CLOSED and conn.receive():
                self._received(conn)
        except Exception:
            self.log.exception("A connection failed.")
            self._close(conn)

    def _received(self, conn: Connection) -> None:
        if conn.phase == CLOSING:
            conn.source.data.clear()
        if conn.is_broken or (conn.has_ended and not conn.source.data):
            self._close(conn)
        elif conn.phase != CLOSING:
            self._advance(conn)

    def _advance(self, conn: Connection) -> None:
        """Have a request answered that is complete, and wait for the rest of any other."""
        try:
            complete = conn.is_complete(self.max_body_bytes + 1)
        except (NoMoreData, StopIteration):
            self._close(conn)
            return
        except Exception as error:
            self.handle_error(None, conn.sock, conn.client, error)
            conn.keep = False
            self._go_on(conn)
            return
        if complete:
            self._leave(conn, ANSWERING)
            pool: Any = self.probing.get(conn.request.path, self.tpool)
            pool.submit(self._answer, conn)
        else:
            self._wait(conn, BODY if conn.request else HEAD, EVENT_READ)

    def _answer(self, conn: Connection) -> None:
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
            self.method_queue.defer(self._answered, conn, keep)

    def _answered(self, conn: Connection, keep: bool) -> None:
        conn.keep = keep and not conn.has_ended
        try:
            self._go_on(conn)
        except Exception:
            self.log.exception("A connection failed.")
            self._close(conn)

    def _go_on(self, conn: Connection) -> None:
        """Send what is left of a response, and then wait for the next request, or close."""
        conn.flush()
        if conn.is_broken:
            self._close(conn)
        elif conn.sock.size:
            self._wait(conn, SEND, EVENT_WRITE)
        elif not conn.keep:
            # Not at once: what is unread at a close takes the response away from the client.
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
        if phase == IDLE:
            return float(self.cfg.keepalive) if self.alive else STOPPING_SECONDS
        if phase == CLOSING:
            return CLOSING_SECONDS
        limits = {BODY: self.body_timeout, SEND: self.send_timeout}
        return limits.get(phase, self.head_timeout)

    def _wait(self, conn: Connection, phase: str, events: int) -> None:
        """Let a connection wait in a phase: its time goes from when it came into it."""
        if conn.phase != phase:
            self._leave(conn, phase)
            conn.wait(phase, self._seconds(phase))
            if phase in (BODY, SEND):
                conn.progress()
            self.waiting[phase][conn] = None
        self._watch(conn, events)
        self._account(conn)

    def _leave(self, conn: Connection, phase: str) -> None:
        if conn.phase in self.waiting:
            del self.waiting[conn.phase][conn]
        conn.phase = phase

    def _watch(self, conn: Connection, events: int) -> None:
        if events and conn.events and events != conn.events:
            self.poller.modify(conn.socket, events, partial(self._on_event, conn))
        elif events and not conn.events:
            self.poller.register(conn.socket, events, partial(self._on_event, conn))
        elif conn.events and not events:
            self.poller.unregister(conn.socket)
        conn.events = events

    def _account(self, conn: Connection) -> None:
        self.held += conn.held - conn.counted
        conn.counted = conn.held

    def _shed(self) -> None:
        """Let the longest waits end, of those that hold much, while all hold too much together."""
        while self.held > HELD_BYTES:
            waits = (self.waiting[phase] for phase in (HEAD, BODY, SEND))
            large = [conn for waiting in waits for conn in waiting if conn.held > PROGRESS_BYTES]
            if not large:
                return
            self._give_up(min(large, key=lambda conn: conn.since), TOO_MUCH)

    def _expire(self, now: float) -> None:
        """End the waiting of those whose deadline has come."""
        for phase, waiting in self.waiting.items():
            while waiting and (conn := next(iter(waiting))).deadline <= now:
                if phase in (BODY, SEND) and conn.progress() >= PROGRESS_BYTES:
                    conn.deadline = now + self._seconds(phase)
                    waiting.move_to_end(conn)
                else:
                    self._give_up(conn, TOO_SLOW)

    def _give_up(self, conn: Connection, response: bytes) -> None:
        """End a connection whose client is too slow, with a response where that can be one."""
        if conn.phase in (HEAD, BODY):
            conn.give_up(response)
            self._go_on(conn)
            return
        if conn.phase == SEND:
            # The system forgets too what it holds for a client that does not read.
            conn.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._close(conn)

    def _close(self, conn: Connection) -> None:
        if conn.phase == CLOSED:
            return
        self._watch(conn, 0)
        self._leave(conn, CLOSED)
        conn.socket.close()
        self.nr_conns -= 1
        self.held -= conn.counted
