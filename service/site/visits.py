"""The pages of the site, and their password form.

The right password sets a cookie that opens this page only.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from werkzeug.http import dump_cookie
from werkzeug.sansio.http import parse_cookie

from landform.schemas.fields import LONGEST_TEXT
from landform.service.pages.previews import now, sign, signed_until
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import ApiError, api_error
from landform.service.pipeline.loading import accepts_html
from landform.service.pipeline.reply import HTML, Caching, Reply
from landform.service.site.catalogs import Message
from landform.service.site.forms import Forms, show_forms
from landform.service.site.responses import NO_REFERRER, PRIVATE, Site, private_headers
from landform.storage import PageNotFound, pages
from landform.storage.clock import Moment, epoch
from landform.storage.pages import scheduling, slugs
from landform.storage.rows import Row

PAGE_COLUMNS = (
    *pages.ACCESS_COLUMNS,
    *scheduling.WINDOW_COLUMNS,
    *"slug date modified author title_rendered content_rendered meta".split(),
)
# Why visitors do not see a page.
PREVIEW_STATES = {
    "draft": Message("draft"),
    "private": Message("private"),
    "future": Message("scheduled"),
    "pending": Message("pending review"),
    scheduling.NOT_YET: Message("not begun"),
    scheduling.OVER: Message("ended"),
}
PROTECTED = Message("protected by a password")
# The cookie that opens a page, by its id, and for how long.
COOKIE, UNLOCKED_SECONDS = "landform_page_{}", 24 * 60 * 60
# The errors that the password form shows itself.
FORM_ERRORS = {
    403: Message("This password is not right. Please try again."),
    429: Message("There were too many wrong passwords. Please wait a minute, and try again."),
}


class Visibility(Enum):
    """How a visitor sees a page.

    `GONE`, `SOON`: a notice that it has ended, or when it opens. `LOCKED`: the password form.
    `UNLOCKED`: after the password. `INSPECTED`: a page that is not public, with credentials or a
    preview.
    """

    GONE, SOON, LOCKED, PUBLIC, UNLOCKED, INSPECTED = range(6)


NOT_PUBLIC = (Visibility.GONE, Visibility.SOON, Visibility.INSPECTED)


class Visit(NamedTuple):
    """A page, its visibility to a visitor at a time, and its link.

    `validity`: until when this holds without another write. `expires`: when the preview ends.
    `redirect`: the status of a redirect to the link, for a page with another address.
    """

    page: Row
    visibility: Visibility
    link: str
    at: Moment
    validity: scheduling.Validity
    expires: int | None = None
    redirect: int = 0


def visit(
    call: Call, key: int | str, preview: str | None = None, *, at_root: bool = False
) -> Visit:
    """Return the visit of a page by its id, or by a present or former slug.

    `preview`: the token of the request.
    """
    if isinstance(key, int):
        visited = _visit(call, key, preview)
        # A page without an address of its own is shown here.
        is_public = visited.visibility not in NOT_PUBLIC
        has_address = call.urls.address(visited.page["slug"]) is not None
        return visited._replace(redirect=302 if is_public and has_address else 0)
    names = [] if len(key) > LONGEST_TEXT else slugs.spellings(key)
    for name in names:
        with suppress(PageNotFound):
            visited = _visit(call, name, preview)
            break
    else:
        slug = slugs.successor(call.store, names)
        if slug is None:
            raise PageNotFound
        return _visit(call, slug, preview)._replace(redirect=301)
    ending = call.urls.address(visited.page["slug"])
    if ending is None:
        raise PageNotFound
    if not ending:
        return visited._replace(redirect=0 if at_root else 301)
    is_here = f"{key}/" == unquote(ending) and call.incoming.url.endswith("/")
    return visited._replace(redirect=0 if is_here else 302)


def _visit(call: Call, key: int | str, preview: str | None) -> Visit:
    """Return the visit of a page by its id or slug, without a redirect.

    A page that is not public requires credentials by its id; by its slug it is missing, so that
    slugs stay secret.
    """
    call.access.reject_invalid_credentials()
    visited, window = _read_page(call, key)
    page = visited.page
    is_published, is_by_id = page["status"] == "publish", isinstance(key, int)
    if page["status"] == "trash":
        raise PageNotFound
    if preview is not None:
        if not (expires := signed_until(call.store, page["id"], preview)):
            raise api_error("rest_preview_ended")
        return visited._replace(expires=expires)
    if is_published and window == scheduling.OPEN:
        cookie = sent_cookie(call, COOKIE.format(page["id"]))
        return visited._replace(visibility=open_visibility(call, page, cookie))
    if is_by_id and not is_published:
        call.access.require("pages:read")
    # At its address a page with a window looks the same to everybody.
    if (is_by_id or not is_published) and call.access.has_scope("pages:read"):
        return visited
    notices = {scheduling.OVER: Visibility.GONE}
    if call.options.site_soon and accepts_html(call.incoming.headers):
        notices[scheduling.NOT_YET] = Visibility.SOON
    if not is_published or window not in notices:
        raise PageNotFound
    return visited._replace(visibility=notices[window])


def visit_of_form(call: Call, page_id: int, key: str = "") -> Visit | None:
    """Return the visit of the page that has a form; None if visitors do not see the page now.

    `key`: the token of a page that its password opened; without it the page is locked.
    """
    with suppress(PageNotFound):
        visited, window = _read_page(call, page_id)
        if visited.page["status"] == "publish" and window == scheduling.OPEN:
            return visited._replace(visibility=open_visibility(call, visited.page, key))
    return None


def _read_page(call: Call, key: int | str) -> tuple[Visit, str]:
    """Return the visit of a page as one that is not public, and the state of its window."""
    page, validity = pages.read_page(call.store, key, PAGE_COLUMNS)
    at, link = call.store.clock.now(), call.urls.page_link(page)
    visited = Visit(page, Visibility.INSPECTED, link, at, validity)
    return visited, scheduling.window_state(page, at)


def open_visibility(call: Call, page: Row, key: str) -> Visibility:
    """Return the visibility of a published page in its window; `key`: see `key_of`."""
    if not page["password"]:
        return Visibility.PUBLIC
    is_open = signed_until(call.store, page["id"], key, page["password"])
    return Visibility.UNLOCKED if is_open else Visibility.LOCKED


def sent_cookie(call: Call, name: str) -> str:
    """Return the value of a cookie; empty if it was not sent.

    Other cookies of the host may have bytes that are not UTF-8.
    """
    return parse_cookie(call.incoming.headers.get("Cookie")).get(name, "")


def show(call: Call, visited: Visit) -> Reply:
    """Return the reply to a visit."""
    if visited.redirect:
        location = location_of(call, visited.link, call.query_without("page_id"))
        headers = {"Location": location, "Cache-Control": "no-store"}
        return html_reply(b"", headers, visited.redirect)
    page, link, visibility = visited.page, visited.link, visited.visibility
    if visibility in (Visibility.GONE, Visibility.SOON):
        return _notice(call, visited)
    site: Site = call.service.site
    if visibility == Visibility.LOCKED:
        return html_reply(site.closed_html("password.html", page, link), private_headers())
    forms = show_forms(call, visited)
    if visibility == Visibility.INSPECTED:
        html = site.page_html(page, link, forms, _preview(call, visited))
        return html_reply(html, private_headers(NO_REFERRER))
    if visibility == Visibility.PUBLIC and not forms.is_private:
        return _public_reply(call, visited, forms)
    return html_reply(site.page_html(page, link, forms), private_headers())


def _notice(call: Call, visited: Visit) -> Reply:
    """Return the reply for a page after or before its window.

    Never cached: it depends on the header Accept.
    """
    page, link = visited.page, visited.link
    site: Site = call.service.site
    if visited.visibility == Visibility.SOON:
        text = page["opens_local"] or call.store.clock.local_text(page["opens_utc"])
        opens = datetime.fromisoformat(text)
        html = site.closed_html("soon.html", page, link, opens=opens)
        return html_reply(html, status=404)
    if not accepts_html(call.incoming.headers):
        raise ApiError(410, "rest_page_ended", "This page has ended.")
    return html_reply(site.closed_html("gone.html", page, link), status=410)


def html_reply(html: bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> Reply:
    """Return a reply with an HTML document."""
    return Reply(html, status, headers or {}, content_type=HTML)


def private_document(call: Call, html: bytes, status: int, headers: Mapping[str, str]) -> Reply:
    """Return a document for one visitor, with the headers of the site and others."""
    policy = {"Content-Security-Policy": call.options.site_policy}
    return html_reply(html, {**private_headers(), **policy, **headers}, status)


def location_of(call: Call, link: str, query: str = "") -> str:
    """Return the link of a page with more of a query, for a redirect.

    Without a public URL it has no host, since a request may have a forged one.
    """
    url = urlsplit(with_query(link, query))
    if not call.options.public_url:
        url = url._replace(scheme="", netloc="")
    return url.geturl()


def with_query(link: str, query: str) -> str:
    """Return a link with more of a query."""
    url = urlsplit(link)
    return url._replace(query="&".join(filter(None, (url.query, query)))).geturl()


def _public_reply(call: Call, visited: Visit, forms: Forms) -> Reply:
    """Return a public page, which any cache may store until its window changes."""
    page, site = visited.page, call.service.site
    max_age, seconds = call.options.site_max_age, epoch(visited.at.utc)
    change = min(scheduling.next_change(call.store.clock, page, visited.at), forms.until)
    if change - seconds > max_age + 2:
        age, until = max_age, change - max_age - 2
    else:
        # A cached reply would have a `max-age` that is too long: it is cached for a second only.
        age, until = int(max(0, min(max_age, change - seconds - 2))), seconds + 1
    variant = "site", visited.link, site.variant, forms.etag
    etag = call.row_etag("page", page, *variant, generation=visited.validity.generation)
    is_known = bool(call.access.identity)
    cache_control = "private, no-cache" if is_known else f"public, max-age={age}"
    reply = Reply(
        headers={"Cache-Control": cache_control},
        etag=etag,
        last_modified=page["modified_utc"],
        caching=Caching(
            table="page", until=min(until, visited.validity.until), other_tables=forms.tables
        ),
        content_type=HTML,
    )
    if call.has(etag):
        return reply._replace(status=304)
    return reply._replace(body=site.page_html(page, visited.link, forms))


def _preview(call: Call, visited: Visit) -> Row:
    """Return why the page is not public, and when the preview ends, for the template."""
    page, reason, expires = visited.page, visited.page["status"], None
    if reason == "publish":
        reason = scheduling.window_state(page, visited.at)
    if reason == scheduling.OPEN:
        reason = PROTECTED if page["password"] else "public"
    if visited.expires:
        until = datetime.fromtimestamp(visited.expires, UTC)
        expires = call.store.clock.moment(until).local
    return {"state": PREVIEW_STATES.get(reason, reason), "expires": expires}


def unlock(call: Call, visited: Visit) -> Reply:
    """Check the password that was sent for a page, and redirect to the page.

    Only at the page's own address: the cookie is for the path at which it is set.
    """
    if visited.redirect or visited.visibility in NOT_PUBLIC:
        return show(call, visited)
    page, query = visited.page, call.query_without()
    # Relative to itself: a proxy may have removed a part of the path.
    headers = {"Location": f"?{query}" if query else "./", "Cache-Control": PRIVATE}
    if visited.visibility == Visibility.PUBLIC:
        return html_reply(b"", headers, 303)
    password = dict(call.incoming.read_form(call.operation)).get("password", "")
    try:
        call.access.check_password(page, password)
    except ApiError as error:
        if error.status not in FORM_ERRORS or not accepts_html(call.incoming.headers):
            raise
        message = FORM_ERRORS[error.status]
        form = call.service.site.closed_html("password.html", page, visited.link, error=message)
        return html_reply(form, {**error.headers, **private_headers()}, error.status)
    # Without a path browsers use that of the page, as they see it behind a proxy.
    name, key = COOKIE.format(page["id"]), key_of(call, page)
    cookie = make_cookie(call, name, key, UNLOCKED_SECONDS, path=None)
    return html_reply(b"", {**headers, "Set-Cookie": cookie}, 303)


def key_of(call: Call, page: Row) -> str:
    """Return the token that opens a page with a password for a day."""
    until = now(call.store) + UNLOCKED_SECONDS
    return sign(call.store, page["id"], until, page["password"])


def make_cookie(call: Call, name: str, value: str, max_age: int, path: str | None) -> str:
    """Return a `Set-Cookie` header; no script can read the cookie."""
    url, public = urlsplit(call.incoming.url), urlsplit(call.options.public_url or "")
    is_secure = url.scheme == "https" or public[:2] == ("https", url.netloc)
    attributes: dict[str, Any] = {"secure": is_secure, "httponly": True, "samesite": "Lax"}
    return dump_cookie(name, value, max_age=max_age, path=path, **attributes)
