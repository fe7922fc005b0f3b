"""A redirect keeps the query as it came, but for what it takes out."""

from itertools import product
from typing import Any

from applications import Site

QUERIES = [
    "x=%E4%F6", "flag", "a=1;b=2", "a=&b", "x=1&x=2", "a[]=1&a[b]=2", "x=%2B+%20", "x=~!*'()", "=x",
    "x=a%2520b", "x={}|^`", "utm_source=a%26b", "a&&b", "&a", "a=1&&&b=2&",
]  # fmt: skip


def get(site: Site, path: str, query: str) -> Any:
    """Get a path with the bytes of a query, which the client of a test would encode."""
    return site.visitor.get(path, environ_overrides={"QUERY_STRING": query})


def test_a_redirect_keeps_the_query_byte_for_byte(site: Site) -> None:
    site.page(slug="here")
    places = (("/here", "{}"), ("/", "page_id=1&{}"), ("/", "{}&page_id=1"))
    for query, (path, sent) in product(QUERIES, places):
        response = get(site, path, sent.replace("{}", query, 1))
        assert response.status_code == 302, sent
        assert response.headers["Location"].partition("?")[2] == query


def test_a_redirect_has_no_secret_and_no_raw_bytes(site: Site) -> None:
    site.page(slug="here")
    response = get(site, "/here", 'password=a&pass%77ord=b&oauth_x=c&y="<>\xe4')
    assert response.headers["Location"].endswith("?y=%22%3C%3E%E4")
