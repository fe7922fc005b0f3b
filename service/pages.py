"""The operations on pages."""

from functools import partial
from json import loads

from flask import Response
from marshmallow import ValidationError

from landform.schemas import pages as schemas
from landform.schemas import wordpress
from landform.service.discovery.resources import embed_authors
from landform.service.errors import refusal
from landform.service.http.contract import Resource
from landform.service.http.request import WP_JSON_PATHS, ApiRequest, create_idempotently
from landform.service.json_codec import JsonObject
from landform.service.page_shapes import (
    CONTEXTS,
    WORDPRESS_CONTEXTS,
    dump_edit,
    dump_page,
    page_shape,
    page_urls,
)
from landform.service.previews import signed_until
from landform.service.rendering.content import lost_elements, render_texts
from landform.storage import pages
from landform.storage.pages import listing, scheduling
from landform.storage.pages.scheduling import Validity
from landform.storage.rows import Row

RESOURCE = Resource(WP_JSON_PATHS[0])
LIST, WORDPRESS_LIST = schemas.PageList(), wordpress.WordPressList()
READ, DELETE = schemas.PageRead(), schemas.PageDelete()
CREATE, UPDATE = schemas.PageCreate(), schemas.PageUpdate()
DELETED = schemas.PageDeleted()
LOST = "left out of the HTML, for want of the scope html:unfiltered"
MOST_NAMED = 20
EXAMPLE = {
    "title": "Summer sale",
    "content": "Win a bicycle.",
    "status": "publish",
    "meta": {"form_id": "3", "language": ["en"]},
}


@RESOURCE.operation(
    "GET", "/pages", CONTEXTS, many=True, public=True, query=LIST,
    headers=("X-WP-Total", "X-WP-TotalPages", "Link", "ETag"),
    errors=(
        "rest_forbidden_context", "rest_post_invalid_page_number",
        "rest_post_incorrect_password", "rest_orderby_include_missing_include",
        "rest_no_search_term_defined", "rest_search_too_expensive",
    ),
)  # fmt: skip
def list_pages(request: ApiRequest) -> Response:
    """Return published pages to anyone, every page to callers with the scope `pages:read`."""
    query = _list_query(request)
    # Taken out of the query: neither entity tags nor links are made of it.
    password = request.sent_password(query.pop("password"))
    state = listing.list_state(request.store, query)
    if password:
        # It has to be compared, and failures counted, for each request: nothing is cached.
        request.forbid_storing()
    else:
        request.allow_caching("page", state.until)
        # What comes due changes the list before anybody stores it, and so the version.
        wanted = sorted(query.items()), *state.moments
        request.set_etag("pages", state.version, *wanted, generation=state.generation)
    return _list(request, query, password, state.due)


@RESOURCE.operation(
    "POST", "/pages", CONTEXTS["edit"], WORDPRESS_CONTEXTS["edit"], status=201,
    headers=("Location", "ETag", "X-Landform-Warning"), scope="pages:write",
    denied="rest_cannot_create", body=CREATE, form=True, example=EXAMPLE,
    errors=("rest_missing_callback_param", "rest_post_exists", "empty_content"),
)  # fmt: skip
def create_page(request: ApiRequest) -> Response:
    """Create a page and return it in the edit context."""
    status = "draft" if request.is_below_wp_json else "publish"
    values = {"author": request.caller.author, "status": status, **request.values()}
    values["meta"] = {**schemas.EMPTY_META, **values["meta"]}
    columns = render_texts(values, request.caller)
    warn(request, values)
    create = partial(pages.create, request.store, columns)
    urls = page_urls(request)
    return create_idempotently(
        request, "page", create, lambda page, public: dump_edit(page, urls._replace(public=public))
    )


@RESOURCE.operation(
    "GET", "/pages/<page_id>", CONTEXTS, public=True, query=READ,
    headers=("ETag", "Last-Modified"),
    errors=(
        "rest_forbidden_context", "rest_post_invalid_id", "rest_post_incorrect_password",
        "rest_preview_ended",
    ),
)  # fmt: skip
def get_page(request: ApiRequest, page_id: int) -> Response:
    """Return a page: a published one to anyone, another one with the scope `pages:read`."""
    context = request.parameters["context"]
    request.access.reject_invalid_credentials()
    urls = page_urls(request)
    shape = page_shape(context, urls, request.fields)
    page, validity = pages.read_page(request.store, page_id, (*pages.GUARDS, *shape.columns))
    is_shown = _authorize_page(request, page, validity)
    body = dump_page(shape, page, urls, is_shown or context == "edit")
    return request.json_response(*embed_authors(request, [body]))


