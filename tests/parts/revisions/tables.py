"""What revisions add to tables of all operations (see `part_tables.py`)."""

from typing import Any

# Scopes and error codes, with the requests that need them.
OPERATIONS = {
    ("pages:read", "rest_cannot_read"): "GET /pages/1/revisions, GET /pages/1/revisions/1",
    ("pages:write", "rest_cannot_edit"): "POST /pages/1/revisions/1/restore",
    ("pages:write", "rest_cannot_delete"): "DELETE /pages/1/revisions/1?force=1",
}
# Paths of operations that a batch does not carry out.
NOT_IN_BATCH = "/pages/1/revisions/1/restore"
# The tables in which `applications.fill` stores rows.
FILLED = ["page_revision"]
# Requests on stored rows, one of which has damaged values.
CHANGES_OF_STORED = [("POST", "/pages/4/revisions/1/restore", {})]
# Columns, with values that they cannot have.
DAMAGED = {
    "page_revision.meta": ["[]", "{", "[" * 5000, '{"form_id": NaN}'],
    "page_revision.changed": ["title", "[1]"],
}
LISTS = ["/pages/4/revisions?context=edit"]


def use_page(check: Any, base: str, page: str) -> None:
    """Call every operation of revisions, below a base, with the path of a page that was changed."""
    for context in ("view", "embed", "edit"):
        revisions = check("GET", f"{page}/revisions?context={context}")
        check("GET", f"{page}/revisions/{revisions[0]['id']}?context={context}")
    revision = f"{page}/revisions/{revisions[0]['id']}"
    if not base:
        check("GET", f"{revision}?diff=true")
        check("POST", f"{revision}/restore")
    check("DELETE", f"{revision}?force=true")
