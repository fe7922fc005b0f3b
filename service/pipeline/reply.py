"""The reply of a view, and how it may be cached."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from werkzeug.datastructures import Headers
from werkzeug.urls import iri_to_uri

from landform.storage.rows import NO_VALUES

JSON, HTML = "application/json", "text/html; charset=utf-8"


class Caching(NamedTuple):
    """How long a reply may be cached: `until` a time, unless one of its tables changes.

    `until`, in seconds since 1970, is about the cache of this process; 0 for none. `is_secret` is
    about clients: they may not keep a copy (`Cache-Control: no-store`). Of other replies they may,
    and ask each time whether it is current.
    """

    table: str = ""
    until: float = 0.0
    is_secret: bool = False
    other_tables: tuple[str, ...] = ()


NOT_CACHED = Caching()
NO_STORE = Caching(is_secret=True)


class Reply(NamedTuple):
    """The result of an operation.

    `body`: a value for JSON, or text, bytes or an iterator of bytes of another `content_type`; an
    iterator is read after the operation has ended. `status`: by default that of the operation.
    `last_modified`: a stored time in UTC.
    """

    body: object = None
    status: int | None = None
    headers: Mapping[str, str] = NO_VALUES
    etag: str = ""
    last_modified: str | None = None
    caching: Caching = NOT_CACHED
    content_type: str = JSON


class Finished(NamedTuple):
    """An encoded reply with all its headers."""

    body: bytes
    status: int
    headers: dict[str, str]
    content_type: str = JSON
    caching: Caching = NOT_CACHED
    # In place of a body that is made while it is sent.
    chunks: Iterator[bytes] | None = None


def warning_headers(text: str) -> dict[str, str]:
    """Return the header with a warning, in ASCII on one line; without a text there is none."""
    text = " ".join(text.encode("ascii", "backslashreplace").decode().split())[:2000]
    return {"X-Landform-Warning": text} if text else {}


def to_uri(url: str) -> str:
    """Return a URL in ASCII, for a header; raises `ValueError` for a host that no header can have.

    A path has other letters percent-encoded, a host in Punycode.
    """
    return url if url.isascii() else iri_to_uri(url)


def envelope(body: bytes, status: int, headers: Headers | Mapping[str, str]) -> dict[str, Any]:
    """Return the body, status and headers of a JSON response as an object."""
    return {
        "body": orjson.Fragment(body) if body else None,
        "status": status,
        "headers": {
            name: int(value) if value.isdigit() else value
            for name, value in headers.items()
            if name not in ("Content-Type", "Content-Length")
        },
    }
