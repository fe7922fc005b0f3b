"""What clients of WordPress find below the prefix of a guest, where its host asks for it."""

from pathlib import Path

import pytest
from flask import Flask

from landform.service import create_blueprint


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/guest.db"


def test_a_guest_has_none_of_it_unless_it_is_asked_for(database_url: str) -> None:
    host = Flask(__name__)
    host.register_blueprint(create_blueprint(database_url), url_prefix="/landing")
    client = host.test_client()
    for path in ("/landing/", "/landing/wp-json", "/landing/wp-json/wp/v2/types"):
        answer = client.get(path).get_json()
        assert answer["code"] == "rest_no_route"
    assert client.get("/").mimetype == "text/html", "the host's own 404"


def test_a_guest_has_it_below_its_prefix_where_it_is_asked_for(database_url: str) -> None:
    host = Flask(__name__)
    blueprint = create_blueprint(database_url, credentials={"a": "b"}, wp_json_paths=True)
    host.register_blueprint(blueprint, url_prefix="/landing")
    client = host.test_client()
    assert client.get("/").status_code == 404
    link = client.get("/landing/").headers["Link"]
    assert link.startswith("<http://localhost/landing/wp-json/>")
    index = client.get("/landing/wp-json/").get_json()
    self = index["routes"]["/wp/v2/types"]["_links"]["self"]
    assert self == [{"href": "http://localhost/landing/wp-json/wp/v2/types"}]
    assert client.get("/landing/?rest_route=/wp/v2/pages").get_json() == []


def test_a_guest_without_a_prefix_leaves_the_root_to_its_host(database_url: str) -> None:
    host = Flask(__name__)
    host.register_blueprint(create_blueprint(database_url, wp_json_paths=True))
    host.add_url_rule("/", "start", lambda: "the host")
    client = host.test_client()
    assert client.get("/").text == client.get("/?rest_route=/").text == "the host"
    assert client.get("/wp-json").status_code == 200


def test_the_pages_of_a_guest_have_the_fields_of_wordpress_there_only(database_url: str) -> None:
    host = Flask(__name__)
    blueprint = create_blueprint(database_url, credentials={"a": "b"}, wp_json_paths=True)
    host.register_blueprint(blueprint, url_prefix="/landing")
    client = host.test_client()
    client.post("/landing/pages", json={"title": "One"}, auth=("a", "b"))
    (plain,) = client.get("/landing/pages").get_json()
    (typed,) = client.get("/landing/wp-json/wp/v2/pages").get_json()
    assert (typed["type"], {name: typed[name] for name in plain}) == ("page", plain)
    self = "http://localhost/landing/wp-json/wp/v2/pages/1"
    assert typed["_links"]["self"] == [{"href": self}]
    assert client.get(self).headers["Allow"] == "GET, HEAD, OPTIONS"
