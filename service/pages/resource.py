"""The operations on pages that WordPress has too."""

from math import ceil
from operator import itemgetter
from urllib.parse import quote

from marshmallow import ValidationError

from landform.schemas import pages as schemas
from landform.schemas import wordpress
from landform.service.pages.dump import (
    CONTEXTS,
    DELETED,
    WORDPRESS_CONTEXTS,
    WORDPRESS_DELETED,
    created_reply,
    embed_authors,
    page_reply,
    select_fields,
    select_page_fields,
)
from landform.service.pages.previews import signed_until
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import ApiError, api_error
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import WORDPRESS, Resource
from landform.service.pipeline.reply import NO_STORE, Caching, Reply
from landform.service.rendering.content import render_texts
from landform.storage import pages
from landform.storage.pages import listing
from landform.storage.pages.scheduling import Validity
from landform.storage.rows import Row

RESOURCE = Resource(WORDPRESS)
PAGING = ("X-WP-Total", "X-WP-TotalPages", "Link")
ONLY_PUBLISHED = "must be publish; others need credentials with the scope pages:read."
EXAMPLE = {
    "title": "Summer sale",
    "content": "Win a bicycle.",
    "status": "publish",
    "meta": {"form_id": "3", "language": ["en"]},
}


@RESOURCE.get(
    "/pages",
    query=schemas.PageList(),
    wordpress_query=wordpress.WordPressList(),
    response=CONTEXTS,
    many=True,
    public=True,
    headers=(*PAGING, "ETag"),
    errors=(
        "rest_forbidden_context",
        "rest_post_invalid_page_number",
        "rest_post_incorrect_password",
        "rest_orderby_include_missing_include",
        "rest_no_search_term_defined",
        "rest_search_too_expensive",
    ),
)
def list_pages(call: Call) -> Reply:
    """Return published pages, and all pages to callers with the scope `pages:read`."""
    query = _check_list(call)
    state = listing.list_state(call.store, query)
    selection, most_bytes = select_page_fields(call), call.options.max_response_bytes
    columns, password = selection.columns, call.page_password
    shows_content = query["context"] == "edit"
    if password:
        # It is compared, and failures are counted, for each request: neither a 304 nor a cache.
        etag, caching, columns = "", NO_STORE, (*columns, "id", "password")
    else:
        caching = Caching(table="page", until=state.until, is_secret=shows_content)
        # Due pages change the list before their row and the version change.
        variant = sorted(query.items()), *state.etag_parts
        etag = call.etag("page", state.version, *variant, generation=state.generation)
        if call.has(etag):
            return Reply(status=304, etag=etag, caching=caching)
    result = listing.list_pages(call.store, query, columns, state.publish_up_to, most_bytes)
    # The password is that of the only page whose slug is in the query.
    if password and len(query.get("slug") or ()) == 1 and not shows_content:
        for row in filter(itemgetter("password"), result.rows):
            call.access.check_password(row, password)
        shows_content = True
    urls = call.urls
    dumped = [
        selection.dump(row, urls, shows_content=shows_content or not row.get("password"))
        for row in result.rows
    ]
    body = embed_authors(call, dumped)
    return Reply(body, headers=paging(call, result.total), etag=etag, caching=caching)


def _check_list(call: Call) -> JsonObject:
    """Refuse callers who may not see a list, and return its query with `unprotected_only`."""
    query = {name: value for name, value in call.query.items() if name != "password"}
    sees_all = call.access.has_scope("pages:read")
    # Wrong credentials are reported as such, not as a status that needs other credentials.
    is_public = not (sees_all or call.access.is_rejected)
    if is_public and any(status != "publish" for status in query.get("status", ())):
        raise ValidationError(ONLY_PUBLISHED, "status")
    if query["context"] == "edit":
        call.access.require("pages:read", "rest_forbidden_context")
    call.access.reject_invalid_credentials()
    return {**query, "unprotected_only": not sees_all}


@RESOURCE.post(
    "/pages",
    body=schemas.PageCreate(),
    wordpress_body=wordpress.WordPressCreate(),
    form=True,
    response=CONTEXTS["edit"],
    wordpress_response=WORDPRESS_CONTEXTS["edit"],
    status=201,
    scope="pages:write",
    denied="rest_cannot_create",
    headers=("Location", "ETag", "X-Landform-Warning"),
    example=EXAMPLE,
    render=render_texts,
    errors=("rest_missing_callback_param", "rest_post_exists", "empty_content"),
)
def create_page(call: Call) -> Reply:
    """Create a page and return it in the edit context."""
    status = "draft" if call.is_wordpress else "publish"
    columns = {"author": call.caller.author, "status": status, **call.rendered.columns}
    columns["meta"] = {**schemas.EMPTY_META, **columns["meta"]}
    page = pages.create(call.store, columns)
    return created_reply(call, "pages", page_reply(call, page, call.rendered), page["id"])


