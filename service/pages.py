"""The operations on pages."""

from datetime import datetime
from functools import lru_cache, partial
from math import ceil
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Response
from marshmallow import Schema
from werkzeug.http import http_date

from landform.schemas import pages as schemas
from landform.schemas.compiled import Serializer, compiled
from landform.service.call import Call
from landform.service.errors import ApiError
from landform.service.headers import forbid_storing
from landform.service.idempotency import once
from landform.service.texts import rendered
from landform.storage import listing, pages, scheduling

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
# Only the edit context shows these.
SOURCES = ("title_raw", "content_raw")
# What says who may see a page, and which version it is at.
GUARDS = ("id", "status", "date_utc", "password", "version", "modified_utc")
LINKED = ("publish", "private")
# What the links to other pages of results do not repeat: their own number, and secrets.
UNLINKED = ("page", "password")


def list_pages(call: Call) -> Response:
    """`GET /pages`: published pages for anyone, all of them and the edit context with rights."""
    private = call.may("pages:read")
    # Whoever sent wrong credentials is told that, not that a status is none of theirs.
    query = (LIST if private or call.is_rejected else PUBLIC_LIST).load(call.query)
    _admit(call, query["context"])
    query["unprotected_only"] = not private
    version, call.generation, call.keep_until, due = scheduling.collection(call.store)
    # What comes due changes the list before anybody stores it, and so the version.
    tag = call.tag("pages", version, sorted(query.items()), *([due] if due else []))
    if unchanged := call.unchanged(tag):
        return forbid_storing(unchanged) if query["context"] == "edit" else unchanged
    form, edit = _wanted(call, query["context"]), query["context"] == "edit"
    bound = partial(call.response_bound, "per_page")
    found = listing.find(call.store, query, form.columns, due, bound)
    headers = {"ETag": tag, **_paging(call, query, found.total)}
    site = call.site(1)
    shown = [_dump(form, row, site, edit or not row.get("password")) for row in found.rows]
    answer = call.answer(shown, headers=headers)
    return forbid_storing(answer) if edit else answer


def get_page(call: Call, page_id: int) -> Response:
    """`GET /pages/{page_id}`: a published page for anyone, another one with rights."""
    query = READ.load(call.query)
    call.admit()
    _, call.generation, until, due = scheduling.collection(call.store)
    # A caller who may hold the answer already costs no look at the content at first.
    for columns in (GUARDS, ()) if call.is_conditional else ((),):
        page = pages.get(call.store, page_id, columns, due)
        unlocked = _shown(call, query, page)
        # Whoever sends a password has it compared, and its failures counted, each time.
        call.keep_until = 0 if query["password"] else until
        headers = _validators(call, page, query["context"], unlocked)
        answer = call.unchanged(headers["ETag"])
        if answer:
            break
    if not answer:
        form = _wanted(call, query["context"])
        shown = unlocked or query["context"] == "edit"
        answer = call.answer(_dump(form, page, call.site(2), shown), headers=headers)
    return forbid_storing(answer) if page["password"] or query["context"] == "edit" else answer


def create_page(call: Call) -> Response:
    """`POST /pages`: 201, the page in the edit shape, and its address."""
    caller = call.require("pages:write", "rest_cannot_create")
    values = {"author": caller.author, **CREATE.load(call.body())}
    values["meta"] = {**schemas.EMPTY_META, **values["meta"]}
    columns = rendered(values, caller, call.settings.limits)

    def create() -> tuple[dict[str, Any], str]:
        page = pages.create(call.store, columns)
        return _edit(page, call.site(1)), f"{call.root(1)}/pages/{page['id']}"

    return once(call, caller, "page", create)


def update_page(call: Call, page_id: int) -> Response:
    """`PUT`, `PATCH`, `POST /pages/{page_id}`: what is sent changes, the rest stays."""
    caller = call.require("pages:write", "rest_cannot_edit")
    expected = call.expected(f"page{page_id}")
    values = rendered(UPDATE.load(call.body()), caller, call.settings.limits)
    page = pages.update(call.store, page_id, values, expected, call.check_page_meta)
    return call.answer(_edit(page, call.site(2)), headers=_edited(call, page))


