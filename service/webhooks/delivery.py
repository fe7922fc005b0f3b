"""Delivers events to webhooks: to each its own, in order, until it has accepted them.

One process at a time delivers, as a lease in the database says. A delivery that was accepted, but
could not be recorded any more, is repeated.
"""

import base64
import hmac
import logging
import secrets
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic, sleep
from typing import NoReturn

from landform.service.call import Service
from landform.service.events import dump_event, public_urls
from landform.service.json_codec import JsonObject, dumps
from landform.service.webhooks import outcomes
from landform.service.webhooks.sending import Answer, send
from landform.storage import webhooks
from landform.storage.errors import StorageError
from landform.storage.pages import scheduling
from landform.storage.rows import Row

log = logging.getLogger("landform")
# In seconds: how often the database is looked at where no commit of this process is the reason, and
# while attempts are under way; how soon after a failure, and how long commits are gathered.
LOOK, ROUND, TROUBLE, GATHER = 1.0, 0.5, 10.0, 0.1
# How many webhooks are sent to at the same time, and how many of them may be slow ones.
MOST_AT_ONCE, MOST_SLOW = 8, 4
DIED, UNREADABLE = "The attempt ended with {}.", "The secret of the webhook is damaged."


class Deliverer:
    """Delivers the events of a service. `first_wait`: the seconds of the first wait."""

    def __init__(self, service: Service, *, first_wait: float = outcomes.FIRST_WAIT) -> None:
        self._service, self._store, self._first_wait = service, service.store, first_wait
        self._holder = secrets.token_hex(8)
        # The webhooks that are sent to, and whether each is a slow one; what came of attempts.
        self._busy = dict[int, bool]()
        self._answers = SimpleQueue[tuple[Row, Row, Answer]]()
        # By time.monotonic: the last attempt of each webhook, when the lease was renewed, and from
        # when on due pages are published and the places of webhooks are stored.
        self._tried = dict[int, float]()
        self._renewed = self._publish_from = self._move_from = 0.0

    def run(self) -> NoReturn:
        """Deliver for ever, woken by the commits of this process."""
        woken = Event()
        self._store.on_commit(lambda event: woken.set())
        while True:
            woken.clear()
            pause: float | None = None
            try:
                pause = self.deliver()
            except Exception:
                log.exception("Webhooks could not be delivered; it is tried again.")
                sleep(TROUBLE)
            woken.wait(LOOK if pause is None else min(pause, LOOK))
            # Many commits are looked at together, which leaves the interpreter to their writers.
            sleep(GATHER)

    def deliver(self) -> float | None:
        """Deliver what can be delivered now, and publish due pages.

        Returns in how many seconds the next attempt is due; None where none is. Where another
        process delivers, that is soon.
        """
        with self._store.connection():
            self._publish()
            while (due := self._due()) or self._busy:
                if not self._has_lease():
                    return LOOK
                for webhook, event in due:
                    self._begin(webhook, event)
                if self._busy:
                    with suppress(Empty):
                        self._settle(*self._answers.get(timeout=ROUND))
                self._publish()
            if self._renewed:
                self._renewed = 0.0
                webhooks.end_lease(self._store, self._holder)
            rows = webhooks.list_ready(self._store)
        now = self._store.clock.seconds()
        waits = [outcomes.seconds_to_wait(row, now) for row in rows if row["failures"]]
        return min(waits, default=None)

    def _publish(self) -> None:
        """Publish due pages; where that fails, deliveries go on."""
        if monotonic() < self._publish_from:
            return
        try:
            scheduling.publish_due_pages(self._store)
        except StorageError as error:
            self._publish_from = monotonic() + TROUBLE
            log.warning("Pages that are due could not be stored; it is tried again: %s", error)

    def _has_lease(self) -> bool:
        """Return whether this process is the one that delivers, and say from time to time so."""
        if self._renewed and monotonic() < self._renewed + webhooks.LEASE / 3:
            return True
        began = monotonic()
        if webhooks.lease(self._store, self._holder):
            self._renewed = began
            return True
        # Who lost the lease while it was sending has no say about what came of it.
        self._renewed, self._busy, self._answers = 0.0, {}, SimpleQueue()
        return False

    def _due(self) -> list[tuple[Row, Row]]:
        """Return the webhooks to send to now, each with its next event, those first that wait."""
        now, due, passed_over = self._store.clock.seconds(), list[tuple[Row, Row]](), []
        slow_slots = MOST_SLOW - sum(self._busy.values())
        rows = webhooks.list_ready(self._store)
        for webhook in sorted(rows, key=lambda row: self._tried.get(row["id"], 0.0)):
            if webhook["damaged"]:
                self._switch_off(webhook)
            elif webhook["id"] in self._busy or outcomes.seconds_to_wait(webhook, now):
                continue
            elif len(due) + len(self._busy) < MOST_AT_ONCE and (
                slow_slots or not outcomes.is_slow(webhook)
            ):
                event, cursor = webhooks.next_event(self._store, webhook)
                if event:
                    due.append((webhook, event))
                    slow_slots -= outcomes.is_slow(webhook)
                elif cursor > webhook["cursor"]:
                    passed_over.append((webhook, cursor))
        if passed_over and monotonic() >= self._move_from:
            self._move_from = monotonic() + LOOK
            webhooks.move_on(self._store, passed_over)
        return due

    def _begin(self, webhook: Row, event: Row) -> None:
        """Begin an attempt in a thread of its own."""
        number = webhook["id"]
        self._tried[number] = monotonic()
        if not dump_event(event, public_urls(self._service)):
            webhooks.settle(self._store, webhook, outcomes.set_aside(webhook, event["id"]))
            return
        try:
            request = self._request(webhook, event)
        except ValueError:
            self._settle(webhook, event, Answer(0, UNREADABLE))
            return
        answers = self._answers

        def attempt() -> None:
            answer = Answer(0, "")
            try:
                answer = send(*request)
            except BaseException as error:
                answer = Answer(0, DIED.format(type(error).__name__))
            finally:
                answers.put((webhook, event, answer))

        Thread(target=attempt, daemon=True).start()
        self._busy[number] = outcomes.is_slow(webhook)

    def test(self, webhook: Row) -> JsonObject:
        """Send an event of the type `test` to a webhook, and return what came of it."""
        now = self._store.clock.now().utc
        event = {"id": 0, "type": "test", "created_utc": now, "data": '{"resource":"webhook"}'}
        # Receivers ignore ids that they have seen.
        event["message"] = f"test_{secrets.token_hex(8)}"
        return self._entry(event, send(*self._request(webhook, event)))

    def _request(self, webhook: Row, event: Row) -> tuple[str, dict[str, str], bytes, bool]:
        """Return what `send` takes to deliver an event to a webhook."""
        body = dumps(dump_event(event, public_urls(self._service)))
        message = f"evt_{str(self._store.identity)[:12]}_{event.get('message', event['id'])}"
        now = self._store.clock.seconds()
        keys = [webhook["secret"], *webhooks.previous_secrets(webhook, now)]
        headers = {"Content-Type": "application/json", "User-Agent": "landform"}
        headers |= sign(keys, message, int(now), body)
        return webhook["url"], headers, body, self._service.options.webhook_private

    def _settle(self, webhook: Row, event: Row, answer: Answer) -> None:
        """Store what came of an attempt."""
        self._busy.pop(webhook["id"], None)
        attempt, now = self._entry(event, answer), self._store.clock.seconds()
        changes = outcomes.changes_after(webhook, attempt, answer, now, self._first_wait)
        is_settled = webhooks.settle(self._store, webhook, changes)
        if is_settled and not changes.get("active", True):
            log.warning("Webhook %d was switched off: %s", webhook["id"], changes["reason"])

    def _switch_off(self, webhook: Row) -> None:
        """Switch off a webhook with columns that cannot be read."""
        webhooks.switch_off_damaged(self._store, webhook)
        damaged = ", ".join(webhook["damaged"])
        log.error("Webhook %d was switched off: its %s are damaged.", webhook["id"], damaged)

    def _entry(self, event: Row, answer: Answer) -> JsonObject:
        """Return what is remembered of an attempt."""
        told = {"event": event["id"], "time": f"{self._store.clock.now().utc}Z"}
        of = answer.milliseconds, answer.text
        return {**told, "status": answer.status, "milliseconds": of[0], "response": of[1]}


def sign(keys: list[str], message: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of Standard Webhooks, with a signature for each key."""
    signed = f"{message}.{timestamp}.".encode() + body
    secret = (base64.b64decode(key.removeprefix("whsec_")) for key in keys)
    digests = (base64.b64encode(hmac.digest(one, signed, "sha256")).decode() for one in secret)
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{digest}" for digest in digests),
    }
