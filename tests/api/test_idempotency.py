"""`Idempotency-Key`: a create that is sent again happens once, wherever it arrives."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from applications import host_of, store_of
from conftest import Server, Start, basic
from databases import run_sql
from flask.testing import FlaskClient

from landform.app import create_app
from landform.storage import Clock, api_keys

FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"rate": 1.5, "big": 2**70}}
CREATES = {"/pages": {"title": "A"}, "/feeds": FEED, "/forms/3/feeds": FEED}
KEY = {"Idempotency-Key": "one"}
each_create = pytest.mark.parametrize(("path", "body"), CREATES.items())


def counted(client: FlaskClient) -> tuple[int, int]:
    pages = client.get("/pages").headers["X-WP-Total"]
    return int(pages), len(client.get("/feeds").get_json())


def test_an_idempotency_key_belongs_to_one_caller_and_operation(database_url: str) -> None:
    app = create_app({"DATABASE_URL": database_url, "CREDENTIALS": "a:x,b:y"})
    with store_of(app).connection():
        # Of the same name as a credential.
        secret = api_keys.create(store_of(app), "a", ["feeds:write"], 1, None)
    sent = [
        app.test_client().post(path, json=FEED, headers={**KEY, **who})
        for who in (basic("a:x"), basic("b:y"), {"X-API-Key": secret}) * 2
        for path in ("/feeds", "/forms/3/feeds")
    ]
    assert [answer.get_json()["id"] for answer in sent] == [*range(1, 7)] * 2


@each_create
def test_a_failed_create_frees_a_key(client: FlaskClient, path: str, body: dict[str, Any]) -> None:
    for _ in range(2):
        for wrong in ({}, {**body, "title": 5, "meta": 5}):
            assert client.post(path, json=wrong, headers=KEY).status_code == 400
        assert client.post(path, json=body, headers=KEY).status_code == 201


@each_create
def test_a_stored_response_is_deleted_after_a_day(
    client: FlaskClient, path: str, body: dict[str, Any], database_url: str
) -> None:
    first = client.post(path, json=body, headers=KEY)
    for age, same in ((23.9, True), (24.1, False)):
        past = Clock().moment(datetime.now(UTC) - timedelta(hours=age)).utc
        run_sql(database_url, f"UPDATE kept_answer SET created = '{past}'")
        assert (client.post(path, json=body, headers=KEY).data == first.data) is same


@pytest.mark.parametrize("key", ["", "k" * 256, "a\tb", "a\x7fb", "\x80"])
def test_a_bad_key_is_named(client: FlaskClient, key: str) -> None:
    for path, body in CREATES.items():
        refused = client.post(path, json=body, headers={"Idempotency-Key": key})
        assert refused.status_code == 400
        assert list(refused.get_json()["data"]["params"]) == ["Idempotency-Key"]
    assert sum(counted(client)) == 0


def send(server: Server, key: str) -> tuple[int, str, Any]:
    headers = {**basic(), "Content-Type": "application/json", "Idempotency-Key": key}
    status, sent, body = server.send("POST", "/pages", headers, b'{"title": "A"}')
    return status, dict(sent)["Location"], json.loads(body)


def test_simultaneous_creates_with_one_key_create_one_page(start_server: Start) -> None:
    server = start_server(LANDFORM_WORKERS="4")
    kept = {}
    with ThreadPoolExecutor(8) as pool:
        for number in range(10):
            answers = list(pool.map(lambda _, key=f"k{number}": send(server, key), range(8)))
            assert all(answer == answers[0] for answer in answers)
            kept[f"k{number}"] = answers[0]
    server.stop()
    server.start()
    assert {key: send(server, key) for key in kept} == kept
    assert len({page["id"] for _, _, page in kept.values()}) == 10
    assert len(server.call("GET", "/pages?per_page=100")[1]) == 10


ROUTES = {
    "page": ["/pages", "/pages/", "/wp-json/wp/v2/pages", "/pages?_method=POST&x=1"],
    "feed": ["/feeds", "/wp-json/gf/v2/feeds", "/feeds/?x=1"],
    "feed of a form": ["/forms/3/feeds", "/forms/003/feeds/", "/wp-json/gf/v2/forms/3/feeds"],
}


@pytest.mark.parametrize("operation", ROUTES)
def test_a_create_may_be_repeated_by_any_route_to_the_same_operation(
    client: FlaskClient, database_url: str, operation: str
) -> None:
    body = {"title": "Once"} if operation == "page" else FEED
    host = host_of(database_url, "/a/guest", name="guest", credentials={"admin": "secret"})
    routes = [(client, path) for path in ROUTES[operation]]
    routes.append((host.test_client(), f"/a/guest{ROUTES[operation][0]}"))
    answers = [
        sender.post(path, json=body, headers={**KEY, **basic()})
        for sender, path in (*routes, *reversed(routes))
    ]
    assert {(answer.status_code, answer.get_json()["id"]) for answer in answers} == {(201, 1)}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    first, again = answers[0], answers[-1]
    assert first.data == again.data
    for name in ("ETag", "Content-Type", "Cache-Control"):
        assert first.headers[name] == again.headers[name]
    assert sum(counted(client)) == 1
    for sender, path in routes:
        other = sender.post(path, json={**body, "x": 1}, headers={**KEY, **basic()})
        assert other.status_code == 422
        assert other.get_json()["code"] == "rest_idempotency_key_reused"


def parts(boundary: str, fields: dict[str, str]) -> tuple[bytes, str]:
    """Return a form in parts, and its type."""
    named = (f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
             for name, value in fields.items())  # fmt: skip
    kind = f'multipart/form-data; boundary="{boundary}"'
    return f"{''.join(named)}--{boundary}--\r\n".encode(), kind


FIELDS = {"title": "Größe", "meta[form_id]": "7"}
WRITTEN = {
    "form": [
        parts("one", FIELDS), parts("another-one", FIELDS),
        (b"title=Gr%C3%B6%C3%9Fe&meta[form_id]=7", "application/x-www-form-urlencoded"),
        (b"meta%5Bform_id%5D=7&title=Gr%c3%b6%c3%9fe", "Application/X-WWW-Form-Urlencoded;a=b"),
    ],
    "JSON": [
        ('{"title":"Größe","meta":{"form_id":"7"}}'.encode(), "application/json"),
        (b' { "meta" : {"form_id":"7"},\n"title":"Gr\\u00f6\\u00dfe" } ',
         "Application/JSON; charset=UTF-8"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_the_same_fields_written_in_another_way_are_the_same_request(
    client: FlaskClient, written: list[tuple[bytes, str]]
) -> None:
    sent = [client.post("/pages", data=body, content_type=of, headers=KEY) for body, of in written]
    assert {(answer.status_code, answer.data) for answer in sent} == {(201, sent[0].data)}
    assert sum(counted(client)) == 1
    body, kind = parts("one", {**FIELDS, "meta[form_id]": "8"})
    answer = client.post("/pages", data=body, content_type=kind, headers=KEY)
    assert answer.status_code == 422
