"""Who may do what: credentials in headers or in the query, and passwords of pages."""

import itertools
import logging
import re
from typing import Any

import pytest
from applications import Client
from conftest import basic
from flask import Flask
from flask.testing import FlaskClient
from part_tables import WORDPRESS_ROUTES, tables
from werkzeug.test import TestResponse

from landform.service.auth.credentials import all_scopes

# What strangers may not do: the scope that it wants, the code that says so, and the requests.
OPERATIONS: dict[tuple[str, str], str] = {
    ("pages:read", "rest_forbidden_context"): "GET /pages?context=edit, GET /pages/1?context=edit",
    ("pages:read", "rest_forbidden"): "GET /pages/2, GET /pages/counts, GET /pages/1/preview,"
    " POST /pages/1/preview",
    ("pages:write", "rest_forbidden"): "DELETE /pages/9/preview",
    ("pages:write", "rest_cannot_create"): "POST /pages, POST /pages/1/duplicate",
    ("pages:write", "rest_cannot_edit"): "PUT /pages/1, PATCH /pages/999, POST /pages/1,"
    " POST /pages/preview",
    ("pages:write", "rest_cannot_delete"): "DELETE /pages/1, DELETE /pages/999?force=1,"
    " POST /pages/999?_method=DELETE",
    ("feeds:read", "rest_forbidden"): "GET /feeds, GET /feeds/1, GET /feeds/999?include=1,"
    " GET /forms/1/feeds, POST /forms/1/feeds/plan",
    ("feeds:write", "rest_forbidden"): "POST /feeds, POST /forms/1/feeds, PUT /feeds/1,"
    " PATCH /feeds/999, PUT /feeds/999/properties, DELETE /feeds/1, POST /feeds/1/duplicate,"
    " PUT /forms/1/feeds/order",
    ("events:read", "rest_forbidden"): "GET /events",
}  # fmt: skip
GROUPS: dict[tuple[str, str], list[str]] = {}
for table in (OPERATIONS, *tables("OPERATIONS")):
    for wanted, lines in table.items():
        GROUPS.setdefault(wanted, []).extend(lines.split(", "))
ASKED = [line for lines in GROUPS.values() for line in lines]
PUBLIC = [
    *("GET /pages", "GET /pages?context=embed", "GET /pages/1", "GET /pages/999"),
    *(request for requests in tables("PUBLIC") for request in requests),
]
# The same, also with wrong credentials.
DISCOVERY = [request for requests in tables("DISCOVERY") for request in requests]
# What anybody may do who has credentials.
ANY_SCOPE = [
    "GET /whoami",
    *(request for requests in tables("ANY_SCOPE") for request in requests),
]
# Before the paths of the same operations for clients of WordPress and Gravity Forms.
BASES = ("", "/wp-json", "/wp-json/wp/v2", "/wp-json/gf/v2")
JSON = "application/json"


def ask(client: Client, request: str, **kw: Any) -> TestResponse:
    method, path = request.split()
    return client.open(path, method=method, **kw)


@pytest.fixture
def filled(client: Client) -> None:
    """A published page, a private one, and a feed."""
    client.page(content="Public")
    client.page(status="private")
    client.feed()


# Bodies that strangers may send, and their types; a read has none.
SENT = [
    (b"", None), (b"{", JSON), (b'{"title": 5}', JSON), (b"\xff", "multipart/form-data"),
    (b"x" * 5_000_000, JSON),
]  # fmt: skip


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("wanted", "lines"), GROUPS.items())
def test_anonymous_callers_are_challenged_whatever_they_send(
    client: Client, wanted: tuple[str, str], lines: list[str]
) -> None:
    before = [client.get(path).get_json() for path in ("/pages?status=any", "/feeds")]
    for line in lines:
        for body, kind in SENT[:1] if line.startswith("GET") else SENT:
            answer = ask(client.anonymous, line, data=body, content_type=kind)
            assert (answer.status_code, answer.get_json()["code"]) == (401, wanted[1]), line
            assert answer.get_json()["data"] == {"status": 401}
            assert answer.headers["WWW-Authenticate"].startswith('Basic realm="landform", charset')
    assert before == [client.get(path).get_json() for path in ("/pages?status=any", "/feeds")]


def test_these_tables_have_every_operation_once() -> None:
    requests = [one.partition("?")[0] for one in (*ASKED, *ANY_SCOPE, *PUBLIC, *DISCOVERY)]
    operations = [
        re.sub(r"<\w+>", r"[\\w.]+", f"{method} {route.path}")
        for route in WORDPRESS_ROUTES
        for method in route.operations
    ]
    assert len(operations) > 25
    assert [one for one in operations if not any(re.fullmatch(one, r) for r in requests)] == []
    assert [r for r in requests if not any(re.fullmatch(one, r) for one in operations)] == []


