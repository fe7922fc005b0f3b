"""The balance of connections: a worker that has more than another accepts later."""

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from waitress import wasyncore

# How long a connection waits for the workers that have fewer.
YIELD_SECONDS = 0.001
# How long the event loop waits meanwhile.
TICK_SECONDS = 0.001


class Balance:
    """The servers of a worker, one for each listening socket.

    All workers share the memory `counts`. The slot of a worker is 1 more than the number of its
    connections, or 0 when it accepts none. Without slots no worker waits. A worker that hangs
    delays each connection once.
    """

    def __init__(self, servers: list[Any], counts: "memoryview[int]", slot: int) -> None:
        self.servers, self.counts, self.slot = servers, counts, slot
        # Servers with a connection that waits for another worker.
        self.postponed: list[Any] = []
        self.until = 0.0
        for server in servers if counts else []:
            server.handle_accept = partial(self._accept, server, server.handle_accept)
            server.readable = partial(self._is_readable, server.readable)
        self.update()

    @property
    def timeout(self) -> float:
        """The seconds that the event loop may wait."""
        return TICK_SECONDS if self.postponed else 1

    def update(self) -> None:
        """Count the connections, and accept postponed ones after a time."""
        if not self.counts:
            return
        self._count()
        if self.postponed and (monotonic() >= self.until or not self._is_busier()):
            for server in self.postponed:
                wasyncore.read(server)
            self.postponed.clear()
            self._count()

    def stop(self) -> None:
        """Stop accepting connections."""
        for server in self.servers:
            server.accepting = False
        self.postponed.clear()
        self.update()

    def _count(self) -> None:
        accepting = [server for server in self.servers if server.accepting]
        connections = sum(len(server.active_channels) for server in accepting)
        self.counts[self.slot] = 1 + connections if accepting else 0

    def _is_busier(self) -> bool:
        """Return whether another worker has fewer connections."""
        return self.counts[self.slot] > min(filter(None, self.counts), default=0)

    def _is_readable(self, readable: Callable[[], bool]) -> bool:
        return not self.postponed and readable()

    def _accept(self, server: Any, accept: Callable[[], None]) -> None:
        """Accept a connection, or leave it to the workers that have fewer."""
        if self._is_busier() and server not in self.postponed:
            self.postponed.append(server)
            self.until = monotonic() + YIELD_SECONDS
        else:
            accept()
