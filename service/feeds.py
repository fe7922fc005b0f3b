"""The operations on feeds."""

from math import inf

from marshmallow import ValidationError

from landform.schemas import feed_plan
from landform.schemas import feeds as schemas
from landform.schemas.fields import columns_of
from landform.service.pages.dump import created_reply, select_fields
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import api_error
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import GRAVITY_FORMS, Resource
from landform.service.pipeline.reply import Caching, Reply, warning_headers
from landform.service.planning.plan import plan
from landform.storage import FeedNotFound, feeds
from landform.storage.rows import MAX_INTEGER, Row
from landform.storage.sql import current_version

RESOURCE = Resource(GRAVITY_FORMS)
READ, WRITE, DELETED = schemas.FeedRead(), schemas.FeedWritten(), schemas.FeedDeleted()
PLAN = feed_plan.FeedPlan()
UPDATED = "Feed updated successfully"

EXAMPLE = {
    "addon_slug": "gravityformsmailchimp",
    "meta": {"feedName": "Newsletter", "mailchimpList": "abc"},
}
PLAN_EXAMPLE = {"entry": {"1": "ada@example.com", "2.1": "Yes"}, "entry_id": "17", "explain": True}
CREATE_ERRORS = ("missing_addon_slug", "missing_feed_meta", "invalid_meta")
PATCH_ERRORS = ("invalid_property", "invalid_meta")


@RESOURCE.get(
    "/feeds",
    query=schemas.FeedList(),
    response=READ,
    many=True,
    scope="feeds:read",
    headers=("ETag",),
)
def list_feeds(call: Call) -> Reply:
    """Return the feeds of all forms, by `feed_order`, then `id`."""
    return _list_reply(call, call.query)


@RESOURCE.post(
    "/feeds",
    body=schemas.FeedCreate(),
    empty_body="missing_feed",
    response=WRITE,
    status=201,
    scope="feeds:write",
    headers=("Location", "ETag", "X-Landform-Warning"),
    example={"form_id": 3, **EXAMPLE},
    errors=("missing_form_id", *CREATE_ERRORS),
)
def create_feed(call: Call) -> Reply:
    """Create a feed and return it with integer ids."""
    feed = feeds.create(call.store, call.body)
    return created_reply(call, "feeds", feed_reply(call, feed), feed["id"])


@RESOURCE.get(
    "/feeds/<feed_id>",
    query=schemas.FeedFilter(),
    response=READ,
    scope="feeds:read",
    headers=("ETag", "Last-Modified"),
    errors=("gf_feed_invalid_id",),
)
def get_feed(call: Call, feed_id: int) -> Reply:
    """Return a feed, unless `include` or `addon` exclude it."""
    feed, generation = feeds.read(call.store, feed_id, call.query)
    return Reply(
        READ.dump(feed),
        etag=call.row_etag("feed", feed, generation=generation),
        last_modified=feed["modified_utc"],
        caching=Caching(table="feed", until=inf),
    )


@RESOURCE.put(
    "/feeds/<feed_id>",
    body=schemas.FeedUpdate(),
    empty_body="missing_feed",
    find_row=feeds.get,
    response=WRITE,
    scope="feeds:write",
    if_match="feed",
    headers=("ETag", "Last-Modified", "X-Landform-Warning"),
    example={"form_id": 3, "is_active": True, "feed_order": 1, **EXAMPLE},
    errors=("missing_form_id", "invalid_property", "gf_feed_invalid_id", *CREATE_ERRORS),
)
def update_feed(call: Call, feed_id: int) -> Reply:
    """Update a feed: `form_id`, `meta` and `addon_slug` are required, other fields stay."""
    return feed_reply(call, feeds.update(call.store, feed_id, call.body, if_match=call.if_match))


@RESOURCE.patch(
    "/feeds/<feed_id>",
    body=schemas.FeedPatch(),
    empty_body="missing_properties",
    find_row=feeds.get,
    response=WRITE,
    scope="feeds:write",
    if_match="feed",
    headers=("ETag", "Last-Modified", "X-Landform-Warning"),
    example={"meta": {"feedName": "Renamed"}},
    errors=("gf_feed_invalid_id", "missing_feed_meta", *PATCH_ERRORS),
)
def patch_feed(call: Call, feed_id: int) -> Reply:
    """Change the fields that are sent; `meta` is a JSON Merge Patch (RFC 7396)."""
    feed = feeds.update(call.store, feed_id, call.body, merge=True, if_match=call.if_match)
    return feed_reply(call, feed)


@RESOURCE.delete(
    "/feeds/<feed_id>",
    response=DELETED,
    scope="feeds:write",
    if_match="feed",
    errors=("gf_feed_invalid_id",),
)
def delete_feed(call: Call, feed_id: int) -> Reply:
    """Delete a feed and return it, with `deleted`."""
    return Reply(DELETED.dump(feeds.delete(call.store, feed_id, call.if_match)))


