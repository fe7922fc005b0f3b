"""What clients of WordPress and Gravity Forms ask for before they come to pages and feeds."""

from itertools import product

import pytest
from applications import Client
from conftest import basic
from flask.testing import FlaskClient

from landform.parts import all_parts

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


def test_the_only_type_is_page_and_other_collections_are_empty(anonymous: FlaskClient) -> None:
    types = anonymous.get(f"{WP}/types").get_json()
    assert list(types) == ["page"]
    assert (types["page"]["rest_base"], types["page"]["rest_namespace"]) == ("pages", "wp/v2")
    assert anonymous.get(f"{WP}/types/page?context=view").get_json() == types["page"]
    assert anonymous.get(f"{WP}/taxonomies").get_json() == {}
    assert anonymous.get(f"{WP}/types?context=nonsense").status_code == 400
    for name in ("posts", "categories", "tags", "media", "comments"):
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


def test_every_route_is_at_rest_route_too(client: Client) -> None:
    first, second = client.page()["id"], client.page()["id"]
    listed = client.get("/?rest_route=/wp/v2/pages&per_page=1&orderby=id&order=asc")
    assert [page["id"] for page in listed.get_json()] == [first]
    assert listed.headers["Link"].startswith("<http://localhost/wp-json/wp/v2/pages?per_page=1")
    assert "rest_route" not in listed.headers["Link"]
    created = client.post("/?rest_route=/wp/v2/pages", json={"title": "New"})
    assert created.headers["Location"].startswith("http://localhost/wp-json/wp/v2/pages/")
    put = client.put(f"/?rest_route=/wp/v2/pages/{second}/", json={"title": "Changed"})
    assert put.get_json()["title"]["raw"] == "Changed"
    assert client.delete(f"/?rest_route=%2Fwp%2Fv2%2Fpages%2F{second}").status_code == 200
    for nowhere in ("/nope", "/wp/v2/pages/x", "/../pages", "/wp/v2/pages/1/2"):
        assert client.get(f"/?rest_route={nowhere}").get_json()["code"] == "rest_no_route"
    assert client.delete("/?rest_route=/wp/v2/types").status_code == 405


# The fields that WordPress has in each context beside those of the specification.
OTHERS = {
    "embed": {"type", "excerpt", "featured_media", "_links"},
    "view": {
        "type", "excerpt", "featured_media", "_links", "date_gmt", "modified_gmt", "guid",
        "parent", "menu_order", "comment_status", "ping_status", "template",
    },
}  # fmt: skip
OTHERS["edit"] = OTHERS["view"]


@pytest.mark.parametrize("context", OTHERS)
def test_a_page_below_wp_json_has_other_fields_of_wordpress(client: Client, context: str) -> None:
    page_id = client.page(title="Sale", content="Win a bicycle.", author=4)["id"]
    plain = client.get(f"/pages/{page_id}?context={context}").get_json()
    page = client.get(f"{WP}/pages/{page_id}?context={context}").get_json()
    assert set(page) - set(plain) == OTHERS[context]
    assert {name: page[name] for name in plain} == plain
    assert client.get(f"{WP}/pages?context={context}").get_json() == [page]
    assert page["type"] == "page"
    base = "http://localhost/wp-json/wp/v2"
    assert page["_links"] == {
        "self": [{"href": f"{base}/pages/{page_id}"}],
        "collection": [{"href": f"{base}/pages"}],
        "about": [{"href": f"{base}/types/page"}],
        "author": [{"embeddable": True, "href": f"{base}/users/4"}],
    }
    raw = {"raw": ""} if context == "edit" else {}
    assert page["excerpt"] == {"rendered": "<p>Win a bicycle.</p>\n", "protected": False, **raw}


