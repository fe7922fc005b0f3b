"""Webhooks in the database: who gets which events, how far each is, and who delivers."""

import json
import secrets
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from peewee import SQL

from landform.storage import events
from landform.storage.errors import EventsExpired, TooManyWebhooks, WebhookNotFound
from landform.storage.models import EventState, Webhook
from landform.storage.rows import Row, json_text
from landform.storage.store import Store, transactional

# The columns that hold lists as JSON, and what is in them.
LISTS: dict[str, type] = {"types": str, "set_aside": int, "resend": int, "deliveries": dict}
# What is stored of an attempt among the deliveries.
ATTEMPT = {"event": int, "time": str, "status": int, "milliseconds": int, "response": str}
# The bytes of a secret, for how many seconds one goes on after it was replaced, and how many do.
SECRET_BYTES, GRACE, MOST_PREVIOUS = 32, 86_400, 4
# How a webhook begins that has not failed yet.
AFRESH: Row = {"failures": 0, "failing_since": None, "next_try": 0}
# How many seconds a process delivers alone before it has to say that it still does.
LEASE = 9.0
DELIVERER = "deliverer"
# How many webhooks there may be, and how many attempts are remembered of each.
MOST_WEBHOOKS, MOST_DELIVERIES = 100, 20
DAMAGED = "The database holds no list of its {}: send them again, and active."
EXPIRED = "Events after {} were no longer kept, and were not delivered; it goes on after {}."


def list_all(store: Store) -> list[Row]:
    """Return all webhooks by id, their lists parsed."""
    rows = Webhook.select().order_by(Webhook.id).dicts().execute(store.database)
    return [_parse(row) for row in rows]


def list_ready(store: Store) -> list[Row]:
    """Return the active webhooks that have events to get or to look at, by id."""
    has_work = (Webhook.cursor != events.newest(store)) | (Webhook.resend != SQL("'[]'"))
    query = Webhook.select().where(Webhook.active, has_work).order_by(Webhook.id)
    return [_parse(row) for row in query.dicts().execute(store.database)]


def _parse(row: Row) -> Row:
    """Return a row with its lists; those that are damaged are empty, and named in `damaged`."""
    lists = {name: _parse_list(row[name], LISTS[name]) for name in LISTS}
    no_types = [name for name in Webhook.never_empty if not lists[name]]
    damaged = [name for name, items in lists.items() if items is None or name in no_types]
    return {**row, **{name: items or [] for name, items in lists.items()}, "damaged": damaged}


def _parse_list(text: Any, kind: type) -> list[Any] | None:
    """Return the list that a column holds as JSON; None where it holds none of that kind."""
    with suppress(ValueError, TypeError):
        items = json.loads(text)
        if isinstance(items, list) and all(isinstance(item, kind) for item in items):
            attempts = items if kind is dict else []
            return items if all(map(_is_attempt, attempts)) else None
    return None


def _is_attempt(item: Row) -> bool:
    return all(isinstance(item.get(name), kind) for name, kind in ATTEMPT.items())


def get(store: Store, webhook_id: int) -> Row:
    """Return a webhook; `WebhookNotFound` where there is none."""
    found = next((row for row in list_all(store) if row["id"] == webhook_id), None)
    if found is None:
        raise WebhookNotFound
    return found


@transactional
def create(store: Store, values: Row) -> Row:
    """Store a webhook that gets what happens from now on, and return it."""
    if Webhook.select().count(store.database) >= MOST_WEBHOOKS:
        raise TooManyWebhooks
    now = store.clock.now().utc
    row = {**values, "secret": _new_secret(), "created_utc": now, "cursor": events.newest(store)}
    return get(store, Webhook.insert(_columns(row)).execute(store.database))


@transactional
def update(store: Store, webhook_id: int, values: Row) -> Row:
    """Write some columns and return the webhook.

    One that is switched on, or has another URL, is tried at once, and has not failed yet.
    """
    stored = get(store, webhook_id)
    if values.get("active"):
        values = {**values, "reason": "", **AFRESH}
    if values.get("url", stored["url"]) != stored["url"]:
        values = {**values, **AFRESH}
    if values:
        is_this = Webhook.id == webhook_id
        Webhook.update(_columns(values)).where(is_this).execute(store.database)
    return get(store, webhook_id)


@transactional
def rotate(store: Store, webhook_id: int) -> Row:
    """Give a webhook another secret, and return it; those before sign too for a day."""
    webhook, now = get(store, webhook_id), store.clock.seconds()
    secrets_before = [webhook["secret"], *previous_secrets(webhook, now)][:MOST_PREVIOUS]
    previous = {"previous_secret": " ".join(secrets_before), "previous_until": now + GRACE}
    return update(store, webhook_id, {"secret": _new_secret(), **previous})


