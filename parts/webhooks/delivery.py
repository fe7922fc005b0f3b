"""Delivery of events to webhooks, in order, until the receiver accepts them.

A lease in the database lets one process at a time deliver. A delivery that was accepted but could
not be recorded is repeated.
"""

import logging
import secrets
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

from landform.parts.http_client import Result
from landform.parts.webhooks import outcomes, storage
from landform.parts.webhooks.sending import make_record, send_event
from landform.service.events import dump_event, public_urls
from landform.service.pipeline.call import Service
from landform.storage.rows import Row

log = logging.getLogger("landform")
# In seconds: the pause without the lease and between writes of cursors; the wait for a result.
CHECK_INTERVAL, RUNNING_INTERVAL = 1.0, 0.5
# How many attempts run at the same time, and how many of them to slow webhooks.
MOST_AT_ONCE, MOST_SLOW = 8, 4
DAMAGED = "The database holds no list of its {}: send them again, and active."


class Deliverer:
    """Delivers the events of a service; with `private` to addresses that are not public too."""

    def __init__(self, service: Service, *, private: bool) -> None:
        self._service, self._store, self._private = service, service.store, private
        self._holder = secrets.token_hex(8)
        # The webhooks with a running attempt, and whether each is slow; the results of attempts.
        self._running = dict[int, bool]()
        self._results = SimpleQueue[tuple[Row, int, Result]]()
        # By time.monotonic: the last attempt of each webhook, the last renewal of the lease, and
        # when the cursors of webhooks may be stored again.
        self._last_attempts = dict[int, float]()
        self._renewed = self._move_from = 0.0

    def deliver(self) -> float | None:
        """Begin the attempts that are due, and store the result of one.

        Returns the seconds until the next attempt: 0 while there are more, None without any.
        """
        with self._store.connection():
            due, pause = self._due()
            if due or self._running:
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
            return pause

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

    def _due(self) -> tuple[list[tuple[Row, Row]], float | None]:
        """Return the due webhooks, the longest waiting first, with their next events.

        Beside them, in how many seconds the next retry is due; None without any.
        """
        if self._service.stopping.is_set():
            return [], None
        due, skipped, waits = list[tuple[Row, Row]](), list[tuple[Row, int]](), list[float]()
        now = self._store.clock.seconds()
        slow_slots, rows = MOST_SLOW - sum(self._running.values()), storage.list_ready(self._store)
        for webhook in sorted(rows, key=lambda row: self._last_attempts.get(row["id"], 0.0)):
            is_slow = outcomes.is_slow(webhook)
            has_slot = len(due) + len(self._running) < MOST_AT_ONCE and (slow_slots or not is_slow)
            if webhook["damaged"]:
                self._switch_off(webhook)
            elif wait := outcomes.seconds_to_wait(webhook, now):
                waits.append(wait)
            elif has_slot and webhook["id"] not in self._running:
                event, cursor = storage.next_event(self._store, webhook)
                if event:
                    due.append((webhook, event))
                    slow_slots -= is_slow
                elif cursor > webhook["cursor"]:
                    skipped.append((webhook, cursor))
        if skipped and monotonic() >= self._move_from:
            self._move_from = monotonic() + CHECK_INTERVAL
            with self._store.transaction():
                for webhook, cursor in skipped:
                    storage.settle(self._store, webhook, {"cursor": cursor})
        return due, min(waits, default=None)

    def _begin(self, webhook: Row, row: Row) -> None:
        """Start an attempt in a new thread; an event that is damaged is set aside."""
        self._last_attempts[webhook["id"]] = monotonic()
        event, results = dump_event(row, public_urls(self._service)), self._results
        if event is None:
            storage.settle(self._store, webhook, outcomes.set_aside(webhook, row["id"]))
            return

        def attempt() -> None:
            result = send_event(self._service, webhook, event, private=self._private)
            results.put((webhook, row["id"], result))

        Thread(target=attempt, daemon=True).start()
        self._running[webhook["id"]] = outcomes.is_slow(webhook)

    def _settle(self, webhook: Row, event_id: int, result: Result) -> None:
        """Store the result of an attempt."""
        del self._running[webhook["id"]]
        now = self._store.clock.seconds()
        changes = outcomes.changes_after(webhook, event_id, result, now)
        record = make_record(event_id, self._store.clock.now().utc, result)
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
