"""Locks that a fork does not break."""

import os
from collections.abc import Callable
from threading import Lock, RLock
from typing import Any


class ProcessLock:
    """A lock of which each process has its own.

    A fork copies a lock as it is. One that another thread holds at that moment would never be
    released in the new process, which has no other thread.
    """

    __slots__ = ("_locks", "_make")

    def __init__(self, make: Callable[[], Any] = Lock) -> None:
        self._make = make
        self._locks: dict[int, Any] = {}

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire it, as `threading.Lock` does."""
        return bool(self._own().acquire(blocking, timeout))

    def release(self) -> None:
        """Release it."""
        self._own().release()

    def locked(self) -> bool:
        """Return whether a thread of this process holds it."""
        return bool(self._own().locked())

    def __enter__(self) -> None:
        self._own().acquire()

    def __exit__(self, *error: object) -> None:
        self._own().release()

    def _own(self) -> Any:
        process = os.getpid()
        # Of two threads that come at once both get the same.
        return self._locks.get(process) or self._locks.setdefault(process, self._make())


def reentrant_lock() -> ProcessLock:
    """Return one that the thread which holds it may acquire again."""
    return ProcessLock(RLock)
