"""The examples run as their README says, and do what they promise."""

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from conftest import ROOT, Server, free_port
from flask import Flask
from flask.testing import FlaskClient
from processes import python

EXAMPLES = ROOT / "examples"


def run_example(name: str, *arguments: str) -> str:
    """Run an example as a program, and return what it prints."""
    ended = python("-W", "error", EXAMPLES / name, *arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def create(server: Server, path: str, **body: Any) -> dict[str, Any]:
    status, created = server.call("POST", path, body)
    assert status == 201, created
    return created


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.name)
def test_an_example_is_short_and_in_the_readme(file: Path) -> None:
    assert 30 <= len(file.read_text().splitlines()) <= 80
    assert f"]({file.name})" in (EXAMPLES / "README.md").read_text()


def test_the_readme_names_no_file_that_is_not_there() -> None:
    for name in re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text()):
        assert (EXAMPLES / name).exists(), name


@pytest.fixture
def visitor(database_url: str) -> FlaskClient:
    """A client of the host application."""
    shop = runpy.run_path(str(EXAMPLES / "host.py"))["create_app"](database_url)
    assert isinstance(shop, Flask)
    return shop.test_client()


def sign_in(visitor: FlaskClient, password: str) -> str:
    sent = {"name": "ada", "password": password}
    return visitor.post("/sign-in", data=sent, follow_redirects=True).text


def test_the_host_shows_the_pages_that_its_editors_write(visitor: FlaskClient) -> None:
    assert 'id="offer"' not in visitor.get("/").text
    assert "<main></main>" in visitor.get("/").text
    assert "Signed in as ada" in sign_in(visitor, "change-me")
    for title, status in (("Bicycles & more", "publish"), ("Secret", "draft")):
        body = {"title": title, "content": "Half price.", "status": status}
        # As the form of the page sends it.
        kind = "multipart/form-data"
        assert visitor.post("/landing/pages", data=body, content_type=kind).status_code == 201
    shown = visitor.get("/").text
    assert "<h2>Bicycles &amp; more</h2><p>Half price.</p>\n" in shown
    assert "Secret" not in shown
    assert 'id="offer"' in shown


def test_the_host_keeps_its_own_users_and_errors(visitor: FlaskClient) -> None:
    missing = visitor.get("/offers")
    assert (missing.status_code, missing.text) == (404, "The shop has no page /offers.")
    assert visitor.get("/landing/offers").get_json()["code"] == "rest_no_route"
    assert "Signed in" not in sign_in(visitor, "wrong")
    assert visitor.post("/landing/pages", json={"title": "T"}).status_code == 401
    assert visitor.get("/landing/feeds").status_code == 401


@pytest.mark.servers
def test_the_static_site_has_a_file_for_each_published_page(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server, folder = start_server(), tmp_path / "site"
    for number in range(101):
        create(server, "/pages", title=f"Page {number}", content="A & B")
    create(server, "/pages", title="A draft", status="draft")
    meta = {"language": ['d"e']}
    last = create(server, "/pages", title="<em>Fair</em>", content="C", meta=meta)

    written = run_example("static_site.py", server.url, str(folder)).split()

    assert len(written) == len(list(folder.iterdir())) == 102
    fair = (folder / f"{last['slug']}.html").read_text()
    assert '<html lang="d&quot;e">' in fair
    assert "<p>C</p>" in fair
    assert "<title>Fair</title>" in fair
    assert run_example("static_site.py", server.url, str(folder)) == ""

    server.call("DELETE", f"/pages/{last['id']}")
    assert run_example("static_site.py", server.url, str(folder)).split() == [
        f"{last['slug']}.html"
    ]
    assert len(list(folder.iterdir())) == 101


def test_the_front_end_shows_open_pages_and_previews(
    start_server: Callable[..., Server], run: Callable[..., None]
) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    server = start_server(LANDFORM_SITE="0", LANDFORM_PUBLIC_URL=address)
    opened = create(server, "/pages", title="Fair", content="Words", meta={"form_id": "3"})
    create(server, "/pages", title="Over", meta={"ends_at": "2001-01-01"})
    draft = create(server, "/pages", title="Draft", content="Later", status="draft")
    run(port, sys.executable, EXAMPLES / "front_end.py", server.url, str(port))

    def get(path: str) -> tuple[int, str]:
        try:
            with urlopen(path, timeout=30) as response:
                return response.status, response.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    status, text = get(opened["link"])
    assert (status, "<p>Words</p>" in text) == (200, True), text
    assert 'href="/forms/3"' in text
    assert get(f"{address}/?page_id={opened['id']}")[0] == 200
    for path in ("/over/", "/nowhere", "/", f"/?page_id={draft['id']}", "/?page_id=x"):
        assert get(address + path)[0] == 404, path
    _, made = server.call("POST", f"/pages/{draft['id']}/preview", {})
    status, text = get(made["link"])
    assert (status, "<p>Later</p>" in text) == (200, True)
    server.call("DELETE", f"/pages/{draft['id']}/preview")
    assert get(made["link"])[0] == 404
