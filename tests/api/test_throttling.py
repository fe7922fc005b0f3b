"""Failed attempts: counted for each address, in all workers, and never against a right key."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from applications import Standing, store_of
from conftest import Start, basic, migrated
from databases import run_sql
from flask import Flask
from flask.testing import FlaskClient
from processes import until

from landform.storage import failed_attempts

pytestmark = pytest.mark.settings(FAILED_ATTEMPTS_PER_MINUTE=3)

WRONG = basic("admin:wrong")


@pytest.fixture
def few(app: Flask) -> FlaskClient:
    """A client of a service that stands three failures a minute, in one that does not end."""
    store_of(app).clock = Standing()
    return app.test_client()


def read(client: FlaskClient, password: str, number: int = 1, **options: Any) -> int:
    """Send the password of a page, and return the status."""
    header = {"X-Page-Password": password}
    return client.get(f"/pages/{number}", headers=header, **options).status_code


@pytest.fixture
def protected(few: FlaskClient) -> None:
    """Two pages, each with its slug for a password."""
    for name in ("one", "two"):
        page = {"title": name, "content": "Inside", "password": name}
        assert few.post("/pages", json=page, headers=basic()).status_code == 201


def fail(client: FlaskClient, path: str = "/feeds", address: str = "192.0.2.7") -> int:
    sent = {"environ_overrides": {"REMOTE_ADDR": address}}
    return client.get(path, headers=WRONG, **sent).status_code


@pytest.mark.parametrize("path", ["/feeds", "/pages?status=draft"])
def test_beyond_the_limit_only_right_credentials_get_in(few: FlaskClient, path: str) -> None:
    for expected in (401, 401, 401, 429, 429):
        assert fail(few, path, address="127.0.0.1") == expected
        assert few.get("/feeds", headers=basic()).status_code == 200
        assert few.get("/pages").status_code == 200
    answer = few.get("/feeds", headers=WRONG)
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.get_json()["code"] == "rest_too_many_attempts"


def test_addresses_are_counted_apart_and_a_network_of_ipv6_together(few: FlaskClient) -> None:
    for _ in range(4):
        fail(few)
    assert fail(few, address="192.0.2.8") == 401
    together = [fail(few, address=f"2001:db8::{number}") for number in range(1, 5)]
    assert together == [401, 401, 401, 429]
    assert fail(few, address="2001:db8:0:1::1") == 401
    assert fail(few, address="::ffff:192.0.2.7") == 429
    # Some proxies add the port, which is another one for each connection.
    assert fail(few, address="192.0.2.7:50123") == 429
    assert fail(few, address="[2001:db8::9]:50123") == 429
    assert fail(few, address="[2001:db8:0:1::2]") == 401


def test_a_minute_later_all_is_forgotten(few: FlaskClient, database_url: str) -> None:
    assert [fail(few) for _ in range(4)][-1] == 429
    run_sql(database_url, "UPDATE failed_attempt SET minute = minute - 1")
    assert fail(few) == 401
    assert run_sql(database_url, "SELECT count FROM failed_attempt") == [(1,)]


@pytest.mark.usefixtures("protected")
def test_beyond_the_limit_no_password_of_a_page_is_compared(few: FlaskClient) -> None:
    def by_slug(password: str) -> int:
        return few.get(f"/pages?slug=one&password={password}").status_code

    tries = [read(few, "x"), by_slug("x"), read(few, "x"), by_slug("x")]
    assert tries == [403, 403, 403, 429]
    assert (read(few, "one"), by_slug("one")) == (429, 429)
    assert read(few, "two", 2) == 200
    assert read(few, "one", environ_overrides={"REMOTE_ADDR": "192.0.2.9"}) == 200
    assert few.get("/pages/1").status_code == 200
    assert few.get("/feeds", headers=basic()).status_code == 200


def test_workers_count_together(start_server: Start) -> None:
    # Without other writers, since counting waits for none.
    limits = {"LANDFORM_FAILED_ATTEMPTS_PER_MINUTE": "5", "LANDFORM_DELIVER": "0"}
    server = start_server(**limits, LANDFORM_WORKERS="3")
    until(lambda: time.time() % failed_attempts.SECONDS < failed_attempts.SECONDS - 8, "No minute.")
    statuses = [server.send("GET", "/feeds", WRONG, None)[0] for _ in range(24)]
    assert statuses == [401] * 5 + [429] * 19
    assert server.call("GET", "/feeds") == (200, [])


@pytest.mark.usefixtures("protected")
def test_the_right_password_of_a_page_is_no_failure(few: FlaskClient) -> None:
    assert [read(few, "one") for _ in range(6)] == [200] * 6
    assert [read(few, password) for password in ("x", "one", "x", "one")] == [403, 200, 403, 200]
    few.put("/pages/1", json={"password": "two"}, headers=basic())
    assert [read(few, password) for password in ("one", "two", "one")] == [403, 429, 429]


@pytest.mark.usefixtures("protected")
def test_simultaneous_guesses_do_not_exceed_the_limit(few: FlaskClient) -> None:
    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda n: read(few.application.test_client(), f"x{n}"), range(64)))
    assert 0 < statuses.count(403) <= 3
    assert set(statuses) <= {403, 429}


def test_failures_count_in_memory_while_another_one_writes(
    few: FlaskClient, database_url: str
) -> None:
    # Another process keeps the lock of writers to itself.
    other = migrated(database_url)
    with other.connection(), other.transaction():
        assert [fail(few) for _ in range(5)] == [401, 401, 401, 429, 429]
        assert fail(few, address="192.0.2.8") == 401
