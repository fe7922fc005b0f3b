"""What a view returns: a reply, and for how long it may be cached."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
from werkzeug.datastructures import Headers

JSON, HTML = "application/json", "text/html; charset=utf-8"


class Caching(NamedTuple):
    """How long this process may use a reply again: `until` a time, unless a `table` changes.

    `until` is in seconds since 1970; 0 for not at all. A secret reply nobody may store.
    """

    table: str = ""
    until: float = 0.0
    is_secret: bool = False


NOT_CACHED = Caching()
NO_STORE = Caching(is_secret=True)


@dataclass(frozen=True)
class Reply:
    """The result of an operation.

    `body`: what becomes JSON, or text or bytes of another `content_type`. `status`: None for that
    of the operation. `last_modified`: UTC, as it is stored.
    """

    body: object = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str = ""
    last_modified: str | None = None
    caching: Caching = NOT_CACHED
    content_type: str = JSON


class Finished(NamedTuple):
    """A reply as it is sent: in bytes, and with all headers that its operation gives it."""

    body: bytes
    status: int
    headers: dict[str, str]
    content_type: str = JSON
    caching: Caching = NOT_CACHED


def envelope(body: bytes, status: int, headers: Headers | Mapping[str, str]) -> dict[str, Any]:
    """Return a response as an object: its body, which is JSON, its status and headers."""
    return {
        "body": orjson.Fragment(body) if body else None,
        "status": status,
        "headers": {
            name: int(value) if value.isdigit() else value
            for name, value in headers.items()
            if name not in ("Content-Type", "Content-Length")
        },
    }
