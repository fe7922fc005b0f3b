"""The errors that storage raises; none of them shows SQL."""

from collections.abc import Mapping
from traceback import walk_tb
from typing import ClassVar

# Where the errors of the drivers, and of Peewee for them, come from.
DATABASE_MODULES = ("sqlite3", "psycopg", "peewee")


def reason_of(error: object) -> str:
    """Return what the error of a database says, in one line and without a value of a row.

    SQLite repeats a text that is not UTF-8, which may be a password, and PostgreSQL whole rows.
    """
    return str(error).strip().partition("\n")[0].partition(" with text ")[0]


def cut_values(error: BaseException) -> None:
    """Cut the values of rows out of an error, and out of those that led to it.

    Tracebacks show all of them, also in the log of a host.
    """
    seen = list[BaseException]()
    following: BaseException | None = error
    while following is not None and following not in seen:
        seen.append(following)
        if type(following).__module__.partition(".")[0] in DATABASE_MODULES:
            following.args = tuple(map(reason_of, following.args))
        elif type(following) is ValueError and _package_of(following) in ("landform", "peewee"):
            # Python repeats a text that is no number or no date.
            following.args = tuple(str(text).partition(": ")[0] for text in following.args)
        following = following.__cause__ or following.__context__


def _package_of(error: BaseException) -> str:
    """Return the name of the package whose code raised an error."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return str(frame.f_globals["__name__"]).partition(".")[0]


class StorageError(Exception):
    """Any failure of storage; its text is safe to show."""


class PartError(StorageError):
    """An error of a part, with its code and status in the API; its docstring is the meaning.

    `details` tell more of the state that does not allow it.
    """

    code: ClassVar[str]
    status: ClassVar[int]

    def __init__(self, details: Mapping[str, object] | None = None) -> None:
        super().__init__(self.meaning())
        self.details = details

    @classmethod
    def meaning(cls) -> str:
        """Return what the code means, in a sentence."""
        return " ".join((cls.__doc__ or "").split())


class NotFound(StorageError):
    """No row has this id, or a filter excludes it."""


class PageNotFound(NotFound):
    """There is no such page."""


class RevisionNotFound(NotFound):
    """The page has no such revision."""


class FeedNotFound(NotFound):
    """There is no such feed."""


class AlreadyTrashed(StorageError):
    """The page is in the trash already."""


class EventsExpired(StorageError):
    """The events after an id are not kept any more, or the id is of another store."""


class EmptyPage(StorageError):
    """The page would have neither title nor content."""


class StateRefused(StorageError):
    """The state that something is in does not allow it; `details` say which that is."""

    def __init__(self, details: Mapping[str, object]) -> None:
        super().__init__("It is in another state.")
        self.details = details


class OrderIncomplete(StateRefused):
    """A list of feeds does not hold exactly those of a form; `details` have the difference."""


class EmptyFeed(StorageError):
    """A patch would leave a feed without settings."""


class VersionConflict(StorageError):
    """Somebody wrote the row since the version that was expected."""


class TextRefused(StorageError):
    """A value is too large, or would cost too much to search. `name`: which one."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} {reason}")
        self.name = name


class KeyRefused(StorageError):
    """A key cannot be created or changed so; the text says why."""


class KeyReused(StorageError):
    """An idempotency key came with another body than the first time."""


class Busy(StorageError):
    """Another writer locked the database for longer than the busy timeout."""


class Unavailable(StorageError):
    """The database cannot be reached, read or written now."""

    def __init__(self, message: str = "The database cannot be used now.") -> None:
        super().__init__(message)


class TooExpensive(StorageError):
    """A list took the database longer than the search timeout."""


class TooLarge(StorageError):
    """The rows of a list have more bytes than a response may have."""


class CommitUnknown(StorageError):
    """The connection, or the disk, failed while a write was committed: the outcome is unknown."""

    def __init__(self) -> None:
        super().__init__(
            "The write may have been stored: look before you repeat it, or repeat a create with "
            "its Idempotency-Key."
        )


class DiskFull(StorageError):
    """The disk is full."""


class ImportRefused(StorageError):
    """A line, or all lines together, cannot be imported; the text says why."""


class CopyRefused(StorageError):
    """A backup or a copy cannot be made; the text says why."""


class DatabaseUnusable(StorageError):
    """The database cannot be opened at all: a wrong URL, no database, a newer schema."""
