"""The place of the file fails: writes are refused, reads go on, and then all works again."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Server, Start
from databases import check, run_sql
from disks import filled
from processes import children, until
from writers import Client

pytestmark = pytest.mark.sqlite("the place is PostgreSQL's")

BIG = "0123456789abcdef" * 2000


@contextmanager
def full(server: Server, folder: Path) -> Iterator[None]:
    """Fill the disk up."""
    with filled(folder):
        yield


@contextmanager
def bounded(server: Server, folder: Path) -> Iterator[None]:
    """Let no file grow any further: the log of SQLite's neither."""
    bound, workers = (folder / "landform.db-wal").stat().st_size, children(server.process.pid)
    for worker in workers:
        resource.prlimit(worker, resource.RLIMIT_FSIZE, (bound, resource.RLIM_INFINITY))
    yield
    for worker in workers:
        resource.prlimit(worker, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


@contextmanager
def read_only(server: Server, folder: Path) -> Iterator[None]:
    """Turn the files read-only, and kill the worker so that another one opens them so."""
    for file in folder.iterdir():
        protect(file, True)
    try:
        workers = children(server.process.pid)
        os.kill(workers[0], signal.SIGKILL)
        until(lambda: children(server.process.pid) not in ([], workers), "No worker comes.")
        assert server.call("GET", "/pages")[0] == 200
        yield
    finally:
        for file in folder.iterdir():
            protect(file, False)


def protect(file: Path, on: bool) -> None:
    """Make a file one that cannot be written; root heeds no permissions."""
    if os.geteuid() != 0:
        rights = 0o555 if file.is_dir() else 0o444
        file.chmod(rights if on else rights | 0o200)
    elif subprocess.run(
        ["chattr", "+i" if on else "-i", file], capture_output=True, check=False
    ).returncode:
        pytest.skip("A file cannot be made immutable here.")


@contextmanager
def deleted(server: Server, folder: Path) -> Iterator[None]:
    """Delete the folder, and bring a copy of what was in it."""
    copy = folder.with_name("copy")
    copy.mkdir()
    with closing(sqlite3.connect(folder / "landform.db")) as connection:
        connection.execute("VACUUM INTO ?", [str(copy / "landform.db")])
    shutil.rmtree(folder)
    yield
    copy.rename(folder)


FAULTS = {
    "the disk is full": (full, 507), "the log of writes cannot grow": (bounded, 503),
    "the file is read-only": (read_only, 503), "the file is deleted": (deleted, 503),
}  # fmt: skip


def at_once(server: Server, requests: list[tuple[str, str, Any]]) -> list[tuple[int, Any]]:
    """Send requests from as many clients; return status, body and Retry-After of each."""

    def send(request: tuple[str, str, Any]) -> tuple[int, Any, str | None]:
        with Client(server) as client:
            return *client.call(*request), client.headers["Retry-After"]

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


@pytest.mark.parametrize("fault", FAULTS)
def test_writes_are_refused_reads_go_on_and_later_it_works_without_a_restart(
    start_server: Start, small_disk: Callable[[], Path], tmp_path: Path, fault: str
) -> None:
    break_it, expected = FAULTS[fault]
    folder = small_disk() if break_it is full else tmp_path / "data"
    folder.mkdir(exist_ok=True)
    # One worker: another one might still be starting, which it could not without its database.
    where = {"LANDFORM_DATABASE_URL": f"sqlite:///{folder}/landform.db"}
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_THREADS="8", **where)
    soon = server.call("POST", "/pages", {"title": "Soon", "date": "2099-01-01T00:00:00"})[1]
    acknowledged = {soon["id"]: "Soon"}
    some = [("POST", "/pages", {"title": f"Before {n}"}) for n in range(8)]
    refused = []

    def write(requests: list[tuple[str, str, Any]]) -> set[int]:
        answers = at_once(server, requests)
        for (_, _, sent), (status, body, retry) in zip(requests, answers, strict=True):
            if status == 201:
                acknowledged[body["id"]] = sent["title"]
            else:
                assert int(retry) > 0, body
                assert body["data"]["status"] == status, body
                assert set(body) == {"code", "message", "data"}
                refused.append(status)
        return {status for status, *_ in answers}

    assert write(some) == {201}
    # Another worker has to start before a file is read-only.
    due = datetime.now(UTC) + timedelta(seconds=12 if break_it is read_only else 6)
    assert server.call("PATCH", "/pages/1", {"date": f"{due:%Y-%m-%dT%H:%M:%S}"})[0] == 200
    with break_it(server, folder):
        for _ in range(12):
            write([("POST", "/pages", {"title": "During", "content": BIG})] * 8)
        assert write([("POST", "/pages", {"title": "During", "content": BIG})] * 8) == {expected}
        for path in ("/pages/2", "/pages", "/pages?search=before", "/feeds"):
            assert server.call("GET", path)[0] == 200
        # A page that comes due is shown so, which cannot be stored.
        until(lambda: server.send("GET", "/pages/1", {}, None)[0] == 200, "It is not shown.")
        # A log that starts again may have room for so short a write.
        assert break_it is bounded or stored_status(folder) in ("future", None)
    for _ in range(3):
        assert write([("POST", "/pages", {"title": "After"})] * 8) == {201}
    until(lambda: stored_status(folder) == "publish", "It is not stored.")
    found = dict(run_sql(server.database, "SELECT id, title_rendered FROM page"))
    lost = acknowledged.items() - found.items()
    assert not lost
    assert len(found) == len(acknowledged)
    check(server.database)


def stored_status(folder: Path) -> str | None:
    """Return the status in the file itself; None where there is no file."""
    if not (folder / "landform.db").exists():
        return None
    with closing(sqlite3.connect(f"file:{folder}/landform.db?mode=ro", uri=True)) as connection:
        return str(connection.execute("SELECT status FROM page WHERE id = 1").fetchone()[0])


def test_the_probe_and_the_log_report_a_full_disk_until_there_is_space(
    start_server: Start, small_disk: Callable[[], Path], tmp_path: Path
) -> None:
    folder = small_disk()
    server = start_server(LANDFORM_DATABASE_URL=f"sqlite:///{folder}/landform.db")
    assert server.call("GET", "/readyz") == (200, {"status": "ok"})
    with full(server, folder):
        while server.call("POST", "/pages", {"title": "T", "content": BIG})[0] != 507:
            pass
        for _ in range(20):
            assert server.call("POST", "/pages", {"title": "T", "content": BIG})[0] == 507
            told = {"status": "unavailable", "reason": "The disk is full."}
            assert server.call("GET", "/readyz") == (503, told)
        assert server.call("GET", "/healthz")[0] == 200
        assert server.call("GET", "/pages")[0] == 200
    assert server.call("GET", "/readyz")[0] == 200
    assert server.call("POST", "/pages", {"title": "T"})[0] == 201
    log = (tmp_path / "server.log").read_text()
    # Each of the two workers says so, once a minute.
    assert 1 <= log.count("the disk is full") <= 2
    assert "no transaction is active" not in log
    assert "Storage failed" not in log
