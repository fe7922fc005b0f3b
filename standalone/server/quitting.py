"""How a worker ends at once: on a Ctrl-C, and on the SIGQUIT of the master.

A Ctrl-C is a SIGINT for every process of the terminal, whereupon the master sends a SIGQUIT as
well, to workers in any state. gunicorn's own handler takes a lock that it may hold already, and
then waits for its threads.
"""

import os
import signal
from queue import Empty, SimpleQueue
from typing import NoReturn

from gunicorn.workers.gthread import ThreadWorker

# So long what is under way may take; a little later the process ends in any case.
QUITTING_SECONDS, GRACE_SECONDS = 1.0, 0.5
STOPS = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM}


class QuittingWorker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, but that it ends whenever it is told to.

    `early`: the signals that the process received before it had handlers of its own.
    """

    is_quitting = is_interrupted = False
    early: "SimpleQueue[int] | None" = None

    def init_signals(self) -> None:
        """Install the handlers, and handle what came before."""
        super().init_signals()
        while self.early:
            try:
                number = self.early.get_nowait()
            except Empty:
                return
            if number in STOPS:
                _exit()

    def handle_quit(self, number: int, frame: object) -> None:
        """End soon, with the responses that are under way; at once where it is asked for twice.

        It may interrupt itself anywhere, so that it takes no lock.
        """
        if not self.booted or (number == signal.SIGINT and self.is_interrupted):
            _exit()
        self.is_interrupted |= number == signal.SIGINT
        if not self.is_quitting:
            self.is_quitting = True
            # Threads that are still busy then would hold up the end of the process.
            signal.signal(signal.SIGALRM, _exit)
            signal.setitimer(signal.ITIMER_REAL, QUITTING_SECONDS + GRACE_SECONDS)
        self.alive = False
        # That there is something to do wakes the event loop.
        self.method_queue.defer(int)

    def is_needed(self, seconds: float, busy: int) -> bool:
        """Return whether it has something left to do, so many seconds after its stop.

        `busy`: how many connections have a response under way.
        """
        if not self.is_quitting:
            return bool(self.nr_conns) and seconds < float(self.cfg.graceful_timeout)
        if not busy:
            # No thread holds up the end, and to tidy up may take its time.
            signal.setitimer(signal.ITIMER_REAL, 0)
        return bool(busy) and seconds < QUITTING_SECONDS


def _exit(*_: object) -> NoReturn:
    """End the process now, whatever its threads do."""
    os._exit(0)
