"""Storage: SQLite or PostgreSQL through Peewee. Knows neither Flask nor Marshmallow."""

from landform.storage.clock import Clock, Moment
from landform.storage.engines.base import Progress
from landform.storage.errors import (
    AlreadyTrashed,
    BackupRefused,
    Busy,
    CommitUnknown,
    CopyRefused,
    DatabaseUnusable,
    DiskFull,
    EmptyPage,
    FeedNotFound,
    ImportRefused,
    KeyRefused,
    KeyReused,
    NotFound,
    PageNotFound,
    SearchBusy,
    StorageError,
    TextRefused,
    TooExpensive,
    Unavailable,
    VersionConflict,
)
from landform.storage.store import Store

__all__ = [
    "AlreadyTrashed",
    "BackupRefused",
    "Busy",
    "Clock",
    "CommitUnknown",
    "CopyRefused",
    "DatabaseUnusable",
    "DiskFull",
    "EmptyPage",
    "FeedNotFound",
    "ImportRefused",
    "KeyRefused",
    "KeyReused",
    "Moment",
    "NotFound",
    "PageNotFound",
    "Progress",
    "SearchBusy",
    "StorageError",
    "Store",
    "TextRefused",
    "TooExpensive",
    "Unavailable",
    "VersionConflict",
]
