"""Peewee's methods without its log: a host's log has the logger `landform`, and no other of ours.

Peewee logs each use of a connection and each migration to loggers of its own. Those are the host's,
if it uses Peewee too, so they stay as they are; landform's copies of the methods do not log.
"""

import logging
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

SILENT = logging.Logger("landform.silent")
SILENT.disabled = True


def quiet(method: Any) -> Any:
    """Return a copy of a function that finds a silent `logger` where its module has another."""
    inner = getattr(method, "__wrapped__", method)
    globals_ = {**inner.__globals__, "logger": SILENT}
    copy = FunctionType(
        inner.__code__, globals_, inner.__name__, inner.__defaults__, inner.__closure__
    )
    return wraps(inner)(copy)


def quiet_locked(method: Any) -> Callable[..., Any]:
    """Return such a copy of a method that holds the lock of its pool."""
    copy = quiet(method)

    @wraps(copy)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        with self._pool_lock:
            return copy(self, *args, **options)

    return call
