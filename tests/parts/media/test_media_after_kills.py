"""`kill -9` while pictures of one name are uploaded: what was acknowledged is there, all of it."""

import base64
import http.client
import json
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from select import select
from struct import pack
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import pytest
from applications import SECRET
from conftest import Server
from databases import Postgres
from figures import IS_LONG
from files import command
from processes import peak_of_workers, until
from uploads import fetch_from, picture, urls_of

from landform.parts.media import maintenance
from landform.parts.media.files import open_files
from landform.storage import Store

CLIENTS, PICTURES, KILLS = 8, 200, 10 if IS_LONG else 4
BASIC = {"Authorization": f"Basic {base64.b64encode(SECRET.encode()).decode()}"}
HEADERS = {**BASIC, "Content-Disposition": 'attachment; filename="sun.png"'}


def send(server: Server, data: bytes, **headers: str) -> tuple[int, Any]:
    """Upload a picture, and return the status and the body."""
    sent = {**HEADERS, "Content-Type": "image/png"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", "/media", data, sent)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


@contextmanager
def begin(server: Server, length: int) -> Iterator[http.client.HTTPConnection]:
    """Send the head of an upload."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.putrequest("POST", "/media")
        for name, value in {**HEADERS, "Content-Length": str(length)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        yield connection


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    if request.param == "sqlite":
        yield {}
        return
    postgres = Postgres()
    yield {"LANDFORM_DATABASE_URL": postgres.create("template")}
    postgres.remove()


@pytest.mark.faults
def test_each_acknowledged_picture_is_there_with_all_its_sizes_and_a_vacuum_leaves_no_other_file(
    start_server: Callable[..., Server],
    settings: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, data, acknowledged = start_server(**settings), picture(400, 300), dict[int, Any]()

    def upload(number: int) -> None:
        # A client repeats what it does not know the end of, with its key.
        while number not in acknowledged:
            with suppress(OSError, http.client.HTTPException, ValueError):
                status, item = send(server, data, Idempotency_Key=f"key {number}")
                assert status in (201, 503), item
                if status == 201:
                    acknowledged[number] = item
            time.sleep(0.01)

    with ThreadPoolExecutor(CLIENTS) as pool:
        uploads = [pool.submit(upload, number) for number in range(PICTURES)]
        for number in range(1, KILLS + 1):
            goal = PICTURES * number // (KILLS + 1)
            until(lambda: len(acknowledged) >= goal, "No picture is stored.", 120)  # noqa: B023
            time.sleep(random.random() * 0.1)
            server.stop(signal.SIGKILL)
            server.start()
        for one in uploads:
            one.result()
    _, stored = server.call("GET", "/media?per_page=100&orderby=id")
    stored += server.call("GET", "/media?per_page=100&orderby=id&page=2")[1]
    assert {item["id"] for item in stored} == {item["id"] for item in acknowledged.values()}
    assert len(stored) == PICTURES
    addresses = [address for item in stored for address in urls_of(item)]
    assert len({*addresses}) == len(addresses) == PICTURES * 3
    assert len({item["slug"] for item in stored}) == PICTURES
    for address in addresses:
        fetch_from(server.port, urlsplit(address).path)
    server.stop()
    assert command(server.database, "verify").output == "Nothing is wrong.\n"
    # As if the hour was over that files may wait for their picture.
    monkeypatch.setattr(maintenance, "GRACE_SECONDS", 0)
    assert command(server.database, "vacuum").exit_code == 0
    assert command(server.database, "verify").output == "Nothing is wrong.\n"
    stored_files = open_files(Store(server.database)).list()
    paths = {urlsplit(address).path.removeprefix("/media-files/") for address in addresses}
    assert {path for path, _ in stored_files} == paths


@pytest.mark.servers
@pytest.mark.slow
def test_large_uploads_at_once_take_bounded_memory_and_a_page_is_shown_meanwhile(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_CACHE_BYTES="0")
    server.call("POST", "/pages", {"title": "P", "status": "publish"})
    data = picture(6000, 4000, "JPEG", quality=90)
    over = Event()

    def read() -> int:
        count = 0
        while not over.is_set():
            count += server.call("GET", "/pages")[0] == 200
        return count

    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        reading = pool.submit(read)
        answers = [*pool.map(lambda _: send(server, data), range(CLIENTS))]
        over.set()
        assert reading.result() > CLIENTS
    assert {status for status, _ in answers} == {201}
    assert {item["media_details"]["width"] for _, item in answers} == {2560}
    assert peak_of_workers(server) < 400


@pytest.mark.servers
def test_a_large_upload_arrives_in_a_file_and_a_larger_one_is_refused_unread(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    before = peak_of_workers(server)
    noise = picture(60, 60) + bytes(19 << 20)
    assert send(server, noise)[0] == 201
    # Nothing of the body is sent.
    with begin(server, 25 << 20) as connection:
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["code"]) == (
            413, "rest_upload_file_too_big",
        )  # fmt: skip
    assert peak_of_workers(server) - before < 100


@pytest.mark.servers
def test_metadata_that_repeat_the_whole_file_take_no_memory(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    assert send(server, picture())[0] == 201
    before, size = peak_of_workers(server), 10 << 20
    tags = b"".join(pack("<HHII", number, 7, size, 8) for number in range(60))
    exif = b"II*\0\x08\0\0\0" + pack("<H", 60) + tags + bytes(size)
    chunk = pack(">I", len(exif)) + b"eXIf" + exif + pack(">I", crc32(b"eXIf" + exif))
    data = picture()
    at = data.index(b"IDAT") - 4
    assert send(server, data[:at] + chunk + data[at:])[0] == 201
    assert peak_of_workers(server) - before < 100


@pytest.mark.servers
@pytest.mark.slow
def test_uploads_that_stop_before_their_end_take_bounded_room_on_the_disk(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_CLIENT_TIMEOUT="120")
    with ExitStack() as stack:
        clients = dict[socket.socket, http.client.HTTPConnection]()
        # Together more than 512 MiB.
        for _ in range(27):
            one = stack.enter_context(begin(server, 20 << 20))
            one.send(bytes((20 << 20) - 1))
            clients[one.sock] = one
        answered = select([*clients], [], [], 60)[0]
        assert {clients[one].getresponse().status for one in answered} == {503}
    assert send(server, picture())[0] == 201
