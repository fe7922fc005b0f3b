"""Reactions to events: once a commit is certain, listeners are notified of its events.

They are not notified of what is rolled back, nor of what has an unknown outcome. A process notifies
its own listeners of the events of its own writes (see `events.py`).
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any

log = logging.getLogger("landform")


# An event, `storage.events.Happened`.
Listener = Callable[[Any], None]


class Reactions:
    """The listeners of a store, and the events that they are to be notified of."""

    def __init__(self, listeners: list[Listener] | None = None) -> None:
        self.listeners = listeners or []
        # The events of the transaction that is open: one thread at a time is in one.
        self._pending = list[Any]()
        self._committed: deque[Sequence[Any]] = deque()
        self._notifying = Lock()

    def add(self, event: Any) -> None:
        """Add an event of the transaction that is open, if there are listeners."""
        if self.listeners:
            self._pending.append(event)

    @contextmanager
    def transaction(self, whole: AbstractContextManager[object]) -> Iterator[None]:
        """Run a transaction; once it is committed, what was added inside is queued for `notify`.

        Only one thread at a time may be in one, so that the order is that of the commits.
        """
        pending = self._pending = list[Any]()
        with whole:
            yield
        if pending:
            self._committed.append(pending)

    @contextmanager
    def savepoint(self, part: AbstractContextManager[object]) -> Iterator[None]:
        """Run a part of a transaction; if it is rolled back, so is what was added inside."""
        pending = self._pending
        before = len(pending)
        try:
            with part:
                yield
        except BaseException:
            del pending[before:]
            raise

    def notify(self) -> None:
        """Notify the listeners, one event after the other, in the order of the commits.

        While another thread does so, or a listener of this one writes, that one goes on with it.
        """
        while self._committed and self._notifying.acquire(blocking=False):
            try:
                while self._committed:
                    for event in self._committed.popleft():
                        self._notify(event)
            finally:
                self._notifying.release()

    def _notify(self, event: Any) -> None:
        for listener in self.listeners:
            try:
                listener(event)
            except Exception:
                log.exception("A reaction to an event failed.")
