"""What can be made again: compared by `landform verify`, and rebuilt by `vacuum`.

Beside the schema and the full-text index, that is the columns of a page that follow from its title
and meta, its text for searching, the counts of pages, the versions of tables, and the next ids.
"""

import secrets
from collections.abc import Iterator
from time import time

from peewee import SQL, DatabaseError, fn

from landform.storage.engines.database import INDEX, EngineDatabase, Named, Schema
from landform.storage.errors import TextRefused
from landform.storage.maintenance.tables import read_rows
from landform.storage.migrating import all_migrations, apply, read_history
from landform.storage.models import Page, PageCount, PageText, ResourceVersion, StoreInfo
from landform.storage.pages import WRITE_TEXT, stored_meta_columns
from landform.storage.part import numbered_tables
from landform.storage.rows import Row
from landform.storage.search import fold
from landform.storage.store import Store

COUNTED = Page.select(Page.status, fn.COUNT(SQL("*"))).group_by(Page.status)
COUNTS = PageCount.select(PageCount.status, PageCount.pages).where(PageCount.pages != 0)
VACUUM = "`landform vacuum` repairs that."
RESTORE = "Restore a backup, or export what is there and import it into a new database."


def problems(db: EngineDatabase) -> Iterator[tuple[str, list[object]]]:
    """Yield what is not as it would be made, and the ids of the pages where it is that."""
    wrong: dict[str, list[object]] = {}
    for number, columns, text in _broken_pages(db):
        for name in (*columns, *(["text for searching"] if text else [])):
            wrong.setdefault(f"The {name} of pages is not theirs", []).append(number)
    yield from wrong.items()
    counted, stored = (set(query.tuples().execute(db)) for query in (COUNTED, COUNTS))
    if counted != stored:
        yield "The counts of pages by status are not those of the pages", []
    names = {name for (name,) in ResourceVersion.select(ResourceVersion.name).tuples().execute(db)}
    for name in sorted(db.versioned - names):
        yield f"The version of all rows of {name} is missing", []
    if StoreInfo.select().count(db) != 1:
        yield "The store has not one identity", []
    given = db.last_ids()
    for name, model in numbered_tables().items():
        if (model.select(fn.MAX(model._meta.primary_key)).scalar(db) or 0) > given[name]:
            yield f"The next id of {name} is one that is there", []


def schema_problems(db: EngineDatabase) -> Iterator[str]:
    """Yield which parts of the schema are missing, or are not those of this version.

    Other tables and their indexes are not landform's.
    """
    found, wanted = db.schema(), _wanted(db)
    for part, sql in wanted.items():
        remedy = RESTORE if part.kind == "table" and not _is_index_part(part) else VACUUM
        if part not in found:
            yield f"The {part.kind} {part.name} is missing. {remedy}"
        elif found[part] != sql and (part == INDEX or not _is_index_part(part)):
            yield f"The {part.kind} {part.name} is not that of this version. {remedy}"
    history = read_history(db)
    for name in all_migrations().keys() - set(history):
        yield f"The migration {name} is not marked as applied. {RESTORE}"
    # A trigger or view of somebody else's may change what is written.
    for part in found.keys() - wanted.keys():
        if part.kind in ("trigger", "view"):
            yield (
                f"The {part.kind} {part.name} is not one of landform's: remove it with "
                f"DROP {part.kind.upper()}."
            )


def rebuild(store: Store) -> None:
    """Make all of it again.

    Rows whose right values are known nowhere else stay as they are: `verify` names them. Raises
    `DatabaseUnusable` where the damage prevents it, and then nothing has changed.
    """
    try:
        with store.connection() as db, store.transaction():
            _rebuild_schema(db)
            db.dialect.rebuild_search_index(db)
            _rebuild_pages(db)
            PageCount.delete().execute(db)
            PageCount.insert_from(COUNTED, [PageCount.status, PageCount.pages]).execute(db)
            _rebuild_single_rows(db)
            db.advance_sequences(db.last_ids())
    except DatabaseError as error:
        raise store.database.unusable(f"cannot be repaired: {error}.") from error


def _broken_pages(db: EngineDatabase) -> Iterator[tuple[int, Row, Row]]:
    """Yield the ids of pages of which something differs, with the columns and the text to be.

    What follows from a text that is damaged is not known.
    """
    for page in read_rows(db, Page):
        try:
            text = {"title": fold(page["title_raw"]), "content": fold(page["content_raw"])}
            "".join(text.values()).encode()
        except (AttributeError, TypeError, UnicodeError, TextRefused):
            continue
        columns = {"title_key": text["title"], **stored_meta_columns(page["meta"])}
        differ = {name: value for name, value in columns.items() if page[name] != value}
        stored = PageText.select(PageText.title, PageText.content).where(PageText.id == page["id"])
        is_right = stored.dicts().first(db) == text
        if differ or not is_right:
            yield page["id"], differ, {} if is_right else text


def _rebuild_pages(db: EngineDatabase) -> None:
    for number, columns, text in _broken_pages(db):
        if columns:
            Page.update(columns).where(Page.id == number).execute(db)
        if text:
            WRITE_TEXT.run_on(db, {"id": number, **text})
    PageText.delete().where(PageText.id.not_in(Page.select(Page.id))).execute(db)


def _rebuild_single_rows(db: EngineDatabase) -> None:
    """Let lists be read again, and add the versions and the identity that are missing."""
    ResourceVersion.update(version=ResourceVersion.version + 1).execute(db)
    # A counter that begins again comes to no number that it had before.
    missing = [{"name": name, "version": int(time())} for name in db.versioned]
    ResourceVersion.insert_many(missing).on_conflict_ignore().execute(db)
    if StoreInfo.select().count(db) != 1:
        StoreInfo.delete().execute(db)
        values = {"identity": secrets.token_hex(16), "generation": secrets.token_hex(5)}
        StoreInfo.insert(values).execute(db)


def _rebuild_schema(db: EngineDatabase) -> None:
    """Create again the indexes and triggers that are not as they should be, and what these call."""
    found = db.schema()
    for part, sql in _wanted(db).items():
        if part.kind != "table" and found.get(part) != sql:
            if statement := db.dialect.drops.get(part.kind):
                db.execute_sql(statement.format(part.name, sql.partition(" ON ")[2].split()[0]))
            db.execute_sql(sql)


def _wanted(db: EngineDatabase) -> Schema:
    return db.reference_schema(lambda other: apply(other, all_migrations()))


def _is_index_part(part: Named) -> bool:
    """Return whether a part belongs to the full-text index; SQLite decides how it is made."""
    return part.kind == "table" and part.name.startswith(INDEX.name)
