"""Between a connection and gunicorn: received bytes, bytes to send, and the chunks of a body."""

from collections import deque
from errno import ENOTCONN
from typing import IO

PIECE_BYTES, BODY_PIECE_BYTES = 1 << 14, 1 << 17
# A body that the application did not read is read up to here, so that the next request is found.
MOST_LEFT_BYTES = 1 << 16


class Incomplete(Exception):
    """The received bytes are not a complete head."""


class Source:
    """The received bytes, which gunicorn's parser reads as if from a socket."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.position = 0
        # Whether nothing more will be added: then the parser gets an end of file.
        self.final = False

    def recv(self, size: int) -> bytes:
        """Return the next bytes, at most `size`. Raises `Incomplete` where more have to come."""
        piece = bytes(memoryview(self.data)[self.position : self.position + size])
        if not piece and not self.final:
            raise Incomplete
        self.position += len(piece)
        return piece


class Outbox:
    """Where gunicorn writes a response, as if to a socket: no thread waits for the client."""

    def __init__(self) -> None:
        self.pieces: deque[memoryview] = deque()
        self.size = 0

    def sendall(self, data: bytes) -> None:
        """Queue bytes to send."""
        if data:
            self.pieces.append(memoryview(data))
            self.size += len(data)

    def send(self, data: bytes) -> int:
        """Queue bytes to send, and return their number."""
        self.sendall(data)
        return len(data)

    def sendfile(self, file: IO[bytes], offset: int = 0, count: int | None = None) -> int:
        """Queue a part of a file to send."""
        file.seek(offset)
        return self.send(file.read(-1 if count is None else count))

    def taken(self, count: int) -> None:
        """Drop bytes that were sent."""
        self.size -= count
        while count:
            first = self.pieces.popleft()
            if rest := first[count:]:
                # A view of a little keeps the whole in memory.
                small = len(rest) < memoryview(first.obj).nbytes // 2
                self.pieces.appendleft(memoryview(bytes(rest)) if small else rest)
            count -= min(count, len(first))

    def clear(self) -> None:
        """Drop all that is not sent yet."""
        self.pieces.clear()
        self.size = 0

    def gettimeout(self) -> float:
        """Return 0: nothing here blocks."""
        return 0.0

    def shutdown(self, how: int) -> None:
        """Raise: the worker closes the connection, after it has sent what is queued."""
        raise OSError(ENOTCONN, "The worker closes the connection.")

    def close(self) -> None:
        """Do nothing: the worker closes the connection."""


class Chunks:
    """Where the chunks of a body end, found without parsing their contents."""

    def __init__(self, start: int) -> None:
        self._start = self._next = start
        # Of whole chunks: their sizes together, without what frames them.
        self._bytes = 0
        # Of the chunk that is under way: its size, and where its bytes start.
        self._size, self._at = 0, start

    def are_complete(self, data: bytearray) -> bool:
        """Return whether the last chunk has arrived, or something that is malformed."""
        while (end := data.find(b"\r\n", self._next)) >= 0:
            try:
                self._size, self._at = int(data[self._next : end].partition(b";")[0], 16), end + 2
            except ValueError:
                return True
            if self._size <= 0:
                trailers = len(data) - end
                return data.find(b"\r\n\r\n", end) >= 0 or trailers > MOST_LEFT_BYTES
            if len(data) < self._at + self._size + 2:
                return False
            self._next, self._bytes = self._at + self._size + 2, self._bytes + self._size
            self._size = 0
        return len(data) - self._next > PIECE_BYTES

    def exceed(self, came: int, most: int) -> bool:
        """Return whether the body is larger than `most` bytes, or its framing is."""
        under_way = min(self._size, came - self._at) if self._size > 0 else 0
        size = self._bytes + under_way
        # The parser reads somewhat ahead of the application.
        return size > most + PIECE_BYTES or came - self._start - size > most
