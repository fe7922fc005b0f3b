"""Sending to webhooks: whatever a receiver does, an attempt ends soon and costs little."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from applications import Client, Standing
from processes import until
from receivers import receiver
from werkzeug.test import TestResponse

pytestmark = pytest.mark.settings(WEBHOOK_PRIVATE=True)
Serve = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"
# What a receiver has to send, and how much of that the system may take for us without being read.
MOST_SENT, MOST_BUFFERED = 100_000_000, 40_000_000
WAY_TOO_LONG = 60


@contextmanager
def raw_receiver(serve: Serve) -> Iterator[str]:
    """Serve each connection by a function, in a thread of its own, and lend the URL."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:

        def handle(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                serve(connection)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection = server.accept()[0]
                    threading.Thread(target=handle, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        finally:
            # To close it would not wake who accepts.
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)


def read_request(connection: socket.socket) -> bytes:
    """Return the bytes of a request whose body is a JSON object."""
    received = b""
    while not received.endswith(b"}") and (more := connection.recv(65_536)):
        received += more
    return received


def responding(*parts: bytes) -> Serve:
    """Return what sends these bytes in response to a request, and closes the connection."""

    def serve(connection: socket.socket) -> None:
        read_request(connection)
        for part in parts:
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)

    return serve


def subscribe(client: Client, url: str, **body: Any) -> int:
    response = client.post("/webhooks", json={"url": url, **body})
    assert response.status_code == 201, response.text
    return int(response.get_json()["id"])


def test_of(client: Client, url: str) -> dict[str, Any]:
    """Return what came of a test of a new webhook."""
    response = client.post(f"/webhooks/{subscribe(client, url)}/test")
    assert response.status_code == 200, response.text
    return dict(response.get_json())


test_of.__test__ = False  # type: ignore[attr-defined]


def deliveries(client: Client, number: int) -> list[dict[str, Any]]:
    return list(client.get(f"/webhooks/{number}").get_json()["deliveries"])


# What is read.
@pytest.mark.parametrize(("head", "part", "status"), [
    (CHUNKED + b"-1\r\n", b"x" * 65_536, 200),
    (CHUNKED + b"fffffffffff\r\n", b"x" * 65_536, 200),
    (CHUNKED, b"1\r\nx\r\n" * 10_000, 200),
    (CHUNKED + b"1;", b"x" * 65_536, 200),
    (OK + b"Content-Length: -1\r\n\r\n", b"x" * 65_536, 200),
    (OK + b"Content-Length: 99999999999999999999\r\n\r\n", b"x" * 65_536, 200),
    (OK + b"Content-Encoding: gzip\r\n\r\n", b"x" * 65_536, 200),
    (OK + b"\r\n", b"x" * 65_536, 200),
    (OK, b"Header: value\r\n" * 5_000, 0),
    (OK + b"Header: ", b"x" * 65_536, 0),
    (b"HTTP/1.1 200 ", b"x" * 65_536, 0),
    (b"", b"HTTP/1.1 100 Continue\r\nLink: x\r\n\r\n" * 2_000, 0),
    (b"", b"\r\n" * 30_000, 0),
])  # fmt: skip
def test_only_the_beginning_of_a_response_is_read_whatever_it_claims(
    client: Client, head: bytes, part: bytes, status: int
) -> None:
    sent, has_ended = 0, threading.Event()

    def serve(connection: socket.socket) -> None:
        nonlocal sent
        try:
            read_request(connection)
            connection.sendall(head)
            while sent < MOST_SENT:
                sent += connection.send(part)
        finally:
            has_ended.set()

    with raw_receiver(serve) as url:
        result = test_of(client, url)
        assert has_ended.wait(WAY_TOO_LONG)
    assert result["status"] == status
    assert len(result["response"]) <= 200
    assert sent < MOST_BUFFERED


# Responses that end within their headers.
CUT = [
    b"", b"HTTP/1.1", b"HTTP/1.1 200", b"HTTP/1.1 200 OK", OK, OK + b"Content-Ty",
    OK + b"Content-Length: 0", OK + b"Content-Length: 0\r\n", OK + b"A: b\r\n" * 50,
    b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    b"200 OK\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"ICY 200 OK\r\n\r\n",
    b"HTTP/1.1 +20 OK\r\n\r\n",
]  # fmt: skip


