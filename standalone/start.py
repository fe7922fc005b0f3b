"""The start of the service: opens the store, and says in words what is served, and to whom.

gunicorn's master does so before it has workers; see gunicorn.conf.py.
"""

from typing import NamedTuple

from landform.service.options import new_store
from landform.service.site.responses import load_templates
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import Settings
from landform.storage import StorageError, Store, api_keys

ANYONE_READS = "anyone may read published pages"


class Start(NamedTuple):
    """What the master of gunicorn has to know: the identity of the store, and what to log."""

    identity: str | None
    has_credentials: bool
    lines: list[str]


def prepare(settings: Settings) -> Start:
    """Open the store, which may be created or brought up to date, and describe what is served.

    Ends the process with a sentence where there is none, and none is to be created, or where a
    template cannot be compiled.
    """
    set_up_logging(settings)
    store = new_store(settings, has_timeouts=False)
    try:
        load_templates(settings.templates)
        store.open(create=settings.create_database)
    except (StorageError, ValueError) as error:
        raise SystemExit(f"Error: {error}") from None
    keys, state, credentials = None, "", list(settings.credentials or ())
    try:
        with store.connection():
            keys = key_names(store)
        access = describe_access(credentials, keys, settings.trusted_proxies)
    except StorageError:
        state = " (it is not there now: requests get a 503 until it is back)"
        access = _named("credentials", credentials) or "known once it is back"
    store.dispose()
    lines = [f"Database: {store.database.description}{state}", f"Access: {access}"]
    return Start(store.identity, bool(credentials or keys), lines)


def key_names(store: Store) -> list[str] | None:
    """Return the names of the active keys; None where no key was ever created."""
    keys = api_keys.list_all(store)
    return list(dict.fromkeys(key.name for key in keys if key.active)) if keys else None


def describe_access(credentials: list[str], keys: list[str] | None, proxies: int) -> str:
    """Say who may do what: in local mode, or with which credentials and keys, by name."""
    if not credentials and keys is None:
        if proxies:
            return "nobody, since no credentials are configured; `landform key create` adds a key"
        return "local mode: requests of this machine and user may do everything, others nothing"
    named = [_named("credentials", credentials), _named("keys", keys or [])]
    who = ", ".join(filter(None, named)) or "no key that is active; `landform key create` adds one"
    return f"{who}; {ANYONE_READS}"


def _named(what: str, names: list[str]) -> str:
    return f"{what} {', '.join(names)}" if names else ""
