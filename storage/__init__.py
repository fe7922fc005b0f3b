"""Storage: SQLite or PostgreSQL through Peewee. Knows neither Flask nor Marshmallow."""

from landform.storage.clock import Clock, Moment
from landform.storage.database import Store
from landform.storage.errors import (
    AlreadyTrashed,
    BackupRefused,
    Busy,
    CopyRefused,
    DatabaseUnusable,
    EmptyPage,
    FeedNotFound,
    Full,
    ImportRefused,
    KeyRefused,
    KeyReused,
    NotFound,
    PageNotFound,
    StorageError,
    TextRefused,
    Unavailable,
    Uncertain,
    VersionConflict,
)

__all__ = [
    "AlreadyTrashed",
    "BackupRefused",
    "Busy",
    "Clock",
    "CopyRefused",
    "DatabaseUnusable",
    "EmptyPage",
    "FeedNotFound",
    "Full",
    "ImportRefused",
    "KeyRefused",
    "KeyReused",
    "Moment",
    "NotFound",
    "PageNotFound",
    "StorageError",
    "Store",
    "TextRefused",
    "Unavailable",
    "Uncertain",
    "VersionConflict",
]
