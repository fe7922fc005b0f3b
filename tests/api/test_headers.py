"""Headers: what browsers and caches may do with an answer, and what it tells about the server."""

import itertools
import logging
import traceback
from typing import Any

import pytest
from applications import FEED, Client, service
from conftest import basic
from databases import run_sql
from flask import Flask
from flask.testing import FlaskClient

from landform.service import ApiError, Identity, create_blueprint

EVERY = [
    "GET /pages", "GET /pages/1", "GET /pages/99", "GET /pages?per_page=x", "POST /pages",
    "PUT /pages/1", "DELETE /pages/1", "DELETE /pages", "OPTIONS /pages", "HEAD /pages/1",
    "GET /feeds", "GET /whoami", "GET /", "GET /nowhere", "GET /pages/one", "TRACE /pages",
    "GET /pages?_envelope=1", "GET /nowhere?_envelope=1", "POST /pages?_envelope=1",
    "GET /wp-json/wp/v2/pages", "GET /wp-json", "GET /static/x", "PROPFIND /pages",
]  # fmt: skip
# What deletes comes last.
NOT_STORED = [
    "GET /pages?context=edit", "GET /pages/1?context=edit", "GET /pages/2", "GET /whoami",
    "GET /pages/1?context=edit&_envelope=1", "GET /pages/2?_envelope=1", "GET /nowhere",
    "GET /pages/99", "POST /pages", "PUT /pages/1", "POST /feeds", "PATCH /feeds/1",
    "PUT /feeds/1/properties", "DELETE /pages/1", "DELETE /feeds/1",
]  # fmt: skip
ORIGIN = "https://app.example.com"
HIDDEN = "open-sesame-7"


def ask(client: Client, line: str, **headers: str) -> Any:
    method, path = line.split()
    body = {"POST": {**FEED, "title": "A"}, "PUT": {"title": "A"}, "PATCH": {"feed_order": 1}}
    sent = {"feed_order": 2} if "properties" in path else body.get(method)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.open(path, method=method, json=sent, headers=given)


def access(answer: Any) -> dict[str, str]:
    """Return the headers that let pages of other sites read an answer."""
    return {name: value for name, value in answer.headers if name.startswith("Access-Control")}


def test_every_response_has_nosniff_and_no_cors_headers(client: Client) -> None:
    lines = *EVERY, "GET /healthz", "GET /readyz"
    for line, caller in itertools.product(lines, (client, client.anonymous)):
        answer = ask(caller, line, Origin=ORIGIN, Access_Control_Request_Method="PUT")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Type"] == "application/json"
        assert "Cache-Control" in answer.headers
        assert {"Authorization", "X-API-Key", "X-Page-Password"} <= set(answer.vary)
        assert ("Origin" in answer.vary, access(answer)) == (False, {})


def test_secret_responses_and_writes_have_no_store(client: Client) -> None:
    client.page()
    client.page(password=HIDDEN)
    client.feed()
    for line in NOT_STORED:
        answer = ask(client, line)
        assert answer.headers["Cache-Control"] == "no-store", line
        if line.startswith("GET") and "ETag" in answer.headers:
            unchanged = ask(client, line, If_None_Match="*")
            assert (unchanged.status_code, unchanged.headers["Cache-Control"]) == (304, "no-store")


def test_public_responses_have_no_cache(client: Client) -> None:
    client.page()
    for path in ("/pages", "/pages/1"):
        assert client.anonymous.get(path).headers["Cache-Control"] == "no-cache"
        assert client.get(path).headers["Cache-Control"] == "private, no-cache"
    client.anonymous.set_cookie("a", "b")
    assert client.anonymous.get("/pages").headers["Cache-Control"] == "private, no-cache"


@pytest.mark.settings(CORS_ORIGINS=ORIGIN)
def test_a_listed_origin_may_read_every_response_another_one_none(anonymous: FlaskClient) -> None:
    for line in EVERY:
        answer = ask(anonymous, line, Origin=ORIGIN)
        told = access(answer)
        assert told["Access-Control-Allow-Origin"] == ORIGIN
        exposed = told["Access-Control-Expose-Headers"].split(", ")
        assert {"X-WP-Total", "X-WP-TotalPages", "Link", "ETag", "X-Landform-Ignored"} <= {*exposed}
        assert told["Access-Control-Allow-Credentials"] == "true"
        assert "Origin" in answer.vary
    for line, origin in itertools.product(("GET /pages", "OPTIONS /pages"), OTHERS):
        answer = ask(anonymous, line, Origin=origin, Access_Control_Request_Method="POST")
        assert ("Origin" in answer.vary, access(answer)) == (True, {})


