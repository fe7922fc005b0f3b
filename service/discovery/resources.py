"""What clients read beside pages and feeds: type, statuses, settings, authors, forms, caller."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Any

from flask import Response
from marshmallow import Schema

from landform.schemas import wordpress as schemas
from landform.schemas.pages import STATUSES
from landform.service.auth.credentials import SCOPES, Identity
from landform.service.discovery.index import link, rest_url
from landform.service.errors import refusal
from landform.service.http.contract import API, Resource
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage import feeds
from landform.storage.pages import listing

RESOURCE, WHOAMI = Resource(), Resource()
BASE = f"{API}/wp/v2"
USERS, FORMS = f"{BASE}/users", f"{API}/gf/v2/forms"
LIST, FORM_LIST = schemas.UserList(), schemas.FormList()
ONE, WHOLE, ANYTHING = schemas.Described(), schemas.Whole(), schemas.Anything()
PAGE: JsonObject = {
    "description": "", "hierarchical": False, "has_archive": False, "name": "Pages",
    "slug": "page", "taxonomies": [], "rest_base": "pages", "rest_namespace": "wp/v2",
    "viewable": True, "labels": {"name": "Pages", "singular_name": "Page"},
    "supports": {"title": True, "editor": True, "author": True, "custom-fields": True},
}  # fmt: skip
# The names of the statuses that a page may have.
STATUS_NAMES = {
    "publish": "Published", "future": "Scheduled", "draft": "Draft", "pending": "Pending",
    "private": "Private", "trash": "Trash",
}  # fmt: skip
TOTALS = ("X-WP-Total", "X-WP-TotalPages")
# What WordPress and Gravity Forms call that which a scope allows. WordPress has no runs.
CAPABILITIES = {
    "pages:read": ("read", "read_private_pages"),
    "pages:write": (
        "edit_pages", "edit_others_pages", "edit_published_pages", "edit_private_pages",
        "publish_pages", "delete_pages", "delete_others_pages", "delete_published_pages",
        "delete_private_pages",
    ),
    "feeds:read": ("gravityforms_view_settings",),
    "feeds:write": ("gravityforms_edit_forms",),
    "html:unfiltered": ("unfiltered_html",),
}  # fmt: skip


@RESOURCE.operation("GET", f"{BASE}/statuses", {}, public=True, query=WHOLE)
def list_statuses(request: ApiRequest) -> Response:
    """Return the statuses that the caller may see, by their names."""
    _ = request.parameters
    request.access.reject_invalid_credentials()
    names = STATUS_NAMES if request.access.has_scope("pages:read") else ("publish",)
    return request.json_response({name: _status(request, name) for name in names})


@RESOURCE.operation("GET", f"{BASE}/settings", {}, scope="pages:write")
def get_settings(request: ApiRequest) -> Response:
    """Return the settings of the site."""
    options = request.service.options
    return request.json_response({
        "title": options.site_title, "description": options.site_description,
        "url": options.public_url or request.site_url, "timezone": options.timezone,
        "date_format": "Y-m-d", "time_format": "H:i", "start_of_week": 1, "language": "en_US",
    })  # fmt: skip


def _page_type(request: ApiRequest) -> JsonObject:
    links = {"collection": link(request, "/wp/v2/types"), "wp:items": link(request, "/wp/v2/pages")}
    return {**PAGE, "_links": links}


def _status(request: ApiRequest, name: str) -> JsonObject:
    """Return a status; `date_floating`: each update may move the date of a page that has it."""
    public = name == "publish"
    query = "" if public else f"?status={name}"
    return {
        "name": STATUS_NAMES[name], "slug": name, "public": public, "queryable": public,
        "date_floating": name in ("draft", "pending"), "private": name == "private",
        "protected": name in ("future", "draft", "pending"), "show_in_list": name != "trash",
        "_links": {"archives": link(request, f"/wp/v2/pages{query}")},
    }  # fmt: skip


def _add(
    path: str, name: str, about: str, make: Callable[[ApiRequest], object], query: Schema = ONE,
    **kw: Any,
) -> None:  # fmt: skip
    """Add an operation that returns the same whatever it is asked, if the query is right."""

    def view(request: ApiRequest) -> Response:
        _, headers = request.parameters, dict.fromkeys(kw.get("headers", ()), "0")
        return request.json_response(make(request), headers)

    view.__name__, view.__doc__ = name, about
    RESOURCE.operation("GET", f"{BASE}/{path}", {}, query=query, **kw)(view)


_BY_NAME = "Return the one type of content, by its name."
_add("types", "list_types", _BY_NAME, lambda it: {"page": _page_type(it)}, WHOLE, public=True)
_add("types/page", "get_page_type", "Return the type of the pages.", _page_type, public=True)
_NO_TAXONOMY = "Return an empty object: pages have no taxonomies."
_add("taxonomies", "list_taxonomies", _NO_TAXONOMY, lambda _: {}, WHOLE, public=True)
for _name in STATUS_NAMES:
    _may: JsonObject = {"public": True} if _name == "publish" else {"scope": "pages:read"}
    _status_view = partial(_status, name=_name)
    _add(f"statuses/{_name}", f"get_status_{_name}", "Return a status.", _status_view, **_may)
_NONE = "Return an empty list: there are none here."
_PUBLIC_LIST: JsonObject = {"public": True, "many": True, "headers": TOTALS}
for _name in ("posts", "categories", "tags", "media", "comments"):
    _add(_name, f"list_{_name}", _NONE, lambda _: [], ANYTHING, **_PUBLIC_LIST)


@WHOAMI.operation("GET", "/whoami", schemas.Caller())
def whoami(request: ApiRequest) -> Response:
    """Return the caller's name, author id and scopes."""
    request.forbid_storing()
    caller = request.caller
    scopes = sorted(caller.scopes)
    body = {"name": caller.name, "author": caller.author, "scopes": scopes}
    return request.json_response(body)


