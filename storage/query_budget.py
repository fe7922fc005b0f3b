"""How long the database may work for one list, and that few lists at once take long.

Whoever searches decides what it costs. A list has a budget of time for all of its statements
together. Beyond a small share of it a list needs the turn, of which a store has one in each
process, so that expensive lists never keep more than one thread for longer than that share.
"""

from threading import Lock
from time import perf_counter, thread_time

from landform.storage.errors import SearchBusy, StorageError, TooExpensive

# The bounds of a search timeout, in seconds.
LEAST, MOST = 0.01, 60
# Seconds of work that a list may take without the turn; where somebody has had the turn for long,
# which more of them are likely to wait behind, it is less. For the answer of a server, whose work
# is not seen from here, a list waits twice as long.
SHARE, LONG, SHARE_BEHIND_LONG = 0.1, 0.25, 0.01


class Turn:
    """The right to take long, which one list has at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._since = 0.0

    def take(self) -> bool:
        """Take it where nobody has it, and say whether that was so."""
        taken = self._lock.acquire(blocking=False)
        if taken:
            self._since = perf_counter()
        return taken

    def give_back(self) -> None:
        """Let the next one take it."""
        self._lock.release()

    @property
    def share(self) -> float:
        """How many seconds of work those without it may take now."""
        long = self._lock.locked() and perf_counter() - self._since > LONG
        return SHARE_BEHIND_LONG if long else SHARE


class Budget:
    """The time that one list may take from now on, in seconds. Belongs to one thread."""

    def __init__(self, seconds: float, turn: Turn) -> None:
        self._began, self._worked = perf_counter(), thread_time()
        self._deadline = self._began + seconds
        # Until then there is nothing that could be spent.
        self._free_until = min(self._deadline, self._began + SHARE_BEHIND_LONG)
        self._turn = turn
        self._has_turn = False
        # Why the list was given up. No instance, which would lead back here by its traceback.
        self.refusal: type[StorageError] | None = None

    def take_turn(self) -> bool:
        """Take the turn where nobody has it; say whether this list has it now."""
        if not self._has_turn and self._turn.take():
            self._has_turn, self._free_until = True, self._deadline
        return self._has_turn

    def is_spent(self) -> bool:
        """Say whether to give up. Cheap; to be asked again and again in the thread that works.

        Until the deadline only work counts: on a busy machine a list may wait for a processor.
        """
        now = perf_counter()
        if now < self._free_until:
            return False
        if self.refusal is None and (now >= self._deadline or self._is_beyond_share()):
            self.overrun()
        return self.refusal is not None

    def overrun(self) -> None:
        """Go beyond the share, with the turn only; beyond the deadline not at all."""
        if perf_counter() >= self._deadline:
            self.refusal = TooExpensive
        elif not self.take_turn():
            self.refusal = SearchBusy

    def left(self) -> float:
        """Return for how many seconds the next statement may wait for its answer."""
        now = perf_counter()
        if self._has_turn:
            return self._deadline - now
        return min(self._deadline, self._began + 2 * self._turn.share) - now

    def close(self) -> None:
        """Give the turn back."""
        if self._has_turn:
            self._has_turn = False
            self._turn.give_back()

    def _is_beyond_share(self) -> bool:
        return not self._has_turn and thread_time() - self._worked >= self._turn.share
