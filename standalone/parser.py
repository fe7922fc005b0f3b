"""The parser of requests, and the environment that it makes of one.

The parser is that of gunicorn: in C (`gunicorn_h1c`) where it is installed, or else in Python. What
both leave open, and a proxy could read in another way (request smuggling), is refused here.
"""

from functools import lru_cache, partial
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

try:
    from gunicorn_h1c import H1CProtocol

    PARSER = partial(H1CProtocol, limit_remaining=0)
    UNREADABLE: tuple[type[Exception], ...] = (ValueError,)
    IS_FAST = True
except ImportError:
    from gunicorn.asgi.parser import ParseError, PythonProtocol

    PARSER, UNREADABLE, IS_FAST = PythonProtocol, (ValueError, ParseError), False

MAX_HEAD_BYTES, MAX_LINE_BYTES, MAX_HEADERS = 1 << 15, 8190, 100
# The parser takes no more at once: it moves what it has not read yet with each chunk.
PIECE_BYTES = 1 << 14
# The framing of chunks may have so many bytes, and a 64th of the body: each chunk costs time.
MAX_FRAMING_BYTES = 4096
# The errors of the parser that are no 400, by the beginning of their representation.
STATUSES = {
    "LimitRequestLine": 414, "LimitRequestHeaders": 431, "UnsupportedTransferCoding": 501,
    "InvalidHeader('Unsupported Transfer-Encoding'": 501,
}  # fmt: skip
Environ = dict[str, Any]


class Refused(ValueError):
    """A request that is refused with an HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status


def new_parser(on_head: Any, on_body: Any) -> Any:
    """Return a parser that calls `on_head()`, and `on_body(data)` for each piece of the body.

    `on_head` returns whether the body is not to be read.
    """
    return PARSER(
        on_headers_complete=on_head,
        on_body=on_body,
        limit_request_line=MAX_LINE_BYTES,
        limit_request_fields=MAX_HEADERS,
        limit_request_field_size=MAX_LINE_BYTES,
    )


def status_of(error: Exception) -> int:
    """Return the HTTP status for an error of the parser."""
    if isinstance(error, Refused):
        return error.status
    text = repr(error)
    return next((status for name, status in STATUSES.items() if text.startswith(name)), 400)


@lru_cache(maxsize=512)
def _wsgi_name(header: bytes) -> str:
    """Return the key of a header; none for one that could pass for another one."""
    name = header.decode("latin-1").upper()
    if "_" in name:
        return ""
    name = name.replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def new_environ(parser: Any, base: Environ) -> Environ:
    """Return the environment of the request that a parser has read, without its body.

    Raises `Refused` if it could be read in two ways.
    """
    environ = base.copy()
    for header, value in parser.headers:
        if name := _wsgi_name(header):
            text = value.decode("latin-1")
            environ[name] = f"{environ[name]}, {text}" if name in environ else text
    coding = environ.pop("HTTP_TRANSFER_ENCODING", "chunked")
    if coding.lower() != "chunked":
        raise Refused(501)
    target: bytes = parser.path
    if not target.isascii() or "," in environ.get("HTTP_HOST", ""):
        raise Refused(400)
    if target.startswith(b"/"):
        path, _, query = target.partition(b"#")[0].partition(b"?")
        path = b"/" + path.lstrip(b"/")
    else:
        # With a scheme and a host, as proxies get it.
        _, _, path, query, _ = urlsplit(target)
    if b"%" in path:
        path = unquote_to_bytes(path)
    environ["REQUEST_METHOD"] = parser.method.decode("latin-1")
    environ["SERVER_PROTOCOL"] = "HTTP/1.%d" % parser.http_version[1]
    environ["REQUEST_URI"] = target.decode("latin-1")
    environ["PATH_INFO"] = path.decode("latin-1")
    environ["QUERY_STRING"] = query.decode("latin-1")
    return environ
