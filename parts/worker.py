"""The worker for later work: runs of feeds, and deliveries of events to webhooks.

A *target* is a feed or a webhook. An attempt for it runs in a thread, outside of any transaction,
and has a place in one of two lanes, so that slow targets hold up no other:

- in the quick lane a target that was not tried yet, or has failed, has one attempt, and one whose
  last attempt was quick has its share. An attempt that takes long has no place there any more.
- in the slow lane each of the others has one attempt.

The speed of targets is known in memory only. All else is stored by the sources of the work.
"""

import logging
import random
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple, Protocol, TypeVar

from peewee import PeeweeException

from landform.storage.errors import StorageError
from landform.storage.store import Store

log = logging.getLogger("landform")
T = TypeVar("T")
# The places in each lane, and how many attempts run at the same time at most.
QUICK_PLACES, SLOW_PLACES, MOST_AT_ONCE = 8, 8, 32
# In seconds: from when on an attempt is slow; how long one may take, also for a mail that its
# server checks for ten minutes; how long to wait for the end of one.
SLOW, DEADLINE, RUNNING_INTERVAL = 1.0, 900, 0.05
# In seconds: the first pause after a failure, which doubles, and the longest. After so many
# attempts, with pauses of 75 hours in all, a failure is final.
FIRST_WAIT, LONGEST_WAIT, MOST_ATTEMPTS = 1.0, 6 * 3600.0, 28
# How many threads a process may have for attempts: only their end frees those that hang.
THREADS, MOST_THREADS = "landform-attempt", 100
SUCCESS, FAILED, WITHDRAWN = "success", "failed", "withdrawn"
LONGEST_TEXT = 500
UNEXPECTED = "The attempt ended with a fault, which is in the log of the service."
TOO_MANY, HANGS = "Too many attempts hang.", "The attempt did not end within 15 minutes."


class AttemptFailed(Exception):
    """An attempt that failed. Its message is stored and shown: no secrets, and no entered values.

    `retryable`: whether it is tried again; `retry_after`: not before so many seconds. `status`: of
    an HTTP response.
    """

    retryable, retry_after, status = True, 0.0, 0

    def __init__(
        self, message: str, *, retryable: bool = True, retry_after: float = 0.0, status: int = 0
    ) -> None:
        super().__init__(message)
        self.retryable, self.retry_after, self.status = retryable, retry_after, status


class Outcome(NamedTuple):
    """How an attempt has ended: `SUCCESS`, `FAILED`, or `WITHDRAWN` if nothing was to be done.

    `text`: the error, or the response to a success. `retry_in`: in how many seconds a failure is
    tried again; None for never. `pause`: for how many seconds a response asked for no request.
    """

    state: str
    text: str = ""
    status: int = 0
    milliseconds: int = 0
    retry_in: float | None = None
    pause: float = 0.0


class Job(NamedTuple):
    """The work of an attempt; `failures`: how many have failed before. `work`: for the source."""

    target: int
    failures: int
    work: Any


class Source(Protocol):
    """Where work comes from. `attempt` is called in a thread, all else inside `connection()`."""

    # What its targets are called, and how many attempts a quick one may have at the same time.
    name: str
    share: int

    def due(self) -> Mapping[int, float]:
        """Return in how many seconds the next attempt of each target is due: 0 for now."""

    def claim(self, target: int, limit: int) -> Sequence[Job]:
        """Claim up to so many jobs of a target that are due."""

    def attempt(self, job: Job) -> Outcome:
        """Do a job; raises `AttemptFailed`."""

    def end(self, job: Job, outcome: Outcome) -> None:
        """Store how an attempt has ended, unless its claim is over; in a transaction."""

    def rest(self) -> None:
        """Let another process work: no attempt runs here, and none is due."""


@dataclass(eq=False)
class Attempt:
    """An attempt that runs: in which lane, and since when, by time.monotonic."""

    source: Source
    job: Job
    is_quick: bool
    began: float = field(default_factory=monotonic)
    outcome: Outcome = field(init=False)

    @property
    def target(self) -> tuple[Source, int]:
        """Its source and the number of its target there."""
        return self.source, self.job.target

    def run(self, ended: "SimpleQueue[Attempt]") -> None:
        """Make the attempt, and pass it on with its outcome."""
        label = f"{self.source.name} {self.job.target}"
        self.outcome = outcome_of(lambda: self.source.attempt(self.job), label, self.job.failures)
        ended.put(self)


