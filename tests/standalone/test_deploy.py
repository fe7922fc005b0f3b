"""What `deploy/` holds, checked as far as a machine can: by the programs that read it."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import ROOT, Server, basic, free_port, needs

pytestmark = pytest.mark.servers

DEPLOY = ROOT / "deploy"
LANDFORM = Path(sys.executable).parent / "landform"
SOCKET = "/run/landform.sock"
SETTINGS = {"LANDFORM_CREDENTIALS": "admin:secret", "LANDFORM_WORKERS": "1"}


def check(*command: str | Path) -> str:
    """Run a command that has to succeed without a complaint, and return what it says."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def test_the_image_copies_the_package_and_runs_without_root() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    copied = set(re.findall(r"[\w.]+", " ".join(re.findall(r"^COPY (?!--)(.*)", text, re.M))))
    modules = {path.name for path in ROOT.glob("*.py")}
    assert (
        modules | {"parts", "service", "schemas", "standalone", "storage", "pyproject.toml"}
        <= copied
    )
    assert re.search(r"^USER [1-9][0-9]*$", text, re.M)
    assert all(form.startswith("[") for form in re.findall(r"^(?:ENTRYPOINT|CMD) (.*)", text, re.M))


def test_the_health_check_of_the_image_tells_well_from_ill(
    start_server: Callable[..., Server],
) -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    (form,) = re.findall(r"^ +CMD (\[.*\])", text, re.M)
    program, *arguments = ast.literal_eval(form)
    assert program == "python"
    assert "127.0.0.1:8000/healthz" in arguments[-1]
    server = start_server()
    for address, code in (("/openapi.json", 0), ("/nowhere", 1)):
        here = arguments[-1].replace("http://127.0.0.1:8000/healthz", server.url + address)
        ran = subprocess.run(
            [sys.executable, *arguments[:-1], here], capture_output=True, check=False
        )
        assert ran.returncode == code


@needs("systemd-analyze")
def test_systemd_understands_the_units_and_finds_the_service_locked_in(tmp_path: Path) -> None:
    units = [tmp_path / name for name in ("landform.service", "landform.socket")]
    for unit in units:
        text = (DEPLOY / unit.name).read_text()
        # A command that is there.
        unit.write_text(text.replace("/usr/local/bin/landform", str(LANDFORM)))
    assert check("systemd-analyze", "verify", *units) == ""
    # In tenths of what systemd calls an exposure; it fails above.
    check("systemd-analyze", "security", "--offline=true", "--threshold=15", units[0])


@needs("systemd-socket-activate")
@pytest.mark.parametrize("settings", ["", 'database_url = "sqlite:///other.db"'])
def test_the_command_of_the_unit_takes_over_the_socket_and_serves_the_database_of_the_settings(
    run: Callable[..., None], tmp_path: Path, settings: str
) -> None:
    unit, port = (DEPLOY / "landform.service").read_text(), free_port()
    assert {"WorkingDirectory=%S/landform", "StateDirectory=landform"} <= set(unit.splitlines())
    (command,) = re.findall(r"^ExecStart=/usr/local/bin/landform (.*)", unit, re.M)
    (tmp_path / "settings.toml").write_text(settings)
    given = {**SETTINGS, "LANDFORM_CONFIG": f"{tmp_path}/settings.toml"}
    keep = [f"--setenv={name}={value}" for name, value in given.items()]
    listening = ("systemd-socket-activate", f"--listen=127.0.0.1:{port}", *keep)
    run(port, "env", f"--chdir={tmp_path}", *listening, LANDFORM, *command.split())
    status, _, body = ask(port, "GET", "/pages")
    assert (status, body) == (200, "[]")
    [database] = tmp_path.glob("*.db")
    assert database.name == ("other.db" if settings else "landform.db")


