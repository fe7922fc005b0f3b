"""Background work: publish due pages, do the later work of parts, and call their own workers."""

import logging
from collections.abc import Callable
from time import monotonic, sleep

from landform.parts.worker import Worker
from landform.service.pipeline.call import Service
from landform.storage.clock import DAY
from landform.storage.errors import StorageError
from landform.storage.expiry import expired_before
from landform.storage.pages import scheduling

log = logging.getLogger("landform")
# In seconds: how often workers are called without a commit of this process; the pause of a worker
# after a failure, and of all after a commit, to wait for more commits.
CHECK_INTERVAL, FAILURE_PAUSE, COMMIT_PAUSE = 1.0, 10.0, 0.1
FAILED = "Work in the background failed; it is tried again: %s"


class Background:
    """The work of a service beside requests.

    A worker does what is due and returns in how many seconds more is: 0 if it is to be called at
    once, after the others, and None if it knows of nothing. One that raises delays no other. While
    the service is `stopping` it begins nothing.
    """

    def __init__(self, service: Service) -> None:
        self._service, self._store, parts = service, service.store, service.options.named_parts
        sources = filter(None, [part.work_source(service) for part in parts])
        workers = filter(None, [part.worker(service) for part in parts])
        later_work = Worker(service.store, service.stopping, [*sources]).work
        # By time.monotonic: when each worker may be called again.
        self._resume_at = dict.fromkeys([self._publish, later_work, *workers], 0.0)

    def run(self) -> None:
        """Work until the service is stopped, woken by the commits of this process."""
        woken = self._service.woken
        self._store.on_commit(lambda event: woken.set())
        while not self._service.stopping.is_set():
            pause = self._do_due_work(_log)
            woken.wait(CHECK_INTERVAL if pause is None else min(pause, CHECK_INTERVAL))
            woken.clear()
            # Several commits are handled together, so that writers are not slowed down.
            sleep(COMMIT_PAUSE)

    def run_once(self) -> float | None:
        """Do all that is due, and return the seconds until more is; None if that is not known.

        The first error of a worker is raised at the end.
        """
        errors = list[Exception]()
        pause = self._do_due_work(errors.append)
        for error in errors:
            raise error
        return pause

    def _do_due_work(self, report: Callable[[Exception], None]) -> float | None:
        """Call every worker until none has more to do at once; return the shortest pause."""
        while True:
            pauses = [self._call(worker, report) for worker in self._resume_at]
            if 0.0 not in pauses:
                return min((pause for pause in pauses if pause is not None), default=None)

    def _call(
        self, worker: Callable[[], float | None], report: Callable[[Exception], None]
    ) -> float | None:
        if monotonic() < self._resume_at[worker]:
            return None
        try:
            return worker()
        except Exception as error:
            self._resume_at[worker] = monotonic() + FAILURE_PAUSE
            report(error)
            return None

    def _publish(self) -> None:
        with self._store.connection():
            scheduling.publish_due_pages(self._store)
            # So that ages follow the clock where nothing else asks for a day.
            expired_before(self._store, DAY)


def _log(error: Exception) -> None:
    """Log an error, with its traceback unless it is one that storage foresees."""
    if isinstance(error, StorageError):
        log.warning(FAILED, error)
    else:
        log.error(FAILED, error, exc_info=error)
