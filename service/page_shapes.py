"""The shapes of a page: the fields of each context, and the columns that they are made of."""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from marshmallow import Schema

from landform.schemas import pages as schemas
from landform.schemas import wordpress
from landform.schemas.fields import Constant, Serializer, compile_serializer
from landform.service.http.request import ApiRequest, ServiceContext
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
# The columns of the fields that are not their namesakes among them, and those of their sources.
MADE_OF = {
    "link": ("id", "slug", "status"),
    "title": ("title_rendered",),
    "content": ("content_rendered", "password"),
    "excerpt": ("content_rendered", "password"),
    "guid": ("id",),
    "_links": ("id", "author"),
}
SOURCES = {"title": ("title_raw",), "content": ("content_raw", "block_version")}


class Urls(NamedTuple):
    """The beginning of the links of pages, and of their `_links` below `/wp-json`.

    `reserved`: what other addresses of the service begin with, which no slug can hide; None where
    landform does not serve the pages itself. `home`: the slug of the page at the beginning itself.
    """

    public: str
    wordpress: str = ""
    reserved: Collection[str] | None = None
    home: str | None = None


class PageShape(NamedTuple):
    """The columns that the fields shown are made of, those that `dump_page` makes, and the rest."""

    columns: tuple[str, ...]
    made: frozenset[str]
    dump: Serializer
    has_sources: bool


def page_link(row: Row, urls: Urls) -> str:
    """Return the public URL of a page. It needs `id`, `slug` and `status`."""
    has_address = row["slug"] and row["status"] in LINKED
    ending = address(row["slug"], urls) if has_address else None
    return f"{urls.public}/" + (f"?page_id={row['id']}" if ending is None else ending)


def address(slug: str, urls: Urls) -> str | None:
    """Return what the URL of a page with this slug ends with; None where it can have none."""
    if slug == urls.home:
        return ""
    if urls.reserved is not None:
        if slug in urls.reserved:
            return None
        if "%" in slug and slugify(unquote(slug)) != slug:
            # Decoded it would be another slug: the percent signs are a part of this one.
            slug = slug.replace("%", "%25")
    return f"{slug}/"


def _links(row: Row, base: str) -> JsonObject:
    return {
        "self": [{"href": f"{base}/pages/{row['id']}"}],
        "collection": [{"href": f"{base}/pages"}],
        "about": [{"href": f"{base}/types/page"}],
        "author": [{"embeddable": True, "href": f"{base}/users/{row['author']}"}],
    }


def page_shape(context: str, urls: Urls, names: Collection[str] | None = None) -> PageShape:
    """Return the shape of a context, with only the fields of these names where any are given."""
    schema = (WORDPRESS_CONTEXTS if urls.wordpress else CONTEXTS)[context]
    return make_shape(schema, context == "edit", frozenset(names) if names else None)


@lru_cache(256)
def make_shape(schema: Schema, has_sources: bool, names: frozenset[str] | None = None) -> PageShape:
    """Return the shape of a schema, with only the fields of these names where any are given.

    `has_sources`: whether texts are shown as they were sent, too.
    """
    if names is not None:
        schema = type(schema)(only=[name for name in schema.fields if name in names])
    made = frozenset(MADE_OF.keys() & schema.fields.keys())
    sources = SOURCES if has_sources else {}
    columns = [
        column for name, field in schema.fields.items() if not isinstance(field, Constant)
        for column in (*MADE_OF.get(name, (field.attribute or name,)), *sources.get(name, ()))
    ]  # fmt: skip
    dump = compile_serializer(schema, ready=made)
    return PageShape(tuple(dict.fromkeys(columns)) or ("id",), made, dump, has_sources)


def page_urls(request: ApiRequest) -> Urls:
    """Return what the URLs in pages start with."""
    wordpress = request.api_base_url if request.is_below_wp_json else ""
    return site_urls(request.service, request.public_base_url, wordpress)


def site_urls(service: ServiceContext, public: str, wordpress: str = "") -> Urls:
    """Return the URLs of a service whose links start with `public`."""
    home = service.options.home_page if service.options.site else None
    return Urls(public, wordpress, service.reserved_slugs, home)


def dump_page(shape: PageShape, row: Row, urls: Urls, shown: bool) -> JsonObject:
    """Return a page in a shape. `shown`: with its content."""
    page, made = row.copy(), shape.made
    if "link" in made:
        page["link"] = page_link(row, urls)
    if "title" in made:
        page["title"] = {"rendered": row["title_rendered"]}
    if "content" in made:
        rendered = row["content_rendered"] if shown else ""
        page["content"] = {"rendered": rendered, "protected": bool(row["password"])}
    if "_links" in made:
        page["_links"] = _links(row, urls.wordpress)
    if "guid" in made:
        page["guid"] = {"rendered": f"{urls.public}/?page_id={row['id']}"}
    if "excerpt" in made:
        rendered = make_excerpt(str(stored(row["content_rendered"]))) if shown else ""
        page["excerpt"] = {"rendered": rendered, "protected": bool(row["password"])}
    if shape.has_sources:
        raw = {"title": row.get("title_raw"), "content": row.get("content_raw"), "excerpt": ""}
        raw["guid"] = page["guid"]["rendered"] if "guid" in made else ""
        for name in made & raw.keys():
            page[name]["raw"] = raw[name]
        if "content" in made:
            page["content"]["block_version"] = row["block_version"]
    return shape.dump(page)


def dump_edit(page: Row, urls: Urls) -> JsonObject:
    """Return a page in the edit context."""
    return dump_page(page_shape("edit", urls), page, urls, True)