@RESOURCE.operation(
    "PUT POST PATCH", "/pages/<page_id>", CONTEXTS["edit"], WORDPRESS_CONTEXTS["edit"],
    headers=("ETag", "Last-Modified", "X-Landform-Warning"), scope="pages:write",
    denied="rest_cannot_edit", body=UPDATE, form=True, if_match="page",
    example={"title": "Winter sale"}, errors=("rest_post_invalid_id", "empty_content"),
)  # fmt: skip
def update_page(request: ApiRequest, page_id: int) -> Response:
    """Change what is sent of a page and return the page; what is not sent stays."""
    sent = request.values()
    values = render_texts(sent, request.caller)
    page = pages.update(request.store, page_id, values, request.expected, request.caller.author)
    warn(request, sent, page["meta"])
    return edited(request, page)


@RESOURCE.operation(
    "DELETE", "/pages/<page_id>", {"": CONTEXTS["edit"], "force": DELETED}, query=DELETE,
    form=True, scope="pages:write", denied="rest_cannot_delete", if_match="page",
    errors=("rest_post_invalid_id", "rest_already_trashed"),
)  # fmt: skip
def delete_page(request: ApiRequest, page_id: int) -> Response:
    """Move a page to the trash and return it; with `force` remove it for good."""
    force = DELETE.load({**request.body, **request.query})["force"]
    if not force:
        author = request.caller.author
        return edited(request, pages.trash(request.store, page_id, request.expected, author))
    page = pages.delete(request.store, page_id, request.expected)
    body = {"deleted": True, "previous": dump_edit(page, page_urls(request))}
    return request.json_response(body)


def warn(request: ApiRequest, sent: JsonObject, stored: str = "{}") -> None:
    """Name in the response what was left out of the HTML, and bounds of a window without sense."""
    lost = lost_elements(sent, request.caller)[:MOST_NAMED]
    warnings = [f"{', '.join(lost)}: {LOST}"] if lost else []
    if meta := sent.get("meta"):
        warnings[:0] = scheduling.window_problems(request.store.clock, meta, loads(stored))
    if warnings:
        request.headers["X-Landform-Warning"] = "; ".join(warnings)


def _list_query(request: ApiRequest) -> JsonObject:
    """Return the query of a list, for a caller who may ask it."""
    private = request.access.has_scope("pages:read")
    # Wrong credentials are reported as such, not as a status that needs other credentials.
    is_public = not (private or request.access.is_rejected)
    schema = WORDPRESS_LIST if request.is_below_wp_json else LIST
    query: JsonObject = schema.load(request.query)
    if is_public and {"publish", *query.get("status", ())} != {"publish"}:
        raise ValidationError("must be one of publish.", "status")
    _authorize_context(request, query["context"])
    query["unprotected_only"] = not private
    return query


def _authorize_context(request: ApiRequest, context: str) -> None:
    if context == "edit":
        request.access.require("pages:read", "rest_forbidden_context")
        request.forbid_storing()
    request.access.reject_invalid_credentials()


def _list(request: ApiRequest, query: JsonObject, password: str, due: str) -> Response:
    """Return the response to a list; up to the date `due` future pages are published."""
    urls, shows_all = page_urls(request), query["context"] == "edit"
    shape = page_shape(query["context"], urls, request.fields)
    # A password opens the one page whose slug is named.
    opens = bool(password) and len(query.get("slug") or ()) == 1 and not shows_all
    columns = shape.columns
    if opens:
        columns = tuple(dict.fromkeys((*columns, "id", "password")))
    most = request.service.options.max_response_bytes
    found = listing.list_pages(request.store, query, columns, due, most)
    for row in found.rows if opens else ():
        if row["password"]:
            request.access.check_password(row, password)
    shown = [
        dump_page(shape, row, urls, shows_all or opens or not row.get("password"))
        for row in found.rows
    ]
    shown = embed_authors(request, shown) if urls.wordpress else shown
    return request.json_response(shown, request.paging_headers(query, found.total))


def _authorize_page(request: ApiRequest, page: Row, validity: Validity) -> bool:
    """Refuse callers who may not see a page; return whether a reader sees its content."""
    query = request.parameters
    password = request.sent_password(query["password"])
    # As for a list.
    is_secret = bool(password or query["preview"])
    request.allow_caching("page", 0 if is_secret else validity.until)
    _authorize_context(request, query["context"])
    if query["preview"]:
        until = signed_until(request.store, page["id"], query["preview"])
        if until is None or page["status"] == "trash":
            raise refusal("rest_preview_ended")
    elif page["status"] != "publish":
        request.access.require("pages:read")
    if password and not query["preview"]:
        request.access.check_password(page, password)
    if is_secret or page["password"]:
        request.forbid_storing()
    is_shown = is_secret or not page["password"]
    request.set_row_etag("page", page, query["context"], is_shown, generation=validity.generation)
    return is_shown


def edited(request: ApiRequest, page: Row) -> Response:
    """Return the response to a write of a page."""
    request.set_row_etag("page", page, "edit", not page["password"])
    return request.json_response(dump_edit(page, page_urls(request)))
