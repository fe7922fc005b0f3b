"""The operations on feeds: one of them, and all of a form together."""

from functools import lru_cache, partial
from math import inf

from flask import Response

from landform.schemas import feed_plan
from landform.schemas import feeds as schemas
from landform.schemas.fields import Serializer, compile_serializer
from landform.service.errors import refusal
from landform.service.http.contract import Resource
from landform.service.http.request import WP_JSON_PATHS, ApiRequest, create_idempotently
from landform.service.json_codec import JsonObject
from landform.service.planning.plan import plan
from landform.storage import feeds
from landform.storage.rows import Row

RESOURCE = Resource(WP_JSON_PATHS[1])
LIST, FILTER = schemas.FeedList(), schemas.FeedFilter()
CREATE, FORM_CREATE = schemas.FeedCreate(), schemas.FormFeedCreate()
UPDATE, PATCH, PROPERTIES = schemas.FeedUpdate(), schemas.FeedPatch(), schemas.FeedProperties()
COPY, ORDER, ORDER_PARAMETERS = schemas.FeedCopy(), schemas.FeedOrder(), schemas.OrderParameters()
PLAN, PLAN_REQUEST = feed_plan.FeedPlan(), feed_plan.PlanRequest()
PLAN_PARAMETERS = feed_plan.PlanParameters()
READ, WRITTEN, DELETED = schemas.FeedRead(), schemas.FeedWritten(), schemas.FeedDeleted()
UPDATED = "Feed updated successfully"
dump_written, dump_deleted = compile_serializer(WRITTEN), compile_serializer(DELETED)

META_EXAMPLE = {"feedName": "Newsletter", "mailchimpList": "abc"}
EXAMPLE = {"addon_slug": "gravityformsmailchimp", "meta": META_EXAMPLE}
PLAN_EXAMPLE = {"entry": {"1": "ada@example.com", "2.1": "Yes"}, "entry_id": "17", "explain": True}
CREATE_ERRORS = ("missing_addon_slug", "missing_feed_meta", "invalid_meta")
PATCH_ERRORS = ("invalid_property", "invalid_meta")


@RESOURCE.operation(
    "GET", "/feeds", READ, many=True, scope="feeds:read", query=LIST, headers=("ETag",)
)
def list_feeds(request: ApiRequest) -> Response:
    """Return the feeds of all forms, by `feed_order`, then `id`."""
    return _list(request, request.parameters)


@RESOURCE.operation(
    "POST", "/feeds", WRITTEN, status=201, headers=("Location", "ETag"), scope="feeds:write",
    body=CREATE, empty_body="missing_feed", example={"form_id": 3, **EXAMPLE},
    errors=("missing_form_id", *CREATE_ERRORS),
)  # fmt: skip
def create_feed(request: ApiRequest) -> Response:
    """Create a feed and return it with integer ids."""
    create = partial(feeds.create, request.store, request.values())
    return create_idempotently(request, "feed", create, _dump_created)


@RESOURCE.operation(
    "GET", "/feeds/<feed_id>", READ, scope="feeds:read", query=FILTER,
    headers=("ETag", "Last-Modified"), errors=("gf_feed_invalid_id",),
)  # fmt: skip
def get_feed(request: ApiRequest, feed_id: int) -> Response:
    """Return a feed, unless `include` or `addon` exclude it."""
    feed, generation = feeds.read(request.store, feed_id, request.parameters)
    request.allow_caching("feed", inf)
    request.set_row_etag("feed", feed, generation=generation)
    return request.json_response(_shape()[1](feed))


@RESOURCE.operation(
    "PUT", "/feeds/<feed_id>", WRITTEN, headers=("ETag", "Last-Modified"), scope="feeds:write",
    body=UPDATE, empty_body="missing_feed", if_match="feed",
    example={"form_id": 3, "is_active": True, "feed_order": 1, **EXAMPLE},
    errors=("missing_form_id", "invalid_property", "gf_feed_invalid_id", *CREATE_ERRORS),
)  # fmt: skip
def update_feed(request: ApiRequest, feed_id: int) -> Response:
    """Replace a feed: `form_id`, `meta` and `addon_slug` are required."""
    expected = request.expected
    return _written(
        request, feeds.update(request.store, feed_id, request.values(), expected=expected)
    )


@RESOURCE.operation(
    "PATCH", "/feeds/<feed_id>", WRITTEN, headers=("ETag", "Last-Modified"),
    scope="feeds:write", body=PATCH, empty_body="missing_properties", if_match="feed",
    example={"meta": {"feedName": "Renamed"}}, errors=("gf_feed_invalid_id", *PATCH_ERRORS),
)  # fmt: skip
def patch_feed(request: ApiRequest, feed_id: int) -> Response:
    """Change what is sent of a feed; `meta` is merged as a JSON Merge Patch (RFC 7396)."""
    # That it is no JSON is said before whether there is such a feed, and the rest after it.
    _ = request.body
    feeds.get(request.store, feed_id)
    values, expected = request.values(), request.expected
    feed = feeds.update(request.store, feed_id, values, merge=True, expected=expected)
    return _written(request, feed)


@RESOURCE.operation("DELETE", "/feeds/<feed_id>", DELETED, scope="feeds:write",
                    if_match="feed", errors=("gf_feed_invalid_id",))  # fmt: skip
