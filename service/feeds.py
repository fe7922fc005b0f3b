"""The operations on feeds."""

from typing import Any

from flask import Response
from marshmallow import Schema

from landform.schemas import feeds as schemas
from landform.service.call import Call
from landform.service.errors import ApiError
from landform.storage import feeds

LIST, FILTER = schemas.FeedList(), schemas.FeedFilter()
CREATE, UPDATE = schemas.FeedCreate(), schemas.FeedUpdate()
PATCH, PROPERTIES = schemas.FeedPatch(), schemas.FeedProperties()
READ, WRITTEN, DELETED = schemas.FeedRead(), schemas.FeedWritten(), schemas.FeedDeleted()


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
    return call.answer(READ.dump(feeds.get(call.store, feed_id, filters)))


def create_feed(call: Call) -> Response:
    """`POST /feeds`: 201, the feed with integer ids, and its address."""
    call.require("feeds:write")
    return _created(call, _sent(call, "missing_feed"), 1)


def create_form_feed(call: Call, form_id: int) -> Response:
    """`POST /forms/{form_id}/feeds`: the same for the form in the path, whatever the body says."""
    call.require("feeds:write")
    return _created(call, {**_sent(call, "missing_feed"), "form_id": form_id}, 3)


def update_feed(call: Call, feed_id: int) -> Response:
    """`PUT /feeds/{feed_id}`: form_id, meta and addon_slug are required; meta is replaced."""
    call.require("feeds:write")
    values = UPDATE.load(_sent(call, "missing_feed"))
    return call.answer(WRITTEN.dump(feeds.update(call.store, feed_id, values)))


def patch_feed(call: Call, feed_id: int) -> Response:
    """`PATCH /feeds/{feed_id}`: what is sent changes; meta is merged (RFC 7396)."""
    call.require("feeds:write")
    body = call.json()
    feeds.get(call.store, feed_id)
    values = PATCH.load(body or _nothing("missing_properties"))
    return call.answer(WRITTEN.dump(feeds.update(call.store, feed_id, values, merge=True)))


def update_properties(call: Call, feed_id: int) -> Response:
    """`PUT /feeds/{feed_id}/properties`: what is sent changes, meta is replaced; a message."""
    call.require("feeds:write")
    body = _sent(call, "missing_properties")
    if not feeds.exists(call.store, feed_id):
        raise ApiError(404, "not_found", "There is no such feed.")
    feeds.update(call.store, feed_id, PROPERTIES.load(body))
    return call.answer("Feed updated successfully")


def delete_feed(call: Call, feed_id: int) -> Response:
    """`DELETE /feeds/{feed_id}`: the feed as it last was, with `deleted`."""
    call.require("feeds:write")
    return call.answer(DELETED.dump(feeds.delete(call.store, feed_id)))


def _listed(call: Call, filters: dict[str, Any]) -> Response:
    schema: Schema = READ
    if call.fields:
        schema = schemas.FeedRead(only=[name for name in READ.fields if name in call.fields])
    rows = feeds.listed(call.store, filters, list(schema.fields) or ["id"])
    return call.answer(schema.dump(rows, many=True))


def _created(call: Call, body: dict[str, Any], segments: int) -> Response:
    feed = feeds.create(call.store, CREATE.load(body))
    headers = {"Location": f"{call.root(segments)}/feeds/{feed['id']}"}
    return call.answer(WRITTEN.dump(feed), 201, headers)


def _sent(call: Call, code: str) -> dict[str, Any]:
    """Return the JSON body; none, or an empty one, is an error with the code."""
    return call.json() or _nothing(code)


def _nothing(code: str) -> dict[str, Any]:
    raise ApiError(400, code, "The body must be a JSON object with the fields to write.")
