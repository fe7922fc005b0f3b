"""The log of slow queries."""

import logging

from landform.storage import Store


def log_slow_queries(store: Store, milliseconds: float) -> None:
    """Log each statement that takes longer: its text, whose values are placeholders."""
    log = logging.getLogger("landform.database")

    def report(sql: str, seconds: float) -> None:
        if seconds * 1000 >= milliseconds:
            log.warning("A query took %.0f ms: %s", seconds * 1000, sql)

    store.database.observers.append(report)
