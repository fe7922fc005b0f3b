"""What follows from other rows: compared by `landform verify`, and made again by `vacuum`.

Beside the full-text index, that is the columns of a page that follow from its title and meta, its
text for searching, the counts of pages, the versions of tables, and the next ids.
"""

import secrets
from collections.abc import Callable, Iterator

from peewee import SQL, DatabaseError, fn

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import TextRefused
from landform.storage.maintenance import schema
from landform.storage.maintenance.batches import batches
from landform.storage.models import TABLES, Page, PageCount, PageText, ResourceVersion, StoreInfo
from landform.storage.pages.meta_keys import stored_meta_columns
from landform.storage.rows import Row
from landform.storage.search_text import fold
from landform.storage.sql import identity
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

COUNTED = Page.select(Page.status, fn.COUNT(SQL("*"))).group_by(Page.status)
COUNTS = PageCount.select(PageCount.status, PageCount.pages).where(PageCount.pages != 0)
NAMES = ("id", "title_raw", "content_raw", "meta", *Page.traits.computed)
TEXTS = Prepared(
    PageText.select(PageText.id, PageText.title, PageText.content).where(
        PageText.id.between(Parameter("first"), Parameter("last"))
    )
)
# How many steps `rebuild` takes.
STEPS = 3


def problems(db: EngineDatabase) -> Iterator[tuple[str, list[object]]]:
    """Yield what is not as it would be made, and the ids of the pages where it is that."""
    wrong: dict[str, list[object]] = {}
    for number, columns, text in _broken_pages(db):
        for name in (*columns, *(["text for searching"] if text else [])):
            wrong.setdefault(f"The {name} of pages is not theirs", []).append(number)
    yield from wrong.items()
    counted, stored = (set(Prepared(query).run_on(db).fetchall()) for query in (COUNTED, COUNTS))
    if counted != stored:
        yield "The counts of pages by status are not those of the pages", []
    names = {name for (name,) in ResourceVersion.select(ResourceVersion.name).tuples().execute(db)}
    for name in sorted(db.versioned - names):
        yield f"The version of all rows of {name} is missing", []
    if StoreInfo.select().count(db) != 1:
        yield "The store has not one identity", []
    given = db.last_ids()
    for name, highest in _highest_ids(db).items():
        if highest > given[name]:
            yield f"The next id of {name} is one that is there", []


def rebuild(store: Store, report: Callable[[int], object] = lambda _: None) -> None:
    """Make all of it again. `report` is called with the number of each step that is done.

    Rows whose right values are known nowhere else stay as they are: `verify` names them. Raises
    `DatabaseUnusable` where the damage prevents it, and then nothing has changed.
    """
    try:
        with store.connection() as db, store.transaction(), db.lenient():
            schema.rebuild(db)
            db.dialect.rebuild_search_index(db)
            report(1)
            _rebuild_pages(db)
            PageCount.delete().execute(db)
            PageCount.insert_from(COUNTED, [PageCount.status, PageCount.pages]).execute(db)
            report(2)
            _rebuild_single_rows(db)
            db.advance_sequences(_highest_ids(db))
        report(3)
    except DatabaseError as error:
        raise store.database.unusable(f"cannot be repaired: {error}.") from error


def _broken_pages(db: EngineDatabase) -> Iterator[tuple[int, Row, Row | None]]:
    """Yield the ids of pages of which something differs, with the columns and the text to be.

    What follows from a text that is damaged is not known.
    """
    for rows in batches(db, Page, [Page._meta.fields[name] for name in NAMES]):
        texts = TEXTS.run_on(db, {"first": rows[0][0], "last": rows[-1][0]}).fetchall()
        found = {number: tuple(text) for number, *text in texts}
        for record in rows:
            page = dict(zip(NAMES, record, strict=True))
            try:
                text = fold(page["title_raw"]), fold(page["content_raw"])
                "".join(text).encode()
            except (AttributeError, TypeError, UnicodeError, TextRefused):
                continue
            columns = {"title_key": text[0], **stored_meta_columns(page["meta"])}
            differ = {name: value for name, value in columns.items() if page[name] != value}
            is_right = found.get(page["id"]) == text
            if differ or not is_right:
                row = {"id": page["id"], "title": text[0], "content": text[1]}
                yield page["id"], differ, None if is_right else row


def _rebuild_pages(db: EngineDatabase) -> None:
    for number, columns, text in _broken_pages(db):
        if columns:
            Page.update(columns).where(Page.id == number).execute(db)
        if text:
            PageText.delete().where(PageText.id == number).execute(db)
            PageText.insert(text).execute(db)
    PageText.delete().where(PageText.id.not_in(Page.select(Page.id))).execute(db)


def _rebuild_single_rows(db: EngineDatabase) -> None:
    """Let lists be read again, and add the versions and the identity that are missing."""
    ResourceVersion.update(version=ResourceVersion.version + 1).execute(db)
    names = {name for (name,) in ResourceVersion.select(ResourceVersion.name).tuples().execute(db)}
    missing = db.versioned - names
    for name in missing:
        ResourceVersion.insert(name=name, version=1).execute(db)
    if StoreInfo.select().count(db) != 1:
        StoreInfo.delete().execute(db)
        values = {"identity": secrets.token_hex(16), "generation": secrets.token_hex(5)}
        StoreInfo.insert(values).execute(db)
    elif missing:
        # A counter that begins again comes to numbers that it had before.
        identity.renew_generation(db)


def _highest_ids(db: EngineDatabase) -> dict[str, int]:
    """Return the highest id that is there of each table whose ids the database gives out."""
    numbered = [model for model in TABLES if model.traits.numbered]
    found = {model: model.select(fn.MAX(model._meta.primary_key)).tuples() for model in numbered}
    return {model._meta.table_name: next(iter(q.execute(db)))[0] or 0 for model, q in found.items()}
