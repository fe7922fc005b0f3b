"""Derived data, which `landform verify` compares and `vacuum` computes again.

Beside indexes and triggers these are the columns of a page that follow from its title and meta, its
text for searching, the counts of pages, the versions of tables, and the next ids.
"""

import secrets
from collections.abc import Iterator
from time import time

from peewee import SQL, DatabaseError, Tuple, fn

from landform.storage.engines.database import INDEX, EngineDatabase, Named, Schema
from landform.storage.errors import TextRefused
from landform.storage.maintenance.tables import parse_meta, read_rows
from landform.storage.migrating import all_migrations, apply, read_history
from landform.storage.models import (
    Page,
    PageCount,
    PageText,
    ResourceVersion,
    StoreInfo,
    Table,
    all_tables,
    numbered_tables,
)
from landform.storage.pages import WRITE_TEXT, meta_columns
from landform.storage.rows import Row
from landform.storage.search import fold
from landform.storage.store import Store

COUNTED = Page.select(Page.status, fn.COUNT(SQL("*"))).group_by(Page.status)
COUNTS = PageCount.select(PageCount.status, PageCount.pages).where(PageCount.pages != 0)
VACUUM = "`landform vacuum` repairs that."
RESTORE = "Restore a backup, or export what is there and import it into a new database."


def problems(db: EngineDatabase) -> Iterator[tuple[str, list[object]]]:
    """Yield each problem of derived data, with the ids of the rows that have it."""
    ids: dict[str, list[object]] = {}
    for model, row, columns, text in _broken_rows(db):
        subject = "pages" if model is Page else model._meta.table_name
        for name in (*columns, *(["text for searching"] if text else [])):
            ids.setdefault(f"The {name} of {subject} is wrong", []).append(next(iter(row.values())))
    yield from ids.items()
    counted, stored = (set(query.tuples().execute(db)) for query in (COUNTED, COUNTS))
    if counted != stored:
        yield "The stored counts of pages by status are wrong", []
    names = {name for (name,) in ResourceVersion.select(ResourceVersion.name).tuples().execute(db)}
    for name in sorted(db.versioned - names):
        yield f"The version of all rows of {name} is missing", []
    if StoreInfo.select().count(db) != 1:
        yield "The store does not have exactly one identity", []
    last_ids = db.last_ids()
    for name, model in numbered_tables().items():
        if (model.select(fn.MAX(model._meta.primary_key)).scalar(db) or 0) > last_ids[name]:
            yield f"The next id of {name} is that of an existing row", []


def schema_problems(db: EngineDatabase) -> Iterator[str]:
    """Yield each part of the schema that is missing or differs, as a sentence with advice.

    Other tables and their indexes may be those of another program.
    """
    schema, expected = db.schema(), _expected_schema(db)
    for part, sql in expected.items():
        remedy = RESTORE if part.kind == "table" and not _is_index_part(part) else VACUUM
        if part not in schema:
            yield f"The {part.kind} {part.name} is missing. {remedy}"
        elif schema[part] != sql and (part == INDEX or not _is_index_part(part)):
            yield f"The {part.kind} {part.name} is not that of this version. {remedy}"
    history = read_history(db)
    for name in all_migrations().keys() - set(history):
        yield f"The migration {name} is not marked as applied. {RESTORE}"
    was_removed = bool(set(history) - all_migrations().keys())
    # A trigger or view of another program may change rows.
    for part in schema.keys() - expected.keys():
        if part.kind == "trigger" and was_removed and _table_of(schema[part]) not in expected:
            # That of a part whose tables are kept without it.
            continue
        if part.kind in ("trigger", "view"):
            yield (
                f"The {part.kind} {part.name} is not one of landform's: remove it with "
                f"DROP {part.kind.upper()}."
            )


def rebuild(store: Store) -> None:
    """Compute all derived data again.

    Other damaged values stay, and `verify` names them. Raises `DatabaseUnusable` if the damage
    prevents it, and then nothing has changed.
    """
    try:
        with store.connection() as db, store.transaction():
            _rebuild_schema(db)
            db.dialect.rebuild_search_index(db)
            for model, row, columns, text in _broken_rows(db):
                keys = model._meta.get_primary_keys()
                is_row = Tuple(*keys) == tuple(row[key.name] for key in keys)
                if columns:
                    model.update(columns).where(is_row).execute(db)
                if text:
                    WRITE_TEXT.run_on(db, {"id": row["id"], **text})
            PageText.delete().where(PageText.id.not_in(Page.select(Page.id))).execute(db)
            PageCount.delete().execute(db)
            PageCount.insert_from(COUNTED, [PageCount.status, PageCount.pages]).execute(db)
            _rebuild_single_rows(db)
            db.advance_sequences(db.last_ids())
    except DatabaseError as error:
        raise store.database.unusable(f"cannot be repaired: {error}.") from error


def _broken_rows(db: EngineDatabase) -> Iterator[tuple[type[Table], Row, Row, Row]]:
    """Yield the rows with wrong derived data, with the right columns, and the right text of a page.

    Rows with a damaged value, which the check of the rows names, are left out.
    """
    for model in all_tables():
        for row in read_rows(db, model) if model.computed else ():
            try:
                right, text = _derived_values(model, row)
            except (AttributeError, TypeError, UnicodeError, TextRefused):
                continue
            columns = {name: value for name, value in right.items() if row[name] != value}
            if text:
                stored = PageText.select(PageText.title, PageText.content).dicts()
                if stored.where(PageText.id == row["id"]).first(db) == text:
                    text = {}
            if columns or text:
                yield model, row, columns, text


def _derived_values(model: type[Table], row: Row) -> tuple[Row, Row]:
    """Return the right values of the computed columns, and of the text of a page."""
    if model is not Page:
        return model.computed_values(row), {}
    text = {"title": fold(row["title_raw"]), "content": fold(row["content_raw"])}
    "".join(text.values()).encode()
    return {"title_key": text["title"], **meta_columns(parse_meta(row["meta"]))}, text


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


def _rebuild_schema(db: EngineDatabase) -> None:
    """Create the indexes, triggers and functions again that are missing or differ."""
    schema = db.schema()
    for part, sql in _expected_schema(db).items():
        if part.kind != "table" and schema.get(part) != sql:
            if statement := db.dialect.drops.get(part.kind):
                db.execute_sql(statement.format(part.name, _table_of(sql).name))
            db.execute_sql(sql)


def _expected_schema(db: EngineDatabase) -> Schema:
    return db.reference_schema(lambda empty: apply(empty, all_migrations()))


def _table_of(sql: str) -> Named:
    """Return the table of a trigger or an index."""
    return Named("table", sql.partition(" ON ")[2].split()[0])


def _is_index_part(part: Named) -> bool:
    """Return whether SQLite created a part of the schema for its full-text index."""
    return part.kind == "table" and part.name.startswith(INDEX.name)
