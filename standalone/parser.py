"""The parser of requests: that of waitress, and stricter.

It refuses requests that a proxy could read in another way (request smuggling).
"""

import re
from http import HTTPStatus
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.utilities import Error, RequestEntityTooLarge

MAX_LINE_BYTES, MAX_HEADERS = 8190, 100
# The framing of chunks may have so many bytes, and a 64th of the body: each chunk costs time.
MAX_FRAMING_BYTES = 4096
FOLDED = re.compile(rb"\r\n[ \t]")
# A request line has two spaces and no control characters.
REQUEST_LINE = re.compile(rb"(?:[^\x00-\x20\x7f]+ ){2}HTTP/[0-9]\.[0-9]\r\n")
# The line before a chunk, and a header after the last one.
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})(?:;[!-~][\t -~]*)?")
TRAILER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\x00-\x08\x0a-\x1f\x7f]*")
ENCODING = re.compile(rb"\r\ntransfer-encoding:([^\r]*)", re.IGNORECASE)


class Refused(Error):  # type: ignore[misc]
    """An error with an HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__("")
        self.code, self.reason = status, HTTPStatus(status).phrase


class ChunkedBody(ChunkedReceiver):  # type: ignore[misc]
    """A body in chunks, in the strict form only.

    waitress itself accepts a bare line feed after the size of a chunk, blank lines and any trailer.
    """

    error: Refused | None

    def __init__(self, buffer: Any) -> None:
        super().__init__(buffer)
        self._bytes_left, self._unfinished_line = 0, b""
        self._read_line = self._read_size

    def received(self, data: bytes) -> int:
        """Receive bytes, and return how many of them belong to this body."""
        unread = data
        while unread and not (self.completed or self.error):
            if self._bytes_left:
                self.buf.append(unread[: self._bytes_left])
                count = min(len(unread), self._bytes_left)
                self._bytes_left, unread = self._bytes_left - count, unread[count:]
                continue
            line, end, unread = (self._unfinished_line + unread).partition(b"\r\n")
            self._unfinished_line = b"" if end else line
            # The line after a chunk must be empty: anything else is refused at once.
            if end or (self._read_line == self._read_end and line != b"\r"):
                self._read_line(line)
        return len(data) - len(unread)

    def _read_size(self, line: bytes) -> None:
        if not (size := CHUNK_SIZE.fullmatch(line)):
            self.error = Refused(400)
            return
        self._bytes_left = int(size[1], 16)
        self._read_line = self._read_end if self._bytes_left else self._read_trailer

    def _read_end(self, line: bytes) -> None:
        self._read_line = self._read_size
        self.error = Refused(400) if line else None

    def _read_trailer(self, line: bytes) -> None:
        self.completed = not line
        self.error = None if self.completed or TRAILER.fullmatch(line) else Refused(400)


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request, refused if it is ambiguous or too large.

    The application answers a request whose body is too large; the rest of the body `is_cut`.
    """

    is_cut = False
    header_count = 0
    environ: dict[str, Any] | None = None
    first_line: bytes = b""
    expect_continue: bool
    error: Any = None
    body_rcv: Any

    def received(self, data: bytes) -> int:
        """Receive bytes, and return how many of them belong to this request."""
        count: int = super().received(data)
        if len(self.first_line) > MAX_LINE_BYTES:
            self.error, self.completed = Refused(414), True
        elif self.header_count > MAX_HEADERS:
            self.error, self.completed = Refused(431), True
        elif isinstance(self.error, RequestEntityTooLarge):
            self.error, self.is_cut = None, True
            self.headers.setdefault("CONTENT_LENGTH", str(self.adj.max_request_body_size))
        elif self.chunked:
            size = len(self.body_rcv)
            if self.body_bytes_received - size > MAX_FRAMING_BYTES + size // 64:
                self.error, self.completed = Refused(413), True
        # No `100 Continue` for a body that is complete, or not received.
        self.expect_continue = self.expect_continue and not self.completed
        return count

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head."""
        self.header_count = header_plus.strip().count(b"\r\n")
        try:
            super().parse_header(header_plus)
        except ValueError:
            # The message of the error may contain the URL, and would be logged.
            raise ParsingError("The URL cannot be read.") from None
        encodings = [value.strip(b" \t").lower() for value in ENCODING.findall(header_plus)]
        is_plain = self.version == "1.1" and "CONTENT_LENGTH" not in self.headers
        if (
            self.version not in ("1.0", "1.1")
            or "," in self.headers.get("HOST", "")
            or not REQUEST_LINE.match(header_plus)
            or FOLDED.search(header_plus)
            or (encodings and not (is_plain and encodings == [b"chunked"]))
        ):
            raise ParsingError("It could be read in two ways.")
        if self.chunked:
            self.body_rcv = ChunkedBody(self.body_rcv.getbuf())
