"""The pages of the site: what a visitor sees of one, until when, and the form for a password.

A right password sets a cookie that opens this page only.
"""

from datetime import UTC, datetime
from enum import Enum
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from flask import Response

from landform.schemas.fields import LONGEST_TEXT
from landform.service.errors import ApiError, refusal
from landform.service.http.input import FORM_TYPES, read_form_fields
from landform.service.http.request import ApiRequest
from landform.service.http.responses import is_browser, last_modified, make_etag, matches
from landform.service.page_shapes import Urls, address, page_link, page_urls
from landform.service.previews import now, sign, signed_until
from landform.service.site.responses import NO_REFERRER, PRIVATE, Site, set_private
from landform.storage import PageNotFound, pages
from landform.storage.clock import Moment, epoch
from landform.storage.pages import scheduling, slugs
from landform.storage.rows import Row

COLUMNS = (
    *pages.GUARDS, *scheduling.WINDOW_COLUMNS, "slug", "date", "modified", "author",
    "title_rendered", "content_rendered", "meta",
)  # fmt: skip
STATES = {
    "future": "scheduled", "pending": "pending review", scheduling.NOT_YET: "not begun",
    scheduling.OVER: "ended",
}  # fmt: skip
UNLOCKED_SECONDS = 24 * 60 * 60
# The refusals that the form itself shows: a wrong password, and too many.
REFUSALS = {
    403: "This password is not right. Please try again.",
    429: "There were too many wrong passwords. Please wait a minute, and try again.",
}


class Seen(Enum):
    """What a visitor sees of a page.

    That it is over, the form for its password, the page as everybody does or after the password,
    the page though it is not public (by credentials, or a preview).
    """

    GONE, LOCKED, PUBLIC, UNLOCKED, INSPECTED = range(5)


class Visit(NamedTuple):
    """A page, what the visitor sees of it at a time, and its link.

    `validity`: until when it is so unless somebody writes. `expires`: when the preview ends.
    `redirect`: the status that leads to the link, where the page has another address than this.
    """

    page: Row
    seen: Seen
    link: str
    at: Moment
    validity: scheduling.Validity
    expires: int | None = None
    redirect: int = 0


def visit(
    request: ApiRequest, key: int | str, preview: str | None = None, *, at_root: bool = False
) -> Visit:
    """Return the visit of the page with an id, or with a slug, however it is spelled in the path.

    A slug may be a former one. `preview`: the token that came, if one did.
    """
    wanted = key
    if isinstance(key, str):
        wanted = "" if len(key) > LONGEST_TEXT else slugs.slugify(key)
    if not wanted:
        raise PageNotFound
    urls = page_urls(request)
    try:
        visited = _visit(request, wanted, urls, preview)
    except PageNotFound:
        slug = slugs.successor(request.store, wanted) if isinstance(wanted, str) else None
        if slug is None:
            raise
        return _visit(request, slug, urls, preview)._replace(redirect=301)
    ending = address(visited.page["slug"], urls)
    if isinstance(key, int):
        # One without another address is shown here.
        is_public = visited.seen in (Seen.PUBLIC, Seen.LOCKED, Seen.UNLOCKED)
        return visited._replace(redirect=302 if is_public and ending is not None else 0)
    if ending is None:
        raise PageNotFound
    if not ending:
        return visited._replace(redirect=0 if at_root else 301)
    is_here = f"{key}/" == unquote(ending) and request.http.path.endswith("/")
    return visited._replace(redirect=0 if is_here else 302)


def _visit(request: ApiRequest, key: int | str, urls: Urls, preview: str | None) -> Visit:
    """Return what a visitor sees of a page, found by its id or slug; a refusal for nothing.

    By its id, a page that is not public asks for credentials; by its slug it is missing, so that
    nobody learns which slugs there are.
    """
    request.access.reject_invalid_credentials()
    page, validity = pages.read_page(request.store, key, COLUMNS)
    at = request.store.clock.now()
    window = scheduling.window_state(page, at)
    found = Visit(page, Seen.INSPECTED, page_link(page, urls), at, validity)
    is_published, is_by_id = page["status"] == "publish", isinstance(key, int)
    if page["status"] == "trash":
        raise PageNotFound
    if preview is not None:
        if not (expires := signed_until(request.store, page["id"], preview)):
            raise refusal("rest_preview_ended")
        return found._replace(expires=expires)
    if is_published and window == scheduling.OPEN:
        return found._replace(seen=_seen_of_open(request, page))
    if is_by_id and not is_published:
        request.access.require("pages:read")
    # At its address a page with a window is to everybody what it is to visitors.
    if (is_by_id or not is_published) and request.access.has_scope("pages:read"):
        return found
    if not is_published or window != scheduling.OVER:
        raise PageNotFound
    return found._replace(seen=Seen.GONE)