@pytest.mark.settings(TIMEZONE="Asia/Kolkata")
def test_the_dates_of_wordpress_are_in_utc(client: Client) -> None:
    index = client.get("/wp-json").get_json()
    assert (index["gmt_offset"], index["timezone_string"]) == (5.5, "Asia/Kolkata")
    body = {"title": "Sale", "date": "2026-01-31T12:00:00"}
    page = client.post(f"{WP}/pages", json=body).get_json()
    assert (page["date"], page["date_gmt"]) == ("2026-01-31T12:00:00", "2026-01-31T06:30:00")
    assert page["modified_gmt"] < page["modified"]
    assert page["guid"]["rendered"] == f"http://localhost/?page_id={page['id']}"


def test_the_excerpt_of_a_protected_page_is_hidden(client: Client, anonymous: FlaskClient) -> None:
    page_id = client.page(content="Secret words", password="pw")["id"]
    hidden = anonymous.get(f"{WP}/pages/{page_id}").get_json()["excerpt"]
    assert hidden == {"rendered": "", "protected": True}
    shown = anonymous.get(f"{WP}/pages/{page_id}?password=pw").get_json()["excerpt"]
    assert shown == {"rendered": "<p>Secret words</p>\n", "protected": True}
    (listed,) = client.get(f"{WP}/pages").get_json()
    assert listed["excerpt"]["rendered"] == ""


def test_the_excerpt_has_the_whole_text_of_preformatted_text(client: Client) -> None:
    texts = {
        "<pre>one <b>two</b> three": "one two three",
        '<pre title="a>b">one <i>two</i></pre>': "one two",
    }
    for content, text in texts.items():
        page = client.post(f"{WP}/pages", json={"title": "Pre", "content": content}).get_json()
        assert page["excerpt"]["rendered"] == f"<p>{text}</p>\n", content


EMBEDDED_FIELDS = {
    "_embed=author&_fields=id,_links,_embedded": {"id", "_links", "_embedded"},
    "_embed&_fields=id,_embedded": {"id", "_embedded"}, "_embed=1&_fields=_embedded": {"_embedded"},
    "_embed=author&_fields=author,_embedded": {"author", "_embedded"},
    "_embed=author&_fields=id,_embedded.author.name": {"id", "_embedded"},
    "_embed=author&_fields=id,_links": {"id", "_links"}, "_embed=author&_fields=id": {"id"},
    "_fields=id,_links,_embedded": {"id", "_links"},
    "_embed=wp:term&_fields=id,_links,_embedded": {"id", "_links"},
}  # fmt: skip


def test_an_author_is_embedded_whichever_other_fields_are_asked_for(client: Client) -> None:
    page_id = client.page(author=6)["id"]
    for query, context in product(EMBEDDED_FIELDS, ("view", "embed", "edit")):
        one = client.get(f"{WP}/pages/{page_id}?context={context}&{query}").get_json()
        [listed] = client.get(f"{WP}/pages?context={context}&{query}").get_json()
        assert one == listed
        assert one.keys() == EMBEDDED_FIELDS[query]
        if "_embedded" in one:
            assert one["_embedded"]["author"][0]["name"] == "Author 6"
            assert ("id" in one["_embedded"]["author"][0]) is (".name" not in query)
    assert "_embedded" not in client.get(f"/pages/{page_id}?_embed").get_json()
    for strange in ("_embed[0][0]=x", "_embed[a]=x", "_embed[]=", "_embed[][]"):
        assert client.get(f"{WP}/pages?{strange}").status_code == 200


def test_allow_says_what_the_caller_may_do(client: Client, anonymous: FlaskClient) -> None:
    page = f"{WP}/pages/{client.page()['id']}"
    for method in ("GET", "HEAD", "OPTIONS"):
        assert anonymous.open(page, method=method).headers["Allow"] == "GET, HEAD, OPTIONS"
        allowed = client.open(page, method=method).headers["Allow"]
        assert allowed == "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS"
        allowed = client.open(f"{WP}/pages", method=method).headers["Allow"]
        assert allowed == "GET, POST, HEAD, OPTIONS"
    assert "Allow" not in client.get("/pages").headers