def previous_secrets(webhook: Row, now: float) -> list[str]:
    """Return the secrets that still sign beside the present one, the latest first."""
    return webhook["previous_secret"].split() if now < webhook["previous_until"] else []


@transactional
def replay(store: Store, webhook_id: int, after: int | None) -> Row:
    """Let all events after an id be delivered again, or (None) those that were set aside.

    What it has still to get stays so: the cursor is never set forward.
    """
    webhook = get(store, webhook_id)
    if after is None:
        again = list(dict.fromkeys([*webhook["resend"], *webhook["set_aside"]]))
        return update(store, webhook_id, {"resend": again, "set_aside": []})
    events.read(store, after, limit=1)
    return update(store, webhook_id, {"cursor": min(after, webhook["cursor"]), **AFRESH})


@transactional
def record_test(store: Store, webhook_id: int, attempt: Row) -> None:
    """Remember a test among the deliveries of a webhook."""
    deliveries = [attempt, *_deliveries(store, webhook_id)][:MOST_DELIVERIES]
    columns = _columns({"deliveries": deliveries})
    Webhook.update(columns).where(Webhook.id == webhook_id).execute(store.database)


def _deliveries(store: Store, webhook_id: int) -> list[Row]:
    """Return the last attempts of a webhook; none where there is no such webhook."""
    query = Webhook.select(Webhook.deliveries).where(Webhook.id == webhook_id)
    return _parse_list(query.scalar(store.database), LISTS["deliveries"]) or []


@transactional
def delete(store: Store, webhook_id: int) -> Row:
    """Remove a webhook and return it as it last was."""
    webhook = get(store, webhook_id)
    Webhook.delete().where(Webhook.id == webhook_id).execute(store.database)
    return webhook


def waiting(store: Store, webhook: Row) -> int:
    """Return how many events a webhook has still to get."""
    types = webhook["types"]
    after = events.count(store, webhook["cursor"], types) if types else 0
    return after + len(webhook["resend"])


def next_event(store: Store, webhook: Row) -> tuple[Row | None, int]:
    """Return the event that a webhook gets next, None where there is none, and where it stands.

    That is an id up to which it has received all events of its types. The row is changed with the
    stored one where events cannot be delivered.
    """
    for place, number in enumerate(webhook["resend"]):
        if event := events.by_id(store, number):
            _pass_over(store, webhook, resend=webhook["resend"][place:])
            return event, webhook["cursor"]
    _pass_over(store, webhook, resend=[])
    before = webhook["cursor"]
    try:
        rows, last = events.read(store, before, webhook["types"], limit=1)
    except EventsExpired:
        expired = events.last_expired(store)
        cursor = expired if before < expired else events.newest(store)
        reason = EXPIRED.format(before, cursor)
        _pass_over(store, webhook, cursor=cursor, reason=reason)
        return next_event(store, webhook)
    return (rows[0], before) if rows else (None, last)


def _pass_over(store: Store, webhook: Row, **changes: Any) -> None:
    """Write where a webhook goes on after events that cannot be delivered, if there were any."""
    if not changes.items() <= webhook.items():
        settle(store, webhook, changes)
        webhook.update(changes)


@transactional
def move_on(store: Store, places: Sequence[tuple[Row, int]]) -> None:
    """Write where webhooks stand that get none of the next events, see `next_event`."""
    for webhook, cursor in places:
        settle(store, webhook, {"cursor": cursor})


@transactional
def switch_off_damaged(store: Store, webhook: Row) -> None:
    """Switch a webhook off that has a list which the database does not hold any more."""
    reason = DAMAGED.format(", ".join(webhook["damaged"]))
    changes: Row = {name: [] for name in webhook["damaged"] if name != "types"}
    changes |= {"active": False, "reason": reason}
    Webhook.update(_columns(changes)).where(Webhook.id == webhook["id"]).execute(store.database)


@transactional
def settle(store: Store, webhook: Row, changes: Row) -> bool:
    """Write what became of an attempt, unless somebody has changed meanwhile what is sent where.

    Return whether it was written.
    """
    seen = {name: webhook[name] for name in ("id", "url", "cursor", "resend", "set_aside")}
    same = [getattr(Webhook, name) == value for name, value in _columns(seen).items()]
    if "deliveries" in changes:
        # Tests of the meantime.
        stored, known = _deliveries(store, webhook["id"]), webhook["deliveries"]
        tests = [one for one in stored if not one["event"] and one not in known]
        deliveries = [*tests, *changes["deliveries"]][:MOST_DELIVERIES]
        changes = {**changes, "deliveries": deliveries}
    return bool(Webhook.update(_columns(changes)).where(*same).execute(store.database))


@transactional
def lease(store: Store, holder: str) -> bool:
    """Return whether a process is the one that delivers, for some seconds from now on."""
    now = store.clock.seconds()
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