# A scope, none for who has any, or None for strangers too; and what may be done with it.
BY_SCOPE: list[tuple[str | None, list[str]]] = [
    *((scope, lines) for (scope, _), lines in GROUPS.items()),
    ("", ANY_SCOPE), (None, [*PUBLIC, *DISCOVERY]),
]  # fmt: skip


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("needed", "lines"), BY_SCOPE)
def test_an_operation_wants_one_scope(client: Client, needed: str | None, lines: list[str]) -> None:
    callers = [frozenset({needed or "events:read"}), all_scopes() - {needed}]
    keys = {scopes: client.key(f"key{len(scopes)}", *scopes) for scopes in callers}
    for line, base in itertools.product(lines, BASES):
        request = line.replace(" ", f" {base}")
        response = ask(client.anonymous, request, json={})
        if response.status_code == 404 and response.get_json()["code"] == "rest_no_route":
            assert base
            continue
        assert (response.status_code == 401) == (needed is not None), request
        for scopes, key in keys.items():
            response = ask(client.anonymous, request, json={}, headers=key)
            assert response.status_code != 401
            is_refused = bool(needed) and needed not in scopes
            assert (response.status_code == 403) == is_refused, (request, scopes)
            assert not is_refused or str(needed) in response.get_json()["message"]


PAIRS = ["admin:wrong", "admin:", ":secret", "Admin:secret", "", ":", "admin", "admin:secret "]
WRONG = [
    *(basic(pair)["Authorization"] for pair in PAIRS),
    *("", "Basic", "Basic ", "Basic !", "Basic YQ", "Bearer", "admin:secret"),
    *("Digest username=admin", "Basic /////w==", "Negotiate YWRtaW46c2VjcmV0", "Basic \x7f"),
    *("Basic é", "Basic YWRtaW46c2VjcmV0\xa0", "Bäsic YWRtaW46c2VjcmV0"),
]


@pytest.mark.usefixtures("filled")
def test_wrong_credentials_are_one_401_everywhere(anonymous: FlaskClient) -> None:
    everywhere = [(request_, WRONG[0]) for request_ in (*PUBLIC, *ASKED)]
    for request_, header in (*everywhere, *itertools.product([*PUBLIC[:1], "GET /feeds"], WRONG)):
        answer = ask(anonymous, request_, headers={"Authorization": header})
        assert answer.status_code == 401, (request_, header)
        assert "WWW-Authenticate" in answer.headers
        assert answer.get_json()["message"] == "The credentials are not valid."


SEVERAL = ["a:b", "bob:p:w:d ", "é:ünï✓", "c: d ", "e:" + "x" * 2000]


@pytest.mark.settings(CREDENTIALS=",".join(SEVERAL))
def test_each_of_several_credentials_has_every_right(anonymous: FlaskClient) -> None:
    for credential in SEVERAL:
        name, _, secret = credential.partition(":")
        right = basic(f"{name}:{secret.strip()}")
        answer = anonymous.post("/pages", json={"title": "x"}, headers=right)
        assert (answer.status_code, answer.get_json()["author"]) == (201, 1)
        for wrong in ("a:p:w:d", "bob:b", "bob:p", f"{name}:{secret.strip()}x"):
            assert anonymous.get("/feeds", headers=basic(wrong)).status_code == 401


# A password in the query and one in the header, and the status of the response.
PASSWORDS = [
    ("", "sesame", 200), ("sesame", "sesame", 200), ("sesame", "", 200), ("", "Sesame", 403),
    ("wrong", "sesame", 200), ("sesame", "wrong", 403), (" sesame", "", 403),
    ("sesame\u0301", "", 403),
]  # fmt: skip


def test_a_password_in_the_header_has_priority_over_the_query(client: Client) -> None:
    path = f"/pages/{client.page(password='sesame', content='Hidden')['id']}"
    for query, header, status in PASSWORDS:
        headers = {"X-Page-Password": header} if header else {}
        answer = client.anonymous.get(path, query_string={"password": query}, headers=headers)
        assert (answer.status_code, "Hidden" in answer.text) == (status, status == 200)
        assert status == 200 or answer.get_json()["code"] == "rest_post_incorrect_password"


@pytest.mark.parametrize("password", ["pässwörd", "a b,c;=&%", "x" * 255])
def test_any_password_unlocks_as_query_and_as_utf8_header(client: Client, password: str) -> None:
    path = f"/pages/{client.page(password=password, content='Hidden')['id']}"
    assert "Hidden" in client.anonymous.get(path, query_string={"password": password}).text
    for sent in (password.encode().decode("latin-1"), password):
        header = {"HTTP_X_PAGE_PASSWORD": sent}
        assert "Hidden" in client.anonymous.get(path, environ_overrides=header).text