OTHERS = [
    "https://evil.example", "http://app.example.com", f"{ORIGIN}.evil.example", f"{ORIGIN}:8443",
    "null", "", "*", "https://APP.example.com", f"{ORIGIN}/",
]  # fmt: skip


HEADERS = """
    Authorization Content-Type If-Match Idempotency-Key X-API-Key X-Page-Password X-WP-Nonce Prefer
    traceparent tracestate baggage sentry-trace X-Datadog-Trace-Id b3
""".split()


@pytest.mark.settings(CORS_ORIGINS=ORIGIN)
def test_a_preflight_lists_methods_and_all_headers_that_may_be_sent(anonymous: FlaskClient) -> None:
    for path, methods in {
        "/pages": "GET POST", "/wp-json/wp/v2/pages/1": "GET POST PUT PATCH DELETE",
        "/feeds/1/properties": "PUT",
    }.items():  # fmt: skip
        preflight = {"Origin": ORIGIN, "Access_Control_Request_Method": "PUT"}
        answer = ask(anonymous, f"OPTIONS {path}", **preflight)
        assert answer.status_code == 200
        told = access(answer)
        assert {*methods.split()} <= {*told["Access-Control-Allow-Methods"].split(", ")}
        assert {*HEADERS} <= {*told["Access-Control-Allow-Headers"].split(", ")}
        assert int(told["Access-Control-Max-Age"]) > 0


def test_a_response_to_an_identified_caller_is_private(database_url: str) -> None:
    def authorizer(asked: Any) -> Identity | None:
        is_known = asked.cookies.get("session") or "X-User" in asked.headers
        return Identity("ann") if is_known else None

    host = Flask("host")
    landing = create_blueprint(database_url, authorizer=authorizer, site=True)
    host.register_blueprint(landing, url_prefix="/l")
    landing.api.create_page(title="Sale")
    client = host.test_client(use_cookies=False)
    for path, public in (("/l/sale/", "public, max-age=60"), ("/l/pages/1", "no-cache")):
        for _ in range(2):
            assert client.get(path).headers["Cache-Control"] == public
            for sent in ({"Cookie": "session=x"}, {"X-User": "ann"}):
                answer = client.get(path, headers=sent)
                assert answer.headers["Cache-Control"] == "private, no-cache"


ATTEMPTS: list[tuple[str, dict[str, Any]]] = [
    ("GET /pages/1", {"headers": {"X-Page-Password": f"{HIDDEN}x"}}),
    ("GET /pages/1", {"headers": {"X-Page-Password": HIDDEN}}),
    (f"GET /pages/1?password={HIDDEN}x", {}),
    (f"GET /pages?password={HIDDEN}&per_page=1", {}),
    ("GET /feeds", {"headers": basic(f"admin:{HIDDEN}")}),
    ("GET /feeds", {"headers": {"X-API-Key": HIDDEN}}),
    ("GET /feeds", {"headers": {"Authorization": f"Bearer {HIDDEN}"}}),
    ("POST /pages", {"json": {"title": "A", "password": HIDDEN, "status": "x"}}),
    ("PUT /pages/1", {"json": {"password": [HIDDEN]}}),
    ("PUT /pages/1", {"json": {"password": HIDDEN * 100}}),
    ("PUT /pages/1", {"data": f'{{"password": "{HIDDEN}"', "content_type": "application/json"}),
    ("PUT /feeds/1", {"json": {"form_id": 1, "addon_slug": "a", "meta": {"key": HIDDEN}}}),
]  # fmt: skip


