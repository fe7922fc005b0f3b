"""What only a store on PostgreSQL has: servers that go away, locks between machines, long texts.

All other tests run on it too: `pytest --database postgresql`.
"""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from applications import service
from conftest import PAGE as A_PAGE
from conftest import migrated
from databases import Postgres, run_sql
from processes import until

from landform.storage import DatabaseUnusable, Store, Unavailable, feeds, pages
from landform.storage.engines.postgres import engine as postgres_engine
from landform.storage.maintenance import verify
from landform.storage.pages import listing

pytestmark = pytest.mark.postgresql
PAGE = {**A_PAGE, "content_raw": "C"}
FEED = {"form_id": 1, "addon_slug": "a", "meta": {}}
LIST = {"page": 1, "per_page": 100, "order": "desc", "orderby": "date"}


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of its own, which keeps what it has acknowledged."""
    server = Postgres()
    yield server
    server.remove()


def want_a_standby(server: Postgres) -> None:
    """Let no commit be acknowledged, for want of a standby."""
    server.execute("postgres", "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    server.execute("postgres", "SELECT pg_reload_conf()")
    settled = "SELECT setting FROM pg_settings WHERE name = 'synchronous_standby_names'"
    until(lambda: server.execute("postgres", settled) == [("nobody",)], "It is not settled.")


def test_a_role_that_may_not_create_the_extension_is_served(postgres: Postgres) -> None:
    url = postgres.create()
    name = url.rpartition("/")[2]
    run_sql(postgres.url("postgres"), f"CREATE ROLE plain_{name} LOGIN")
    run_sql(url, f"GRANT ALL ON SCHEMA public TO plain_{name}")
    store = migrated(url.replace("landform@", f"plain_{name}@"))
    indexes = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'page_text_%%'"
    with store.connection() as db:
        pages.create(store, {**PAGE, "title_raw": "Ünder the sea"})
        found = [
            listing.list_pages(store, {**LIST, "search": word}, ["id"]) for word in ("UNDER", "e")
        ]
        assert [one.total for one in found] == [1, 1]
        assert len(db.execute_sql(indexes, ()).fetchall()) == 1
    # Once an administrator has created it, and wherever.
    run_sql(url, "CREATE SCHEMA apart")
    run_sql(url, "CREATE EXTENSION pg_trgm SCHEMA apart")
    run_sql(url, f"GRANT USAGE ON SCHEMA apart TO plain_{name}")
    with store.connection() as db:
        db.dialect.rebuild_search_index(db)
        db.compact()
        assert len(db.execute_sql(indexes, ()).fetchall()) == 3
        assert listing.list_pages(store, {**LIST, "search": "under"}, ["id"]).total == 1
    store.dispose()


def test_connections_survive_a_restart(server: Postgres, caplog: pytest.LogCaptureFixture) -> None:
    url = server.url("template")
    client, other = service(url), service(url)
    for how in ("fast", "immediate"):
        assert client.post("/pages", json={"title": how}).status_code == 201
        before = client.get("/pages").get_json()
        assert other.get("/pages").get_json() == before
        server.stop(how)
        for answer in (client.get("/pages"), client.post("/pages", json={"title": "lost"})):
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
        assert client.get("/readyz").status_code == 503
        # Each says why, also right after another one that could not connect.
        told = [text for text in caplog.messages if text.startswith("Storage failed")]
        assert len(told) == 2
        assert all(str(server.port) in text or "terminat" in text for text in told), told
        caplog.clear()
        server.start()
        assert other.post("/pages", json={"title": f"after {how}"}).status_code == 201
        assert client.get("/pages").headers["X-WP-Total"] == str(len(before) + 1)


# Ends the connection at the commit of a page.
ENDS = """
    CREATE FUNCTION ends() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON page DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION ends()
