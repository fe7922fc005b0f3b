"""Operations that clients call first: statuses, settings, authors, forms, page type."""

from collections.abc import Sequence
from math import ceil

from landform.parts.wordpress import schemas
from landform.parts.wordpress.errors import NoFeedOfForm, UserNotFound
from landform.schemas.known_names import Anything
from landform.schemas.pages import STATUSES
from landform.service.auth.credentials import Identity, all_scopes
from landform.service.pages.dump import dump_author, relation
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import no_route
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import WP_JSON, Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.storage.models import Feed, Page
from landform.storage.rows import MAX_INTEGER

# FORMS_RESOURCE: for stores whose forms are only named by feeds and pages; MEDIA_RESOURCE: for
# those without pictures.
RESOURCE, FORMS_RESOURCE, MEDIA_RESOURCE = Resource(), Resource(), Resource()
BASE = f"{WP_JSON}/wp/v2"
USERS, FORMS = f"{BASE}/users", f"{WP_JSON}/gf/v2/forms"
IN_CONTEXT, WHOLE, ANYTHING = schemas.Described(), schemas.Whole(), Anything()
PAGE: JsonObject = {
    "description": "",
    "hierarchical": False,
    "has_archive": False,
    "name": "Pages",
    "slug": "page",
    "taxonomies": [],
    "rest_base": "pages",
    "rest_namespace": "wp/v2",
    "viewable": True,
    "labels": {"name": "Pages", "singular_name": "Page"},
    "supports": {"title": True, "editor": True, "author": True, "custom-fields": True},
}
# In stores with pictures.
ATTACHMENT: JsonObject = {
    **PAGE,
    "name": "Media",
    "slug": "attachment",
    "rest_base": "media",
    "labels": {"name": "Media", "singular_name": "Media"},
    "supports": {"title": True, "author": True},
}
# The names of the statuses that a page may have.
STATUS_NAMES = {
    "publish": "Published",
    "future": "Scheduled",
    "draft": "Draft",
    "pending": "Pending",
    "private": "Private",
    "trash": "Trash",
}
TOTALS = ("X-WP-Total", "X-WP-TotalPages")
# The capabilities in WordPress and Gravity Forms that correspond to each scope.
CAPABILITIES = {
    "pages:read": ("read", "read_private_pages"),
    "pages:write": (
        "edit_pages edit_others_pages edit_published_pages edit_private_pages publish_pages "
        "delete_pages delete_others_pages delete_published_pages delete_private_pages"
    ).split(),
    "feeds:read": ("gravityforms_view_settings",),
    "feeds:write": ("gravityforms_edit_forms",),
    "html:unfiltered": ("unfiltered_html",),
    "media:write": ("upload_files",),
}


@RESOURCE.get(f"{BASE}/statuses", public=True, query=WHOLE)
def list_statuses(call: Call) -> Reply:
    """Return the statuses that the caller may see, by their names."""
    call.access.reject_invalid_credentials()
    names = STATUS_NAMES if call.access.has_scope("pages:read") else ("publish",)
    return Reply({name: _status(call, name) for name in names})


@RESOURCE.get(f"{BASE}/statuses/<status>", public=True, query=IN_CONTEXT)
def get_status(call: Call, status: str) -> Reply:
    """Return a status: `publish` to anyone, another one with the scope `pages:read`."""
    if status not in STATUS_NAMES:
        raise no_route()
    if status != "publish":
        call.access.require("pages:read")
    return Reply(_status(call, status))


@RESOURCE.get(f"{BASE}/settings", scope="pages:write")
def get_settings(call: Call) -> Reply:
    """Return the settings of the site."""
    options = call.options
    settings = {
        "title": options.site_title,
        "description": options.site_description,
        "url": options.public_url or call.site_url,
        "timezone": options.timezone,
        "date_format": "Y-m-d",
        "time_format": "H:i",
        "start_of_week": 1,
        "language": "en_US",
    }
    return Reply(settings)


def add_types(resource: Resource, types: Sequence[JsonObject]) -> None:
    """Add the operations on types of content."""

    @resource.get(f"{BASE}/types", public=True, query=WHOLE)
    def list_types(call: Call) -> Reply:
        """Return the types of content, by their names."""
        return Reply({about["slug"]: _type(call, about) for about in types})

    for about in types:
        _add_type(resource, about)


def _add_type(resource: Resource, about: JsonObject) -> None:
    slug = about["slug"]

    @resource.get(f"{BASE}/types/{slug}", name=f"get_{slug}_type", public=True, query=IN_CONTEXT)
    def get_type(call: Call) -> Reply:
        """Return a type of content."""
        return Reply(_type(call, about))


@RESOURCE.get(f"{BASE}/taxonomies", public=True, query=WHOLE)
def list_taxonomies(call: Call) -> Reply:
    """Return an empty object: pages have no taxonomies."""
    return Reply({})


def _type(call: Call, about: JsonObject) -> JsonObject:
    links = {
        "collection": relation(call, "/wp/v2/types"),
        "wp:items": relation(call, f"/wp/v2/{about['rest_base']}"),
    }
    return {**about, "_links": links}


