"""`sqlite:///:memory:`: one database per store, for every thread of its process, gone with it."""

import gc
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import LIST, PAGE, SECRET, basic, migrated
from flask import Flask

from landform.app import create_app
from landform.service import create_blueprint
from landform.storage import DatabaseUnusable, Store, Unavailable, pages
from landform.storage.pages import listing
from landform.storage.sql import versions

URL = "sqlite:///:memory:"
COLUMNS = ("id", "title_raw")
FEED = {"form_id": 1, "addon_slug": "mailer", "meta": {"a": 1}}
pytestmark = pytest.mark.sqlite("PostgreSQL has no such database")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, in which no test leaves anything."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def store() -> Iterator[Store]:
    store = migrated(URL)
    yield store
    store.close()


def total(store: Store) -> int:
    with store.connection():
        return listing.list_pages(store, LIST, COLUMNS).total


def test_a_store_keeps_what_is_written_while_none_of_its_connections_is_open(store: Store) -> None:
    with store.connection():
        pages.create(store, PAGE)
    store.dispose()
    assert total(store) == 1


def test_two_stores_share_nothing_not_even_their_identity(store: Store) -> None:
    other = migrated(URL)
    with store.connection():
        pages.create(store, PAGE)
    assert (total(store), total(other)) == (1, 0)
    assert store.identity != other.identity
    generations = []
    for one in (store, other):
        with one.connection():
            generations.append(versions.generation(one))
    assert generations[0] != generations[1]
    other.close()


def test_every_commit_is_seen_by_whoever_watches_for_commits(store: Store) -> None:
    seen = [store.watched_versions()]
    for _ in range(3):
        with store.connection():
            pages.create(store, PAGE)
        seen.append(store.watched_versions())
    assert None not in seen
    assert len({versions.of("page") for versions in seen if versions}) == 4


def test_a_closed_store_is_gone_and_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(Unavailable, match="until its store is closed"), store.connection():
        pytest.fail("it was opened")
    with pytest.raises(DatabaseUnusable, match="There is no database :memory:"):
        store.check()


def test_a_store_that_nobody_has_any_more_takes_no_memory() -> None:
    store = migrated(URL)
    uri = store.database.uri  # type: ignore[attr-defined]
    with store.connection():
        pages.create(store, PAGE)
    # A connection finds the database as long as there is one: then it has pages.
    assert _pages_of(uri) > 0
    del store
    gc.collect()
    assert _pages_of(uri) == 0


def _pages_of(uri: str) -> int:
    connection = sqlite3.connect(uri, uri=True)
    try:
        return int(connection.execute("PRAGMA page_count").fetchone()[0])
    finally:
        connection.close()


def test_another_process_is_refused_with_the_reason(store: Store) -> None:
    with store.connection():
        pages.create(store, PAGE)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            with store.connection():
                os.write(writing, b"opened")
        except Unavailable as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    assert b"served neither by other processes" in os.read(reading, 1000)
    os.close(reading)
    assert total(store) == 1


def test_a_check_finds_nothing_wrong(store: Store) -> None:
    with store.connection() as db:
        pages.create(store, PAGE)
        assert list(db.integrity_problems()) == []
        db.compact()
    store.check(current=True)
    assert store.database.is_writable()
    assert store.database.size() > 0


def standalone() -> Flask:
    return create_app({"DATABASE_URL": URL, "CREDENTIALS": SECRET})


def embedded() -> Flask:
    name, _, secret = SECRET.partition(":")
    host = Flask(__name__)
    host.register_blueprint(create_blueprint(URL, credentials={name: secret}))
    return host


@pytest.mark.parametrize("make", [standalone, embedded])
def test_an_application_serves_one_to_all_of_its_threads(make: Callable[[], Flask]) -> None:
    app = make()

    def work(number: int) -> list[int]:
        client = app.test_client()
        body = {"title": f"Offer {number}"}
        return [
            client.post("/pages", json=body, headers=basic()).status_code,
            client.get("/pages").status_code,
            client.get(f"/pages?search={number}").status_code,
        ]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(work, range(12))) == [[201, 200, 200]] * 12
    client = app.test_client()
    assert client.get("/pages").headers["X-WP-Total"] == "12"
    # Cached responses follow each write.
    client.post("/pages", json={"title": "One more"}, headers=basic())
    assert client.get("/pages").headers["X-WP-Total"] == "13"


@pytest.mark.servers
@pytest.mark.parametrize(
    "command",
    [
        ("landform.standalone.cli", "serve"),
        ("landform.standalone.cli", "key", "create", "editor", "--scope", "pages:read"),
        ("gunicorn", "--bind", "127.0.0.1:0", "landform.wsgi:app"),
    ],
)
def test_what_would_serve_it_from_several_processes_is_refused(
    command: tuple[str, ...], folder: Path
) -> None:
    variables = {**os.environ, "LANDFORM_DATABASE_URL": URL}
    ran = subprocess.run(
        [sys.executable, "-B", "-m", *command], env=variables, cwd=folder, check=False,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode != 0
    assert "LANDFORM_DATABASE_URL cannot be a database in memory: each process" in ran.stderr
