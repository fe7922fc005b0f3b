"""What runs add to tables of all operations (see `part_tables.py`)."""

from typing import Any

# Scopes and error codes, with the requests that need them.
OPERATIONS = {
    ("feeds:read", "rest_forbidden"): "GET /runs, GET /runs/due, GET /feeds/1/runs/1",
    ("runs:write", "rest_forbidden"): "POST /feeds/1/runs, PATCH /feeds/1/runs/1,"
    " POST /feeds/1/runs/1/replay",
}
ENDED = {"state": "failed", "attempt": 1}
AGAIN = {**ENDED, "retryable": True}
# Bodies and queries that are wrong, with the name of what is wrong.
WRONG: dict[str, list[tuple[Any, str]]] = {
    "POST /feeds/1/runs": [
        ({}, "entry_id"),
        *(({"entry_id": entry_id}, "entry_id") for entry_id in ("", None, "e" * 201)),
        *(({"entry_id": "f", "lease": lease}, "lease") for lease in (0, 86_401, 1.5)),
        ({"entry_id": "f", "leese": 1}, "leese"),
    ],
    "PATCH /feeds/1/runs/1": [
        ({"attempt": 1}, "state"),
        ({**ENDED, "state": "done"}, "state"),
        ({**ENDED, "state": "claimed"}, "state"),
        ({**AGAIN, "state": "success"}, "retryable"),
        ({**ENDED, "retry_at": "2099-01-01T00:00:00"}, "retry_at"),
        ({**AGAIN, "retry_at": "soon"}, "retry_at"),
        ({**AGAIN, "code": "c" * 101}, "code"),
        ({**AGAIN, "message": "m" * 2001}, "message"),
        ({**AGAIN, "message": "\0"}, "message"),
        *(({**AGAIN, "attempt": attempt}, "attempt") for attempt in (0, 1.5, None)),
        ({**AGAIN, "reason": "x"}, "reason"),
    ],
    "GET /runs": [
        (query, query.partition("=")[0])
        for query in (
            *("state=done", "page=0", "per_page=101", "form_id=x", "after=now", "order=up"),
            *("entry_id=", f"feed_id={'1,' * 1001}"),
        )
    ],
}
# Requests that change something, and lists in which it would be seen.
WRITES: list[tuple[str, str, Any]] = [("POST", "/feeds/1/runs", {"entry_id": "e"})]
LISTS = ["/runs", "/runs/due"]
# Columns, with values that they cannot have.
# The tables in which `applications.fill` stores rows.
FILLED = ["feed_run"]
# Misspelt names, and the names that are meant.
MISSPELT: list[tuple[str, Any, dict[str, str]]] = [
    ("POST /feeds/1/runs", {"entry_id": "1", "leese": 5}, {"leese": "lease"})
]
# How a row is created whose id is in a path.
CREATED: dict[str, tuple[str, Any]] = {"<run_id>": ("/feeds/<feed_id>/runs", {"entry_id": "1"})}
# Responses that have every required field, by the names of their schemas.
RESPONSES: dict[str, tuple[str, Any]] = {"Run": ("/feeds/1/runs", {"entry_id": 1})}


def use_feed(check: Any, base: str, feed: str) -> None:
    """Call every operation of runs, below a base, with the path of a feed."""
    run = check("POST", f"{feed}/runs", {"entry_id": "7"})
    path = f"{feed}/runs/{run['id']}"
    check("GET", path)
    check("PATCH", path, ENDED)
    check("POST", f"{path}/replay")
    check("GET", f"{base}/runs")
    check("GET", f"{base}/runs/due")
