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
from landform.schemas.serializers import Serializer, compile_serializer
from landform.service.errors import ApiError
from landform.service.http.headers import set_no_store
from landform.service.http.idempotency import create_idempotently
from landform.service.http.request import ApiRequest
from landform.service.rendering.page_texts import render_texts
from landform.storage import pages
from landform.storage.pages import listing, scheduling

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


def list_pages(request: ApiRequest) -> Response:
    """`GET /pages`: published pages for anyone, all of them and the edit context with rights."""
    private = request.has_scope("pages:read")
    # Whoever sent wrong credentials is told that, not that a status is none of theirs.
    query = (LIST if private or request.is_rejected else PUBLIC_LIST).load(request.query)
    _admit(request, query["context"])
    query["unprotected_only"] = not private
    version, request.generation, request.cache_until, due = scheduling.collection_state(
        request.store
    )
    # What comes due changes the list before anybody stores it, and so the version.
    tag = request.etag("pages", version, sorted(query.items()), *([due] if due else []))
    if unchanged := request.not_modified(tag):
        return set_no_store(unchanged) if query["context"] == "edit" else unchanged
    form, edit = _wanted(request, query["context"]), query["context"] == "edit"
    bound = partial(request.response_bound, "per_page")
    found = listing.list_pages(request.store, query, form.columns, due, bound)
    headers = {"ETag": tag, **_paging(request, query, found.total)}
    site = request.public_base_url(1)
    shown = [_dump(form, row, site, edit or not row.get("password")) for row in found.rows]
    answer = request.json_response(shown, headers=headers)
    return set_no_store(answer) if edit else answer


def get_page(request: ApiRequest, page_id: int) -> Response:
    """`GET /pages/{page_id}`: a published page for anyone, another one with rights."""
    query = READ.load(request.query)
    request.reject_invalid_credentials()
    _, request.generation, until, due = scheduling.collection_state(request.store)
    # A caller who may hold the answer already costs no look at the content at first.
    for columns in (GUARDS, ()) if request.is_conditional else ((),):
        page = pages.get(request.store, page_id, columns, due)
        unlocked = _shown(request, query, page)
        # Whoever sends a password has it compared, and its failures counted, each time.
        request.cache_until = 0 if query["password"] else until
        headers = _validators(request, page, query["context"], unlocked)
        answer = request.not_modified(headers["ETag"])
        if answer:
            break
    if not answer:
        form = _wanted(request, query["context"])
        shown = unlocked or query["context"] == "edit"
        answer = request.json_response(
            _dump(form, page, request.public_base_url(2), shown), headers=headers
        )
    return set_no_store(answer) if page["password"] or query["context"] == "edit" else answer


def create_page(request: ApiRequest) -> Response:
    """`POST /pages`: 201, the page in the edit shape, and its address."""
    caller = request.require_scope("pages:write", "rest_cannot_create")
    values = {"author": caller.author, **CREATE.load(request.body())}
    values["meta"] = {**schemas.EMPTY_META, **values["meta"]}
    columns = render_texts(values, caller, request.service.limits)
    create = partial(pages.create, request.store, columns)
    return create_idempotently(request, "page", create, _edit)


def update_page(request: ApiRequest, page_id: int) -> Response:
    """`PUT`, `PATCH`, `POST /pages/{page_id}`: what is sent changes, the rest stays."""
    caller = request.require_scope("pages:write", "rest_cannot_edit")
    expected = request.if_match_versions(f"page{page_id}")
    values = render_texts(UPDATE.load(request.body()), caller, request.service.limits)
    page = pages.update(request.store, page_id, values, expected, request.check_page_meta)
    return request.json_response(
        _edit(page, request.public_base_url(2)), headers=_edited(request, page)
    )


def delete_page(request: ApiRequest, page_id: int) -> Response:
    """`DELETE /pages/{page_id}`: to the trash, or with `force` for good."""
    request.require_scope("pages:write", "rest_cannot_delete")
    expected = request.if_match_versions(f"page{page_id}")
    force = DELETE.load({**request.body(), **request.query})["force"]
    page = (pages.delete if force else pages.trash)(request.store, page_id, expected)
    dumped = _edit(page, request.public_base_url(2))
    if force:
        return request.json_response({"deleted": True, "previous": dumped})
    return request.json_response(dumped, headers=_edited(request, page))


def _admit(request: ApiRequest, context: str) -> None:
    if context == "edit":
        request.require_scope("pages:read", "rest_forbidden_context")
    request.reject_invalid_credentials()


def _validators(request: ApiRequest, page: dict[str, Any], *variant: object) -> dict[str, str]:
    """Return the headers by which a later request can tell whether the page has changed."""
    headers = {"ETag": request.etag(f"page{page['id']}", page["version"], *variant)}
    if page["modified_utc"]:
        headers["Last-Modified"] = http_date(datetime.fromisoformat(page["modified_utc"]))
    return headers


def _edited(request: ApiRequest, page: dict[str, Any]) -> dict[str, str]:
    return _validators(request, page, "edit", not page["password"])


def _shown(request: ApiRequest, query: dict[str, Any], page: dict[str, Any]) -> bool:
    """Say whether the content may be shown, to a caller who may see the page."""
    _admit(request, query["context"])
    if page["status"] != "publish":
        request.require_scope("pages:read")
    password = request.header("X-Page-Password") or query["password"]
    if not password:
        return not page["password"]
    request.check_password(page["id"], page["password"], password)
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
        frozenset(schema.fields),
        tuple(dict.fromkeys(columns)) or ("id",),
        compile_serializer(schema),
    )


def _wanted(request: ApiRequest, context: str) -> Form:
    """Return the form of a context, for the fields that were asked for only."""
    if not request.fields:
        return _form(context)
    return _form(context, frozenset(request.fields).intersection(CONTEXTS[context].fields))


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


def _paging(request: ApiRequest, query: dict[str, Any], total: int) -> dict[str, str]:
    """Return the headers that tell how many pages of results there are and where to go on."""
    page, last = query["page"], ceil(total / query["per_page"])
    if page > last and total:
        message = f"There are only {last} pages of results."
        raise ApiError(400, "rest_post_invalid_page_number", message)
    headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(last)}
    links = [("prev", min(page - 1, last))] if page > 1 and last else []
    links += [("next", page + 1)] if page < last else []
    if links:
        kept = [(k, v) for k, v in request.query_pairs if k not in UNLINKED]
        base = f"{request.api_base_url(1)}/pages"
        targets = [(f"{base}?{urlencode([*kept, ('page', number)])}", rel) for rel, number in links]
        headers["Link"] = ", ".join(f'<{target}>; rel="{rel}"' for target, rel in targets)
    return headers
