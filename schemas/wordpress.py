"""Pages below `/wp-json`: the fields of `pages.py`, and the others of WordPress.

Typed clients of WordPress need those. Each is constant here, or follows from what a page has.
"""

from marshmallow import Schema, fields

from landform.schemas.fields import StoredJson, Text
from landform.schemas.pages import (
    ORDERS,
    PageEdit,
    PageEmbed,
    PageList,
    PageView,
    PublicPageList,
    RawAndRendered,
    Rendered,
    one_of,
)


class Excerpt(Rendered):
    """The first words of the content; none where a password protects it."""

    protected = fields.Boolean()


class EditExcerpt(Excerpt):
    """The excerpt with its source: landform stores none."""

    raw = fields.Constant("")


class OfEveryContext(Schema):
    """The fields of every context of WordPress."""

    type = fields.Constant("page")
    excerpt = fields.Nested(Excerpt)
    featured_media = fields.Constant(0)
    _links = StoredJson()


class OfViewAndEdit(OfEveryContext):
    """The fields of the contexts `view` and `edit` of WordPress."""

    date_gmt = fields.String(attribute="date_utc")
    modified_gmt = fields.String(attribute="modified_utc")
    guid = fields.Nested(Rendered)
    parent = fields.Constant(0)
    menu_order = fields.Constant(0)
    comment_status = fields.Constant("closed")
    ping_status = fields.Constant("closed")
    template = fields.Constant("")


class WordPressEmbed(PageEmbed, OfEveryContext):
    """A page in the embed context."""


class WordPressView(PageView, OfViewAndEdit):
    """A page in the view context."""


class WordPressEdit(PageEdit, OfViewAndEdit):
    """A page in the edit context."""

    guid = fields.Nested(RawAndRendered)
    excerpt = fields.Nested(EditExcerpt)


# Of all pages `menu_order` is the same, so the newest come first.
by_any_order = one_of((*ORDERS, "menu_order"))


class WordPressList(PageList):
    """The query of a list."""

    orderby = Text(validate=by_any_order, load_default="date")


class PublicWordPressList(PublicPageList):
    """The query of a list by callers without the scope pages:read."""

    orderby = Text(validate=by_any_order, load_default="date")
