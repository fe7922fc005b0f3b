"""The schemas of pages by context, the columns that they need, and the reply to a create."""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from marshmallow import Schema

from landform.schemas import pages as schemas
from landform.schemas import wordpress
from landform.schemas.fields import columns_of
from landform.service.pages.urls import Urls
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import Reply
from landform.service.rendering.content import make_excerpt
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
