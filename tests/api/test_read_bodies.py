"""A JSON body of a GET counts as parameters, as WordPress reads it."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

Make = Callable[..., Any]
LISTS = ("/pages", "/wp-json/wp/v2/pages", "/?rest_route=/wp/v2/pages")


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    ("sent", "query"),
    [
        ({"include": [1, 3], "orderby": "include"}, "include=1,3&orderby=include"),
        ({"search": "T2", "context": "embed"}, "search=T2&context=embed"),
        ({"slug": "t3", "_fields": "id"}, "slug=t3&_fields=id"),
        ({}, ""),
    ],
)
def test_a_list_takes_its_parameters_from_a_body(
    client: FlaskClient, make_page: Make, path: str, sent: Any, query: str
) -> None:
    for number in range(5):
        make_page(title=f"T{number}")
    answer = client.get(path, json=sent)
    asked = client.get(f"{path}{'&' if '?' in path else '?'}{query}")
    assert (answer.status_code, answer.get_json()) == (200, asked.get_json())
    for name in ("X-WP-Total", "X-WP-TotalPages", "ETag"):
        assert answer.headers[name] == asked.headers[name]
    assert answer.headers["Cache-Control"] == "no-store"
    assert client.head(path, json=sent).headers["ETag"] == asked.headers["ETag"]


def test_what_has_a_body_is_never_cached(app: Flask, client: FlaskClient, make_page: Make) -> None:
    make_page(title="One")
    make_page(title="Two")
    for sent, count in (({"search": "One"}, 1), ({}, 2), ({"search": "Nothing"}, 0)):
        assert len(client.get("/pages", json=sent).get_json()) == count
    cache = app.blueprints["landform"].service.cache  # type: ignore[attr-defined]
    assert not cache._cached
    assert len(client.get("/pages").get_json()) == 2


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ({"page": 10**12}, "page"), ({"per_page": 101}, "per_page"),
        ({"include": [*range(1, 1100)]}, "include"), ({"search": "x" * 5000}, "search"),
        ({"search": ["a"]}, "search"), ({"context": None}, "context"), ({"page": True}, "page"),
        ({"author": {"a": {"b": 1}}}, "author"),
    ],
)  # fmt: skip
def test_a_body_has_the_bounds_of_a_query(client: FlaskClient, sent: Any, named: str) -> None:
    answer = client.get("/pages", json=sent)
    assert answer.status_code == 400
    assert list(answer.get_json()["data"]["params"]) == [named]
