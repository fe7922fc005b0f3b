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
from conftest import ROOT, Server, Start, free_port
from flask import Flask
from flask.testing import FlaskClient
from processes import python
from without_parts import copy_with, landform, run_python

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
    start_server: Start, tmp_path: Path
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
    start_server: Start, run: Callable[..., None]
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


PART = """
import sys
from flask import Flask
from landform.parts.openapi import OpenApi
from landform.parts.redirects import Redirects
from landform.service import Identity, create_blueprint

host, database = Flask("host"), sys.argv[1]
for name, parts in (("landing", [Redirects(), OpenApi()]), ("core", [OpenApi()])):
    guest = create_blueprint(
        database, name=name, parts=parts, site=True, authorizer=lambda request: Identity("host")
    )
    host.register_blueprint(guest, url_prefix=f"/{name}")
client = host.test_client()
client.post("/landing/pages", json={"title": "Fair", "status": "publish"})
for path in ("/old", "/fair", "/größe", "/9"):
    created = client.post("/landing/redirects", json={"path": path, "target": "/landing/fair/"})
    assert created.status_code == 201, created.text
assert client.post("/landing/redirects", json={"path": "/old", "target": "x"}).status_code == 400
assert client.post("/landing/redirects", json={"path": "/old", "target": "/a"}).status_code == 409
for path in ("/landing/old", "/landing/old/", "/landing/old?x=1", "/landing/gr%C3%B6%C3%9Fe/"):
    for method in ("GET", "HEAD"):
        moved = client.open(path, method=method)
        assert (moved.status_code, moved.headers["Location"]) == (301, "/landing/fair/"), path
    assert client.post(path).status_code in (404, 405)
# A page is never hidden by a redirect.
assert client.get("/landing/fair/").status_code == 200
others = ["/landing/other/", "/core/old/", "/core/redirects", "/landing/?page_id=9"]
others += [f"/landing/{slug}/" for slug in ("%ff", "%00", "old%00", "%ed%a0%80", "a" * 5000)]
assert {path: client.get(path).status_code for path in others} == dict.fromkeys(others, 404)
assert "/redirects" in client.get("/landing/openapi.json").json["paths"]
assert "/redirects" not in client.get("/core/openapi.json").json["paths"]
assert client.delete("/landing/redirects/1").status_code == 200
assert client.get("/landing/old/").status_code == 404
assert len(client.get("/landing/redirects").json) == 3
"""


@pytest.mark.servers
def test_the_part_works_when_it_is_copied_to_the_others(tmp_path: Path) -> None:
    copy, url = copy_with(tmp_path, EXAMPLES / "redirects", "Redirects"), f"sqlite:///{tmp_path}/a"
    ended = run_python(copy, "-W", "error", "-c", PART, url)
    assert ended.stdout == ""
    assert landform(copy, url, "verify").stdout == "Nothing is wrong.\n"
    assert "/redirects/<redirect_id>" in landform(copy, url, "routes").stdout
    created = landform(copy, url, "key", "create", "editor", "--scope", "redirects:write")
    assert created.returncode == 0, created.stdout
    # Without the folder again, its rows are not lost unnoticed.
    assert landform(ROOT, url, "verify").returncode == 0
    refused = landform(ROOT, url, "copy", url, f"sqlite:///{tmp_path}/b")
    assert (refused.returncode, "redirects" in refused.stdout) == (1, True)
