"""What clients of WordPress and Gravity Forms need: more fields of pages, and other resources.

Each of these fields is constant here, or follows from what a page has. OpenAPI says of the other
resources that they are objects.
"""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from marshmallow import INCLUDE, Schema, post_load

from landform.schemas import fields, pages
from landform.schemas.fields import (
    Computed,
    Constant,
    Ignored,
    JsonObject,
    ListOf,
    Number,
    Part,
    Shown,
)
from landform.schemas.known_names import Tolerant


class EditExcerpt(pages.Content):
    """The excerpt with its source: landform stores none."""

    raw = Constant("Always empty.", "")


class Excerpt(Computed):
    """The beginning of the content: `excerpt_rendered`, which the row has beside its columns."""

    columns: Sequence[str] | None = ("content_rendered", "password")

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        rendered = obj["excerpt_rendered"] if obj["shows_content"] else ""
        return {"rendered": rendered, "protected": bool(obj["password"])}


class EditExcerptField(Excerpt):
    """The beginning of the content, and its source, which is always empty."""

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        return {**super()._serialize(value, attr, obj), "raw": ""}


class Guid(Computed):
    """A URL that a page always has."""

    columns: Sequence[str] | None = ("id",)

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        return {"rendered": f"{obj['urls'].public}/?page_id={obj['id']}"}


class EditGuid(Guid):
    """The same, also as its source."""

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        guid = super()._serialize(value, attr, obj)
        return {**guid, "raw": guid["rendered"]}


class PageLinks(Computed):
    """Where in the API the page is, its list, its type and its author."""

    columns: Sequence[str] | None = ("id", "author")

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        base = obj["urls"].wordpress
        return {
            "self": [{"href": f"{base}/pages/{obj['id']}"}],
            "collection": [{"href": f"{base}/pages"}],
            "about": [{"href": f"{base}/types/page"}],
            "author": [{"embeddable": True, "href": f"{base}/users/{obj['author']}"}],
        }


class GmtDate(Tolerant):
    """The date of a page in UTC, beside the one in the site's local time."""

    date_gmt = fields.DateTime(
        "When the page is published, in UTC; it counts where `date` is absent or null."
    )

    @post_load
    def use_date(self, data: JsonObject, **kw: object) -> JsonObject:
        """Take `date_gmt` for the date where no other one is sent."""
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
    date_gmt = Shown(attribute="date_utc")
    modified_gmt = Shown(attribute="modified_utc")
    guid = Guid(kind=pages.Rendered)
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
    guid = EditGuid(kind=pages.RawAndRendered)
    excerpt = EditExcerptField(kind=EditExcerpt)


class WordPressDeleted(Schema):
    """A page that is gone for good, as it last was."""

    deleted = Constant("", True)
    previous = Part("", WordPressEdit())


# Of all pages `menu_order` is the same, so the newest come first.
ORDERS = (*pages.ORDERS, "menu_order")


class WordPressList(pages.PageList):
    """The query of a list of pages."""

    orderby = fields.Text("", ORDERS, load_default="date")


class Described(Tolerant):
    """The query of what has contexts, all of which show the same here."""

    context = fields.Text("All return the same here.", pages.CONTEXTS, load_default="view")


class Whole(Described):
    """The query of what is returned whole, though clients ask for a page of it."""

    page = Ignored()
    per_page = Ignored()
    order = Ignored()
    orderby = Ignored()


class Anything(Schema):
    """The query of what is the same whatever it is asked, such as a list that is always empty."""

    class Meta:
        unknown = INCLUDE


class UserList(pages.Paged, Described):
    """The query of a list of authors."""

    include = ListOf("Only these authors, by number.", Number())
    exclude = ListOf("Not these authors, by number.", Number())  # type: ignore[assignment] # the metaclass takes it away
    slug = ListOf("Only authors with these slugs.", fields.Text())
    search = pages.Search("Only authors whose name or slug contains this text.")
    order = fields.Text("Which way the list is sorted.", ("asc", "desc"), load_default="asc")
    # An author is a number, so there is one order and one kind of them.
    orderby = Ignored()
    who = Ignored()


class Home(Schema):
    """The root, for programs."""

    name = Shown("The title of the site.")
    description = Shown("What the site is, in a sentence.")
    docs = Shown("The URL of the docs page.")
    openapi = Shown("The URL of this document.")
    wp_json = Shown("The URL of the index for clients of WordPress.")


class FormList(Tolerant):
    """The query of a list of forms."""

    include = ListOf("Only forms with these ids.", Number())


class Caller(Schema):
    """The caller: the name of a credential or key, the author of its pages, its scopes."""

    name = Shown("The name of the credential or key.")
    author = Shown("The author of the pages that the caller creates.", int)
    scopes = Shown("What the caller may do.", list[str])
