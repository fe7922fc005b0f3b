"""The queue of writes, in which writes that wait at the same time share one commit.

A commit waits for the disk, and a shared one waits no longer than one of a single write.

Once a commit is certain, listeners are notified of its events: not of those that were rolled back,
nor of those with an unknown outcome. A process notifies its own listeners of the events of its own
writes (see `events.py`).
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar, cast

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import Busy, Unavailable

log = logging.getLogger("landform")
INTERRUPTED = "The write was interrupted."
T = TypeVar("T")
# Takes an event as a row, see `storage.events.write`.
Listener = Callable[[Any], None]


@dataclass(eq=False)
class _Job:
    """A function to run in a transaction, with its result or its error."""

    run: Callable[[], object]
    result: object = None
    error: BaseException | None = None
    is_complete: bool = False


class WriteQueue:
    """A queue for the writes of all threads of a process to a database."""

    def __init__(self, database: EngineDatabase, listeners: list[Listener]) -> None:
        self._database = database
        self._waiting: deque[_Job] = deque()
        self._lock = Lock()
        self._listeners = listeners
        # The events of the open transaction, and committed ones that listeners do not have yet.
        self._pending = list[Any]()
        self._committed = deque[Any]()
        self._notifying = Lock()

    @contextmanager
    def transaction(self) -> Iterator[EngineDatabase]:
        """Run a transaction: all of it is written, or nothing.

        Inside another one it is a part of that, and can be undone without it.
        """
        is_part = self._database.in_transaction()
        with nullcontext() if is_part else self._lock, self._atomic():
            yield self._database
        if not is_part:
            self._notify()

    def run(self, work: Callable[[], T], wait: float | None = None) -> T:
        """Run a function in a transaction, and return its result once that is committed.

        Your function may run in another thread, on the connection of that thread. With `wait` it
        runs in this one, alone in its transaction, and raises `Busy` if another thread, or then
        another process, writes for longer than so many seconds; the write itself may take longer.
        Inside a transaction it is a part of that, and cannot be undone without it.
        """
        if self._database.in_transaction():
            return work()
        job = _Job(work)
        if wait is None:
            self._waiting.append(job)
        if not self._lock.acquire(timeout=-1 if wait is None else wait):
            raise Busy
        try:
            # The thread before may have run the job along with its own.
            if wait is not None:
                self._run_all([job], wait)
            elif not job.is_complete:
                self._run_all([self._waiting.popleft() for _ in range(len(self._waiting))])
        finally:
            self._lock.release()
        self._notify()
        if job.error is not None:
            raise job.error
        return cast("T", job.result)

    def _run_all(self, jobs: list[_Job], wait: float | None = None) -> None:
        try:
            with self._atomic(wait):
                for job in jobs:
                    self._attempt(job, alone=len(jobs) == 1)
                    # Take jobs that have come meanwhile. This ends: a thread has one at most.
                    while wait is None and self._waiting:
                        jobs.append(self._waiting.popleft())
        except BaseException as error:
            for job in jobs:
                # An exception that ends this thread is not raised in others, whose writes are
                # undone too.
                reason = error if isinstance(error, Exception) else Unavailable(INTERRUPTED)
                job.error = job.error or reason
            if not isinstance(error, Exception):
                raise
        finally:
            for job in jobs:
                job.is_complete = True

    def _attempt(self, job: _Job, alone: bool) -> None:
        if alone:
            job.result = job.run()
            return
        job.error = Unavailable(INTERRUPTED)
        try:
            with self._atomic():
                job.result = job.run()
            job.error = None
        except Exception as error:
            job.error = error
            # On a full disk SQLite rolls back the whole transaction; so does a lost server.
            if not self._database.connection().in_transaction:
                raise

    @contextmanager
    def _atomic(self, wait: float | None = None) -> Iterator[None]:
        """Run a transaction, or a part of the open one that can be undone without it."""
        is_part = self._database.in_transaction()
        pending = self._pending = self._pending if is_part else []
        before = len(pending)
        try:
            with self._database.atomic(wait=wait):
                yield
        except BaseException:
            del pending[before:]
            raise
        if not is_part:
            self._database.is_out_of_room = False
            self._committed.extend(pending)

    def add_event(self, event: Any) -> None:
        """Add an event to the transaction that is open, if there are listeners."""
        if self._listeners:
            self._pending.append(event)

    def _notify(self) -> None:
        """Notify the listeners of each event, in the order of the commits.

        Only one thread does so at a time, which takes the events of the others too.
        """
        while self._committed and self._notifying.acquire(blocking=False):
            try:
                while self._committed:
                    event = self._committed.popleft()
                    for listener in self._listeners:
                        try:
                            listener(event)
                        except Exception:
                            log.exception("A listener of events failed.")
            finally:
                self._notifying.release()
