"""How a page is shown: in which context, with which fields, made of which columns."""

from functools import lru_cache
from typing import NamedTuple

from marshmallow import Schema

from landform.schemas import pages as schemas
from landform.schemas.serializers import Serializer, compile_serializer
from landform.service.http.json_codec import JsonObject
from landform.service.http.request import ApiRequest
from landform.storage.pages.listing import ResultPage
from landform.storage.sql.rows import Row

CONTEXTS: dict[str, Schema] = {
    "view": schemas.PageView(),
    "embed": schemas.PageEmbed(),
    "edit": schemas.PageEdit(),
}
# The columns that a field of the response is made of, where they are not its namesake.
COLUMNS = {
    "link": ("id", "slug", "status"),
    "title": ("title_raw", "title_rendered"),
    "content": ("content_raw", "content_rendered", "block_version", "password"),
}
# Only the edit context shows these.
SOURCES = ("title_raw", "content_raw")
LINKED = ("publish", "private")


class PageShape(NamedTuple):
    """Which fields of a page are shown, the columns they are made of, and how they are dumped."""

    fields: frozenset[str]
    columns: tuple[str, ...]
    dump: Serializer


@lru_cache(256)
def _shape(context: str, names: frozenset[str] | None = None) -> PageShape:
    """Return the shape of a context, with only the fields of these names where any are given."""
    schema = CONTEXTS[context]
    if names is not None:
        schema = type(schema)(only=[name for name in schema.fields if name in names])
    columns = [column for name in schema.fields for column in COLUMNS.get(name, (name,))]
    if context != "edit":
        columns = [column for column in columns if column not in SOURCES]
    return PageShape(
        frozenset(schema.fields),
        tuple(dict.fromkeys(columns)) or ("id",),
        compile_serializer(schema),
    )


def requested_shape(request: ApiRequest, context: str) -> PageShape:
    """Return the shape of a context, for the fields that were asked for only."""
    if not request.fields:
        return _shape(context)
    return _shape(context, frozenset(request.fields).intersection(CONTEXTS[context].fields))


def dump_page(shape: PageShape, row: Row, public_url: str, shown: bool) -> JsonObject:
    """Return a page in a shape. `public_url`: what its link starts with; `shown`: with content."""
    page = row.copy()
    if "link" in shape.fields:
        page["link"] = _link(public_url, row)
    if "title" in shape.fields:
        page["title"] = {"raw": row.get("title_raw"), "rendered": row["title_rendered"]}
    if "content" in shape.fields:
        page["content"] = {
            "raw": row.get("content_raw"),
            "rendered": row["content_rendered"] if shown else "",
            "protected": bool(row["password"]),
            "block_version": row["block_version"],
        }
    return shape.dump(page)


def dump_list(request: ApiRequest, query: JsonObject, found: ResultPage) -> list[JsonObject]:
    """Return the pages of a list; content behind a password only in the edit context."""
    shape, public_url = requested_shape(request, query["context"]), request.public_base_url(1)
    edit = query["context"] == "edit"
    return [
        dump_page(shape, row, public_url, edit or not row.get("password")) for row in found.rows
    ]


def dump_edit(page: Row, public_url: str) -> JsonObject:
    """Return a page in the edit context."""
    return dump_page(_shape("edit"), page, public_url, True)


def _link(public_url: str, row: Row) -> str:
    if row["status"] in LINKED and row["slug"]:
        return f"{public_url}/{row['slug']}/"
    return f"{public_url}/?page_id={row['id']}"
