"""A shared cache in front of the site keeps what is public, and never anything else."""

import os
import re
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Server, basic, free_port, needs

pytestmark = pytest.mark.servers

DOCS = (ROOT / "docs/site.md").read_text()
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{ }}
http {{
    access_log off;
    proxy_cache_path {folder}/cache keys_zone=site:1m;
    {scratch}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{upstream};
            proxy_set_header Host $http_host;
            proxy_cache site;
            # It revalidates what it has, and serves requests with cookies from the cache too.
            proxy_cache_revalidate on;
            add_header X-Cache $upstream_cache_status always;
        }}
    }}
}}
"""


@pytest.fixture
def cached(
    start_server: Callable[..., Server], run: Callable[..., None], tmp_path: Path
) -> tuple[Server, Callable[..., Any]]:
    """A service with nginx in front, and a function that asks that."""
    server, port, folder = start_server(), free_port(), tmp_path / "nginx"
    folder.mkdir()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    text = CONFIGURATION.format(
        folder=folder, port=port, upstream=server.port,
        user="user root;" if os.getuid() == 0 else "",
        scratch=" ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds),
    )  # fmt: skip
    (folder / "nginx.conf").write_text(text)
    run(port, "nginx", "-p", folder, "-c", folder / "nginx.conf")
    front = Server(tmp_path)
    front.url = f"http://127.0.0.1:{port}"

    def ask(path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Any:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        status, found, data = front.send(method, path, sent, body)
        return status, dict(found), data.decode()

    return server, ask


@needs("nginx")
def test_a_shared_cache_holds_what_is_public_and_nothing_else(
    cached: tuple[Server, Callable[..., Any]], tmp_path: Path
) -> None:
    server, ask = cached
    bodies = [
        {"title": "Open", "content": "Public words."},
        {"title": "Locked", "content": "Secret words 1.", "password": "sesame"},
        {"title": "Private", "content": "Secret words 2.", "status": "private"},
        {"title": "Draft", "content": "Secret words 3.", "status": "draft"},
        {"title": "Over", "content": "Secret words 4.", "meta": {"ends_at": "2001-01-01"}},
    ]
    made = [server.call("POST", "/pages", body)[1] for body in bodies]
    _, preview = server.call("POST", f"/pages/{made[3]['id']}/preview", {})
    token, cookie = preview["token"], _cookie(server)
    secret = [
        ("/locked/", {"Cookie": cookie}, "Secret words 1."),
        ("/private/", basic(), "Secret words 2."),
        (f"/?page_id={made[3]['id']}", basic(), "Secret words 3."),
        (f"/?page_id={made[3]['id']}&preview={token}", {}, "Secret words 3."),
        (f"/pages/{made[3]['id']}?preview={token}", {}, "Secret words 3."),
        (f"/?page_id={made[4]['id']}", basic(), "Secret words 4."),
        ("/pages/2", {"X-Page-Password": "sesame"}, "Secret words 1."),
    ]
    for _ in range(3):
        for path, headers, words in secret:
            status, found, text = ask(path, **{n.replace("-", "_"): v for n, v in headers.items()})
            assert (status, words in text) == (200, True), path
            assert found["X-Cache"] in ("MISS", "BYPASS"), path
        for path, expected in (("/locked/", 200), ("/private/", 404), ("/over/", 410)):
            status, found, text = ask(path)
            assert (status, "Secret words" in text) == (expected, False)
            assert found["X-Cache"] == "MISS", path
    seen = [ask("/open/")[1]["X-Cache"] for _ in range(3)]
    assert seen == ["MISS", "HIT", "HIT"]
    assert ask("/open/", Cookie=cookie)[1]["X-Cache"] == "HIT"
    assert ask("/open/", **basic())[1]["X-Cache"] == "MISS"
    files = (tmp_path / "nginx" / "cache").rglob("*")
    kept = [file.read_bytes() for file in files if file.is_file()]
    assert len(kept) == 1
    assert b"Public words." in kept[0]


def _cookie(server: Server) -> str:
    """Enter the password of the locked page, and return the cookie that it set."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", "/locked/", b"password=sesame", FORM)
    response = connection.getresponse()
    response.read()
    connection.close()
    assert response.status == 303
    return str(response.getheader("Set-Cookie")).partition(";")[0]


def test_the_template_in_the_docs_works(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    [template] = re.findall(r"```jinja\n(.*?)```", DOCS, re.S)
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "page.html").write_text(template)
    server = start_server(LANDFORM_TEMPLATES=str(folder))
    server.call("POST", "/pages", {"title": "Fair", "content": "C", "meta": {"form_id": "3"}})
    _, _, body = server.send("GET", "/fair/", {}, None)
    assert b'action="/submit/3"' in body
    assert b"<h1>Fair</h1>" in body
