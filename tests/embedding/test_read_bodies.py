"""Hosts that read the body of a request before landform does: what Werkzeug has parsed is used."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, request
from flask.testing import FlaskClient

from landform.service import Identity, create_blueprint

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
READERS: dict[str, Callable[[], object]] = {
    "form": lambda: request.form.get("csrf"), "values": lambda: request.values.get("csrf"),
    "files": lambda: request.files.get("csrf"), "data": lambda: request.data,
    "get_data": lambda: request.get_data(cache=True),
    "get_data and form": lambda: (request.get_data(), request.form),
    "form and get_data": lambda: (request.form, request.get_data()),
    "get_json": lambda: request.get_json(silent=True),
}  # fmt: skip
MOST = 20_000
FEED = {"form_id": 1, "addon_slug": "a", "meta": {"x": 1}}


def make_host(folder: Path, read: Callable[[], object], *, by_authorizer: bool) -> FlaskClient:
    """Return a client of a host that reads the body before landform, or in its authorizer."""

    def signed_in(http: Any) -> Identity:
        if by_authorizer:
            read()
        return Identity("editor")

    host = Flask("host")
    if not by_authorizer:

        @host.before_request
        def look() -> None:
            read()

    host.register_blueprint(
        create_blueprint(
            f"sqlite:///{folder}/x.db", authorizer=signed_in, site=True, max_body_bytes=MOST,
            wp_json_paths=True,
        ),
        url_prefix="/l",
    )  # fmt: skip
    return host.test_client()


@pytest.fixture(params=[*((name, False) for name in READERS), ("get_data and form", True)])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> FlaskClient:
    """A client of a host in which a reader has read each body before landform."""
    name, by_authorizer = request.param
    return make_host(tmp_path, READERS[name], by_authorizer=by_authorizer)


@pytest.mark.parametrize("content_type", [URLENCODED, MULTIPART])
def test_pages_are_written_by_forms(client: FlaskClient, content_type: str) -> None:
    form = {"title": "Größe & more", "meta[gallery][]": ["a", "b=c"], "content": "+ %41"}
    sent = {"content_type": content_type, "headers": {"Idempotency-Key": "one"}}
    for _ in range(2):
        page = client.post("/l/pages", data=form, **sent)
        assert page.status_code == 201, page.text
    assert page.get_json()["title"]["raw"] == "Größe & more"
    assert page.get_json()["content"]["raw"] == "+ %41"
    assert page.get_json()["meta"]["gallery"] == ["a", "b=c"]
    ignored = client.put("/l/pages/1", data={"foreign": "x"}, content_type=content_type)
    assert ignored.headers["X-Landform-Ignored"] == "foreign"
    trashed = client.delete("/l/pages/1", data={"force": "1"}, content_type=content_type)
    assert trashed.get_json()["deleted"] is True
    page = client.post("/l/pages", json={"title": "A", "password": "süß & +"})
    assert page.status_code == 201
    for password, status in (("other", 403), ("süß & +", 303)):
        opened = client.post("/l/a/", data={"password": password}, content_type=content_type)
        assert opened.status_code == status


def test_pages_and_feeds_are_written_in_json(client: FlaskClient) -> None:
    page = client.post("/l/pages", json={"title": "Größe"})
    assert (page.status_code, page.get_json()["title"]["raw"]) == (201, "Größe")
    assert client.post("/l/feeds", json=FEED).status_code == 201
    assert client.patch("/l/feeds/1", json={"meta": {"x": 2}}).get_json()["meta"] == {"x": 2}


def test_large_bodies_and_wrong_forms_are_refused(client: FlaskClient) -> None:
    large = {"title": "A", "content": "x" * MOST}
    refused: list[tuple[str, Any, int, str]] = [
        *(("/l/pages", {"data": large, "content_type": kind}, 413, "rest_body_too_large")
          for kind in (URLENCODED, MULTIPART)),
        ("/l/pages", {"json": large}, 413, "rest_body_too_large"),
        ("/l/feeds", {"data": {"form_id": "1"}, "content_type": URLENCODED}, 400, "missing_feed"),
        ("/l/feeds", {"data": {"requests": "x"}, "content_type": MULTIPART}, 400, "missing_feed"),
        ("/l/pages", {"data": b"--a\r\n", "content_type": f"{MULTIPART}; boundary=a"}, 400, ""),
        ("/l/pages", {"data": {str(n): "" for n in range(1001)}}, 413, "rest_body_too_large"),
        ("/l/pages", {"data": b"title=A&x=\xff", "content_type": URLENCODED}, 400, ""),
        ("/l/pages", {"data": {"title": "x", "file": (BytesIO(b"y"), "f.py")}}, 400, ""),
    ]  # fmt: skip
    for path, sent, status, code in refused:
        answer = client.post(path, **sent)
        assert (answer.status_code, answer.get_json()["data"]["status"]) == (status, status), path
        assert code in ("", answer.get_json()["code"])
    assert client.get("/l/pages").get_json() == []
