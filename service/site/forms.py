"""The forms that parts show: in the pages of a site, and in pages of a host."""

import json
import logging
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from math import inf
from typing import Any, NamedTuple

from flask import Request
from markupsafe import Markup

from landform.service.auth.credentials import Access
from landform.service.pipeline.call import Call, Incoming, Service
from landform.service.pipeline.errors import from_known
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.service.pipeline.run import complete, load
from landform.service.rendering.form_markers import START, Marker, place_forms

log = logging.getLogger("landform")
RESOURCE = Resource()
# A page shows no more than these.
MOST_FORMS = 10


class Forms(NamedTuple):
    """The content of a page with the forms at its markers, and the form after it.

    `style`: the style sheets of the forms. `etag`: a text for the entity tag; empty without forms.
    `tables`: those that the forms depend on. `is_private`: they are for this visitor only.
    `is_refused`: one has mistakes of what was sent. `until`: when they change without a write, in
    seconds since 1970. `pictures`: the `PagePictures` of a part.
    """

    content: str
    form: str = ""
    style: str = ""
    etag: str = ""
    tables: tuple[str, ...] = ()
    is_private: bool = False
    is_refused: bool = False
    until: float = inf
    pictures: Any = None


def show_forms(
    call: Call, visited: Any, sent: Mapping[tuple[str, int], Any] | None = None
) -> Forms:
    """Return the forms of a visited page, and its pictures.

    `sent`: the `PageForm` of a form that was sent, by its id and its number: 2 for the second form
    of the page with this id.
    """
    forms, page = _show_forms(call, visited, sent), visited.page
    shown = (
        part.page_pictures(call, page, visited.link, forms.content)
        for part in call.options.named_parts
    )
    pictures = next(filter(None, shown), None)
    if pictures is None:
        return forms
    return forms._replace(
        content=pictures.content,
        etag=_digest(forms.etag, pictures.content, repr(pictures.gallery)),
        tables=(*forms.tables, *pictures.tables),
        pictures=pictures,
    )


def _digest(*texts: str) -> str:
    return blake2b("\0".join(texts).encode(), digest_size=9).hexdigest()


def _show_forms(call: Call, visited: Any, sent: Mapping[tuple[str, int], Any] | None) -> Forms:
    page, site = visited.page, call.service.site
    texts = site.texts(page)
    # A page's own form is in its meta.
    content, own_id = page["content_rendered"], str(json.loads(page["meta"]).get("form_id") or "")
    if not own_id and START not in content:
        return Forms(content)
    forms, numbers = list[Any](), Counter[str]()

    def show(marker: Marker) -> str:
        form_id = marker.form_id or own_id
        if not form_id or len(forms) == MOST_FORMS:
            return ""
        numbers[form_id] += 1
        number = numbers[form_id]
        form = (sent or {}).get((form_id, number))
        form = form or find_form(call, form_id, visited, number, marker.field_values)
        forms.append(form)
        return site.render(form.template, form.values, texts).decode() if form else ""

    content = place_forms(content, show)
    after = "" if numbers[own_id] else show(Marker())
    rendered = [form for form in forms if form]
    return Forms(
        content,
        after,
        b"".join(site.render(style, {}) for style in {x.style: None for x in rendered}).decode(),
        _digest(content, after),
        tuple(name for part in call.options.named_parts for name in part.form_tables),
        any(form.is_private for form in rendered),
        any(form.is_refused for form in rendered),
        min((form.until for form in rendered), default=inf),
    )


def find_form(
    call: Call, form_id: str, visited: Any, number: int = 1, field_values: str = ""
) -> Any:
    """Return the `PageForm` of the first part that shows this form, or None."""
    arguments = form_id, visited, number, field_values
    forms = (part.page_form(call, *arguments) for part in call.options.named_parts)
    return next(filter(None, forms), None)


def trusted(html: str) -> Markup:
    """Return HTML that needs no escaping: it was cleaned, or its author may write any."""
    return Markup(html)  # noqa: S704 # nosec B704


@RESOURCE.get("/", public=True)
def show_form(call: Call, form_id: int) -> Reply:
    """Return a form as HTML without a style; empty if it cannot be submitted."""
    form = find_form(call, str(form_id), None)
    html = call.service.site.render(form.template, form.values) if form else b""
    return Reply(html, caching=NO_STORE)


def form_for_host(service: Service, root_url: str, form_id: int, http: Request) -> str:
    """Return a form as HTML, which templates do not escape, for the page that a request asks for.

    `root_url`: the URL of the service. While the database cannot be used it is empty, with a
    warning in the log: the page of the host has more than the form.
    """
    access = Access(lambda: None, service.attempts, http.remote_addr or "", is_by_host=True)
    headers = dict(http.headers)
    # With the query of the page of the host.
    query = http.query_string
    incoming = Incoming("GET", http.base_url, root_url, headers, access, query_string=query)
    try:
        with service.store.connection():
            operation = RESOURCE.paths["/"]["GET"]
            finished = complete(load(service, operation, incoming, {"form_id": form_id}))
    except Exception as error:
        if (known := from_known(error)) is None:
            raise
        log.warning("Form %s cannot be shown: %s", form_id, known.message)
        return trusted("")
    return trusted(finished.body.decode())
