"""Schemas of pictures."""

import json
from typing import Any

from marshmallow import Schema

from landform.schemas import fields, pages
from landform.schemas.fields import (
    Computed,
    Constant,
    JsonObject,
    ListOf,
    Number,
    Output,
    RowSchema,
    SameRow,
)
from landform.schemas.wordpress import GmtDate
from landform.storage.rows import Row

MEDIA_TYPES = ("image", "video", "text", "application", "audio")
LONGEST_DESCRIPTION = 100_000


class MediaWrite(GmtDate, pages.ItemWrite):
    """The fields of a create and an update; what a picture has beside them is ignored."""

    # Null detaches a picture from its page.
    nullable = ("date", "post")

    caption = fields.RawText("The caption, HTML or text.", longest=LONGEST_DESCRIPTION)
    description = fields.RawText("The description, HTML or text.", longest=LONGEST_DESCRIPTION)
    alt_text = fields.Text("What the picture shows, for people who do not see it: without HTML.")
    post = fields.Integer("The page that it is attached to; 0 or null for none.", 0)


class MediaInContext(pages.InContext):
    """The query of a picture."""

    context = fields.Text(
        "Which fields are returned: `view`, `embed` for a few of them, `edit` with the raw texts "
        "too, which needs the scope `media:read`.",
        pages.CONTEXT_NAMES,
        load_default="view",
    )


class MediaList(pages.ItemList, MediaInContext):
    """The query of a list of pictures."""

    parent = ListOf("Only pictures of these pages; 0 for those of none.", Number())
    parent_exclude = ListOf("No pictures of these pages.", Number())
    media_type = ListOf(
        "Only files of these types: all are `image`.", fields.Text(choices=MEDIA_TYPES)
    )
    mime_type = ListOf("Only files of these types, such as `image/png`.", fields.Text())


class SourceUrl(Computed):
    """The URL of a picture, below the `files_url` of the row."""

    def _show(self, row: Row) -> str:
        return f"{row['files_url']}/{row['folder']}/{row['file']}"


class Guid(SourceUrl):
    """The URL of a picture, as WordPress has it."""

    def _show(self, row: Row) -> Any:
        url = super()._show(row)
        is_edit = self.kind is pages.RawAndRendered
        return {"rendered": url, **({"raw": url} if is_edit else {})}


class MediaText(Computed):
    """A text as HTML, in the context `edit` also as it was sent; its name is that of the field."""

    def _show(self, row: Row) -> JsonObject:
        text = {"rendered": row[f"{self.name}_rendered"]}
        is_edit = self.kind is pages.RawAndRendered
        return {**text, "raw": row[f"{self.name}_raw"]} if is_edit else text


class MediaSize(Schema):
    """A size of a picture."""

    file = Output("The name of its file.")
    width = Output("Its width in pixels.", int)
    height = Output("Its height in pixels.", int)
    mime_type = Output("Its type.")
    source_url = Output("Its URL.")


class Details(Schema):
    """What is known of the file."""

    width = Output("The width in pixels.", int)
    height = Output("The height in pixels.", int)
    file = Output("The path of the file.")
    filesize = Output("Its size in bytes.", int)
    sizes = Output("Its smaller sizes by name, and `full` beside them.", dict[str, MediaSize])


class MediaDetails(Computed):
    """The file and its sizes, below the `files_url` of the row."""

    def _show(self, row: Row) -> JsonObject:
        base, sizes = f"{row['files_url']}/{row['folder']}", json.loads(row["sizes"])
        if sizes:
            sizes += [{"name": "full", **{name: row[name] for name in ("file", "width", "height")}}]
        for size in sizes:
            size |= {"mime_type": row["mime_type"], "source_url": f"{base}/{size['file']}"}
        return {
            **{name: row[name] for name in ("width", "height", "filesize")},
            "file": f"{row['folder']}/{row['file']}",
            "sizes": {size.pop("name"): size for size in sizes},
        }


class AttachedTo(Output):
    """The number of the page that a picture is attached to, or null."""

    def _show(self, row: Row) -> int | None:
        return row["page"] or None


class EmptyList(Computed):
    """A list that is always empty."""

    def _show(self, row: Row) -> list[Any]:
        return []


class ClassList(Computed):
    """The classes that WordPress gives to an item."""

    def _show(self, row: Row) -> list[str]:
        return [f"post-{row['id']}", "attachment", "type-attachment", "status-inherit", "hentry"]


class MediaView(RowSchema):
    """A picture in the view context. The row also needs `files_url`."""

    id = Output("The number of the picture.", int)
    date = Output("When it was published, in the site's local time.")
    date_gmt = Output("When it was published, in UTC.", attribute="date_utc")
    guid = Guid("Its URL.", pages.Rendered)
    modified = Output("When it was last written, in the site's local time.")
    modified_gmt = Output("When it was last written, in UTC.", attribute="modified_utc")
    slug = Output("Its name among pictures.")
    status = Constant("Always `inherit`.", "inherit")
    type = Constant("Always `attachment`.", "attachment")
    link = SourceUrl("Its URL.")
    title = MediaText("The title.", pages.Rendered)
    author = Output("The number of the author.", int)
    featured_media = Constant("Always 0.", 0)
    comment_status = Constant("Always `closed`.", "closed")
    ping_status = Constant("Always `closed`.", "closed")
    template = Constant("Always empty.", "")
    meta = EmptyList("Always empty.", list[Any])
    class_list = ClassList("The classes that WordPress gives to an item.", list[str])
    description = MediaText("The description.", pages.Rendered)
    caption = MediaText("The caption.", pages.Rendered)
    alt_text = Output("What it shows, for people who do not see it.")
    media_type = Constant("Always `image`.", "image")
    mime_type = Output("Its type, such as `image/jpeg`.")
    media_details = MediaDetails("The file and its sizes.", Details)
    post = AttachedTo(
        "The number of the page that it is attached to, or null.",
        int,
        attribute="page",
        allow_none=True,
    )
    source_url = SourceUrl("The URL of the file.")


class MediaEmbed(MediaView):
    """A picture in the embed context."""

    class Meta:
        fields = tuple(
            "id date slug type link title author caption alt_text media_type mime_type "
            "media_details source_url".split()
        )


class MediaEdit(MediaView):
    """A picture in the edit context."""

    guid = Guid("", pages.RawAndRendered)
    title = MediaText("", pages.RawAndRendered)
    description = MediaText("", pages.RawAndRendered)
    caption = MediaText("", pages.RawAndRendered)
    missing_image_sizes = EmptyList("Always empty: all sizes are there.", list[str])
    permalink_template = SourceUrl("Its URL.")
    generated_slug = Output("Its slug.", attribute="slug")


class MediaDeleted(Schema):
    """A deleted picture."""

    deleted = Constant("Always true.", True)
    previous = SameRow("The picture before it was deleted.", MediaEdit())


class UsedByPages(Schema):
    """The pages that use a picture."""

    pages = Output("The ids of the pages, of many only the first.", list[int])
