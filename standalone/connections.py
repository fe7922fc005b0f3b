"""The connections of the worker: each reads requests, and sends the responses to them in turn.

Nothing waits for a client: a client that does not go on has a deadline.
"""

import logging
import socket
import struct
from asyncio import Protocol
from http import HTTPStatus
from io import BytesIO
from math import inf
from time import monotonic
from typing import Any, Literal

from landform.standalone.parser import (
    MAX_FRAMING_BYTES,
    MAX_HEAD_BYTES,
    PIECE_BYTES,
    UNREADABLE,
    Environ,
    new_environ,
    new_parser,
    status_of,
)
from landform.standalone.responses import BROKEN, Part, Response, refusal

# A client that has sent or received so many bytes gets a new deadline.
PROGRESS_BYTES = 1 << 16
# What a client may send while its last request is answered.
MAX_AHEAD_BYTES = 1 << 16
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
RESET = struct.pack("ii", 1, 0)
log = logging.getLogger("gunicorn.error")
Phase = Literal["idle", "reading", "work", "sending", "closing", "closed"]


class CutOffError(Exception):
    """A body in chunks that is too large; the application refuses it."""


class Connection(Protocol):
    """The connection of a client of a `worker`, which says how long each phase may last.

    `base`: what is the same in the environment of all its requests. `ahead`: what came, and is not
    read yet.
    """

    transport: Any
    parser: Any
    environ: Environ | None
    response: Response
    phase: Phase = "idle"
    deadline = inf
    part = BROKEN
    ahead = b""
    is_full = is_half_closed = is_blocked = False
    # What the client had sent or received when somebody looked last.
    progress = -1

    def __init__(self, worker: Any, base: Environ) -> None:
        self.worker, self.base = worker, {**base, "landform.connection": self}
        self._expect_request()

    def _expect_request(self) -> None:
        self.environ, self.body, self.is_cut = None, BytesIO(), False
        # The bytes of the head, of the body, of the framing of its chunks, and of the response.
        self.head_size = self.body_size = self.framing_size = self.part_size = 0

    def _enter(self, phase: Phase) -> None:
        self.phase, self.deadline = phase, monotonic() + self.worker.limits[phase]

    def connection_made(self, transport: Any) -> None:
        """Take the address of the client, which has less time for a first request."""
        transport.set_write_buffer_limits(high=0)
        self.transport, self.parser = transport, new_parser(self._on_head, self._on_body)
        name = transport.get_extra_info("peername")
        address, port = name[:2] if isinstance(name, tuple) else ("localhost", "")
        self.base |= {"REMOTE_ADDR": address, "REMOTE_PORT": str(port)}
        self.deadline = monotonic() + self.worker.limits["reading"]

    def connection_lost(self, exc: Exception | None) -> None:
        """End the response, and let go of what refers to this connection."""
        waits, self.phase = self.phase == "sending" and not self.part.is_last, "closed"
        self.worker.lost(self)
        self.base.clear()
        del self.parser, self.transport
        if waits:
            self._drop()

    def data_received(self, data: bytes) -> None:
        """Read bytes, or keep them until the last request is answered."""
        if self.phase == "closing":
            return
        self.ahead += data
        if self.phase in ("idle", "reading"):
            self._read()
        elif len(self.ahead) > MAX_AHEAD_BYTES and not self.is_full:
            self.is_full = True
            self.transport.pause_reading()

    def _read(self) -> None:
        """Read until a request is complete."""
        if self.phase == "idle" and self.ahead:
            self._enter("reading")
        while self.ahead and self.phase == "reading":
            piece, self.ahead = self.ahead[:PIECE_BYTES], self.ahead[PIECE_BYTES:]
            self._feed(piece)
        if self.is_half_closed and self.phase in ("idle", "reading"):
            self.transport.close()

    def _feed(self, piece: bytes) -> None:
        had_head, before = self.environ is not None, self.body_size
        try:
            self.parser.feed(piece)
        except CutOffError:
            self.is_cut = True
        except UNREADABLE as error:
            self._refuse(status_of(error))
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
        elif self.environ.get("HTTP_EXPECT", "").lower() == "100-continue":
            self.transport.write(CONTINUE)

    def _on_head(self) -> bool:
        """Make the environment; return whether the body is left unread."""
        self.environ = new_environ(self.parser, self.base)
        self.is_cut = (self.parser.content_length or 0) > self.worker.max_body_bytes
        return self.is_cut

    def _on_body(self, data: bytes) -> None:
        self.body_size += len(data)
        if self.body_size > self.worker.max_body_bytes:
            raise CutOffError
        self.body.write(data)

    def _start(self, environ: Environ) -> None:
        """Have a request answered."""
        if self.parser.is_chunked:
            environ["CONTENT_LENGTH"] = str(self.body_size)
        self.body.seek(0)
        environ["wsgi.input"] = self.body
        keeps = (
            environ["SERVER_PROTOCOL"] == "HTTP/1.1"
            and "close" not in environ.get("HTTP_CONNECTION", "").lower()
            and not self.is_cut
            and self.worker.alive
        )
        self.response = Response(self.worker.wsgi, environ, keeps)
        self._enter("work")
        self.worker.answer(self)

    def send(self, part: Part) -> None:
        """Send a part of the response; the next one is made when the client has taken it."""
        if self.phase == "closed":
            if not part.is_last:
                self._drop()
            return
        self._enter("sending")
        self.part, self.part_size, self.is_blocked = part, sum(map(len, part.data)), False
        if not part.data:
            self.give_up(500)
            return
        self.transport.writelines(part.data)
        if not self.is_blocked:
            self._sent()

    def pause_writing(self) -> None:
        """Note that the client has not taken everything."""
        self.is_blocked = True

    def resume_writing(self) -> None:
        """Go on when it has."""
        self.is_blocked = False
        if self.phase == "sending":
            self._sent()

    def _sent(self) -> None:
        self.part_size = 0
        if not self.part.is_last:
            self._enter("work")
            self.worker.submit(self)
        elif self.part.closes:
            self._close()
        else:
            self.ahead = self.parser.remaining() + self.ahead
            self.parser.reset()
            self._expect_request()
            self._enter("idle")
            self._take_more()
            if self.ahead or self.is_half_closed:
                # Other clients come first.
                self.worker.loop.call_soon(self._read)

    def _take_more(self) -> None:
        if self.is_full:
            self.is_full = False
            self.transport.resume_reading()

    def eof_received(self) -> bool:
        """Return whether there is still something to send to a client that sends no more."""
        self.is_half_closed = True
        return bool(self.ahead) or self.phase in ("work", "sending")

    def _refuse(self, status: int) -> None:
        log.warning("A request cannot be read: %s.", HTTPStatus(status).phrase)
        self._expect_request()
        self.send(refusal(status))

    def _close(self) -> None:
        """Close, and let a client that still sends see the response first."""
        self._expect_request()
        self._enter("closing")
        self.ahead = b""
        if self.is_half_closed:
            self.transport.close()
        else:
            self.transport.write_eof()
            self._take_more()

    def _drop(self) -> None:
        """Have the application close the response: nobody waits for the rest."""
        self.response.is_dropped = True
        self.worker.submit(self)

    @property
    def size(self) -> int:
        """The bytes of the request, and of the response that the client has not taken."""
        return self.body_size + self.part_size

    def give_up(self, status: int) -> None:
        """Refuse the request that is arriving, or reset a response, and close."""
        if self.phase == "reading":
            self._refuse(status)
        elif self.phase == "sending":
            # The system drops its buffers too.
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.transport.abort()
        elif self.phase == "closing":
            self.transport.abort()
        else:
            self.transport.close()

    def look(self, now: float) -> None:
        """Give up a client that is too slow; one that goes on gets a new deadline."""
        if self.phase in ("reading", "sending"):
            unsent = self.transport.get_write_buffer_size()
            progress = (unsent or self.body_size) // PROGRESS_BYTES
            if progress != self.progress:
                self.progress, self.deadline = progress, now + self.worker.limits[self.phase]
        if now > self.deadline:
            self.give_up(408)
