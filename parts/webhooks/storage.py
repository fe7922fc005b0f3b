"""Webhooks in the database, the events that each gets next, and the lease of the deliverer."""

import json
import secrets
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from peewee import ModelSelect

from landform.parts.part import Metric
from landform.parts.webhooks.errors import TooManyWebhooks, WebhookNotFound
from landform.parts.webhooks.models import Webhook
from landform.storage import events
from landform.storage.errors import EventsExpired
from landform.storage.models import EventState
from landform.storage.rows import Row, json_text, storable
from landform.storage.store import Store, transactional

# The bytes of a secret; how many former secrets also sign, and for how many seconds.
SECRET_BYTES, MOST_PREVIOUS, PREVIOUS_SECONDS = 32, 4, 86_400
# The columns of a webhook without a failure since its last success.
NO_FAILURES: Row = {"failures": 0, "next_try": 0}
# For how many seconds a process delivers alone, unless it renews its lease.
LEASE, DELIVERER = 9.0, "deliverer"
# How many webhooks there may be, and how many attempts are stored of each.
MOST_WEBHOOKS, MOST_DELIVERIES = 100, 20
EXPIRED = "Events after {} were no longer kept, and were not delivered; it goes on after {}."


def list_all(store: Store) -> list[Row]:
    """Return all webhooks by id, their lists parsed."""
    return _read(store, Webhook.select())


def list_ready(store: Store) -> list[Row]:
    """Return the active webhooks with events after their cursor or to send again, by id."""
    has_work = (Webhook.cursor != events.newest(store)) | (Webhook.resend != "[]")
    return _read(store, Webhook.select().where(Webhook.active, has_work))


def get(store: Store, webhook_id: int) -> Row:
    """Return a webhook; raises `WebhookNotFound`."""
    rows = _read(store, Webhook.select().where(Webhook.id.in_(storable([webhook_id]))))
    if not rows:
        raise WebhookNotFound
    return rows[0]


def _read(store: Store, query: "ModelSelect[Webhook]") -> list[Row]:
    """Return rows by id, their lists parsed; damaged ones are empty, and named in `damaged`."""
    rows = list(query.order_by(Webhook.id).dicts().execute(store.database))
    for row in rows:
        damaged = Webhook.damaged_json(row)
        for name in row.keys() & Webhook.json_columns:
            row[name] = [] if name in damaged else json.loads(row[name])
        row["damaged"] = damaged
    return rows


@transactional
def create(store: Store, values: Row) -> Row:
    """Store a webhook for events from now on, and return it."""
    if Webhook.select().count(store.database) >= MOST_WEBHOOKS:
        raise TooManyWebhooks
    now = store.clock.now().utc
    row = {**values, "secret": _new_secret(), "created_utc": now, "cursor": events.newest(store)}
    return get(store, Webhook.insert(_columns(row)).execute(store.database))


@transactional
def update(store: Store, webhook_id: int, values: Row) -> Row:
    """Write some columns and return the webhook.

    With `active`, or another URL, its failures are forgotten, and it is tried at once.
    """
    stored = get(store, webhook_id)
    if values.get("active"):
        values = {**values, "reason": "", **NO_FAILURES}
    if values.get("url", stored["url"]) != stored["url"]:
        values = {**values, **NO_FAILURES}
    if values:
        _write(store, webhook_id, values)
    return get(store, webhook_id)


@transactional
def rotate(store: Store, webhook_id: int) -> Row:
    """Replace the secret of a webhook, and return it; former secrets also sign for a day."""
    webhook, now = get(store, webhook_id), store.clock.seconds()
    secrets_before = [webhook["secret"], *previous_secrets(webhook, now)][:MOST_PREVIOUS]
    columns = {
        "secret": _new_secret(),
        "previous_secret": " ".join(secrets_before),
        "previous_until": now + PREVIOUS_SECONDS,
    }
    return update(store, webhook_id, columns)


def previous_secrets(webhook: Row, now: float) -> list[str]:
    """Return the former secrets that still sign, the latest first."""
    return webhook["previous_secret"].split() if now < webhook["previous_until"] else []


@transactional
def replay(store: Store, webhook_id: int, after: int | None) -> Row:
    """Send all events after an id again; with None those that were set aside.

    The cursor is never set forward: events that wait are not skipped.
    """
    webhook = get(store, webhook_id)
    if after is None:
        resend = list(dict.fromkeys([*webhook["resend"], *webhook["set_aside"]]))
        return update(store, webhook_id, {"resend": resend, "set_aside": []})
    events.read(store, after, limit=1)
    return update(store, webhook_id, {"cursor": min(after, webhook["cursor"]), **NO_FAILURES})


