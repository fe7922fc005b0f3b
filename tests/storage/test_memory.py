"""`sqlite:///:memory:`: one database per store, for every thread of its process, gone with it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import LIST, PAGE, SECRET, basic, migrated
from test_forks import in_child

from landform.app import create_app
from landform.storage import DatabaseUnusable, Store, Unavailable, pages
from landform.storage.pages import listing
from landform.storage.sql import read_generation

URL = "sqlite:///:memory:"
COLUMNS = ("id", "title_raw")
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


def test_two_stores_share_nothing_and_keep_rows_without_connections(store: Store) -> None:
    other = migrated(URL)
    with store.connection():
        pages.create(store, PAGE)
    store.dispose()
    found = []
    for one in (store, other):
        with one.connection():
            total = listing.list_pages(one, LIST, COLUMNS).total
            found.append((total, one.identity, read_generation(one)))
    assert [total for total, *_ in found] == [1, 0]
    assert all(mine != others for mine, others in zip(*found, strict=True))
    other.close()


def test_a_closed_store_is_gone_and_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(Unavailable, match="until its store is closed"), store.connection():
        pytest.fail("it was opened")
    with pytest.raises(DatabaseUnusable, match="There is no database :memory:"):
        store.check()


def test_another_process_is_refused_with_the_reason(store: Store) -> None:
    with store.connection():
        pages.create(store, PAGE)

    def look() -> None:
        with store.connection():
            pytest.fail("it was opened")

    assert "served neither by other processes" in in_child(look)
    with store.connection():
        assert pages.get(store, 1)["id"] == 1


def test_an_application_serves_one_to_all_of_its_threads() -> None:
    app = create_app({"DATABASE_URL": URL, "CREDENTIALS": SECRET})

    def work(number: int) -> list[int]:
        client, body = app.test_client(), {"title": f"Offer {number}"}
        paths = ("/pages", f"/pages?search={number}")
        created = client.post("/pages", json=body, headers=basic()).status_code
        return [created, *(client.get(path).status_code for path in paths)]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(work, range(12))) == [[201, 200, 200]] * 12
    client = app.test_client()
    for count in ("12", "13"):
        # Cached responses follow each write.
        assert client.get("/pages").headers["X-WP-Total"] == count
        client.post("/pages", json={"title": "One more"}, headers=basic())
