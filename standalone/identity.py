"""Prints the identity of the store, which is created or brought up to date before.

gunicorn's master runs this at each start (see gunicorn.conf.py), so it imports only what opening a
store needs: no web framework, no command line, and no driver of another database.
"""

import sys

from landform.standalone.logs import set_up_logging
from landform.standalone.settings import SettingError, read_settings


def main() -> str | None:
    """Migrate, and print the identity; return what is wrong instead, for `sys.exit`."""
    try:
        settings = read_settings()
    except SettingError as error:
        return f"Error: {error}"
    if settings.database_url.startswith("sqlite:"):
        # Peewee imports each driver that it finds.
        sys.modules["psycopg"] = sys.modules["psycopg2"] = None  # type: ignore[assignment]
    set_up_logging(settings)
    from landform.service.stores import new_store  # noqa: PLC0415
    from landform.storage import StorageError  # noqa: PLC0415

    try:
        store = new_store(settings, has_timeouts=False)
        store.migrate()
    except StorageError as error:
        return f"Error: {error}"
    print(store.identity)
    return None


if __name__ == "__main__":
    sys.exit(main())
