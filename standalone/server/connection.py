"""A client's connection: the bytes received of a request, and those still to send of a response.

gunicorn's parser parses each request, from exactly the bytes that were received. This module looks
for the end of the head and of the body only to know when to call the parser: where the two
disagree, the parser is right.
"""

import re
import socket
import struct
from collections.abc import Callable
from fcntl import ioctl
from itertools import islice
from termios import TIOCOUTQ
from time import monotonic
from typing import Any

from gunicorn import http
from gunicorn.http.body import LengthReader

from landform.standalone.server.streams import (
    BODY_PIECE_BYTES,
    MOST_LEFT_BYTES,
    PIECE_BYTES,
    Chunks,
    Incomplete,
    Outbox,
    Source,
)

HEAD_END = re.compile(rb"\r\n\r\n")
# A line feed alone ends no line: the parser refuses it, and need not wait for more.
SUSPECT = re.compile(rb"\r\n\r\n|(?<!\r)\n")
# More than any head that the parser accepts in landform's configuration.
MOST_HEAD_BYTES = 1 << 20
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection:
    """A connection and its current request.

    `client` and `server` are socket addresses; gunicorn reads `sock`, `client` and `server`.
    """

    def __init__(self, cfg: Any, sock: socket.socket, client: Any, server: Any) -> None:
        sock.setblocking(False)
        self.cfg, self.socket, self.client, self.server = cfg, sock, client, server
        self.sock, self.source = Outbox(), Source()
        self.parser: Any = None
        self.request: Any = None
        self.requests = 0
        self.keep = True
        self.is_broken = self.has_ended = False
        # Kept for the worker: the phase of the wait, since and until when it lasts, the events
        # that the poller looks for, and the bytes that are accounted for.
        self.phase = ""
        self.since = self.deadline = 0.0
        self.events = self.counted = 0
        self._moved = self._mark = 0
        self._restart()

    def _restart(self, rest: bytes = b"") -> None:
        self.source = Source(rest)
        self.request = self.parser = None
        self._scanned, self._head_end = 0, SUSPECT
        self._end = 0
        self._chunks: Chunks | None = None
        self.is_whole = False

    @property
    def held(self) -> int:
        """How many bytes it holds in memory."""
        return len(self.source.data) + self.sock.size

    def receive(self) -> bool:
        """Receive from the client; return whether there was anything, or the end."""
        size = BODY_PIECE_BYTES if self.request else PIECE_BYTES
        try:
            piece = self.socket.recv(size)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            self.is_broken = True
            return True
        self.has_ended = not piece
        self._moved += len(piece)
        self.source.data += piece
        return True

    def is_complete(self, most_body: int) -> bool:
        """Return whether everything that the application will read of a request has arrived.

        Of a body of more than `most_body` bytes it reads no more than that. Raises the error of
        the parser for a head that it refuses.
        """
        if self.request is None and not self._parse():
            return False
        self.is_whole = self._has_body()
        refused = not self.is_whole and self._is_too_large(most_body)
        if self.is_whole or self.has_ended or refused:
            # Nothing more will be added.
            self.source.final = True
            self.request._expected_100_continue = False
            return True
        if self.request._expected_100_continue:
            self.request._expected_100_continue = False
            self.sock.sendall(CONTINUE)
            self.flush()
        return False

    def _parse(self) -> bool:
        source = self.source
        found = self._head_end.search(source.data, max(0, self._scanned - 3))
        self._scanned = len(source.data)
        source.final = self.has_ended or len(source.data) >= MOST_HEAD_BYTES
        if not found and not source.final:
            return False
        parser = http.get_parser(self.cfg, source, self.client)
        parser.req_count = self.requests
        try:
            self.request = next(parser)
        except Incomplete:
            source.position, self._head_end = 0, HEAD_END
            return False
        source.final = False
        self.parser, self.requests = parser, self.requests + 1
        start = len(source.data) - self._unread()
        reader = self.request.body.reader
        if isinstance(reader, LengthReader):
            self._end = start + reader.length
        else:
            self._chunks = Chunks(start)
            reader.read = self._noting_failures(reader.read)
        return True

    def _noting_failures(self, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        """Return a function that reads chunks. What follows a broken one is not a request."""

        def noting(size: int) -> bytes:
            try:
                return read(size)
            except Exception:
                self.is_whole = False
                raise

        return noting

    def _unread(self) -> int:
        """Return how many received bytes the parser has not used."""
        buffered: int = self.parser.unreader.buf.getbuffer().nbytes
        return buffered + len(self.source.data) - self.source.position

    def _has_body(self) -> bool:
        if self._chunks:
            return self._chunks.are_complete(self.source.data)
        return len(self.source.data) >= self._end

    def _is_too_large(self, most: int) -> bool:
        if self._chunks:
            return self._chunks.exceed(len(self.source.data), most)
        return bool(self.request.body.reader.length > most)

    def finish(self) -> bool:
        """Finish the request after its response; return whether another one may follow."""
        try:
            left = self._chunks is not None or self.request.body.reader.length > 0
            if not self.is_whole or (left and self._unread() > MOST_LEFT_BYTES):
                return False
            self.parser.finish_body()
        except Exception:  # Whatever the parser raises: it is unknown where the next one starts.
            return False
        rest = self.parser.unreader.buf.getvalue() + self.source.data[self.source.position :]
        self._restart(rest)
        return True

    def flush(self) -> None:
        """Send as much as the client takes now."""
        try:
            while self.sock.pieces:
                sent = self.socket.sendmsg(list(islice(self.sock.pieces, 64)))
                self.sock.taken(sent)
                self._moved += sent
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self.is_broken = True
            self.sock.clear()

    def give_up(self, response: bytes = b"") -> None:
        """Drop what was received and what is not sent yet, and end with a response instead."""
        self.keep = False
        self._restart()
        self.sock.clear()
        self.sock.sendall(response)

    def wait(self, phase: str, seconds: float) -> None:
        """Start to wait in a phase, for so many seconds."""
        self.phase, self.since = phase, monotonic()
        self.deadline = self.since + seconds

    def progress(self) -> int:
        """Return how many bytes were received and sent since the last call.

        Sent are those that the client's side acknowledged: the system buffers more.
        """
        try:
            unsent = struct.unpack("i", ioctl(self.socket, TIOCOUTQ, bytes(4)))[0]
        except OSError:
            unsent = 0
        before, self._mark = self._mark, self._moved - unsent
        return self._mark - before
