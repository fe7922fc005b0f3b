"""Rebuilding whatever of a store follows from the rest of it."""

import secrets
from collections.abc import Callable

from peewee import SQL, DatabaseError, fn

from landform.storage import pages
from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import TextRefused
from landform.storage.maintenance import schema
from landform.storage.maintenance.column_rules import is_text
from landform.storage.maintenance.verify import highest_ids, rows_of
from landform.storage.models import Page, PageCount, PageText, ResourceVersion, StoreInfo
from landform.storage.pages.meta_keys import meta_columns, stored_meta_columns
from landform.storage.search_text import fold
from landform.storage.sql import identity
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

TEXT = Prepared(
    PageText.select(PageText.title, PageText.content).where(PageText.id == Parameter("id"))
)


# How many steps it takes: those after which `report` is called.
STEPS = 4


def repair(store: Store, report: Callable[[int], object] = lambda _: None) -> None:
    """Rebuild the parts of the schema, texts, counts and versions that are not as they should be.

    `report` is called with the number of each step that is done.
    Rows whose right values are known nowhere else stay as they are: `verify` names them. Raises
    `DatabaseUnusable` where the damage prevents it, and then nothing has changed.
    """
    try:
        _repair(store, report)
    except DatabaseError as error:
        raise store.engine.unusable(f"cannot be repaired: {error}.") from error


def _repair(store: Store, report: Callable[[int], object]) -> None:
    with store.connection() as db:
        with store.transaction(), db.lenient():
            schema.repair(db)
            report(1)
            _rebuild_search_index(store, db)
            _let_lists_be_read_again(db)
        report(2)
        with store.transaction(), db.lenient():
            _texts(store, db)
            _meta_columns(db)
            report(3)
            _let_lists_be_read_again(db)
            _single_rows(db)
            count_pages(db)
            db.advance_sequences(highest_ids(db))
        report(4)


def _let_lists_be_read_again(db: EngineDatabase) -> None:
    """Increment every counter: what follows from the rows may be found otherwise from now on."""
    ResourceVersion.update(version=ResourceVersion.version + 1).execute(db)


def _rebuild_search_index(store: Store, db: EngineDatabase) -> None:
    try:
        with db.atomic():
            store.engine.rebuild_search_index(db)
    except DatabaseError:
        # The full-text index is so damaged that it cannot even be opened.
        schema.recreate_search_index(db)
        store.engine.rebuild_search_index(db)


def _texts(store: Store, db: EngineDatabase) -> None:
    for page in rows_of(db, Page, ["id", "title_raw", "content_raw", "title_key"]):
        if not (is_text(page["title_raw"]) and is_text(page["content_raw"])):
            continue
        key = fold(page["title_raw"])
        if page["title_key"] != key:
            Page.update(title_key=key).where(Page.id == page["id"]).execute(db)
        try:
            text = pages.searched_text({**page, "title_key": key})
        except TextRefused:
            # No write of this version would have stored it.
            continue
        found = TEXT.run(store, text).fetchone()
        if found is None:
            pages.INSERT_TEXT.run(store, text)
        elif found != (text["title"], text["content"]):
            pages.REPLACE_TEXT.run(store, text)
    lost = PageText.id.not_in(Page.select(Page.id))
    PageText.delete().where(lost).execute(db)


def _meta_columns(db: EngineDatabase) -> None:
    """Write what follows from the meta of pages."""
    for page in rows_of(db, Page, ["id", "meta", *meta_columns(None)]):
        columns = stored_meta_columns(page["meta"])
        if any(page[name] != value for name, value in columns.items()):
            Page.update(columns).where(Page.id == page["id"]).execute(db)


def _single_rows(db: EngineDatabase) -> None:
    found = {name for (name,) in ResourceVersion.select(ResourceVersion.name).tuples().execute(db)}
    missing = db.versioned - found
    for name in missing:
        ResourceVersion.insert(name=name, version=1).execute(db)
    if StoreInfo.select().count(db) != 1:
        StoreInfo.delete().execute(db)
        values = {"identity": secrets.token_hex(16), "generation": secrets.token_hex(5)}
        StoreInfo.insert(values).execute(db)
    elif missing:
        # A counter that begins again comes to numbers that it had before.
        identity.renew_generation(db)


def count_pages(db: EngineDatabase) -> None:
    """Count all pages again."""
    PageCount.delete().execute(db)
    # A page without a status cannot be counted; `verify` names it.
    pages = Page.select(Page.status, fn.COUNT(SQL("*"))).where(Page.status.is_null(False))
    columns = [PageCount.status, PageCount.pages]
    PageCount.insert_from(pages.group_by(Page.status), columns).execute(db)
