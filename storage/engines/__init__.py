"""The database engines: SQLite by default, PostgreSQL for several machines.

Everything in which they differ is in a folder each, whose module `engine` has `from_url`.
"""

from importlib import import_module

from landform.storage.engines.database import URL_FORMS, EngineDatabase, EngineOptions
from landform.storage.errors import DatabaseUnusable

# The folder for each scheme of a URL; the extra with the driver that it needs has the same name.
FOLDERS = {"sqlite": "sqlite", "postgresql": "postgres", "postgres": "postgres"}


def open_engine(url: str, options: EngineOptions) -> EngineDatabase:
    """Return the engine of a database URL, without a connection; `DatabaseUnusable`."""
    scheme, separator, _ = url.partition("://")
    if scheme not in FOLDERS or not separator:
        raise DatabaseUnusable(URL_FORMS)
    folder = FOLDERS[scheme]
    try:
        module = import_module(f"{__name__}.{folder}.engine")
    except ImportError as error:
        raise DatabaseUnusable(
            f"For {scheme}:// install the extra `{folder}` of landform."
        ) from error
    engine: EngineDatabase = module.from_url(url, options)
    return engine
