"""The page of a form that was sent to an operation of a part: shown again, or the way back."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from landform.service.call import Call
from landform.service.reply import Reply
from landform.service.site.forms import show_forms
from landform.service.site.pages import (
    PAGE_COLUMNS,
    Visit,
    html_reply,
    location_of,
    make_cookie,
    open_visibility,
)
from landform.service.site.responses import private_headers
from landform.storage import PageNotFound, pages
from landform.storage.pages import scheduling

NONE: Mapping[str, str] = {}


def visit_of_form(call: Call, page_id: int, key: str = "") -> Visit | None:
    """Return the visit of the page that has a form; None if visitors do not see the page now.

    `key`: the token of a page that its password opened; without it the page is locked.
    """
    with suppress(PageNotFound):
        page, validity = pages.read_page(call.store, page_id, PAGE_COLUMNS)
        at = call.store.clock.now()
        if page["status"] != "publish" or scheduling.window_state(page, at) != scheduling.OPEN:
            return None
        link = call.urls.page_link(page)
        return Visit(page, open_visibility(call, page, key), link, at, validity)
    return None


def show_again(
    call: Call,
    visited: Visit,
    sent: Mapping[str, Any],
    status: int,
    headers: Mapping[str, str] = NONE,
) -> Reply:
    """Return a page with the `PageForm` of a form that was sent, by its id."""
    forms = show_forms(call, visited, sent)
    html = call.service.site.page_html(visited.page, visited.link, forms)
    return html_document(call, html, status, headers)


def html_document(call: Call, html: bytes, status: int, headers: Mapping[str, str] = NONE) -> Reply:
    """Return a document for one visitor, with the headers of the site and others."""
    policy = {"Content-Security-Policy": call.options.site_policy}
    return html_reply(html, {**private_headers(), **policy, **headers}, status)


def go_back(call: Call, link: str, query: str, cookie: tuple[str, str], max_age: int) -> Reply:
    """Return a redirect to a page with a query, which sets a cookie for this page."""
    path = urlsplit(link).path
    headers = {
        "Location": location_of(call, link, query),
        "Set-Cookie": make_cookie(call, *cookie, max_age, path),
    }
    return html_reply(b"", headers, 303)
