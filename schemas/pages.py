"""Schemas of pages and their previews: for each context, write and query."""

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
    Output,
    RowSchema,
    SameRow,
    StoredJson,
    required,
)
from landform.schemas.known_names import Tolerant
from landform.storage.rows import Row
from landform.storage.search import SHORTEST_INDEXED, parse

CONTEXT_NAMES = ("view", "embed", "edit")
STATUSES = ("publish", "future", "draft", "pending", "private")
TRASH = "trash"
LISTED_STATUSES = (*STATUSES, TRASH, "any")
ORDERS = tuple("author date id include modified parent relevance slug include_slugs title".split())
# The present time, as a value of `open_at`.
NOW = "now"
DAY = 24 * 60 * 60
LONGEST_PASSWORD, LONGEST_CONTENT = 255, 2_000_000
# The largest `page` and `offset`.
FURTHEST = 1_000_000_000
LONGEST_SEARCH, MOST_WORDS, MOST_SHORT_WORDS = 1000, 100, 3
WORD_ENDS = re.compile(r"[\s,+]+")
SEARCH_COLUMNS = ("title", "content", "excerpt")
# Descriptions of passwords and a token, which linters would take for secrets elsewhere.
ABOUT_EDIT = "The password that readers need to see the content; empty if there is none."
ABOUT_READ = "The password of a protected page; `X-Page-Password` keeps it out of URLs."
ABOUT_LIST = "The password of the page with `slug`; `X-Page-Password` keeps it out of URLs."
ABOUT_PREVIEW = "The token for `GET /pages/{page_id}?preview=`."


class Rendered(Schema):
    """A rendered text."""

    rendered = Output("The text as HTML for readers.")


class RawAndRendered(Rendered):
    """A text as it was sent, and rendered."""

    raw = Output("The text as it was sent.")


class Content(Rendered):
    """The content, and whether a password protects it."""

    protected = Output("Whether the page has a password, without which `rendered` is empty.", bool)


class EditContent(Content):
    """The content with its source."""

    raw = Output("The content as it was sent.")
    block_version = Output("1 if the content consists of blocks, otherwise 0.", int)


class PageMeta(Tolerant):
    """The custom fields of a page; null resets a field, unknown fields are dropped."""

    starts_at = fields.Text("When visitors begin to see the page: a date, with or without a time.")
    ends_at = fields.Text("When visitors no longer see it: after a date, or at a date and time.")
    form_id = fields.IdText("The id of the form on the page; empty if unset.")
    viral_share = fields.AnyList("Settings for sharing the page: any values.")
    instant_win = fields.AnyList("Settings of an instant-win game: any values.")
    language = fields.AnyList("The languages of the page: any values, usually codes such as `en`.")
    gallery = fields.AnyList("The pictures of the page: any values.")

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """Allow null for each field."""
        field_obj.allow_none = True

    @pre_load
    def reset_null(self, data: object, **kw: object) -> object:
        """Replace null with the empty value of the field."""
        if not isinstance(data, dict):
            return data
        return {key: EMPTY_META.get(key) if val is None else val for key, val in data.items()}


META_FIELDS: dict[str, Any] = PageMeta().fields
EMPTY_META: JsonObject = {
    name: [] if isinstance(field, fields.AnyList) else "" for name, field in META_FIELDS.items()
}


class StoredMeta(StoredJson):
    """The stored custom fields; a missing field is added with its empty value."""

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

    def _show(self, row: Row) -> Any:
        value = row["meta"]
        try:
            stored = orjson.loads(value)
        except orjson.JSONDecodeError:
            # An integer that is too large for a double: only the standard library reads it.
            stored = json.loads(value)
        # The text stays the same if no custom field is missing.
        if not stored.keys() >= EMPTY_META.keys():
            meta = {**EMPTY_META, **json.loads(value)}
            value = json.dumps(meta, ensure_ascii=False, separators=(",", ":"))
        return orjson.Fragment(value)


class Title(Computed):
    """The title of a page as HTML."""

    columns: Sequence[str] | None = ("title_rendered",)

    def _show(self, row: Row) -> JsonObject:
        return {"rendered": row["title_rendered"]}


class EditTitle(Title):
    """The title of a page as HTML and as it was sent."""

    columns: Sequence[str] | None = ("title_rendered", "title_raw")

    def _show(self, row: Row) -> JsonObject:
        return {"rendered": row["title_rendered"], "raw": row["title_raw"]}


# Where the site shows the gallery of the meta in a rendered content; the API leaves it out.
GALLERY_MARK = '<figure class="wp-block-gallery is-empty"></figure>'


class PageContent(Computed):
    """The content of a page as HTML, empty unless the row has `shows_content`."""

    columns: Sequence[str] | None = ("content_rendered", "password")

    def _show(self, row: Row) -> JsonObject:
        rendered = row["content_rendered"] if row["shows_content"] else ""
        rendered = rendered.replace(GALLERY_MARK, "")
        return {"rendered": rendered, "protected": bool(row["password"])}


