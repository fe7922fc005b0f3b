"""The operations on revisions: what pages were, what changed after it, and how it is put back."""

from difflib import unified_diff
from json import loads

from flask import Response

from landform.schemas import revisions as schemas
from landform.schemas.pages import EMPTY_META, PageDelete
from landform.service.errors import refusal
from landform.service.http.contract import Resource
from landform.service.http.request import WP_JSON_PATHS, ApiRequest
from landform.service.json_codec import JsonObject
from landform.service.page_shapes import CONTEXTS as PAGE_CONTEXTS
from landform.service.page_shapes import PageShape, dump_page, make_shape, page_urls
from landform.service.pages import edited, warn
from landform.service.rendering.content import render_texts
from landform.storage import PageNotFound, pages
from landform.storage.pages import revisions
from landform.storage.rows import Row

RESOURCE, RESTORE_RESOURCE = Resource(WP_JSON_PATHS[0]), Resource()
LIST, READ, DELETE = schemas.RevisionList(), schemas.RevisionRead(), PageDelete()
RESTORE, DELETED = schemas.RevisionRestore(), schemas.RevisionDeleted()
CONTEXTS = {
    "view": schemas.RevisionView(),
    "embed": schemas.RevisionEmbed(),
    "edit": schemas.RevisionEdit(),
}
OF_PAGE = "/pages/<page_id>/revisions"
ONE = f"{OF_PAGE}/<revision_id>"
UNKNOWN = ("rest_post_invalid_parent", "rest_post_invalid_id")
NO_PASSWORD = dict.fromkeys(("password",), "")
# Of longer texts there is no diff: it takes the square of their lines.
MOST_LINES = 1000


@RESOURCE.operation(
    "GET", OF_PAGE, CONTEXTS, many=True, query=LIST, scope="pages:read",
    denied="rest_cannot_read", headers=("X-WP-Total", "X-WP-TotalPages", "Link"),
    errors=("rest_post_invalid_parent", "rest_revision_invalid_page_number"),
)  # fmt: skip
def list_revisions(request: ApiRequest, page_id: int) -> Response:
    """Return what a page was before each of the writes that changed it, the newest first."""
    _check_page(request, page_id)
    query, most = request.parameters, request.service.options.max_response_bytes
    shape = _shape(request, query["context"])
    rows, total = revisions.of_page(request.store, page_id, query, shape.columns, most)
    headers = request.paging_headers(query, total, "rest_revision_invalid_page_number")
    return request.json_response([_show(request, shape, row) for row in rows], headers)


@RESOURCE.operation(
    "GET", ONE, {**CONTEXTS, "diff": schemas.RevisionDiff()}, query=READ, scope="pages:read",
    denied="rest_cannot_read", errors=UNKNOWN,
)  # fmt: skip
def get_revision(request: ApiRequest, page_id: int, revision_id: int) -> Response:
    """Return a revision, with `diff` also what changed after it."""
    row, query = _get(request, page_id, revision_id), request.parameters
    shown = _show(request, _shape(request, "edit" if query["diff"] else query["context"]), row)
    if query["diff"]:
        shown["diff"] = _difference(row, revisions.following(request.store, row))
    return request.json_response(shown)


@RESOURCE.operation(
    "DELETE", ONE, DELETED, query=DELETE, scope="pages:write", denied="rest_cannot_delete",
    errors=(*UNKNOWN, "rest_trash_not_supported"),
)  # fmt: skip
def delete_revision(request: ApiRequest, page_id: int, revision_id: int) -> Response:
    """Remove a revision and return it as it was; `force` is required, as there is no trash."""
    row = _get(request, page_id, revision_id)
    if not request.parameters["force"]:
        raise refusal("rest_trash_not_supported")
    revisions.delete(request.store, revision_id)
    previous = _show(request, _shape(request, "edit"), row)
    return request.json_response({"deleted": True, "previous": previous})


@RESTORE_RESOURCE.operation(
    "POST", f"{ONE}/restore", PAGE_CONTEXTS["edit"], body=RESTORE, if_match="page",
    headers=("ETag", "Last-Modified", "X-Landform-Warning"), scope="pages:write",
    denied="rest_cannot_edit", batch=False, example={"fields": ["title", "content"]},
    errors=(*UNKNOWN, "empty_content"),
)  # fmt: skip
def restore_revision(request: ApiRequest, page_id: int, revision_id: int) -> Response:
    """Put back what a page was; what it is now becomes a revision itself."""
    row, wanted = _get(request, page_id, revision_id), request.values()["fields"]
    if row["status"] == "trash":
        wanted = [name for name in wanted if name not in ("status", "slug")]
    sent = {name: row[column] for column, name in revisions.KEPT.items() if name in wanted}
    if "meta" in sent:
        sent["meta"] = {**EMPTY_META, **loads(row["meta"])}
    # The texts as this caller may write them.
    columns, author = render_texts(sent, request.caller), request.caller.author
    page = pages.update(request.store, page_id, columns, request.expected, author)
    warn(request, sent, page["meta"])
    return edited(request, page)


def _check_page(request: ApiRequest, page_id: int) -> None:
    request.forbid_storing()
    try:
        pages.get(request.store, page_id, ("id",))
    except PageNotFound:
        raise refusal("rest_post_invalid_parent") from None


def _get(request: ApiRequest, page_id: int, revision_id: int) -> Row:
    _check_page(request, page_id)
    return revisions.get(request.store, page_id, revision_id)


def _shape(request: ApiRequest, context: str) -> PageShape:
    schema = CONTEXTS[context]
    return make_shape(schema, context == "edit", frozenset(request.fields or schema.fields))


def _show(request: ApiRequest, shape: PageShape, row: Row) -> JsonObject:
    written = {"date": row["modified"], "date_utc": row["modified_utc"]}
    page = {**row, **written, "id": row["page"], **NO_PASSWORD}
    shown = dump_page(shape, page, page_urls(request), True)
    parent = {"href": f"{request.api_base_url}/pages/{row['page']}"}
    return {**shown, "id": row["id"], "_links": {"parent": [parent]}}


def _difference(old: Row, new: Row) -> JsonObject:
    """Return what differs between two states of a page, by the names of the fields."""
    found: JsonObject = {
        name: {"before": old[column], "after": new[column]}
        for column, name in revisions.KEPT.items()
        if old[column] != new[column]
    }
    if "content" in found:
        before, after = (row["content_raw"].split("\n") for row in (old, new))
        diff = unified_diff(before, after, "before", "after", lineterm="")
        is_short = max(len(before), len(after)) <= MOST_LINES
        found["content"] = "\n".join(diff) if is_short else None
    if "meta" in found:
        found["meta"] = {when: loads(text) for when, text in found["meta"].items()}
    return found
