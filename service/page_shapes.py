"""The shapes of a page: the fields of each context, and the columns that they are made of."""

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

import orjson
from marshmallow import Schema

from landform.schemas import pages as schemas
from landform.schemas import wordpress
from landform.schemas.responses import Constant, Serializer, compile_serializer
from landform.service.http.request import WP_JSON_PATHS, ApiRequest
from landform.service.json_codec import JsonObject, stored
from landform.service.rendering.content import make_excerpt
from landform.storage.pages.slugs import slugify
from landform.storage.rows import Row

CONTEXTS: dict[str, Schema] = {
    "view": schemas.PageView(),
    "embed": schemas.PageEmbed(),
    "edit": schemas.PageEdit(),
}
WORDPRESS_CONTEXTS: dict[str, Schema] = {
    "view": wordpress.WordPressView(),
    "embed": wordpress.WordPressEmbed(),
    "edit": wordpress.WordPressEdit(),
}
LINKED = ("publish", "private")


class Urls(NamedTuple):
    """The beginning of the links of pages, and of their `_links` below `/wp-json`.

    `reserved`: see `address`.
    """

    public: str
    wordpress: str = ""
    reserved: Collection[str] | None = None


class Made(NamedTuple):
    """A field that is made of columns: of which, and how, for a page whose content may be shown."""

    columns: tuple[str, ...]
    make: Callable[[Row, Urls, bool], object]


class PageShape(NamedTuple):
    """The columns that the fields shown are made of, how, and how they are dumped."""

    columns: tuple[str, ...]
    made: tuple[tuple[str, Callable[[Row, Urls, bool], object]], ...]
    dump: Serializer


def page_link(row: Row, urls: Urls, shown: bool = True) -> str:
    """Return the public URL of a page. It needs `id`, `slug` and `status`."""
    if row["status"] in LINKED and row["slug"]:
        ending = address(row["slug"], urls.reserved)
        if ending is not None:
            return f"{urls.public}/{ending}/"
    return _permanent_link(row, urls)


def address(slug: str, reserved: Collection[str] | None) -> str | None:
    """Return what the URL of a page with this slug ends with; None where it can have none.

    `reserved`: what other addresses of the service begin with, which no slug can hide; None where
    landform does not serve the pages itself.
    """
    if reserved is None:
        return slug
    if slug in reserved:
        return None
    if "%" in slug and slugify(unquote(slug)) != slug:
        # Decoded it would be another slug: the percent signs are a part of this one.
        return slug.replace("%", "%25")
    return slug


def _permanent_link(row: Row, urls: Urls) -> str:
    return f"{urls.public}/?page_id={row['id']}"


def _title(row: Row, urls: Urls, shown: bool) -> JsonObject:
    return {"rendered": row["title_rendered"]}


def _edit_title(row: Row, urls: Urls, shown: bool) -> JsonObject:
    return {"rendered": row["title_rendered"], "raw": row["title_raw"]}


def _content(row: Row, urls: Urls, shown: bool) -> JsonObject:
    rendered = row["content_rendered"] if shown else ""
    return {"rendered": rendered, "protected": bool(row["password"])}


def _edit_content(row: Row, urls: Urls, shown: bool) -> JsonObject:
    own = {"raw": row["content_raw"], "block_version": row["block_version"]}
    return {**_content(row, urls, shown), **own}


def _excerpt(row: Row, urls: Urls, shown: bool) -> JsonObject:
    rendered = make_excerpt(str(stored(row["content_rendered"]))) if shown else ""
    return {"rendered": rendered, "protected": bool(row["password"])}


def _edit_excerpt(row: Row, urls: Urls, shown: bool) -> JsonObject:
    return {"raw": "", **_excerpt(row, urls, shown)}


def _guid(row: Row, urls: Urls, shown: bool) -> JsonObject:
    return {"rendered": _permanent_link(row, urls)}


def _edit_guid(row: Row, urls: Urls, shown: bool) -> JsonObject:
    return {"raw": _permanent_link(row, urls), **_guid(row, urls, shown)}


