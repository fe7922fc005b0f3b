"""Former slugs: those that published pages had, until other pages take them."""

from landform.storage.models import FormerSlug, Page
from landform.storage.rows import Row
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# So many are kept of each page, the last ones.
MOST = 100
MINE = FormerSlug.page == Parameter("page")
KEEP = Prepared(
    FormerSlug.insert(slug=Parameter("slug"), page=Parameter("page")).on_conflict(
        conflict_target=[FormerSlug.slug], preserve=[FormerSlug.page]
    )
)
TAKE = Prepared(FormerSlug.delete().where(FormerSlug.slug == Parameter("slug")))
DROP = Prepared(FormerSlug.delete().where(MINE))
BEYOND = FormerSlug.select(FormerSlug.id).where(MINE).order_by(FormerSlug.id.desc())
PRUNE = Prepared(
    FormerSlug.delete().where(MINE, FormerSlug.id <= BEYOND.limit(1).offset(Parameter("most")))
)
CURRENT = Prepared(
    Page.select(Page.slug)
    .join(FormerSlug, on=FormerSlug.page == Page.id)
    .where(FormerSlug.slug == Parameter("slug"))
)


def follow(store: Store, old: Row | None, new: Row) -> None:
    """Note that a page has another slug, in the transaction of the write.

    The trash ends its former slugs, and no other page has the slug that it takes as a former one.
    """
    was = old["slug"] if old else ""
    if new["status"] == "trash":
        DROP.run(store, {"page": new["id"]})
    if new["slug"] == was:
        return
    TAKE.run(store, {"slug": new["slug"]})
    if new["status"] != "trash" and old and was and old["status"] == "publish":
        KEEP.run(store, {"slug": was, "page": new["id"]})
        PRUNE.run(store, {"page": new["id"], "most": MOST})


def current(store: Store, slug: str) -> str | None:
    """Return the slug of the page that had this one before; None where no page has."""
    found = CURRENT.row(store, {"slug": slug})
    return found[0] if found else None
