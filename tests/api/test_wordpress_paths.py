"""Pages and feeds below `/wp-json`, as clients of WordPress and Gravity Forms know them."""

from itertools import product

import pytest
from applications import Client
from flask.testing import FlaskClient

WP = "/wp-json/wp/v2"


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
    nowheres = ("/nope", "/wp/v2/pages/x", "/../pages", "/wp/v2/pages/1/2", "%FF", "/%ED%A0%80")
    for nowhere in (*nowheres, "/wp/v2/\N{SNOWMAN}"):
        assert client.get(f"/?rest_route={nowhere}").get_json()["code"] == "rest_no_route"
    assert client.delete("/?rest_route=/wp/v2/pages").status_code == 405


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
        sent = {**EMBARGO, **{name: value for name, value in dates.items() if value}}
        pages = [
            client.post(f"{WP}/pages", json={**EMBARGO, **dates}).get_json(),
            client.put(f"{WP}/pages/1", json={"status": "publish", **dates}).get_json(),
            client.post(f"{WP}/pages", data=sent).get_json(),
            client.post(f"{WP}/pages", data=sent, content_type="multipart/form-data").get_json(),
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
