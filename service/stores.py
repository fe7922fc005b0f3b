"""The store that options describe: the service and every command open it with the same ones."""

from landform.service.options import Options
from landform.storage import Clock, Store


def new_store(options: Options) -> Store:
    """Return the store of a service, not opened yet."""
    return Store(
        options.database_url,
        Clock(options.timezone),
        synchronous=options.sqlite_synchronous,
        busy_timeout=options.busy_timeout,
        answer_timeout=options.postgres_statement_timeout,
        search_timeout=options.search_timeout,
        identity=options.store_identity,
    )


def new_maintenance_store(options: Options, url: str | None = None) -> Store:
    """Return the store for a command, which may take as long as it needs.

    With a `url` it is another store, opened with the same options.
    """
    return Store(
        url or options.database_url,
        Clock(options.timezone),
        synchronous=options.sqlite_synchronous,
        busy_timeout=options.busy_timeout,
        identity=None if url else options.store_identity,
    )
