"""What gunicorn's master runs before it has workers: opens the store, prints a `Start` as JSON.

A process of its own, at each start (see gunicorn.conf.py), so it imports only what opening a store
needs: no web framework, no command line, and no driver of another database.
"""

import json
import sys

from landform.standalone.ctrl_c import end_quietly
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import SettingError, check_installed, read_settings


def main() -> str | None:
    """Print the `Start`; return what is wrong instead, for `sys.exit`."""
    end_quietly()
    try:
        settings = read_settings()
        check_installed(settings)
    except SettingError as error:
        return f"Error: {error}"
    if settings.database_url.startswith("sqlite:"):
        # Peewee imports each driver that it finds.
        sys.modules["psycopg"] = sys.modules["psycopg2"] = None  # type: ignore[assignment]
    set_up_logging(settings)
    from landform.standalone.start import prepare  # noqa: PLC0415
    from landform.storage import StorageError  # noqa: PLC0415

    try:
        print(json.dumps(prepare(settings)))
    except StorageError as error:
        return f"Error: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main())
