"""Schemas of revisions of pages."""

from collections.abc import Sequence
from typing import Any

from marshmallow import Schema

from landform.schemas import fields, pages, wordpress
from landform.schemas.fields import Computed, Constant, JsonObject, Output, SameRow, StoredJson
from landform.schemas.known_names import Tolerant
from landform.storage.rows import Row

NAMES = ("title", "content", "slug", "status", "meta")


class RevisionList(pages.Paged, pages.InContext):
    """The query of a list of revisions."""

    order = fields.Text("Newest or oldest first.", ("asc", "desc"), load_default="desc")


class RevisionRead(pages.InContext):
    """The query of a revision."""

    diff = fields.Flag(
        "Whether the changes after it are returned too, in the context `edit`.", load_default=False
    )


class RevisionRestore(Tolerant):
    """The body of a restore."""

    fields = fields.JsonList(  # type: ignore[assignment] # the metaclass takes it away
        "The fields that are restored, by default all. Only a delete trashes a page.",
        fields.Text(choices=NAMES),
        load_default=[*NAMES],
    )


class ParentLink(Computed):
    """The API URL of the page, below the `root_url` of the row."""

    columns: Sequence[str] | None = ("page",)

    def _show(self, row: Row) -> JsonObject:
        return {"parent": [{"href": f"{row['root_url']}/pages/{row['page']}"}]}


class RevisionView(Schema):
    """A page as it was before a write changed it."""

    id = Output("The number of the revision.", int)
    parent = Output("The number of the page.", int, attribute="page")
    author = Output("The number of the author of this revision.", int)
    date = Output("When this was written, in the site's local time.", attribute="modified")
    date_gmt = Output("When this was written, in UTC.", attribute="modified_utc")
    modified = Output("The same as `date`.")
    modified_gmt = Output("The same as `date_gmt`.", attribute="modified_utc")
    guid = wordpress.Guid("A URL of the page.", column="page")
    slug = Output("The slug of the page then.")
    status = Output("The status of the page then.")
    title = pages.Title("The title then.", pages.Rendered)
    content = pages.PageContent("The content then.", pages.Content)
    excerpt = wordpress.Excerpt("The beginning of the content.", pages.Content)
    meta = pages.StoredMeta("The custom fields then.")
    changed = StoredJson("The names of the fields that the next write changed.", list[str])
    replaced_by = Output("The number of the author of that write.", int)
    replaced_gmt = Output("When that write was made, in UTC.", attribute="replaced_utc")
    _links = ParentLink("A link to the page.", dict[str, Any])


class RevisionEmbed(RevisionView):
    """A revision in the embed context."""

    class Meta:
        fields = ("id", "parent", "author", "date", "slug", "title", "excerpt", "_links")


class RevisionEdit(RevisionView):
    """A revision in the edit context."""

    guid = wordpress.Guid("", pages.RawAndRendered, "page")
    title = pages.EditTitle("", pages.RawAndRendered)
    content = pages.EditPageContent("", pages.EditContent)
    excerpt = wordpress.Excerpt("", wordpress.EditExcerpt)


class RevisionDiff(RevisionEdit):
    """A revision with the changes that the next write made."""

    diff = Output(
        "Each changed field with its value `before` and `after`. Of the content it is a unified "
        "diff; null if that has more than 1000 lines.",
        dict[str, Any],
    )


class RevisionDeleted(Schema):
    """A deleted revision."""

    deleted = Constant("Always true.", True)
    previous = SameRow("The revision.", RevisionEdit())