class EditPageContent(PageContent):
    """The content of a page as HTML and as it was sent."""

    columns: Sequence[str] | None = ("content_rendered", "password", "content_raw", "block_version")

    def _show(self, row: Row) -> JsonObject:
        content = super()._show(row)
        return {**content, "raw": row["content_raw"], "block_version": row["block_version"]}


class Link(Computed):
    """The public URL of a page, from the `urls` of the row."""

    columns: Sequence[str] | None = ("id", "slug", "status")

    def _show(self, row: Row) -> str:
        return str(row["urls"].page_link(row))


class PageView(RowSchema):
    """A page in the view context.

    The row also needs `urls` (`service/pipeline/call.py`) and `shows_content`.
    """

    id = Output("The number of the page.", int)
    date = Output("When the page was or will be published, in the site's local time.")
    modified = Output("When the page was last written, in the site's local time.")
    slug = Output("The part of the URL that names the page; may be empty for a draft.")
    status = Output("The status.", choices=(*STATUSES, TRASH))
    link = Link("The public URL of the page.")
    title = Title("The title.", Rendered)
    content = PageContent("The content.", Content)
    author = Output("The number of the author.", int)
    meta = StoredMeta("The custom fields.")


class PageEmbed(PageView):
    """A page in the embed context."""

    class Meta:
        fields = ("id", "date", "slug", "link", "title", "author")


class PageEdit(PageView):
    """A page in the edit context."""

    password = Output(ABOUT_EDIT)
    title = EditTitle("", RawAndRendered)
    content = EditPageContent("", EditContent)


class PageDeleted(Schema):
    """A permanently deleted page."""

    deleted = Constant("Always true.", True)
    previous = SameRow("The page before it was deleted.", PageEdit())


class ItemWrite(Tolerant):
    """The fields of create and update that all items have, such as pages.

    Null is as if a field was not sent, as in WordPress, except for the `nullable` ones.
    """

    nullable: tuple[str, ...] = ("date",)

    title = fields.RawText("The title: a string, or an object with `raw`.", trim=True)
    date = fields.DateTime(
        "When it is published: in the site's local time, or with an offset; null is now.",
        allow_none=True,
        load_default=None,
    )
    slug = fields.Text("A name for URLs; if taken, with a number.", line=True, load_default="")
    author = fields.Integer("The number of the author, by default the caller's.", 1)

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """Allow null for each field that is not required."""
        field_obj.allow_none = not field_obj.required

    @pre_load
    def leave_out_null(self, data: JsonObject, **kw: object) -> JsonObject:
        """Drop fields that are null, except the `nullable` ones."""
        return {
            name: value
            for name, value in data.items()
            if name in self.nullable or value is not None
        }


class PageWrite(ItemWrite):
    """The fields of create and update; unknown keys are ignored, as in WordPress."""

    status = fields.Text(
        "The status; a new page is `publish` by default, `draft` below `/wp-json`. `publish` with "
        "a date in the future becomes `future`.",
        STATUSES,
    )
    password = fields.Text(ABOUT_EDIT, longest=LONGEST_PASSWORD, load_default="")
    content = fields.RawText(
        "HTML, text or block markup: a string, or an object with `raw`.",
        longest=LONGEST_CONTENT,
        load_default="",
    )
    meta = fields.Nested(
        "The custom fields; an update changes those that are sent.", PageMeta(), load_default=dict
    )

    @pre_load
    def read_empty_list(self, data: JsonObject, **kw: object) -> JsonObject:
        """Take an empty list as empty meta, since PHP cannot tell them apart."""
        return {**data, "meta": {}} if data.get("meta") == [] else data


class PageCreate(PageWrite):
    """The body of a create."""

    title = fields.RawText(trim=True, **required("title"))

    @pre_load
    def refuse_id(self, data: JsonObject, **kw: object) -> JsonObject:
        """Refuse an id, which the service assigns."""
        if data.get("id"):
            message = CodedMessage("rest_post_exists", "A page to be created must not have an id.")
            raise ValidationError(message, "id")
        return data


class PageUpdate(PageWrite):
    """The body of an update; absent fields keep their values."""

    status = fields.Text(
        "The status; `trash` only where the page has it. `publish` with a date in the future "
        "becomes `future`.",
        (*STATUSES, TRASH),
    )

    def __init__(self) -> None:
        super().__init__(partial=True)


class PageUnsaved(PageUpdate):
    """The fields of a page that is previewed before it is stored."""

    id = fields.Integer("The page whose fields replace absent ones.", 1)


class PageCounts(Schema):
    """The numbers of pages by status. A scheduled page whose date has come counts as published."""

    publish = Output("Published pages.", int)
    future = Output("Scheduled pages.", int)
    draft = Output("Drafts.", int)
    pending = Output("Pages that wait for a review.", int)
    private = Output("Private pages.", int)
    trash = Output("Pages in the trash.", int)


class PageDocument(Schema):
    """A page as visitors would see it."""

    html = Output("The HTML document.")


