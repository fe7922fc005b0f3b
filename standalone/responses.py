"""The responses of a WSGI application, made in parts: for each, one call of a thread."""

import logging
import math
from collections.abc import Callable, Iterator
from contextvars import copy_context
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from itertools import chain
from time import time
from typing import Any, NamedTuple

from landform.service.errors import http_error
from landform.service.http.headers import COMMON_HEADERS
from landform.standalone.parser import Environ

log = logging.getLogger("gunicorn.error")
Headers = list[tuple[str, str]]
# Statuses without a body.
EMPTY = ("204", "304")


class Part(NamedTuple):
    """Bytes to send, whether they are the last ones, and whether the connection closes then."""

    data: list[bytes]
    is_last: bool = True
    closes: bool = True


# In place of what cannot be made: the connection is reset.
BROKEN = Part([])


class Response:
    """The response to a request.

    `keeps`: whether the connection is for more requests. `is_dropped`: whether the client has gone.
    """

    is_dropped = has_head = is_whole = is_chunked = False
    status, headers = "", Headers()
    # The bytes of the body that are still to come, if that is known.
    left = math.inf

    def __init__(self, application: Any, environ: Environ, keeps: bool) -> None:
        self.application, self.environ, self.keeps = application, environ, keeps
        self.parts: Iterator[bytes] | None = None
        self.close: Callable[[], object] | None = None
        # The variables of a request last as long as it, in whichever thread.
        self.context = copy_context()

    def next_part(self) -> Part:
        """Return the next part. What the application raises is logged."""
        return self.context.run(self._next_part)

    def _next_part(self) -> Part:
        try:
            part = BROKEN if self.is_dropped else self._make_part()
        except BaseException:  # also what would end the thread
            log.exception("The application failed.")
            part = BROKEN if self.has_head else refusal(500)
        if part.is_last and self.close:
            try:
                self.close()
            except Exception:
                log.exception("The application failed after its response.")
        return part

    def _make_part(self) -> Part:
        self.parts = self.parts or self._call()
        # PEP 3333: the head waits for the first part that is not empty.
        data = next(filter(None, self.parts), b"")
        head = b"" if self.has_head else self._head(data)
        if len(data) > self.left:
            data = data[: int(self.left)]
        self.left -= len(data)
        is_last = not data or self.left == 0
        # If the body is shorter than promised, only the end of the connection tells.
        closes = not self.keeps or 0 < self.left < math.inf
        return Part([head, _chunk(data) if self.is_chunked else data], is_last, closes)

    def _call(self) -> Iterator[bytes]:
        """Call the application, and return the parts of the body."""
        written: list[bytes] = []

        def start_response(
            status: str, headers: Headers, error: Any = None
        ) -> Callable[[bytes], None]:
            if error and self.has_head:
                raise error[1]
            self.status, self.headers = status, headers
            return written.append

        parts = self.application(self.environ, start_response)
        self.close = getattr(parts, "close", None)
        self.is_whole = isinstance(parts, list)
        return chain(written, [b"".join(parts)] if self.is_whole else parts)

    def _head(self, first: bytes) -> bytes:
        """Return the head of the response, and decide how the client finds the end of it."""
        self.has_head = True
        lines = [f"HTTP/1.1 {self.status}"]
        for name, value in self.headers:
            lines.append(f"{name}: {value}")
            if name.lower() == "content-length":
                self.left = int(value)
        if self.environ["REQUEST_METHOD"] == "HEAD" or self.status.startswith(EMPTY):
            self.left = 0
        elif self.left == math.inf:
            if self.is_whole or not first:
                self.left = len(first)
                lines.append(f"Content-Length: {self.left}")
            elif self.environ["SERVER_PROTOCOL"] == "HTTP/1.1":
                self.is_chunked = True
                lines.append("Transfer-Encoding: chunked")
            else:
                self.keeps = False
        return _encoded(lines, self.keeps)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _encoded(lines: list[str], keeps: bool) -> bytes:
    """Return the lines of a head with those that each has, in the encoding of WSGI."""
    close = () if keeps else ("Connection: close",)
    return "\r\n".join((*lines, *close, _date(int(time())), "\r\n")).encode("latin-1")


@lru_cache(maxsize=1)
def _date(seconds: int) -> str:
    return f"Date: {formatdate(seconds, usegmt=True)}"


def refusal(status: int) -> Part:
    """Return the response to a request that cannot be read: an error that repeats nothing of it."""
    phrase = HTTPStatus(status).phrase
    body, _, headers, content_type, *_ = http_error(status, phrase).finished()
    headers |= {**COMMON_HEADERS, "Content-Type": content_type, "Cache-Control": "no-store"}
    headers |= {"Content-Length": str(len(body))} | ({"Retry-After": "2"} if status == 503 else {})
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return Part([_encoded(lines, keeps=False), body])
