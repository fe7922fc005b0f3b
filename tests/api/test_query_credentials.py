"""Credentials in the query, as clients of Gravity Forms send them, and OAuth, which is refused."""

import logging
from typing import Any

import pytest
from applications import Client
from conftest import basic
from flask import Flask
from flask.testing import FlaskClient

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


def test_a_header_has_priority_over_credentials_in_the_query(anonymous: FlaskClient) -> None:
    query = "consumer_key=admin&consumer_secret=wrong"
    assert anonymous.get(f"/whoami?{query}", headers=basic()).status_code == 200
    assert anonymous.get(f"/whoami?{QUERY}", headers=basic("admin:wrong")).status_code == 401


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
        for more in (
            "",
            "&consumer%5Fsecret=sesame",
            "&_envelope=1",
            "&context=edit",
            "&per_page=x",
        ):
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


def test_oauth_is_a_401_that_says_what_to_use(anonymous: FlaskClient, database_url: str) -> None:
    for query, headers in (
        ("", {"Authorization": OAUTH}),
        ("?oauth_consumer_key=admin&oauth_signature=x", {}),
    ):
        for path in ("/pages", "/feeds", "/wp-json/gf/v2/feeds"):
            answer = anonymous.get(path + query, headers=headers)
            assert answer.status_code == 401
            assert "Basic over https" in answer.get_json()["message"]
            assert answer.headers["WWW-Authenticate"].startswith("Basic")