# Credentials in the query, as clients of Gravity Forms send them, and OAuth.
HERE = {"base_url": "http://localhost"}
SECURE = {"base_url": "https://example.com", "environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
PLAIN = {"base_url": "http://example.com", "environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
FORWARDED = {**HERE, "headers": {"X-Forwarded-For": "192.0.2.7"}}
QUERY = "consumer_key=admin&consumer_secret=secret"
MORE = ("&_envelope=1", "&context=edit", "&per_page=x")
OAUTH = 'OAuth oauth_consumer_key="admin", oauth_signature="x"'


@pytest.mark.parametrize("way", [HERE, SECURE], ids=["loopback", "https"])
def test_a_name_and_a_secret_in_the_query_are_credentials(client: Client, way: Any) -> None:
    assert client.anonymous.get(f"/whoami?{QUERY}", **way).get_json()["name"] == "admin"
    created = client.anonymous.post(f"/pages?{QUERY}", json={"title": "A"}, **way)
    assert created.status_code == 201
    [secret] = client.key("reader", "pages:read").values()
    for name in ("reader", 1):
        query = f"consumer_key={name}&consumer_secret={secret}"
        caller = client.anonymous.get(f"/whoami?{query}", **way).get_json()
        assert caller["scopes"] == ["pages:read"]


@pytest.mark.parametrize("way", [PLAIN, FORWARDED], ids=["elsewhere", "forwarded"])
@pytest.mark.settings(FAILED_ATTEMPTS_PER_MINUTE=3)
def test_credentials_in_a_query_are_refused_over_http(anonymous: FlaskClient, way: Any) -> None:
    for number in range(5):
        answer = anonymous.get(f"/pages?{QUERY}&x={number}", **way)
        assert answer.status_code == 401, "no guess, so none is counted"
        assert "https" in answer.get_json()["message"]


@pytest.mark.parametrize(
    "query",
    [
        "consumer_key=admin&consumer_secret=x", "consumer_key=x&consumer_secret=secret",
        "consumer_key=admin", "consumer_secret=secret", "consumer_key=admin&consumer_secret=",
        "consumer_key=admin&consumer_secret=\xff",
    ],
)  # fmt: skip
@pytest.mark.settings(FAILED_ATTEMPTS_PER_MINUTE=3)
def test_wrong_credentials_in_a_query_are_counted(anonymous: FlaskClient, query: str) -> None:
    # As a server brings it: the bytes that came, UTF-8 or not.
    answers = [anonymous.get("/feeds", environ_overrides={"QUERY_STRING": query}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    assert "not valid" in answers[0].get_json()["message"]


def test_a_header_has_priority_over_the_query_and_oauth_is_a_401(anonymous: FlaskClient) -> None:
    query = "consumer_key=admin&consumer_secret=wrong"
    assert anonymous.get(f"/whoami?{query}", headers=basic()).status_code == 200
    assert anonymous.get(f"/whoami?{QUERY}", headers=basic("admin:wrong")).status_code == 401
    signed = "?oauth_consumer_key=admin&oauth_signature=x"
    for query, headers in (("", {"Authorization": OAUTH}), (signed, {})):
        for path in ("/pages", "/feeds", "/wp-json/gf/v2/feeds"):
            answer = anonymous.get(path + query, headers=headers)
            assert answer.status_code == 401
            assert "Basic over https" in answer.get_json()["message"]
            assert answer.headers["WWW-Authenticate"].startswith("Basic")


@pytest.mark.parametrize("path", ["/pages", "/wp-json/wp/v2/pages", "/?rest_route=/wp/v2/pages"])
def test_credentials_in_the_query_are_in_no_link_log_or_cache(
    app: Flask, anonymous: FlaskClient, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    for name in ("landform", "werkzeug", app.name):
        caplog.set_level(logging.DEBUG, logger=name)
    for title in ("A", "B"):
        anonymous.post("/pages", json={"title": title}, headers=basic())
    query = QUERY.replace("secret=secret", "secret=sesame")
    for sent in (QUERY, query):
        for more in ("", "&consumer%5Fsecret=sesame", *MORE):
            url = f"{path}{'&' if '?' in path else '?'}per_page=1&{sent}{more}"
            answer = anonymous.get(url)
            assert answer.headers["Cache-Control"] == "no-store"
            for shown in (answer.text, str(answer.headers), caplog.text):
                assert "consumer_" not in shown
                assert "sesame" not in shown
    cache = app.blueprints["landform"].cache  # type: ignore[attr-defined]
    assert not any("consumer" in repr(key) for key in cache._cached)
    first = anonymous.get(f"/pages?per_page=1&{QUERY}&search=%20&oauth_nonce=1")
    assert first.headers["Link"].count("oauth") == 0
    assert first.headers["Link"].count("per_page=1") == 1
