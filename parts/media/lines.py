"""The lines of pictures in an export; their files are in a folder beside it."""

from marshmallow import ValidationError, validate

from landform.parts.media import storage
from landform.parts.media.files import FILE_PATH
from landform.parts.media.pictures import MIME_TYPES
from landform.parts.part import Exported
from landform.schemas.export import SLUG, Line, StoredDateTime, StoredText
from landform.schemas.fields import Integer, JsonList, Nested, Text
from landform.schemas.known_names import KnownOnly


def check_name(name: str) -> None:
    """Refuse a text that is not the name of a file."""
    if not FILE_PATH.fullmatch(f"{'0' * 16}/{name}"):
        raise ValidationError("is not the name of a file.")


class SizeLine(KnownOnly):
    """A smaller size in the line of its picture."""

    name = Text(required=True)
    file = Text(validate=check_name, required=True)
    width = Integer(minimum=1, required=True)
    height = Integer(minimum=1, required=True)


class MediaLine(Line):
    """A picture."""

    date = StoredDateTime(required=True, blank=False)
    date_utc = StoredDateTime(required=True, blank=False)
    modified = StoredDateTime(required=True, blank=False)
    slug = Text(required=True, blank=False, validate=SLUG)
    author = Integer(minimum=1, required=True)
    page = Integer(minimum=0, required=True)
    title_raw = StoredText(required=True)
    title_rendered = StoredText(required=True)
    caption_raw = StoredText(required=True)
    caption_rendered = StoredText(required=True)
    description_raw = StoredText(required=True)
    description_rendered = StoredText(required=True)
    alt_text = StoredText(required=True)
    mime_type = Text(choices=[*MIME_TYPES.values()], required=True)
    folder = Text(required=True, validate=validate.Regexp(r"[0-9a-z]{16,64}\Z"))
    file = Text(validate=check_name, required=True)
    width = Integer(minimum=1, required=True)
    height = Integer(minimum=1, required=True)
    filesize = Integer(minimum=1, required=True)
    sizes = JsonList("", Nested("", SizeLine(), is_bounded=False), required=True)
    digest = StoredText(required=True)


EXPORTED = Exported(MediaLine(), storage.delete)
