"""Threads, of which a process has at most so many of a kind."""

import threading
from collections.abc import Callable


def start_thread(name: str, limit: int, target: Callable[[], None]) -> bool:
    """Start a thread unless `limit` with its name run; return whether it started."""
    if sum(thread.name == name for thread in threading.enumerate()) >= limit:
        return False
    try:
        threading.Thread(target=target, name=name, daemon=True).start()
    except RuntimeError:
        # The system has too many threads.
        return False
    return True
