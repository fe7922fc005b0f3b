"""The types of the Python API: what its methods return, and what they take.

Written by `python docs/python_types.py`: change the declarations instead.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Required, TypedDict


class PageMeta(TypedDict):
    """The custom fields of a page."""

    starts_at: str
    ends_at: str
    form_id: str
    viral_share: list[Any]
    instant_win: list[Any]
    language: list[Any]
    gallery: list[Any]


class Rendered(TypedDict):
    """A text as readers see it."""

    rendered: str


class Content(TypedDict):
    """The content; `protected` where the page has a password."""

    rendered: str
    protected: bool


class PageView(TypedDict):
    """A page in the view context."""

    id: int
    date: str
    modified: str
    slug: str
    status: str
    link: str
    title: Rendered
    content: Content
    author: int
    meta: PageMeta


class PageEmbed(TypedDict):
    """A page in the embed context."""

    id: int
    date: str
    slug: str
    link: str
    title: Rendered
    author: int


class RawAndRendered(TypedDict):
    """A text as it was sent and as readers see it."""

    rendered: str
    raw: str


class EditContent(TypedDict):
    """The content with its source; `block_version` is 1 where it is made of blocks."""

    rendered: str
    protected: bool
    raw: str
    block_version: int


class PageEdit(TypedDict):
    """A page in the edit context."""

    id: int
    date: str
    modified: str
    slug: str
    status: str
    link: str
    title: RawAndRendered
    content: EditContent
    author: int
    meta: PageMeta
    password: str


class PageDeleted(TypedDict):
    """A page that is gone for good, as it last was."""

    deleted: Literal[True]
    previous: PageEdit


class Caller(TypedDict):
    """Who is calling: the name of a credential or key, the author of its pages, its scopes."""

    name: str
    author: int
    scopes: list[str]


class FeedRead(TypedDict):
    """A feed as get, list and delete return it."""

    id: str
    form_id: str
    is_active: str
    feed_order: str
    meta: dict[str, Any]
    addon_slug: str
    event_type: str | None


class FeedWritten(TypedDict):
    """A feed as create and the updates return it."""

    id: int
    form_id: int
    meta: dict[str, Any]
    addon_slug: str


class FeedDeleted(TypedDict):
    """A feed as it last was."""

    id: str
    form_id: str
    is_active: str
    feed_order: str
    meta: dict[str, Any]
    addon_slug: str
    event_type: str | None
    deleted: Literal[True]


class ListPages(TypedDict, total=False):
    """What `list_pages` takes."""

    page: int
    per_page: int
    search: str
    after: datetime | str
    before: datetime | str
    modified_after: datetime | str
    modified_before: datetime | str
    author: int | Sequence[int]
    author_exclude: int | Sequence[int]
    include: int | Sequence[int]
    exclude: int | Sequence[int]
    offset: int
    order: Literal["asc", "desc"]
    orderby: Literal["author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"]
    search_columns: Literal["title", "content", "excerpt"] | Sequence[Literal["title", "content", "excerpt"]]
    slug: str | Sequence[str]
    status: Literal["publish", "future", "draft", "pending", "private", "trash", "any"] | Sequence[Literal["publish", "future", "draft", "pending", "private", "trash", "any"]]
    tax_relation: Literal["AND", "OR"]
    password: str
    form_id: str | Sequence[str]
    language: str | Sequence[str]
    _fields: str | Sequence[str]


class PageMetaValues(TypedDict, total=False):
    """The custom fields of a page; null resets one to its empty value."""

    starts_at: str | None
    ends_at: str | None
    form_id: str | None
    viral_share: Sequence[Any] | None
    instant_win: Sequence[Any] | None
    language: Sequence[Any] | None
    gallery: Sequence[Any] | None


class CreatePage(TypedDict, total=False):
    """What `create_page` takes."""

    title: Required[str | Mapping[str, str]]
    date: datetime | str | None
    slug: str | None
    status: Literal["publish", "future", "draft", "pending", "private"] | None
    password: str | None
    content: str | Mapping[str, str] | None
    author: int | None
    meta: PageMetaValues | None
    idempotency_key: str
    _fields: str | Sequence[str]


class GetPage(TypedDict, total=False):
    """What `get_page` takes."""

    password: str
    _fields: str | Sequence[str]


class UpdatePage(TypedDict, total=False):
    """What `update_page` takes."""

    title: str | Mapping[str, str] | None
    date: datetime | str | None
    slug: str | None
    status: Literal["publish", "future", "draft", "pending", "private"] | None
    password: str | None
    content: str | Mapping[str, str] | None
    author: int | None
    meta: PageMetaValues | None
    if_match: str | Mapping[str, Any]
    _fields: str | Sequence[str]


class DeletePage(TypedDict, total=False):
    """What `delete_page` takes."""

    if_match: str | Mapping[str, Any]
    _fields: str | Sequence[str]


class Whoami(TypedDict, total=False):
    """What `whoami` takes."""

    _fields: str | Sequence[str]


class ListFeeds(TypedDict, total=False):
    """What `list_feeds` takes."""

    include: int | Sequence[int]
    addon: str
    form_id: int | Sequence[int]
    is_active: bool
    _fields: str | Sequence[str]


class CreateFeed(TypedDict, total=False):
    """What `create_feed` takes."""

    form_id: Required[int]
    addon_slug: Required[str]
    meta: Required[Mapping[str, Any] | None]
    is_active: bool
    feed_order: int
    idempotency_key: str
    _fields: str | Sequence[str]


class GetFeed(TypedDict, total=False):
    """What `get_feed` takes."""

    include: int | Sequence[int]
    addon: str
    _fields: str | Sequence[str]


class UpdateFeed(TypedDict, total=False):
    """What `update_feed` takes."""

    form_id: Required[int]
    addon_slug: Required[str]
    meta: Required[Mapping[str, Any] | None]
    is_active: bool
    feed_order: int
    event_type: str | None
    if_match: str | Mapping[str, Any]
    _fields: str | Sequence[str]


class PatchFeed(TypedDict, total=False):
    """What `patch_feed` takes."""

    form_id: int
    addon_slug: str
    meta: Mapping[str, Any] | None
    is_active: bool
    feed_order: int
    event_type: str | None
    if_match: str | Mapping[str, Any]
    _fields: str | Sequence[str]


class DeleteFeed(TypedDict, total=False):
    """What `delete_feed` takes."""

    if_match: str | Mapping[str, Any]
    _fields: str | Sequence[str]


class UpdateProperties(TypedDict, total=False):
    """What `update_properties` takes."""

    form_id: int
    addon_slug: str
    meta: Mapping[str, Any] | None
    is_active: bool
    feed_order: int
    event_type: str | None
    if_match: str | Mapping[str, Any]


class ListFormFeeds(TypedDict, total=False):
    """What `list_form_feeds` takes."""

    include: int | Sequence[int]
    addon: str
    _fields: str | Sequence[str]


class CreateFormFeed(TypedDict, total=False):
    """What `create_form_feed` takes."""

    addon_slug: Required[str]
    meta: Required[Mapping[str, Any] | None]
    is_active: bool
    feed_order: int
    idempotency_key: str
    _fields: str | Sequence[str]
