"""Behind proxies: whose headers count, for throttling, for links, and never for local mode."""

from collections.abc import Callable
from itertools import product

import pytest
from applications import Standing, service
from conftest import SECRET, Server, basic
from flask import Flask
from flask.testing import FlaskClient

from landform.app import create_app
from landform.service import create_blueprint

FORWARDED = {
    "X-Forwarded-For": "192.0.2.1",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "www.example.com",
    "X-Forwarded-Prefix": "/promo",
}


@pytest.mark.parametrize(
    ("proxies", "addresses", "statuses"),
    [
        (0, ["192.0.2.1", "192.0.2.2", "192.0.2.3"], [401, 401, 429]),
        (1, ["192.0.2.1"] * 3 + ["192.0.2.2"], [401, 401, 429, 401]),
        # What a client writes itself stands further left, and counts for nothing.
        (1, ["192.0.2.1"] * 2 + ["203.0.113.9, 192.0.2.1"], [401, 401, 429]),
        (2, [f"6.6.6.{n}, 192.0.2.1, 10.0.0.9" for n in range(3)], [401, 401, 429]),
        (2, ["192.0.2.1, 10.0.0.9"] * 2 + ["192.0.2.2, 10.0.0.9"], [401, 401, 401]),
    ],
)
def test_failures_are_counted_by_the_address_that_a_trusted_proxy_saw(
    database_url: str, proxies: int, addresses: list[str], statuses: list[int]
) -> None:
    sent = [basic("admin:wrong") | {"X-Forwarded-For": address} for address in addresses]
    client = service(database_url, TRUSTED_PROXIES=proxies, FAILED_ATTEMPTS_PER_MINUTE=2)
    client.store.clock = Standing()
    assert [
        client.anonymous.get("/feeds", headers=headers).status_code for headers in sent
    ] == statuses


@pytest.mark.parametrize("proxies", [0, 1])
def test_addresses_are_those_that_the_client_sees_behind_a_trusted_proxy(
    start_server: Callable[..., Server], proxies: int
) -> None:
    server = start_server(LANDFORM_TRUSTED_PROXIES=str(proxies))
    headers = {"Content-Type": "application/json", **basic(), **FORWARDED}
    # Gunicorn takes these two from its neighbours, were it let.
    headers |= {"X-Forwarded-Ssl": "on", "Script_Name": "/evil"}
    _, found, body = server.send("POST", "/pages", headers, b'{"title": "Hello"}')
    base = "https://www.example.com/promo" if proxies else server.url
    assert dict(found)["Location"] == f"{base}/pages/1"
    assert f'"link":"{base}/hello/"' in body.decode()


@pytest.mark.parametrize("path", ["/feeds", "/pages", "/whoami", "/metrics"])
def test_with_trusted_proxies_there_is_no_local_mode(database_url: str, path: str) -> None:
    settings = {"DATABASE_URL": database_url, "TRUSTED_PROXIES": "1", "METRICS": "1"}
    refused = create_app(settings).test_client().get(path)
    assert refused.status_code == 401
    assert "trusted proxies" in refused.get_json()["message"]
    assert "landform key create" in refused.get_json()["message"]
    client = create_app({**settings, "CREDENTIALS": SECRET}).test_client()
    assert client.get("/metrics").status_code == 401
    assert client.get(path, headers=basic()).status_code == 200


def test_a_host_may_switch_local_mode_off(database_url: str) -> None:
    for local_mode, status in ((True, 200), (False, 401)):
        host = Flask("host")
        host.register_blueprint(create_blueprint(database_url, local_mode=local_mode))
        assert host.test_client().get("/feeds").status_code == status


@pytest.mark.settings(TRUSTED_PROXIES=1)
def test_forwarded_nonsense_is_no_500(client: FlaskClient) -> None:
    texts = ["exa mple.com", "<x>", "[", "a/b", "-" * 300, "ex\u00e4mple"]
    for name, text in product(["Host", "Prefix", "Proto"], texts):
        answer = client.post("/pages", json={"title": "A"}, headers={f"X-Forwarded-{name}": text})
        assert answer.status_code in (201, 400), (name, text)
