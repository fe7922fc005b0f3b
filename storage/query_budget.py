"""How long the database may work for one list, and that only one list at a time takes long.

Whoever searches decides what it costs. A list that searches or filters has one deadline for all of
its statements together. Beyond a small share of it a list needs the permit that each process has
once for a store: expensive lists leave all threads but one to the others.
"""

from threading import Lock
from time import perf_counter

# How many seconds a list may take without the permit.
SHARE = 0.1


class Deadline:
    """When one list, which begins now, is given up. Belongs to one thread."""

    def __init__(self, seconds: float, permit: Lock) -> None:
        now = perf_counter()
        self._ends, self._free_until = now + seconds, now + min(seconds, SHARE)
        self._permit = permit
        self._has_permit = self.is_refused = False

    def is_over(self) -> bool:
        """Return whether to give up. Cheap: called again and again in the thread that works."""
        if perf_counter() >= self._free_until and self.left() <= 0:
            self.is_refused = True
        return self.is_refused

    def left(self) -> float:
        """Take the permit if it is free, and return how many seconds there are left."""
        if not self._has_permit and self._permit.acquire(blocking=False):
            self._has_permit, self._free_until = True, self._ends
        return self._free_until - perf_counter()

    def close(self) -> None:
        """Release the permit."""
        if self._has_permit:
            self._permit.release()
