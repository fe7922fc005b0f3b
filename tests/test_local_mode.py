"""Local mode: while there are no credentials, this machine may do everything, and no other."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Server
from flask.testing import FlaskClient

from landform.app import create_app

HERE = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8000"}
LET_IN: list[dict[str, Any]] = [
    {},
    {"HTTP_HOST": "127.0.0.1"},
    {"HTTP_HOST": "LOCALHOST"},
    {"HTTP_HOST": "[::1]:8000", "REMOTE_ADDR": "::1"},
    {"HTTP_HOST": "[::1]", "REMOTE_ADDR": "::1"},
    {"REMOTE_ADDR": "127.8.9.10"},
    {"REMOTE_ADDR": "::ffff:127.0.0.1"},
    {"HTTP_ORIGIN": "http://localhost:3000"},
    {"HTTP_ORIGIN": "http://[::1]:8000"},
]
KEPT_OUT: list[dict[str, Any]] = [
    {"REMOTE_ADDR": "192.0.2.7"},
    {"REMOTE_ADDR": "10.0.0.1"},
    {"REMOTE_ADDR": "::ffff:192.0.2.7"},
    {"REMOTE_ADDR": "2001:db8::1"},
    {"REMOTE_ADDR": "::"},
    {"REMOTE_ADDR": "0.0.0.0"},
    {"REMOTE_ADDR": ""},
    {"REMOTE_ADDR": None},
    {"REMOTE_ADDR": "127.evil.example"},
    {"REMOTE_ADDR": "localhost"},
    {"HTTP_HOST": "example.com"},
    {"HTTP_HOST": "localhost.example.com"},
    {"HTTP_HOST": "127.0.0.1.nip.io:8000"},
    {"HTTP_HOST": "192.0.2.7:8000"},
    {"HTTP_HOST": ""},
    {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
    {"HTTP_X_FORWARDED_FOR": ""},
    {"HTTP_FORWARDED": "for=127.0.0.1"},
    {"HTTP_X_FORWARDED_HOST": "localhost"},
    {"HTTP_X_FORWARDED_PROTO": "http"},
    {"HTTP_X_REAL_IP": "127.0.0.1"},
    {"HTTP_VIA": "1.1 proxy"},
    {"HTTP_X_FORWARDED_PORT": "80"},
    {"HTTP_X_CLIENT_IP": "127.0.0.1"},
    {"HTTP_CF_CONNECTING_IP": "127.0.0.1"},
    {"HTTP_ORIGIN": "https://evil.example"},
    {"HTTP_ORIGIN": "http://localhost.evil.example"},
    {"HTTP_ORIGIN": "null"},
    {"HTTP_ORIGIN": "http://["},
]


@pytest.fixture
def client(database_url: str) -> FlaskClient:
    return create_app({"DATABASE_URL": database_url}).test_client()


@pytest.mark.parametrize("environ", LET_IN, ids=repr)
def test_a_direct_request_from_this_machine_may_do_everything(
    client: FlaskClient, environ: dict[str, Any]
) -> None:
    sent = {"environ_overrides": HERE | environ}
    assert client.post("/pages", json={"title": "A"}, **sent).status_code == 201
    assert client.get("/pages/1?context=edit", **sent).status_code == 200
    assert client.get("/whoami", **sent).get_json()["name"] == "local"


@pytest.mark.parametrize("environ", KEPT_OUT, ids=repr)
def test_any_other_request_is_told_how_to_add_a_credential(
    client: FlaskClient, environ: dict[str, Any]
) -> None:
    for method, path in (("GET", "/pages"), ("GET", "/feeds"), ("POST", "/pages")):
        sent = {"environ_overrides": HERE | environ, "data": {"title": "A"}}
        answer = client.open(path, method=method, **sent)
        assert answer.status_code == 401, answer.text
        assert "landform key create" in answer.get_json()["message"]
    assert client.get("/pages").get_json() == []


def test_what_local_mode_refuses_is_no_failed_attempt(client: FlaskClient) -> None:
    for _ in range(30):
        sent = {"environ_overrides": {"HTTP_HOST": "example.com"}}
        assert client.get("/feeds", **sent).status_code == 401


def test_a_unix_socket_has_no_peer_address_and_is_kept_out(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    path = str(tmp_path / "s")
    start_server("-b", f"unix:{path}", LANDFORM_CREDENTIALS="")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(path)
        client.sendall(b"GET /feeds HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("line", ["POST /pages", "PUT /pages/1", "POST /pages/1?_method=DELETE"])
def test_no_page_of_another_site_writes_with_what_a_browser_keeps(
    database_url: str, site: str, line: str
) -> None:
    origin = "https://app.example.com"
    settings = {"DATABASE_URL": database_url, "CREDENTIALS": "a:b", "CORS_ORIGINS": origin}
    client = create_app(settings).test_client()
    method, path = line.split()

    def send(**headers: str) -> int:
        body = {"data": {"title": "A"}, "auth": ("a", "b")}
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.open(path, method=method, headers=sent, **body).status_code

    client.post("/pages", json={"title": "A"}, auth=("a", "b"))
    assert send(Sec_Fetch_Site=site) == 403
    assert send(Sec_Fetch_Site=site, Origin="https://evil.example") == 403
    assert client.get("/pages/1").get_json()["modified"]
    assert client.get("/pages", headers={"Sec-Fetch-Site": site}).status_code == 200
    assert send(Sec_Fetch_Site="same-origin") in (200, 201)
    assert send(Sec_Fetch_Site=site, Origin=origin) in (200, 201, 410)
