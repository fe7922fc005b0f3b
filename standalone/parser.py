"""The parser of requests, and the environment that it makes of one.

The parser is gunicorn's: in C (`gunicorn_h1c`) where it is installed, or else in Python. What it
leaves open, and a proxy could read in another way (request smuggling), is refused here.
"""

import re
from functools import lru_cache, partial
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

UNREADABLE: tuple[type[Exception], ...] = (ValueError,)
try:
    from gunicorn_h1c import H1CProtocol

    Parser: Any = partial(H1CProtocol, limit_remaining=0)
    IS_FAST = True
except ImportError:
    from gunicorn.asgi.parser import ParseError, PythonProtocol

    Parser, IS_FAST, UNREADABLE = PythonProtocol, False, (ValueError, ParseError)

MAX_LINE_BYTES, MAX_HEADERS = 8190, 100
# The errors of the parsers that are no 400, by the beginning of their representation.
ERROR_STATUSES = {
    "LimitRequestLine": 414, "LimitRequestHeaders": 431, "UnsupportedTransferCoding": 501,
    "InvalidHeader('Unsupported Transfer-Encoding'": 501, "Refused(501": 501, "Refused(507": 507,
}  # fmt: skip
# A list of hosts is none.
HOST_CHARACTERS = re.compile(r"[\w.:\[\]~%!$&'()*+;=-]*", re.ASCII)
Environ = dict[str, Any]


class Refused(ValueError):
    """A request that is refused with an HTTP status."""


def new_parser(on_head: Any, on_body: Any) -> Any:
    """Return a parser that calls `on_head()`, and `on_body(data)` for each piece of the body.

    `on_head` returns whether the body is not to be read.
    """
    return Parser(
        on_headers_complete=on_head, on_body=on_body, limit_request_line=MAX_LINE_BYTES,
        limit_request_fields=MAX_HEADERS, limit_request_field_size=MAX_LINE_BYTES,
    )  # fmt: skip


def status_of(error: Exception) -> int:
    """Return the HTTP status for an error of the parser."""
    text = repr(error)
    return next((status for name, status in ERROR_STATUSES.items() if text.startswith(name)), 400)


@lru_cache(maxsize=512)
def _key(header: bytes) -> str:
    """Return the key of a header; none for one that could pass for another one."""
    name = header.decode("latin-1").upper().replace("-", "_")
    if b"_" in header:
        return ""
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def new_environ(parser: Any, base: Environ) -> Environ:
    """Return the environment of the request that a parser has read, without its body.

    Raises `Refused` if it could be read in two ways.
    """
    environ = base.copy()
    for header, value in parser.headers:
        if key := _key(header):
            text = value.decode("latin-1")
            environ[key] = f"{environ[key]}, {text}" if key in environ else text
    if environ.pop("HTTP_TRANSFER_ENCODING", "chunked").lower() != "chunked":
        raise Refused(501)
    target: bytes = parser.path
    host = environ.get("HTTP_HOST")
    if target.startswith(b"/"):
        path, _, query = target.partition(b"#")[0].partition(b"?")
        named = host
    else:
        # With a scheme and a host, as proxies get it.
        _, authority, path, query, _ = urlsplit(target)
        named = authority.decode("latin-1")
    is_host = HOST_CHARACTERS.fullmatch(host) if host is not None else parser.http_version == (1, 0)
    if not target.isascii() or not is_host or named != host:
        raise Refused(400)
    path = b"/" + path.lstrip(b"/")
    environ["PATH_INFO"] = (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1")
    environ["QUERY_STRING"] = query.decode("latin-1")
    environ["REQUEST_URI"] = target.decode("latin-1")
    environ["REQUEST_METHOD"] = parser.method.decode("latin-1")
    environ["SERVER_PROTOCOL"] = f"HTTP/1.{parser.http_version[1]}"
    return environ
