"""The response of a WSGI application, made in parts: a slow client holds no thread."""

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from itertools import chain
from math import inf
from time import time
from typing import Any, NamedTuple

from werkzeug.exceptions import RequestEntityTooLarge

from landform.service.http.headers import COMMON_HEADERS
from landform.service.pipeline.errors import http_error
from landform.standalone.parser import Environ

log = logging.getLogger("gunicorn.error")
Headers = list[tuple[str, str]]


class Part(NamedTuple):
    """Bytes to send, whether they are the last ones, and whether the connection closes then."""

    data: tuple[bytes, ...]
    is_last: bool = True
    closes: bool = True


# In place of the rest of a response: the connection is reset.
BROKEN = Part(())


def respond(application: Any, environ: Environ, keeps: bool) -> Iterator[Part]:
    """Yield the parts of the response to a request; `keeps`: whether the client may send more.

    What the application raises is logged. Closing the iterator closes the response.
    """
    started: Any = None
    written: list[bytes] = []
    is_begun = False

    def start_response(
        status: str, headers: Headers, error: Any = None
    ) -> Callable[[bytes], object]:
        nonlocal started
        if error and is_begun:
            raise error[1]
        started = status, headers
        return written.append

    try:
        body = application(environ, start_response)
        with closing(body) if hasattr(body, "close") else nullcontext():
            # PEP 3333: the head waits for the first part that is not empty.
            parts = filter(None, chain(written, body))
            data = next(parts, b"")
            is_whole = not data or (isinstance(body, list) and len(body) == 1)
            length = len(data) if is_whole else None
            status, headers = started
            head, left, is_chunked, keeps = _head(environ, status, headers, length, keeps)
            data = data if left else b""
            while data and (left := left - len(data)) > 0:
                # Only the connection holds a part while the client takes it.
                waiting, data = [_framed(head, data, is_chunked)], b""
                is_begun = True
                yield Part(waiting.pop(), is_last=False)
                head, data = b"", next(parts, b"")
            # A body that differs from its promised length ends with the connection.
            closes = not keeps or left not in (0, inf)
            last = Part(_framed(head, data, is_chunked), closes=closes)
    except GeneratorExit:
        raise
    except RequestEntityTooLarge:
        last = BROKEN if is_begun else refusal(413)
    except BaseException:
        log.exception("The application failed.")
        last = BROKEN if is_begun else refusal(500)
    yield last


def _head(
    environ: Environ, status: str, headers: Headers, length: int | None, keeps: bool
) -> tuple[bytes, float, bool, bool]:
    """Return the head of a response, and how the client finds its end.

    That is the bytes of the body, maybe infinite; whether they come in chunks; and whether the
    connection is kept. `length`: that of the body, if it is known without a header.
    """
    told = [int(value) for name, value in headers if name.lower() == "content-length"]
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
    left, is_chunked = told[0] if told else inf, False
    if environ["REQUEST_METHOD"] == "HEAD" or status.startswith(("204", "304")):
        left = 0
    elif not told and length is not None:
        left = length
        lines.append(f"Content-Length: {length}")
    elif not told:
        # In HTTP/1.0 the end of the connection tells.
        is_chunked = environ["SERVER_PROTOCOL"] == "HTTP/1.1"
        keeps = keeps and is_chunked
        lines += ["Transfer-Encoding: chunked"] if is_chunked else []
    lines += [] if keeps else ["Connection: close"]
    head = "\r\n".join([*lines, _date(int(time()))])
    if not head.count("\r") == head.count("\n") == len(lines) + 2:
        raise ValueError("A header has more than one line.")
    return head.encode("latin-1"), left, is_chunked, keeps


def _framed(head: bytes, data: bytes, is_chunked: bool) -> tuple[bytes, ...]:
    return (b"%b%x\r\n" % (head, len(data)), data, b"\r\n") if is_chunked else (head, data)


@lru_cache(maxsize=1)
def _date(seconds: int) -> str:
    """Return the last header, and the empty line after it."""
    return f"Date: {formatdate(seconds, usegmt=True)}\r\n\r\n"


def refusal(status: int) -> Part:
    """Return the response to a request that is refused: an error that repeats nothing of it."""
    phrase = HTTPStatus(status).phrase
    body, _, headers, content_type, *_ = http_error(status, phrase).finished()
    headers |= {**COMMON_HEADERS, "Content-Type": content_type, "Cache-Control": "no-store"}
    headers |= {"Retry-After": "2"} if status == 503 else {}
    environ = {"REQUEST_METHOD": "", "SERVER_PROTOCOL": ""}
    head, *_ = _head(environ, f"{status} {phrase}", [*headers.items()], len(body), keeps=False)
    return Part((head, body))
