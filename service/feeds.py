"""The operations on feeds."""

from datetime import datetime
from functools import lru_cache
from math import inf
from typing import Any

from flask import Response
from werkzeug.http import http_date

from landform.schemas import feeds as schemas
from landform.schemas.compiled import Serializer, compiled
from landform.service.call import Call
from landform.service.errors import ApiError
from landform.service.idempotency import once
from landform.storage import feeds, versions

LIST, FILTER = schemas.FeedList(), schemas.FeedFilter()
CREATE, UPDATE = schemas.FeedCreate(), schemas.FeedUpdate()
PATCH, PROPERTIES = schemas.FeedPatch(), schemas.FeedProperties()
READ, WRITTEN = schemas.FeedRead(), compiled(schemas.FeedWritten())
DELETED = compiled(schemas.FeedDeleted())


def list_feeds(call: Call) -> Response:
    """`GET /feeds`: the feeds of all forms, by order, then id."""
    filters = LIST.load(call.query)
    call.require("feeds:read")
    return _listed(call, filters)


def list_form_feeds(call: Call, form_id: int) -> Response:
    """`GET /forms/{form_id}/feeds`: the feeds of one form."""
    filters = FILTER.load(call.query)
    call.require("feeds:read")
    return _listed(call, {**filters, "form_id": [form_id]})


def get_feed(call: Call, feed_id: int) -> Response:
    """`GET /feeds/{feed_id}`: one feed, unless `include` or `addon` exclude it."""
    filters = FILTER.load(call.query)
    call.require("feeds:read")
    feed = feeds.get(call.store, feed_id, filters)
    headers = _validators(call, feed)
    call.keep_until = inf
    return call.unchanged(headers["ETag"]) or call.answer(_read()[1](feed), headers=headers)


def create_feed(call: Call) -> Response:
    """`POST /feeds`: 201, the feed with integer ids, and its address."""
    return _create(call, {}, 1)


def create_form_feed(call: Call, form_id: int) -> Response:
    """`POST /forms/{form_id}/feeds`: the same for the form in the path, whatever the body says."""
    return _create(call, {"form_id": form_id}, 3)


def update_feed(call: Call, feed_id: int) -> Response:
    """`PUT /feeds/{feed_id}`: form_id, meta and addon_slug are required; meta is replaced."""
    call.require("feeds:write")
    expected = call.expected(f"feed{feed_id}")
    values = UPDATE.load(_sent(call, "missing_feed"))
    return _written(call, feeds.update(call.store, feed_id, values, expected=expected))


def patch_feed(call: Call, feed_id: int) -> Response:
    """`PATCH /feeds/{feed_id}`: what is sent changes; meta is merged (RFC 7396)."""
    call.require("feeds:write")
    expected = call.expected(f"feed{feed_id}")
    body = call.json()
    feeds.get(call.store, feed_id)
    values = PATCH.load(body or _nothing("missing_properties"))
    feed = feeds.update(
        call.store, feed_id, values, merge=True, expected=expected, check_meta=call.check_meta
    )
    return _written(call, feed)


def update_properties(call: Call, feed_id: int) -> Response:
    """`PUT /feeds/{feed_id}/properties`: what is sent changes, meta is replaced; a message."""
    call.require("feeds:write")
    expected = call.expected(f"feed{feed_id}")
    body = _sent(call, "missing_properties")
    if not feeds.exists(call.store, feed_id):
        raise ApiError(404, "not_found", "There is no such feed.")
    feeds.update(call.store, feed_id, PROPERTIES.load(body), expected=expected)
    return call.answer("Feed updated successfully")


def delete_feed(call: Call, feed_id: int) -> Response:
    """`DELETE /feeds/{feed_id}`: the feed as it last was, with `deleted`."""
    call.require("feeds:write")
    feed = feeds.delete(call.store, feed_id, call.expected(f"feed{feed_id}"))
    return call.answer(DELETED(feed))


def _listed(call: Call, filters: dict[str, Any]) -> Response:
    call.keep_until = inf
    version, call.generation = versions.current(call.store, "feed")
    tag = call.tag("feeds", version, sorted(filters.items()))
    if unchanged := call.unchanged(tag):
        return unchanged
    names = frozenset(call.fields).intersection(READ.fields) if call.fields else None
    columns, dump = _read(names)
    rows = feeds.listed(call.store, filters, columns, call.response_bound("include"))
    return call.answer([dump(row) for row in rows], headers={"ETag": tag})


@lru_cache(128)
def _read(names: frozenset[str] | None = None) -> tuple[tuple[str, ...], Serializer]:
    """Return the columns of the fields of these names, or of all, and what dumps them."""
    if names is None:
        return tuple(READ.fields), compiled(READ)
    wanted = tuple(name for name in READ.fields if name in names)
    return wanted or ("id",), compiled(schemas.FeedRead(only=wanted))


def _create(call: Call, path: dict[str, int], segments: int) -> Response:
    caller = call.require("feeds:write")
    values = CREATE.load({**_sent(call, "missing_feed"), **path})

    def create() -> tuple[dict[str, Any], str]:
        feed = feeds.create(call.store, values)
        return WRITTEN(feed), f"{call.root(segments)}/feeds/{feed['id']}"

    return once(call, caller, "feed", create, path.get("form_id"))


def _written(call: Call, feed: dict[str, Any]) -> Response:
    return call.answer(WRITTEN(feed), headers=_validators(call, feed))


def _validators(call: Call, feed: dict[str, Any]) -> dict[str, str]:
    """Return the headers by which a later request can tell whether the feed has changed."""
    headers = {"ETag": call.tag(f"feed{feed['id']}", feed["version"])}
    if feed["modified_utc"]:
        headers["Last-Modified"] = http_date(datetime.fromisoformat(feed["modified_utc"]))
    return headers


def _sent(call: Call, code: str) -> dict[str, Any]:
    """Return the JSON body; none, or an empty one, is an error with the code."""
    return call.json() or _nothing(code)


def _nothing(code: str) -> dict[str, Any]:
    raise ApiError(400, code, "The body must be a JSON object with the fields to write.")
