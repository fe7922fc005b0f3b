"""The queue of writes: one after the other, and those that wait at the same time share one commit.

A commit waits for the disk, and several together wait no longer than one.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import TypeVar, cast

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import Busy, Unavailable
from landform.storage.reactions import Reactions

INTERRUPTED = "The write was interrupted."
# How long a write that is only tried waits for the other threads, and again for other processes.
TRY_SECONDS = 0.01
T = TypeVar("T")


class _Job:
    """Something to do in a transaction, and its outcome."""

    def __init__(self, run: Callable[[], object]) -> None:
        self.run = run
        self.result: object = None
        self.error: BaseException | None = None
        self.done = False


class WriteQueue:
    """Takes the writes of all threads of a process to a database."""

    def __init__(self, database: EngineDatabase, reactions: Reactions) -> None:
        self._database = database
        self._reactions = reactions
        self._waiting: deque[_Job] = deque()
        self._lock = Lock()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing. Inside another one it is a part of that, undone by itself."""
        if self._database.in_transaction():
            with self._savepoint():
                yield
            return
        with self._lock, self._transaction():
            yield
        self._reactions.notify()

    def run(self, work: Callable[[], T]) -> T:
        """Do something in a transaction and return what it returns, once it is committed.

        It may happen in another thread, on that one's connection.
        """
        if self._database.in_transaction():
            with self._savepoint():
                return work()
        mine = _Job(work)
        self._waiting.append(mine)
        with self._lock:
            # The thread before may have done it along with its own.
            if not mine.done:
                self._run_all([self._waiting.popleft() for _ in range(len(self._waiting))])
        return cast("T", self._outcome(mine))

    def try_run(self, work: Callable[[], T]) -> T:
        """Do the same in this thread and alone, or raise `Busy` at once.

        "At once" is after `2 * TRY_SECONDS` at most, while another thread or process writes. What
        the database itself takes to write is not bounded by it.
        """
        if self._database.in_transaction():
            with self._savepoint():
                return work()
        mine = _Job(work)
        if not self._lock.acquire(timeout=TRY_SECONDS):
            raise Busy("Another writer holds the database.")
        try:
            self._run_all([mine], TRY_SECONDS)
        finally:
            self._lock.release()
        return cast("T", self._outcome(mine))

    def _outcome(self, job: _Job) -> object:
        self._reactions.notify()
        if job.error is not None:
            raise job.error
        return job.result

    def _run_all(self, jobs: list[_Job], wait: float | None = None) -> None:
        try:
            self._commit(jobs, wait)
        except BaseException as error:
            for job in jobs:
                # What ends a thread is not for the others, but their writes are undone too.
                reason = error if isinstance(error, Exception) else Unavailable(INTERRUPTED)
                job.error = job.error or reason
            if not isinstance(error, Exception):
                raise
        finally:
            for job in jobs:
                job.done = True

    def _commit(self, jobs: list[_Job], wait: float | None) -> None:
        with self._transaction(wait):
            for job in jobs:
                self._attempt(job, alone=len(jobs) == 1)
                # What has come meanwhile. It ends: no thread has more than one.
                while wait is None and self._waiting:
                    jobs.append(self._waiting.popleft())

    def _attempt(self, job: _Job, alone: bool) -> None:
        if alone:
            job.result = job.run()
            return
        job.error = Unavailable(INTERRUPTED)
        try:
            with self._savepoint():
                job.result = job.run()
            job.error = None
        except Exception as error:
            job.error = error
            # On a full disk SQLite gives up all of it by itself, whatever came before, and so
            # does a server that is gone.
            if not self._database.connection().in_transaction:
                raise

    def _transaction(self, wait: float | None = None) -> AbstractContextManager[object]:
        """Return a whole transaction, for the thread that holds the lock."""
        whole = self._database.atomic(wait=wait)
        return self._reactions.transaction(whole) if self._reactions.listeners else whole

    def _savepoint(self) -> AbstractContextManager[object]:
        """Return a part of the transaction that is open, which is undone by itself."""
        part = self._database.atomic()
        return self._reactions.savepoint(part) if self._reactions.listeners else part
