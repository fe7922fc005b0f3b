"""`POST /pages/preview`: the HTML of a page with fields that are not stored."""

import json

from landform.schemas import pages as schemas
from landform.service.pages.dump import find_warnings
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import Reply, warning_headers
from landform.service.rendering.content import render_texts
from landform.service.site.forms import show_forms
from landform.service.site.visits import Visibility, Visit
from landform.storage import pages
from landform.storage.pages.scheduling import Validity
from landform.storage.pages.slugs import slugify
from landform.storage.rows import Row

RESOURCE = Resource()
DOCUMENT = schemas.PageDocument()
RENDERED_COLUMNS = ("title_rendered", "content_rendered")
PREVIEW_COLUMNS = (*RENDERED_COLUMNS, "meta", "slug", "status", "date", "modified")


@RESOURCE.post(
    "/pages/preview",
    body=schemas.PageUnsaved(),
    response=DOCUMENT,
    safe=True,
    scope="pages:write",
    denied="rest_cannot_edit",
    headers=("X-Landform-Warning",),
    example={"title": "Winter sale"},
    errors=("rest_post_invalid_id",),
)
def render_page(call: Call) -> Reply:
    """Return the HTML of a page with these fields for visitors; nothing is stored."""
    values = {**call.body}
    stored = _stored(call, values.pop("id", 0))
    texts = render_texts(values, call.caller)
    columns = texts.columns
    if stored["id"] and call.caller.may_write_any_html:
        columns = pages.with_old_rendering(stored, columns)
    meta = {**json.loads(stored["meta"]), **values.get("meta", {})}
    row = {
        **stored,
        **{name: columns[name] for name in RENDERED_COLUMNS if name in columns},
        "slug": slugify(values.get("slug") or stored["slug"], call.store.language),
        "meta": json.dumps(meta),
    }
    link = call.urls.page_link(row)
    at, validity = call.store.clock.now(), Validity("", 0)
    visited = Visit(row, Visibility.INSPECTED, link, at, validity)
    html = call.service.site.page_html(row, link, show_forms(call, visited))
    headers = warning_headers("; ".join(find_warnings(call, texts, row)))
    return Reply(DOCUMENT.dump({"html": html.decode()}), headers=headers)


def _stored(call: Call, page_id: int) -> Row:
    """Return the columns of a page; without an id, those of an empty draft."""
    if page_id:
        # The HTML would show drafts and texts behind passwords.
        call.access.require("pages:read", call.operation.denied)
        columns = ("id", "author", "title_raw", "content_raw", *PREVIEW_COLUMNS)
        return pages.get(call.store, page_id, columns)
    now = call.store.clock.now().local
    empty = {**dict.fromkeys(PREVIEW_COLUMNS, ""), "status": "draft", "date": now, "modified": now}
    return {"id": 0, "author": call.caller.author, **empty, "meta": "{}"}
