"""What pictures add to tables of all operations (see `part_tables.py`)."""

import base64
from typing import Any

SMALL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)
# The arguments of a request that creates a picture.
UPLOAD: dict[str, Any] = {
    "data": SMALL,
    "headers": {
        "Content-Disposition": 'attachment; filename="dot.png"',
        "Content-Type": "image/png",
    },
}
# Scopes and error codes, with the requests that need them.
OPERATIONS = {
    ("media:read", "rest_forbidden_context"): "GET /media?context=edit, GET /media/1?context=edit",
    ("pages:read", "rest_forbidden"): "GET /media/1/pages",
    ("media:write", "rest_cannot_create"): "POST /media",
    ("media:write", "rest_cannot_edit"): "PUT /media/1, PATCH /media/1, POST /media/1",
    ("media:write", "rest_cannot_delete"): "DELETE /media/1?force=1",
}
# Requests of strangers.
PUBLIC = ["GET /media", "GET /media/1"]
# Values that are wrong, with the name of what is wrong.
FIELDS: list[tuple[Any, str]] = [
    *(({"title": value}, "title") for value in (1, ["x"], "x" * 2001, "\0")),
    *(({"alt_text": value}, "alt_text") for value in (1, {"raw": "x"}, "x" * 2001, "\0")),
    *(({"caption": value}, "caption") for value in (1, {"raw": 1}, "x" * 100_001)),
    *(({"date": value}, "date") for value in ("soon", 1, [])),
    *(({"author": value}, "author") for value in (0, "x", 2**63, True)),
    *(({"post": value}, "post") for value in (-1, "x", 2**63)),
    *(({"slug": value}, "slug") for value in (1, "a\nb")),
]
WRONG: dict[str, list[tuple[Any, str]]] = {
    "PUT /media/1": FIELDS,
    "GET /media": [
        (query, query.partition("=")[0])
        for query in (
            *("media_type=picture", "parent=x", "per_page=0", "per_page=101", "page=0"),
            *("after=x", "orderby=random", "order=up", "search_columns=meta", "context=all"),
            *("include=x", "offset=-1", "orderby=include", "orderby=relevance"),
        )
    ],
}
LISTS = ["/media?context=edit"]
# How a row is created whose id is in a path.
CREATED: dict[str, tuple[str, Any]] = {"<media_id>": ("/media", UPLOAD)}
# Paths of operations that a batch does not carry out.
NOT_IN_BATCH = "/media /wp-json/wp/v2/media"


def use(check: Any) -> None:
    """Call every operation of pictures, below each base."""
    for base in ("", "/wp-json/wp/v2"):
        one = f"{base}/media/{check('POST', f'{base}/media', **UPLOAD)['id']}"
        for context in ("view", "embed", "edit"):
            check("GET", f"{one}?context={context}")
            check("GET", f"{base}/media?context={context}")
        for method in ("PUT", "POST", "PATCH"):
            check(method, one, {"alt_text": "A dot"})
        check("GET", f"{one.removeprefix('/wp-json/wp/v2')}/pages")
        check("DELETE", f"{one}?force=true")
