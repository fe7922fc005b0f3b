"""Reactions to writes: once a commit is certain, listeners are told what was written.

A write that is undone is told to nobody, nor is one whose commit has an unknown outcome. A process
tells of its own writes only, and of pages and feeds, due pages that are published among them. What
writes many rows at once tells nothing: after an import, a copy or a restored backup the store has
another generation instead (see `identity.py`), and `landform vacuum` changes no page or feed.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from landform.storage.sql.rows import Row

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


def created(resource: str, row: Row) -> Write:
    """Return what is told of a new row."""
    return Write(resource, row["id"], row["version"], frozenset(row))


def updated(resource: str, old: Row, new: Row) -> Write:
    """Return what is told of a row that was changed."""
    changed = frozenset(
        name for name, value in new.items() if name not in old or old[name] != value
    )
    return Write(resource, new["id"], new["version"], changed)


def deleted(resource: str, row: Row) -> Write:
    """Return what is told of a row that was deleted."""
    return Write(resource, row["id"], row["version"], frozenset(), is_deleted=True)


class Reactions:
    """The listeners of a store, and the writes that they are still to be told."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self._thread = threading.local()
        self._committed: deque[Sequence[Write]] = deque()
        self._telling = threading.Lock()

    def record(self, write: Callable[..., Write], *what: object) -> None:
        """Note what this thread's transaction has written, where somebody listens.

        `write` returns that for the rest of the arguments.
        """
        if self.listeners:
            self._pending().append(write(*what))

    @contextmanager
    def transaction(self, whole: AbstractContextManager[object]) -> Iterator[None]:
        """Run a transaction; what was recorded inside is to be told once it is committed.

        For one thread after the other, so that the order is that of the commits.
        """
        pending = self._thread.pending = list[Write]()
        with whole:
            yield
        if pending:
            self._committed.append(pending)

    @contextmanager
    def savepoint(self, part: AbstractContextManager[object]) -> Iterator[None]:
        """Run a part of a transaction; what was recorded inside goes if it is undone."""
        pending = self._pending()
        before = len(pending)
        try:
            with part:
                yield
        except BaseException:
            del pending[before:]
            raise

    def tell(self) -> None:
        """Tell the listeners, one write after the other, in the order of the commits.

        While another thread does so, or a listener of this one, it is left to that.
        """
        while self._committed and self._telling.acquire(blocking=False):
            try:
                while self._committed:
                    for write in self._committed.popleft():
                        self._tell(write)
            finally:
                self._telling.release()

    def _tell(self, write: Write) -> None:
        for listener in self.listeners:
            try:
                listener(write)
            except Exception:
                log.exception("A reaction to a write failed.")

    def _pending(self) -> list[Write]:
        try:
            pending: list[Write] = self._thread.pending
        except AttributeError:
            pending = self._thread.pending = []
        return pending
