"""Failed attempts: counted for each address, in all workers, and never against a right key."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import SECRET, Server, basic
from databases import run_sql
from flask.testing import FlaskClient

from landform.app import create_app
from landform.storage import attempts

WRONG = basic("admin:wrong")
Make = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def early() -> None:
    """Let no minute end in the middle of a test."""
    while time.time() % attempts.SECONDS > attempts.SECONDS - 8:
        time.sleep(0.1)


@pytest.fixture
def few(database_url: str) -> FlaskClient:
    """A client of a service that stands three failures a minute."""
    settings = {"DATABASE_URL": database_url, "CREDENTIALS": "admin:secret"}
    return create_app({**settings, "FAILED_ATTEMPTS_PER_MINUTE": 3}).test_client()


def fail(client: FlaskClient, path: str = "/feeds", address: str = "192.0.2.7") -> int:
    sent = {"environ_overrides": {"REMOTE_ADDR": address}}
    return client.get(path, headers=WRONG, **sent).status_code


def test_beyond_the_limit_wrong_credentials_are_a_429_that_says_when(few: FlaskClient) -> None:
    assert [fail(few) for _ in range(5)] == [401, 401, 401, 429, 429]
    answer = few.get("/feeds", headers=WRONG, environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.get_json()["code"] == "rest_too_many_attempts"


def test_a_right_key_is_never_locked_out(few: FlaskClient) -> None:
    for _ in range(6):
        fail(few, address="127.0.0.1")
        assert few.get("/feeds", headers=basic()).status_code == 200
        assert few.get("/pages").status_code == 200


def test_a_wrong_key_is_counted_even_where_another_parameter_is_wrong(few: FlaskClient) -> None:
    statuses = [fail(few, "/pages?status=draft") for _ in range(4)]
    assert statuses == [401, 401, 401, 429]


def test_addresses_are_counted_apart_and_a_network_of_ipv6_together(few: FlaskClient) -> None:
    for _ in range(4):
        fail(few)
    assert fail(few, address="192.0.2.8") == 401
    together = [fail(few, address=f"2001:db8::{number}") for number in range(1, 5)]
    assert together == [401, 401, 401, 429]
    assert fail(few, address="2001:db8:0:1::1") == 401
    assert fail(few, address="::ffff:192.0.2.7") == 429


def test_an_address_of_any_length_is_counted(database_url: str) -> None:
    settings = {"DATABASE_URL": database_url, "CREDENTIALS": SECRET, "TRUSTED_PROXIES": 1}
    client = create_app({**settings, "FAILED_ATTEMPTS_PER_MINUTE": 2}).test_client()
    sent = {**basic("admin:wrong"), "X-Forwarded-For": "日" * 2000}
    statuses = [client.get("/whoami", headers=sent).status_code for _ in range(3)]
    assert statuses == [401, 401, 429]


def test_a_minute_later_all_is_forgotten(few: FlaskClient, database_url: str) -> None:
    assert [fail(few) for _ in range(4)][-1] == 429
    run_sql(database_url, "UPDATE failed_attempt SET minute = minute - 1")
    assert fail(few) == 401
    assert run_sql(database_url, "SELECT count FROM failed_attempt") == [(1,)]


def test_beyond_the_limit_no_password_of_a_page_is_compared(few: FlaskClient) -> None:
    for name in ("one", "two"):
        page = {"title": name, "content": "Inside", "password": name}
        assert few.post("/pages", json=page, headers=basic()).status_code == 201

    def read(number: int, password: str, **options: Any) -> int:
        header = {"X-Page-Password": password}
        return few.get(f"/pages/{number}", headers=header, **options).status_code

    assert [read(1, "x") for _ in range(4)] == [403, 403, 403, 429]
    assert read(1, "one") == 429
    assert read(2, "two") == 200
    assert read(1, "one", environ_overrides={"REMOTE_ADDR": "192.0.2.9"}) == 200
    assert few.get("/pages/1").status_code == 200
    assert few.get("/feeds", headers=basic()).status_code == 200


def test_workers_count_together(start_server: Callable[..., Server]) -> None:
    server = start_server(LANDFORM_FAILED_ATTEMPTS_PER_MINUTE="5", LANDFORM_WORKERS="3")
    statuses = [server.send("GET", "/feeds", WRONG, None)[0] for _ in range(24)]
    assert statuses == [401] * 5 + [429] * 19
    assert server.call("GET", "/feeds") == (200, [])
