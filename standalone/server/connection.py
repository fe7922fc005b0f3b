"""A client's connection: what it has sent of a request, and what it has still to take.

gunicorn's parser reads each request, from the very bytes that came. What is looked for here, the
end of a head and that of a body, tells when to ask the parser, and nothing else: where the two
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
# More than any head that the parser lets pass in landform's configuration.
MOST_HEAD_BYTES = 1 << 20
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection:
    """A connection, and the request that is under way on it.

    `client` and `server` are addresses; `sock`, `client` and `server` are what gunicorn looks for.
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
        # Of the worker: the phase that it waits in, since and until when, what its poller looks
        # for, and the bytes that it accounts for.
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
        """How many bytes it keeps in memory."""
        return len(self.source.data) + self.sock.size

    def receive(self) -> bool:
        """Take what the client has sent; say whether that was anything, or its end."""
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
        """Say whether the application can be asked: all that it will read of a request is here.

        Of a body of more than `most_body` bytes it reads no more than that. Raises what the
        parser raises at a head that it refuses.
        """
        if self.request is None and not self._parse():
            return False
        self.is_whole = self._has_body()
        refused = not self.is_whole and self._is_too_large(most_body)
        if self.is_whole or self.has_ended or refused:
            # From here on, what is missing is missing.
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
        """Return a function that reads chunks. After a broken one nothing is a request."""

        def noting(size: int) -> bytes:
            try:
                return read(size)
            except Exception:
                self.is_whole = False
                raise

        return noting

    def _unread(self) -> int:
        """Return how many bytes came that the parser has not used."""
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
        """Leave the request that was answered; say whether another one may follow on it."""
        try:
            left = self._chunks is not None or self.request.body.reader.length > 0
            if not self.is_whole or (left and self._unread() > MOST_LEFT_BYTES):
                return False
            self.parser.finish_body()
        except Exception:  # Whatever the parser raises: nobody knows where the next one starts.
            return False
        rest = self.parser.unreader.buf.getvalue() + self.source.data[self.source.position :]
        self._restart(rest)
        return True

    def flush(self) -> None:
        """Send what the client takes now."""
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
        """Forget what came and what has not gone out, and end with a response instead."""
        self.keep = False
        self._restart()
        self.sock.clear()
        self.sock.sendall(response)

    def wait(self, phase: str, seconds: float) -> None:
        """Begin to wait in a phase for so long."""
        self.phase, self.since = phase, monotonic()
        self.deadline = self.since + seconds

    def progress(self) -> int:
        """Return how many bytes went either way since this was asked before.

        Of those that went out, those that the client's side took: the system has room for more.
        """
        try:
            unsent = struct.unpack("i", ioctl(self.socket, TIOCOUTQ, bytes(4)))[0]
        except OSError:
            unsent = 0
        before, self._mark = self._mark, self._moved - unsent
        return self._mark - before
