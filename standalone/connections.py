"""The connections of the worker: each reads requests, and sends the responses to them in turn."""

import logging
import socket
import struct
from asyncio import Protocol
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from http import HTTPStatus
from io import BytesIO, RawIOBase
from math import inf
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import Any, Literal

from werkzeug.exceptions import RequestEntityTooLarge

from landform.standalone import parser
from landform.standalone.parser import Environ
from landform.standalone.responses import BROKEN, Part, refusal, respond

# A client that has sent or received so many bytes gets a new deadline.
PROGRESS_BYTES = 1 << 16
MAX_HEAD_BYTES = 1 << 15
# The parser gets no more at once: with each chunk it moves all that it has not read yet.
PIECE_BYTES = 1 << 14
# How many bytes of a body with a file are in memory; a larger one is written to the disk.
SPOOLED_BYTES = 1 << 16
# The framing of chunks may have so many bytes, and a 64th of the body: each chunk costs time.
MAX_FRAMING_BYTES = 4096
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
RESET = struct.pack("ii", 1, 0)
log = logging.getLogger("gunicorn.error")


class CutOffBody(RawIOBase):
    """In place of a body that is too large: the application refuses it, or reads it (413)."""

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, _: object) -> int:
        """Raise an error, which Flask answers too."""
        raise RequestEntityTooLarge


