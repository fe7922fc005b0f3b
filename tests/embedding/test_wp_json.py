"""What clients of WordPress find below the prefix of a guest, where its host asks for it."""

from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from landform.service import create_blueprint


def guest(tmp_path: Path, prefix: str | None = "/landing", **options: Any) -> FlaskClient:
    host = Flask(__name__)
    blueprint = create_blueprint(f"sqlite:///{tmp_path}/g.db", credentials={"a": "b"}, **options)
    host.register_blueprint(blueprint, url_prefix=prefix)
    host.add_url_rule("/start" if prefix else "/", "start", lambda: "the host")
    return host.test_client()


def test_a_guest_has_none_of_it_unless_it_is_asked_for_and_leaves_the_root_to_its_host(
    tmp_path: Path,
) -> None:
    client = guest(tmp_path)
    for path in ("/landing/", "/landing/wp-json", "/landing/wp-json/wp/v2/types"):
        assert client.get(path).get_json()["code"] == "rest_no_route"
    assert client.get("/").mimetype == "text/html", "the host's own 404"
    client = guest(tmp_path, None, wp_json_paths=True)
    assert client.get("/").text == client.get("/?rest_route=/").text == "the host"
    assert client.get("/wp-json").status_code == 200


def test_a_guest_has_it_below_its_prefix_where_it_is_asked_for(tmp_path: Path) -> None:
    client = guest(tmp_path, wp_json_paths=True)
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