"""


def test_a_commit_with_an_unknown_result_is_a_503_storage_uncertain(database_url: str) -> None:
    client = service(database_url)
    assert client.post("/pages", json={"title": "Before"}).status_code == 201
    run_sql(database_url, ENDS)
    key = {"Idempotency-Key": "once"}
    answer = client.post("/pages", json={"title": "Cut"}, headers=key)
    assert (answer.status_code, answer.get_json()["code"]) == (503, "storage_uncertain")
    run_sql(database_url, "DROP TRIGGER ends ON page")
    again = client.post("/pages", json={"title": "Cut"}, headers=key)
    assert (again.status_code, again.get_json()["slug"]) == (201, "cut")
    assert client.get("/pages").headers["X-WP-Total"] == "2"


def test_a_commit_that_no_standby_has_is_not_acknowledged(server: Postgres) -> None:
    client = service(server.url("template"))
    want_a_standby(server)
    waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(client.post, "/pages", json={"title": "Alone"})
        until(lambda: server.execute("postgres", waiting), "Nobody waits.")
        assert not answer.done()
        server.execute("postgres", f"SELECT pg_cancel_backend(pid) {waiting.partition('pid')[2]}")
    assert answer.result().get_json()["code"] == "storage_uncertain"


def test_a_server_that_does_not_answer_is_a_503_after_the_timeout(server: Postgres) -> None:
    client = service(server.url("template"), POSTGRES_STATEMENT_TIMEOUT=0.5, CACHE_BYTES=0)
    assert client.get("/pages").status_code == 200
    found = "SELECT pid FROM pg_stat_activity WHERE datname = 'template'"
    [(backend,)] = server.execute("postgres", found)
    os.kill(backend, signal.SIGSTOP)
    assert client.get("/pages").status_code == 503
    assert client.get("/pages").status_code == 200
    assert client.post("/pages", json={"title": "T"}).status_code == 201
    os.kill(backend, signal.SIGCONT)


@pytest.mark.skipif(not psycopg.capabilities.has_cancel_safe(), reason="this libpq is too old")
def test_a_statement_beyond_the_timeout_is_cancelled(postgres: Postgres, database_url: str) -> None:
    client = service(database_url, POSTGRES_STATEMENT_TIMEOUT=0.3, CACHE_BYTES=0)
    name = database_url.rpartition("/")[2]
    with psycopg.connect(database_url) as other:
        other.execute("LOCK TABLE page_text IN ACCESS EXCLUSIVE MODE")
        for _ in range(4):
            assert client.get("/pages?search=abc").status_code == 503
            assert client.get("/pages").status_code == 200
        waiting = f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}' AND state = 'active'"
        until(lambda: not postgres.execute("postgres", waiting), "It goes on.", 10)
    assert client.get("/pages?search=abc").status_code == 200


def test_tenants_in_schemas_of_their_own_need_nothing_of_each_other(postgres: Postgres) -> None:
    url, stores = postgres.create(), []
    name = url.rpartition("/")[2]
    for tenant in ("one", "two"):
        run_sql(postgres.url("postgres"), f"CREATE ROLE {tenant}_{name} LOGIN")
        run_sql(url, f"GRANT CREATE ON DATABASE {name} TO {tenant}_{name}")
        own = url.replace("landform@", f"{tenant}_{name}@")
        run_sql(own, f"CREATE SCHEMA {tenant}")
        store = migrated(f"{own}?options=-csearch_path%3D{tenant}", busy_timeout=0.5)
        with store.connection() as db:
            pages.create(store, {**PAGE, "title_raw": "Needle"})
            assert listing.list_pages(store, {**LIST, "search": "needle"}, ["id"]).total == 1
            # Whatever else is in the search path of who changes a row.
            db.execute_sql("SET search_path = public")
            db.execute_sql(f"UPDATE {tenant}.page SET status = 'draft'")
        store.dispose()
        assert list(verify.find_problems(store)) == []
        stores.append(store)
    with stores[0].connection(), stores[0].transaction(), stores[1].connection():
        assert [pages.create(store, PAGE)["id"] for store in stores] == [2, 2]
    for store in stores:
        store.dispose()


def test_a_process_that_stops_in_a_write_does_not_stop_the_others(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_engine, "IDLE_SECONDS", 1)
    stuck, other = Store(database_url, answer_timeout=10), Store(database_url)

    def write_and_stop() -> None:
        with stuck.connection(), stuck.transaction():
            feeds.create(stuck, FEED)
            with other.connection():
                assert feeds.create(other, FEED)["id"] == 2
            feeds.create(stuck, FEED)

    with pytest.raises(Unavailable):
        write_and_stop()
    with other.connection():
        assert [feed["id"] for feed in feeds.list_feeds(other, {})] == [2]
    stuck.dispose()
    other.dispose()


@pytest.mark.parametrize("how", ["by its role", "by its session"])
def test_a_read_only_database_is_reported(postgres: Postgres, database_url: str, how: str) -> None:
    name = database_url.rpartition("/")[2]
    url = f"{database_url}?options=-c%20default_transaction_read_only%3Don"
    if how == "by its role":
        run_sql(postgres.url("postgres"), f"CREATE ROLE reader_{name} LOGIN")
        run_sql(database_url, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader_{name}")
        url = database_url.replace("landform@", f"reader_{name}@")
    client = service(url)
    assert client.get("/pages").get_json() == []
    answer = client.post("/pages", json={"title": "T"})
    assert (answer.status_code, answer.get_json()["code"]) == (503, "storage_unavailable")
    assert client.get("/readyz").get_json()["reason"] == "The database cannot be written to."
    if how == "by its role":
        run_sql(database_url, f"DROP OWNED BY reader_{name}")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:hush@hush@127.0.0.1/x", "postgresql://user:hu/sh@127.0.0.1/x",
        "postgresql://user:hush@127.0.0.1/x?hush=1", "postgresql://user:hush@[/x",
        "postgresql://user:hush@127.0.0.1:hush/x", "postgresql://user:hush@127.0.0.1:1/x",
    ],
)  # fmt: skip
def test_no_secret_of_a_url_is_told(url: str) -> None:
    with pytest.raises(DatabaseUnusable) as refused:
        Store(url).migrate()
    told = [str(refused.value), str(refused.value.__cause__), repr(refused.value)]
    assert "hu" not in "".join(told).replace("should", "")


FULL = """
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON page EXECUTE FUNCTION no_room();
    CREATE TRIGGER no_room BEFORE UPDATE ON store EXECUTE FUNCTION no_room()
"""


def test_the_probe_reports_a_full_disk(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    client = service(database_url)
    run_sql(database_url, FULL)
    for _ in range(5):
        assert client.post("/pages", json={"title": "T"}).status_code == 507
        assert client.get("/readyz").get_json()["reason"] == "The disk is full."
    assert len([text for text in caplog.messages if "the disk is full" in text]) == 1
    run_sql(database_url, "DROP FUNCTION no_room CASCADE")
    assert client.get("/readyz").status_code == 200
    assert client.post("/pages", json={"title": "T"}).status_code == 201
