"""Storage: SQLite or PostgreSQL through Peewee. Knows neither Flask nor Marshmallow."""

from landform.storage.clock import Clock as Clock
from landform.storage.clock import Moment as Moment
from landform.storage.errors import *  # noqa: F403 - every error that storage raises
from landform.storage.store import Store as Store
from landform.storage.store import WatchedVersions as WatchedVersions
