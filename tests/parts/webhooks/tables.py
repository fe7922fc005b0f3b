"""What webhooks add to tables of all operations (see `part_tables.py`)."""

from typing import Any

# Scopes and error codes, with the requests that need them.
OPERATIONS = {
    ("webhooks:write", "rest_forbidden"): "GET /webhooks, POST /webhooks, GET /webhooks/1,"
    " PATCH /webhooks/1, DELETE /webhooks/1, POST /webhooks/1/rotate, POST /webhooks/1/test,"
    " POST /webhooks/1/replay",
}
HOOK = {"url": "https://example.com/"}
# Bodies that are wrong, with the name of what is wrong.
CHANGES: list[tuple[Any, str]] = [
    *(({"url": url}, "url") for url in ("ftp://example.com/", "https:///x", 1, None)),
    *(
        ({"types": types}, "types")
        for types in ([], {}, None, ["page.gone"], ["*", 1], "page.created")
    ),
    ({"description": "x" * 256}, "description"),
    ({"active": "maybe"}, "active"),
    ({"colour": "red"}, "colour"),
]
WRONG: dict[str, list[tuple[Any, str]]] = {
    "POST /webhooks": [({}, "url"), *(({**HOOK, **body}, name) for body, name in CHANGES)],
    "PATCH /webhooks/1": CHANGES,
}
# Requests that change something, and those that read it.
WRITES: list[tuple[str, str, Any]] = [("POST", "/webhooks", HOOK)]
CHANGES_OF_STORED: list[tuple[str, str, Any]] = [("POST", "/webhooks/1/rotate", {})]
LISTS = ["/webhooks", "/webhooks/1"]
# Columns, with values that they cannot have.
DAMAGED = {
    "webhook.types": ["page", '"*"', "[]", "[ ]"], "webhook.deliveries": ["[1]", "null"],
    "webhook.set_aside": ["", "{}", '["a"]'], "webhook.resend": ["1", "[null]"],
}  # fmt: skip
# How a row is created whose id is in a path.
CREATED: dict[str, tuple[str, Any]] = {"<webhook_id>": ("/webhooks", HOOK)}
# Responses that have every required field, by the names of their schemas.
RESPONSES: dict[str, tuple[str, Any]] = {"WebhookWithSecret": ("/webhooks", HOOK)}
# Paths of operations that a batch does not carry out.
NOT_IN_BATCH = "/webhooks/1/test"
# The tables in which `applications.fill` stores rows.
FILLED = ["webhook"]


def use(check: Any) -> None:
    """Call every operation of webhooks."""
    hook = check("POST", "/webhooks", {"url": "http://127.0.0.1:9/hook", "types": ["page.*"]})
    path = f"/webhooks/{hook['id']}"
    check("GET", "/webhooks")
    check("GET", path)
    check("PATCH", path, {"active": True})
    check("POST", f"{path}/rotate")
    check("POST", f"{path}/test")
    check("POST", f"{path}/replay", {"after": 0})
    check("DELETE", path)