@RESOURCE.get(
    "/pages/<page_id>",
    query=schemas.PageRead(),
    response=CONTEXTS,
    public=True,
    headers=("ETag", "Last-Modified"),
    errors=(
        "rest_forbidden_context",
        "rest_post_invalid_id",
        "rest_post_incorrect_password",
        "rest_preview_ended",
    ),
)
def get_page(call: Call, page_id: int) -> Reply:
    """Return a published page to anyone, another page with the scope `pages:read`."""
    # Wrong credentials are a 401 before the 404 of a missing page.
    call.access.reject_invalid_credentials()
    context, selection = call.query["context"], select_page_fields(call)
    columns = (*pages.ACCESS_COLUMNS, *selection.columns)
    page, validity = pages.read_page(call.store, page_id, columns)
    shows_content, caching = _check_page(call, page, validity)
    body = selection.dump(page, call.urls, shows_content=shows_content)
    return Reply(
        embed_authors(call, [body])[0],
        etag=call.row_etag("page", page, context, shows_content, generation=validity.generation),
        last_modified=page["modified_utc"],
        caching=caching,
    )


def _check_page(call: Call, page: Row, validity: Validity) -> tuple[bool, Caching]:
    """Refuse callers who may not see a page, after wrong credentials were refused.

    Returns whether the reply shows the content, and how it may be cached.
    """
    password, preview = call.page_password, call.query["preview"]
    is_edit = call.query["context"] == "edit"
    if is_edit:
        call.access.require("pages:read", "rest_forbidden_context")
    if preview:
        until = signed_until(call.store, page["id"], preview)
        if until is None or page["status"] == "trash":
            raise api_error("rest_preview_ended")
    else:
        if page["status"] != "publish":
            call.access.require("pages:read")
        if password:
            call.access.check_password(page, password)
    is_unlocked = bool(password or preview)
    is_secret = bool(is_unlocked or is_edit or page["password"])
    caching = Caching(table="page", until=0 if is_unlocked else validity.until, is_secret=is_secret)
    return is_unlocked or is_edit or not page["password"], caching


@RESOURCE.operation(
    "PUT POST PATCH",
    "/pages/<page_id>",
    body=schemas.PageUpdate(),
    wordpress_body=wordpress.WordPressUpdate(),
    form=True,
    response=CONTEXTS["edit"],
    wordpress_response=WORDPRESS_CONTEXTS["edit"],
    scope="pages:write",
    denied="rest_cannot_edit",
    if_match="page",
    headers=("ETag", "Last-Modified", "X-Landform-Warning"),
    example={"title": "Winter sale"},
    render=render_texts,
    errors=("rest_post_invalid_id", "empty_content"),
)
def update_page(call: Call, page_id: int) -> Reply:
    """Change the fields that are sent, and return the page."""
    columns, caller = _without_trash(call, page_id), call.caller
    keep = caller.may_write_any_html
    page = pages.update(
        call.store, page_id, columns, call.if_match, caller.author, keep_rendering=keep
    )
    return page_reply(call, page, call.rendered)


@RESOURCE.delete(
    "/pages/<page_id>",
    query=schemas.PageDelete(),
    form=True,
    response={"": CONTEXTS["edit"], "force": DELETED},
    scope="pages:write",
    denied="rest_cannot_delete",
    if_match="page",
    errors=("rest_post_invalid_id", "rest_already_trashed"),
)
def delete_page(call: Call, page_id: int) -> Reply:
    """Move a page to the trash and return it; with `force` delete it permanently."""
    if not call.query["force"]:
        page = pages.trash(call.store, page_id, call.if_match, call.caller.author)
        return page_reply(call, page)
    page = pages.delete(call.store, page_id, call.if_match)
    selection = select_fields(WORDPRESS_DELETED if call.is_wordpress else DELETED)
    return Reply(selection.dump(page, call.urls))


def _without_trash(call: Call, page_id: int) -> Row:
    """Return the columns without the status `trash`, which only a trashed page may have."""
    columns: Row = call.rendered.columns
    if columns.get("status") != schemas.TRASH:
        return columns
    if pages.get(call.store, page_id, ("status",))["status"] != schemas.TRASH:
        raise ValidationError(f"must be one of {', '.join(schemas.STATUSES)}.", "status")
    return {name: value for name, value in columns.items() if name != "status"}


def paging(
    call: Call, total: int, beyond_last: str = "rest_post_invalid_page_number"
) -> dict[str, str]:
    """Return the headers of a page of results; raise an error beyond the last page."""
    page, last = call.query["page"], ceil(total / call.query["per_page"])
    if page > last and total:
        raise ApiError(400, beyond_last, f"There are only {last} pages of results.")
    headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(last)}
    links = [("prev", min(page - 1, last))] if page > 1 and last else []
    links += [("next", page + 1)] if page < last else []
    if links:
        # Some clients split the header at each comma, and brackets are not allowed in a URL.
        query = quote(call.query_without("page"), safe="%&+=")
        url = f"{call.incoming.url.rstrip('/')}?{query and query + '&'}"
        headers["Link"] = ", ".join(f'<{url}page={number}>; rel="{rel}"' for rel, number in links)
    return headers
