"""Pages and their previews: a schema for each context, each write and each query."""

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import orjson
from marshmallow import Schema, ValidationError, pre_load, validates_schema

from landform.schemas import fields
from landform.schemas.fields import (
    CodedMessage,
    Computed,
    Constant,
    Data,
    JsonObject,
    ListOf,
    Number,
    Part,
    Shown,
    StoredJson,
    required,
)
from landform.schemas.known_names import Tolerant
from landform.storage.search import SHORTEST_INDEXED, parse

CONTEXTS = ("view", "embed", "edit")
STATUSES = ("publish", "future", "draft", "pending", "private")
TRASH = "trash"
LISTED_STATUSES = (*STATUSES, TRASH, "any")
ORDERS = (
    "author", "date", "id", "include", "modified", "parent", "relevance", "slug",
    "include_slugs", "title",
)  # fmt: skip
# What `open_at` says for the present moment.
NOW = "now"
DAY = 24 * 60 * 60
LONGEST_PASSWORD, LONGEST_CONTENT = 255, 2_000_000
# The largest `page` and `offset`.
FURTHEST = 1_000_000_000
LONGEST_SEARCH, MOST_WORDS, MOST_SHORT_WORDS = 1000, 100, 3
WORD_ENDS = re.compile(r"[\s,+]+")
SEARCH_COLUMNS = ("title", "content", "excerpt")
# Texts that linters take for passwords where they are said of one.
FOR_READERS = "The password that readers need to see the content; empty for none."
OF_A_PAGE = "The password of a protected page; `X-Page-Password` keeps it out of URLs."
WITH_A_SLUG = "The password of the page that `slug` names; `X-Page-Password` keeps it out of URLs."
OPENS_PAGE = "What opens the page: `GET /pages/{page_id}?preview=` and the token."


class Rendered(Schema):
    """A text as readers see it."""

    rendered = Shown("The text as HTML, as readers get it.")


class RawAndRendered(Rendered):
    """A text as it was sent and as readers see it."""

    raw = Shown("The text as it was sent.")


class Content(Rendered):
    """The content; `protected` where the page has a password."""

    protected = Shown("Whether the page has a password; without it, `rendered` is empty.", bool)


class EditContent(Content):
    """The content with its source; `block_version` is 1 where it is made of blocks."""

    raw = Shown("The content as it was sent.")
    block_version = Shown("1 where the content is made of blocks, otherwise 0.", int)


class PageMeta(Tolerant):
    """The custom fields of a page; null resets one to its empty value. Others are dropped."""

    starts_at = fields.Text("From when visitors see the page: a date, perhaps with a time.")
    ends_at = fields.Text("Until when they do: a date, which counts as a whole, or with a time.")
    form_id = fields.IdText("The id of the form on the page; empty if unset.")
    viral_share = fields.AnyList("Settings for sharing the page: any values.")
    instant_win = fields.AnyList("Settings of an instant-win game: any values.")
    language = fields.AnyList("The languages of the page: any values, usually codes such as `en`.")
    gallery = fields.AnyList("The pictures of the page: any values.")

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """Let each be null."""
        field_obj.allow_none = True

    @pre_load
    def reset_null(self, data: object, **kw: object) -> object:
        """Put the empty value where there is null."""
        if not isinstance(data, dict):
            return data
        return {key: EMPTY_META.get(key) if val is None else val for key, val in data.items()}


META_FIELDS: dict[str, Any] = PageMeta().fields
EMPTY_META: JsonObject = {
    name: [] if isinstance(field, fields.AnyList) else "" for name, field in META_FIELDS.items()
}


class StoredMeta(StoredJson):
    """The custom fields as rows hold them; one that a row lacks is empty."""

    python_type = "PageMeta"
    json_type = {
        "type": "object",
        "required": [*EMPTY_META],
        "properties": {
            name: {
                **(field.json_type if isinstance(field, fields.AnyList) else fields.STRING),
                "description": field.description,
            }
            for name, field in META_FIELDS.items()
        },
    }

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kw: object) -> Any:
        try:
            stored = orjson.loads(value)
        except orjson.JSONDecodeError:
            # An integer beyond a double, which only the standard library reads.
            stored = json.loads(value)
        # The same text if no custom field is missing.
        if not stored.keys() >= EMPTY_META.keys():
            meta = {**EMPTY_META, **json.loads(value)}
            value = json.dumps(meta, ensure_ascii=False, separators=(",", ":"))
        return orjson.Fragment(value)


class Title(Computed):
    """The title of a page as HTML."""

    columns: Sequence[str] | None = ("title_rendered",)

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        return {"rendered": obj["title_rendered"]}


class EditTitle(Title):
    """The title of a page as HTML and as it was sent."""

    columns: Sequence[str] | None = ("title_rendered", "title_raw")

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        return {"rendered": obj["title_rendered"], "raw": obj["title_raw"]}


