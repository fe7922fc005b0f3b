"""The lines of an export: each a page, a feed or a row of a part, with all its columns."""

from contextlib import suppress
from datetime import datetime
from functools import partial
from math import inf

from marshmallow import ValidationError, validate, validates_schema

from landform.schemas.fields import Data, Flag, IdText, Integer, JsonObject, Nested, Text
from landform.schemas.known_names import KnownOnly
from landform.schemas.pages import STATUSES, PageMeta

SLUG = validate.Regexp(r"[%a-z0-9_-]{0,200}\Z", error="is not a slug.")

# Leaves room for the next numbers, which must also be integers of a database.
LARGEST = 2**62


# A stored text of any length.
StoredText = partial(Text, longest=inf)


class StoredDateTime(Text):
    """A stored date and time, `2026-01-31T12:00:00`, or an empty text."""

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        text = super()._deserialize(value, attr, data, **kw)
        with suppress(ValueError):
            if not text or (len(text) == 19 and datetime.fromisoformat(text).isoformat() == text):
                return text
        raise ValidationError(f"{attr} must look like 2026-01-31T12:00:00.")


class Line(KnownOnly):
    """The fields that all lines have in common."""

    id = Integer(minimum=1, maximum=LARGEST, required=True)
    version = Integer(minimum=1, maximum=LARGEST, required=True)
    modified_utc = StoredDateTime(required=True)


class MetaLine(KnownOnly, PageMeta):
    """The custom fields of a page; unknown keys are refused too."""

    starts_at = StoredText()
    ends_at = StoredText()
    form_id = IdText(longest=inf)


class StateLine(KnownOnly):
    """The fields that pages and their states before writes have in common."""

    status = Text(choices=(*STATUSES, "trash"), required=True)
    modified = StoredDateTime(required=True, blank=False)
    modified_utc = StoredDateTime(required=True)
    author = Integer(minimum=1, required=True)
    slug = Text(required=True, validate=SLUG)
    meta = Nested("", MetaLine(), is_bounded=False, required=True)
    title_raw = StoredText(required=True)
    title_rendered = StoredText(required=True)
    block_version = Integer(minimum=0, maximum=1, required=True)
    content_raw = StoredText(required=True)
    content_rendered = StoredText(required=True)


class PageLine(StateLine, Line):
    """A page."""

    date = StoredDateTime(required=True, blank=False)
    date_utc = StoredDateTime(required=True, blank=False)
    date_floats = Flag(required=True)
    slug_before_trash = Text(required=True, validate=SLUG)
    password = StoredText(required=True)

    @validates_schema
    def check_content(self, data: JsonObject, **kw: object) -> None:
        """Refuse a page without title and content, or without a slug that it needs."""
        if not data["title_raw"] and not data["content_raw"]:
            raise ValidationError("A page needs a title or content.", "title_raw")
        if not data["slug"] and data["status"] not in ("draft", "pending", "trash"):
            raise ValidationError("This page needs a slug.", "slug")
