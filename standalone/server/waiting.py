"""The connections of a worker that wait: each in a phase, until a deadline."""

from collections import OrderedDict
from collections.abc import Iterator

from landform.standalone.server.connection import Connection

# What a connection waits for: its first request, the next one, the rest of a head or of a body,
# the client to take its response, and the client to close.
NEW, IDLE, HEAD, BODY, SEND, CLOSING = "new", "idle", "head", "body", "send", "closing"
# The phases in which it does not wait: a thread makes its response, or it is closed.
HANDLING, CLOSED = "handling", "closed"
# A client that sends or takes this much before its deadline gets another one.
PROGRESS_BYTES = 1 << 16


class Waiting:
    """Connections by phase, in the order of their deadlines, and the bytes that they hold."""

    def __init__(self) -> None:
        self.by_phase: dict[str, OrderedDict[Connection, None]] = {
            phase: OrderedDict() for phase in (NEW, IDLE, HEAD, BODY, SEND, CLOSING)
        }
        # Of requests that are not complete and of responses that are not taken.
        self.held_bytes = 0

    def enter(self, conn: Connection, phase: str, seconds: float) -> None:
        """Let a connection wait in another phase, for so many seconds from now."""
        self.leave(conn, phase)
        conn.wait(phase, seconds)
        if phase in (BODY, SEND):
            conn.progress()
        self.by_phase[phase][conn] = None

    def leave(self, conn: Connection, phase: str) -> None:
        """Take a connection out of the phase that it waits in, and into one without a wait."""
        if conn.phase in self.by_phase:
            del self.by_phase[conn.phase][conn]
        conn.phase = phase

    def extend(self, conn: Connection, deadline: float) -> bool:
        """Give a connection another deadline if its client made progress; say whether it did."""
        if conn.phase not in (BODY, SEND) or conn.progress() < PROGRESS_BYTES:
            return False
        conn.deadline = deadline
        self.by_phase[conn.phase].move_to_end(conn)
        return True

    def account(self, conn: Connection) -> None:
        """Count the bytes that a connection holds now."""
        self.held_bytes += conn.held - conn.counted
        conn.counted = conn.held

    def forget(self, conn: Connection) -> None:
        """Count a connection that is closed no more."""
        self.held_bytes -= conn.counted
        conn.counted = 0

    def first_deadline(self, default: float) -> float:
        """Return the next deadline of all, or a default where none waits."""
        first = (next(iter(phase)).deadline for phase in self.by_phase.values() if phase)
        return min(first, default=default)

    def overdue(self, now: float) -> Iterator[Connection]:
        """Yield connections whose deadline has come, until each has left or got another one."""
        for phase in self.by_phase.values():
            while phase and (conn := next(iter(phase))).deadline <= now:
                yield conn

    def longest_large(self) -> Connection | None:
        """Return the one that waits the longest of those that hold much."""
        phases = (self.by_phase[phase] for phase in (HEAD, BODY, SEND))
        large = [conn for phase in phases for conn in phase if conn.held > PROGRESS_BYTES]
        return min(large, key=lambda conn: conn.since, default=None)

    def idle(self) -> int:
        """Return how many wait for anything but to send a response."""
        return sum(len(found) for phase, found in self.by_phase.items() if phase != SEND)

    def __iter__(self) -> Iterator[Connection]:
        """Yield every connection that waits."""
        return iter([conn for phase in self.by_phase.values() for conn in phase])
