"""A site that means harm costs no more than it should, and its texts stay texts."""

import csv
import gzip
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from moving_in import move, stand_in
from test_other_sites import PAGES, own, small
from wxr import written

from landform.parts.moving_in.wordpress.access import find_root
from landform.parts.moving_in.wordpress.client import CannotBegin, Client, NoAnswer, Response
from landform.parts.moving_in.wordpress.site import read_json
from landform.service.errors import printable

pytestmark = pytest.mark.sqlite("what a site sends has nothing to do with the engine")


def asking(url: str, *, timeout: float = 5, requests: int = 4) -> Client:
    return Client(url, "admin", "secret", concurrency=requests, timeout=timeout, agent="test")


@pytest.mark.parametrize("is_zipped", [True, False])
def test_a_response_has_a_bound_compressed_or_not(own: Any, is_zipped: bool) -> None:
    body = b" " * (3 << 20)
    headers = {"Content-Encoding": "gzip"} if is_zipped else {}
    own.front = lambda rest: (200, headers, gzip.compress(body) if is_zipped else body)
    client = asking(own.url)
    with pytest.raises(NoAnswer, match="more than 2 MiB"):
        client.get(own.url)
    assert client.get(own.url, max_bytes=client.max_bytes).body == body
    client.close()


def test_all_responses_at_a_time_have_a_bound() -> None:
    largest = {requests: asking("http://x", requests=requests).max_bytes for requests in (1, 4, 32)}
    assert largest == {1: 32 << 20, 4: 16 << 20, 32: 2 << 20}


def test_pages_that_are_too_large_together_come_in_smaller_parts(own: Any, move: Any) -> None:
    for page, size in zip(own.pages, (800_000, 800_000, 800_000, 3_000_000), strict=False):
        page["edit"]["content"] = {"raw": "x" * size}
    assert move(own.url, *PAGES, "--requests", "32").exit_code == 0
    assert len(move.rows()) == 12


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n"


class Drips(socketserver.BaseRequestHandler):
    """Never ends a response."""

    def handle(self) -> None:
        with suppress(OSError):
            self.request.sendall(self.server.first)  # type: ignore[attr-defined]
            while self.request.send(b"x"):
                time.sleep(0.02)


@pytest.fixture(params=[HEAD, HEAD + b"\r\n"], ids=["in its headers", "in its body"])
def dripping(request: Any) -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Drips) as server:
        server.daemon_threads, server.first = True, request.param  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_response_that_drips_ends_with_the_timeout(dripping: str) -> None:
    client = asking(dripping, timeout=0.2)
    with pytest.raises(NoAnswer, match="did not answer within"):
        client.get(dripping)
    client.close()


# What takes minutes where its length counts twice.
LONG = 1_500_000
TEXTS = {
    "elements": "<link " * (LONG // 6), "lines of lists": "[],\n" * (LONG // 4),
    "comments": "[]" + "<!--" * (LONG // 4), "scripts": "<script " * (LONG // 8),
}  # fmt: skip


@pytest.mark.parametrize("what", TEXTS)
def test_long_texts_and_headers_are_read_in_time_to_their_length(own: Any, what: str) -> None:
    own.front = lambda rest: (200, {"Link": "<" * 60_000}, TEXTS[what])
    client = asking(own.url)
    with pytest.raises(CannotBegin, match="No WordPress REST API was found"):
        find_root(client)
    client.close()


def test_json_of_too_many_values_is_not_read() -> None:
    response = Response("http://x/", 200, {}, b"[" + b"[]," * 1_000_000 + b"[]]")  # type: ignore[arg-type]
    with pytest.raises(NoAnswer, match="too many values"):
        read_json(response)
    text = b'["' + b'\\"[],' * 1_000_000 + b'"]'
    assert len(read_json(response._replace(body=text))[0]) == 4_000_000


def test_characters_that_control_a_terminal_are_shown_as_their_numbers(own: Any, move: Any) -> None:
    own.pages[0]["edit"] |= {"status": "\x1b]52;c;aGk=\x07\x9b2J"}
    told = move(own.url, *PAGES)
    assert r"has the status \x1b]52;c;aGk=\x07\x9b2J, which" in told.output
    own.front = lambda rest: (301, {"Location": "\x1b]0;x\x07://"}, "")
    assert "\x1b" not in move(own.url, *PAGES).output
    assert printable("a\tb\x85\x7fé") == r"a\tb\x85\x7fé"


def test_redirects_lead_from_addresses_only(move: Any, tmp_path: Path) -> None:
    links = ["=HYPERLINK(1)", "javascript:x", "https://a/\nb", "http://a/x", "https://a/,y"]
    items = [{"id": n, "slug": f"s{n}", "link": link} for n, link in enumerate(links, 1)]
    file = tmp_path / "redirects.csv"
    assert move(written(tmp_path, *items), "--redirects", str(file), user="").exit_code == 0
    with file.open(newline="") as opened:
        assert [row[0] for row in csv.reader(opened)] == ["old", "http://a/x", "https://a/,y"]
