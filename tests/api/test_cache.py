"""Kept answers: never older than an acknowledged write, never somebody else's, never too many."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from threading import Event
from typing import Any

import pytest
from applications import store_of
from conftest import SECRET, Start, basic
from flask import Flask, request
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app

from landform.app import create_app
from landform.service import Identity, create_blueprint
from landform.service.http.cache import CACHE_HIT
from landform.storage import api_keys

READS = [
    "/pages", "/pages?per_page=2&page=2", "/pages?search=word", "/pages?context=edit&status=any",
    "/pages?_fields=id,meta.form_id", "/pages?_envelope=1", "/pages?page=99", "/pages/1",
    "/pages/2", "/pages/3?context=edit", "/pages/2?password=secret", "/pages/2?password=wrong",
    "/pages/99", "/pages?x=1", "/pages/1?x=1&y=2",
    "/feeds", "/forms/1/feeds", "/feeds/1", "/feeds/1?addon=b", "/whoami", "/nowhere",
]  # fmt: skip
SENDERS: list[dict[str, str]] = [
    {}, basic(), basic("admin:wrong"), {"X-API-Key": "secret"}, {"Authorization": "Bearer secret"},
    {"Cookie": "a=b"}, {"Origin": "https://a.example"}, {"Origin": "https://b.example"},
    {"Host": "other.example"}, {"X-Page-Password": "secret"}, {"X-Page-Password": "wrong"},
    {"Prefer": "handling=strict"}, {"Prefer": "handling=lenient"}, {"If-None-Match": "*"},
    {"If-None-Match": '"page1.1.0"', **basic()},
]  # fmt: skip
WRITES: list[tuple[str, str, Any]] = [
    ("POST", "/pages", {"title": "A word", "content": "word"}), ("DELETE", "/pages/1", None),
    ("PATCH", "/pages/1", {"title": "Renamed", "status": "publish", "meta": {"form_id": "7"}}),
    ("PATCH", "/pages/2", {"password": "secret", "content": "hidden word", "status": "publish"}),
    ("PATCH", "/pages/2", {"password": ""}), ("PATCH", "/pages/3", {"status": "private"}),
    ("PATCH", "/pages/3", {"content": "no"}), ("PATCH", "/pages/3", {"status": "nonsense"}),
    ("POST", "/feeds", {"form_id": 1, "addon_slug": "a", "meta": {"k": 2**70}}),
    ("PATCH", "/feeds/1", {"addon_slug": "b"}), ("PATCH", "/feeds/1", {"addon_slug": "a"}),
    ("DELETE", "/feeds/2", None),
]  # fmt: skip
PATHS = ("/pages/{}", "/pages", "/pages/{}?_fields=title", "/pages?per_page=1")


def service(url: str, **given: Any) -> FlaskClient:
    found = {"DATABASE_URL": url, "CREDENTIALS": SECRET}
    origins = {"CORS_ORIGINS": "https://a.example", "FAILED_ATTEMPTS_PER_MINUTE": 10**6}
    return create_app({**found, **origins, **given}).test_client(use_cookies=False)


def test_no_worker_returns_a_response_older_than_an_acknowledged_write(start_server: Start) -> None:
    server = start_server(LANDFORM_WORKERS="3")
    page = server.call("POST", "/pages", {"title": "0"})[1]["id"]
    acknowledged, is_over = 0, Event()

    def read(path: str) -> None:
        while not is_over.is_set():
            # A few requests on each connection: another worker takes the next one.
            connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
            for _ in range(8):
                before = acknowledged
                connection.request("GET", path.format(page))
                body = connection.getresponse().read()
                title = int(body.split(b'"title":{"rendered":"')[1].split(b'"')[0])
                assert title >= before, path
            connection.close()

    with ThreadPoolExecutor(len(PATHS)) as pool:
        readers = [pool.submit(read, path) for path in PATHS]
        try:
            for number in range(1, 401):
                assert server.call("PATCH", f"/pages/{page}", {"title": str(number)})[0] == 200
                acknowledged = number
        finally:
            is_over.set()
        for reader in readers:
            reader.result()


@pytest.fixture(scope="module")
def workers(module_database_url: str) -> list[FlaskClient]:
    """Two services that keep answers, and one on the same database that keeps none."""
    url = module_database_url
    found = [service(url), service(url, CACHE_BYTES=100_000), service(url, CACHE_BYTES=0)]
    for number in range(3):
        found[0].post("/pages", json={"title": f"Page {number}"}, headers=basic())
        feed = {"form_id": 1, "addon_slug": "a", "meta": {"k": number}}
        found[0].post("/feeds", json=feed, headers=basic())
    return found


write = st.tuples(st.integers(0, 1), st.sampled_from(WRITES), st.just([]))
senders = st.lists(st.sampled_from(SENDERS), min_size=2, max_size=8)
read = st.tuples(st.integers(0, 1), st.sampled_from(READS), senders)


@settings(max_examples=25)
@given(st.lists(st.one_of(write, read, read), min_size=5, max_size=20))
def test_a_cached_response_equals_a_new_one(workers: list[FlaskClient], todo: list[Any]) -> None:
    for worker, what, senders in todo:
        if not senders:
            method, path, body = what
            workers[worker].open(path, method=method, json=body, headers=basic())
        for sender in senders:
            asked = [workers[place].get(what, headers=sender) for place in (worker, worker, 2)]
            for one in asked:
                one.headers.remove("X-Request-ID")
            answers = [(one.status, sorted(one.headers.items()), one.data) for one in asked]
            assert answers[0] == answers[1] == answers[2], (what, sender)


def test_a_cached_response_of_local_mode_is_not_sent_to_others(database_url: str) -> None:
    client = service(database_url, CREDENTIALS="")
    assert [is_kept(client, "/feeds", {}) for _ in range(2)] == [False, True]
    far = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}
    for sent in (far, {"headers": {"Via": "1.1 x"}}):
        assert client.get("/feeds", **sent).status_code == 401
    assert client.get("/feeds").status_code == 200


@pytest.fixture
def host(make_database: Callable[[], str]) -> Iterator[FlaskClient]:
    """A host that says itself who calls, and shows two sites under prefixes of their own."""
    host = Flask("host")

    def authorizer(asked: Any) -> Identity | None:
        name = asked.cookies.get("who")
        return Identity(name, scopes=frozenset(asked.cookies["may"].split())) if name else None

    host.before_request(lambda: ("closed", 503) if "closed" in request.args else None)
    for site in ("a", "b"):
        blueprint = create_blueprint(make_database(), name=site, authorizer=authorizer)
        host.register_blueprint(blueprint, url_prefix=f"/{site}")
    return host.test_client(use_cookies=False)


def test_cached_responses_are_apart_for_each_caller_host_and_blueprint(host: FlaskClient) -> None:
    def status(path: str, may: str = "") -> int:
        cookies = {"Cookie": f"who=ann; may={may}"} if may else {}
        return host.get(path, headers=cookies).status_code

    writer = {"Cookie": "who=ann; may=pages:write"}
    assert host.post("/a/pages", json={"title": "Only in a"}, headers=writer).status_code == 201
    for _ in range(3):
        assert [status("/a/feeds", "feeds:read"), status("/a/feeds", "pages:read")] == [200, 403]
        assert [status("/a/feeds"), status("/a/pages/1"), status("/b/pages/1")] == [401, 200, 404]
        assert status("/a/pages/1?closed") == 503
    links = {
        host.get("/a/pages/1", headers={"Host": name}).get_json()["link"] for name in ("x", "y")
    }
    assert links == {"http://x/a/only-in-a/", "http://y/a/only-in-a/"}


def test_the_cache_is_bounded_and_keeps_the_latest_responses(database_url: str) -> None:
    client = service(database_url, CACHE_BYTES=1_000_000)
    client.post("/pages", json={"title": "A", "content": "x" * 20_000}, headers=basic())
    client.post("/pages", json={"title": "B", "content": "x" * 900_000}, headers=basic())
    for number in range(100):
        assert not is_kept(client, f"/pages/1?x={number}", {})
    assert is_kept(client, "/pages/1?x=99", {})
    assert not is_kept(client, "/pages/1?x=1", {})
    assert [is_kept(client, "/pages/2", {}) for _ in range(2)] == [False, False]


def is_kept(client: FlaskClient, path: str, sent: dict[str, str]) -> bool:
    """Return whether the answer came from the cache; afterwards it is in there."""
    here = {"REMOTE_ADDR": "127.0.0.1"}
    environ = EnvironBuilder(path, headers=sent, environ_base=here).get_environ()
    _, status, _ = run_wsgi_app(lambda _, start: client.application(environ, start), environ)
    assert status == "200 OK"
    return CACHE_HIT in environ


def test_a_write_removes_only_cached_responses_that_it_may_change(database_url: str) -> None:
    reader, writer = service(database_url), service(database_url)
    feed = {"form_id": 1, "addon_slug": "a", "meta": {"k": 1}}
    paths: dict[str, dict[str, str]] = {
        "/pages": {}, "/pages/1": basic(), "/feeds": basic(), "/feeds/1": basic(),
    }  # fmt: skip

    def kept() -> list[bool]:
        return [is_kept(reader, path, sent) for path, sent in paths.items()]

    writer.post("/pages", json={"title": "Kept"}, headers=basic())
    writer.post("/feeds", json=feed, headers=basic())
    assert [kept(), kept()] == [[False] * 4, [True] * 4]
    writer.post("/pages", json={"title": "More"}, headers=basic())
    assert kept() == [False, False, True, True]
    writer.post("/feeds", json=feed, headers=basic())
    assert kept() == [True, True, False, False]
    writer.get("/feeds", headers=basic("admin:wrong"))
    assert reader.get("/readyz").status_code == 200
    assert kept() == [True] * 4


def test_a_revoked_key_gets_no_cached_response(database_url: str) -> None:
    client = service(database_url)
    store = store_of(client.application)
    with store.connection():
        # Of the same name as a credential, whose callers no key concerns.
        sent = {"X-API-Key": api_keys.create(store, "admin", ["feeds:read"], 1, None)}
    assert [is_kept(client, "/feeds", sent) for _ in range(2)] == [False, True]
    with store.connection():
        api_keys.create(store, "other", ["feeds:read"], 1, None)
    assert [is_kept(client, "/feeds", sent) for _ in range(2)] == [False, True]
    with store.connection():
        api_keys.revoke(store, "admin")
    assert client.get("/feeds", headers=sent).status_code == 401