def test_no_secret_is_in_a_log_error_or_link(
    client: Client, caplog: pytest.LogCaptureFixture, database_url: str
) -> None:
    for name in ("", "landform", "peewee", "werkzeug", client.application.name):
        caplog.set_level(logging.DEBUG, logger=name or None)
    for number in range(2):
        client.post("/pages", json={"title": f"{number}", "password": HIDDEN})
    told = []
    # Then as it is, and with each request of a page or a feed a 500.
    for old, new in (("slug", "slug"), ("meta", "gone")):
        for table in ("page", "feed") if old != new else ():
            run_sql(database_url, f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
        for line, options in ATTEMPTS:
            method, path = line.split()
            answer = client.open(path, method=method, **options)
            told.append(f"{answer.text} {answer.headers}")
    assert "a 500 at" in caplog.text
    secrets = (HIDDEN, "sesame", basic()["Authorization"].split()[1])
    told += [caplog.text, *(repr(vars(record)) for record in caplog.records)]
    assert [text for text in told for secret in secrets if secret in text] == []
    assert HIDDEN not in repr(client.application.config) + repr(client.application.extensions)


@pytest.mark.sqlite("only SQLite stores a text that is not UTF-8")
def test_an_exception_for_a_damaged_row_hides_its_text(client: Client, database_url: str) -> None:
    page = client.page(password=HIDDEN)
    damaged = f"{HIDDEN.encode().hex()}ff"
    run_sql(database_url, f"UPDATE page SET password = CAST(x'{damaged}' AS TEXT)")
    api = client.application.blueprints["landform"].api.as_caller(Identity("host"))
    with pytest.raises(ApiError) as raised:
        api.get_page(page["id"], context="edit")
    told = "".join(traceback.format_exception(raised.value))
    assert "Could not decode" in told
    assert HIDDEN not in told


@pytest.mark.postgresql
def test_a_row_that_postgresql_refuses_is_not_logged(
    client: Client, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    run_sql(database_url, "ALTER TABLE page ADD CONSTRAINT odd CHECK (author <> 7)")
    try:
        refused = client.post("/pages", json={"title": "A", "author": 7, "password": HIDDEN})
    finally:
        run_sql(database_url, "ALTER TABLE page DROP CONSTRAINT odd")
    assert refused.status_code == 500
    assert "odd" in caplog.text
    assert HIDDEN not in refused.text + caplog.text


SPELT = {
    "HTTPS://Shop.Example": "https://shop.example",
    "https://shop.example:443": "https://shop.example",
    "http://shop.example:080": "http://shop.example",
    "http://shop.example:8080": "http://shop.example:8080",
    "https://BÜCHER.example:443": "https://xn--bcher-kva.example",
    "http://[0:0:0:0:0:0:0:1]:3000": "http://[::1]:3000",
    "https://my_app": "https://my_app",
}


@pytest.mark.settings(CORS_ORIGINS=", ".join(SPELT))
def test_an_origin_is_compared_as_browsers_send_it(client: Client) -> None:
    for origin in SPELT.values():
        headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
        page = client.post("/pages", json={"title": "A"}, headers=headers)
        assert page.status_code == 201, origin
        assert page.headers["Access-Control-Allow-Origin"] == origin


# Requests for pages, feeds and forms in other scripts, the last ones for what was deleted.
SCRIPTS = [
    "GET /", "GET /?page_id=1&naïve=é", "GET /страница", "GET /страница/", "GET /старая/?a=é&日=本",
    "GET /日本/", "GET /wp-json/wp/v2/pages?search=é", "GET /pages?per_page=1&search=страница",
    "GET /pages?слово=1&per_page=1", "GET /events?per_page=1&слово=日本", "GET /feeds?é=1",
    "GET /日本?_envelope=1", "GET /pages?_envelope=1&per_page=1", "GET /console/é", "DELETE /日本",
    "POST /pages", "PUT /pages/1", "POST /pages/1/duplicate", "POST /pages/1/preview",
    "POST /feeds", "PATCH /feeds/1", "DELETE /pages/1",
]  # fmt: skip


@pytest.mark.parametrize("url", [None, "https://пример.рф/é", "http://localhost"])
def test_every_header_is_ascii_whatever_was_asked_for(database_url: str, url: str | None) -> None:
    client = service(database_url, SITE_TITLE="Сайт", **{"PUBLIC_URL": url} if url else {})
    client.page(slug="старая", status="publish", title="<é>", meta={"form_id": "1"})
    client.page(slug="другая", status="publish")
    client.feed(addon_slug="é", meta={"é": "日本"})
    client.put("/pages/1", json={"slug": "страница"})
    kinds, callers = ("text/html", "application/json"), (client, client.anonymous)
    hosts = "localhost", "пример.рф".encode().decode("latin-1")
    for line, caller, kind, host in itertools.product(SCRIPTS, callers, kinds, hosts):
        headers = {"Accept": kind, "Host": host, "X-Request-ID": "é", "Origin": "https://é"}
        body = {"title": "<é>", "content": "<日本>", "slug": "日本", "имя": 1, "meta": {"é": 1}}
        method, path = line.split()
        sent = {} if method == "GET" else {"json": body}
        answer = caller.open(path, method=method, headers=headers, **sent)
        assert answer.status_code < 500, line
        assert f"{answer.headers}".isascii(), (line, answer.headers)
