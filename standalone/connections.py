"""The connections of the worker: those of waitress, with limits, deadlines and errors."""

import re
import socket
import struct
from contextlib import suppress
from time import sleep

from waitress.channel import HTTPChannel
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import build_http_date

from landform.service.http.headers import COMMON_HEADERS
from landform.service.pipeline.errors import http_error
from landform.standalone.parser import Refused, Request

# A client that has sent or received so many bytes gets a new deadline.
PROGRESS_BYTES = 1 << 16
# How many bytes of a stream wait for the client, before the thread does.
STREAM_BYTES, LOOK_SECONDS = 1 << 20, 0.01
RESET = struct.pack("ii", 1, 0)
LENGTH = re.compile("content-length:", re.IGNORECASE)


class Response(WSGITask):  # type: ignore[misc]
    """A response of the application; one of unknown length is a stream."""

    wrote_header: bool
    is_stream = False

    def __init__(self, channel: "Connection", request: Request) -> None:
        super().__init__(channel, request)
        self.environ = request.environ
        channel.is_new = False

    def build_response_header(self) -> bytes:
        """Return the head, with headers as the application wrote them.

        A stream has chunks, so that the client sees whether it is complete. The connection closes
        after one in HTTP/1.0, after a response to a body that was not received, and when the worker
        stops.
        """
        options = self.request.headers.get("CONNECTION", "").lower().replace(" ", "").split(",")
        keeps = "close" not in options and self.version == "1.1"
        is_head, has_length = self.request.command == "HEAD", self.content_length is not None
        self.is_stream = self.has_body and not (is_head or has_length)
        self.chunked_response = self.is_stream and self.version == "1.1"
        is_framed = not self.is_stream or self.chunked_response
        headers = [f"{name}: {value}" for name, value in self.response_headers]
        if self.chunked_response:
            headers.append("Transfer-Encoding: chunked")
        elif self.has_body and has_length and not any(map(LENGTH.match, headers)):
            headers.append(f"Content-Length: {self.content_length}")
        if self.request.is_cut or not (keeps and is_framed and self.channel.server.accepting):
            self.close_on_finish = True
            headers.append("Connection: close")
        headers.append(f"Date: {build_http_date(self.start_time)}")
        self.channel.lingers = self.request.is_cut
        lines = [f"HTTP/{self.version} {self.status}", *headers, "", ""]
        return "\r\n".join(lines).encode("latin-1")

    def write(self, data: bytes) -> None:
        """Send a part of the body, the first one together with the head."""
        head, body = b"", data if self.has_body else b""
        self.content_bytes_written += len(data)
        if not self.wrote_header:
            self.wrote_header = True
            head = self.build_response_header()
        if self.chunked_response and data:
            body = b"%x\r\n%b\r\n" % (len(data), data)
        self.channel.response_bytes = self.content_bytes_written
        if self.is_stream:
            self.channel.wait_for_client()
            self.channel.response_bytes = self.channel.total_outbufs_len + len(data)
        self.channel.write_soon(head + body)


class Refusal(ErrorTask):  # type: ignore[misc]
    """The response to a request that cannot be read: an error that repeats nothing of it."""

    def execute(self) -> None:
        """Write it, and close."""
        error, self.version, self.channel.lingers = self.request.error, "1.1", True
        self.logger.warning("A request cannot be read: %s.", error.reason)
        body, status, headers, content_type, *_ = http_error(error.code, error.reason).finished()
        headers |= {**COMMON_HEADERS, "Content-Type": content_type, "Cache-Control": "no-store"}
        headers |= {"Retry-After": "2"} if status == 503 else {}
        self.response_headers = [*headers.items()]
        self.status, self.content_length = f"{status} {error.reason}", len(body)
        self.set_close_on_finish()
        self.write(body)


class Connection(HTTPChannel):  # type: ignore[misc]
    """The connection of a client, with deadlines.

    It `lingers` before it closes if the client may still be sending: else the client could not read
    the response.
    """

    parser_class, task_class, error_task_class = Request, Response, Refusal
    requests: list[Request]
    request: Request | None
    is_new, lingers, is_closing = True, False, False
    _state: tuple[object, ...] = ()
    since, response_bytes = 0.0, 0

    @property
    def size(self) -> int:
        """The bytes of requests, and of a response that the client has not received."""
        requests = filter(None, (*self.requests, self.request))
        received: int = sum(request.body_bytes_received for request in requests)
        return received + (self.response_bytes if self.total_outbufs_len else 0)

    def phase(self, now: float) -> str:
        """Return the phase of the connection, and set `since` to its beginning."""
        progress: object = None
        if self.is_closing:
            phase = "closing"
        elif self.total_outbufs_len:
            phase, progress = "client", self.total_outbufs_len // PROGRESS_BYTES
        elif self.requests:
            phase = "work"
        elif self.request:
            phase, progress = "client", self.request.body_bytes_received // PROGRESS_BYTES
        elif self.is_new:
            phase = "client"
        else:
            phase, progress = "idle", self.last_activity
            # Frees the memory of the last response.
            self.outbufs[-1].prune()
        state = phase, progress, self.request, self.outbufs[-1]
        if state != self._state:
            self._state, self.since = state, now
        return phase

    def wait_for_client(self) -> None:
        """Wait until the client has received all but a little of a stream."""
        while self.connected and self.total_outbufs_len > STREAM_BYTES:
            self.server.pull_trigger()
            sleep(LOOK_SECONDS)
        # The next part gets a buffer of its own, which is freed when it is sent.
        self.current_outbuf_count = self.adj.outbuf_high_watermark

    def give_up(self, status: int) -> None:
        """Refuse the request that is arriving, or drop the response, and close."""
        if self.request and not (self.requests or self.total_outbufs_len):
            self.request.error = Refused(status)
            self.requests, self.request = [self.request], None
            self.server.add_task(self)
            return
        if self.total_outbufs_len:
            # The system drops its buffers too.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.lingers = False
        self.handle_close()

    def received(self, data: bytes) -> bool:
        """Receive bytes."""
        return False if self.is_closing else bool(super().received(data))

    def handle_close(self) -> None:
        """Close, or let the client see the end first."""
        if self.lingers and self.connected and not self.is_closing:
            self.is_closing, self.will_close = True, False
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                return
        super().handle_close()
