"""What clients of WordPress and Gravity Forms ask for before they come to pages and feeds."""

import pytest
from applications import ADMIN, Client, host_of
from conftest import basic
from flask.testing import FlaskClient

from landform.parts import all_parts
from landform.parts.wordpress import WordPress

WP, GF = "/wp-json/wp/v2", "/wp-json/gf/v2"
HAS_LEADS = "leads" in all_parts()


@pytest.mark.settings(SITE_TITLE="<b>A & B</b>", SITE_DESCRIPTION="<i>")
def test_the_root_links_to_the_api_for_clients_and_browsers(client: Client) -> None:
    for method in ("GET", "HEAD"):
        response = client.anonymous.open("/", method=method)
        assert response.status_code == 200
        assert response.headers["Link"] == '<http://localhost/wp-json/>; rel="https://api.w.org/"'
    assert client.anonymous.get("/").get_json()["docs"] == "http://localhost/docs"
    accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    page = client.get("/", headers={"Accept": accept})
    assert page.mimetype == "text/html"
    assert "<h1>&lt;b&gt;A &amp; B&lt;/b&gt;</h1>\n<p>&lt;i&gt;</p>" in page.text
    assert 'href="http://localhost/docs"' in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "api.w.org" in page.headers["Link"]
    assert "Accept" in page.headers["Vary"]


@pytest.mark.parametrize("url", ["/wp-json", "/wp-json/", "/?rest_route=/", "/?rest_route=%2F"])
def test_the_index_describes_the_site_and_every_route(anonymous: FlaskClient, url: str) -> None:
    index = anonymous.get(url).get_json()
    assert index["name"] == "landform"
    assert index["url"] == index["home"] == "http://localhost"
    assert (index["gmt_offset"], index["timezone_string"]) == (0, "UTC")
    assert index["namespaces"] == ["wp/v2", "gf/v2"]
    pages = index["routes"]["/wp/v2/pages"]
    assert pages["methods"] == ["GET", "POST"]
    assert pages["_links"]["self"] == [{"href": "http://localhost/wp-json/wp/v2/pages"}]
    assert index["routes"]["/wp/v2"]["namespace"] == "wp/v2"
    # npm's wpapi makes `.id()` of a group with this name.
    for route, methods in {
        r"/wp/v2/pages/(?P<id>[\d]+)": "GET POST PUT PATCH DELETE",
        r"/wp/v2/users/(?P<id>[\d]+)": "GET",
        r"/wp/v2/types/(?P<type>[\w-]+)": "GET",
        r"/wp/v2/statuses/(?P<status>[\w-]+)": "GET",
        r"/gf/v2/feeds/(?P<feed_id>[\d]+)": "GET PUT PATCH DELETE",
        r"/gf/v2/feeds/(?P<feed_id>[\d]+)/properties": "PUT",
        r"/gf/v2/forms/(?P<form_id>[\d]+)": "GET PUT DELETE" if HAS_LEADS else "GET",
        r"/gf/v2/forms/(?P<form_id>[\d]+)/feeds": "GET POST",
    }.items():
        assert index["routes"][route]["methods"] == methods.split()
    assert not {"/wp/v2/types/page", "/wp/v2/statuses/draft"} & index["routes"].keys()
    for name in index["namespaces"]:
        part = anonymous.get(f"/wp-json/{name}/").get_json()
        assert part["namespace"] == name
        assert all(route.startswith(f"/{name}") for route in part["routes"])


