"""A visit of a page: what of it the visitor may see now, and for how long that stays so."""

from enum import Enum
from typing import NamedTuple
from urllib.parse import unquote

from landform.schemas.fields import LONGEST_TEXT
from landform.service.errors import refusal
from landform.service.http.request import ApiRequest
from landform.service.page_shapes import Urls, address, page_link, page_urls
from landform.service.previews import signed_until
from landform.storage import PageNotFound, pages
from landform.storage.clock import epoch
from landform.storage.pages import slugs
from landform.storage.pages.scheduling import (
    NOT_YET,
    OPEN,
    OVER,
    WINDOW_COLUMNS,
    Validity,
    next_turn,
    window_state,
)
from landform.storage.rows import Row

COLUMNS = (
    *pages.GUARDS, *WINDOW_COLUMNS, "slug", "date", "modified", "author", "title_rendered",
    "content_rendered", "meta",
)  # fmt: skip
STATES = {
    "future": "scheduled", "pending": "pending review", NOT_YET: "not begun",
    OVER: "ended",
}  # fmt: skip


class Seen(Enum):
    """What a visitor sees of a page.

    That it is over, the form for its password, the page as everybody does or after the password,
    the page though it is not public (by credentials, or a preview).
    """

    GONE, LOCKED, PUBLIC, UNLOCKED, INSPECTED = range(5)


class Visit(NamedTuple):
    """A page, what the visitor sees of it, and its link.

    `turn`: when its window changes that (seconds since 1970); `validity`: until when it is so
    unless somebody writes. `state`: in a word why it is not public. `expires`: when the preview
    ends. `is_elsewhere`: the page is not shown at the address that was asked for, but at its link;
    `has_moved`: for good.
    """

    page: Row
    seen: Seen
    link: str
    turn: float
    now: float
    validity: Validity
    state: str = ""
    expires: int | None = None
    is_elsewhere: bool = False
    has_moved: bool = False


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
        visited = _visit(request, slug, urls, preview)
        return visited._replace(is_elsewhere=True, has_moved=True)
    if visited.page["slug"] == urls.home and not isinstance(key, int):
        return visited._replace(is_elsewhere=not at_root, has_moved=not at_root)
    ending = address(visited.page["slug"], urls.reserved)
    if isinstance(key, int):
        # One without another address is shown here.
        is_public = visited.seen in (Seen.PUBLIC, Seen.LOCKED, Seen.UNLOCKED)
        return visited._replace(is_elsewhere=is_public and ending is not None)
    if ending is None:
        raise PageNotFound
    is_here = key == unquote(ending) and request.http.path.endswith("/")
    return visited._replace(is_elsewhere=not is_here)


def _visit(request: ApiRequest, key: int | str, urls: Urls, preview: str | None) -> Visit:
    """Return what a visitor sees of a page, found by its id or slug; a refusal for nothing.

    By its id, a page that is not public asks for credentials; by its slug it is missing, so that
    nobody learns which slugs there are.
    """
    store, clock = request.store, request.store.clock
    request.access.reject_invalid_credentials()
    page, validity = pages.read_page(store, key, COLUMNS)
    at = clock.now()
    window = window_state(page, at)
    found = Visit(
        page, Seen.INSPECTED, page_link(page, urls), next_turn(clock, page, at),
        epoch(at.utc), validity, _state(page, window),
    )  # fmt: skip
    is_published, is_by_id = page["status"] == "publish", isinstance(key, int)
    if page["status"] == "trash":
        raise PageNotFound
    if preview is not None:
        if not (expires := signed_until(store, page["id"], preview)):
            raise refusal("rest_preview_ended")
        return found._replace(expires=expires)
    if is_published and window == OPEN:
        return found._replace(seen=_seen_of_open(request, page))
    if is_by_id and not is_published:
        request.access.require("pages:read")
    # At its address a page with a window is to everybody what it is to visitors.
    if (is_by_id or not is_published) and request.access.has_scope("pages:read"):
        return found
    if not is_published or window != OVER:
        raise PageNotFound
    return found._replace(seen=Seen.GONE)


def _seen_of_open(request: ApiRequest, page: Row) -> Seen:
    """Return what a visitor sees of a published page in its window."""
    if not page["password"]:
        return Seen.PUBLIC
    cookie = request.http.cookies.get(cookie_name(page), "")
    until = cookie and signed_until(request.store, page["id"], cookie, page["password"])
    return Seen.UNLOCKED if until else Seen.LOCKED


def cookie_name(page: Row) -> str:
    """Return the name of the cookie that opens a page."""
    return f"landform_page_{page['id']}"


def _state(page: Row, window: str) -> str:
    """Return in a word what keeps a page from being public; `public` where nothing does."""
    reason = window if page["status"] == "publish" else page["status"]
    if reason == OPEN:
        return "protected by a password" if page["password"] else "public"
    return STATES.get(reason, reason)