def test_a_response_that_ends_within_its_headers_is_no_success(client: Client) -> None:
    for response in CUT:
        with raw_receiver(responding(response)) as url:
            assert test_of(client, url)["status"] == 0, response


@pytest.mark.parametrize(("response", "status", "text"), [
    (b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" + NO_CONTENT, 204, ""),
    (b"HTTP/1.0 200\r\n\r\nThanks", 200, "Thanks"),
    (OK + b"Content-Length: 6\r\n\r\nThanks, not more", 200, "Thanks"),
    (CHUNKED + b"3;a=b\r\nTha\r\n3\r\nnks\r\n0\r\n\r\n", 200, "Thanks"),
    (CHUNKED + b"nonsense\r\n", 200, ""),
    (OK + b"Content-Length: nonsense\r\n\r\nThanks", 200, "Thanks"),
    (OK + b"Retry-After: Thu, 99 Foo 2030 99:99:99\r\n\r\nThanks", 200, "Thanks"),
    (OK + b"X: " + b"x" * 20_000 + b"\r\n" + b"Y: y\r\n" * 50 + b"\r\nThanks", 200, "Thanks"),
    (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", 101, ""),
])  # fmt: skip
def test_a_whole_response_counts(client: Client, response: bytes, status: int, text: str) -> None:
    with raw_receiver(responding(response)) as url:
        result = test_of(client, url)
    assert (result["status"], result["response"]) == (status, text)


def test_the_url_of_a_receiver_with_malformed_headers_is_not_logged(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with raw_receiver(responding(OK + b"no header\r\n\r\nThanks")) as url:
        assert test_of(client, f"{url}?token=sesame")["status"] == 200
    assert "sesame" not in caplog.text


# How long it takes.
@pytest.mark.servers
def test_a_receiver_has_fifteen_seconds(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    is_over, look_up = threading.Event(), socket.getaddrinfo

    def local_look_up(host: str, *args: Any, **kw: Any) -> Any:
        # One that never accepts, several times.
        return look_up("127.0.0.1", *args, **kw) * (4 if host == "busy.example" else 1)

    def drip(head: bytes, part: bytes) -> Serve:
        def serve(connection: socket.socket) -> None:
            connection.sendall(head)
            while not is_over.wait(0.2):
                connection.sendall(part)

        return serve

    def answer_after(seconds: int) -> Serve:
        def serve(connection: socket.socket) -> None:
            read_request(connection)
            is_over.wait(seconds)
            connection.sendall(NO_CONTENT)

        return serve

    with (
        raw_receiver(answer_after(7)) as late,
        raw_receiver(answer_after(25)) as too_late,
        raw_receiver(drip(OK, b"A: b\r\n")) as headers,
        raw_receiver(drip(b"", b"HTTP/1.1 100 C\r\n\r\n")) as interim,
        raw_receiver(drip(b"", b"")) as nothing,
        raw_receiver(drip(OK + b"\r\n", b"x")) as body,
        socket.create_server(("127.0.0.1", 0), backlog=0) as full,
        socket.create_connection(full.getsockname()),
    ):
        busy = f"http://busy.example:{full.getsockname()[1]}/"
        secure = nothing.replace("http:", "https:")
        urls = [late, headers, interim, too_late, body, busy, secure]
        numbers = [subscribe(client, url, types=["page.created"]) for url in urls]
        monkeypatch.setattr(socket, "getaddrinfo", local_look_up)
        client.page(status="draft")
        # No retry comes due.
        client.store.clock = Standing()
        client.application.blueprints["landform"].deliver()  # type: ignore[attr-defined]
        is_over.set()
    results = [deliveries(client, number)[-1] for number in numbers]
    assert [result["status"] for result in results] == [204, 0, 0, 0, 200, 0, 0]
    timed_out = {result["response"] for result in results if not result["status"]}
    assert timed_out == {"timed out"}


# Tests.
def test_a_slow_test_is_a_202_whose_result_is_stored_and_few_are_sent_at_a_time(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landform.parts.webhooks.sending.MOST_SECONDS", 0.3)
    may_answer, responses = threading.Event(), list[TestResponse]()

    def respond(event: dict[str, Any]) -> tuple[int, dict[str, str]]:
        may_answer.wait(WAY_TOO_LONG)
        return 204, {}

    def ask(number: int) -> None:
        responses.append(Client(client.application).post(f"/webhooks/{number}/test"))

    with receiver(respond) as hook:
        number = subscribe(client, hook.url)
        try:
            for _ in range(4):
                threading.Thread(target=ask, args=(number,), daemon=True).start()
            until(lambda: len(responses) == 4, "They are not answered.")
            refused = client.post(f"/webhooks/{number}/test")
            assert deliveries(client, number) == []
        finally:
            may_answer.set()
        until(lambda: len(deliveries(client, number)) == 4, "The results do not come.")
        for response, result in zip(responses, deliveries(client, number), strict=True):
            pending = response.get_json()
            assert response.status_code == 202
            assert response.headers["Location"].endswith(f"/webhooks/{number}")
            assert (pending["status"], pending["event"]) == (0, 0)
            assert (result["status"], result["event"]) == (204, 0)
        times = sorted(result["time"] for result in deliveries(client, number))
        assert sorted(response.get_json()["time"] for response in responses) == times
        monkeypatch.undo()
        assert (refused.status_code, refused.get_json()["code"]) == (429, "rest_too_many_tests")
        assert client.post(f"/webhooks/{number}/test").status_code == 200


def test_a_test_during_a_delivery_is_stored_too(client: Client) -> None:
    def respond(event: dict[str, Any]) -> tuple[int, dict[str, str]]:
        if event["id"]:
            Client(client.application).post("/webhooks/1/test")
        return 204, {}

    with receiver(respond) as hook:
        number = subscribe(client, hook.url, types=["page.created"])
        client.page(status="draft")
        client.application.blueprints["landform"].deliver()  # type: ignore[attr-defined]
    assert sorted(attempt["event"] > 0 for attempt in deliveries(client, number)) == [False, True]


def test_a_webhook_that_is_deleted_during_its_test_stays_deleted(client: Client) -> None:
    def respond(event: dict[str, Any]) -> tuple[int, dict[str, str]]:
        Client(client.application).delete("/webhooks/1")
        return 204, {}

    with receiver(respond) as hook:
        number = subscribe(client, hook.url)
        assert client.post(f"/webhooks/{number}/test").get_json()["status"] == 204
    assert client.get(f"/webhooks/{number}").status_code == 404


# Addresses.
PUBLIC = ["2606:2800:220:1::1", "::ffff:8.8.8.8"]

PRIVATE = [
    "0.1.2.3", "10.1.2.3", "100.100.100.200", "127.1.2.3", "169.254.169.254", "172.31.0.1",
    "192.0.0.8", "192.0.0.170", "192.0.0.192", "192.0.0.9", "192.0.2.1", "192.88.99.1",
    "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1",
    "::ffff:192.0.0.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808",
    "64:ff9b:1::7f00:1", "100::1", "100:0:0:1::1", "2001::1", "2001:0:53aa:64c::1", "2001:1::1",
    "2001:2::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff::1", "2001:db8::1",
    "2002:7f00:1::", "2002:808:808::", "3ffe::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "ff0e::1",
]  # fmt: skip


@pytest.mark.settings(WEBHOOK_PRIVATE=False)
def test_private_addresses_are_not_called(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    number, look_up = subscribe(client, "http://receiver.example/"), socket.getaddrinfo

    def response_of(url: str) -> str:
        assert client.patch(f"/webhooks/{number}", json={"url": url}).status_code == 200
        return str(client.post(f"/webhooks/{number}/test").get_json()["response"])

    for address in PRIVATE:
        literal = f"[{address}]" if ":" in address else address
        assert "private or reserved" in response_of(f"http://{literal}/"), address
        with monkeypatch.context() as patched:
            found = look_up(address, 443, type=socket.SOCK_STREAM)
            patched.setattr(socket, "getaddrinfo", lambda *args, found=found, **kw: found)
            assert "private or reserved" in response_of("https://receiver.example/"), address


@pytest.mark.settings(WEBHOOK_PRIVATE=False)
def test_a_private_address_is_skipped(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    connected, connect = list[Any](), socket.socket.connect

    def note(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX:
            connected.append(address[0])
            raise ConnectionRefusedError("refused")
        connect(self, address)

    rows = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))
        for address in ("127.0.0.1", PUBLIC[0], "10.0.0.1", PUBLIC[1], "9.9.9.9")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kw: rows)
    monkeypatch.setattr(socket.socket, "connect", note)
    assert test_of(client, "http://receiver.example/")["response"] == "refused"
    assert connected == PUBLIC
