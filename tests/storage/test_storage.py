"""Storage: opening, migrating, refusing, locking, and giving connections back."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import LIST, SECRET, basic, migrated
from conftest import PAGE as A_PAGE
from databases import run_sql
from flask.testing import FlaskClient

from landform.app import create_app
from landform.storage import (
    Busy,
    Clock,
    DatabaseUnusable,
    DiskFull,
    FeedNotFound,
    Store,
    VersionConflict,
    feeds,
    pages,
)
from landform.storage.engines.sqlite import transactions
from landform.storage.pages import listing
from landform.storage.sql import identity
from landform.storage.sql.versions import Expected

PAGE = {**A_PAGE, "content_raw": "C"}
FEED = {"form_id": 1, "addon_slug": "a", "meta": {"k": "v"}}


@pytest.fixture
def store(database_url: str) -> Store:
    return migrated(database_url)


@pytest.mark.sqlite("databases of PostgreSQL are lent with a schema")
def test_migrating_twice_does_nothing_the_second_time(database_url: str) -> None:
    assert Store(database_url).migrate() == [
        "0001_pages_and_feeds", "0002_keys_and_versions", "0003_counts", "0004_identity",
        "0005_unindexed_pages", "0006_forms_and_languages", "0007_site", "0008_runs",
        "0009_imports", "0010_lists",
    ]  # fmt: skip
    assert Store(database_url).migrate() == []


@pytest.mark.servers
def test_many_processes_migrate_a_new_database_and_one_does_it(new_database: str) -> None:
    command = [sys.executable, "-m", "landform.standalone.cli", "migrate"]
    environment = {"LANDFORM_DATABASE_URL": new_database}
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(6)
    ]
    printed = [process.communicate()[0].decode() for process in started]
    assert {process.returncode for process in started} == {0}, printed
    assert sum("applied 0001" in text for text in printed) == 1


def test_a_database_newer_than_the_code_is_refused_untouched(new_database: str) -> None:
    migrated(new_database)
    later = "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2099-01-01')"
    run_sql(new_database, later)
    before = run_sql(new_database, "SELECT * FROM schema_migration")
    for look in (Store.migrate, Store.check):
        with pytest.raises(DatabaseUnusable, match=r"newer schema \(9999_later\)"):
            look(Store(new_database))
    assert run_sql(new_database, "SELECT * FROM schema_migration") == before


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are my notes. " * 1000)
    file.chmod(0o664)
    with pytest.raises(DatabaseUnusable, match="cannot be opened as a database"):
        Store(f"sqlite:///{file}").migrate()
    assert file.read_text() == "These are my notes. " * 1000
    assert file.stat().st_mode & 0o777 == 0o664


def test_the_database_of_another_program_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE page (text TEXT)")
    file.chmod(0o644)
    with pytest.raises(DatabaseUnusable):
        Store(f"sqlite:///{file}").migrate()
    assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite:///{folder}/missing/x.db", "folder of the database"),
        ("sqlite:///{folder}", "is a folder"),
        ("sqlite:///", "needs a file"),
        ("sqlite://x.db", "must look like"),
        ("mysql:///x", "must look like"),
        ("landform.db", "must look like"),
    ],
)
def test_a_place_that_holds_no_database_is_refused(tmp_path: Path, url: str, reason: str) -> None:
    with pytest.raises(DatabaseUnusable, match=reason):
        Store(url.format(folder=tmp_path)).migrate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sqlite("the server decides")
def test_an_answered_write_is_durable_by_default(store: Store) -> None:
    with store.connection() as db:
        assert db.pragma("journal_mode") == "wal"
        assert db.pragma("synchronous") == 2
        assert db.pragma("foreign_keys") == 1
        assert db.pragma("busy_timeout") == 10_000
        feeds.create(store, FEED)
        assert db.pragma("busy_timeout") == 10_000
        with pytest.raises(FeedNotFound):
            feeds.delete(store, 99)
        assert db.pragma("busy_timeout") == 10_000
    with Store(store.url, busy_timeout=2.5).connection() as db:
        assert db.pragma("busy_timeout") == 2500


def test_a_lock_held_too_long_is_told_and_nothing_is_written(database_url: str) -> None:
    settings = {"DATABASE_URL": database_url, "CREDENTIALS": SECRET, "BUSY_TIMEOUT": 0.05}
    client = create_app(settings).test_client()
    other = Store(database_url)
    with other.connection(), other.transaction():
        answer = client.post("/pages", json={"title": "T"}, headers=basic())
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
        assert answer.get_json()["code"] == "storage_unavailable"
        assert client.get("/pages").get_json() == []
    assert client.post("/pages", json={"title": "T"}, headers=basic()).status_code == 201


def test_a_writer_waits_for_another_one(store: Store) -> None:
    waited = threading.Event()

    def write() -> None:
        with store.connection():
            feeds.create(store, FEED)
        waited.set()

    with store.connection(), store.transaction():
        feeds.create(store, FEED)
        thread = threading.Thread(target=write)
        thread.start()
        assert not waited.wait(0.1)
    thread.join()
    with store.connection():
        assert len(feeds.list_feeds(store, {})) == 2
    store.dispose()


@pytest.mark.sqlite("the disk is the server's")
def test_without_room_a_write_fails_whole(store: Store) -> None:
    with store.connection() as db:
        db.execute_sql(f"PRAGMA max_page_count = {db.pragma('page_count') + 3}")
        big = {**PAGE, "content_raw": "x" * 50_000}
        with pytest.raises(DiskFull):
            store_page(store, big)
        assert listing.list_pages(store, LIST, ["id"]).total == 0
    store.dispose()


def store_page(store: Store, page: dict[str, Any]) -> dict[str, Any]:
    with store.connection():
        return pages.create(store, page)


def test_a_failure_inside_a_transaction_leaves_nothing_behind(store: Store) -> None:
    with store.connection():
        with pytest.raises(ZeroDivisionError), store.transaction():
            _ = pages.create(store, PAGE), feeds.create(store, FEED), 1 // 0
        assert listing.list_pages(store, LIST, ["id"]).total == 0
        assert feeds.list_feeds(store, {}) == []


def test_connections_are_given_back_and_used_again(store: Store) -> None:
    database = store.database
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), store.connection():
            raise ZeroDivisionError
        with store.connection():
            feeds.list_feeds(store, {})
    assert (database.is_closed(), len(database._idle)) == (True, 1)
    store.dispose()
    assert len(database._idle) == 0


def test_ids_are_never_given_out_twice(store: Store) -> None:
    with store.connection():
        first = [pages.create(store, PAGE)["id"], feeds.create(store, FEED)["id"]]
        pages.delete(store, first[0])
        feeds.delete(store, first[1])
        second = [pages.create(store, PAGE)["id"], feeds.create(store, FEED)["id"]]
    assert first == [1, 1]
    assert second == [2, 2]


def test_a_write_expects_a_version_of_this_generation(store: Store) -> None:
    """Where the store was put back after somebody had looked at it, the number means nothing."""
    with store.connection():
        page = pages.create(store, PAGE)["id"]
        generation = identity.generation(store)
        for other in (Expected("other", {1}), Expected(generation, {2})):
            with pytest.raises(VersionConflict):
                pages.update(store, page, {"author": 2}, other)
        pages.update(store, page, {"author": 2}, Expected(generation, {1}))


def test_two_stores_in_one_process_do_not_mix(make_database: Callable[[], str]) -> None:
    stores = [migrated(make_database()) for _ in range(2)]
    with stores[0].connection(), stores[1].connection():
        pages.create(stores[0], PAGE)
        assert [listing.list_pages(store, LIST, ["id"]).total for store in stores] == [1, 0]


def test_the_text_index_follows_every_write(store: Store) -> None:
    def hits(word: str) -> int:
        return listing.list_pages(store, {**LIST, "search": word}, ["id"]).total

    with store.connection() as db:
        page = pages.create(store, {**PAGE, "content_raw": "one apple"})["id"]
        assert (hits("apple"), hits("pear")) == (1, 0)
        pages.update(store, page, {"content_raw": "one pear", "content_rendered": "one pear"})
        assert (hits("apple"), hits("pear")) == (0, 1)
        pages.delete(store, page)
        assert (hits("apple"), hits("pear")) == (0, 0)
        assert list(db.integrity_problems()) == []


def test_local_time_and_utc_are_told_apart() -> None:
    clock = Clock("Europe/Zurich")
    assert clock.moment(datetime(2026, 7, 1, 12)) == ("2026-07-01T12:00:00", "2026-07-01T10:00:00")
    aware = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert clock.moment(aware) == ("2026-01-01T13:00:00", "2026-01-01T12:00:00")


def test_the_ends_of_the_calendar_are_no_trap() -> None:
    clock = Clock("Asia/Tokyo")
    assert clock.moment(datetime(1, 1, 1)).utc == "0001-01-01T00:00:00"
    late = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert clock.moment(late).local == "9999-12-31T23:59:59"


def test_busy_is_what_a_lock_is_called(store: Store, database_url: str) -> None:
    impatient = Store(database_url, busy_timeout=0.01)
    with store.connection(), store.transaction():
        feeds.create(store, FEED)
        with pytest.raises(Busy), impatient.connection():
            feeds.create(impatient, FEED)


@pytest.mark.sqlite("a server waits by itself")
def test_reads_wait_for_locks_also_after_a_write_that_was_refused(
    store: Store, database_url: str
) -> None:
    impatient = Store(database_url, busy_timeout=0.01)
    with impatient.connection() as db:
        with (
            store.connection(), store.transaction(),
            pytest.raises(Busy), impatient.connection(),
        ):  # fmt: skip
            feeds.create(impatient, FEED)
        assert db.pragma("busy_timeout") == 10


def test_no_id_is_lost_over_a_slug_that_is_taken(store: Store) -> None:
    with store.connection():
        made = [pages.create(store, {**PAGE, "slug": slug}) for slug in ("a", "a", "7", "a", "a-2")]
    assert [page["id"] for page in made] == [1, 2, 3, 4, 5]
    assert [page["slug"] for page in made] == ["a", "a-2", "7-2", "a-3", "a-2-2"]


def test_a_date_written_back_as_it_was_read_is_the_same_instant(database_url: str) -> None:
    store = Store(database_url, Clock("Europe/Zurich"))
    store.migrate()
    # Half past two comes twice that night; the offset says that the second one is meant.
    twice = datetime.fromisoformat("2027-10-31T02:30:00+01:00")
    with store.connection():
        page = pages.create(store, {**PAGE, "date": twice})
        again = pages.update(store, page["id"], {"date": datetime.fromisoformat(page["date"])})
    assert again["date_utc"] == page["date_utc"] == "2027-10-31T01:30:00"


def test_a_page_that_came_due_is_published_before_it_is_written(
    client: FlaskClient, make_page: Callable[..., dict[str, Any]], database_url: str
) -> None:
    page = make_page(date="2099-01-01T00:00:00")
    run_sql(database_url, "UPDATE page SET date_utc = '2020-01-01T00:00:00'")
    assert client.put(f"/pages/{page['id']}", json={}).get_json()["status"] == "publish"


def test_postgresql_without_its_driver_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [one for one in sys.modules if one.startswith("landform.storage.engines.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseUnusable, match=r"install landform\[postgres\]"):
        Store("postgresql://user:hush@127.0.0.1/x")


@pytest.mark.sqlite("it is about the log beside the file")
def test_a_large_log_starts_again_once_its_readers_have_ended(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "LOOK_SECONDS", 0)
    monkeypatch.setattr(transactions, "RESTART_MILLISECONDS", 1)
    store, other = migrated(database_url), migrated(database_url)

    def write(times: int) -> int:
        """Write pages; return how often the log has started again, as its header counts."""
        for _ in range(times):
            pages.create(store, PAGE)
        return int.from_bytes(Path(f"{store.database.path}-wal").read_bytes()[12:16])

    with store.connection():
        before = write(10)
        assert write(1) == before
        monkeypatch.setattr(transactions, "LOG_BYTES", 1000)
        with other.connection(), other.database.snapshot():
            assert pages.get(other, 1)["id"] == 1
            assert write(10) == before
        write(1)
        assert write(1) > before
        assert store.database.execute_sql("PRAGMA busy_timeout").fetchone() == (10_000,)
        assert listing.list_pages(store, LIST, ["id"]).total == 23
    store.dispose()
    other.dispose()
