"""What clients of WordPress find below the prefix of a guest, where its host asks for it."""

from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from landform.service import create_blueprint


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/guest.db"


def guest(database_url: str, prefix: str | None = "/landing", **options: Any) -> Flask:
    host = Flask(__name__)
    blueprint = create_blueprint(database_url, credentials={"a": "b"}, **options)
    host.register_blueprint(blueprint, url_prefix=prefix)
    host.add_url_rule("/start" if prefix else "/", "start", lambda: "the host")
    return host


def test_a_guest_has_none_of_it_unless_it_is_asked_for(database_url: str) -> None:
    client = guest(database_url).test_client()
    for path in ("/landing/", "/landing/wp-json", "/landing/wp-json/wp/v2/types"):
        assert client.get(path).get_json()["code"] == "rest_no_route"
    assert client.get("/").mimetype == "text/html", "the host's own 404"


def test_a_guest_has_it_below_its_prefix_where_it_is_asked_for(database_url: str) -> None:
    client = guest(database_url, wp_json_paths=True).test_client()
    assert client.get("/").status_code == 404
    link = client.get("/landing/").headers["Link"]
    assert link.startswith("<http://localhost/landing/wp-json/>")
    index = client.get("/landing/wp-json/").get_json()
    types = index["routes"]["/wp/v2/types"]["_links"]["self"]
    assert types == [{"href": "http://localhost/landing/wp-json/wp/v2/types"}]
    client.post("/landing/pages", json={"title": "One"}, auth=("a", "b"))
    (plain,) = client.get("/landing/pages").get_json()
    for path in ("/landing/wp-json/wp/v2/pages", "/landing/?rest_route=/wp/v2/pages"):
        (typed,) = client.get(path).get_json()
        assert (typed["type"], {name: typed[name] for name in plain}) == ("page", plain)
    page = "http://localhost/landing/wp-json/wp/v2/pages/1"
    assert typed["_links"]["self"] == [{"href": page}]
    assert client.get(page).headers["Allow"] == "GET, HEAD, OPTIONS"


def test_a_guest_without_a_prefix_leaves_the_root_to_its_host(database_url: str) -> None:
    client = guest(database_url, None, wp_json_paths=True).test_client()
    assert client.get("/").text == client.get("/?rest_route=/").text == "the host"
    assert client.get("/wp-json").status_code == 200