def _links(row: Row, urls: Urls, shown: bool) -> orjson.Fragment:
    before, between, after = _parts_of_links(urls.wordpress)
    return orjson.Fragment(f"{before}{row['id']}{between}{row['author']}{after}")


@lru_cache(16)
def _parts_of_links(base: str) -> tuple[str, str, str]:
    """Return the JSON of `_links` before the id, between it and the author, and after that."""
    return (
        f'{{"self":[{{"href":"{base}/pages/',
        f'"}}],"collection":[{{"href":"{base}/pages"}}],"about":[{{"href":"{base}/types/page"}}],'
        f'"author":[{{"embeddable":true,"href":"{base}/users/',
        '"}]}',
    )


# The fields that are not their namesakes among the columns.
MADE = {
    "link": Made(("id", "slug", "status"), page_link),
    "title": Made(("title_rendered",), _title),
    "content": Made(("content_rendered", "password"), _content),
    "excerpt": Made(("content_rendered", "password"), _excerpt),
    "guid": Made(("id",), _guid),
    "date_gmt": Made(("date_utc",), lambda row, urls, shown: row["date_utc"]),
    "modified_gmt": Made(("modified_utc",), lambda row, urls, shown: row["modified_utc"]),
    "_links": Made(("id", "author"), _links),
}
EDIT_MADE = {
    **MADE,
    "title": Made(("title_raw", "title_rendered"), _edit_title),
    "content": Made(
        ("content_raw", "content_rendered", "block_version", "password"), _edit_content
    ),
    "excerpt": Made(("content_rendered", "password"), _edit_excerpt),
    "guid": Made(("id",), _edit_guid),
}


@lru_cache(256)
def _shape(context: str, is_wordpress: bool, names: frozenset[str] | None = None) -> PageShape:
    """Return the shape of a context, with only the fields of these names where any are given."""
    schema = (WORDPRESS_CONTEXTS if is_wordpress else CONTEXTS)[context]
    if names is not None:
        schema = type(schema)(only=[name for name in schema.fields if name in names])
    made = {
        name: one for name, one in (EDIT_MADE if context == "edit" else MADE).items()
        if name in schema.fields
    }  # fmt: skip
    columns = [
        column for name, field in schema.fields.items() if not isinstance(field, Constant)
        for column in (made[name].columns if name in made else (name,))
    ]  # fmt: skip
    return PageShape(
        tuple(dict.fromkeys(columns)) or ("id",),
        tuple((name, one.make) for name, one in made.items()),
        compile_serializer(schema, ready=made),
    )


def page_urls(request: ApiRequest, segments: int) -> Urls:
    """Return what the URLs in pages start with, `segments` above this request's path."""
    api = request.api_base_url(segments)
    below = api.endswith(WP_JSON_PATHS[0])
    return Urls(
        request.public_base_url(segments), api if below else "", request.service.reserved_slugs
    )


def requested_shape(request: ApiRequest, context: str, urls: Urls) -> PageShape:
    """Return the shape of a context, for the fields that were asked for only."""
    names = None
    if request.fields:
        known = (WORDPRESS_CONTEXTS if urls.wordpress else CONTEXTS)[context].fields
        names = frozenset(request.fields).intersection(known)
    return _shape(context, bool(urls.wordpress), names)


def dump_page(shape: PageShape, row: Row, urls: Urls, shown: bool) -> JsonObject:
    """Return a page in a shape. `shown`: with its content."""
    page = row.copy()
    for name, make in shape.made:
        page[name] = make(row, urls, shown)
    return shape.dump(page)


def dump_list(
    shape: PageShape, rows: Iterable[Row], urls: Urls, visible: Iterable[bool]
) -> list[JsonObject]:
    """Return pages in a shape, each with its content where that is `visible`."""
    return [dump_page(shape, row, urls, shown) for row, shown in zip(rows, visible, strict=True)]


def dump_edit(page: Row, urls: Urls) -> JsonObject:
    """Return a page in the edit context."""
    return dump_page(_shape("edit", bool(urls.wordpress)), page, urls, True)
