"""Pages: a schema for each context, each write and each query."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

import orjson
from marshmallow import (
    EXCLUDE,
    Schema,
    ValidationError,
    fields,
    pre_load,
    validate,
    validates_schema,
)

from landform.schemas.fields import (
    BoundedNested,
    CodedMessage,
    Data,
    DateTime,
    Flag,
    IdText,
    Integer,
    JsonObject,
    ListOf,
    Name,
    Number,
    RawText,
    SlugText,
    StoredJson,
    Text,
    TitleText,
    required,
)
from landform.storage.search_text import SHORTEST_INDEXED, parse

CONTEXTS = ("view", "embed", "edit")
STATUSES = ("publish", "future", "draft", "pending", "private")
LISTED_STATUSES = (*STATUSES, "trash", "any")
ORDERS = (
    "author", "date", "id", "include", "modified", "parent", "relevance", "slug",
    "include_slugs", "title",
)  # fmt: skip
# What `open_at` says for the present moment.
NOW = "now"
DATE_TIME = DateTime()
LONGEST_PASSWORD, LONGEST_CONTENT = 255, 2_000_000
# The largest `page` and `offset`.
FURTHEST = 1_000_000_000
LONGEST_SEARCH, MOST_WORDS, MOST_SHORT_WORDS = 1000, 100, 3
WORD_ENDS = re.compile(r"[\s,+]+")
SEARCH_COLUMNS = ("title", "content", "excerpt")


def one_of(choices: tuple[str, ...]) -> validate.OneOf:
    """Return the validator of an enumeration."""
    return validate.OneOf(choices, error="must be one of {choices}.")


class Rendered(Schema):
    """A text as readers see it."""

    rendered = fields.String()


class RawAndRendered(Rendered):
    """A text as it was sent and as readers see it."""

    raw = fields.String()


class Content(Rendered):
    """The content; `protected` where the page has a password."""

    protected = fields.Boolean()


class EditContent(Content):
    """The content with its source; `block_version` is 1 where it is made of blocks."""

    raw = fields.String()
    block_version = fields.Integer()


class PageMeta(Schema):
    """The custom fields of a page; null resets one to its empty value. Others are dropped."""

    class Meta:
        unknown = EXCLUDE

    starts_at = Text(allow_none=True)
    ends_at = Text(allow_none=True)
    form_id = IdText(allow_none=True)
    viral_share = fields.List(fields.Raw(allow_none=True), allow_none=True)
    instant_win = fields.List(fields.Raw(allow_none=True), allow_none=True)
    language = fields.List(fields.Raw(allow_none=True), allow_none=True)
    gallery = fields.List(fields.Raw(allow_none=True), allow_none=True)

    @pre_load
    def reset_null(self, data: object, **kw: object) -> object:
        """Put the empty value where there is null."""
        if not isinstance(data, dict):
            return data
        return {key: EMPTY_META.get(key) if val is None else val for key, val in data.items()}


EMPTY_META: JsonObject = {
    name: [] if isinstance(field, fields.List) else "" for name, field in PageMeta().fields.items()
}


# Pages often share theirs; of longer ones none is cached, so that little memory is enough.
SHORT_META, CACHED_METAS = 512, 512


def _complete_meta(text: str) -> str:
    try:
        # Only the keys are of interest, so numbers need not be exact.
        is_complete = orjson.loads(text).keys() >= EMPTY_META.keys()
    except orjson.JSONDecodeError:
        # NaN, say, which no request can bring.
        is_complete = False
    if is_complete:
        return text
    meta = json.loads(text)
    return json.dumps({**EMPTY_META, **meta}, ensure_ascii=False, separators=(",", ":"))


_short_meta = lru_cache(CACHED_METAS)(_complete_meta)


class StoredMeta(StoredJson):
    """The custom fields as rows hold them; one that a row lacks is empty."""

    def fragment(self, text: str) -> orjson.Fragment:
        """Return the JSON text with every custom field: the same one if none is missing."""
        complete = _short_meta if len(text) <= SHORT_META else _complete_meta
        return orjson.Fragment(complete(text))

    def _serialize(
        self, value: Mapping[str, object] | None, attr: str | None, obj: object, **kw: object
    ) -> object:
        value = value or {}
        return value if value.keys() >= EMPTY_META.keys() else {**EMPTY_META, **value}


class PageEmbed(Schema):
    """A page in the embed context."""

    id = fields.Integer()
    date = fields.String()
    slug = fields.String()
    link = fields.String()
    title = fields.Nested(Rendered)
    author = fields.Integer()


class PageView(Schema):
    """A page in the view context."""

    id = fields.Integer()
    date = fields.String()
    modified = fields.String()
    slug = fields.String()
    status = fields.String()
    link = fields.String()
    title = fields.Nested(Rendered)
    content = fields.Nested(Content)
    author = fields.Integer()
    meta = StoredMeta()


class PageEdit(PageView):
    """A page in the edit context."""

    password = fields.String()
    title = fields.Nested(RawAndRendered)
    content = fields.Nested(EditContent)


class PageDeleted(Schema):
    """A page that is gone for good, as it last was."""

    deleted = fields.Constant(True)
    previous = fields.Nested(PageEdit)


class PageWrite(Schema):
    """The fields of both writes of a page; unknown keys are ignored, as WordPress does."""

    class Meta:
        unknown = EXCLUDE

    title = TitleText(allow_none=True)
    date = DateTime(allow_none=True)
    slug = SlugText(allow_none=True)
    status = Text(validate=one_of(STATUSES), allow_none=True)
    password = Text(longest=LONGEST_PASSWORD, allow_none=True)
    content = RawText(longest=LONGEST_CONTENT, allow_none=True)
    author = Integer(minimum=1, allow_none=True)
    meta = BoundedNested(PageMeta, allow_none=True)

    @pre_load
    def accept_empty_list(self, data: JsonObject, **kw: object) -> JsonObject:
        """Take an empty list for empty meta: PHP cannot tell the two apart."""
        return {**data, "meta": {}} if data.get("meta") == [] else data

    @pre_load
    def leave_out_null(self, data: JsonObject, **kw: object) -> JsonObject:
        """Take null for what is not sent, as WordPress does; a date of null is the present."""
        if None not in data.values():
            return data
        return {name: value for name, value in data.items() if value is not None or name == "date"}


class PageCreate(PageWrite):
    """The body of a create."""

    title = TitleText(**required("title"))
    date = DateTime(allow_none=True, load_default=None)
    slug = SlugText(load_default="", allow_none=True)
    status = Text(validate=one_of(STATUSES), load_default="publish", allow_none=True)
    password = Text(longest=LONGEST_PASSWORD, load_default="", allow_none=True)
    content = RawText(longest=LONGEST_CONTENT, load_default="", allow_none=True)
    meta = BoundedNested(PageMeta, load_default=dict, allow_none=True)

    @pre_load
    def refuse_id(self, data: JsonObject, **kw: object) -> JsonObject:
        """Refuse an id: the service gives it."""
        if data.get("id"):
            message = CodedMessage("rest_post_exists", "A page to be created must not have an id.")
            raise ValidationError(message, "id")
        return data


class PageUpdate(PageWrite):
    """The body of an update: all of it optional, what is absent stays."""


class PageRead(Schema):
    """The query of a single page."""

    class Meta:
        unknown = EXCLUDE

    context = Text(validate=one_of(CONTEXTS), load_default="view")
    password = Text(longest=LONGEST_PASSWORD, load_default="")
    preview = Text(load_default="")


class PageDelete(Schema):
    """The parameters of a delete."""

    class Meta:
        unknown = EXCLUDE

    force = Flag(load_default=False)


class Search(Text):
    """The words of a search; few may be too short for the full-text index, and read every text."""

    def __init__(self) -> None:
        super().__init__(longest=LONGEST_SEARCH)

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        text = super()._deserialize(value, attr, data, **kw)
        if len(WORD_ENDS.split(text.strip())) > MOST_WORDS:
            raise ValidationError(f"{attr} must not have more than {MOST_WORDS} words.")
        if len(parse(text).short) > MOST_SHORT_WORDS:
            raise ValidationError(
                f"{attr} must not have more than {MOST_SHORT_WORDS} words of fewer than "
                f"{SHORTEST_INDEXED} characters."
            )
        return text


class Column(Text):
    """The name of a column to search, also with WordPress's `post_` in front."""

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        return super()._deserialize(value, attr, data, **kw).removeprefix("post_")


