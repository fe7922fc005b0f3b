"""The pages of the site, for everybody or for who may see them, and the form for a password.

A right password sets a cookie that opens this page only.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from flask import Response

from landform.service.errors import ApiError, refusal
from landform.service.http.input import FORM_TYPES, read_form_fields
from landform.service.http.request import ApiRequest
from landform.service.http.responses import is_browser, last_modified, make_etag, matches
from landform.service.previews import now, sign
from landform.service.site.documents import describe_page, without_content
from landform.service.site.responses import NO_REFERRER, PRIVATE, Site, set_private
from landform.service.site.visits import Seen, Visit, cookie_name
from landform.storage.rows import Row

TABLE = "page"
UNLOCKED_SECONDS = 24 * 60 * 60
# The refusals that the form itself shows: a wrong password, and too many.
REFUSALS = {
    403: "This password is not right. Please try again.",
    429: "There were too many wrong passwords. Please wait a minute, and try again.",
}


def show(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Return what a visitor sees of a page, or lead to the address that it has."""
    if visited.is_elsewhere:
        return _lead(request, visited)
    match visited.seen:
        case Seen.GONE:
            shown = _gone(site, request, visited)
        case Seen.LOCKED:
            shown = password_form(site, visited)
        case Seen.PUBLIC:
            shown = _public(site, request, visited)
        case Seen.UNLOCKED:
            shown = set_private(_page(site, visited))
        case Seen.INSPECTED:
            shown = _inspected(site, request, visited)
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
    return Response(status=301 if visited.has_moved else 302, headers=headers)


def _gone(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Return that a page has ended, which is never cached: it depends on what is accepted."""
    if not is_browser(request.http):
        raise ApiError(410, "rest_page_ended", "This page has ended.")
    return site.html("gone.html", {"page": without_content(_described(site, visited))}, 410)


def _public(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Return a page that everybody sees, to be cached by anybody until it may be another one."""
    most, left = site.options.site_max_age, visited.turn - visited.now
    if left > most + 2:
        age, until = most, visited.turn - most - 2
    else:
        # A cached response would tell others to cache it for too long: it is made each second.
        age, until = int(max(0, min(most, left - 2))), visited.now + 1
    request.allow_caching(TABLE, min(until, visited.validity.until))
    name = f"page{visited.page['id']}_{visited.validity.generation}"
    tag = make_etag(name, visited.page["version"], "site", visited.link, site.variant)
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={age}"}
    if request.access.identity:
        headers["Cache-Control"] = "private, no-cache"
    if matches(request.http.environ.get("HTTP_IF_NONE_MATCH"), tag):
        return Response(status=304, headers=headers)
    headers["Last-Modified"] = last_modified(visited.page["modified_utc"])
    return _page(site, visited, headers=headers)


def password_form(site: Site, visited: Visit, error: str = "", status: int = 200) -> Response:
    """Return the form for the password of a page."""
    values = {"page": without_content(_described(site, visited)), "error": error}
    return set_private(site.html("password.html", values, status))


def _inspected(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Return a page to somebody who may see it, with what keeps others from it."""
    preview = {"state": visited.state, "expires": None}
    if visited.expires:
        until = datetime.fromtimestamp(visited.expires, UTC)
        preview["expires"] = request.store.clock.moment(until).local
    return set_private(_page(site, visited, preview), NO_REFERRER)


def _page(
    site: Site, visited: Visit, preview: Row | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a page with its content, by the template of its slug where there is one."""
    values = {"page": _described(site, visited), "preview": preview}
    return site.html(site.template_of(visited.page["slug"]), values, headers=headers)


def _described(site: Site, visited: Visit) -> dict[str, object]:
    return describe_page(visited.page, visited.link, site.language, site.image)


def unlock(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Check the password that was sent for a page, and lead back to the page.

    Only at the page's own address: the cookie is for the path that it is set at.
    """
    if visited.is_elsewhere or visited.seen not in (Seen.LOCKED, Seen.UNLOCKED, Seen.PUBLIC):
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
        sent = fields.get("password", "")
        if not request.access.is_password(page["id"], page["password"], sent):
            raise refusal("rest_post_incorrect_password")
    except ApiError as refused:
        return _refused(site, request, visited, refused)
    # Without a path: browsers take that of the page, also behind a proxy that cuts a part of it.
    until = now(request.store) + UNLOCKED_SECONDS
    signed = sign(request.store, page["id"], until, page["password"])
    public = urlsplit(request.service.options.public_url or "")
    is_secure = http.is_secure or public[:2] == ("https", http.host)
    back.set_cookie(
        cookie_name(page), signed, max_age=UNLOCKED_SECONDS,
        path=None, secure=is_secure, httponly=True, samesite="Lax",
    )  # fmt: skip
    return back


def _refused(site: Site, request: ApiRequest, visited: Visit, refused: ApiError) -> Response:
    if refused.status not in REFUSALS or not is_browser(request.http):
        raise refused
    response = password_form(site, visited, REFUSALS[refused.status], refused.status)
    response.headers.extend(refused.headers)
    return response
