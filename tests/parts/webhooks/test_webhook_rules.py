"""Which webhooks there may be: their URLs, their types, who may write them, and how many."""

import re
import socket
from collections.abc import Iterator
from itertools import product

import pytest
from applications import Client
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from test_webhook_sending import NO_CONTENT, raw_receiver, read_request
from werkzeug.test import TestResponse

from landform.parts.webhooks import storage

pytestmark = pytest.mark.settings(WEBHOOK_PRIVATE=True)
# A request as RFC 9110 and RFC 3986 have it: what the strictest of servers takes.
PATH_CHARACTER = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})"
REQUEST_LINE = re.compile(rf"POST (/{PATH_CHARACTER}*(?:\?(?:{PATH_CHARACTER}|\?)*)?) HTTP/1\.1")
HOST = re.compile(r"Host: ((?:[A-Za-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?)")


class Requests(list[tuple[str, str]]):
    """The targets and the values of `Host` of requests to a receiver, however it is called."""

    port = 0


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[Requests]:
    received, look_up = Requests(), socket.getaddrinfo

    def serve(connection: socket.socket) -> None:
        head = read_request(connection).partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")
        line, hosts = REQUEST_LINE.fullmatch(head[0]), [*filter(None, map(HOST.fullmatch, head))]
        if line and len(hosts) == 1:
            received.append((line[1], hosts[0][1]))
            connection.sendall(NO_CONTENT)

    with raw_receiver(serve) as url:
        received.port = int(url.split(":")[2].strip("/"))
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, port, *args, **kw: look_up("127.0.0.1", received.port, *args, **kw),
        )
        yield received


def send_to(client: Client, url: str) -> TestResponse | None:
    """Return the response to a test of a new webhook, which is deleted; None for a refused URL."""
    response = client.post("/webhooks", json={"url": url})
    if response.status_code == 400:
        assert set(response.get_json()["data"]["params"]) == {"url"}
        assert client.get("/webhooks").get_json() == []
        return None
    assert response.status_code == 201, response.text
    assert response.get_json()["url"] == url
    path = f"/webhooks/{response.get_json()['id']}"
    result = client.post(f"{path}/test")
    client.delete(path)
    return result


# URLs, and the targets and hosts of the requests to them.
SENT = [
    ("http://host:9000?token=abc", "/?token=abc", "host:9000"),
    ("http://host:9000", "/", "host:9000"),
    ("http://host:80/a", "/a", "host"),
    ("http://host:/a", "/a", "host"),
    ("HTTP://Host.Example/A", "/A", "host.example"),
    ("http://my_app:9000/", "/", "my_app:9000"),
    ("http://_x-y.svc.cluster.local./", "/", "_x-y.svc.cluster.local"),
    ("http://host/é", "/%C3%A9", "host"),
    ("http://host/?name=é", "/?name=%C3%A9", "host"),
    ("http://host?name=😀&b=a|b", "/?name=%F0%9F%98%80&b=a%7Cb", "host"),
    ("http://host/%c3%A9/100%/%zz%4", "/%c3%A9/100%25/%25zz%254", "host"),
    ("http://host/a;b=c,d:e@f!$'()*+~", "/a;b=c,d:e@f!$'()*+~", "host"),
    ('http://host/{a}"<b>^`[c]', "/%7Ba%7D%22%3Cb%3E%5E%60%5Bc%5D", "host"),
    ("http://host//a/../b?c?d/e", "//a/../b?c?d/e", "host"),
    ("http://host/@user", "/@user", "host"),
    ("http://host/?u=http://a:b@c", "/?u=http://a:b@c", "host"),
    ("http://127.0.0.1:9000/", "/", "127.0.0.1:9000"),
    ("http://[::1]:9000/a", "/a", "[::1]:9000"),
    ("http://[0:0:0:0:0:0:0:1]", "/", "[::1]"),
    ("http://bücher.example/", "/", "xn--bcher-kva.example"),
    ("http://BÜCHER.example:81/", "/", "xn--bcher-kva.example:81"),
    ("http://bu\u0308cher.example/", "/", "xn--bcher-kva.example"),
    ("http://straße.example/", "/", "xn--strae-oqa.example"),
    ("http://xn--strae-oqa.example/", "/", "xn--strae-oqa.example"),
    ("http://例え.テスト/", "/", "xn--r8jz45g.xn--zckzah"),
    ("http://host/می\u200cخواهم", "/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85", "host"),
]  # fmt: skip


def test_urls_that_work_are_accepted_and_encoded(client: Client, requests: Requests) -> None:
    for url, *_ in SENT:
        response = send_to(client, url)
        assert response is not None, url
        assert response.get_json()["status"] == 204, url
    assert requests == [(target, host) for _, target, host in SENT]