class Instant(fields.Field[datetime | str]):
    """A date and time, or the word `now`."""

    def _deserialize(
        self, value: object, attr: str | None, data: Data, **kw: object
    ) -> datetime | str:
        return NOW if value == NOW else DATE_TIME.deserialize(value, attr, data)


class PageList(Schema):
    """The query of a list of pages."""

    class Meta:
        unknown = EXCLUDE

    context = Text(validate=one_of(CONTEXTS), load_default="view")
    page = Integer(minimum=1, maximum=FURTHEST, load_default=1)
    per_page = Integer(minimum=1, maximum=100, load_default=10)
    search = Search()
    after = DateTime()
    before = DateTime()
    modified_after = DateTime()
    modified_before = DateTime()
    author = ListOf(Number())
    author_exclude = ListOf(Number())
    include = ListOf(Number())
    exclude = ListOf(Number())  # type: ignore[assignment] # the metaclass takes it away
    offset = Integer(minimum=0, maximum=FURTHEST)
    order = Text(validate=one_of(("asc", "desc")), load_default="desc")
    orderby = Text(validate=one_of(ORDERS), load_default="date")
    search_columns = ListOf(Column(validate=one_of(SEARCH_COLUMNS)))
    slug = ListOf(Text())
    status = ListOf(Text(validate=one_of(LISTED_STATUSES)))
    open_at = Instant()
    tax_relation = Text(validate=one_of(("AND", "OR")))
    password = Text(longest=LONGEST_PASSWORD, load_default="")
    form_id = ListOf(Name())
    language = ListOf(Name())

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


class PublicPageList(PageList):
    """The query of a list by callers without the scope pages:read: of published pages only."""

    status = ListOf(Text(validate=one_of(("publish",))))
