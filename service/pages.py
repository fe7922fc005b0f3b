"""The operations on pages."""

import hmac
from math import ceil
from typing import Any
from urllib.parse import urlencode

from flask import Response
from marshmallow import Schema

from landform.schemas import pages as schemas
from landform.service.call import Call
from landform.service.errors import ApiError
from landform.service.rendering import render_content, render_title
from landform.storage import listing, pages

LIST, PUBLIC_LIST = schemas.PageList(), schemas.PublicPageList()
READ, DELETE = schemas.PageRead(), schemas.PageDelete()
CREATE, UPDATE = schemas.PageCreate(), schemas.PageUpdate(partial=True)
CONTEXTS: dict[str, Schema] = {
    "view": schemas.PageView(),
    "embed": schemas.PageEmbed(),
    "edit": schemas.PageEdit(),
}
# The columns that a field of the answer is made of, where they are not its namesake.
COLUMNS = {
    "link": ("id", "slug", "status"),
    "title": ("title_raw", "title_rendered"),
    "content": ("content_raw", "content_rendered", "block_version", "password"),
}
LINKED = ("publish", "private")


def list_pages(call: Call) -> Response:
    """`GET /pages`: published pages for anyone, all of them and the edit context with rights."""
    private = call.may("pages:read")
    # Whoever sent wrong credentials is told that, not that a status is none of theirs.
    query = (LIST if private or call.is_rejected else PUBLIC_LIST).load(call.query)
    _admit(call, query["context"])
    query["unprotected_only"] = not private
    pages.publish_due(call.store)
    schema = _schema(call, query["context"])
    found = listing.find(call.store, query, _columns(schema))
    headers = _paging(call, query, found.total)
    return call.answer([_dump(call, schema, row, 1) for row in found.rows], headers=headers)


def get_page(call: Call, page_id: int) -> Response:
    """`GET /pages/{page_id}`: a published page for anyone, another one with rights."""
    query = READ.load(call.query)
    call.admit()
    pages.publish_due(call.store)
    page = pages.get(call.store, page_id)
    _admit(call, query["context"])
    if page["status"] != "publish":
        call.require("pages:read")
    unlocked = _unlocked(_header_password(call) or query["password"], page)
    return call.answer(_dump(call, _schema(call, query["context"]), page, 2, unlocked))


def create_page(call: Call) -> Response:
    """`POST /pages`: 201, the page in the edit shape, and its address."""
    caller = call.require("pages:write", "rest_cannot_create")
    values = {"author": caller.author, **CREATE.load(call.body())}
    values["meta"] = {**schemas.EMPTY_META, **values["meta"]}
    page = pages.create(call.store, _rendered(values))
    headers = {"Location": f"{call.root(1)}/pages/{page['id']}"}
    return call.answer(_dump(call, _schema(call, "edit"), page, 1), 201, headers)


def update_page(call: Call, page_id: int) -> Response:
    """`PUT`, `PATCH`, `POST /pages/{page_id}`: what is sent changes, the rest stays."""
    call.require("pages:write", "rest_cannot_edit")
    page = pages.update(call.store, page_id, _rendered(UPDATE.load(call.body())))
    return call.answer(_dump(call, _schema(call, "edit"), page, 2))


def delete_page(call: Call, page_id: int) -> Response:
    """`DELETE /pages/{page_id}`: to the trash, or with `force` for good."""
    call.require("pages:write", "rest_cannot_delete")
    force = DELETE.load({**call.body(), **call.query})["force"]
    page = (pages.delete if force else pages.trash)(call.store, page_id)
    answer = _dump(call, CONTEXTS["edit"], page, 2)
    return call.answer({"deleted": True, "previous": answer} if force else answer)


def _admit(call: Call, context: str) -> None:
    if context == "edit":
        call.require("pages:read", "rest_forbidden_context")
    call.admit()


def _header_password(call: Call) -> str:
    """Return the password in the header, which WSGI hands on as if it were Latin-1."""
    sent = call.request.headers.get("X-Page-Password", "")
    try:
        return sent.encode("latin-1").decode()
    except UnicodeError:
        return sent


def _unlocked(password: str, page: dict[str, Any]) -> bool:
    """Say whether the content may be shown; a wrong password is refused."""
    if not password:
        return not page["password"]
    if not hmac.compare_digest(password.encode(), page["password"].encode()):
        raise ApiError(403, "rest_post_incorrect_password", "The page password is wrong.")
    return True


def _rendered(values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of what a write's schema loaded, its texts rendered."""
    columns = {name: value for name, value in values.items() if name not in ("title", "content")}
    if "title" in values:
        columns["title_raw"] = values["title"]
        columns["title_rendered"] = render_title(values["title"])
    if "content" in values:
        columns["content_raw"] = values["content"]
        columns["content_rendered"], columns["block_version"] = render_content(values["content"])
    return columns


def _schema(call: Call, context: str) -> Schema:
    """Return the schema of a context, for the fields that were asked for only."""
    schema = CONTEXTS[context]
    if not call.fields:
        return schema
    return type(schema)(only=[name for name in schema.fields if name in call.fields])


def _columns(schema: Schema) -> list[str]:
    """Return the columns that the fields of a schema are made of."""
    names = [column for name in schema.fields for column in COLUMNS.get(name, (name,))]
    return list(dict.fromkeys(names)) or ["id"]


def _dump(
    call: Call, schema: Schema, row: dict[str, Any], segments: int, unlocked: bool | None = None
) -> Any:
    """Return a page in the shape of a schema. `segments`: those of the path below the root."""
    page = dict(row)
    edit = isinstance(schema, schemas.PageEdit)
    if "link" in schema.fields:
        page["link"] = _link(call.site(segments), row)
    if "title" in schema.fields:
        page["title"] = {"raw": row["title_raw"], "rendered": row["title_rendered"]}
    if "content" in schema.fields:
        shown = edit or (not row["password"] if unlocked is None else unlocked)
        page["content"] = {
            "raw": row["content_raw"],
            "rendered": row["content_rendered"] if shown else "",
            "protected": bool(row["password"]),
            "block_version": row["block_version"],
        }
    return schema.dump(page)


def _link(site: str, row: dict[str, Any]) -> str:
    if row["status"] in LINKED and row["slug"]:
        return f"{site}/{row['slug']}/"
    return f"{site}/?page_id={row['id']}"


def _paging(call: Call, query: dict[str, Any], total: int) -> dict[str, str]:
    """Return the headers that tell how many pages of results there are and where to go on."""
    page, last = query["page"], ceil(total / query["per_page"])
    if page > last and total:
        message = f"There are only {last} pages of results."
        raise ApiError(400, "rest_post_invalid_page_number", message)
    headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(last)}
    links = [("prev", min(page - 1, last))] if page > 1 and last else []
    links += [("next", page + 1)] if page < last else []
    if links:
        kept = [(k, v) for k, v in call.query_pairs if k != "page"]
        base = f"{call.root(1)}/pages"
        targets = [(f"{base}?{urlencode([*kept, ('page', number)])}", rel) for rel, number in links]
        headers["Link"] = ", ".join(f'<{target}>; rel="{rel}"' for target, rel in targets)
    return headers
