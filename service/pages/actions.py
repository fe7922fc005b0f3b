"""The operations on pages that WordPress does not have."""

from json import loads

from landform.schemas import fields
from landform.schemas import pages as schemas
from landform.service.pages.dump import CONTEXTS, created_reply, page_reply
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.service.rendering.content import render_texts
from landform.storage import pages
from landform.storage.feeds import COPY
from landform.storage.pages import listing
from landform.storage.rows import Row

RESOURCE = Resource()
COUNTS = schemas.PageCounts()
# What a copy does not have of its page.
NEW: Row = {"status": "draft", "slug": "", "date": None, "password": ""}  # nosec B105


@RESOURCE.get("/pages/counts", response=COUNTS, scope="pages:read")
def count_pages(call: Call) -> Reply:
    """Return the number of pages of each status."""
    counts = listing.count_by_status(call.store)
    return Reply(COUNTS.dump({name: counts[name] for name in COUNTS.fields}), caching=NO_STORE)


@RESOURCE.post(
    "/pages/<page_id>/duplicate",
    response=CONTEXTS["edit"],
    status=201,
    scope="pages:write",
    denied="rest_cannot_create",
    headers=("Location", "ETag", "X-Landform-Warning"),
    errors=("rest_post_invalid_id",),
)
def duplicate_page(call: Call, page_id: int) -> Reply:
    """Create a draft, "... (copy)", with the content and meta of a page, also of a trashed one.

    The password, slug, date and revisions are not copied, and the author is the caller.
    """
    old = pages.get(call.store, page_id)
    # A title as long as it may be is the same.
    has_room = 0 < len(old["title_raw"]) <= fields.LONGEST_TEXT - len(COPY)
    ending = COPY if has_room else ""
    values = {"title": old["title_raw"] + ending, "content": old["content_raw"]}
    texts = render_texts({**values, "meta": loads(old["meta"])}, call.caller)
    columns = {"author": call.caller.author, **NEW, **texts.columns}
    if call.caller.may_write_any_html:
        # The stored HTML, so that cleaned texts stay cleaned.
        columns["title_rendered"] = old["title_rendered"] + ending
        columns["content_rendered"] = old["content_rendered"]
    page = pages.create(call.store, columns)
    return created_reply(call, "pages", page_reply(call, page, texts), page["id"])