def ask(
    port: int, method: str, path: str, address: str = "127.0.0.1", body: str = "", **headers: str
) -> tuple[int, dict[str, str], str]:
    """Send a request from an address of this machine; status, headers and body of the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30, source_address=(address, 0))
    content = body or ('{"title": "Hello"}' if method == "POST" else None)
    sent = {"Content-Type": "application/json", **basic()}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, content, sent)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def nginx(folder: Path, port: int, upstream: Path) -> list[str]:
    text = (DEPLOY / "nginx.conf").read_text().replace(SOCKET, str(upstream))
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    text = text.replace("/var/cache/landform", f"{folder}/cache")
    scratch = "".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # The test's folder is for this user only.
    user = "user root;" if os.getuid() == 0 else ""
    main = " ".join(re.findall(r"^#   (.*;.*)", text, re.M))
    whole = f"{user} pid {folder}/pid; daemon off; error_log stderr; {main}\n"
    (folder / "nginx.conf").write_text(f"{whole}http {{ access_log off; {scratch}\n{text}\n}}\n")
    command = ["nginx", "-c", f"{folder}/nginx.conf"]
    assert "test is successful" in check(*command, "-t")
    return command


def caddy(folder: Path, port: int, upstream: Path) -> list[str]:
    check("caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile")
    check("caddy", "fmt", "--diff", DEPLOY / "Caddyfile")
    text = (DEPLOY / "Caddyfile").read_text().replace(SOCKET, str(upstream))
    text = text.replace("www.example.com", f"http://:{port}")
    (folder / "Caddyfile").write_text(
        text.replace("{\n\tservers", "{\n\tadmin off\n\tauto_https off\n\tservers")
    )
    return ["caddy", "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]


@pytest.fixture(
    params=[pytest.param(make, marks=needs(make.__name__)) for make in (nginx, caddy)],
    ids=lambda make: make.__name__,
)
def proxied(
    request: pytest.FixtureRequest,
    start_server: Callable[..., Server],
    run: Callable[..., None],
    tmp_path: Path,
) -> Callable[..., int]:
    """Start landform on a socket file and a real proxy in front; return the proxy's port."""

    def start(**environment: str) -> int:
        port, path = free_port(), tmp_path / "landform.sock"
        settings = {"LANDFORM_TRUSTED_PROXIES": "1", **environment}
        start_server("-b", f"unix:{path}", **settings)
        run(port, *request.param(tmp_path, port, path), HOME=str(tmp_path))
        return port

    return start


def test_links_name_the_address_at_the_proxy_and_each_client_is_throttled_for_itself(
    proxied: Callable[..., int],
) -> None:
    port = proxied(LANDFORM_FAILED_ATTEMPTS_PER_MINUTE="2")
    claims = {"Host": "shop.example.com", "X_Forwarded_Host": "evil.example"}
    claims |= {"X_Forwarded_Prefix": "/evil", "X_Forwarded_Proto": "https"}
    status, headers, body = ask(port, "POST", "/pages", **claims)
    assert status == 201
    assert headers["Location"] == "http://shop.example.com/pages/1"
    assert '"link":"http://shop.example.com/hello/"' in body

    def fail(address: str, claim: str) -> int:
        wrong = basic("admin:wrong")
        return ask(port, "GET", "/feeds", address, X_Forwarded_For=claim, **wrong)[0]

    # More than fit into two minutes, should one end here.
    assert [fail("127.0.0.2", f"192.0.2.{n}") for n in range(6)][-1] == 429
    assert fail("127.0.0.3", "127.0.0.2") == 401


@needs("nginx")
def test_nginx_serves_pictures_that_were_asked_for_without_landform(
    start_server: Callable[..., Server], run: Callable[..., None], tmp_path: Path
) -> None:
    port, path = free_port(), tmp_path / "landform.sock"
    server = start_server("-b", f"unix:{path}", LANDFORM_TRUSTED_PROXIES="1")
    run(port, *nginx(tmp_path, port, path))
    picture = (ROOT / "docs/site-dark.png").read_bytes()
    sent = {"Content-Type": "image/png", "Content-Disposition": 'attachment; filename="sun.png"'}
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/media", picture, {**sent, **basic()})
    address = json.loads(connection.getresponse().read())["source_url"]
    answers = []
    for _ in range(2):
        connection.request("GET", urlsplit(address).path)
        answer = connection.getresponse()
        headers = {name: text for name, text in answer.getheaders() if name != "Date"}
        answers.append((answer.status, headers, answer.read()))
        server.stop()
    connection.close()
    assert answers[0] == answers[1]
    status, headers, body = answers[0]
    assert (status, body[:4], headers["Content-Type"]) == (200, b"\x89PNG", "image/png")
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "immutable" in headers["Cache-Control"]