REFUSED = [
    "", "host", "/path", "//host/", "http:", "http:/host", "http://", "http:///path", "http://?a",
    "http://:80/", "ftp://host/", "file:///etc/passwd", "gopher://host", "javascript:alert(1)",
    "httpx://host", " http://host/", "http://host/ ", "http://host/a b", "http://ho st/",
    "http://host/\t", "http://host/\r\nX: y", "http://host\n/", "http://host/\x7f",
    "http://host/\x85", "http://host/\u00a0", "http://host/\u2028", "http://host/\u3000x",
    "http://host:99999/", "http://host:65536/", "http://host:0/", "http://host:-1/",
    "http://host:+80/", "http://host:8_0/", "http://host:80a/", "http://host:８０/", "http://host:1:2/",
    "http://user@host/", "http://user:password@host/", "http://@host/", "http://:@host/",
    "http://host/#fragment", "http://host#", "http://host/?a#b", "http://host\\@other/",
    "http://host/a\\b", "http://host?a\\b", "http://℀.com/", "http://ｅxample.com/", "http://a。b/",
    "http://a\u200db.example/", "http://host%2eexample/", "http://ex%61mple.com/", "http://a..b/",
    "http://.host/", "http://./", "http://-host/", "http://host-/", "http://a,b/", "http://a*b/",
    f"http://{'a' * 64}/", f"http://{'a.' * 127}aa/", f"http://{'ü' * 60}/", "http://xn--\udc80/",
    "http://[::1/", "http://::1/", "http://[::1]x/", "http://[]/", "http://[::g]/", "http://[1.2.3.4]/",
    "http://[fe80::1%25eth0]/", "http://[v1.a]/", "http://[::1][::1]/", "http://1.2.3/",
    "http://1.2.3.256/", "http://01.2.3.4/", "http://0x7f.1/", "http://2130706433/", "http://0/",
    "http://1.2.3.4.5/", "http://1.2.3.4./", "http://host.123/", f"http://host/{'é' * 1000}",
]  # fmt: skip


def test_any_other_url_is_refused_and_changes_nothing(client: Client) -> None:
    client.post("/webhooks", json={"url": "http://host/"})
    for url, path in product(REFUSED, ("/webhooks", "/webhooks/1")):
        method = "POST" if path == "/webhooks" else "PATCH"
        response = client.open(path, method=method, json={"url": url})
        assert response.status_code == 400, (url, response.text)
        if "\udc80" not in url:
            assert set(response.get_json()["data"]["params"]) == {"url"}, url
    assert [webhook["url"] for webhook in client.get("/webhooks").get_json()] == ["http://host/"]


ODD = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
HOSTS = st.sampled_from(
    "host my_app [::1] 127.0.0.1 bücher.example faß.de a.b. x--y -a [::".split()
)
URLS = st.one_of(
    st.builds(
        "{}://{}{}{}{}{}".format,
        st.sampled_from(["http", "HTTP"]),
        HOSTS | ODD,
        st.sampled_from(["", ":9000", ":", ":0", ":65535", ":65536"]) | ODD,
        st.sampled_from(["", "/", "//", "/a/b", "/%"]),
        ODD,
        st.just("") | st.builds("?{}".format, ODD),
    ),
    ODD.map("http://{}".format),
    st.text(max_size=20).map("http://host/{}".format),
)


def test_requests_to_accepted_urls_suit_a_strict_server(client: Client, requests: Requests) -> None:
    accepted = 0

    @given(URLS)
    def check(url: str) -> None:
        nonlocal accepted
        if (response := send_to(client, url)) is not None:
            accepted += 1
            assert response.get_json()["status"] == 204, response.text

    check()
    assert accepted == len(requests) > 0


# Types, and who may write them.
@pytest.mark.parametrize(("scopes", "types", "status"), [
    ("", ["page.*"], 403), ("", None, 403), ("events:read", None, 201),
    ("events:read", ["store.*"], 201),
    ("pages:read", ["page.*", "page.created"], 201), ("pages:read", ["page.*", "feed.*"], 403),
    ("pages:read", None, 403), ("pages:write", ["page.*"], 403),
    ("feeds:read", ["run.*"], 403), ("feeds:read pages:read", ["page.*", "feed.*"], 201),
    ("feeds:read pages:read runs:write", ["*"], 403), ("runs:write", ["run.*"], 403),
])  # fmt: skip
def test_a_webhook_needs_a_scope_that_reads_its_events(
    app: Flask, client: Client, scopes: str, types: list[str] | None, status: int
) -> None:
    caller, key = Client(app), client.key("a", "webhooks:write", *scopes.split())
    caller.environ_base["HTTP_X_API_KEY"] = key["X-API-Key"]
    body = {"url": "http://host/", **({} if types is None else {"types": types})}
    response = caller.post("/webhooks", json=body)
    assert response.status_code == status
    assert len(client.get("/webhooks").get_json()) == (status == 201)
    # An update of one that somebody else created, of its types and of its URL.
    others = client.post("/webhooks", json={**body, "description": "Of another"}).get_json()
    path, first = f"/webhooks/{others['id']}", client.post("/webhooks", json={"url": "http://a/"})
    allowed = 200 if status == 201 else 403
    types = ["*"] if types is None else types
    assert caller.patch(path, json={"url": "http://elsewhere/"}).status_code == allowed
    assert caller.patch(path, json={"types": types}).status_code == allowed
    batch = caller.post(
        "/batch/v1",
        json={"requests": [{"method": "POST", "path": "/webhooks", "body": body}]},
    )
    assert [response["status"] for response in batch.get_json()["responses"]] == [status]
    if status == 403:
        stored = client.get(path).get_json()
        assert (stored["url"], stored["types"]) == ("http://host/", types)
        assert response.get_json()["code"] == "rest_forbidden"
    assert caller.patch(path, json={"description": "Its own"}).status_code == 200
    assert first.status_code == 201


def test_there_are_at_most_a_hundred_webhooks(client: Client) -> None:
    body = {"url": "http://host/", "types": ["store.*"]}
    with client.store.connection(), client.store.transaction():
        for _ in range(99):
            storage.create(client.store, body)
    assert [client.post("/webhooks", json=body).status_code for _ in range(2)] == [201, 409]
    refused = client.post("/webhooks", json=body).get_json()
    assert refused["code"] == "rest_webhook_limit"
    assert len(client.get("/webhooks").get_json()) == 100
    assert client.delete("/webhooks/7").status_code == 200
    assert client.post("/webhooks", json=body).status_code == 201
