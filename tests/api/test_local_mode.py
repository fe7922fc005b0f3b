"""Local mode: while there are no credentials, this machine may do everything, and no other."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from conftest import Start, free_port, needs
from flask.testing import FlaskClient

HERE = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8000"}
JSON = {"Content-Type": "application/json"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root can be another user.")
LET_IN = {
    "REMOTE_ADDR": ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"],
    "HTTP_HOST": ["127.0.0.1", "LOCALHOST", "[::1]:8000", "[::1]"],
    "HTTP_ORIGIN": ["http://localhost:3000", "http://[::1]:8000"],
}
KEPT_OUT = {
    "REMOTE_ADDR": ["192.0.2.7", "10.0.0.1", "::ffff:192.0.2.7", "2001:db8::1", "::", "0.0.0.0",
                    "", None, "127.evil.example", "localhost"],
    "HTTP_HOST": ["example.com", "localhost.example.com", "127.0.0.1.nip.io:8000",
                  "192.0.2.7:8000", ""],
    "HTTP_X_FORWARDED_FOR": [""],
    "HTTP_ORIGIN": ["https://evil.example", "http://localhost.evil.example", "null", "http://["],
}  # fmt: skip
# What proxies, networks of sites and tunnels add to the requests that they forward.
OF_PROXIES = """
    Forwarded X-Forwarded X-Forwarded-For X-Forwarded-Proto X-Forwarded-By X-Original-Forwarded-For
    Z-Forwarded-For Via Client-IP ClientIP X-Client-IP X-Real-IP True-Client-IP X-Remote-Addr
    X-Originating-IP X-ProxyUser-IP X-Coming-From Proxy-Connection WL-Proxy-Client-IP X-Original-URL
    X-Envoy-External-Address X-Envoy-Internal X-Varnish X-Request-Start CF-Connecting-IP CF-Ray
    CDN-Loop Fastly-FF Surrogate-Capability Akamai-Origin-Hop X-Iinfo X-Sucuri-ClientIP
    CloudFront-Viewer-Address X-Amz-Cf-Id X-Amzn-Trace-Id X-Azure-SocketIP X-ARR-LOG-ID
    X-WAWS-Unencoded-URL Disguised-Host X-Cloud-Trace-Context X-Appengine-User-IP X-Vercel-Id
    X-NF-Client-Connection-IP Fly-Request-Id Rndr-Id X-Railway-Edge X-Heroku-Queue-Depth
    Tailscale-User-Login Ngrok-Trace-Id X-Gateway-Request-Id X-External-Address
""".split()
pytestmark = pytest.mark.settings(CREDENTIALS="")


@pytest.fixture
def client(anonymous: FlaskClient) -> FlaskClient:
    return anonymous


def test_a_direct_request_from_this_machine_may_do_everything(client: FlaskClient) -> None:
    for name, value in [(name, value) for name, values in LET_IN.items() for value in values]:
        sent = {"environ_overrides": {**HERE, name: value}}
        assert client.post("/pages", json={"title": "A"}, **sent).status_code == 201, value
        assert client.get("/pages/1?context=edit", **sent).status_code == 200
        assert client.get("/whoami", **sent).get_json()["name"] == "local"


def test_a_request_that_may_come_from_a_proxy_is_not_a_direct_one(client: FlaskClient) -> None:
    for header in OF_PROXIES:
        name = "HTTP_" + header.upper().replace("-", "_")
        for value in ("192.0.2.7", ""):
            sent = {**HERE, name: value}
            assert client.get("/whoami", environ_overrides=sent).status_code == 401, header
    assert status(client, HERE) == 200
    assert status(client, HERE | {"HTTP_CONNECTION": "keep-alive"}) == 200
    for name, values in {
        "SERVER_PROTOCOL": ["HTTP/1.0", "HTTP/0.9"], "PROXY_PROTOCOL": ["TCP4"],
        "HTTP_CONNECTION": ["close", "TE, Close", "te,close"],
    }.items():  # fmt: skip
        for value in values:
            answer = client.get("/feeds", environ_overrides={**HERE, name: value})
            assert answer.status_code == 401, value
            assert "proxy" in answer.get_json()["message"]


@pytest.mark.settings(FAILED_ATTEMPTS_PER_MINUTE=3)
def test_others_are_told_how_to_add_a_credential_and_have_not_failed(client: FlaskClient) -> None:
    for name, value in [(name, value) for name, values in KEPT_OUT.items() for value in values]:
        for method, path in (("GET", "/pages"), ("GET", "/feeds"), ("POST", "/pages")):
            sent = {"environ_overrides": {**HERE, name: value}, "data": {"title": "A"}}
            answer = client.open(path, method=method, **sent)
            assert answer.status_code == 401, (name, value)
            assert "landform key create" in answer.get_json()["message"]
    assert client.get("/pages").get_json() == []


def test_a_unix_socket_has_no_address_and_is_kept_out(start_server: Start, tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    start_server("-b", f"unix:{path}", LANDFORM_CREDENTIALS="")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(path)
        client.sendall(b"GET /feeds HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 401 ")


@pytest.mark.settings(CREDENTIALS="a:b", CORS_ORIGINS="https://app.example.com")
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("line", ["POST /pages", "PUT /pages/1", "POST /pages/1?_method=DELETE"])
def test_no_other_site_writes_through_a_browser(client: FlaskClient, site: str, line: str) -> None:
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
    assert send(Sec_Fetch_Site=site, Origin="https://app.example.com") in (200, 201, 410)


@contextmanager
def connected(listening: str, connecting: str) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Lend both ends of a connection, and what a server says of it."""
    kinds = [socket.AF_INET6 if ":" in name else socket.AF_INET for name in (listening, connecting)]
    both = listening == "::"
    with (
        socket.create_server((listening, 0), family=kinds[0], dualstack_ipv6=both) as here,
        socket.socket(kinds[1]) as near,
    ):
        near.connect((connecting, here.getsockname()[1]))
        far, (address, port, *_) = here.accept()
        environ = {"REMOTE_ADDR": address, "REMOTE_PORT": str(port), "SERVER_SOFTWARE": "x"}
        environ |= {"SERVER_PORT": str(here.getsockname()[1]), "HTTP_HOST": "localhost"}
        with far:
            yield near, far, environ


