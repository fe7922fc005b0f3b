"""The errors of storage, whose texts have no SQL."""

from collections.abc import Mapping
from traceback import walk_tb
from typing import ClassVar

# The packages whose errors may have values of rows.
DATABASE_MODULES = ("sqlite3", "psycopg", "peewee")


def reason_of(error: object) -> str:
    """Return the text of a database's error, in one line and without values of rows.

    SQLite repeats a text that is not UTF-8, which may be a password, and PostgreSQL whole rows.
    """
    return str(error).strip().partition("\n")[0].partition(" with text ")[0]


def cut_values(error: BaseException) -> None:
    """Remove the values of rows from an error and its causes, which tracebacks show too."""
    errors = list[BaseException]()
    cause: BaseException | None = error
    while cause is not None and cause not in errors:
        errors.append(cause)
        if type(cause).__module__.partition(".")[0] in DATABASE_MODULES:
            cause.args = tuple(map(reason_of, cause.args))
        elif type(cause) is ValueError:
            *_, (raised_in, _) = walk_tb(cause.__traceback__)
            if raised_in.f_globals["__name__"].startswith(("landform.", "peewee")):
                # Python repeats a text that is not a number or a date.
                cause.args = tuple(str(text).partition(": ")[0] for text in cause.args)
        cause = cause.__cause__ or cause.__context__


class StorageError(Exception):
    """A failure of storage; its text, by default that of the class, may be shown to clients.

    `details` tell more of the state that does not allow it.
    """

    text: ClassVar[str] = ""

    def __init__(self, text: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(text or self.text)
        self.details = details


class NotFound(StorageError):
    """No row has this id, or a filter excludes it."""


class PageNotFound(NotFound):
    """The page does not exist."""


class FeedNotFound(NotFound):
    """The feed does not exist."""


class AlreadyTrashed(StorageError):
    """The page is in the trash already."""


class EventsExpired(StorageError):
    """The events after an id are not kept any more, or the id is of another store."""


class EmptyPage(StorageError):
    """The page would have neither title nor content."""


class OrderIncomplete(StorageError):
    """An order has not exactly the feeds of a form; `details` have the difference."""

    text = "An order has not exactly the feeds of the form."


class EmptyFeed(StorageError):
    """A patch would leave a feed without settings."""


class VersionConflict(StorageError):
    """The row has another version than a write expects."""


class TextRefused(StorageError):
    """A value is too large, or would cost too much to search. `name`: which one."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} {reason}")
        self.name = name


class KeyRefused(StorageError):
    """An API key cannot be created or changed; the text has the reason."""


class KeyReused(StorageError):
    """An idempotency key came with another body than the first time."""


class Busy(StorageError):
    """Another writer locked the database for longer than the busy timeout."""

    text = "Another writer holds the database."


class Unavailable(StorageError):
    """The database cannot be reached, read or written now."""

    text = "The database cannot be used now."


class TooExpensive(StorageError):
    """A list took the database longer than the search timeout."""


class TooLarge(StorageError):
    """The rows of a list have more bytes than a response may have."""


class CommitUnknown(StorageError):
    """The connection, or the disk, failed while a write was committed: the outcome is unknown."""

    text = (
        "The write may have been stored: look before you repeat it, or repeat a create with its "
        "Idempotency-Key."
    )


class DiskFull(StorageError):
    """The disk is full."""

    text = "There is no room left to write."


class ImportRefused(StorageError):
    """A line, or all lines together, cannot be imported; the text has the reason."""


class CopyRefused(StorageError):
    """A backup, restore or copy is not possible; the text has the reason."""


class DatabaseUnusable(StorageError):
    """The database cannot be opened at all: a wrong URL, no database, a newer schema."""
