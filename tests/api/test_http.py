"""HTTP manners: addresses, methods, bodies and headers, however strange, get JSON and no 500."""

from typing import Any

import pytest
from applications import Client
from werkzeug.test import TestResponse

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"]
# A kind of body, and what stands before and after the title in it.
BODIES = [
    (JSON, b'{"title": "', b'"}'),
    (FORM, b"title=", b""),
    (MULTIPART, b'--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n', b"\r\n--b--"),
]


def assert_error(answer: TestResponse, status: int, code: str) -> None:
    body = answer.get_json()
    assert (answer.status_code, answer.mimetype) == (status, JSON), answer.text
    assert set(body) == {"code", "message", "data"}
    assert (body["code"], body["data"]["status"]) == (code, status)
    assert set(body["data"]) <= {"status", "params", "details"}
    assert body["message"]


NOWHERE = """
/page /pagesx /Pages /pages/1/x /pages//1 /pages/1// /./pages /%2e%2e/pages /pages.json
/feeds/1/property /form /form/1 /forms//feeds /forms/1/feeds/1 /favicon.ico /static/x /<script>
/wp-jso /wp-json/wp /wp-json/wp/v2/feeds /wp-json/gf/v2/pages /wp-json/wp/v2/post /wp-json/gf
/pages/abc /pages/-1 /pages/+1 /pages/1.0 /pages/1e3 /pages/0x1 /pages/%201 /pages/%00 /pages/1%00
/pages/١ /pages/１ /pages/² /pages/%ff /pages/1%0a /pages/1,2 /pages/1%2Fx /feeds/x/properties
/feeds/٣/properties /forms/x/feeds /forms/-1/feeds /wp-json/wp/v2/pages/1%2e0
""".split()


def test_other_addresses_lead_nowhere_only_a_post_has_another_method(client: Client) -> None:
    client.page()
    for path in NOWHERE:
        for method in METHODS:
            assert_error(client.open(path, method=method, json={}), 404, "rest_no_route")
        assert client.head(path).status_code == client.options(path).status_code == 404
        assert client.get(f"{path}?_envelope").get_json().get("status") == 404
    headers = {"X-HTTP-Method-Override": "DELETE"}
    for method in ("GET", "PUT"):
        client.open("/pages/1?_method=DELETE", method=method, headers=headers, json={})
    assert client.get("/pages/1").get_json()["status"] == "publish"


MALFORMED = [
    *rb"""{ } [ " {'t':1} {t:1} {"t":1,} {"t":01} {"t":+1} {"t":.5} {"t":NaN} {"t":Infinity}
    {"t":-Infinity} {"t":1e400} {"t":[-1e999]} {"t":"\ud800"} {"\udfff":1} {"t":"\udc00\ud800"}
    {"t":[{"\ud83d":1}]} {}x {}{} {"t":"\x41"} 1 "x" true false 0 "" [1] [[]]""".split(),
    *(b'{"t":"\xff"}', b'{"t":"\xed\xa0\x80"}', b'{"t":"\xc0\x80"}', b"\xef\xbb\xbf{}", b"\x00"),
    *(b'{"t":1e-400}', b'{"t": 1, "t": 2}', b'{"t": {"b": 1, "\\u0062": 2}}'),
    *(b'{"t":"\x01"}', b'{"t":"\n"}', b'{"t":1}\x00', '{"t":1}'.encode("utf-16")),
    *(b'{"t":' * n + b"1" + b"}" * n for n in (501, 5_000, 200_000)),
    *(b'{"t":' + b"[" * n + b"]" * n + b"}" for n in (500, 5_000, 200_000)),
    *(b"[" * 200_000, b'{"t":' * 200_000, b'{"t":' + b"9" * 5000 + b"}"),
]


def test_a_body_that_is_no_json_object_is_refused(client: Client) -> None:
    page, feed = client.page(), client.feed()
    for line in ("POST /pages", "PUT /pages/1", "DELETE /pages/1", "POST /feeds", "PATCH /feeds/1"):
        method, path = line.split()
        for body in MALFORMED:
            answer = client.open(path, method=method, data=body, content_type=JSON)
            assert_error(answer, 400, "rest_invalid_json")
    assert client.get("/pages?context=edit").get_json() == [page]
    assert client.get("/feeds").get_json() == [feed]