class PageContent(Computed):
    """The content of a page as HTML, or no text where the row says not `shows_content`."""

    columns: Sequence[str] | None = ("content_rendered", "password")

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        rendered = obj["content_rendered"] if obj["shows_content"] else ""
        return {"rendered": rendered, "protected": bool(obj["password"])}


class EditPageContent(PageContent):
    """The content of a page as HTML and as it was sent."""

    columns: Sequence[str] | None = ("content_rendered", "password", "content_raw", "block_version")

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> JsonObject:
        content = super()._serialize(value, attr, obj)
        return {**content, "raw": obj["content_raw"], "block_version": obj["block_version"]}


class Link(Computed):
    """The public URL of a page, by the `urls` of the row."""

    columns: Sequence[str] | None = ("id", "slug", "status")

    def _serialize(self, value: object, attr: str | None, obj: Any, **kw: object) -> str:
        return str(obj["urls"].page_link(obj))


class PageView(Schema):
    """A page in the view context.

    A row has its columns and `urls` (`service.page_urls.Urls`), and says whether it
    `shows_content`.
    """

    id = Shown("The number of the page.", int)
    date = Shown("When the page was or will be published, in the site's local time.")
    modified = Shown("When the page was last written, in the site's local time.")
    slug = Shown("The part of the URL that names the page; that of a draft may be empty.")
    status = Shown("The status.", choices=(*STATUSES, TRASH))
    link = Link("The public URL of the page.")
    title = Title("The title.", Rendered)
    content = PageContent("The content.", Content)
    author = Shown("The number of the author.", int)
    meta = StoredMeta("The custom fields.")


class PageEmbed(PageView):
    """A page in the embed context."""

    class Meta:
        fields = ("id", "date", "slug", "link", "title", "author")


class PageEdit(PageView):
    """A page in the edit context."""

    password = Shown(FOR_READERS)
    title = EditTitle("", RawAndRendered)
    content = EditPageContent("", EditContent)


class PageDeleted(Schema):
    """A page that is gone for good, as it last was."""

    deleted = Constant("Always true.", True)
    previous = Part("The page as it last was.", PageEdit())


class PageWrite(Tolerant):
    """The fields of both writes of a page; unknown keys are ignored, as WordPress does."""

    title = fields.RawText("The title: a string, or an object with `raw`.", trim=True)
    date = fields.DateTime(
        "When the page is published: in the site's local time, or with an offset; null is now.",
        allow_none=True,
        load_default=None,
    )
    slug = fields.Text("The name in the URL; if taken, with a number.", line=True, load_default="")
    status = fields.Text(
        "The status; a new page is `publish` by default, `draft` below `/wp-json`. `publish` with "
        "a date in the future becomes `future`.",
        STATUSES,
    )
    password = fields.Text(FOR_READERS, longest=LONGEST_PASSWORD, load_default="")
    content = fields.RawText(
        "HTML, text or block markup: a string, or an object with `raw`.",
        longest=LONGEST_CONTENT,
        load_default="",
    )
    author = fields.Integer("The number of the author; by default that of the caller.", 1)
    meta = fields.Nested(
        "The custom fields; an update changes those that are sent.", PageMeta(), load_default=dict
    )

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """Let each be null that is not required."""
        field_obj.allow_none = not field_obj.required

    @pre_load
    def leave_out_null(self, data: JsonObject, **kw: object) -> JsonObject:
        """Take null for what is not sent, as WordPress does; a date of null is the present."""
        sent = {name: one for name, one in data.items() if one is not None or name == "date"}
        # PHP cannot tell an empty list from empty meta.
        return {**sent, "meta": {}} if sent.get("meta") == [] else sent


class PageCreate(PageWrite):
    """The body of a create."""

    title = fields.RawText(trim=True, **required("title"))

    @pre_load
    def refuse_id(self, data: JsonObject, **kw: object) -> JsonObject:
        """Refuse an id: the service gives it."""
        if data.get("id"):
            message = CodedMessage("rest_post_exists", "A page to be created must not have an id.")
            raise ValidationError(message, "id")
        return data


class PageUpdate(PageWrite):
    """The body of an update: all of it optional, what is absent stays."""

    status = fields.Text(
        "The status; `trash` only where the page has it. `publish` with a date in the future "
        "becomes `future`.",
        (*STATUSES, TRASH),
    )

    def __init__(self) -> None:
        super().__init__(partial=True)


class PageUnsaved(PageUpdate):
    """The fields of a page to be shown before it is stored."""

    id = fields.Integer("The page that has the fields that are not sent.", 1)


class PageDocument(Schema):
    """A page as visitors would see it."""

    html = Shown("The HTML document.")


class InContext(Tolerant):
    """A query that chooses a context."""

    context = fields.Text(
        "Which fields are returned: `view` for readers, `embed` for a few of them, `edit` with the "
        "password and the raw texts too, which needs the scope `pages:read`.",
        CONTEXTS,
        load_default="view",
    )


class PageRead(InContext):
    """The query of a single page."""

    password = fields.Text(OF_A_PAGE, longest=LONGEST_PASSWORD, load_default="")
    preview = fields.Text("The token of a preview of the page.", load_default="")