def test_the_index_takes_the_arguments_from_the_schemas(anonymous: FlaskClient) -> None:
    routes = anonymous.get("/wp-json").get_json()["routes"]
    listing, creating = routes["/wp/v2/pages"]["endpoints"]
    assert listing["args"]["per_page"] == {
        "required": False, "type": "integer", "minimum": 1, "maximum": 100, "default": 10,
    }  # fmt: skip
    assert listing["args"]["order"]["enum"] == ["asc", "desc"]
    assert listing["args"]["status"]["items"]["enum"][0] == "publish"
    assert listing["args"]["after"] == {"required": False, "type": "string", "format": "date-time"}
    assert creating["methods"] == ["POST"]
    assert creating["args"]["title"]["required"]
    assert set(creating["args"]["meta"]["properties"]) >= {"form_id", "gallery"}
    described = anonymous.options(f"{WP}/pages").get_json()
    assert described == {name: routes["/wp/v2/pages"][name] for name in described}
    (feed,) = routes["/gf/v2/feeds"]["endpoints"][1:]
    assert feed["args"]["form_id"]["required"]


def test_pages_are_a_type_and_other_collections_are_empty(anonymous: FlaskClient) -> None:
    types = anonymous.get(f"{WP}/types").get_json()
    assert (types["page"]["rest_base"], types["page"]["rest_namespace"]) == ("pages", "wp/v2")
    assert anonymous.get(f"{WP}/types/page?context=view").get_json() == types["page"]
    assert anonymous.get(f"{WP}/taxonomies").get_json() == {}
    assert anonymous.get(f"{WP}/types?context=nonsense").status_code == 400
    for name in ("posts", "categories", "tags", "comments"):
        response = anonymous.get(f"{WP}/{name}?per_page=1&context=view")
        assert response.get_json() == []
        assert response.headers["X-WP-Total"] == response.headers["X-WP-TotalPages"] == "0"


def test_statuses_that_are_not_public_and_settings_are_for_callers(client: Client) -> None:
    assert list(client.anonymous.get(f"{WP}/statuses").get_json()) == ["publish"]
    statuses = client.get(f"{WP}/statuses").get_json()
    assert list(statuses) == ["publish", "future", "draft", "pending", "private", "trash"]
    assert client.get(f"{WP}/statuses/draft").get_json() == statuses["draft"]
    assert [one for one, shown in statuses.items() if shown["public"]] == ["publish"]
    settings = client.get(f"{WP}/settings").get_json()
    assert (settings["title"], settings["timezone"]) == ("landform", "UTC")


def test_the_caller_is_a_user_with_what_its_scopes_allow(client: Client) -> None:
    for headers in ({}, basic("admin:wrong")):
        refused = client.anonymous.get(f"{WP}/users/me", headers=headers)
        assert (refused.status_code, refused.get_json()["code"]) == (401, "rest_not_logged_in")
    admin = client.get(f"{WP}/users/me")
    assert admin.get_json()["roles"] == ["administrator"]
    assert admin.headers["Cache-Control"] == "no-store"
    for scopes, role, can, cannot in (
        ("pages:read,pages:write", "editor", "edit_pages", "unfiltered_html"),
        ("pages:read", "subscriber", "read_private_pages", "edit_pages"),
        ("feeds:read,feeds:write", "subscriber", "gravityforms_edit_forms", "read"),
    ):
        key = client.key(scopes, *scopes.split(","), author=7)
        user = client.anonymous.get(f"{WP}/users/me", headers=key).get_json()
        assert (user["id"], user["slug"], user["roles"]) == (7, "author-7", [role])
        assert can in user["capabilities"]
        assert cannot not in user["capabilities"]


def test_users_are_the_authors_of_the_pages_that_the_caller_may_see(client: Client) -> None:
    client.page(author=5)
    client.page(author=3)
    client.page(author=9, status="draft")
    assert [user["id"] for user in client.anonymous.get(f"{WP}/users").get_json()] == [3, 5]
    assert client.anonymous.get(f"{WP}/users/9").get_json()["code"] == "rest_user_invalid_id"
    assert client.get(f"{WP}/users/9").get_json()["name"] == "Author 9"
    second = client.get(f"{WP}/users?per_page=2&page=2")
    assert [user["id"] for user in second.get_json()] == [9]
    assert (second.headers["X-WP-Total"], second.headers["X-WP-TotalPages"]) == ("3", "2")
    assert [u["id"] for u in client.get(f"{WP}/users?include=9,5").get_json()] == [5, 9]
    assert client.get(f"{WP}/users/1").status_code == 200, "the caller's own"


