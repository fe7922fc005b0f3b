"""The form for the password of a page: a right one sets a cookie that opens this page only."""

from urllib.parse import urlsplit

from flask import Response

from landform.service.errors import ApiError, refusal
from landform.service.http.body import FORM_TYPES, read_form_fields
from landform.service.http.headers import is_browser
from landform.service.http.request import ApiRequest
from landform.service.signing import UNLOCKED_SECONDS, sign_unlocked
from landform.service.site.pages import password_form, show
from landform.service.site.responses import PRIVATE, Site
from landform.service.site.visits import Seen, Visit, cookie_name

FIELD = "password"
# The refusals that the form itself shows: a wrong password, too many, and one that cannot be
# checked now.
SHOWN = {
    403: "This password is not right. Please try again.",
    429: "There were too many wrong passwords. Please wait a minute, and try again.",
    503: "The password cannot be checked now. Please try again in a few seconds.",
}


def unlock(site: Site, request: ApiRequest, visited: Visit) -> Response:
    """Check the password that was sent for a page, and lead back to the page.

    Only at the page's own address: the cookie is for the path that it is set at.
    """
    if visited.is_elsewhere or visited.seen not in (Seen.LOCKED, Seen.UNLOCKED, Seen.PUBLIC):
        return show(site, request, visited)
    back = Response(status=303, headers={"Location": _here(request), "Cache-Control": PRIVATE})
    if visited.seen == Seen.PUBLIC:
        return back
    page = visited.page
    try:
        if not request.is_password(page["id"], page["password"], _sent(request)):
            raise refusal("rest_post_incorrect_password")
    except ApiError as refused:
        return _refused(site, request, visited, refused)
    # Without a path: browsers take that of the page, also behind a proxy that cuts a part of it.
    back.set_cookie(
        cookie_name(page), sign_unlocked(request.store, page), max_age=UNLOCKED_SECONDS,
        path=None, secure=_is_secure(request), httponly=True, samesite="Lax",
    )  # fmt: skip
    return back


def _sent(request: ApiRequest) -> str:
    """Return the password in the form; empty where there is none."""
    http = request.http
    raw = request.raw_body()
    if http.mimetype not in FORM_TYPES:
        return ""
    return dict(read_form_fields(http, raw)).get(FIELD, "")


def _refused(site: Site, request: ApiRequest, visited: Visit, refused: ApiError) -> Response:
    if refused.status not in SHOWN or not is_browser(request.http):
        raise refused
    response = password_form(site, visited, SHOWN[refused.status], refused.status)
    response.headers.extend(refused.headers)
    return response


def _here(request: ApiRequest) -> str:
    """Return the address of the page; seen from itself where a proxy may cut a part of the path."""
    query = request.http.query_string.decode("latin-1")
    if request.service.options.public_url:
        return f"?{query}" if query else "./"
    return "?".join([urlsplit(request.url).path, *([query] if query else [])])


def _is_secure(request: ApiRequest) -> bool:
    """Return whether the visitor came by https, as far as is known here."""
    public = urlsplit(request.service.options.public_url or "")
    return request.http.is_secure or (
        public.scheme == "https" and public.netloc == request.http.host
    )
