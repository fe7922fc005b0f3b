"""Hostile sites: limits of memory and time, and texts that stay texts."""

import gzip
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from moving_in import move, recorded_site, server, small_site
from own_site import Raw

from landform.parts.moving_in.wordpress import client as http
from landform.parts.moving_in.wordpress.client import CannotBegin, Client, NoAnswer
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.site import find_root
from landform.service.pipeline.errors import printable

pytestmark = pytest.mark.sqlite("what a site sends has nothing to do with the engine")


def new_client(url: str, *, timeout: float = 5, requests: int = 4) -> Client:
    return Client(url, "admin", "secret", concurrency=requests, timeout=timeout, agent="test")


@pytest.mark.parametrize("is_zipped", [True, False])
def test_a_response_has_a_limit_compressed_or_not(small_site: Any, is_zipped: bool) -> None:
    body = Raw(b" " * (3 << 20))
    headers = {"Content-Encoding": "gzip"} if is_zipped else {}
    small_site.front = lambda path: (200, headers, Raw(gzip.compress(body)) if is_zipped else body)
    client = new_client(small_site.url)
    with pytest.raises(NoAnswer, match="more than 2 MiB"):
        client.get(small_site.url)
    assert client.get(small_site.url, max_bytes=client.max_bytes).body == body
    client.close()


def test_a_redirect_to_no_address_is_an_error_that_says_so(small_site: Any) -> None:
    client = new_client(small_site.url)
    for target in ("http://[::1", "http://[bad]/x", "http://localhost:99999/", "//localhost:x/"):
        small_site.front = lambda path: (302, {"Location": target}, "")  # noqa: B023
        for signed in (True, False):
            with pytest.raises(NoAnswer, match="which is no address"):
                client.get(small_site.url, signed=signed)
    small_site.front = lambda path: (302, {"Location": "http://[v1.x]/"}, "")
    with pytest.raises(NoAnswer, match="is no address of a server"):
        client.get(small_site.url, signed=False)
    with pytest.raises(CannotBegin, match="credentials are sent to no other host"):
        client.get(small_site.url)
    client.close()


def test_large_pages_are_read_in_smaller_parts(small_site: Any, move: Any) -> None:
    small_site.pages = small_site.pages[:4]
    for page, size in zip(small_site.pages, (800_000, 800_000, 800_000, 3_000_000), strict=False):
        page["edit"]["content"] = {"raw": "x" * size}
    assert move(small_site.url, "--requests", "32").exit_code == 0
    assert len(move.rows()) == 4


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"


class SlowHandler(socketserver.BaseRequestHandler):
    """Sends a response that never ends."""

    def handle(self) -> None:
        with suppress(OSError):
            self.request.sendall(HEAD)
            while self.request.send(b"x"):
                time.sleep(0.02)


@pytest.fixture
def slow_server() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), SlowHandler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_response_that_does_not_end_is_closed_after_the_timeout(
    slow_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MIN_PAUSE", 0.01)
    client = new_client(slow_server, timeout=0.2)
    with pytest.raises(NoAnswer, match="did not answer within"):
        client.get(slow_server)
    client.close()


# A quadratic algorithm would need minutes for these texts.
LONG = 1_500_000
TEXTS = {
    "elements": "<link " * (LONG // 6), "lines of lists": "[],\n" * (LONG // 4),
    "comments": "[]" + "<!--" * (LONG // 4), "scripts": "<script " * (LONG // 8),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_long_texts_and_headers_need_linear_time(small_site: Any, name: str) -> None:
    small_site.front = lambda path: (200, {"Link": "<" * 60_000}, TEXTS[name])
    client = new_client(small_site.url)
    with pytest.raises(CannotBegin, match="No WordPress REST API was found"):
        find_root(client)
    client.close()


def test_many_custom_fields_need_linear_time() -> None:
    fields = {f"field-{number}": number for number in range(1, 50_000)}
    _, _, notes = MetaSources({}).read({"id": 1, "meta": {"group": {}, **fields}})
    assert len([note for note in notes if note["code"].startswith("lost ")]) == len(fields)


def test_json_with_too_many_values_is_refused() -> None:
    response = http.Response("http://x/", 200, {}, b"[" + b"[]," * 1_000_000 + b"[]]")  # type: ignore[arg-type]
    with pytest.raises(NoAnswer, match="too many values"):
        http.read_json(response)
    text = b'["' + b'\\"[],' * 1_000_000 + b'"]'
    assert len(http.read_json(response._replace(body=text))[0]) == 4_000_000


def test_control_characters_are_escaped_in_the_output(small_site: Any, move: Any) -> None:
    small_site.pages[0]["edit"] |= {"status": "\x1b]52;c;aGk=\x07\x9b2J"}
    result = move(small_site.url)
    assert r"has the status \x1b]52;c;aGk=\x07\x9b2J, which" in result.output
    small_site.front = lambda path: (301, {"Location": "\x1b]0;x\x07://"}, "")
    assert "\x1b" not in move(small_site.url).output
    assert printable("a\tb\x85\x7fé") == r"a\tb\x85\x7fé"
