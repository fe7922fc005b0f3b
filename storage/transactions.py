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
    """Something to do in a transaction, and what came of it."""

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
        self._reactions.notify()
        if mine.error is not None:
            raise mine.error
        return cast("T", mine.result)

    def try_run(self, work: Callable[[], T]) -> T:
        """Do the same in this thread, or raise an error that means `Busy` at once.

        "At once" is after `2 * TRY_SECONDS` at most, while another thread or process writes. What
        the database itself takes to write is not bounded by it.
        """
        if self._database.in_transaction():
            with self._savepoint():
                return work()
        if not self._lock.acquire(timeout=TRY_SECONDS):
            raise Busy("Another writer holds the database.")
        try:
            result = self._try(work)
        except Exception as error:
            if not self._database.recover(error):
                raise
            result = self._try(work)
        finally:
            self._lock.release()
        self._reactions.notify()
        return result

    def _try(self, work: Callable[[], T]) -> T:
        with self._transaction(wait=TRY_SECONDS):
            return work()

    def _run_all(self, works: list[_Job]) -> None:
        try:
            try:
                self._commit_batch(works)
            except Exception as error:
                if not self._database.recover(error):
                    raise
                self._commit_batch(works)
        except BaseException as error:
            for work in works:
                # What ends a thread is not for the others, but their writes are undone too.
                reason = error if isinstance(error, Exception) else Unavailable(INTERRUPTED)
                work.error = work.error or reason
            if not isinstance(error, Exception):
                raise
        finally:
            for work in works:
                work.done = True

    def _commit_batch(self, works: list[_Job]) -> None:
        with self._transaction():
            for work in works:
                self._attempt(work, alone=len(works) == 1)
                # What has come meanwhile. It ends: no thread has more than one.
                while self._waiting:
                    works.append(self._waiting.popleft())

    def _attempt(self, work: _Job, alone: bool) -> None:
        if alone:
            work.result = work.run()
            return
        work.error = Unavailable(INTERRUPTED)
        try:
            with self._savepoint():
                work.result = work.run()
            work.error = None
        except Exception as error:
            work.error = error
            # On a full disk SQLite gives up all of it by itself, whatever came before, and so
            # does a server that is gone.
            if not self._database.holds_transaction():
                raise

    def _transaction(self, **options: float) -> AbstractContextManager[object]:
        """Return a whole transaction, for the thread that holds the lock."""
        whole = self._database.atomic(**options)
        return self._reactions.transaction(whole) if self._reactions.listeners else whole

    def _savepoint(self) -> AbstractContextManager[object]:
        """Return a part of the transaction that is open, which is undone by itself."""
        part = self._database.atomic()
        return self._reactions.savepoint(part) if self._reactions.listeners else part