def _status(call: Call, name: str) -> JsonObject:
    """Return a status; with `date_floating` an update may change the date of a page."""
    public = name == "publish"
    query = "" if public else f"?status={name}"
    return {
        "name": STATUS_NAMES[name],
        "slug": name,
        "public": public,
        "queryable": public,
        "date_floating": name in ("draft", "pending"),
        "private": name == "private",
        "protected": name in ("future", "draft", "pending"),
        "show_in_list": name != "trash",
        "_links": {"archives": relation(call, f"/wp/v2/pages{query}")},
    }


def list_nothing(call: Call) -> Reply:
    """Return an empty list."""
    return Reply([], headers=dict.fromkeys(TOTALS, "0"))


for _name in ("posts", "categories", "tags", "media", "comments"):
    (MEDIA_RESOURCE if _name == "media" else RESOURCE).get(
        f"{BASE}/{_name}",
        name=f"list_{_name}",
        many=True,
        public=True,
        query=ANYTHING,
        headers=TOTALS,
    )(list_nothing)


@RESOURCE.get(USERS, many=True, public=True, query=schemas.UserList(), headers=TOTALS)
def list_users(call: Call) -> Reply:
    """Return the authors of published pages, or of all with the scope `pages:read`."""
    query = call.query
    authors = [author for author in _authors(call) if _passes(author, query)]
    authors.sort(reverse=query["order"] == "desc")
    first, size = (query["page"] - 1) * query["per_page"], query["per_page"]
    headers = {"X-WP-Total": str(len(authors)), "X-WP-TotalPages": str(ceil(len(authors) / size))}
    body = [dump_author(call, author) for author in authors[first : first + size]]
    return Reply(body, headers=headers)


@RESOURCE.get(f"{USERS}/me", denied="rest_not_logged_in", query=IN_CONTEXT)
def get_current_user(call: Call) -> Reply:
    """Return the caller."""
    caller = call.caller
    allowed = [name for scope in filter(caller.may, CAPABILITIES) for name in CAPABILITIES[scope]]
    body = {
        **dump_author(call, caller.author),
        "name": caller.name,
        "username": caller.name,
        "roles": [_role(caller)],
        "capabilities": dict.fromkeys(sorted(allowed), True),
    }
    return Reply(body, caching=NO_STORE)


@RESOURCE.get(f"{USERS}/<user_id>", public=True, query=IN_CONTEXT, errors=(UserNotFound,))
def get_user(call: Call, user_id: int) -> Reply:
    """Return an author of pages that the caller may see."""
    authors, caller = _authors(call), call.access.identity
    if user_id not in authors and not (caller and caller.author == user_id):
        raise UserNotFound
    return Reply(dump_author(call, user_id))


@FORMS_RESOURCE.get(FORMS, scope="feeds:read", query=schemas.FormList())
def list_forms(call: Call) -> Reply:
    """Return the forms in feeds and in pages that the caller may see, by number."""
    include = call.query.get("include")
    forms = {
        str(form): {"id": str(form), "title": f"Form {form}", "entries": "0"}
        for form in _forms(call)
        if not include or form in include
    }
    return Reply(forms)


@FORMS_RESOURCE.get(f"{FORMS}/<form_id>", scope="feeds:read", errors=(NoFeedOfForm,))
def get_form(call: Call, form_id: int) -> Reply:
    """Return a form in a feed, or in a page that the caller may see."""
    if form_id not in _forms(call):
        raise NoFeedOfForm
    return Reply({"id": form_id, "title": f"Form {form_id}"})


def _passes(author: int, query: JsonObject) -> bool:
    """Return whether an author passes all filters of a list; empty ones do not filter."""
    include, slugs, text = (query.get(name) for name in ("include", "slug", "search"))
    names = f"author {author}", f"author-{author}"
    return (
        (not include or author in include)
        and author not in query.get("exclude", ())
        and (not slugs or names[1] in slugs)
        and (not text or any(text.lower() in name for name in names))
    )


def _statuses(call: Call) -> Sequence[str]:
    """Return the statuses of the pages that the caller may see."""
    return STATUSES if call.access.has_scope("pages:read") else ("publish",)


def _authors(call: Call) -> list[int]:
    """Return the numbers of the authors of pages that the caller may see, in order."""
    call.access.reject_invalid_credentials()
    query = Page.select(Page.author).where(Page.status.in_(_statuses(call))).distinct()
    return sorted(author for (author,) in query.tuples().execute(call.store.database))


def _forms(call: Call) -> list[int]:
    """Return the numbers of the forms in feeds, and in pages that the caller may see, in order.

    0 stands for no form or for all of them, and is left out.
    """
    of_feeds = Feed.select(Feed.form_id).distinct()
    of_pages = Page.select(Page.form).where(Page.status.in_(_statuses(call))).distinct()
    db = call.store.database
    rows = [*of_feeds.tuples().execute(db), *of_pages.tuples().execute(db)]
    texts = {str(form) for (form,) in rows}
    forms = {int(text) for text in texts if text.isascii() and text.isdigit()}
    return sorted(form for form in forms if 0 < form <= MAX_INTEGER)


def _role(caller: Identity) -> str:
    """Return the role of WordPress that is most similar to the scopes."""
    if all(map(caller.may, CAPABILITIES.keys() & all_scopes())):
        return "administrator"
    return "editor" if caller.may("pages:write") else "subscriber"
