"""When a worker accepts a connection: if it has more than another one, a little later."""

from time import monotonic
from typing import Any

# How long a connection waits for the workers that have fewer.
YIELD_SECONDS = 0.001
# How often the others are looked at meanwhile.
TICK_SECONDS = 0.001


class Balance:
    """Lets a worker accept connections, at most `most` at a time.

    All workers share the memory `counts`. The slot of a worker is 1 more than the number of its
    connections, or 0 when it accepts none. Without slots no worker waits. A worker that hangs
    delays each connection once.
    """

    is_stopped = is_waiting = is_listening = False
    until = 0.0

    def __init__(self, worker: Any, most: int) -> None:
        self.worker, self.most = worker, most
        self.listeners = [listener.sock for listener in worker.sockets]
        for listener in self.listeners:
            listener.setblocking(False)
        self.update()

    def update(self) -> None:
        """Tell the others the number of connections, and listen for more or not."""
        count, counts = len(self.worker.connections), self.worker.counts
        if counts:
            counts[self.worker.slot] = 0 if self.is_stopped else 1 + count
        listens = not (self.is_stopped or self.is_waiting or count >= self.most)
        if listens != self.is_listening:
            self.is_listening = listens
            for listener in self.listeners:
                if listens:
                    self.worker.loop.add_reader(listener, self._on_connection, listener)
                else:
                    self.worker.loop.remove_reader(listener)

    def stop(self) -> None:
        """Accept no more connections."""
        self.is_stopped = True
        self.update()

    def _on_connection(self, listener: Any) -> None:
        """Accept a connection, or leave it to the workers that have fewer."""
        if self._is_busier():
            self.is_waiting, self.until = True, monotonic() + YIELD_SECONDS
            self._wait()
        else:
            self.worker.accept(listener)
        self.update()

    def _wait(self) -> None:
        if monotonic() < self.until and self._is_busier():
            self.worker.loop.call_later(TICK_SECONDS, self._wait)
            return
        self.is_waiting = False
        for listener in [] if self.is_stopped else self.listeners:
            self.worker.accept(listener)
        self.update()

    def _is_busier(self) -> bool:
        """Return whether another worker has fewer connections."""
        counts = self.worker.counts
        return bool(counts) and counts[self.worker.slot] > min(filter(None, counts), default=0)