class InContext(Tolerant):
    """A query that chooses a context."""

    context = fields.Text(
        "Which fields are returned: `view` for readers, `embed` for a few of them, `edit` with the "
        "password and the raw texts too, which needs the scope `pages:read`.",
        CONTEXT_NAMES,
        load_default="view",
    )


class PageRead(InContext):
    """The query of a single page."""

    password = fields.Text(ABOUT_READ, longest=LONGEST_PASSWORD, load_default="")
    preview = fields.Text("The token of a preview of the page.", load_default="")


class PageDelete(Tolerant):
    """The parameters of a delete."""

    force = fields.Flag("Delete it permanently, not into the trash.", load_default=False)


def check_search(text: str) -> None:
    """Refuse too many words, or too many that are too short for the full-text index."""
    if len(WORD_ENDS.split(text.strip())) > MOST_WORDS:
        raise ValidationError(f"search must not have more than {MOST_WORDS} words.")
    if len(parse(text).short) > MOST_SHORT_WORDS:
        raise ValidationError(
            f"search must not have more than {MOST_SHORT_WORDS} words of fewer than "
            f"{SHORTEST_INDEXED} characters."
        )


Search = partial(fields.Text, longest=LONGEST_SEARCH, validate=check_search)


class Column(fields.Text):
    """The name of a column to search, also with the prefix `post_` of WordPress."""

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
    """The query of a list with pages of results."""

    page = fields.Integer("The number of the page of results.", 1, FURTHEST, load_default=1)
    per_page = fields.Integer("How many items a page of results has.", 1, 100, load_default=10)


class ItemList(Paged):
    """The query of a list of items, such as pages."""

    search = Search(
        'Words that the texts must contain, all of them; `"two words"` in quotes count as one, and '
        "`-word` excludes."
    )
    after = fields.DateTime("Only items published after this time.")
    before = fields.DateTime("Only items published before this time.")
    modified_after = fields.DateTime("Only items last written after this time.")
    modified_before = fields.DateTime("Only items last written before this time.")
    author = ListOf("Only items of these authors, by number.", Number())
    author_exclude = ListOf("No items of these authors, by number.", Number())
    include = ListOf("Only items with these ids.", Number())
    exclude = ListOf("No items with these ids.", Number())  # type: ignore[assignment] # the metaclass takes it away
    offset = fields.Integer("How many results are skipped, instead of `page`.", 0, FURTHEST)
    order = fields.Text("The direction of the order.", ("asc", "desc"), load_default="desc")
    orderby = fields.Text(
        "The field to sort by; `include` and `include_slugs` keep the order of these parameters, "
        "and `relevance` needs `search`.",
        ORDERS,
        load_default="date",
    )
    search_columns = ListOf("The fields that `search` looks at.", Column(choices=SEARCH_COLUMNS))
    slug = ListOf("Only items with these slugs.", fields.Text())

    @validates_schema
    def check_order(self, data: JsonObject, **kw: object) -> None:
        """Refuse an order without the parameter that it needs."""
        if data["orderby"] == "include" and not data.get("include"):
            message = "orderby=include needs include."
            raise ValidationError(
                CodedMessage("rest_orderby_include_missing_include", message), "orderby"
            )
        if data["orderby"] == "relevance" and not data.get("search", "").strip():
            message = "orderby=relevance needs search."
            raise ValidationError(CodedMessage("rest_no_search_term_defined", message), "orderby")


class PageList(ItemList, InContext):
    """The query of a list of pages."""

    status = ListOf(
        "Only pages of these statuses, by default `publish`; all others need the scope "
        "`pages:read`.",
        fields.Text(choices=LISTED_STATUSES),
    )
    open_at = Instant("Only pages within `starts_at` and `ends_at` at this time, or `now`.")
    window_changes_before = fields.DateTime(
        "Only pages that start or end, by `starts_at` and `ends_at`, from now until this time."
    )
    tax_relation = fields.Text("Without effect: pages have no taxonomies.", ("AND", "OR"))
    password = fields.Text(ABOUT_LIST, longest=LONGEST_PASSWORD, load_default="")
    form_id = ListOf("Only pages with one of these forms.", fields.IdText(blank=False))
    language = ListOf("Only pages with one of these languages.", fields.IdText(blank=False))


class PreviewWrite(Tolerant):
    """The body of a request for a preview."""

    expires_in = fields.Integer(
        "How many seconds it is valid; a day by default.", 1, 30 * DAY, load_default=DAY
    )


class PagePreview(Schema):
    """A preview: its token, its address, and when both expire."""

    id = Output("The number of the page.", int)
    token = Output(ABOUT_PREVIEW)
    link = Output("The public address of the preview.")
    expires = Output("When the preview ends, in the site's local time.")
    expires_gmt = Output("When the preview ends, in UTC.")


class PreviewsRevoked(Schema):
    """The response after all previews of a page were revoked."""

    revoked = Constant("Always true.", True)