@RESOURCE.put(
    "/feeds/<feed_id>/properties",
    body=schemas.FeedProperties(),
    empty_body="missing_properties",
    response=UPDATED,
    scope="feeds:write",
    if_match="feed",
    headers=("X-Landform-Warning",),
    example={"is_active": False, "feed_order": 2},
    errors=("not_found", *PATCH_ERRORS),
)
def update_properties(call: Call, feed_id: int) -> Reply:
    """Change the properties that are sent; `meta` is replaced. Returns a message."""
    try:
        feed = feeds.update(call.store, feed_id, call.body, if_match=call.if_match)
    except FeedNotFound:
        raise api_error("not_found") from None
    return Reply(UPDATED, headers=feed_reply(call, feed).headers)


@RESOURCE.get(
    "/forms/<form_id>/feeds",
    query=schemas.FeedFilter(),
    response=READ,
    many=True,
    scope="feeds:read",
    headers=("ETag",),
)
def list_form_feeds(call: Call, form_id: int) -> Reply:
    """Return the feeds of one form, by `feed_order`, then `id`."""
    return _list_reply(call, {**call.query, "form_id": [form_id]})


@RESOURCE.post(
    "/forms/<form_id>/feeds",
    body=schemas.FormFeedCreate(),
    empty_body="missing_feed",
    response=WRITE,
    status=201,
    scope="feeds:write",
    headers=("Location", "ETag", "X-Landform-Warning"),
    example=EXAMPLE,
    errors=CREATE_ERRORS,
)
def create_form_feed(call: Call, form_id: int) -> Reply:
    """Create a feed for the form in the path; a form in the body is ignored."""
    if form_id > MAX_INTEGER:
        raise ValidationError(f"form_id must be from 0 to {MAX_INTEGER}.", "form_id")
    feed = feeds.create(call.store, {**call.body, "form_id": form_id})
    return created_reply(call, "feeds", feed_reply(call, feed), feed["id"])


@RESOURCE.post(
    "/feeds/<feed_id>/duplicate",
    body=schemas.FeedCopy(),
    response=WRITE,
    status=201,
    scope="feeds:write",
    headers=("Location", "ETag", "X-Landform-Warning"),
    example={"form_id": 4},
    errors=("gf_feed_invalid_id", "invalid_property"),
)
def duplicate_feed(call: Call, feed_id: int) -> Reply:
    """Create an inactive copy of a feed, "... (copy)", in its form or another one."""
    feed = feeds.duplicate(call.store, feed_id, call.body.get("form_id"))
    return created_reply(call, "feeds", feed_reply(call, feed), feed["id"])


@RESOURCE.post(
    "/forms/<form_id>/feeds/plan",
    query=feed_plan.PlanParameters(),
    body=feed_plan.PlanRequest(),
    response=PLAN,
    safe=True,
    scope="feeds:read",
    example=PLAN_EXAMPLE,
    errors=("rest_missing_callback_param",),
)
def plan_feeds(call: Call, form_id: int) -> Reply:
    """Return the feeds of a form that run for an entry, in their order.

    Nothing is changed, and nothing of the entry is stored.
    """
    request = {**call.query, **call.body}
    planned = plan(call.store, form_id, request, call.options.max_response_bytes)
    return Reply(PLAN.dump(planned))


@RESOURCE.put(
    "/forms/<form_id>/feeds/order",
    query=schemas.OrderParameters(),
    body=schemas.FeedOrder(),
    body_list="feeds",
    response=READ,
    many=True,
    scope="feeds:write",
    if_match="feed",
    headers=("ETag",),
    example={"feeds": [3, 1, 2]},
    errors=("rest_missing_callback_param", "rest_order_incomplete"),
)
def order_feeds(call: Call, form_id: int) -> Reply:
    """Set the order of all feeds of a form, and return them in it.

    The list must have each feed of the form; with `partial` the others come last.
    """
    order = {"partial": False, **call.query, **call.body}
    rows, version = feeds.set_order(
        call.store,
        form_id,
        order["feeds"],
        partial=order["partial"],
        if_match=call.if_match,
        columns=columns_of(READ),
    )
    return Reply(READ.dump(rows, many=True), etag=call.etag("feed", version))


def feed_reply(call: Call, feed: Row) -> Reply:
    """Return the reply to a write of a feed."""
    problems = [part.feed_problem(call.service, feed) for part in call.options.named_parts]
    return Reply(
        WRITE.dump(feed),
        headers=warning_headers("; ".join(filter(None, problems))),
        etag=call.row_etag("feed", feed),
        last_modified=feed["modified_utc"],
    )


def _list_reply(call: Call, filters: JsonObject) -> Reply:
    """Return the reply to a list of feeds."""
    version, generation = current_version(call.store, "feed")
    etag = call.etag("feed", version, sorted(filters.items()), generation=generation)
    caching = Caching(table="feed", until=inf)
    if call.has(etag):
        return Reply(status=304, etag=etag, caching=caching)
    selection, most_bytes = select_fields(READ, call.fields), call.options.max_response_bytes
    rows = feeds.list_feeds(call.store, filters, selection.columns, most_bytes)
    return Reply(selection.schema.dump(rows, many=True), etag=etag, caching=caching)
