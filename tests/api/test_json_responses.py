"""Responses with JSON: sent the short way, they are what Werkzeug would have sent."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from flask import Response
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app
from werkzeug.urls import iri_to_uri

from landform.service.http.json_codec import TooDeep, depth, loads
from landform.service.http.json_response import JSON, PLAIN_URL, JsonResponse, render
from landform.service.http.parameters import pairs

BODY = b'{"a":1}'
Change = Callable[[Response], object]


def sent(response: Response, method: str) -> tuple[bytes, str, list[tuple[str, str]]]:
    environ = EnvironBuilder("/pages", method=method).get_environ()
    parts, status, headers = run_wsgi_app(response, environ, buffered=True)
    return b"".join(parts), status, sorted((name.lower(), value) for name, value in headers)


def header(name: str, value: str) -> Change:
    return lambda response: response.headers.set(name, value)


CHANGES: list[Change] = [
    lambda response: None,
    lambda response: response.set_data(b"compressed"),
    lambda response: response.set_data("text"),
    lambda response: response.headers.remove("Content-Length"),
    lambda response: setattr(response, "response", ["te", "xt"]),
    lambda response: setattr(response, "response", [b"by", b"tes"]),
    lambda response: setattr(response, "response", (b"by", b"tes")),
    lambda response: setattr(response, "response", iter([b"by", b"tes"])),
    lambda response: response.freeze(),
    lambda response: response.set_cookie("a", "b"),
    lambda response: setattr(response, "status", "200 Fine"),
    *(lambda response, code=code: setattr(response, "status_code", code) for code in (204, 304)),
    *(
        header(name, url)
        for name in ("Location", "Content-Location", "location")
        for url in (
            "http://localhost/pages/1", "https://a-b.example:8443/a/b.c~d_e/1", "/pages/1",
            "http://EXAMPLE.com/pages/1", "http://b\u00fccher.example/pages/1", "http://x/a b",
            "http://x:080/pages/1", "http://x/a%2Fb", "http://[::1]:80/pages/1", "http://x/?q=\u00e4",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_becomes_of_a_response_the_same_is_sent(change: Change, method: str) -> None:
    ours, werkzeugs = (kind(BODY, 201, [JSON]) for kind in (JsonResponse, Response))
    change(ours)
    change(werkzeugs)
    assert sent(ours, method) == sent(werkzeugs, method)


def test_what_waits_for_the_end_of_a_response_is_called() -> None:
    calls: list[str] = []
    response = render({"a": 1})
    response.call_on_close(lambda: calls.append("closed"))
    assert sent(response, "GET")[0] == BODY
    assert calls == ["closed"]


def test_a_response_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Response, "__call__", None)
    response = render({"a": 1}, 201, {"Location": "http://127.0.0.1:8000/pages/1"})
    assert sent(response, "POST")[:2] == (BODY, "201 CREATED")


hosts = st.from_regex(r"[a-z0-9_.-]{0,8}(:[0-9]{1,5})?", fullmatch=True)
paths = st.from_regex(r"(/[a-zA-Z0-9._~%-]{0,4}){0,3}", fullmatch=True)


@given(st.sampled_from(["http", "https"]), hosts, paths)
def test_a_plain_url_is_one_that_werkzeug_leaves_alone(scheme: str, host: str, path: str) -> None:
    url = f"{scheme}://{host}{path}"
    if PLAIN_URL.fullmatch(url):
        assert iri_to_uri(url) == url


@given(st.one_of(st.text(), st.text("ab=&[]%+;0")))
def test_a_query_is_read_as_python_reads_it(text: str) -> None:
    assert pairs(text.encode(errors="replace")) == parse_qsl(
        text.encode(errors="replace").decode(), keep_blank_values=True, errors="replace"
    )


nested: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([1, "[{"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=8,
)


@given(nested, st.integers(1, 6))
def test_json_is_too_deep_where_its_value_is(value: Any, most: int) -> None:
    body = repr(value).replace("'", '"').encode()
    if depth(value) > most:
        with pytest.raises(TooDeep):
            loads(body, most)
    else:
        assert loads(body, most) == value
