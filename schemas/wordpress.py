"""Schemas of pages below `/wp-json/wp/v2`.

Each of these fields is constant or computed from other columns.
"""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from marshmallow import Schema, post_load

from landform.schemas import fields, pages
from landform.schemas.fields import (
    Computed,
    Constant,
    JsonObject,
    Output,
    SameRow,
)
from landform.schemas.known_names import Tolerant
from landform.storage.rows import Row


class EditExcerpt(pages.Content):
    """The excerpt with its source, which is always empty."""

    raw = Constant("Always empty.", "")


class Excerpt(Computed):
    """The beginning of the content, which `make_excerpt` of the row makes."""

    columns: Sequence[str] | None = ("content_rendered", "password")

    def _show(self, row: Row) -> JsonObject:
        rendered = row["make_excerpt"](row["content_rendered"]) if row["shows_content"] else ""
        excerpt = {"rendered": rendered, "protected": bool(row["password"])}
        return {**excerpt, "raw": ""} if self.kind is EditExcerpt else excerpt


class Guid(Computed):
    """The permanent URL of a page, whose id is in a column."""

    def __init__(self, about: str = "", kind: Any = pages.Rendered, column: str = "id") -> None:
        super().__init__(about, kind)
        self.column, self.columns = column, (column,)

    def _show(self, row: Row) -> JsonObject:
        guid = {"rendered": f"{row['urls'].public}/?page_id={row[self.column]}"}
        return {**guid, "raw": guid["rendered"]} if self.kind is pages.RawAndRendered else guid


class PageLinks(Computed):
    """The API URLs of the page, its list, its type and its author."""

    columns: Sequence[str] | None = ("id", "author")

    def _show(self, row: Row) -> JsonObject:
        base = row["urls"].wordpress
        return {
            "self": [{"href": f"{base}/pages/{row['id']}"}],
            "collection": [{"href": f"{base}/pages"}],
            "about": [{"href": f"{base}/types/page"}],
            "author": [{"embeddable": True, "href": f"{base}/users/{row['author']}"}],
        }


class GmtDate(Tolerant):
    """The date of a page in UTC, beside the one in the site's local time."""

    date_gmt = fields.DateTime("When the page is published, in UTC, if `date` is absent or null.")

    @post_load
    def use_date(self, data: JsonObject, **kw: object) -> JsonObject:
        """Use `date_gmt` as the date if no `date` is sent."""
        utc = data.pop("date_gmt", None)
        if utc is None or data.get("date"):
            return data
        return {**data, "date": utc if utc.tzinfo else utc.replace(tzinfo=UTC)}


class WordPressCreate(GmtDate, pages.PageCreate):
    """The body of a create."""


class WordPressUpdate(GmtDate, pages.PageUpdate):
    """The body of an update."""


class WordPressView(pages.PageView):
    """A page in the view context."""

    type = Constant("", "page")
    excerpt = Excerpt(kind=pages.Content)
    featured_media = Constant("", 0)
    _links = PageLinks(kind=dict[str, Any])
    date_gmt = Output(attribute="date_utc")
    modified_gmt = Output(attribute="modified_utc")
    guid = Guid()
    parent = Constant("", 0)
    menu_order = Constant("", 0)
    comment_status = Constant("", "closed")
    ping_status = Constant("", "closed")
    template = Constant("", "")


class WordPressEmbed(WordPressView):
    """A page in the embed context."""

    class Meta:
        fields = (*pages.PageEmbed.Meta.fields, "type", "excerpt", "featured_media", "_links")


class WordPressEdit(WordPressView, pages.PageEdit):
    """A page in the edit context."""

    title = pages.EditTitle(kind=pages.RawAndRendered)
    content = pages.EditPageContent(kind=pages.EditContent)
    guid = Guid(kind=pages.RawAndRendered)
    excerpt = Excerpt(kind=EditExcerpt)


class WordPressDeleted(Schema):
    """A permanently deleted page."""

    deleted = Constant("", True)
    previous = SameRow("", WordPressEdit())


class WordPressList(pages.PageList):
    """The query of a list of pages."""

    # `menu_order` is the same for all pages, so the newest come first.
    orderby = fields.Text("", (*pages.ORDERS, "menu_order"), load_default="date")
