"""The operations on revisions of pages."""

from difflib import unified_diff
from json import loads

from marshmallow import Schema

from landform.parts.revisions import schemas, storage
from landform.parts.revisions.errors import BeyondLastPage, ParentNotFound, TrashNotSupported
from landform.schemas.pages import EMPTY_META, PageDelete
from landform.service.pages.dump import CONTEXTS, FieldSelection, page_reply, select_fields
from landform.service.pages.resource import PAGING, paging
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import WORDPRESS, Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.service.rendering.content import render_texts
from landform.storage import PageNotFound, pages
from landform.storage.rows import Row

RESOURCE, OWN_RESOURCE = RESOURCES = Resource(WORDPRESS), Resource()
REVISION_CONTEXTS: dict[str, Schema] = {
    "view": schemas.RevisionView(),
    "embed": schemas.RevisionEmbed(),
    "edit": schemas.RevisionEdit(),
}
DIFF, DELETED = schemas.RevisionDiff(), schemas.RevisionDeleted()
REVISIONS_PATH = "/pages/<page_id>/revisions"
REVISION_PATH = f"{REVISIONS_PATH}/<revision_id>"
NOT_FOUND = (ParentNotFound, "rest_post_invalid_id")
RENDERED = ("title_rendered", "content_rendered")
# Longer texts have no diff, which takes quadratic time.
MOST_LINES = 1000


@RESOURCE.get(
    REVISIONS_PATH,
    query=schemas.RevisionList(),
    response=REVISION_CONTEXTS,
    many=True,
    scope="pages:read",
    denied="rest_cannot_read",
    headers=PAGING,
    errors=(ParentNotFound, BeyondLastPage),
)
def list_revisions(call: Call, page_id: int) -> Reply:
    """Return the revisions of a page, the newest first."""
    _check_page(call, page_id)
    most_bytes = call.options.max_response_bytes
    selection = select_fields(REVISION_CONTEXTS[call.query["context"]], call.fields)
    rows, total = storage.of_page(call.store, page_id, call.query, selection.columns, most_bytes)
    headers = paging(call, total, BeyondLastPage.code)
    body = [_dump(call, selection, row) for row in rows]
    return Reply(body, headers=headers, caching=NO_STORE)


@RESOURCE.get(
    REVISION_PATH,
    query=schemas.RevisionRead(),
    response={**REVISION_CONTEXTS, "diff": DIFF},
    scope="pages:read",
    denied="rest_cannot_read",
    errors=NOT_FOUND,
)
def get_revision(call: Call, page_id: int, revision_id: int) -> Reply:
    """Return a revision, with `diff` also the changes after it."""
    row = _get(call, page_id, revision_id)
    schema = REVISION_CONTEXTS[call.query["context"]]
    if call.query["diff"]:
        diff = _difference(row, storage.following(call.store, row))
        schema, row = DIFF, {**row, "diff": diff}
    return Reply(_dump(call, select_fields(schema, call.fields), row), caching=NO_STORE)


@RESOURCE.delete(
    REVISION_PATH,
    query=PageDelete(),
    response=DELETED,
    scope="pages:write",
    denied="rest_cannot_delete",
    errors=(*NOT_FOUND, TrashNotSupported),
)
def delete_revision(call: Call, page_id: int, revision_id: int) -> Reply:
    """Delete a revision permanently and return it; `force` is required."""
    row = _get(call, page_id, revision_id)
    if not call.query["force"]:
        raise TrashNotSupported
    storage.delete(call.store, revision_id)
    return Reply(_dump(call, select_fields(DELETED), row), caching=NO_STORE)


@OWN_RESOURCE.post(
    f"{REVISION_PATH}/restore",
    body=schemas.RevisionRestore(),
    response=CONTEXTS["edit"],
    scope="pages:write",
    denied="rest_cannot_edit",
    if_match="page",
    batch=False,
    headers=("ETag", "Last-Modified", "X-Landform-Warning"),
    example={"fields": ["title", "content"]},
    errors=(*NOT_FOUND, "empty_content"),
)
def restore_revision(call: Call, page_id: int, revision_id: int) -> Reply:
    """Restore fields of a revision; the current page becomes a revision."""
    row, names = _get(call, page_id, revision_id), call.body["fields"]
    if row["status"] == "trash":
        names = [name for name in names if name not in ("status", "slug")]
    values = {name: row[column] for column, name in storage.RECORDED.items() if name in names}
    if "meta" in values:
        values["meta"] = {**EMPTY_META, **loads(row["meta"])}
    caller = call.caller
    texts = render_texts(values, caller)
    columns = dict(texts.columns)
    if caller.may_write_any_html:
        # The stored HTML, so that cleaned texts stay cleaned.
        columns |= {name: row[name] for name in RENDERED if name in columns}
    page = pages.update(call.store, page_id, columns, call.if_match, caller.author)
    return page_reply(call, page, texts)


def _check_page(call: Call, page_id: int) -> None:
    try:
        pages.get(call.store, page_id, ("id",))
    except PageNotFound:
        raise ParentNotFound from None


def _get(call: Call, page_id: int, revision_id: int) -> Row:
    _check_page(call, page_id)
    return storage.get(call.store, page_id, revision_id)


def _dump(call: Call, selection: FieldSelection, row: Row) -> JsonObject:
    """Return the JSON object of a revision, without the password of the page."""
    row = {**row, "password": ""}  # nosec B105
    return selection.dump({**row, "root_url": call.root_url}, call.urls)


def _difference(old: Row, new: Row) -> JsonObject:
    """Return the fields that differ between two states of a page."""
    changes: JsonObject = {
        name: {"before": old[column], "after": new[column]}
        for column, name in storage.RECORDED.items()
        if old[column] != new[column]
    }
    if "content" in changes:
        before, after = (row["content_raw"].split("\n") for row in (old, new))
        diff = unified_diff(before, after, "before", "after", lineterm="")
        is_short = max(len(before), len(after)) <= MOST_LINES
        changes["content"] = "\n".join(diff) if is_short else None
    if "meta" in changes:
        changes["meta"] = {when: loads(text) for when, text in changes["meta"].items()}
    return changes
