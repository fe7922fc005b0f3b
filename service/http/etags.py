"""Conditional requests: strong tags made of versions, so that nothing need be read to compare.

A tag is `"<resource>.<version>.<variant>"`, where the resource is one of a generation of the store
(see `storage/sql/versions.py`); the variant tells apart the responses of one URL (contexts, fields,
hosts). A condition on a write depends on the first two alone, so that any variant that a client has
read will do.
"""

import re
from datetime import datetime
from hashlib import blake2b

from werkzeug.http import http_date

from landform.service.errors import ApiError

# Increment it when responses change their shape, so that no client takes an old one for current.
SHAPE = 1
TAG = re.compile(r'(W/)?"([^"]*)"')


def make_etag(name: str, version: int, *variant: object) -> str:
    """Return the strong entity tag of a version of a resource."""
    digest = blake2b(
        repr((SHAPE, *variant)).encode(errors="surrogatepass"), digest_size=9
    ).hexdigest()
    return f'"{name}.{version}.{digest}"'


def last_modified(modified_utc: str) -> str:
    """Return a stored date and time as `Last-Modified` has it."""
    return http_date(datetime.fromisoformat(modified_utc))


def matches(if_none_match: str | None, current: str) -> bool:
    """Return whether `If-None-Match` names the current tag."""
    if not if_none_match:
        return False
    named = {text for _, text in TAG.findall(if_none_match)}
    return if_none_match.strip() == "*" or current.strip('"') in named


def if_match_versions(if_match: str | None, name: str, required: bool) -> frozenset[int] | None:
    """Return the versions that `If-Match` allows a write to find; None for any.

    A weak tag, or one of another resource, allows none. Without the header, 428 where it is
    `required`.
    """
    if if_match is None:
        if required:
            message = "Send If-Match with the ETag that you read."
            raise ApiError(428, "rest_precondition_required", message)
        return None
    if if_match.strip() == "*":
        return None
    parts = [text.split(".") for weak, text in TAG.findall(if_match) if not weak]
    return frozenset(
        int(part[1])
        for part in parts
        if len(part) == 3 and part[0] == name and re.fullmatch("[0-9]{1,18}", part[1])
    )