@transactional
def record_attempt(store: Store, webhook_id: int, attempt: Row) -> None:
    """Store an attempt among the deliveries of a webhook, unless that was deleted."""
    for webhook in _read(store, Webhook.select().where(Webhook.id == webhook_id)):
        _write(store, webhook_id, {"deliveries": _latest_deliveries(attempt, webhook)})


def _latest_deliveries(attempt: Row, webhook: Row) -> list[Row]:
    return [attempt, *webhook["deliveries"]][:MOST_DELIVERIES]


@transactional
def delete(store: Store, webhook_id: int) -> Row:
    """Delete a webhook and return it."""
    webhook = get(store, webhook_id)
    Webhook.delete().where(Webhook.id == webhook_id).execute(store.database)
    return webhook


def waiting(store: Store, webhook: Row) -> int:
    """Return how many events a webhook waits for."""
    types = webhook["types"]
    after = events.count(store, webhook["cursor"], types) if types else 0
    return after + len(webhook["resend"])


def first_awaited_event(store: Store) -> int | None:
    """Return the id of the first event that an active webhook waits for."""
    columns = Webhook.cursor, Webhook.resend
    webhooks = _read(store, Webhook.select(*columns).where(Webhook.active))
    firsts = [min([webhook["cursor"] + 1, *webhook["resend"]]) for webhook in webhooks]
    return min(firsts, default=None)


def metrics(store: Store) -> Iterator[Metric]:
    """Yield the metrics of all webhooks."""
    rows = {str(row["id"]): row for row in list_all(store)}
    waits = {number: waiting(store, row) for number, row in rows.items()}
    delivered = {number: row["delivered"] for number, row in rows.items()}
    failed = {number: row["failed"] for number, row in rows.items()}
    yield Metric("webhook_waiting", "Events that wait to be delivered", "webhook", waits)
    yield Metric("webhook_deliveries", "Events delivered", "webhook", delivered, is_total=True)
    yield Metric("webhook_failures", "Attempts that failed", "webhook", failed, is_total=True)


def next_event(store: Store, webhook: Row) -> tuple[Row | None, int]:
    """Return the next event of a webhook, or None, and the id of its last event.

    Up to that id it has received all events of its types. Where events cannot be delivered any
    more, the webhook is changed, in the database and in `webhook`.
    """
    for place, number in enumerate(webhook["resend"]):
        if event := events.by_id(store, number):
            skip(store, webhook, resend=webhook["resend"][place:])
            return event, webhook["cursor"]
    skip(store, webhook, resend=[])
    before = webhook["cursor"]
    try:
        rows, last = events.read(store, before, webhook["types"], limit=1)
    except EventsExpired:
        expired = events.last_expired(store)
        cursor = expired if before < expired else events.newest(store)
        reason = EXPIRED.format(before, cursor)
        skip(store, webhook, cursor=cursor, reason=reason)
        return next_event(store, webhook)
    return (rows[0], before) if rows else (None, last)


def skip(store: Store, webhook: Row, **changes: Any) -> None:
    """Store the changes that skip events which are not delivered, if there are any."""
    if not changes.items() <= webhook.items():
        settle(store, webhook, changes)
        webhook.update(changes)


@transactional
def settle(store: Store, webhook: Row, changes: Row, attempt: Row | None = None) -> bool:
    """Store an attempt and the changes after it; return whether they were stored.

    They are not if the webhook has another URL or place by now than in `webhook`.
    """
    for stored in _read(store, Webhook.select().where(Webhook.id == webhook["id"])):
        if all(stored[name] == webhook[name] for name in ("url", "cursor", "resend", "set_aside")):
            if attempt:
                changes = {**changes, "deliveries": _latest_deliveries(attempt, stored)}
            _write(store, webhook["id"], changes)
            return True
    return False


@transactional
def lease(store: Store, holder: str) -> bool:
    """Give a process the lease, unless another one has it; return whether it has it."""
    now = store.clock.seconds()
    query = EventState.insert(name=DELIVERER, number=now + LEASE, holder=holder).on_conflict(
        conflict_target=[EventState.name],
        preserve=[EventState.number, EventState.holder],
        where=(EventState.holder == holder) | (EventState.number < now),
    )
    return bool(list(query.returning(EventState.name).tuples().execute(store.database)))


@transactional
def end_lease(store: Store, holder: str) -> None:
    """End the lease of a process, so that another one may deliver at once."""
    EventState.delete().where(EventState.holder == holder).execute(store.database)


def _write(store: Store, webhook_id: int, values: Row) -> None:
    Webhook.update(_columns(values)).where(Webhook.id == webhook_id).execute(store.database)


def _columns(values: Row) -> Row:
    """Return columns to write, the lists as JSON text."""
    lists = {name: json_text(values[name]) for name in Webhook.json_columns if name in values}
    return {**values, **lists}


def _new_secret() -> str:
    return "whsec_" + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
