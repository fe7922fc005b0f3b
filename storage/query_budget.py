"""Time limits for lists: how long the database may work for each, and for one long list at a time.

A client decides how expensive its search is. So a list that searches or filters has one deadline
for all of its statements together. Beyond a small share of it a list needs the permit that a store
has once in each process: expensive lists use no more than one thread.
"""

from threading import Lock
from time import perf_counter

# The seconds that a list may take without the permit.
SHARE = 0.1


class Deadline:
    """The time limit of one list, which begins now. Use in one thread."""

    def __init__(self, seconds: float, permit: Lock) -> None:
        now = perf_counter()
        self._ends, self._free_until = now + seconds, now + min(seconds, SHARE)
        self._permit = permit
        self._has_permit = self.is_refused = False

    def is_over(self) -> bool:
        """Return whether the time is over. Cheap: SQLite calls it all the time."""
        if perf_counter() >= self._free_until and self.left() <= 0:
            self.is_refused = True
        return self.is_refused

    def left(self) -> float:
        """Take the permit if it is free, and return the seconds that are left."""
        if not self._has_permit and self._permit.acquire(blocking=False):
            self._has_permit, self._free_until = True, self._ends
        return self._free_until - perf_counter()

    def close(self) -> None:
        """Release the permit."""
        if self._has_permit:
            self._permit.release()
