"""Revisions: the earlier states of a page, each stored by the write that replaced it."""

from collections.abc import Sequence

from landform.parts.revisions.errors import RevisionNotFound
from landform.parts.revisions.models import PageRevision
from landform.storage.models import Page
from landform.storage.rows import MAX_INTEGER, Row, Values, json_text
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store, transactional

# The columns whose changes make a revision, with the names of their fields.
RECORDED = {
    "title_raw": "title",
    "content_raw": "content",
    "slug": "slug",
    "status": "status",
    "meta": "meta",
}
FIELDS = PageRevision._meta.fields
COLUMNS = tuple(name for name in FIELDS if name != "id")
# Columns that every list of revisions reads.
COMMON_COLUMNS = ("id", "page", "modified", "modified_utc")
NEWEST_FIRST = PageRevision.id.desc()
INSERT = Prepared(PageRevision.insert({name: Parameter(name) for name in COLUMNS}))
OF_PAGE = PageRevision.page == Parameter("page")
# The author of a state is who replaced the state before it; of the first one the page's author.
WRITER = Prepared(
    PageRevision.select(PageRevision.replaced_by).where(OF_PAGE).order_by(NEWEST_FIRST).limit(1)
)
LAST = PageRevision.select(PageRevision.id).where(OF_PAGE).order_by(NEWEST_FIRST).limit(1)
PRUNE = Prepared(
    PageRevision.delete().where(OF_PAGE, PageRevision.id <= LAST.offset(Parameter("most")))
)
DELETE = Prepared(PageRevision.delete().where(OF_PAGE))


def record(store: Store, old: Row, new: Row, writer: int | None, most: int) -> None:
    """Store the old state of a page as a revision, and delete all but `most` of them.

    Use in the transaction of the write. `writer`: the author number of the caller; None for that of
    the page.
    """
    changed = [field for name, field in RECORDED.items() if old[name] != new[name]]
    if most and changed:
        page = {"page": old["id"], "most": most}
        row = {**old, **page, "changed": json_text(changed)}
        row |= {"replaced_by": writer or new["author"], "replaced_utc": new["modified_utc"]}
        before = WRITER.row(store, row)
        INSERT.run(store, {**row, "author": before[0] if before else old["author"]})
        PRUNE.run(store, page)


def of_page(
    store: Store, page_id: int, query: Values, columns: Sequence[str], most_bytes: int | None
) -> tuple[list[Row], int]:
    """Return a part of the revisions of a page, and the number of all.

    `query` has `page`, `per_page` and `order`. Raises `TooLarge` for rows of more than
    `most_bytes`.
    """
    query_all = PageRevision.select().where(PageRevision.page == page_id)
    order = PageRevision.id if query["order"] == "asc" else NEWEST_FIRST
    fields = [field for name, field in FIELDS.items() if name in {*columns, *COMMON_COLUMNS}]
    part = query_all.select(*fields).order_by(order)
    part = part.paginate(query["page"], query["per_page"])
    return Prepared(part).rows(store, most_bytes=most_bytes), query_all.count(store.database)


def get(store: Store, page_id: int, revision_id: int) -> Row:
    """Return a revision of a page. Raises `RevisionNotFound`."""
    key = PageRevision.id == min(revision_id, MAX_INTEGER), PageRevision.page == page_id
    row: Row | None = PageRevision.select().where(*key).dicts().first(store.database)
    if row is None:
        raise RevisionNotFound
    return row


def following(store: Store, revision: Row) -> Row:
    """Return the state of a page after a revision: the next revision, or the page itself.

    Raises `RevisionNotFound` if the page was deleted meanwhile.
    """
    db, page_id = store.database, revision["page"]
    later = PageRevision.select().where(
        PageRevision.page == page_id, PageRevision.id > revision["id"]
    )
    page = Page.select().where(Page.id == page_id)
    row: Row | None = later.order_by(PageRevision.id).dicts().first(db) or page.dicts().first(db)
    if row is None:
        raise RevisionNotFound
    return row


@transactional
def delete(store: Store, revision_id: int) -> None:
    """Remove a revision."""
    PageRevision.delete().where(PageRevision.id == revision_id).execute(store.database)


def delete_all(store: Store, page_id: int) -> None:
    """Remove the revisions of a page, in the transaction that is open."""
    DELETE.run(store, {"page": page_id})


def replace_all(store: Store, page_id: int, rows: Sequence[Row], most: int) -> None:
    """Replace the revisions of a page, in the transaction that is open.

    `rows`: the oldest first, as the lines of an export have them; the last ones are stored.
    """
    page = {"page": page_id, "most": most}
    DELETE.run(store, page)
    for row in rows:
        texts = {name: json_text(row[name]) for name in ("meta", "changed")}
        INSERT.run(store, {**row, **texts, **page})
    PRUNE.run(store, page)
