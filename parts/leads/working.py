"""The work on the queue: runs of feeds for entries, each until it succeeds or fails for good.

An attempt runs in a thread, outside of any transaction. If the process is killed, the run is due
again when its lease is over, and its key is the same: a receiver ignores a key that it knows.
"""

import json
import logging
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any

from landform.parts.errors import PartError
from landform.parts.leads.addons import Addon, AddonError
from landform.parts.leads.models import ACTIVE
from landform.parts.leads.retention import Retention
from landform.parts.leads.storage import entries, forms
from landform.parts.run_queue import RunQueue, find_run_queue, run_key
from landform.parts.threads import start_thread
from landform.service.pipeline.call import Service
from landform.service.pipeline.json_codec import JsonObject
from landform.storage import feeds
from landform.storage.errors import NotFound, StorageError
from landform.storage.rows import Row

log = logging.getLogger("landform")
# In seconds: how long a claim lasts, which is longer than an attempt may take, also of a mail that
# its server checks for ten minutes; for how long an attempt has a place; the first pause after a
# failure, which doubles, and the longest; how long to wait for the end of an attempt, and until the
# next try to store it.
LEASE, LONGEST_PLACE, FIRST_WAIT, LONGEST_WAIT = 900, 120, 1.0, 6 * 3600.0
RUNNING_INTERVAL, STORING_INTERVAL = 0.05, 1.0
# After so many attempts, with pauses of 75 hours in all, a failure is final.
MOST_ATTEMPTS = 28
# How many attempts run at the same time, and how many of them for the same feed.
MOST_AT_ONCE, MOST_OF_A_FEED = 12, 4
# The run, and which attempt it is.
Attempt = tuple[int, int]
LONGEST_MESSAGE = 500
# How many threads a process may have for attempts: only their end frees those that hang.
THREADS, MOST_THREADS = "landform-addon", 100
TOO_MANY = "Too many add-ons hang."
IN_TRASH = "The form is in the trash."
UNEXPECTED = "The add-on has a fault, which is in the log of the service."


def make_worker(
    service: Service, addons: Callable[[], Mapping[str, Addon]], entry_days: int, **times: Any
) -> Callable[[], float | None]:
    """Return the work of a service: its queue, where there is one, and its old entries.

    `addons` returns the add-ons by their slugs; `times`: those of `Worker`.
    """
    retention, queue = Retention(service.store, entry_days), find_run_queue()
    if queue is None:
        return retention.work
    worker = Worker(service, addons, queue, **times)

    def work() -> float | None:
        pause, is_deleting = worker.work(), retention.work() == 0
        return 0.0 if is_deleting and not service.stopping.is_set() else pause

    return work


class NothingToRun(AddonError):
    """The feed or the entry of a run is deleted, or the entry is not active any more."""


