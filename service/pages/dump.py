"""How pages are dumped: their schemas by context, the columns of these, and replies to writes.

Of an author landform only has the number.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from marshmallow import Schema

from landform.schemas import pages as schemas
from landform.schemas import wordpress
from landform.schemas.fields import columns_of
from landform.service.pipeline.call import Call, Urls
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import Reply, warning_headers
from landform.service.rendering.content import Texts, make_excerpt, removed_markup
from landform.storage.pages import scheduling
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
DELETED, WORDPRESS_DELETED = schemas.PageDeleted(), wordpress.WordPressDeleted()
REMOVED = "left out of the HTML, for want of the scope html:unfiltered"
STILL_REMOVED = "left out of the HTML, as before: the text did not change"
MOST_REMOVED = 20


class FieldSelection(NamedTuple):
    """A schema with the requested fields, and the columns that it needs."""

    schema: Schema
    columns: tuple[str, ...]

    def dump(self, row: Row, urls: Urls, *, shows_content: bool = True) -> JsonObject:
        """Return the JSON object of a page."""
        computed = {"urls": urls, "shows_content": shows_content, "make_excerpt": make_excerpt}
        dumped: JsonObject = self.schema.dump(row | computed)
        return dumped


def select_fields(schema: Schema, fields: Collection[str] | None = None) -> FieldSelection:
    """Return the requested fields of a schema; without any all of them."""
    return _select_fields(schema, frozenset(fields) if fields else None)


@lru_cache(256)
def _select_fields(schema: Schema, names: frozenset[str] | None) -> FieldSelection:
    if names is not None:
        schema = type(schema)(only=[name for name in schema.fields if name in names])
    return FieldSelection(schema, columns_of(schema) or ("id",))


def select_page_fields(call: Call) -> FieldSelection:
    """Return the requested fields of the requested context."""
    schema = (WORDPRESS_CONTEXTS if call.is_wordpress else CONTEXTS)[call.query["context"]]
    fields: Collection[str] | None = call.fields
    if fields and "_embedded" in fields:
        # The embedded author needs it.
        fields = {*fields, "author"}
    return select_fields(schema, fields)


def created_reply(call: Call, resource: str, reply: Reply, row_id: int) -> Reply:
    """Return the reply to a create, with the URL of the new row."""
    location = f"{call.root_url}/{resource}/{row_id}"
    return Reply(reply.body, headers={"Location": location, **reply.headers}, etag=reply.etag)


def page_reply(call: Call, page: Row, texts: Texts | None = None) -> Reply:
    """Return the reply to a write of a page, with the warnings about the texts of the write."""
    warnings = "; ".join(find_warnings(call, texts, page)) if texts else ""
    schema = (WORDPRESS_CONTEXTS if call.is_wordpress else CONTEXTS)["edit"]
    return Reply(
        select_fields(schema).dump(page, call.urls),
        headers=warning_headers(warnings),
        etag=call.row_etag("page", page, "edit", not page["password"]),
        last_modified=page["modified_utc"],
    )


def find_warnings(call: Call, texts: Texts, page: Row) -> list[str]:
    """Return warnings about removed HTML, and about bounds of a window without effect.

    `page` is the row after the write. A text that the write did not change may stay cleaned, also
    for a caller who may write any HTML.
    """
    warnings, columns = [], texts.columns
    if meta := columns.get("meta"):
        warnings += scheduling.window_problems(call.store.clock, meta, page["meta"])
    removed, reason = texts.removed, REMOVED
    still_removed = {
        text
        for name in ("title", "content")
        if (html := columns.get(f"{name}_rendered"))
        for text in removed_markup(name, html, page[f"{name}_rendered"])
    }
    if still_removed:
        removed, reason = sorted(still_removed), STILL_REMOVED
    if removed:
        warnings.append(f"{', '.join(removed[:MOST_REMOVED])}: {reason}")
    return warnings


def relation(call: Call, route: str) -> list[JsonObject]:
    """Return a link to a route, for `_links`."""
    return [{"href": call.rest_url(route)}]


def dump_author(call: Call, author: int) -> JsonObject:
    """Return the JSON object of an author."""
    return {
        "id": author,
        "name": f"Author {author}",
        "url": "",
        "description": "",
        "link": call.rest_url(f"/wp/v2/pages?author={author}"),
        "slug": f"author-{author}",
        "avatar_urls": {},
        "meta": [],
        "_links": {
            "self": relation(call, f"/wp/v2/users/{author}"),
            "collection": relation(call, "/wp/v2/users"),
        },
    }


def embed_authors(call: Call, pages: list[JsonObject]) -> list[JsonObject]:
    """Add its author to each page if `_embed` is sent below `/wp-json`."""
    embed = call.sent_query.get("_embed")
    if embed is None or not call.is_wordpress:
        return pages
    names = map(str, embed) if isinstance(embed, list) else re.split(r"[\s,]+", str(embed))
    if {"author", "", "1", "true"}.intersection(names):
        for page in pages:
            if "author" in page:
                page["_embedded"] = {"author": [dump_author(call, page["author"])]}
    return pages
