"""Storage: opening, migrating, refusing, locking, and giving connections back."""

import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import LIST, migrated
from conftest import PAGE as A_PAGE
from databases import run_sql

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


def test_a_database_newer_than_the_code_is_refused_untouched(new_database: str) -> None:
    migrated(new_database)
    later = "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2099-01-01')"
    run_sql(new_database, later)
    before = run_sql(new_database, "SELECT * FROM schema_migration")
    for look in (Store.migrate, Store.check):
        with pytest.raises(DatabaseUnusable, match=r"newer schema \(9999_later\)"):
            look(Store(new_database))
    assert run_sql(new_database, "SELECT * FROM schema_migration") == before


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


def test_postgresql_without_its_driver_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [one for one in sys.modules if one.startswith("landform.storage.engines.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseUnusable, match="install the extra `postgres`"):
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