class Worker:
    """Does the work of several sources until it is `stopping`; then it ends its attempts."""

    def __init__(self, store: Store, stopping: threading.Event, sources: Sequence[Source]) -> None:
        self._store, self._stopping, self._sources = store, stopping, sources
        # The attempts that run, those that have ended, and those whose outcome is not stored yet.
        self._running, self._unstored = list[Attempt](), list[Attempt]()
        self._ended = SimpleQueue[Attempt]()
        # Of each target: when its last attempt began, by time.monotonic, and the seconds of the
        # last one, if that succeeded.
        self._began = dict[tuple[Source, int], float]()
        self._seconds = dict[tuple[Source, int], float]()

    def work(self) -> float | None:
        """Begin due attempts that have a place, and wait a little for the end of one.

        Returns the seconds until more is due: 0 while attempts run, None if nothing waits.
        """
        with self._store.connection():
            self._collect(0)
            pause = None if self._stopping.is_set() else self._begin_due()
            if self._running:
                self._collect(RUNNING_INTERVAL)
                return 0.0
            for source in self._sources:
                source.rest()
            return pause

    def _collect(self, wait: float) -> None:
        """Store the outcomes of the attempts that have ended; wait so many seconds for one."""
        with suppress(Empty):
            while attempt := self._ended.get(block=wait > 0, timeout=wait):
                self._finish(attempt)
                wait = 0
        for attempt in [x for x in self._running if monotonic() > x.began + DEADLINE]:
            attempt.outcome = _failure(AttemptFailed(HANGS), attempt.job.failures)
            self._finish(attempt)
        unstored, self._unstored = self._unstored, []
        try:
            with self._store.transaction() if unstored else nullcontext():
                for attempt in unstored:
                    attempt.source.end(attempt.job, attempt.outcome)
        except (StorageError, PeeweeException):
            # The next call stores them.
            self._unstored = unstored
            raise

    def _finish(self, attempt: Attempt) -> None:
        """Free the place of an attempt, unless that was given up, and note its speed."""
        if attempt not in self._running:
            return
        self._running.remove(attempt)
        self._unstored.append(attempt)
        seconds = monotonic() - attempt.began
        self._seconds[attempt.target] = seconds
        if attempt.outcome.state == FAILED and seconds < SLOW:
            del self._seconds[attempt.target]

    def _begin_due(self) -> float | None:
        """Begin the attempts that have a place, first of targets that wait for the longest.

        Returns the seconds until the next one is due, None if nothing waits.
        """
        due = {
            (source, target): seconds
            for source in self._sources
            for target, seconds in source.due().items()
        }
        ready = [target for target, seconds in due.items() if seconds <= 0]
        for source, target in sorted(ready, key=lambda one: self._began.get(one, 0.0)):
            is_quick, places = self._places(source, target)
            for job in source.claim(target, places) if places > 0 else ():
                attempt = Attempt(source, job, is_quick)
                self._running.append(attempt)
                self._began[source, target] = attempt.began
                if not start_thread(THREADS, MOST_THREADS, partial(attempt.run, self._ended)):
                    attempt.outcome = _failure(AttemptFailed(TOO_MANY), job.failures)
                    self._ended.put(attempt)
        return min((seconds for seconds in due.values() if seconds > 0), default=None)

    def _places(self, source: Source, target: int) -> tuple[bool, int]:
        """Return whether a target is quick, and how many of its attempts may begin."""
        now, key = monotonic(), (source, target)
        last, free_places = self._seconds.get(key), MOST_AT_ONCE - len(self._running)
        own = [attempt for attempt in self._running if attempt.target == key]
        if (last or 0.0) >= SLOW or any(now - attempt.began >= SLOW for attempt in own):
            busy_places = sum(not attempt.is_quick for attempt in self._running)
            return False, min(1 - len(own), SLOW_PLACES - busy_places, free_places)
        quick = [attempt for attempt in self._running if attempt.is_quick]
        busy_places = sum(now - attempt.began < SLOW for attempt in quick)
        share = 1 if last is None else source.share
        return True, min(share - len(own), QUICK_PLACES - busy_places, free_places)


def outcome_of(work: Callable[[], Outcome], label: str, failures: int = 0) -> Outcome:
    """Return the outcome of a function, also of one that raises; `label` names it in the log.

    The text of an unexpected error may have secrets, and is not told.
    """
    began = monotonic()
    try:
        try:
            outcome = work()
        except AttemptFailed as error:
            outcome = _failure(error, failures)
    except BaseException as error:
        name, frames = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
        log.error("An attempt of %s ended with %s:\n%s", label, name, frames)
        outcome = _failure(AttemptFailed(UNEXPECTED), failures)
    return outcome._replace(milliseconds=round((monotonic() - began) * 1000))


def _failure(error: AttemptFailed, failures: int) -> Outcome:
    """Return the outcome of an error, with a text and numbers that can be stored."""
    text = storable(str(error))
    wait, shortest_wait = None, min(max(0.0, float(error.retry_after)), LONGEST_WAIT)
    if error.retryable and failures + 1 < MOST_ATTEMPTS:
        wait = FIRST_WAIT * 2**failures * random.uniform(0.9, 1)  # noqa: S311 # nosec B311
        wait = max(min(wait, LONGEST_WAIT), shortest_wait)
    pause = shortest_wait if error.status else 0.0
    return Outcome(FAILED, text, error.status, retry_in=wait, pause=pause)


def storable(text: str) -> str:
    """Return a text on one line, and no longer than what is stored of an attempt."""
    return "".join(char if char.isprintable() else " " for char in text)[:LONGEST_TEXT]


def wait_briefly(
    name: str, limit: int, seconds: float, work: Callable[[], T], too_many: type[Exception]
) -> T | None:
    """Call a function in a thread, and return its result; None if it takes longer, and goes on.

    Raises `too_many` if `limit` threads with this name run.
    """
    results = SimpleQueue[T]()
    if not start_thread(name, limit, lambda: results.put(work())):
        raise too_many
    with suppress(Empty):
        return results.get(timeout=seconds)
    return None


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
