"""Delivers events to webhooks: to each its own, in order, until it has accepted them.

One process at a time delivers, as a lease in the database says. A delivery that was accepted, but
could not be recorded any more, is repeated.
"""

import base64
import hmac
import logging
import random
import secrets
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import sleep, time
from typing import Any, NoReturn

from landform.service.call import Service
from landform.service.events import dump_event, public_urls
from landform.service.json_codec import JsonObject, dumps
from landform.service.webhooks.sending import Answer, send
from landform.storage import webhooks
from landform.storage.pages import scheduling
from landform.storage.rows import Row

log = logging.getLogger("landform")
# In seconds: the first wait after a failure, which doubles, the longest one, and how long failures
# are put up with.
FIRST_WAIT, LONGEST_WAIT, PATIENCE = 1.0, 6 * 3600.0, 75 * 3600.0
# After so many responses with one of these an event is set aside; so many attempts are remembered.
REFUSALS, MOST_REFUSALS, REMEMBERED = (400, 422), 5, 20
# How many events that were set aside are known, the last ones.
MOST_SET_ASIDE = 1000
# In seconds: how often the database is looked at where no commit of this process is the reason, how
# soon after a failure, and how long commits are gathered.
LOOK, TROUBLE, GATHER = 1.0, 10.0, 0.1
# How many webhooks are sent to at the same time.
MOST_AT_ONCE = 8
GONE = "The receiver answered 410: it is not there any more."
FAILING = "Nothing was accepted for 75 hours; the last attempt: {} {}"


class Deliverer:
    """Delivers the events of a service. `first_wait`: the seconds of the first wait."""

    def __init__(self, service: Service, *, first_wait: float = FIRST_WAIT) -> None:
        self._service, self._store, self._first_wait = service, service.store, first_wait
        self._holder = secrets.token_hex(8)

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
        busy, sent = set[int](), SimpleQueue[tuple[Row, Row, Answer]]()
        renewed = 0.0

        def attempt(webhook: Row, event: Row, *request: Any) -> None:
            sent.put((webhook, event, send(*request)))

        with self._store.connection():
            scheduling.collection_state(self._store)
            while (due := self._due(busy)) or busy:
                # Who lost the lease while it was sending has no say about what came of it.
                if time() > renewed + webhooks.LEASE / 3:
                    renewed = time()
                    if not webhooks.lease(self._store, self._holder):
                        return LOOK
                for webhook, event in due[: MOST_AT_ONCE - len(busy)]:
                    of = webhook, event, *self._request(webhook, event)
                    Thread(target=attempt, args=of, daemon=True).start()
                    busy.add(webhook["id"])
                with suppress(Empty):
                    webhook, event, answer = sent.get(timeout=webhooks.LEASE / 3)
                    busy.remove(webhook["id"])
                    self._settle(webhook, event, answer)
            if renewed:
                webhooks.end_lease(self._store, self._holder)
            rows = webhooks.list_all(self._store)
        waits = [row["next_try"] - time() for row in rows if row["active"] and row["failures"]]
        return max(0.0, min(waits)) if waits else None

    def test(self, webhook: Row) -> JsonObject:
        """Send an event of the type `test` to a webhook, and return what came of it."""
        now = self._store.clock.now().utc
        event = {"id": 0, "type": "test", "created_utc": now, "data": '{"resource":"webhook"}'}
        return self._entry(event, send(*self._request(webhook, event)))

    def _due(self, busy: set[int]) -> list[tuple[Row, Row]]:
        """Return the webhooks to send to now, but for the busy ones, each with its next event."""
        now, found = time(), []
        for webhook in webhooks.list_all(self._store):
            # Longer than the longest wait is that of a clock that was ahead.
            is_due = not now < webhook["next_try"] <= now + LONGEST_WAIT
            if webhook["active"] and is_due and webhook["id"] not in busy:
                event = webhooks.next_event(self._store, webhook)
                found += [(webhook, event)] if event else []
        # Where there are more than can be sent to at once, each has its turn.
        random.shuffle(found)
        return found

    def _request(self, webhook: Row, event: Row) -> tuple[str, dict[str, str], bytes, bool]:
        """Return what `send` takes to deliver an event to a webhook."""
        body = dumps(dump_event(event, public_urls(self._service)))
        message = f"evt_{str(self._store.identity)[:12]}_{event['id']}"
        keys = [webhook["secret"]]
        keys += [webhook["previous_secret"]] * (time() < webhook["previous_until"])
        headers = {"Content-Type": "application/json", "User-Agent": "landform"}
        headers |= sign(keys, message, int(time()), body)
        return webhook["url"], headers, body, self._service.options.webhook_private

    def _settle(self, webhook: Row, event: Row, answer: Answer) -> None:
        changes = self._changes(webhook, event, answer)
        webhooks.settle(self._store, webhook, changes)
        if not changes.get("active", True):
            log.warning("Webhook %d was switched off: %s", webhook["id"], changes["reason"])

    def _changes(self, webhook: Row, event: Row, answer: Answer) -> Row:
        """Return what an attempt changes of a webhook."""
        now, number, status = time(), event["id"], answer.status
        tried = [self._entry(event, answer), *webhook["deliveries"]][:REMEMBERED]
        done: Row = {"cursor": number}
        if number in webhook["resend"]:
            done = {"resend": [one for one in webhook["resend"] if one != number]}
        done |= {"failures": 0, "next_try": 0.0}
        if 200 <= status < 300:
            told = {"delivered": webhook["delivered"] + 1, "deliveries": tried}
            return {**done, **told, "failing_since": None}
        since = webhook["failing_since"] or now
        failed = {"failed": webhook["failed"] + 1, "deliveries": tried, "failing_since": since}
        if status == 410 or now - since > PATIENCE:
            reason = FAILING.format(status or "", answer.text)
            return {**failed, "active": False, "reason": GONE if status == 410 else reason}
        refused = [one for one in tried if one["event"] == number and one["status"] in REFUSALS]
        if status in REFUSALS and len(refused) >= MOST_REFUSALS:
            aside = [*webhook["set_aside"], number][-MOST_SET_ASIDE:]
            return {**failed, **done, "set_aside": aside}
        pause = self._first_wait * 2 ** min(webhook["failures"], 30)
        pause *= random.uniform(0.5, 1)  # noqa: S311 # nosec B311
        if status in (429, 503):
            pause = max(pause, answer.retry_after)
        again = {"failures": webhook["failures"] + 1, "next_try": now + min(pause, LONGEST_WAIT)}
        return {**failed, **again}

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
