"""Delivery of events to webhooks, in order, until the receiver accepts them.

A lease in the database lets one process at a time deliver. A delivery that was accepted but could
not be recorded is repeated.
"""

import base64
import hmac
import logging
import secrets
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

from landform.parts.webhooks import outcomes, storage
from landform.service.call import Service
from landform.service.events import dump_event, public_urls
from landform.service.json_codec import JsonObject, dumps
from landform.service.outgoing.sending import Result, send
from landform.storage.rows import Row

PRIVATE_SETTING = "LANDFORM_WEBHOOK_PRIVATE"
log = logging.getLogger("landform")
# In seconds: the pause without the lease and between writes of cursors; the wait for a result.
CHECK_INTERVAL, RUNNING_INTERVAL = 1.0, 0.5
# How many attempts run at the same time, and how many of them to slow webhooks.
MOST_AT_ONCE, MOST_SLOW = 8, 4
ATTEMPT_FAILED, DAMAGED_SECRET = (
    "The attempt ended with {}.",
    "The secret of the webhook is damaged.",
)


class Deliverer:
    """Delivers the events of a service.

    `private`: whether to addresses that are not public too. `first_wait`: the seconds of the first
    wait after a failure.
    """

    def __init__(
        self, service: Service, *, private: bool, first_wait: float = outcomes.FIRST_WAIT
    ) -> None:
        self._service, self._store = service, service.store
        self._private, self._first_wait = private, first_wait
        self._holder = secrets.token_hex(8)
        # The webhooks with a running attempt, and whether each is slow; the results of attempts.
        self._running = dict[int, bool]()
        self._results = SimpleQueue[tuple[Row, Row, Result]]()
        # By time.monotonic: the last attempt of each webhook, the last renewal of the lease, and
        # when the cursors of webhooks may be stored again.
        self._last_attempts = dict[int, float]()
        self._renewed = self._move_from = 0.0

    def deliver(self) -> float | None:
        """Begin the attempts that are due, and store the result of one.

        Returns the seconds until the next attempt: 0 while there are more, None without any.
        """
        with self._store.connection():
            if (due := self._due()) or self._running:
                if not self._has_lease():
                    return CHECK_INTERVAL
                for webhook, event in due:
                    self._begin(webhook, event)
                if self._running:
                    with suppress(Empty):
                        self._settle(*self._results.get(timeout=RUNNING_INTERVAL))
                return 0.0
            if self._renewed:
                self._renewed = 0.0
                storage.end_lease(self._store, self._holder)
            rows = storage.list_ready(self._store)
        now = self._store.clock.seconds()
        waits = [outcomes.seconds_to_wait(row, now) for row in rows if row["failures"]]
        return min(waits, default=None)

    def _has_lease(self) -> bool:
        """Return whether this process has the lease, which is renewed from time to time."""
        if self._renewed and monotonic() < self._renewed + storage.LEASE / 3:
            return True
        began = monotonic()
        if storage.lease(self._store, self._holder):
            self._renewed = began
            return True
        # Without the lease the results of running attempts are not stored.
        self._renewed, self._running, self._results = 0.0, {}, SimpleQueue()
        return False

    def _due(self) -> list[tuple[Row, Row]]:
        """Return the due webhooks, the longest waiting first, with their next events."""
        now, due, skipped = self._store.clock.seconds(), list[tuple[Row, Row]](), []
        slow_slots = MOST_SLOW - sum(self._running.values())
        rows = storage.list_ready(self._store)
        for webhook in sorted(rows, key=lambda row: self._last_attempts.get(row["id"], 0.0)):
            if webhook["damaged"]:
                self._switch_off(webhook)
            elif webhook["id"] in self._running or outcomes.seconds_to_wait(webhook, now):
                continue
            elif len(due) + len(self._running) < MOST_AT_ONCE and (
                slow_slots or not outcomes.is_slow(webhook)
            ):
                event, cursor = storage.next_event(self._store, webhook)
                if event:
                    due.append((webhook, event))
                    slow_slots -= outcomes.is_slow(webhook)
                elif cursor > webhook["cursor"]:
                    skipped.append((webhook, cursor))
        if skipped and monotonic() >= self._move_from:
            self._move_from = monotonic() + CHECK_INTERVAL
            storage.set_cursors(self._store, skipped)
        return due

    def _begin(self, webhook: Row, event: Row) -> None:
        """Start an attempt in a new thread."""
        number = webhook["id"]
        self._last_attempts[number] = monotonic()
        if not dump_event(event, public_urls(self._service)):
            storage.settle(self._store, webhook, outcomes.set_aside(webhook, event["id"]))
            return
        try:
            request = self._request(webhook, event)
        except ValueError:
            self._settle(webhook, event, Result(0, DAMAGED_SECRET))
            return
        results = self._results

        def attempt() -> None:
            result = Result(0, "")
            try:
                result = send(*request, setting=PRIVATE_SETTING)
            except BaseException as error:
                result = Result(0, ATTEMPT_FAILED.format(type(error).__name__))
            finally:
                results.put((webhook, event, result))

        Thread(target=attempt, daemon=True).start()
        self._running[number] = outcomes.is_slow(webhook)

    def test(self, webhook: Row) -> JsonObject:
        """Send an event of the type `test` to a webhook, and return the attempt."""
        now = self._store.clock.now().utc
        event = {"id": 0, "type": "test", "created_utc": now, "data": '{"resource":"webhook"}'}
        # Receivers ignore known ids.
        event["message"] = f"test_{secrets.token_hex(8)}"
        result = send(*self._request(webhook, event), setting=PRIVATE_SETTING)
        return self._attempt_record(event, result)

    def _request(self, webhook: Row, event: Row) -> tuple[str, dict[str, str], bytes, bool]:
        """Return the arguments of `send` for an event and a webhook."""
        body = dumps(dump_event(event, public_urls(self._service)))
        message = f"evt_{str(self._store.identity)[:12]}_{event.get('message', event['id'])}"
        now = self._store.clock.seconds()
        keys = [webhook["secret"], *storage.previous_secrets(webhook, now)]
        headers = {"Content-Type": "application/json", "User-Agent": "landform"}
        headers |= sign(keys, message, int(now), body)
        return webhook["url"], headers, body, self._private

    def _settle(self, webhook: Row, event: Row, result: Result) -> None:
        """Store the result of an attempt."""
        self._running.pop(webhook["id"], None)
        attempt, now = self._attempt_record(event, result), self._store.clock.seconds()
        changes = outcomes.changes_after(webhook, attempt, result, now, self._first_wait)
        is_settled = storage.settle(self._store, webhook, changes)
        if is_settled and not changes.get("active", True):
            log.warning("Webhook %d was switched off: %s", webhook["id"], changes["reason"])

    def _switch_off(self, webhook: Row) -> None:
        """Switch off a webhook with columns that cannot be read."""
        storage.switch_off_damaged(self._store, webhook)
        damaged = ", ".join(webhook["damaged"])
        log.error("Webhook %d was switched off: its %s are damaged.", webhook["id"], damaged)

    def _attempt_record(self, event: Row, result: Result) -> JsonObject:
        """Return the record of an attempt."""
        return {
            "event": event["id"],
            "time": f"{self._store.clock.now().utc}Z",
            "status": result.status,
            "milliseconds": result.milliseconds,
            "response": result.text,
        }


def sign(keys: list[str], message: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of Standard Webhooks, with a signature for each key."""
    signed = f"{message}.{timestamp}.".encode() + body
    decoded = (base64.b64decode(key.removeprefix("whsec_")) for key in keys)
    digests = (base64.b64encode(hmac.digest(key, signed, "sha256")).decode() for key in decoded)
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{digest}" for digest in digests),
    }