@RESOURCE.operation("GET", USERS, {}, many=True, public=True, query=LIST, headers=TOTALS)
def list_users(request: ApiRequest) -> Response:
    """Return the authors of published pages to anyone, of all pages with the scope `pages:read`."""
    query = request.parameters
    found = [author for author in _authors(request) if _passes(author, query)]
    found.sort(reverse=query["order"] == "desc")
    first, most = (query["page"] - 1) * query["per_page"], query["per_page"]
    headers = {"X-WP-Total": str(len(found)), "X-WP-TotalPages": str(ceil(len(found) / most))}
    shown = [_user(request, author) for author in found[first : first + most]]
    return request.json_response(shown, headers)


@RESOURCE.operation("GET", f"{USERS}/me", {}, denied="rest_not_logged_in", query=ONE)
def get_current_user(request: ApiRequest) -> Response:
    """Return the caller."""
    request.forbid_storing()
    caller = request.caller
    allowed = [name for scope in caller.scopes for name in CAPABILITIES.get(scope, ())]
    body = {
        **_user(request, caller.author),
        "name": caller.name,
        "username": caller.name,
        "roles": [_role(caller)],
        "capabilities": dict.fromkeys(sorted(allowed), True),
    }
    return request.json_response(body)


@RESOURCE.operation(
    "GET", f"{USERS}/<user_id>", {}, public=True, query=ONE, errors=("rest_user_invalid_id",)
)  # fmt: skip
def get_user(request: ApiRequest, user_id: int) -> Response:
    """Return an author of pages that the caller may see."""
    _, known = request.parameters, _authors(request)
    is_caller = request.access.identity is not None and request.access.identity.author == user_id
    if user_id not in known and not is_caller:
        raise refusal("rest_user_invalid_id")
    return request.json_response(_user(request, user_id))


@RESOURCE.operation("GET", FORMS, {}, scope="feeds:read", query=FORM_LIST)
def list_forms(request: ApiRequest) -> Response:
    """Return the forms that feeds name, and pages that the caller may see, by their numbers."""
    wanted = request.parameters.get("include")
    forms = {
        str(form): {"id": str(form), "title": f"Form {form}", "entries": "0"}
        for form in _forms(request)
        if not wanted or form in wanted
    }
    return request.json_response(forms)


@RESOURCE.operation("GET", f"{FORMS}/<form_id>", {}, scope="feeds:read", errors=("gf_not_found",))
def get_form(request: ApiRequest, form_id: int) -> Response:
    """Return a form that a feed names, or a page that the caller may see."""
    if form_id not in _forms(request):
        raise refusal("gf_not_found")
    return request.json_response({"id": form_id, "title": f"Form {form_id}"})


def embed_authors(request: ApiRequest, pages: list[JsonObject]) -> list[JsonObject]:
    """Return pages, each with its author where `_embed` asks for it below `/wp-json`."""
    wanted = request.query.get("_embed")
    if wanted is None or not request.is_below_wp_json:
        return pages
    names = map(str, wanted) if isinstance(wanted, list) else re.split(r"[\s,]+", str(wanted))
    if {"author", "", "1", "true"}.intersection(names):
        for page in pages:
            if "author" in page and "_links" in page:
                page["_embedded"] = {"author": [_user(request, page["author"])]}
    return pages


def _passes(author: int, query: JsonObject) -> bool:
    """Return whether an author passes every filter of a list; an empty one lets all pass."""
    wanted, slugs, text = (query.get(name) for name in ("include", "slug", "search"))
    names = f"author {author}", f"author-{author}"
    return (
        (not wanted or author in wanted)
        and author not in query.get("exclude", ())
        and (not slugs or names[1] in slugs)
        and (not text or any(text.lower() in name for name in names))
    )


def _statuses(request: ApiRequest) -> Sequence[str]:
    """Return the statuses of the pages that the caller may see."""
    return STATUSES if request.access.has_scope("pages:read") else ("publish",)


def _authors(request: ApiRequest) -> list[int]:
    request.access.reject_invalid_credentials()
    return listing.list_authors(request.store, _statuses(request))


def _forms(request: ApiRequest) -> list[int]:
    store = request.store
    return sorted({*feeds.list_forms(store), *listing.list_forms(store, _statuses(request))})


def _user(request: ApiRequest, author: int) -> JsonObject:
    route = f"/wp/v2/users/{author}"
    return {
        "id": author, "name": f"Author {author}", "url": "", "description": "",
        "link": rest_url(request, f"/wp/v2/pages?author={author}"), "slug": f"author-{author}",
        "avatar_urls": {}, "meta": [],
        "_links": {"self": link(request, route), "collection": link(request, "/wp/v2/users")},
    }  # fmt: skip


def _role(caller: Identity) -> str:
    """Return the role of WordPress that comes nearest to the scopes."""
    if caller.scopes >= SCOPES & CAPABILITIES.keys():
        return "administrator"
    return "editor" if "pages:write" in caller.scopes else "subscriber"
