"""Webhooks in the database: who gets which events, how far each is, and who delivers."""

import json
import secrets
from base64 import b64encode
from time import time
from typing import Any

from landform.storage import events
from landform.storage.errors import EventsExpired, WebhookNotFound
from landform.storage.models import EventState, Webhook
from landform.storage.rows import Row, json_text
from landform.storage.store import Store, transactional

# The columns that hold JSON.
LISTS = ("types", "set_aside", "resend", "deliveries")
# The bytes of a secret, and for how many seconds one goes on after it was replaced.
SECRET_BYTES, GRACE = 32, 86_400
# How many seconds a process delivers alone before it has to say that it still does.
LEASE = 9.0
DELIVERER = "deliverer"
# A cursor is stored where so many events were passed over since.
FAR = 1000
EXPIRED = "Events after {} were no longer kept, and were not delivered; it goes on after {}."


def list_all(store: Store) -> list[Row]:
    """Return all webhooks by id, their lists parsed."""
    found = Webhook.select().order_by(Webhook.id).dicts().execute(store.database)
    return [{**row, **{name: json.loads(row[name]) for name in LISTS}} for row in found]


def get(store: Store, webhook_id: int) -> Row:
    """Return a webhook; `WebhookNotFound` where there is none."""
    found = next((row for row in list_all(store) if row["id"] == webhook_id), None)
    if found is None:
        raise WebhookNotFound
    return found


@transactional
def create(store: Store, values: Row) -> Row:
    """Store a webhook that gets what happens from now on, and return it."""
    now = store.clock.now().utc
    row = {**values, "secret": _new_secret(), "created_utc": now, "cursor": events.newest(store)}
    return get(store, Webhook.insert(_columns(row)).execute(store.database))


@transactional
def update(store: Store, webhook_id: int, values: Row) -> Row:
    """Write the columns given and return the webhook; one that is switched on is tried at once."""
    if values.get("active"):
        values = {**values, "reason": "", "failures": 0, "failing_since": None, "next_try": 0}
    if values:
        mine = Webhook.id == webhook_id
        Webhook.update(_columns(values)).where(mine).execute(store.database)
    return get(store, webhook_id)


@transactional
def rotate(store: Store, webhook_id: int) -> Row:
    """Give a webhook another secret, and return it; the one before signs too for a day."""
    before = get(store, webhook_id)["secret"]
    kept = {"previous_secret": before, "previous_until": time() + GRACE}
    return update(store, webhook_id, {"secret": _new_secret(), **kept})


@transactional
def replay(store: Store, webhook_id: int, after: int | None) -> Row:
    """Let all events after an id be delivered again, or (None) those that were set aside."""
    found = get(store, webhook_id)
    if after is None:
        again = list(dict.fromkeys([*found["resend"], *found["set_aside"]]))
        return update(store, webhook_id, {"resend": again, "set_aside": []})
    events.read(store, after, limit=1)
    return update(store, webhook_id, {"cursor": after, "next_try": 0})


@transactional
def delete(store: Store, webhook_id: int) -> Row:
    """Remove a webhook and return it as it last was."""
    webhook = get(store, webhook_id)
    Webhook.delete().where(Webhook.id == webhook_id).execute(store.database)
    return webhook


def waiting(store: Store, webhook: Row) -> int:
    """Return how many events a webhook has still to get."""
    after = events.count(store, webhook["cursor"], webhook["types"])
    return after + len(webhook["resend"])


def next_event(store: Store, webhook: Row) -> Row | None:
    """Return the event that a webhook gets next; None where it has received all.

    The row is changed with the stored one where events cannot be delivered.
    """
    for place, number in enumerate(webhook["resend"]):
        if event := events.by_id(store, number):
            _pass_over(store, webhook, resend=webhook["resend"][place:])
            return event
    _pass_over(store, webhook, resend=[])
    before = webhook["cursor"]
    try:
        found, last = events.read(store, before, webhook["types"], limit=1)
    except EventsExpired:
        expired = events.last_expired(store)
        cursor = expired if before < expired else events.newest(store)
        reason = EXPIRED.format(before, cursor)
        _pass_over(store, webhook, cursor=cursor, reason=reason)
        return next_event(store, webhook)
    if not found and last - before >= FAR:
        settle(store, webhook, {"cursor": last})
    return found[0] if found else None


def _pass_over(store: Store, webhook: Row, **changes: Any) -> None:
    """Write where a webhook goes on after events that cannot be delivered, if there were any."""
    if not changes.items() <= webhook.items():
        settle(store, webhook, changes)
        webhook.update(changes)


@transactional
def settle(store: Store, webhook: Row, changes: Row) -> None:
    """Write what became of an attempt, unless somebody has changed meanwhile what is sent next."""
    seen = {name: webhook[name] for name in ("id", "cursor", "resend", "set_aside")}
    same = [getattr(Webhook, name) == value for name, value in _columns(seen).items()]
    Webhook.update(_columns(changes)).where(*same).execute(store.database)


@transactional
def lease(store: Store, holder: str) -> bool:
    """Return whether a process is the one that delivers, for some seconds from now on."""
    now = time()
    # That of a clock that was ahead has no meaning.
    is_over = (EventState.number < now) | (EventState.number > now + LEASE)
    taken = EventState.insert(name=DELIVERER, number=now + LEASE, holder=holder).on_conflict(
        conflict_target=[EventState.name],
        preserve=[EventState.number, EventState.holder],
        where=(EventState.holder == holder) | is_over,
    )
    return bool(list(taken.returning(EventState.name).tuples().execute(store.database)))


@transactional
def end_lease(store: Store, holder: str) -> None:
    """Let another process deliver at once."""
    EventState.delete().where(EventState.holder == holder).execute(store.database)


def _columns(values: Row) -> Row:
    return {key: json_text(of) if key in LISTS else of for key, of in values.items()}


def _new_secret() -> str:
    return "whsec_" + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
