"""The start and the reload of the service, in gunicorn's master; see gunicorn.conf.py."""

import logging

from landform.service.options import new_store
from landform.service.site.catalogs import Catalogs
from landform.service.site.responses import load_templates
from landform.service.site.responses import preloaded as templates
from landform.service.site.responses import preloaded_catalogs as catalogs
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import Settings, preload_settings, preloaded, read_settings
from landform.storage import StorageError, api_keys

LOCAL_MODE = (
    "local mode: requests of this machine and user may do everything, others get a 401; "
    "`landform key create` adds a key"
)
NOBODY = "nobody, since no credentials are configured; `landform key create` adds a key"
CALLERS = "callers with credentials or a key; anyone may read published pages"


def set_up(settings: Settings) -> str | None:
    """Open the store, log the database and who has access, and return the store's identity.

    The store is created or migrated if needed. Ends the process if the store cannot be opened, or
    a template or translation cannot be read.
    """
    set_up_logging(settings)
    store = new_store(settings, has_timeouts=False)
    try:
        # For the workers, which start later.
        templates[settings.templates] = load_templates(settings.templates)
        catalogs[settings.translations] = Catalogs(settings.translations)
        store.open(create=settings.create_database)
    except (StorageError, ValueError) as error:
        raise SystemExit(f"Error: {error}") from None
    log, state = logging.getLogger("landform"), ""
    access = NOBODY if settings.trusted_proxies else LOCAL_MODE
    try:
        with store.connection():
            access = CALLERS if settings.credentials or api_keys.any_exist(store) else access
    except StorageError:
        state = " (it is not there now: requests get a 503 until it is back)"
        access = CALLERS if settings.credentials else "known once it is back"
    store.dispose()
    log.info("Database: %s%s", store.database.description, state)
    log.info("Access: %s", access)
    return store.identity


def renew_settings() -> Settings:
    """Return the settings for a reload, and load their templates and translations.

    What was before stays if there is an error. The settings must name the store that is served.
    """
    before, previous = read_settings(), preloaded.copy()
    try:
        settings = preload_settings()
        if settings.database_url != before.database_url:
            store = new_store(settings, has_timeouts=False)
            store.check(current=True)
            store.close()
        loaded = load_templates(settings.templates), Catalogs(settings.translations)
    except (StorageError, ValueError) as error:
        preloaded[:] = previous
        reason = str(error).removesuffix(".")
        logging.getLogger("landform").error("%s. The settings and templates stay.", reason)
        return before
    templates.clear()
    catalogs.clear()
    templates[settings.templates], catalogs[settings.translations] = loaded
    return settings
