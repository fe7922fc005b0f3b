"""Derived data, which `landform vacuum` makes anew.

Beside indexes and triggers these are the columns that follow from others, the texts of pages for
searching, the counts of pages, the versions of tables, and the next ids.
"""

import secrets
from contextlib import suppress
from time import time

from peewee import SQL, DatabaseError, Tuple, fn

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import TextRefused
from landform.storage.maintenance.schema import expected_schema, table_of
from landform.storage.maintenance.tables import parse_meta, read_rows
from landform.storage.models import (
    Page,
    PageCount,
    PageText,
    ResourceVersion,
    StoreInfo,
    Table,
    all_tables,
)
from landform.storage.pages import WRITE_TEXT, meta_columns
from landform.storage.rows import Row
from landform.storage.search import fold
from landform.storage.store import Store

COUNTED = Page.select(Page.status, fn.COUNT(SQL("*"))).group_by(Page.status)


def rebuild(store: Store) -> None:
    """Make all derived data anew.

    Other damaged values stay. Raises `DatabaseUnusable` if the damage prevents it, and then nothing
    has changed.
    """
    try:
        with store.connection() as db, store.transaction():
            schema = db.schema()
            # The indexes, triggers and functions that are missing or differ.
            for part, sql in expected_schema(db).items():
                if part.kind != "table" and schema.get(part) != sql:
                    if statement := db.dialect.drops.get(part.kind):
                        db.execute_sql(statement.format(part.name, table_of(sql).name))
                    db.execute_sql(sql)
            db.dialect.rebuild_search_index(db)
            for model in all_tables():
                for row in read_rows(db, model) if model.computed else ():
                    # Of a damaged value nothing is derived.
                    with suppress(AttributeError, TypeError, UnicodeError, TextRefused):
                        _rebuild_row(db, model, row)
            PageText.delete().where(PageText.id.not_in(Page.select(Page.id))).execute(db)
            PageCount.delete().execute(db)
            PageCount.insert_from(COUNTED, [PageCount.status, PageCount.pages]).execute(db)
            _rebuild_single_rows(db)
            db.advance_sequences(db.last_ids())
    except DatabaseError as error:
        raise store.database.unusable(f"cannot be repaired: {error}.") from error


def _rebuild_row(db: EngineDatabase, model: type[Table], row: Row) -> None:
    """Write the computed columns of a row, and the text of a page."""
    values = model.computed_values(row)
    if model is Page:
        text = {"title": fold(row["title_raw"]), "content": fold(row["content_raw"])}
        "".join(text.values()).encode()
        values = {"title_key": text["title"], **meta_columns(parse_meta(row["meta"]))}
        WRITE_TEXT.run_on(db, {"id": row["id"], **text})
    keys = model._meta.get_primary_keys()
    is_row = Tuple(*keys) == tuple(row[key.name] for key in keys)
    model.update(values).where(is_row).execute(db)


def _rebuild_single_rows(db: EngineDatabase) -> None:
    """Increment the versions of tables, and add those and the identity that are missing."""
    ResourceVersion.update(version=ResourceVersion.version + 1).execute(db)
    # A new counter begins beyond any number that it may have had before.
    missing = [{"name": name, "version": int(time())} for name in db.versioned]
    ResourceVersion.insert_many(missing).on_conflict_ignore().execute(db)
    if StoreInfo.select().count(db) != 1:
        StoreInfo.delete().execute(db)
        values = {"identity": secrets.token_hex(16), "generation": secrets.token_hex(5)}
        StoreInfo.insert(values).execute(db)