class Worker:
    """Runs the feeds of a service whose add-ons it has.

    `addons` returns these by their slugs: a host may add some. `lease` and `first_wait`: in
    seconds, how long a claim lasts, and the first pause.
    """

    def __init__(
        self,
        service: Service,
        addons: Callable[[], Mapping[str, Addon]],
        queue: RunQueue,
        *,
        lease: int = LEASE,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self._store, self._addons, self._queue = service.store, addons, queue
        self._stopping = service.stopping
        self._lease, self._first_wait = lease, first_wait
        # The feed of each running attempt, and when it began, by time.monotonic; those that ended.
        self._running = dict[Attempt, tuple[int, float]]()
        self._ended = SimpleQueue[Attempt]()

    def work(self) -> float | None:
        """Begin the attempts that are due, and wait a little for the end of one.

        Returns the seconds until the next one: 0 while some are running, None without any.
        """
        self._collect_ended()
        with self._store.connection():
            busy = self._busy_feeds()
            pause = None
            if not self._stopping.is_set():
                pause = self._queue.seconds_until_due(self._store, self._addons(), busy)
            if pause == 0.0 and self._free_places() > 0:
                # In one commit.
                for run in self._store.write_queue.run(self._claim):
                    self._start(run)
        if self._free_places() == MOST_AT_ONCE:
            return pause
        self._collect_ended(RUNNING_INTERVAL)
        return 0.0

    def _collect_ended(self, wait: float = 0.0) -> None:
        """Forget the attempts that have ended; wait so many seconds for one."""
        with suppress(Empty):
            while True:
                self._running.pop(self._ended.get(block=wait > 0, timeout=wait))
                wait = 0.0

    def _start(self, run: Row) -> None:
        attempt = run["id"], run["attempt"]
        if start_thread(THREADS, MOST_THREADS, partial(self._run, attempt, run)):
            self._running[attempt] = run["feed_id"], monotonic()
        else:
            self._end(run, AddonError(TOO_MANY))

    def _claim(self) -> list[Row]:
        """Claim as many runs as may begin now."""
        runs = list[Row]()
        while len(runs) < self._free_places():
            busy = self._busy_feeds(runs)
            run = self._queue.claim_due(self._store, self._addons(), self._lease, busy)
            if run is None:
                break
            runs.append(run)
        return runs

    def _free_places(self) -> int:
        """Return how many attempts may begin; one that takes long holds up its feed only."""
        oldest = monotonic() - min(self._lease, LONGEST_PLACE)
        return MOST_AT_ONCE - sum(began > oldest for _, began in self._running.values())

    def _busy_feeds(self, claimed: Iterable[Row] = ()) -> list[int]:
        """Return the feeds with as many attempts as they may have, claimed ones included."""
        counts = Counter(feed_id for feed_id, _ in self._running.values())
        counts.update(run["feed_id"] for run in claimed)
        return [feed_id for feed_id, count in counts.items() if count >= MOST_OF_A_FEED]

    def _run(self, attempt: Attempt, run: Row) -> None:
        """Run a feed, and end its run."""
        try:
            self._store_end(run, self._error_of(run))
        except StorageError as problem:
            log.warning("The end of run %d could not be stored: %s", run["id"], problem)
        finally:
            self._ended.put(attempt)

    def _store_end(self, run: Row, error: AddonError | None) -> None:
        """End a run; while the database cannot store that, try it again until the lease is over.

        Afterwards the run would be repeated, though it may have succeeded.
        """
        until = monotonic() + self._lease
        while True:
            try:
                with self._store.connection():
                    return self._end(run, error)
            except StorageError:
                if monotonic() > until:
                    raise
            sleep(STORING_INTERVAL)

    def _error_of(self, run: Row) -> AddonError | None:
        """Run a feed, and return its error. The text of an unexpected one may have secrets."""
        try:
            with self._store.connection():
                addon, meta, entry, form, key = self._arguments(run)
            try:
                addon(meta, entry, form, key)
            except AddonError as error:
                return _storable(error)
        except AddonError as error:
            return error
        except BaseException as error:
            name, frames = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
            log.error("The add-on of feed %d ended with %s:\n%s", run["feed_id"], name, frames)
            return AddonError(UNEXPECTED)
        return None

    def _arguments(self, run: Row) -> tuple[Addon, JsonObject, JsonObject, JsonObject, str]:
        """Return the add-on of a run and its arguments; raises `NothingToRun`."""
        try:
            feed = feeds.get(self._store, run["feed_id"])
            entry = entries.get_entry(self._store, int(run["entry_id"]))
            form = forms.get_form(self._store, run["form_id"])
        except (NotFound, PartError) as error:
            raise NothingToRun("") from error
        if entry["status"] != ACTIVE:
            raise NothingToRun("")
        if form["is_trash"] == "1":
            raise AddonError(IN_TRASH, retryable=False)
        key = run_key(self._store, feed["id"], run["entry_id"])
        return self._addons()[feed["addon_slug"]], json.loads(feed["meta"]), entry, form, key

    def _end(self, run: Row, error: AddonError | None) -> None:
        if error is None:
            return self._queue.end(self._store, run, RunQueue.SUCCESS)
        if isinstance(error, NothingToRun):
            return self._queue.withdraw(self._store, run)
        pause = None
        if error.retryable and run["attempt"] < MOST_ATTEMPTS:
            pause = self._first_wait * 2 ** (run["attempt"] - 1)
            pause *= random.uniform(0.9, 1)  # noqa: S311 # nosec B311
            pause = min(max(pause, error.retry_after), LONGEST_WAIT)
        else:
            log.warning("Feed %d has failed for entry %s.", run["feed_id"], run["entry_id"])
        return self._queue.end(self._store, run, RunQueue.FAILED, str(error), pause)


def _storable(error: AddonError) -> AddonError:
    """Return an error of an add-on as it can be stored, whatever its text and numbers are."""
    text = "".join(char if char.isprintable() else " " for char in str(error))
    pause = float(error.retry_after)
    return AddonError(text[:LONGEST_MESSAGE], retryable=bool(error.retryable), retry_after=pause)