class Connection(Protocol):
    """The connection of a client of a worker, which says how long each phase may last.

    In the phase `work` a part of the response is made. From then on nothing is read, until the
    client has taken the response. `base`: what the environments of all requests have in common.
    """

    phase: Literal["idle", "reading", "work", "sending", "closing", "closed"] = "idle"
    parser: Any
    transport: Any
    body: Any = None
    # The variables of a request last until its last part, in whichever thread.
    context: Context
    # What came and is not read yet, and what `look` saw of the body or the response.
    ahead, progress = b"", 0
    is_last = closes = False

    def __init__(self, worker: Any, base: Environ) -> None:
        self.worker, self.base, self.deadline = worker, base, inf
        self._forget()

    def _forget(self) -> None:
        """Forget the request, its body and its response."""
        self.environ: Environ | None = None
        self.response: Any = None
        if self.body:
            self.body.close()
        self.body = BytesIO()
        # Whether the rest of the body is left unread, and whether it may have a file.
        self.is_cut = self.has_file = False
        self.most_bytes = self.worker.max_body_bytes
        # The bytes of the head, of the body, of the framing of its chunks, and of the response.
        self.head_size = self.body_size = self.framing_size = self.part_size = 0

    def _enter(self, phase: Any) -> None:
        self.phase, self.progress = phase, 0
        self.deadline = monotonic() + self.worker.limits[phase]

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request, not as long as for others."""
        transport.set_write_buffer_limits(high=0)
        self.transport, self.parser = transport, parser.new_parser(self._on_head, self._on_body)
        # A silent client goes last, after those that hold more than a connection.
        self.deadline = monotonic() + self.worker.limits["reading"] + 1

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the response, unless a thread makes a part of it."""
        was, self.phase = self.phase, "closed"
        # It refers to this connection.
        del self.parser
        self.worker.lost(self)
        if was != "work":
            self._end()

    def _end(self) -> None:
        """Have a thread close what the application has opened for a response without an end."""
        if self.response and not self.is_last:
            self.worker.submit(partial(self.context.run, self.response.close))
        self._forget()

    def data_received(self, data: bytes) -> None:
        """Read requests."""
        if self.phase != "closing":
            self.ahead += data
            self._read()

    def _read(self) -> None:
        """Read until a request is complete."""
        if self.phase == "idle" and self.ahead:
            self._enter("reading")
        while self.ahead and self.phase == "reading":
            piece, self.ahead = self.ahead[:PIECE_BYTES], self.ahead[PIECE_BYTES:]
            self._feed(piece)
        if self.phase == "reading":
            self._resume()

    def _feed(self, piece: bytes) -> None:
        had_head, before = self.environ is not None, self.body_size
        try:
            self.parser.feed(piece)
        except RequestEntityTooLarge:
            self.is_cut = True
        except parser.UNREADABLE as error:
            self._refuse(parser.status_of(error))
            return
        if self.environ is None:
            self.head_size += len(piece)
            if self.head_size >= MAX_HEAD_BYTES:
                self._refuse(431)
        elif self.is_cut or self.parser.is_complete:
            self._start(self.environ)
        elif had_head:
            self.framing_size += len(piece) - (self.body_size - before)
            if self.framing_size > MAX_FRAMING_BYTES + self.body_size // 64:
                self._refuse(413)
        elif (
            self.environ.get("HTTP_EXPECT", "").lower() == "100-continue"
            and self.environ["SERVER_PROTOCOL"] == "HTTP/1.1"
        ):
            self.transport.write(CONTINUE)

    def _on_head(self) -> bool:
        """Make the environment; return whether the body is left unread."""
        self.environ = parser.new_environ(self.parser, self.base)
        length = self.parser.content_length or 0
        has_body = length or self.parser.is_chunked
        if has_body and (most_bytes := self.worker.most_file_bytes(self.environ)):
            self.has_file, self.most_bytes = True, most_bytes
            self.body = SpooledTemporaryFile(SPOOLED_BYTES)  # noqa: SIM115 - the response reads it
        self.is_cut = length > self.most_bytes
        return self.is_cut

    def _on_body(self, data: bytes) -> None:
        self.body_size += len(data)
        if self.body_size > self.most_bytes:
            raise RequestEntityTooLarge
        try:
            self.body.write(data)
        except OSError:
            # The disk is full.
            raise parser.Refused(507) from None

    def _start(self, environ: Environ) -> None:
        """Have a request answered, at once if it needs no thread."""
        if self.parser.is_chunked:
            environ["CONTENT_LENGTH"] = str(self.body_size)
        self.body.seek(0)
        environ["wsgi.input"] = CutOffBody() if self.is_cut else self.body
        closes = "close" in environ.get("HTTP_CONNECTION", "").lower() or self.is_cut
        keeps = environ["SERVER_PROTOCOL"] == "HTTP/1.1" and not closes and self.worker.alive
        self.response = respond(self.worker.wsgi, environ, keeps)
        self.context = copy_context()
        self._enter("work")
        if self.worker.is_at_once(environ):
            self.send(self.context.run(next, self.response))
        else:
            self.transport.pause_reading()
            self.worker.submit(self._make_part, environ["PATH_INFO"], has_file=self.has_file)

    def _make_part(self) -> None:
        part = self.context.run(next, self.response)
        self.worker.loop.call_soon_threadsafe(self.send, part)

    def send(self, part: Part) -> None:
        """Send a part of the response; the next one is made when the client has taken it."""
        data, self.is_last, self.closes = part
        if self.phase == "closed":
            self._end()
            return
        self._enter("sending")
        if part is BROKEN:
            self.give_up(500)
            return
        self.part_size = sum(map(len, data))
        self.transport.writelines(data)
        if not (unsent := self.transport.get_write_buffer_size()):
            self._sent()
            return
        # Nothing is read from the client meanwhile.
        self.transport.pause_reading()
        self.progress = unsent // PROGRESS_BYTES
        if self.part_size > PROGRESS_BYTES:
            self.worker.bound_memory()

    def resume_writing(self) -> None:
        """Go on: the client has taken everything."""
        if self.phase == "sending":
            self._sent()

    def _sent(self) -> None:
        if not self.is_last:
            self._enter("work")
            self.worker.submit(self._make_part)
            return
        self._forget()
        if self.transport.is_closing():
            return
        if self.closes:
            self._enter("closing")
            self.ahead = b""
            # A client that still sends could not read the response if the connection was closed;
            # one that has left makes this fail.
            with suppress(OSError):
                self.transport.write_eof()
        else:
            self._enter("idle")
            self.ahead = self.parser.remaining() + self.ahead
            self.parser.reset()
            if self.ahead:
                # Other clients come first.
                self.transport.pause_reading()
                self.worker.loop.call_soon(self._read)
                return
        self._resume()

    def _resume(self) -> None:
        if not self.transport.is_reading():
            self.transport.resume_reading()

    def _refuse(self, status: int) -> None:
        log.warning("A request cannot be read: %s.", HTTPStatus(status).phrase)
        self._forget()
        self.send(refusal(status))

    def give_up(self, status: int) -> None:
        """Refuse the request that is arriving, or end the connection."""
        if self.phase == "reading":
            self._refuse(status)
        elif self.phase == "idle":
            self.transport.close()
        else:
            if self.phase == "sending":
                # The system drops its buffers too.
                sock = self.transport.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.transport.abort()

    @property
    def size(self) -> int:
        """The bytes in memory: of the requests, and of what the client has not taken."""
        return len(self.ahead) + self.part_size + (0 if self.has_file else self.body_size)

    @property
    def file_size(self) -> int:
        """The bytes of the request on disk."""
        return self.body_size if self.has_file else 0

    def look(self, now: float) -> None:
        """Give up a client that does not go on; one that does gets a new deadline."""
        if self.phase in ("reading", "sending"):
            unsent = self.transport.get_write_buffer_size()
            progress = (unsent or self.body_size) // PROGRESS_BYTES
            if progress != self.progress:
                self.progress, self.deadline = progress, now + self.worker.limits[self.phase]
        if now > self.deadline:
            self.give_up(408)