# Site builders ask for the author of a URL by its slug, and take the first.
AUTHORS = {
    "slug=author-12": [12], "slug=author-2,author-12,nobody": [2, 12], "slug=nobody": [],
    "slug=": [2, 5, 12], "search=AUTHOR 5": [5], "search=author-1": [12], "search=nobody": [],
    "exclude=5,12": [2], "include=5,12&exclude=5": [12], "order=desc": [12, 5, 2],
    "order=desc&per_page=1&page=2": [5], "who=authors&orderby=name&_locale=user": [2, 5, 12],
}  # fmt: skip


def test_authors_are_found_by_what_clients_ask_for(client: Client, anonymous: FlaskClient) -> None:
    for author in (5, 2, 12):
        client.page(author=author)
    for query, found in AUTHORS.items():
        listed = anonymous.get(f"{WP}/users?{query}").get_json()
        assert (query, [user["id"] for user in listed]) == (query, found)


MISSED = {
    f"POST {WP}/tags": 405, f"GET {WP}/search?search=x": 404, f"POST {WP}/pages/1/autosaves": 404,
    "GET /?rest_route=/wp/v2/menu-items": 404, f"GET {GF}/forms/1/results": 404,
    f"GET {WP}/nonsense": 404, "GET /tags": 404,
}  # fmt: skip


def test_a_route_that_landform_does_not_have_is_the_usual_error(client: Client) -> None:
    for line, status in MISSED.items():
        method, path = line.split()
        answer = client.open(path, method=method)
        assert (answer.status_code, answer.get_json()["code"]) == (status, "rest_no_route"), line


@pytest.mark.settings(TIMEZONE="Asia/Kolkata")
def test_the_index_has_the_time_zone_of_the_site(client: Client) -> None:
    index = client.get("/wp-json").get_json()
    assert (index["gmt_offset"], index["timezone_string"]) == (5.5, "Asia/Kolkata")


def test_forms_are_those_of_feeds_and_of_pages_that_the_caller_may_see(database_url: str) -> None:
    host = host_of(
        database_url, parts=(WordPress(),), wp_json_paths=True, credentials=dict([ADMIN])
    )
    client = Client(host)
    assert client.get(f"{GF}/forms").get_json() == {}
    # It may read feeds, and no page that is not published.
    reader = client.key("reader", "feeds:read")
    for form in (12, 0, 12):
        client.feed(form_id=form)
    for form, status in (("3", "publish"), ("05", "publish"), ("8", "draft"), ("12", "publish"),
                         ("0", "publish"), ("", "publish"), ("newsletter", "publish")):  # fmt: skip
        client.page(meta={"form_id": form}, status=status)
    listed = client.get(f"{GF}/forms").get_json()
    assert list(listed) == ["3", "5", "8", "12"]
    assert listed["12"] == {"id": "12", "title": "Form 12", "entries": "0"}
    for query in ("include=5,9", "include[]=5&include[]=9"):
        assert list(client.get(f"{GF}/forms?{query}").get_json()) == ["5"]
    assert list(client.anonymous.get(f"{GF}/forms", headers=reader).get_json()) == ["3", "5", "12"]
    assert client.anonymous.get(f"{GF}/forms").status_code == 401
    assert client.get(f"{GF}/forms/8").get_json() == {"id": 8, "title": "Form 8"}
    assert client.anonymous.get(f"{GF}/forms/8", headers=reader).status_code == 404
    assert client.anonymous.get(f"{GF}/forms/5", headers=reader).status_code == 200
    client.patch("/pages/2", json={"meta": {"form_id": None}})
    for unknown in (5, 4, 0, 2**63):
        assert client.get(f"{GF}/forms/{unknown}").get_json()["code"] == "gf_not_found"
