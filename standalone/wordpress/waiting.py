"""When a site may be asked again: as late as it asks for, and later with each failure."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# A site that wants to be left alone for longer is not waited for, in seconds.
LONGEST_WAIT = 120
# How often one request is sent: until the site has answered one at all, and after that.
FIRST_ATTEMPTS, ATTEMPTS = 3, 12
SHORTEST, LONGEST_PAUSE = 0.1, 5.0


class Gate:
    """Lets all threads wait together while the site wants no requests."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._until = 0.0
        self._lock = threading.Lock()
        self._sleep = sleep

    def wait(self) -> None:
        """Wait until a request may be sent."""
        while (left := self._until - time.monotonic()) > 0:
            self._sleep(left)

    def close(self, seconds: float) -> None:
        """Let nobody send a request for so long."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)


def pause(failures: int) -> float:
    """Return how many seconds to wait after so many failures of one request."""
    return min(SHORTEST * 2.0 ** (failures - 1), LONGEST_PAUSE)


def retry_after(value: str | None) -> float | None:
    """Return the seconds that a `Retry-After` asks for; None where it says nothing."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
