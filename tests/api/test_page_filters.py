"""Lists by form and by language, a protected page by its slug, and the forms that pages name."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from applications import Client
from flask.testing import FlaskClient

WP, GF = "/wp-json/wp/v2", "/wp-json/gf/v2"


def ids(client: Client, query: str, path: str = "/pages") -> list[int]:
    response = client.get(f"{path}?{query}")
    assert response.status_code == 200, response.text
    found = [page["id"] for page in response.get_json()]
    assert response.headers["X-WP-Total"] == str(len(found))
    return sorted(found)


@pytest.fixture
def six(client: Client) -> None:
    """Six pages: of two forms, in several languages, one of them a draft."""
    for meta, status in (
        ({"form_id": "3", "language": ["en"]}, "publish"),
        ({"form_id": "03", "language": ["de", "en"]}, "publish"),
        ({"form_id": "7", "language": [{"code": "de", "slug": "german", "value": 5}]}, "publish"),
        ({"form_id": "newsletter", "language": ["pt-BR"]}, "publish"),
        ({}, "publish"),
        ({"form_id": "3", "language": ["en", "is"]}, "draft"),
    ):
        client.page(meta=meta, status=status)


@pytest.mark.usefixtures("six")
def test_pages_are_listed_by_form_and_by_language(anonymous: FlaskClient) -> None:
    for query, expected in (
        ("form_id=3", [1, 2]), ("form_id=%203", [1, 2]), ("form_id=3,7", [1, 2, 3]),
        ("form_id[]=7&form_id[]=newsletter", [3, 4]), ("form_id=0", []), ("form_id=99", []),
        ("form_id=", [1, 2, 3, 4, 5]), ("form_id=" + "9" * 300, []), ("form_id=Newsletter", []),
        ("language=en", [1, 2]), ("language=EN", [1, 2]), ("language=en,de", [1, 2, 3]),
        ("language[]=german", [3]), ("language=5", [3]), ("language=pt-br", [4]),
        ("language=pt", []), ("language=is", []), ("language=", [1, 2, 3, 4, 5]),
        ("language=de&form_id=3", [2]), ("language=en&exclude=1", [2]),
        ("language=de&orderby=title&order=asc&search=page", [2, 3]),
        ("form_id=3&include=2,3", [2]), ("language=en&offset=0&slug=a-page", [1]),
    ):  # fmt: skip
        assert ids(anonymous, query) == expected
        assert ids(anonymous, query, f"{WP}/pages") == expected


@pytest.mark.usefixtures("six")
def test_a_list_may_be_sent_as_several_parameters(client: Client) -> None:
    for query, expected in (
        ("include=1&include=3&include=1", [1, 3]), ("form_id=3&language=de&language=en", [1, 2]),
        # A value that is no list is the last one.
        ("order=up&order=asc&include=2", [2]),
    ):  # fmt: skip
        assert (query, ids(client, query)) == (query, expected)
        # Below /wp-json the last of equal names counts, as in WordPress.
        last = urlencode(dict(parse_qsl(query)))
        assert ids(client, query, f"{WP}/pages") == ids(client, last, f"{WP}/pages")
    (page,) = client.get("/pages?include=2&_fields=id&_fields=slug").get_json()
    assert page == {"id": 2, "slug": "a-page-2"}
    assert client.get("/pages?include=2&include=x").status_code == 400


@pytest.fixture
def protected(client: Client) -> dict[str, Any]:
    client.page(slug="open", content="Everyone reads this")
    client.page(slug="other", content="Hidden", password="other")
    return client.page(slug="x", content="Behind it", password="sesame")


def contents(response: Any) -> dict[str, str]:
    assert response.status_code == 200, response.text
    return {page["slug"]: page["content"]["rendered"].strip() for page in response.get_json()}


@pytest.mark.usefixtures("protected")
@pytest.mark.parametrize("path", ["/pages", f"{WP}/pages"])
def test_a_protected_page_is_read_by_slug_in_one_request(anonymous: FlaskClient, path: str) -> None:
    by_query = anonymous.get(f"{path}?slug=x&password=sesame")
    by_header = anonymous.get(f"{path}?slug=x", headers={"X-Page-Password": "sesame"})
    by_body = anonymous.get(path, json={"slug": "x", "password": "sesame"})
    for response in (by_query, by_header, by_body):
        assert contents(response) == {"x": "<p>Behind it</p>"}
        assert response.get_json()[0]["content"]["protected"] is True
        assert response.headers["Cache-Control"] == "no-store"
        assert "ETag" not in response.headers
        assert "sesame" not in str(response.headers) + response.text
    assert contents(anonymous.get(f"{path}?slug=x")) == {"x": ""}
    several = anonymous.get(f"{path}?slug=x,open&password=sesame")
    assert contents(several) == {"x": "", "open": "<p>Everyone reads this</p>"}
    fields = anonymous.get(f"{path}?slug=x&password=sesame&_fields=content.rendered")
    assert fields.get_json() == [{"content": {"rendered": "<p>Behind it</p>\n"}}]
    excerpt = anonymous.get(f"{WP}/pages?slug=x&password=sesame&_fields=excerpt").get_json()
    assert "Behind it" in excerpt[0]["excerpt"]["rendered"]
    for query in ("slug=x", "slug=x&_fields=id"):
        wrong = anonymous.get(f"{path}?{query}&password=wrong")
        assert wrong.get_json()["code"] == "rest_post_incorrect_password"
        assert (wrong.status_code, "Behind" in wrong.text) == (403, False)


@pytest.mark.usefixtures("protected")
def test_without_a_slug_a_password_opens_nothing_and_is_stored_nowhere(client: Client) -> None:
    for caller in (client.anonymous, client):
        for query in ("password=sesame", "password=sesame&slug=", "password=sesame&include=3"):
            response = caller.get(f"/pages?{query}")
            assert "Behind" not in response.text
            assert response.headers["Cache-Control"] == "no-store"
    linked = client.anonymous.get(
        "/pages?slug=x,open,other&per_page=1&password=sesame&orderby=slug"
    )
    assert "sesame" not in linked.headers["Link"]
    assert contents(client.anonymous.get("/pages?slug=open&password=any")) == {
        "open": "<p>Everyone reads this</p>"
    }
    edit = client.get("/pages?slug=x&context=edit&password=wrong").get_json()
    assert edit[0]["content"]["raw"] == "Behind it"