def _seen_of_open(request: ApiRequest, page: Row) -> Seen:
    """Return what a visitor sees of a published page in its window."""
    if not page["password"]:
        return Seen.PUBLIC
    cookie = request.http.cookies.get(_cookie_name(page), "")
    until = cookie and signed_until(request.store, page["id"], cookie, page["password"])
    return Seen.UNLOCKED if until else Seen.LOCKED


def _cookie_name(page: Row) -> str:
    """Return the name of the cookie that opens a page."""
    return f"landform_page_{page['id']}"


def show(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Return what a visitor sees of a page, or lead to the address that it has."""
    if visited.redirect:
        return _lead(request, visited)
    page, link = visited.page, visited.link
    match visited.seen:
        case Seen.GONE:
            # Never cached: it depends on what is accepted.
            if not is_browser(request.http):
                raise ApiError(410, "rest_page_ended", "This page has ended.")
            shown = site.show_closed("gone.html", page, link, 410)
        case Seen.LOCKED:
            shown = set_private(site.show_closed("password.html", page, link))
        case Seen.PUBLIC:
            shown = _public(site, request, visited)
        case Seen.UNLOCKED:
            shown = set_private(site.show(page, link))
        case Seen.INSPECTED:
            shown = set_private(site.show(page, link, _preview(request, visited)), NO_REFERRER)
    return shown


def _lead(request: ApiRequest, visited: Visit) -> Response:
    """Return a redirect to the link of a page, with the rest of the query.

    Without a public URL it names no host: a request may name any, and lead others there.
    """
    link = urlsplit(visited.link)
    queries = link.query, request.query_without("page_id")
    link = link._replace(query="&".join(filter(None, queries)))
    if not request.service.options.public_url:
        link = link._replace(scheme="", netloc="")
    headers = {"Location": link.geturl(), "Cache-Control": "no-store"}
    return Response(status=visited.redirect, headers=headers)


def _public(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Return a page that everybody sees, to be cached by anybody until it may be another one."""
    page, most, seconds = visited.page, site.options.site_max_age, epoch(visited.at.utc)
    turn = scheduling.next_turn(request.store.clock, page, visited.at)
    if turn - seconds > most + 2:
        age, until = most, turn - most - 2
    else:
        # A cached response would tell others to cache it for too long: it is made each second.
        age, until = int(max(0, min(most, turn - seconds - 2))), seconds + 1
    request.allow_caching("page", min(until, visited.validity.until))
    name = f"page{page['id']}_{visited.validity.generation}"
    tag = make_etag(name, page["version"], "site", visited.link, site.variant)
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={age}"}
    if request.access.identity:
        headers["Cache-Control"] = "private, no-cache"
    if matches(request.http.environ.get("HTTP_IF_NONE_MATCH"), tag):
        return Response(status=304, headers=headers)
    headers["Last-Modified"] = last_modified(page["modified_utc"])
    return site.show(page, visited.link, headers=headers)


def _preview(request: ApiRequest, visited: Visit) -> Row:
    """Return what keeps others from a page, and when the preview ends, if it is one."""
    page, expires = visited.page, None
    reason = page["status"]
    if reason == "publish":
        reason = scheduling.window_state(page, visited.at)
    if reason == scheduling.OPEN:
        reason = "protected by a password" if page["password"] else "public"
    if visited.expires:
        until = datetime.fromtimestamp(visited.expires, UTC)
        expires = request.store.clock.moment(until).local
    return {"state": STATES.get(reason, reason), "expires": expires}


def unlock(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Check the password that was sent for a page, and lead back to the page.

    Only at the page's own address: the cookie is for the path that it is set at.
    """
    if visited.redirect or visited.seen not in (Seen.LOCKED, Seen.UNLOCKED, Seen.PUBLIC):
        return show(site, request, visited)
    query, page, http = request.query_without(""), visited.page, request.http
    # Seen from itself: a proxy may cut a part of the path.
    location = f"?{query}" if query else "./"
    back = Response(status=303, headers={"Location": location, "Cache-Control": PRIVATE})
    if visited.seen == Seen.PUBLIC:
        return back
    raw = request.raw_body()
    fields = dict(read_form_fields(http, raw)) if http.mimetype in FORM_TYPES else {}
    try:
        request.access.check_password(page, fields.get("password", ""))
    except ApiError as refused:
        status = refused.status
        if status not in REFUSALS or not is_browser(http):
            raise
        form = site.show_closed("password.html", page, visited.link, status, REFUSALS[status])
        form.headers.extend(refused.headers)
        return set_private(form)
    # Without a path: browsers take that of the page, also behind a proxy that cuts a part of it.
    until = now(request.store) + UNLOCKED_SECONDS
    signed = sign(request.store, page["id"], until, page["password"])
    public = urlsplit(request.service.options.public_url or "")
    is_secure = http.is_secure or public[:2] == ("https", http.host)
    back.set_cookie(
        _cookie_name(page), signed, max_age=UNLOCKED_SECONDS,
        path=None, secure=is_secure, httponly=True, samesite="Lax",
    )  # fmt: skip
    return back
