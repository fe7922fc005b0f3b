"""The operations on feeds."""

from datetime import datetime
from functools import lru_cache, partial
from math import inf
from typing import Any

from flask import Response
from werkzeug.http import http_date

from landform.schemas import feeds as schemas
from landform.schemas.serializers import Serializer, compile_serializer
from landform.service.errors import ApiError
from landform.service.http.idempotency import create_idempotently
from landform.service.http.request import ApiRequest
from landform.storage import feeds
from landform.storage.sql import versions

LIST, FILTER = schemas.FeedList(), schemas.FeedFilter()
CREATE, UPDATE = schemas.FeedCreate(), schemas.FeedUpdate()
PATCH, PROPERTIES = schemas.FeedPatch(), schemas.FeedProperties()
READ, WRITTEN = schemas.FeedRead(), compile_serializer(schemas.FeedWritten())
DELETED = compile_serializer(schemas.FeedDeleted())


def list_feeds(request: ApiRequest) -> Response:
    """`GET /feeds`: the feeds of all forms, by order, then id."""
    filters = LIST.load(request.query)
    request.require_scope("feeds:read")
    return _listed(request, filters)


def list_form_feeds(request: ApiRequest, form_id: int) -> Response:
    """`GET /forms/{form_id}/feeds`: the feeds of one form."""
    filters = FILTER.load(request.query)
    request.require_scope("feeds:read")
    return _listed(request, {**filters, "form_id": [form_id]})


def get_feed(request: ApiRequest, feed_id: int) -> Response:
    """`GET /feeds/{feed_id}`: one feed, unless `include` or `addon` exclude it."""
    filters = FILTER.load(request.query)
    request.require_scope("feeds:read")
    feed = feeds.get(request.store, feed_id, filters)
    headers = _validators(request, feed)
    request.cache_until = inf
    return request.not_modified(headers["ETag"]) or request.json_response(
        _read()[1](feed), headers=headers
    )


def create_feed(request: ApiRequest) -> Response:
    """`POST /feeds`: 201, the feed with integer ids, and its address."""
    return _create(request)


def create_form_feed(request: ApiRequest, form_id: int) -> Response:
    """`POST /forms/{form_id}/feeds`: the same for the form in the path, whatever the body says."""
    return _create(request, form_id)


def update_feed(request: ApiRequest, feed_id: int) -> Response:
    """`PUT /feeds/{feed_id}`: form_id, meta and addon_slug are required; meta is replaced."""
    request.require_scope("feeds:write")
    expected = request.if_match_versions(f"feed{feed_id}")
    values = UPDATE.load(_sent(request, "missing_feed"))
    return _written(request, feeds.update(request.store, feed_id, values, expected=expected))


def patch_feed(request: ApiRequest, feed_id: int) -> Response:
    """`PATCH /feeds/{feed_id}`: what is sent changes; meta is merged (RFC 7396)."""
    request.require_scope("feeds:write")
    expected = request.if_match_versions(f"feed{feed_id}")
    body = request.json()
    feeds.get(request.store, feed_id)
    values = PATCH.load(body or _nothing("missing_properties"))
    feed = feeds.update(
        request.store, feed_id, values, merge=True, expected=expected, check_meta=request.check_meta
    )
    return _written(request, feed)


def update_properties(request: ApiRequest, feed_id: int) -> Response:
    """`PUT /feeds/{feed_id}/properties`: what is sent changes, meta is replaced; a message."""
    request.require_scope("feeds:write")
    expected = request.if_match_versions(f"feed{feed_id}")
    body = _sent(request, "missing_properties")
    if not feeds.exists(request.store, feed_id):
        raise ApiError(404, "not_found", "There is no such feed.")
    feeds.update(request.store, feed_id, PROPERTIES.load(body), expected=expected)
    return request.json_response("Feed updated successfully")


def delete_feed(request: ApiRequest, feed_id: int) -> Response:
    """`DELETE /feeds/{feed_id}`: the feed as it last was, with `deleted`."""
    request.require_scope("feeds:write")
    feed = feeds.delete(request.store, feed_id, request.if_match_versions(f"feed{feed_id}"))
    return request.json_response(DELETED(feed))


def _listed(request: ApiRequest, filters: dict[str, Any]) -> Response:
    request.cache_until = inf
    version, request.generation = versions.current_version(request.store, "feed")
    tag = request.etag("feeds", version, sorted(filters.items()))
    if unchanged := request.not_modified(tag):
        return unchanged
    names = frozenset(request.fields).intersection(READ.fields) if request.fields else None
    columns, dump = _read(names)
    rows = feeds.list_feeds(request.store, filters, columns, request.response_bound("include"))
    return request.json_response([dump(row) for row in rows], headers={"ETag": tag})


@lru_cache(128)
def _read(names: frozenset[str] | None = None) -> tuple[tuple[str, ...], Serializer]:
    """Return the columns of the fields of these names, or of all, and what dumps them."""
    if names is None:
        return tuple(READ.fields), compile_serializer(READ)
    wanted = tuple(name for name in READ.fields if name in names)
    return wanted or ("id",), compile_serializer(schemas.FeedRead(only=wanted))


def _create(request: ApiRequest, form_id: int | None = None) -> Response:
    request.require_scope("feeds:write")
    path = {} if form_id is None else {"form_id": form_id}
    values = CREATE.load({**_sent(request, "missing_feed"), **path})
    create = partial(feeds.create, request.store, values)
    return create_idempotently(request, "feed", create, _dump_written, form_id)


def _dump_written(feed: dict[str, Any], public_url: str) -> dict[str, Any]:
    """Return a feed as a write returns it, which has no link."""
    return WRITTEN(feed)


def _written(request: ApiRequest, feed: dict[str, Any]) -> Response:
    return request.json_response(WRITTEN(feed), headers=_validators(request, feed))


def _validators(request: ApiRequest, feed: dict[str, Any]) -> dict[str, str]:
    """Return the headers by which a later request can tell whether the feed has changed."""
    headers = {"ETag": request.etag(f"feed{feed['id']}", feed["version"])}
    if feed["modified_utc"]:
        headers["Last-Modified"] = http_date(datetime.fromisoformat(feed["modified_utc"]))
    return headers


def _sent(request: ApiRequest, code: str) -> dict[str, Any]:
    """Return the JSON body; none, or an empty one, is an error with the code."""
    return request.json() or _nothing(code)


def _nothing(code: str) -> dict[str, Any]:
    raise ApiError(400, code, "The body must be a JSON object with the fields to write.")