class PageDelete(Tolerant):
    """The parameters of a delete."""

    force = fields.Flag("Delete it permanently, not into the trash.", load_default=False)


def check_search(text: str) -> None:
    """Refuse too many words; few may be too short for the full-text index, and read every text."""
    if len(WORD_ENDS.split(text.strip())) > MOST_WORDS:
        raise ValidationError(f"search must not have more than {MOST_WORDS} words.")
    if len(parse(text).short) > MOST_SHORT_WORDS:
        raise ValidationError(
            f"search must not have more than {MOST_SHORT_WORDS} words of fewer than "
            f"{SHORTEST_INDEXED} characters."
        )


Search = partial(fields.Text, longest=LONGEST_SEARCH, validate=check_search)


class Column(fields.Text):
    """The name of a column to search, also with WordPress's `post_` in front."""

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        name = value.removeprefix("post_") if isinstance(value, str) else value
        return super()._deserialize(name, attr, data, **kw)


class Instant(fields.DateTime):
    """A date and time, or the word `now`."""

    json_type = {"anyOf": [{**fields.STRING, "const": NOW}, fields.DateTime.json_type]}
    wordpress_type = fields.STRING

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> Any:
        return NOW if value == NOW else super()._deserialize(value, attr, data, **kw)


class Paged(Tolerant):
    """The query of a list that comes in pages of results."""

    page = fields.Integer("Which page of results is returned.", 1, FURTHEST, load_default=1)
    per_page = fields.Integer("How many items a page of results has.", 1, 100, load_default=10)


class PageList(Paged, InContext):
    """The query of a list of pages."""

    search = Search(
        'Words that title or content must contain, all of them; `"two words"` in quotes count as '
        "one, and `-word` excludes."
    )
    after = fields.DateTime("Only pages published after this time.")
    before = fields.DateTime("Only pages published before this time.")
    modified_after = fields.DateTime("Only pages last written after this time.")
    modified_before = fields.DateTime("Only pages last written before this time.")
    author = ListOf("Only pages of these authors, by number.", Number())
    author_exclude = ListOf("No pages of these authors, by number.", Number())
    include = ListOf("Only pages with these ids.", Number())
    exclude = ListOf("No pages with these ids.", Number())  # type: ignore[assignment] # the metaclass takes it away
    offset = fields.Integer("How many results are skipped, instead of `page`.", 0, FURTHEST)
    order = fields.Text("Which way the list is sorted.", ("asc", "desc"), load_default="desc")
    orderby = fields.Text(
        "What the list is sorted by; `include` and `include_slugs` keep the order of the ids or "
        "slugs asked for, and `relevance` needs `search`.",
        ORDERS,
        load_default="date",
    )
    search_columns = ListOf("Where `search` looks.", Column(choices=SEARCH_COLUMNS))
    slug = ListOf("Only pages with these slugs.", fields.Text())
    status = ListOf(
        "Only pages of these statuses; others than `publish` need the scope `pages:read`. By "
        "default `publish`.",
        fields.Text(choices=LISTED_STATUSES),
    )
    open_at = Instant("Only pages within `starts_at` and `ends_at` at this time, or `now`.")
    window_changes_before = fields.DateTime(
        "Only pages that start or end, by `starts_at` and `ends_at`, from now until this time."
    )
    tax_relation = fields.Text("Without effect: pages have no taxonomies.", ("AND", "OR"))
    password = fields.Text(WITH_A_SLUG, longest=LONGEST_PASSWORD, needs="slug", load_default="")
    form_id = ListOf("Only pages with one of these forms.", fields.IdText(blank=False))
    language = ListOf("Only pages with one of these languages.", fields.IdText(blank=False))

    @validates_schema
    def check_order(self, data: JsonObject, **kw: object) -> None:
        """Refuse an order that needs another parameter which is absent or empty."""
        if data["orderby"] == "include" and not data.get("include"):
            message = "orderby=include needs include."
            raise ValidationError(
                CodedMessage("rest_orderby_include_missing_include", message), "orderby"
            )
        if data["orderby"] == "relevance" and not data.get("search", "").strip():
            message = "orderby=relevance needs search."
            raise ValidationError(CodedMessage("rest_no_search_term_defined", message), "orderby")


class PreviewWrite(Tolerant):
    """The body that asks for a preview."""

    expires_in = fields.Integer(
        "How many seconds it is valid; a day by default.", 1, 30 * DAY, load_default=DAY
    )


class PagePreview(Schema):
    """A preview: its token, the address with the token in it, and when both end."""

    id = Shown("The number of the page.", int)
    token = Shown(OPENS_PAGE)
    link = Shown("The address at which visitors see the preview.")
    expires = Shown("When the preview ends, in the site's local time.")
    expires_gmt = Shown("When the preview ends, in UTC.")


class PreviewsRevoked(Schema):
    """The response that no preview of the page is left."""

    revoked = Constant("Always true.", True)
