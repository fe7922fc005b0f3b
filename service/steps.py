"""How long the steps of a request took: a line of the log at DEBUG, and otherwise nothing.

The steps are those that a request has anyway: authorize, validate, query, render. A function is a
part of one where `timed` declares it; statements are counted by an observer of the database.
"""

import logging
from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from threading import Lock
from time import perf_counter
from typing import ParamSpec, TypeVar

log = logging.getLogger("landform")
P = ParamSpec("P")
T = TypeVar("T")
# What a statement is called that is not a part of a query.
WAITS = {"BEGIN": "wait for other writes", "COMMIT": "commit"}
_adding = Lock()


class Steps:
    """The seconds that each step of one request took, without the steps inside it."""

    def __init__(self) -> None:
        self.statements = 0
        self._seconds: dict[str, float] = defaultdict(float)
        # How long the steps took that are inside the one that is under way.
        self._inside = 0.0
        self._began = perf_counter()

    def measure(self, name: str, work: Callable[[], T]) -> T:
        """Return what a part of a step returns."""
        around, self._inside = self._inside, 0.0
        began = perf_counter()
        try:
            return work()
        finally:
            seconds = perf_counter() - began
            self._seconds[name] += seconds - self._inside
            self._inside = around + seconds

    def count_statement(self, name: str, seconds: float) -> None:
        """Count a statement, which is a step of its own wherever it is executed."""
        self.statements += 1
        self._seconds[name] += seconds
        self._inside += seconds

    def __str__(self) -> str:
        total = perf_counter() - self._began
        steps = {**self._seconds, "other": total - sum(self._seconds.values())}
        parts = [f"{name} {seconds * 1000:.2f}" for name, seconds in steps.items()]
        return f"took {total * 1000:.2f} ms: {', '.join(parts)}; {self.statements} statements"


_current: ContextVar[Steps | None] = ContextVar("landform_steps", default=None)


def timed(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare a function to be a part of the step of this name."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            steps = _current.get()
            if steps is None:
                return function(*args, **kwargs)
            return steps.measure(name, lambda: function(*args, **kwargs))

        return call

    return decorate


def are_logged() -> bool:
    """Return whether anybody wants to know."""
    return log.isEnabledFor(logging.DEBUG)


def log_steps(
    what: str, respond: Callable[[], T], observers: list[Callable[[str, float], None]]
) -> T:
    """Return the response to a request, and log its steps. `observers`: those of the database."""
    with _adding:
        if _count_statement not in observers:
            observers.append(_count_statement)
    steps = Steps()
    outer = _current.set(steps)
    try:
        return respond()
    finally:
        _current.reset(outer)
        log.debug("%s %s.", what, steps)


def _count_statement(sql: str, seconds: float) -> None:
    steps = _current.get()
    if steps is not None:
        steps.count_statement(WAITS.get(sql, "query"), seconds)
