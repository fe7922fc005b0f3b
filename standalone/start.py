"""The start of the service: opens the store, and logs what is served, and to whom.

gunicorn's master does so before it has workers; see gunicorn.conf.py.
"""

import atexit
import logging
import shutil
import tempfile

from landform.service.options import new_store
from landform.service.site.responses import load_templates
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import Settings
from landform.storage import PageNotFound, StorageError, Store, api_keys, pages

# The copies of folders of templates that the workers of this master read, the last one at the end.
_copies: dict[str | None, str | None] = {}
LOCAL_MODE = "local mode: requests of this machine and user may do everything, others nothing"
NOBODY = "nobody, since no credentials are configured; `landform key create` adds a key"
CALLERS = "callers with credentials or a key; anyone may read published pages"


def prepare(settings: Settings) -> tuple[str | None, bool]:
    """Return the identity of the store, once it is open, and whether there are credentials.

    The store may be created or brought up to date, and the log says what is served. Ends the
    process with a sentence where there is none, and none is to be created, or where a template
    cannot be compiled.
    """
    set_up_logging(settings)
    store = new_store(settings, has_timeouts=False)
    try:
        copy_templates(settings.templates)
        store.open(create=settings.create_database)
    except (StorageError, ValueError, OSError) as error:
        raise SystemExit(f"Error: {error}") from None
    has_credentials, state = bool(settings.credentials), ""
    log = logging.getLogger("landform")
    without = NOBODY if settings.trusted_proxies else LOCAL_MODE
    try:
        with store.connection():
            keys = api_keys.list_all(store)
            _look_for_home_page(store, settings, log)
        has_credentials |= any(key.active for key in keys)
        # Once there was a key there is no local mode.
        without = CALLERS if keys else without
    except StorageError:
        state = " (it is not there now: requests get a 503 until it is back)"
        without = "known once it is back"
    store.dispose()
    log.info("Database: %s%s", store.database.description, state)
    log.info("Access: %s", CALLERS if has_credentials else without)
    return store.identity, has_credentials


def _look_for_home_page(store: Store, settings: Settings, log: logging.Logger) -> None:
    """Log that visitors find nothing at `/`, where there is no published page for it."""
    if not (settings.site and settings.home_page):
        return
    try:
        page, _ = pages.read_page(store, settings.home_page, pages.GUARDS)
    except PageNotFound:
        page = {"status": "missing"}
    if page["status"] != "publish":
        log.warning("The home page %s is not published: / is a 404.", settings.home_page)


def copy_templates(folder: str | None) -> None:
    """Copy the templates for workers that are yet to start; raise for one that does not compile.

    Then the copy from before stays, if there is one: `ValueError` or `OSError`.
    """
    load_templates(folder)
    made = None
    if folder:
        made = tempfile.mkdtemp(prefix="landform-templates-")
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        # A link that leads nowhere is the lock of an editor.
        shutil.copytree(folder, made, dirs_exist_ok=True, ignore_dangling_symlinks=True)
    _copies.pop(folder, None)
    _copies[folder] = made


def served_templates(folder: str | None) -> str | None:
    """Return the folder that a worker reads its templates from."""
    return _copies.get(folder, folder)


def renew_templates(folder: str | None) -> None:
    """Copy the templates anew for a reload; what is wrong with them is logged."""
    try:
        copy_templates(folder)
    except (ValueError, OSError) as error:
        logging.getLogger("landform").error("%s; the templates from before stay.", error)
        _copies.setdefault(folder, next(reversed(_copies.values())))