@pytest.mark.settings(MAX_BODY_BYTES="1000")
@pytest.mark.parametrize(("kind", "start", "end"), BODIES, ids=[body[0][:20] for body in BODIES])
def test_a_body_beyond_the_bound_is_413_and_one_that_breaks_off_400(
    client: Client, kind: str, start: bytes, end: bytes
) -> None:
    chunked = {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}

    def post(size: int, after: bytes = b"", environ: Any = None) -> TestResponse:
        body = start + b"x" * (size - len(start) - len(end)) + end + after
        return client.post("/pages", data=body, content_type=kind, environ_overrides=environ)

    assert_error(post(1001), 413, "rest_body_too_large")
    for terminated in ({}, {"wsgi.input_terminated": True}):  # the second is gunicorn's
        assert post(900, environ={"CONTENT_LENGTH": "901", **terminated}).status_code == 400
    for sent in ((1001,), (5000,), (1000, b" "), (1000, b"garbage" * 99)):
        assert_error(post(*sent, environ=chunked), 413, "rest_body_too_large")
    assert client.get("/pages").get_json() == []
    assert post(900, environ=chunked).status_code == post(1000).status_code == 201


# Texts that were meant to be JSON, or could have been, in a form and in any other kind of body.
IN_FORMS = ['{"title": "A"}', '\n { "title": "A",}', "{'title': 'A'}", "[1]"]
IN_OTHERS = ['{"title": "A", "force": true}', "title=new&force=1"]
OTHERS = ["", "text/plain", "\xff/\xfe;;"]
MEDIA = "rest_unsupported_media_type"
WRITES = {
    **{f"{line} 415": MEDIA for line in ("POST /pages", "PUT /pages/1", "DELETE /pages/1")},
    **{f"{line} 400": "missing_feed" for line in ("POST /feeds", "POST /forms/3/feeds")},
    "PUT /feeds/1 400": "missing_feed", "PATCH /feeds/1 400": "missing_properties",
    "PUT /feeds/1/properties 400": "missing_properties",
}  # fmt: skip
READS = {f"GET {path} 415": MEDIA for path in ("/pages", "/pages/1", "/feeds", "/feeds/1")}


@pytest.mark.parametrize("kind", [FORM, MULTIPART, *OTHERS])
def test_json_of_another_content_type_is_refused_with_a_hint(client: Client, kind: str) -> None:
    page, feed = client.page(), client.feed()
    for data in IN_OTHERS if kind in OTHERS else IN_FORMS:
        for line, code in (WRITES | READS if data.startswith('{"') else WRITES).items():
            method, path, status = line.split()
            sent = {"data": data, "environ_overrides": {"CONTENT_TYPE": kind}}
            answer = client.open(path, method=method, **sent)
            assert_error(answer, int(status), code)
            told = answer.get_json()["message"]
            assert "send it with Content-Type: application/json" in told
            assert answer.get_json()["data"]["params"] == {"Content-Type": told}
    assert client.get("/pages", data="context=x", content_type=kind).status_code == 200
    assert client.get("/pages?context=edit").get_json() == [page]
    assert client.get("/feeds").get_json() == [feed]


# What the body of a read says, and the query that says the same.
ASKED: list[tuple[dict[str, Any], str]] = [
    ({"include": [1, 3], "orderby": "include"}, "include=1,3&orderby=include"),
    ({"search": "T2", "context": "embed"}, "search=T2&context=embed"),
    ({"slug": "t3", "_fields": "id"}, "slug=t3&_fields=id"), ({}, ""),
    ({"search": "nothing"}, "search=nothing"),
]  # fmt: skip


LISTS = ("/pages", "/wp-json/wp/v2/pages", "/?rest_route=/wp/v2/pages")


@pytest.mark.parametrize("path", LISTS)
def test_a_list_takes_parameters_from_a_body_and_is_not_cached(client: Client, path: str) -> None:
    for number in range(5):
        client.page(title=f"T{number}")
    answers = [client.get(path, json=sent) for sent, _ in ASKED]
    assert not client.application.blueprints["landform"].cache._cached  # type: ignore[attr-defined]
    for answer, (sent, query) in zip(answers, ASKED, strict=True):
        asked = client.get(f"{path}{'&' if '?' in path else '?'}{query}")
        assert (answer.status_code, answer.get_json()) == (200, asked.get_json())
        for name in ("X-WP-Total", "X-WP-TotalPages", "ETag"):
            assert answer.headers[name] == asked.headers[name]
        assert answer.headers["Cache-Control"] == "no-store"
        assert client.head(path, json=sent).headers["ETag"] == asked.headers["ETag"]
