"""The type of the pages, their statuses, the settings of the site, and what it has none of."""

from flask import Response

from landform.schemas import wordpress as schemas
from landform.service.discovery.index import link
from landform.service.http.arguments import API
from landform.service.http.contract import Contract, Resource
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject

RESOURCE = Resource()
BASE = f"{API}/wp/v2"
QUERY, WHOLE, ANYTHING = schemas.Described(), schemas.Whole(), schemas.Anything()
TYPE, STATUS, SETTINGS = schemas.PostType(), schemas.Status(), schemas.SiteSettings()
PAGE: JsonObject = {
    "description": "", "hierarchical": False, "has_archive": False, "name": "Pages",
    "slug": "page", "taxonomies": [], "rest_base": "pages", "rest_namespace": "wp/v2",
    "viewable": True, "labels": {"name": "Pages", "singular_name": "Page"},
    "supports": {"title": True, "editor": True, "author": True, "custom-fields": True},
}  # fmt: skip
# The names of the statuses that a page may have.
STATUSES = {
    "publish": "Published", "future": "Scheduled", "draft": "Draft", "pending": "Pending",
    "private": "Private", "trash": "Trash",
}  # fmt: skip
FORMATS: JsonObject = {
    "date_format": "Y-m-d", "time_format": "H:i", "start_of_week": 1, "language": "en_US",
}  # fmt: skip
NO_TOTALS = {"X-WP-Total": "0", "X-WP-TotalPages": "0"}


@RESOURCE.operation(Contract("GET", f"{BASE}/types", TYPE, keyed=True, public=True, query=WHOLE))
def list_types(request: ApiRequest) -> Response:
    """Return the one type of content, by its name."""
    return _respond(request, {"page": _page_type(request)})


@RESOURCE.operation(Contract("GET", f"{BASE}/types/page", TYPE, public=True, query=QUERY))
def get_page_type(request: ApiRequest) -> Response:
    """Return the type of the pages."""
    return _respond(request, _page_type(request))


@RESOURCE.operation(
    Contract("GET", f"{BASE}/statuses", STATUS, keyed=True, public=True, query=WHOLE)
)
def list_statuses(request: ApiRequest) -> Response:
    """Return the statuses that the caller may see, by their names."""
    request.access.reject_invalid_credentials()
    names = STATUSES if request.access.has_scope("pages:read") else ("publish",)
    return _respond(request, {name: _status(request, name) for name in names})


def _add_status(name: str) -> None:
    def get_status(request: ApiRequest) -> Response:
        """Return a status."""
        return _respond(request, _status(request, name))

    get_status.__name__ = f"get_status_{name}"
    public = name == "publish"
    scope = None if public else "pages:read"
    RESOURCE.operation(
        Contract("GET", f"{BASE}/statuses/{name}", STATUS, public=public, scope=scope, query=QUERY)
    )(get_status)


@RESOURCE.operation(Contract("GET", f"{BASE}/taxonomies", {}, keyed=True, public=True, query=WHOLE))
def list_taxonomies(request: ApiRequest) -> Response:
    """Return an empty object: pages have no taxonomies."""
    return _respond(request, {})


@RESOURCE.operation(Contract("GET", f"{BASE}/settings", SETTINGS, scope="pages:write"))
def get_settings(request: ApiRequest) -> Response:
    """Return the settings of the site."""
    options = request.service.options
    body = {
        "title": options.site_title,
        "description": options.site_description,
        "url": options.public_url or request.site_url,
        "timezone": options.timezone,
        **FORMATS,
    }
    return request.json_response(body)


def _add_empty_list(name: str) -> None:
    def list_nothing(request: ApiRequest) -> Response:
        """Return an empty list: there are none here."""
        return request.json_response([], NO_TOTALS)

    list_nothing.__name__ = f"list_{name}"
    RESOURCE.operation(
        Contract(
            "GET", f"{BASE}/{name}", {}, many=True, public=True, query=ANYTHING,
            headers=tuple(NO_TOTALS),
        )
    )(list_nothing)  # fmt: skip


for _name in STATUSES:
    _add_status(_name)
for _name in ("posts", "categories", "tags", "media", "comments"):
    _add_empty_list(_name)


def _respond(request: ApiRequest, body: JsonObject) -> Response:
    """Return the response to a request whose query is right."""
    _ = request.parameters
    return request.json_response(body)


def _page_type(request: ApiRequest) -> JsonObject:
    links = {"collection": link(request, "/wp/v2/types"), "wp:items": link(request, "/wp/v2/pages")}
    return {**PAGE, "_links": links}


def _status(request: ApiRequest, name: str) -> JsonObject:
    """Return a status; `date_floating`: each update may move the date of a page that has it."""
    public = name == "publish"
    query = "" if public else f"?status={name}"
    return {
        "name": STATUSES[name], "slug": name, "public": public, "queryable": public,
        "date_floating": name in ("draft", "pending"), "private": name == "private",
        "protected": name in ("future", "draft", "pending"), "show_in_list": name != "trash",
        "_links": {"archives": link(request, f"/wp/v2/pages{query}")},
    }  # fmt: skip
