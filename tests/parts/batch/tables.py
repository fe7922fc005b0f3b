"""What batches add to tables of all operations (see `part_tables.py`)."""

from typing import Any

# Requests that anybody may send who has credentials.
ANY_SCOPE = ["POST /batch/v1"]


def use(check: Any) -> None:
    """Call every operation of batches."""
    for base, path in (("", "/pages"), ("/wp-json", "/wp/v2/pages")):
        requests = [{"path": path, "body": {"title": "A"}}]
        check("POST", f"{base}/batch/v1", {"requests": requests})
