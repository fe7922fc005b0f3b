"""Reactions to writes: once a commit is certain, listeners are notified of what was written.

They are not notified of a write that is rolled back, nor of one whose commit has an unknown
outcome. A process notifies its own listeners of its own writes of pages and feeds, among them the
publishing of due pages. Bulk operations notify nobody: after an import, a copy or a restored backup
the store has another generation instead, and `landform vacuum` changes no page
or feed.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from landform.storage.rows import Row

log = logging.getLogger("landform")


class Write(NamedTuple):
    """What was written to one row of a table, the `resource`.

    `changed`: the columns that have another value now, all of a new row, none of a deleted one.
    `version` is the row's own: the new one, or the last one of a row that was deleted.
    """

    resource: str
    id: int
    version: int
    changed: frozenset[str]
    is_deleted: bool = False


Listener = Callable[[Write], None]


class _Pending(threading.local):
    """The writes of the transaction that a thread is in."""

    def __init__(self) -> None:
        self.pending = list[Write]()


class Reactions:
    """The listeners of a store, and the writes that they are to be notified of."""

    def __init__(self, listeners: list[Listener] | None = None) -> None:
        self.listeners = listeners or []
        self._thread = _Pending()
        self._committed: deque[Sequence[Write]] = deque()
        self._notifying = threading.Lock()

    def record(self, resource: str, old: Row | None, new: Row | None) -> None:
        """Record a write of this thread's transaction, if there are listeners.

        `old`: what of the row was there before, None for a new one; `new`: None for a deleted one.
        """
        if not self.listeners:
            return
        before, after = old or {}, new or {}
        changed = (name for name in after if name not in before or before[name] != after[name])
        row = before | after
        write = Write(resource, row["id"], row["version"], frozenset(changed), new is None)
        self._thread.pending.append(write)

    @contextmanager
    def transaction(self, whole: AbstractContextManager[object]) -> Iterator[None]:
        """Run a transaction; once it is committed, what was recorded inside is queued for `notify`.

        Only one thread at a time may be in one, so that the order is that of the commits.
        """
        pending = self._thread.pending = list[Write]()
        with whole:
            yield
        if pending:
            self._committed.append(pending)

    @contextmanager
    def savepoint(self, part: AbstractContextManager[object]) -> Iterator[None]:
        """Run a part of a transaction; if it is rolled back, so is what was recorded inside."""
        pending = self._thread.pending
        before = len(pending)
        try:
            with part:
                yield
        except BaseException:
            del pending[before:]
            raise

    def notify(self) -> None:
        """Notify the listeners, one write after the other, in the order of the commits.

        While another thread does so, or a listener of this one writes, that one goes on with it.
        """
        while self._committed and self._notifying.acquire(blocking=False):
            try:
                while self._committed:
                    for write in self._committed.popleft():
                        self._notify(write)
            finally:
                self._notifying.release()

    def _notify(self, write: Write) -> None:
        for listener in self.listeners:
            try:
                listener(write)
            except Exception:
                log.exception("A reaction to a write failed.")
