"""The operation that lists events, and the signals for a host."""

import json
import logging

from blinker import NamedSignal, Namespace

from landform.schemas import events as schemas
from landform.service.pipeline.call import Call, Service, Urls
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import Reply
from landform.storage import events
from landform.storage.event_types import TYPES, all_types
from landform.storage.rows import MAX_INTEGER, Row

RESOURCE = Resource()
EVENT = schemas.Event()
SIGNALS = Namespace()
(
    page_created,
    page_updated,
    page_published,
    page_unpublished,
    page_trashed,
    page_restored,
    page_deleted,
    feed_created,
    feed_updated,
    feed_reordered,
    feed_deleted,
    store_imported,
    store_restored,
) = map(SIGNALS.signal, TYPES)
log = logging.getLogger("landform")


@RESOURCE.get(
    "/events",
    query=schemas.EventList(),
    response=EVENT,
    many=True,
    scope="events:read",
    headers=("ETag", "Link"),
    errors=("rest_events_expired",),
)
def list_events(call: Call) -> Reply:
    """Return events, the oldest first, with the URL of the next ones in `Link`.

    In descending order `Link` is the URL of older ones, as long as there are any.
    """
    query, store = call.query, call.store
    etag = call.etag("events", events.newest(store), sorted(query.items()))
    if call.has(etag):
        return Reply(status=304, etag=etag)
    filters = query.get("type", ()), query.get("resource_id", ()), query["per_page"]
    if query["order"] == "desc":
        name, before = "before", query.get("before", MAX_INTEGER)
        if until := query.get("until"):
            before = min(before, events.before(store, store.clock.moment(until).utc) + 1)
        rows = events.read_back(store, before, *filters)
        last = rows[-1]["id"] if len(rows) == query["per_page"] else None
    else:
        name = "after"
        rows, last = events.read(store, query.get("after"), *filters)
    query_string = call.query_without(name)
    next_url = f"{call.incoming.url}?{query_string and query_string + '&'}{name}={last}"
    headers = {} if last is None else {"Link": f'<{next_url}>; rel="next"'}
    urls = call.urls
    dumped = [dump_event(row, urls) for row in rows]
    return Reply([event for event in dumped if event], headers=headers, etag=etag)


def public_urls(service: Service) -> Urls | None:
    """Return the URLs of pages outside of a request; None if they are not known."""
    url = service.options.public_url
    return service.urls(url) if url else None


def dump_event(row: Row, urls: Urls | None) -> JsonObject | None:
    """Return an event for clients; without URLs the links of pages are null.

    A damaged event is logged, and None is returned.
    """
    try:
        data = json.loads(row["data"])
        if data["resource"] == "page":
            data = {**data, "link": urls.page_link(data) if urls else None}
    except (ValueError, TypeError, LookupError, AttributeError):
        log.error("The event %s is damaged, and left out.", row["id"])
        return None
    event: JsonObject = EVENT.dump({**row, "data": data})
    return event


def event_signal(event_type: str) -> NamedSignal:
    """Return the signal of a type of events, which may be one of a part."""
    if event_type not in all_types():
        raise ValueError(f"{event_type!r} is not a type of events.")
    return SIGNALS.signal(event_type)


def send_signals(service: Service, sender: object) -> None:
    """Send a signal of `blinker` for each event of this process, after its commit.

    An exception of a receiver is logged, and the other receivers are still called.
    """

    def send(event: Row) -> None:
        for receiver in SIGNALS.signal(event["type"]).receivers_for(sender):
            try:
                receiver(sender, event=dump_event(event, public_urls(service)))
            except Exception:
                log.exception("A receiver of %s failed.", event["type"])

    service.store.on_commit(send)
