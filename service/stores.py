"""The store that options describe: the service and every command open it with the same ones."""

from landform.service.options import Options
from landform.storage import Clock, Store


def new_store(options: Options, url: str | None = None, *, has_timeouts: bool = True) -> Store:
    """Return the store of the options, or another one by its URL; it is not opened yet.

    Without timeouts, as commands have it, searches and statements take as long as they need.
    """
    return Store(
        url or options.database_url,
        Clock(options.timezone),
        synchronous=options.sqlite_synchronous,
        busy_timeout=options.busy_timeout,
        answer_timeout=options.postgres_statement_timeout if has_timeouts else None,
        search_timeout=options.search_timeout if has_timeouts else None,
        identity=None if url else options.store_identity,
        group_access=options.group_access,
    )
