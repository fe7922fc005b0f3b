"""How long the database may work for one list, and that only one list at a time takes long.

Whoever searches decides what it costs. A list has a budget of time for all of its statements
together. Beyond a small share of it a list needs the lock for long queries, of which a store has
one in each process: expensive lists never occupy more than one thread for longer than that share.
"""

from threading import Lock
from time import perf_counter, thread_time

from landform.storage.errors import SearchBusy, StorageError, TooExpensive

# The bounds of a search timeout, in seconds.
LEAST, MOST = 0.01, 60
# Seconds of work that a list may take without the lock; where the lock has been held for long, so
# that more lists are likely to need it, it is less. For the answer of a server, whose work is not
# seen from here, a list waits twice as long.
SHARE, LONG, SHARE_BEHIND_LONG = 0.1, 0.25, 0.01


class LongQueryLock:
    """The right to take long, which one list has at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._since = 0.0

    def try_acquire(self) -> bool:
        """Acquire it unless another list holds it; return whether that was so."""
        acquired = self._lock.acquire(blocking=False)
        if acquired:
            self._since = perf_counter()
        return acquired

    def release(self) -> None:
        """Let another list acquire it."""
        self._lock.release()

    @property
    def share(self) -> float:
        """How many seconds of work a list without it may take now."""
        long = self._lock.locked() and perf_counter() - self._since > LONG
        return SHARE_BEHIND_LONG if long else SHARE


class Budget:
    """The time that one list may take from now on, in seconds. Belongs to one thread."""

    def __init__(self, seconds: float, lock: LongQueryLock) -> None:
        self._began, self._worked = perf_counter(), thread_time()
        self._deadline = self._began + seconds
        # Until then there is nothing that could be spent.
        self._free_until = min(self._deadline, self._began + SHARE_BEHIND_LONG)
        self._lock = lock
        self._has_lock = False
        # Why the list was given up. No instance, which would lead back here by its traceback.
        self.refusal: type[StorageError] | None = None

    def acquire_lock(self) -> bool:
        """Acquire the lock for long queries if it is free; return whether this list holds it."""
        if not self._has_lock and self._lock.try_acquire():
            self._has_lock, self._free_until = True, self._deadline
        return self._has_lock

    def is_spent(self) -> bool:
        """Return whether to give up. Cheap: called again and again in the thread that works.

        Until the deadline only work counts: on a busy machine a list may wait for a processor.
        """
        now = perf_counter()
        if now < self._free_until:
            return False
        if self.refusal is None and (now >= self._deadline or self._is_beyond_share()):
            self.overrun()
        return self.refusal is not None

    def overrun(self) -> None:
        """Go beyond the share, with the lock only; beyond the deadline not at all."""
        if perf_counter() >= self._deadline:
            self.refusal = TooExpensive
        elif not self.acquire_lock():
            self.refusal = SearchBusy

    def left(self) -> float:
        """Return how many seconds the next statement may take."""
        now = perf_counter()
        if self._has_lock:
            return self._deadline - now
        return min(self._deadline, self._began + 2 * self._lock.share) - now

    def close(self) -> None:
        """Release the lock."""
        if self._has_lock:
            self._has_lock = False
            self._lock.release()

    def _is_beyond_share(self) -> bool:
        return not self._has_lock and thread_time() - self._worked >= self._lock.share