MISSED = {
    f"POST {WP}/media": "landform has no media. Keep files where they are served",
    f"GET {WP}/media/5": "landform has no media.",
    f"POST {WP}/categories": "landform has no categories. It serves landing pages",
    f"GET {WP}/search?search=x": "landform has no search. Search pages with",
    f"POST {WP}/pages/1/autosaves": "landform has no autosaves.",
    f"GET {WP}/block-types/core/paragraph": "landform has no block types.",
    "GET /?rest_route=/wp/v2/menu-items": "landform has no menu items.",
    f"GET {GF}/forms/1/results": "landform has no results.",
    **({} if HAS_LEADS else {f"GET {GF}/entries": "landform has no entries."}),
    f"GET {WP}/nonsense": "No route matches this URL.", "GET /media": "No route matches this URL.",
}  # fmt: skip


def test_a_route_that_wordpress_has_and_landform_has_not_says_so(client: Client) -> None:
    for line, told in MISSED.items():
        method, path = line.split()
        answer = client.open(path, method=method)
        assert answer.status_code in (404, 405)
        assert answer.get_json()["code"] == "rest_no_route"
        assert answer.get_json()["message"].startswith(told)


def test_a_create_without_status_is_a_draft_below_wp_json(client: Client) -> None:
    for path, status in ((f"{WP}/pages", "draft"), ("/pages", "publish")):
        for body in ({"title": "x"}, {"title": "x", "status": None}):
            assert client.post(path, json=body).get_json()["status"] == status
    published = client.post(f"{WP}/pages", json={"title": "x", "status": "publish"})
    assert published.get_json()["status"] == "publish"


EMBARGO = {"title": "Embargo", "status": "future"}
SENT_DATES = [
    ({"date_gmt": "2040-01-01T10:00:00"}, "2040-01-01T11:00:00"),
    ({"date_gmt": "2040-01-01T10:00:00", "date": None}, "2040-01-01T11:00:00"),
    ({"date_gmt": "2040-07-01T10:00:00Z"}, "2040-07-01T12:00:00"),
    ({"date_gmt": "2040-01-01T10:00:00+03:00"}, "2040-01-01T08:00:00"),
    ({"date_gmt": "2040-01-01T10:00:00", "date": "2041-01-01T10:00:00"}, "2041-01-01T10:00:00"),
    ({"date_gmt": None, "date": "2041-01-01T10:00:00"}, "2041-01-01T10:00:00"),
]


@pytest.mark.settings(TIMEZONE="Europe/Berlin")
def test_a_page_is_scheduled_by_date_gmt_below_wp_json_a_wrong_one_named(client: Client) -> None:
    client.page(status="draft")
    for dates, local in SENT_DATES:
        batched = {"method": "POST", "path": "/wp/v2/pages", "body": {**EMBARGO, **dates}}
        batch = client.post("/wp-json/batch/v1", json={"requests": [batched]}).get_json()
        sent = {**EMBARGO, **{name: value for name, value in dates.items() if value}}
        pages = [
            client.post(f"{WP}/pages", json={**EMBARGO, **dates}).get_json(),
            client.put(f"{WP}/pages/1", json={"status": "publish", **dates}).get_json(),
            client.post(f"{WP}/pages", data=sent).get_json(),
            client.post(f"{WP}/pages", data=sent, content_type="multipart/form-data").get_json(),
            batch["responses"][0]["body"],
        ]
        assert {(page["status"], page["date"]) for page in pages} == {("future", local)}
    assert client.get("/pages").get_json() == []
    before = client.get("/pages/1?context=edit").get_json()
    for path, wrong in product(
        ("pages", "pages/1"), ("tomorrow", "2040-13-01T00:00:00", "", 5, [])
    ):
        refused = client.post(f"{WP}/{path}", json={**EMBARGO, "date_gmt": wrong})
        assert refused.status_code == 400
        assert [*refused.get_json()["data"]["params"]] == ["date_gmt"]
    assert client.get("/pages/1?context=edit").get_json() == before
