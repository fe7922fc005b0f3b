"""Former slugs: those that published pages had, until other pages take them."""

from peewee import SQL, fn

from landform.storage.models import FormerSlug, Page
from landform.storage.rows import Row
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# So many are kept of each page, the last ones.
MOST = 100
MINE = FormerSlug.page == Parameter("page")
KEEP = Prepared(FormerSlug.insert(slug=Parameter("slug"), page=Parameter("page")))
TAKE = Prepared(FormerSlug.delete().where(FormerSlug.slug == Parameter("slug")))
DROP = Prepared(FormerSlug.delete().where(MINE))
BEYOND = FormerSlug.select(FormerSlug.id).where(MINE).order_by(FormerSlug.id.desc())
PRUNE = Prepared(
    FormerSlug.delete().where(MINE, FormerSlug.id <= BEYOND.limit(1).offset(Parameter("most")))
)
Other = Page.alias()
TAKEN = Other.select(SQL("1")).where(Other.slug == Parameter("slug"), Other.slug != SQL("''"))
CURRENT = Prepared(
    Page.select(Page.slug)
    .join(FormerSlug, on=FormerSlug.page == Page.id)
    .where(FormerSlug.slug == Parameter("slug"), ~fn.EXISTS(TAKEN))
)


def follow(store: Store, old: Row, new: Row | None) -> None:
    """Note that a page leaves its slug, in the transaction of the write; `new`: None for a delete.

    Nobody else has left that slug later. The trash ends the former slugs of a page.
    """
    is_gone = new is None or new["status"] == "trash"
    if is_gone:
        DROP.run(store, {"page": old["id"]})
    if new is None or new["slug"] != old["slug"]:
        TAKE.run(store, {"slug": old["slug"]})
        if old["slug"] and old["status"] == "publish" and not is_gone:
            KEEP.run(store, {"slug": old["slug"], "page": old["id"]})
            PRUNE.run(store, {"page": old["id"], "most": MOST})


def current(store: Store, slug: str) -> str | None:
    """Return the slug of the page that had this one before; None where a page has it, or none."""
    found = CURRENT.row(store, {"slug": slug})
    return found[0] if found else None