def delete_page(call: Call, page_id: int) -> Response:
    """`DELETE /pages/{page_id}`: to the trash, or with `force` for good."""
    call.require("pages:write", "rest_cannot_delete")
    expected = call.expected(f"page{page_id}")
    force = DELETE.load({**call.body(), **call.query})["force"]
    page = (pages.delete if force else pages.trash)(call.store, page_id, expected)
    dumped = _edit(page, call.site(2))
    if force:
        return call.answer({"deleted": True, "previous": dumped})
    return call.answer(dumped, headers=_edited(call, page))


def _admit(call: Call, context: str) -> None:
    if context == "edit":
        call.require("pages:read", "rest_forbidden_context")
    call.admit()


def _validators(call: Call, page: dict[str, Any], *variant: object) -> dict[str, str]:
    """Return the headers by which a later request can tell whether the page has changed."""
    headers = {"ETag": call.tag(f"page{page['id']}", page["version"], *variant)}
    if page["modified_utc"]:
        headers["Last-Modified"] = http_date(datetime.fromisoformat(page["modified_utc"]))
    return headers


def _edited(call: Call, page: dict[str, Any]) -> dict[str, str]:
    return _validators(call, page, "edit", not page["password"])


def _shown(call: Call, query: dict[str, Any], page: dict[str, Any]) -> bool:
    """Say whether the content may be shown, to a caller who may see the page."""
    _admit(call, query["context"])
    if page["status"] != "publish":
        call.require("pages:read")
    password = call.header("X-Page-Password") or query["password"]
    if not password:
        return not page["password"]
    call.check_password(page["id"], page["password"], password)
    return True


class Form(NamedTuple):
    """The form that pages are answered in: its fields, and the columns they are made of."""

    fields: frozenset[str]
    columns: tuple[str, ...]
    dump: Serializer


@lru_cache(256)
def _form(context: str, names: frozenset[str] | None = None) -> Form:
    """Return the form of a context, with only the fields of these names where any are given."""
    schema = CONTEXTS[context]
    if names is not None:
        schema = type(schema)(only=[name for name in schema.fields if name in names])
    columns = [column for name in schema.fields for column in COLUMNS.get(name, (name,))]
    if context != "edit":
        columns = [column for column in columns if column not in SOURCES]
    return Form(
        frozenset(schema.fields), tuple(dict.fromkeys(columns)) or ("id",), compiled(schema)
    )


def _wanted(call: Call, context: str) -> Form:
    """Return the form of a context, for the fields that were asked for only."""
    if not call.fields:
        return _form(context)
    return _form(context, frozenset(call.fields).intersection(CONTEXTS[context].fields))


def _dump(form: Form, row: dict[str, Any], site: str, shown: bool) -> dict[str, Any]:
    """Return a page in a form. `site`: what its link starts with; `shown`: with its content."""
    page = row.copy()
    if "link" in form.fields:
        page["link"] = _link(site, row)
    if "title" in form.fields:
        page["title"] = {"raw": row.get("title_raw"), "rendered": row["title_rendered"]}
    if "content" in form.fields:
        page["content"] = {
            "raw": row.get("content_raw"),
            "rendered": row["content_rendered"] if shown else "",
            "protected": bool(row["password"]),
            "block_version": row["block_version"],
        }
    return form.dump(page)


def _edit(page: dict[str, Any], site: str) -> dict[str, Any]:
    return _dump(_form("edit"), page, site, True)


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
        kept = [(k, v) for k, v in call.query_pairs if k not in UNLINKED]
        base = f"{call.root(1)}/pages"
        targets = [(f"{base}?{urlencode([*kept, ('page', number)])}", rel) for rel, number in links]
        headers["Link"] = ", ".join(f'<{target}>; rel="{rel}"' for target, rel in targets)
    return headers
