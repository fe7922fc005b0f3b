"""The tables of pictures."""

from typing import Any

from peewee import AutoField, BigIntegerField, BlobField, TextField

from landform.storage.models import Table
from landform.storage.search import fold

TEXTS = ("title", "caption", "description")


class Media(Table):
    """A picture. `folder`: the random part of its address; `file`: its name there.

    `sizes`: a JSON list of its variants, each with `name`, `file`, `width` and `height`. `page`:
    the page that it is attached to, 0 for none. `digest`: that of the file as it was sent.
    `title_key` and `searched`: the folded texts that lists order and search.
    """

    exported_by = ("slug",)
    versioned = True
    json_columns = {"sizes": list}
    computed = ("title_key", "searched")
    rendered = ("title_rendered", "caption_rendered", "description_rendered")

    id = AutoField()
    version = BigIntegerField(default=1)
    date = TextField()
    date_utc = TextField()
    modified = TextField()
    modified_utc = TextField()
    slug = TextField()
    author = BigIntegerField()
    page = BigIntegerField(default=0)
    title_raw = TextField()
    title_rendered = TextField()
    title_key = TextField()
    caption_raw = TextField(default="")
    caption_rendered = TextField(default="")
    description_raw = TextField(default="")
    description_rendered = TextField(default="")
    alt_text = TextField(default="")
    searched = TextField()
    mime_type = TextField()
    folder = TextField()
    file = TextField()
    width = BigIntegerField()
    height = BigIntegerField()
    filesize = BigIntegerField()
    sizes = TextField(default="[]")
    digest = TextField()

    @classmethod
    def computed_values(cls, row: dict[str, Any]) -> dict[str, Any]:
        """Return the folded texts of a row, for orders and searches."""
        texts = (*(row[f"{name}_raw"] for name in TEXTS), row["file"], row["alt_text"])
        return {
            "title_key": fold(row["title_raw"], "title"),
            "searched": "\n".join(fold(text) for text in texts),
        }


class MediaFile(Table):
    """A file of a picture where these are in the database, by its path: `folder/file`."""

    copied = False

    path = TextField(primary_key=True)
    content = BlobField()
    created_utc = TextField()


TABLES = (Media, MediaFile)
