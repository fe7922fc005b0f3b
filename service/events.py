"""Events: the operation that lists them, and the signals that a process sends of its own."""

import json
import logging

from blinker import Namespace
from flask import Response

from landform.schemas import events as schemas
from landform.service.http.contract import Resource
from landform.service.http.request import ApiRequest, ServiceContext
from landform.service.json_codec import JsonObject
from landform.service.page_shapes import Urls, page_link, page_urls, site_urls
from landform.storage import events
from landform.storage.event_types import TYPES
from landform.storage.pages import scheduling
from landform.storage.rows import MAX_INTEGER, Row

RESOURCE = Resource()
LIST, EVENT = schemas.EventList(), schemas.Event()
SIGNALS = Namespace()
(
    page_created, page_updated, page_published, page_unpublished, page_trashed, page_restored,
    page_deleted, feed_created, feed_updated, feed_reordered, feed_deleted, run_succeeded,
    run_failed, store_imported, store_restored,
) = map(SIGNALS.signal, TYPES)  # fmt: skip
log = logging.getLogger("landform")


@RESOURCE.operation(
    "GET", "/events", EVENT, many=True, scope="events:read", query=LIST,
    headers=("ETag", "Link"), errors=("rest_events_expired",),
)  # fmt: skip
def list_events(request: ApiRequest) -> Response:
    """Return events, the oldest first, and in `Link` where to go on, now or later.

    In descending order `Link` leads to older ones, as long as there are any.
    """
    query, store = request.parameters, request.store
    # Who waits for a page to be published may be the only one who asks.
    scheduling.collection_state(store)
    request.set_etag("events", events.newest(store), sorted(query.items()))
    wanted = query.get("type", ()), query.get("resource_id", ()), query["per_page"]
    if query["order"] == "desc":
        name, rows = "before", events.read_back(store, query.get("before", MAX_INTEGER), *wanted)
        last = rows[-1]["id"] if len(rows) == query["per_page"] else None
    else:
        name = "after"
        rows, last = events.read(store, query.get("after"), *wanted)
    kept = request.query_without(name)
    following = f"{request.url}?{kept and kept + '&'}{name}={last}"
    headers = {} if last is None else {"Link": f'<{following}>; rel="next"'}
    urls = page_urls(request)
    return request.json_response([show(row, urls) for row in rows], headers)


def page_address(service: ServiceContext) -> Urls | None:
    """Return what the links of pages start with where no request came in, if that is known."""
    url = service.options.public_url
    return site_urls(service, url) if url else None


def show(row: Row, urls: Urls | None) -> JsonObject:
    """Return an event as it is sent; without URLs the links of pages are not known."""
    data = json.loads(row["data"])
    if data["resource"] == "page":
        data = {**data, "link": page_link(data, urls) if urls else None}
    timestamp = f"{row['created_utc']}Z"
    return {"id": row["id"], "type": row["type"], "timestamp": timestamp, "data": data}


def send_signals(service: ServiceContext, sender: object) -> None:
    """Send a signal of `blinker` for each event of this process, once it is committed.

    What a receiver raises is logged, and keeps it from nobody else.
    """

    def send(event: Row) -> None:
        for receiver in SIGNALS.signal(event["type"]).receivers_for(sender):
            try:
                receiver(sender, event=show(event, page_address(service)))
            except Exception:
                log.exception("A receiver of %s failed.", event["type"])

    service.store.on_commit(send)