def status(client: FlaskClient, environ: dict[str, Any]) -> int:
    return client.get("/feeds", environ_overrides=environ).status_code


def test_a_client_with_a_socket_of_ours_is_let_in_while_it_is_open(client: FlaskClient) -> None:
    for listening, connecting in (
        ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "::ffff:127.0.0.1"), ("::1", "::1"),
        ("::", "::1"), ("::", "127.1.2.3"), ("::", "::ffff:127.0.0.1"),
    ):  # fmt: skip
        with connected(listening, connecting) as (near, _, environ):
            port = int(environ["REMOTE_PORT"])
            assert status(client, environ) == 200
            for missing in ("REMOTE_PORT", "REMOTE_ADDR"):
                assert status(client, {**environ, missing: None}) == 401
            for wrong in ("", "x", "0", "1", str(-port), str(port + 65536)):
                assert status(client, {**environ, "REMOTE_PORT": wrong}) == 401
                assert status(client, {**environ, "SERVER_PORT": wrong}) == 401
            near.close()
            # The kernel still shows it, as root's.
            assert status(client, environ) == 401


def test_the_user_of_a_client_is_checked_once_for_each_connection(client: FlaskClient) -> None:
    with connected("127.0.0.1", "127.0.0.1") as (near, far, environ), socket.socket() as later:
        assert status(client, {**environ, "gunicorn.socket": far}) == 200
        near.close()
        assert status(client, {**environ, "gunicorn.socket": far}) == 200
        # Another connection with the same port is another client's.
        assert status(client, {**environ, "gunicorn.socket": later}) == 401
        assert status(client, {**environ, "gunicorn.socket": far, "HTTP_VIA": "x"}) == 401


def ask(port: int, headers: dict[str, str], user: int = 0) -> tuple[int, str]:
    """Send a request from a socket of a user's; return the status and the body."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    with closing(connection):
        os.seteuid(user)
        try:
            connection.connect()
        finally:
            os.seteuid(os.getuid())
        connection.request("POST", "/pages", '{"title": "A"}', headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@as_root
def test_a_process_of_another_user_is_kept_out_by_a_real_server(start_server: Start) -> None:
    server = start_server(LANDFORM_CREDENTIALS="", LANDFORM_METRICS="1")
    assert ask(server.port, JSON)[0] == 201
    refused, text = ask(server.port, JSON, user=65534)
    assert (refused, "another user" in text) == (401, True)
    assert ask(server.port, JSON | {"Connection": "close"})[0] == 401


HOP = 'proxy_http_version 1.1; proxy_set_header Connection "";'
PROXIES = {
    "as it comes": ("www-data", ""),
    "in HTTP/1.1": ("www-data", HOP),
    "of our own user": ("root", ""),
    "of our own user with Connection: close": ("root", "proxy_http_version 1.1;"),
}


@as_root
@needs("nginx")
@pytest.mark.parametrize(
    ("kind", "trusted"), [*((kind, "0") for kind in PROXIES), ("in HTTP/1.1", "1")]
)
def test_a_proxy_without_headers_does_not_open_local_mode(
    start_server: Start,
    run: Callable[..., None],
    tmp_path: Path,
    kind: str,
    trusted: str,
) -> None:
    user, more = PROXIES[kind]
    server = start_server(LANDFORM_CREDENTIALS="", LANDFORM_TRUSTED_PROXIES=trusted)
    port, configuration = free_port(), tmp_path / "nginx.conf"
    configuration.write_text(
        f"user {user}; pid {tmp_path}/pid; daemon off; error_log stderr; events {{}} http {{"
        f"access_log off; client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;"
        f"fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u;"
        f"scgi_temp_path {tmp_path}/s;"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {server.url}; {more} }} }} }}"
    )
    run(port, "nginx", "-c", str(configuration))
    refused, text = ask(port, JSON)
    assert (refused, "landform key create" in text) == (401, True)
    assert ask(server.port, JSON)[0] == (201 if trusted == "0" else 401)
