"""A page as visitors would see it with what a write would change. Nothing is stored."""

import json

from flask import Response

from landform.schemas import pages as schemas
from landform.service.http.contract import Resource
from landform.service.http.request import ApiRequest
from landform.service.page_shapes import page_link, page_urls
from landform.service.pages import warn
from landform.service.rendering.content import render_texts
from landform.service.site.responses import Site
from landform.storage import pages
from landform.storage.pages.slugs import slugify
from landform.storage.rows import Row

RESOURCE = Resource()
UNSAVED, DOCUMENT = schemas.PageUnsaved(), schemas.PageDocument()
TEXTS = ("title_rendered", "content_rendered", "meta", "slug", "status", "date", "modified")


@RESOURCE.operation(
    "POST", "/pages/preview", DOCUMENT, safe=True, scope="pages:write",
    denied="rest_cannot_edit", body=UNSAVED, headers=("X-Landform-Warning",),
    example={"title": "Winter sale"}, errors=("rest_post_invalid_id",),
)  # fmt: skip
def render_page(request: ApiRequest) -> Response:
    """Return the HTML that visitors would get of a page with these fields; nothing is stored."""
    sent, site = request.values(), Site(request.service.options)
    stored = _stored(request, sent.pop("id", 0))
    columns = render_texts(sent, request.caller)
    warn(request, sent, stored["meta"])
    meta = {**json.loads(stored["meta"]), **sent.get("meta", {})}
    row = {
        **stored,
        **{name: columns[name] for name in TEXTS[:2] if name in columns},
        "slug": slugify(sent.get("slug") or stored["slug"]),
        "meta": json.dumps(meta),
    }
    found = site.show(row, page_link(row, page_urls(request)))
    return request.json_response({"html": found.get_data(as_text=True)})


def _stored(request: ApiRequest, page_id: int) -> Row:
    """Return the columns of a page; those of an empty draft without an id."""
    if page_id:
        return pages.get(request.store, page_id, ("id", "author", *TEXTS))
    now = request.store.clock.now().local
    empty = {**dict.fromkeys(TEXTS, ""), "status": "draft", "date": now, "modified": now}
    return {"id": 0, "author": request.caller.author, **empty, "meta": "{}"}
