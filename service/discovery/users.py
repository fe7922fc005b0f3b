"""The authors that pages name, by number alone, and the caller."""

import re
from math import ceil

from flask import Response

from landform.schemas import discovery as schemas
from landform.schemas.pages import STATUSES
from landform.service.auth.credentials import SCOPES, Identity
from landform.service.discovery.links import link, rest_url
from landform.service.errors import refusal
from landform.service.http.arguments import API
from landform.service.http.contract import Contract, Resource
from landform.service.http.headers import set_no_store
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage.pages import counts

RESOURCE = Resource()
BASE = f"{API}/wp/v2/users"
LIST, ONE = schemas.UserList(), schemas.Described()
USER, CURRENT = schemas.User(), schemas.CurrentUser()
# What WordPress and Gravity Forms call that which a scope allows.
CAPABILITIES = {
    "pages:read": ("read", "read_private_pages"),
    "pages:write": (
        "edit_pages", "edit_others_pages", "edit_published_pages", "edit_private_pages",
        "publish_pages", "delete_pages", "delete_others_pages", "delete_published_pages",
        "delete_private_pages",
    ),
    "feeds:read": ("gravityforms_view_settings",),
    "feeds:write": ("gravityforms_edit_forms",),
    # WordPress has no runs.
    "runs:write": (),
    "html:unfiltered": ("unfiltered_html",),
}  # fmt: skip


@RESOURCE.operation(
    Contract(
        "GET", BASE, USER, many=True, public=True, query=LIST,
        headers=("X-WP-Total", "X-WP-TotalPages"),
    )
)  # fmt: skip
def list_users(request: ApiRequest) -> Response:
    """Return the authors of published pages to anyone, of all pages with the scope `pages:read`."""
    query = request.parameters
    found = [author for author in _authors(request) if _passes(author, query)]
    found.sort(reverse=query["order"] == "desc")
    first, most = (query["page"] - 1) * query["per_page"], query["per_page"]
    headers = {"X-WP-Total": str(len(found)), "X-WP-TotalPages": str(ceil(len(found) / most))}
    shown = [_user(request, author) for author in found[first : first + most]]
    return request.json_response(shown, headers)


@RESOURCE.operation(Contract("GET", f"{BASE}/me", CURRENT, denied="rest_not_logged_in", query=ONE))
def get_current_user(request: ApiRequest) -> Response:
    """Return the caller."""
    caller = request.caller
    capabilities = [name for scope in SCOPES & caller.scopes for name in CAPABILITIES[scope]]
    body = {
        **_user(request, caller.author),
        "name": caller.name,
        "username": caller.name,
        "roles": [_role(caller)],
        "capabilities": dict.fromkeys(sorted(capabilities), True),
    }
    return set_no_store(request.json_response(body))


@RESOURCE.operation(
    Contract(
        "GET", f"{BASE}/<user_id>", USER, public=True, query=ONE, errors=("rest_user_invalid_id",)
    )
)  # fmt: skip
def get_user(request: ApiRequest, user_id: int) -> Response:
    """Return an author of pages that the caller may see."""
    _, known = request.parameters, _authors(request)
    is_caller = request.identity is not None and request.identity.author == user_id
    if user_id not in known and not is_caller:
        raise refusal("rest_user_invalid_id")
    return request.json_response(_user(request, user_id))


def embed_authors(request: ApiRequest, pages: list[JsonObject]) -> list[JsonObject]:
    """Return pages, each with its author where `_embed` asks for it below `/wp-json`."""
    wanted = request.query.get("_embed")
    if wanted is None or not request.is_below_wp_json:
        return pages
    names = wanted if isinstance(wanted, list) else re.split(r"[\s,]+", str(wanted))
    if {"author", "", "1", "true"}.intersection(names):
        for page in pages:
            if "author" in page and "_links" in page:
                page["_embedded"] = {"author": [_user(request, page["author"])]}
    return pages


def _passes(author: int, query: JsonObject) -> bool:
    """Return whether an author passes every filter of a list; an empty one lets all pass."""
    wanted, slugs, text = (query.get(name) for name in ("include", "slug", "search"))
    return (
        (not wanted or author in wanted)
        and author not in query.get("exclude", ())
        and (not slugs or _slug(author) in slugs)
        and (
            not text or any(text.lower() in name.lower() for name in (_name(author), _slug(author)))
        )
    )


def _name(author: int) -> str:
    return f"Author {author}"


def _slug(author: int) -> str:
    return f"author-{author}"


def _authors(request: ApiRequest) -> list[int]:
    request.reject_invalid_credentials()
    private = request.has_scope("pages:read")
    return counts.list_authors(request.store, STATUSES if private else ("publish",))


def _user(request: ApiRequest, author: int) -> JsonObject:
    route = f"/wp/v2/users/{author}"
    return {
        "id": author, "name": _name(author), "url": "", "description": "",
        "link": rest_url(request, f"/wp/v2/pages?author={author}"), "slug": _slug(author),
        "avatar_urls": {}, "meta": [],
        "_links": {"self": link(request, route), "collection": link(request, "/wp/v2/users")},
    }  # fmt: skip


def _role(caller: Identity) -> str:
    """Return the role of WordPress that comes nearest to the scopes."""
    if caller.scopes >= {scope for scope in SCOPES if CAPABILITIES[scope]}:
        return "administrator"
    return "editor" if "pages:write" in caller.scopes else "subscriber"