def delete_feed(request: ApiRequest, feed_id: int) -> Response:
    """Remove a feed and return it as it last was, with `deleted`."""
    return request.json_response(
        dump_deleted(feeds.delete(request.store, feed_id, request.expected))
    )


@RESOURCE.operation(
    "PUT", "/feeds/<feed_id>/properties", UPDATED, scope="feeds:write", body=PROPERTIES,
    empty_body="missing_properties", if_match="feed", errors=("not_found", *PATCH_ERRORS),
    example={"is_active": False, "feed_order": 2},
)  # fmt: skip
def update_properties(request: ApiRequest, feed_id: int) -> Response:
    """Change what is sent of a feed, where `meta` is replaced; return a message."""
    _ = request.sent_body()
    if not feeds.exists(request.store, feed_id):
        raise refusal("not_found")
    feeds.update(request.store, feed_id, request.values(), expected=request.expected)
    return request.json_response(UPDATED)


@RESOURCE.operation(
    "GET", "/forms/<form_id>/feeds", READ, many=True, scope="feeds:read", query=FILTER,
    headers=("ETag",),
)  # fmt: skip
def list_form_feeds(request: ApiRequest, form_id: int) -> Response:
    """Return the feeds of one form, by `feed_order`, then `id`."""
    return _list(request, {**request.parameters, "form_id": [form_id]})


@RESOURCE.operation(
    "POST", "/forms/<form_id>/feeds", WRITTEN, status=201, headers=("Location", "ETag"),
    scope="feeds:write", body=FORM_CREATE, empty_body="missing_feed", example=EXAMPLE,
    errors=CREATE_ERRORS,
)  # fmt: skip
def create_form_feed(request: ApiRequest, form_id: int) -> Response:
    """Create a feed for the form in the path, whatever form the body names."""
    values = CREATE.load({**request.sent_body(), "form_id": form_id})
    create = partial(feeds.create, request.store, values)
    return create_idempotently(request, "feed", create, _dump_created, str(form_id))


@RESOURCE.operation(
    "POST", "/feeds/<feed_id>/duplicate", WRITTEN, status=201, headers=("Location", "ETag"),
    scope="feeds:write", body=COPY, example={"form_id": 4},
    errors=("gf_feed_invalid_id", "invalid_property"),
)  # fmt: skip
def duplicate_feed(request: ApiRequest, feed_id: int) -> Response:
    """Create an inactive copy of a feed, "... (copy)", in its form or another one."""
    form_id = request.values().get("form_id")
    create = partial(feeds.duplicate, request.store, feed_id, form_id)
    return create_idempotently(request, "feed", create, _dump_created, f"copy:{feed_id}")


@RESOURCE.operation(
    "POST", "/forms/<form_id>/feeds/plan", PLAN, safe=True, scope="feeds:read",
    query=PLAN_PARAMETERS, body=PLAN_REQUEST, example=PLAN_EXAMPLE,
    errors=("rest_missing_callback_param",),
)  # fmt: skip
def plan_feeds(request: ApiRequest, form_id: int) -> Response:
    """Return the feeds of a form that run for an entry, in their order, and why others do not.

    It changes nothing, and stores nothing of the entry.
    """
    wanted = {**request.parameters, **request.values()}
    most = request.service.options.max_response_bytes
    return request.json_response(plan(request.store, form_id, wanted, most))


@RESOURCE.operation(
    "PUT", "/forms/<form_id>/feeds/order", READ, many=True, scope="feeds:write",
    query=ORDER_PARAMETERS, body=ORDER, body_list="feeds", if_match="feeds", headers=("ETag",),
    example={"feeds": [3, 1, 2]},
    errors=("rest_missing_callback_param", "rest_order_incomplete"),
)  # fmt: skip
def order_feeds(request: ApiRequest, form_id: int) -> Response:
    """Put the feeds of a form into an order, all at once, and return them in it.

    The list has to hold each feed of the form, unless `partial` says that the others follow.
    """
    columns, dump = _shape()
    wanted = {"partial": False, **request.parameters, **request.values()}
    wanted |= {"ids": wanted.pop("feeds"), "expected": request.expected, "columns": columns}
    ordered, version = feeds.set_order(request.store, form_id, **wanted)
    request.set_etag("feeds", version)
    return request.json_response([dump(feed) for feed in ordered])


def _list(request: ApiRequest, filters: JsonObject) -> Response:
    """Return the response to a list of feeds."""
    version, generation = feeds.list_state(request.store)
    request.allow_caching("feed", inf)
    request.set_etag("feeds", version, sorted(filters.items()), generation=generation)
    columns, dump = _shape(frozenset(request.fields or READ.fields))
    most = request.service.options.max_response_bytes
    rows = feeds.list_feeds(request.store, filters, columns, most)
    return request.json_response([dump(row) for row in rows])


@lru_cache(128)
def _shape(names: frozenset[str] = frozenset(READ.fields)) -> tuple[tuple[str, ...], Serializer]:
    """Return the columns of the fields of these names, and what dumps them."""
    columns = tuple(name for name in READ.fields if name in names) or ("id",)
    return columns, compile_serializer(schemas.FeedRead(only=columns))


def _dump_created(feed: Row, public_url: str) -> JsonObject:
    """Return a feed as a create responds; it has no public URL."""
    return dump_written(feed)


def _written(request: ApiRequest, feed: Row) -> Response:
    """Return the response to a write of a feed."""
    request.set_row_etag("feed", feed)
    return request.json_response(dump_written(feed))
