"""Entries as CSV while they are sent: what changes meanwhile, and clients of any speed."""

import csv
import io
import socket
from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from time import sleep

import pytest
from applications import Client, service, store_of
from conftest import Server, basic
from crawlers import KINDS, Kind, crawling, head
from databases import run_sql
from desk import FORM
from processes import children, memory_kib, peak_of_workers, until

CSV, TYPE = {"Accept": "text/csv"}, "text/csv; charset=utf-8"
# What clients accept, and whether they get CSV.
ACCEPTED = {
    "text/csv": True,
    "text/csv, application/json;q=0.9": True,
    "text/csv, */*;q=0.1": True,
    "text/*": True,
    "": False,
    "*/*": False,
    "text/csv;q=0": False,
    "text/csv, application/json": False,
    "text/html,application/xhtml+xml,*/*;q=0.8": False,
}


def rows(body: bytes) -> list[list[str]]:
    return [*csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""))]


def test_who_prefers_csv_to_json_gets_it_and_caches_know(client: Client) -> None:
    form = client.post("/forms", json=FORM).get_json()["id"]
    for accept, is_csv in ACCEPTED.items():
        answer = client.get(f"/forms/{form}/entries", headers={"Accept": accept})
        assert (accept, answer.mimetype == "text/csv") == (accept, is_csv)
        assert "Accept" in answer.headers["Vary"].split(", ")


def test_while_a_client_is_slow_others_write_and_what_is_erased_is_not_sent(
    database_url: str, client: Client
) -> None:
    form = client.post("/forms", json=FORM).get_json()["id"]
    for number in range(150):
        client.post(f"/forms/{form}/entries", json={"2": f"{number}@example.com", "3": "text"})
    other = service(database_url)
    answer = client.get(f"/forms/{form}/entries", headers=CSV, buffered=False)
    parts = iter(answer.response)
    sent = next(parts)
    for name in ("1", "149"):
        erased = other.post("/entries/erase", json={"email": f"{name}@example.com"})
        assert erased.get_json() == {"erased": 1}
    fewer = other.put(f"/forms/{form}", json={**FORM, "fields": FORM["fields"][1:]})
    assert fewer.status_code == 200
    sent += b"".join(parts)
    emails = [row[4] for row in rows(sent)[1:]]
    assert emails == [f"{number}@example.com" for number in range(149)]
    assert len({len(row) for row in rows(sent)}) == 1
    store_of(other.application).dispose()


# 40 MB in 2,000 entries.
FILL = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
INSERT INTO {}
"""
ENTRIES = """entry (form_id, status, is_read, is_starred, created_utc, modified_utc, version,
source_url, ip, user_agent, properties, digest)
SELECT 1, 'active', false, false, '2026-01-31T12:00:00', '2026-01-31T12:00:00', 1, '', '', '',
'{}', '' FROM numbers"""
VALUES = f"""entry_value (entry_id, form_id, key, value, folded)
SELECT id, 1, key, '{"x" * 10_000}', '' FROM entry, (SELECT '1.3' AS key UNION SELECT '3') AS keys
WHERE id IN (SELECT n FROM numbers)"""


def test_a_download_of_any_length_needs_little_memory_and_one_that_stops_is_ended(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_CLIENT_TIMEOUT="3")
    server.call("POST", "/forms", FORM)
    for rows_of in (ENTRIES, VALUES):
        run_sql(server.database, FILL.format(rows_of))
    (worker,) = children(server.process.pid)
    before = memory_kib(worker)
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as client:
        for method, size in (("HEAD", 0), ("GET", 40_000_000)):
            client.request(method, "/forms/1/entries", headers={**CSV, **basic()})
            answer = client.getresponse()
            assert (answer.status, answer.getheader("Content-Type")) == (200, TYPE)
            assert len(answer.read()) >= size
    # Chunks show whether it is complete.
    assert answer.getheader("Transfer-Encoding") == "chunked"
    line = "GET /forms/1/entries HTTP/1.{}\r\nHost: a\r\nAccept: text/csv\r\n"
    line += f"Authorization: {basic()['Authorization']}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as old:
        old.sendall(line.format(0).encode())
        received = b"".join(iter(partial(old.recv, 1 << 20), b""))
        assert len(rows(received.partition(b"\r\n\r\n")[2])) == 2001
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
        slow.sendall(line.format(1).encode())
        # It takes nothing, and is ended; others are answered meanwhile.
        assert server.call("POST", "/forms", FORM)[0] == 201
        sleep(6)
        with pytest.raises(ConnectionResetError):
            deque(iter(partial(slow.recv, 1 << 20), b""), maxlen=0)
    assert memory_kib(worker) < before + 40_000
    assert peak_of_workers(server) * 1024 < before + 40_000


def test_slow_readers_and_slow_bodies_keep_no_request_waiting(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_CLIENT_TIMEOUT="120")
    server.call("POST", "/forms", FORM)
    page = server.call("POST", "/pages", {"title": "Beside them"})[1]["id"]
    for rows_of in (ENTRIES, VALUES):
        run_sql(server.database, FILL.format(rows_of))
    (worker,) = children(server.process.pid)
    before = memory_kib(worker)
    reads = Kind(head("GET /forms/1/entries", "Accept: text/csv"), takes=4096)
    with (
        crawling(server.port, 20, reads),
        crawling(server.port, 40, KINDS["a body that crawls"]),
    ):
        until(lambda: memory_kib(worker) > before + 20_000, "No download begins.")
        for number in range(50):
            # Each address is a new one: no response is cached.
            assert server.call("GET", f"/pages/{page}?number={number}")[0] == 200
        # Of each a batch of entries is made, and no more before it is taken.
        assert memory_kib(worker) < before + 150_000
