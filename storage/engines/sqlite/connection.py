"""A connection to a SQLite file: to the right file only, and closed together with it."""

import sqlite3
import time
from contextlib import suppress
from typing import Any

from landform.storage.engines.sqlite.log import FileId
from landform.storage.engines.sqlite.place import REPLACED, Place
from landform.storage.errors import Unavailable


class Connection(sqlite3.Connection):
    """A connection that knows which file it may write to; None where it may write to none.

    `Unavailable` where the file in the place is not the store's.
    """

    def __init__(self, path: str, *, place: Place, **options: Any) -> None:
        self.file: FileId | None = None
        self.opened = 0.0
        # Whether a write has begun that has not ended yet.
        self.writes = False
        self._place = place
        found = place.admit(self)
        try:
            super().__init__(place.uri, **options, uri=True)
            # What was opened read-only stays so, even when the file may be written to again.
            self.file = found if place.is_writable() else None
            self.opened = time.monotonic()
            self._check_identity()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close it."""
        with suppress(sqlite3.ProgrammingError):  # of one that was never opened
            super().close()
        self._place.leave(self)

    def retire(self) -> None:
        """Close it, since another file is at the path of its own.

        The log is written to its own file first, wherever that is now: then it is complete without
        the log, and nothing is left that could be replayed into the other one.
        """
        with suppress(sqlite3.Error):
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()

    def _check_identity(self) -> None:
        if self._place.identity is None:
            return
        try:
            row = self.execute("SELECT identity FROM store").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            row = None
        if row != (self._place.identity,):
            raise Unavailable(REPLACED)
