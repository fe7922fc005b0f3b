"""Deliveries to webhooks as a source of work: events in order, until the receiver accepts them.

A lease in the database lets one process at a time deliver. A delivery that was accepted but could
not be recorded is repeated.
"""

import logging
import secrets
from time import monotonic

from landform.parts.http_client import FINAL
from landform.parts.webhooks import storage
from landform.parts.webhooks.sending import make_record, send_event
from landform.parts.worker import FAILED, Job, Outcome
from landform.service.events import dump_event, public_urls
from landform.service.pipeline.call import Service
from landform.storage.rows import Row

log = logging.getLogger("landform")
# In seconds: the pause without the lease, and between writes of the cursor of a webhook.
CHECK_INTERVAL = 1.0
# How many ids of events that were set aside are stored.
MOST_SET_ASIDE = 1000
DAMAGED = "The database holds no list of its {}: send them again, and active."
RECEIVER_GONE = "The receiver answered 410: it is not there any more."
# Without the text of the response, which may repeat a secret in the URL: this is logged.
RECEIVER_FAILING = "Nothing was accepted for 75 hours; the last status was {}."


class Deliveries:
    """The events of a service for its webhooks; with `private` also to addresses not public."""

    name, share = "webhook", 1

    def __init__(self, service: Service, *, private: bool) -> None:
        self._service, self._store, self._private = service, service.store, private
        self._holder, self._webhooks = secrets.token_hex(8), dict[int, Row]()
        # By time.monotonic: the last renewal of the lease, and when each cursor may be moved again.
        self._renewed, self._move_from = 0.0, dict[int, float]()

    def due(self) -> dict[int, float]:
        """Return the seconds until each webhook with events is due: those of its pause."""
        now, waits = self._store.clock.seconds(), dict[int, float]()
        self._webhooks = {webhook["id"]: webhook for webhook in storage.list_ready(self._store)}
        for number, webhook in self._webhooks.items():
            if webhook["damaged"]:
                self._switch_off(webhook)
            else:
                waits[number] = max(0.0, float(webhook["next_try"] - now))
        if 0.0 in waits.values() and not self._has_lease():
            return {number: max(wait, CHECK_INTERVAL) for number, wait in waits.items()}
        return waits

    def _has_lease(self) -> bool:
        """Return whether this process has the lease, which is renewed from time to time."""
        began = monotonic()
        if not self._renewed or began >= self._renewed + storage.LEASE / 3:
            self._renewed = began if storage.lease(self._store, self._holder) else 0.0
        return self._renewed > 0

    def rest(self) -> None:
        """End the lease."""
        if self._renewed:
            self._renewed = 0.0
            storage.end_lease(self._store, self._holder)

    def claim(self, target: int, limit: int) -> list[Job]:
        """Return the next event of a webhook; events that are damaged are set aside."""
        webhook, now = self._webhooks[target], monotonic()
        while True:
            row, last = storage.next_event(self._store, webhook)
            if row is None:
                if last > webhook["cursor"] and now >= self._move_from.get(target, 0.0):
                    self._move_from[target] = now + CHECK_INTERVAL
                    storage.skip(self._store, webhook, cursor=last)
                return []
            event = dump_event(row, public_urls(self._service))
            if event:
                return [Job(target, webhook["failures"], (webhook, event))]
            storage.skip(self._store, webhook, **set_aside(webhook, row["id"]))

    def attempt(self, job: Job) -> Outcome:
        """Send an event."""
        webhook, event = job.work
        return send_event(self._service, webhook, event, private=self._private)

    def end(self, job: Job, outcome: Outcome) -> None:
        """Store an attempt and what follows from it, unless the webhook has changed."""
        webhook, event = job.work
        changes = changes_after(webhook, event["id"], outcome, self._store.clock.seconds())
        record = make_record(event["id"], self._store.clock.now().utc, outcome)
        is_settled = storage.settle(self._store, webhook, changes, record)
        if is_settled and not changes.get("active", True):
            log.warning("Webhook %d was switched off: %s", webhook["id"], changes["reason"])

    def _switch_off(self, webhook: Row) -> None:
        """Switch off a webhook with columns that cannot be read."""
        number, damaged = webhook["id"], ", ".join(webhook["damaged"])
        emptied: Row = {name: [] for name in webhook["damaged"] if name != "types"}
        changes = {**emptied, "active": False, "reason": DAMAGED.format(damaged)}
        storage.update(self._store, number, changes)
        log.error("Webhook %d was switched off: its %s are damaged.", number, damaged)


def changes_after(webhook: Row, event_id: int, outcome: Outcome, now: float) -> Row:
    """Return the columns that an attempt to send an event changes, beside the deliveries."""
    if outcome.state != FAILED:
        return {**_passed(webhook, event_id), "delivered": webhook["delivered"] + 1}
    changes = {"failed": webhook["failed"] + 1}
    if outcome.retry_in is not None:
        next_try = now + outcome.retry_in
        return {**changes, "failures": webhook["failures"] + 1, "next_try": next_try}
    if outcome.status in FINAL and outcome.status != 410:
        return {**changes, **set_aside(webhook, event_id)}
    is_gone = outcome.status == 410
    reason = RECEIVER_GONE if is_gone else RECEIVER_FAILING.format(outcome.status)
    return {**changes, "active": False, "reason": reason}


def set_aside(webhook: Row, event_id: int) -> Row:
    """Return the columns that change when an event is set aside."""
    events = [*webhook["set_aside"], event_id][-MOST_SET_ASIDE:]
    return {**_passed(webhook, event_id), "set_aside": events}


def _passed(webhook: Row, event_id: int) -> Row:
    """Return the columns that change when an event needs no further attempt."""
    if event_id not in webhook["resend"]:
        return {"cursor": event_id, **storage.NO_FAILURES}
    resend = [other for other in webhook["resend"] if other != event_id]
    return {"resend": resend, **storage.NO_FAILURES}
