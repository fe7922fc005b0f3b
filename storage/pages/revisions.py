"""Revisions: what pages were before writes that changed what readers see of them."""

import json
from collections.abc import Sequence

from landform.storage.errors import RevisionNotFound
from landform.storage.models import Page, PageRevision
from landform.storage.rows import MAX_INTEGER, Row, Values, json_text
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store, transactional

# The columns whose changes are kept, with the names of their fields.
KEPT = {
    "title_raw": "title", "content_raw": "content", "slug": "slug", "status": "status",
    "meta": "meta",
}  # fmt: skip
FIELDS = PageRevision._meta.fields
COLUMNS = tuple(name for name in FIELDS if name != "id")
ALWAYS = ("id", "page", "modified", "modified_utc")
NEWEST_FIRST = PageRevision.id.desc()
INSERT = Prepared(PageRevision.insert({name: Parameter(name) for name in COLUMNS}))
OF_PAGE = PageRevision.page == Parameter("page")
# A revision was written by whoever wrote over the one before it; the first one by the author.
WRITER = Prepared(
    PageRevision.select(PageRevision.replaced_by).where(OF_PAGE).order_by(NEWEST_FIRST).limit(1)
)
LAST = PageRevision.select(PageRevision.id).where(OF_PAGE).order_by(NEWEST_FIRST).limit(1)
PRUNE = Prepared(
    PageRevision.delete().where(OF_PAGE, PageRevision.id <= LAST.offset(Parameter("most")))
)
DELETE = Prepared(PageRevision.delete().where(OF_PAGE))


def keep(store: Store, old: Row, new: Row, writer: int | None) -> None:
    """Keep what a page was, in the transaction of a write that changes it, and drop the oldest.

    `writer`: the number of who writes; None for the author of the page.
    """
    changed = [field for name, field in KEPT.items() if old[name] != new[name]]
    if store.revisions and changed:
        row = {**old, "page": old["id"], "changed": json_text(changed)}
        row |= {"replaced_by": writer or new["author"], "replaced_utc": new["modified_utc"]}
        before = WRITER.row(store, row)
        INSERT.run(store, {**row, "author": before[0] if before else old["author"]})
        PRUNE.run(store, {"page": old["id"], "most": store.revisions})


def of_page(
    store: Store, page_id: int, query: Values, columns: Sequence[str], most_bytes: int | None
) -> tuple[list[Row], int]:
    """Return a part of the revisions of a page, and how many it has.

    `query` holds `page`, `per_page` and `order`. `TooLarge` for more than so many bytes.
    """
    found = PageRevision.select().where(PageRevision.page == page_id)
    order = PageRevision.id if query["order"] == "asc" else NEWEST_FIRST
    fields = [field for name, field in FIELDS.items() if name in {*columns, *ALWAYS}]
    part = found.select(*fields).order_by(order)
    part = part.paginate(query["page"], query["per_page"])
    return Prepared(part).rows(store, most_bytes=most_bytes), found.count(store.database)


def get(store: Store, page_id: int, revision_id: int) -> Row:
    """Return a revision of a page; `RevisionNotFound` where it has none with this id."""
    mine = PageRevision.id == min(revision_id, MAX_INTEGER), PageRevision.page == page_id
    row: Row | None = PageRevision.select().where(*mine).dicts().first(store.database)
    if row is None:
        raise RevisionNotFound
    return row


def following(store: Store, revision: Row) -> Row:
    """Return what a page was after a revision: the next one, or the page as it is now."""
    mine, db = PageRevision.page == revision["page"], store.database
    later = PageRevision.select().where(mine, PageRevision.id > revision["id"])
    page = Page.select().where(Page.id == revision["page"])
    row: Row | None = later.order_by(PageRevision.id).dicts().first(db) or page.dicts().first(db)
    if row is None:
        # It was deleted meanwhile.
        raise RevisionNotFound
    return row


@transactional
def delete(store: Store, revision_id: int) -> None:
    """Remove a revision."""
    PageRevision.delete().where(PageRevision.id == revision_id).execute(store.database)


def all_of(store: Store, page_id: int) -> list[Row]:
    """Return the revisions of a page, the oldest first, but for their ids."""
    fields = [FIELDS[name] for name in COLUMNS if name != "page"]
    found = PageRevision.select(*fields).where(PageRevision.page == page_id)
    rows = found.order_by(PageRevision.id).dicts().execute(store.database)
    return [{**row, "changed": json.loads(row["changed"])} for row in rows]


def replace_all(store: Store, page_id: int, rows: Sequence[Row]) -> None:
    """Let a page have these revisions, the oldest first, in the transaction that is open.

    As many are kept as of any page.
    """
    DELETE.run(store, {"page": page_id})
    for row in rows:
        texts = {name: json_text(row[name]) for name in ("meta", "changed")}
        INSERT.run(store, {**row, **texts, "page": page_id})
    PRUNE.run(store, {"page": page_id, "most": store.revisions})
