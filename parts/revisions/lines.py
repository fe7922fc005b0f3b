"""The lines of pages in an export, with their revisions if these are asked for."""

from landform.parts.part import Exported
from landform.parts.revisions.models import PageRevision
from landform.parts.revisions.schemas import NAMES
from landform.schemas.export import PageLine, StateLine, StoredDateTime
from landform.schemas.fields import Integer, JsonList, Nested, Text
from landform.storage import pages
from landform.storage.maintenance.transfer import parse_json
from landform.storage.rows import Row
from landform.storage.store import Store


class RevisionLine(StateLine):
    """A revision in the line of its page, with the fields that the next write changed."""

    changed = JsonList("", Text(choices=NAMES), required=True)
    replaced_by = Integer(minimum=1, required=True)
    replaced_utc = StoredDateTime(required=True, blank=False)


class RevisedPageLine(PageLine):
    """A page, with its revisions from the oldest on."""

    revisions = JsonList("", Nested("", RevisionLine(), is_bounded=False))


def read_revisions(store: Store, page_id: int) -> dict[str, list[Row]]:
    """Return the `revisions` of a page for its line in an export, the oldest first."""
    query = PageRevision.select().where(PageRevision.page == page_id).order_by(PageRevision.id)
    rows = list(query.dicts().execute(store.database))
    for row in rows:
        row |= {name: parse_json("page_revision", row, name) for name in ("meta", "changed")}
        del row["id"], row["page"]
    return {"revisions": rows}


EXPORTED = Exported(RevisedPageLine(), pages.delete, read_more=read_revisions)
