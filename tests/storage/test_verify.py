"""`landform verify` finds damage, and `landform vacuum` makes anew what can be derived."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from applications import fill
from conftest import LIST, PAGE, migrated
from databases import run_sql
from files import command
from part_tables import tables

from landform.storage import Store, pages
from landform.storage.engines.database import INDEX
from landform.storage.maintenance import rebuild, verify
from landform.storage.pages import listing
from landform.storage.sql import current_version

FILE_ONLY = pytest.mark.sqlite("a server keeps its files itself")
CLEAN = "Nothing is wrong.\n"


@pytest.fixture(scope="module")
def filled(module_database_url: str) -> str:
    fill(module_database_url)
    assert command(module_database_url, "verify").output == CLEAN
    return module_database_url


@pytest.fixture
def spoil(filled: str, tmp_path: Path) -> Callable[..., str]:
    """Return the URL of a copy of the file in which some SQL was executed."""

    def make(*statements: str) -> str:
        file = tmp_path / "spoilt.db"
        for old in tmp_path.glob("spoilt.db*"):
            old.unlink()
        shutil.copy(filled.removeprefix("sqlite:///"), file)
        with closing(sqlite3.connect(file, isolation_level=None)) as db:
            for statement in statements:
                db.execute(statement)
        return f"sqlite:///{file}"

    return make


OTHERS = {
    "DROP INDEX page_slug // CREATE INDEX page_slug ON page (slug)": "index page_slug is not that",
    "DROP TRIGGER page_version_insert // CREATE TRIGGER page_version_insert AFTER INSERT ON page "
    "BEGIN DELETE FROM feed; END": "trigger page_version_insert is not that",
    "CREATE TRIGGER mine AFTER INSERT ON page BEGIN DELETE FROM feed; END": "trigger mine is",
    "CREATE VIEW mine AS SELECT * FROM feed": "The view mine is not one of landform's",
    "ALTER TABLE feed ADD COLUMN more TEXT": "table feed is not that",
    "UPDATE page_index_data SET block = 'future'": "full-text index is not that of the texts",
    "PRAGMA foreign_keys = 0 // DELETE FROM page WHERE id = 2": "refers to a missing row",
}
UNMENDED = ("trigger mine", "The view mine", "table feed is not")


def check_and_mend(url: str, told: str, is_mended: bool) -> None:
    found = command(url, "verify")
    assert (found.exit_code, told in found.output) == (1, True), found.output
    mended = command(url, "vacuum")
    if is_mended:
        assert mended.exit_code == 0, mended.output
    again = command(url, "verify").output
    assert again == CLEAN if is_mended else told in again


@FILE_ONLY
@pytest.mark.parametrize("statements", OTHERS)
def test_a_changed_schema_is_named_and_mended(spoil: Callable[..., str], statements: str) -> None:
    told = OTHERS[statements]
    check_and_mend(spoil(*statements.split(" // ")), told, not told.startswith(UNMENDED))


@FILE_ONLY
def test_every_missing_part_of_a_schema_is_named(filled: str, spoil: Callable[..., str]) -> None:
    query = "SELECT type, name FROM sqlite_master WHERE sql <> '' AND name NOT LIKE 'sqlite_%'"
    everything = run_sql(filled, query)
    assert len(everything) > 30
    mended = [(kind, name) for kind, name in everything if kind in ("index", "trigger")]
    of_search = [name for _, name in everything if name.startswith(INDEX.name)]
    own = {"page", "schema_migration"}
    lost = [name for kind, name in everything if kind == "table" and name not in {*own, *of_search}]

    def unnamed(url: str, texts: list[str]) -> list[str]:
        output = command(url, "verify").output
        return [text for text in texts if text not in output]

    dropped = spoil(*(f"DROP {kind} {name}" for kind, name in mended))
    assert unnamed(dropped, [f"The {kind} {name} is missing." for kind, name in mended]) == []
    check_and_mend(dropped, "is missing.", True)
    for name in lost:
        told = f"The table {name} is missing. Restore"
        assert unnamed(spoil(f"DROP TABLE {name}"), [told]) == []
    for name in own:
        told = "is no database of landform"
        assert unnamed(spoil(f"DROP TABLE {name}"), [told]) == []
    for name in of_search:
        url = spoil(f"DROP TABLE {name}")
        check_and_mend(url, "full-text index is not that" if "_" in name[10:] else "missing.", True)
        with Store(url).connection() as db:
            found = db.execute_sql("SELECT count(*) FROM page_index('words')").fetchone()
        assert found == (4,), name


META = ["[]", "{", "[" * 5000, '{"form_id": NaN}', "7", ""]
WRONG: dict[str, list[str]] = {
    "page.meta": META, "feed.meta": ["null", *META], "event.data": META,
    "kept_answer.answer": ["", "[]"],
}  # fmt: skip
for table in tables("DAMAGED"):
    WRONG |= table


def test_a_mended_store_gives_out_no_id_and_no_tag_again(store: Store, database_url: str) -> None:
    with store.connection():
        for _ in range(3):
            pages.create(store, PAGE)
        pages.delete(store, 3)
        before = current_version(store, "page")
    rebuild.rebuild(store)
    run_sql(database_url, "DELETE FROM resource_version WHERE name = 'page'")
    rebuild.rebuild(store)
    with store.connection():
        assert current_version(store, "page") > before
        assert pages.create(store, PAGE)["id"] == 4


@FILE_ONLY
@pytest.mark.parametrize("column", WRONG)
def test_json_that_is_none_or_of_another_type_is_named(
    spoil: Callable[..., str], column: str
) -> None:
    table, name = column.split(".")
    for value in WRONG[column]:
        url = spoil()
        run_sql(url, f"UPDATE {table} SET {name} = '{value}'")
        found = command(url, "verify")
        told = f"rows of {table} whose {name} is not the JSON that it has to be"
        assert (found.exit_code, told in found.output) == (1, True), (value, found.output)
    assert isinstance(command(url, "vacuum").exception, (SystemExit, type(None)))


@FILE_ONLY
def test_text_that_is_not_utf_8_is_never_a_traceback(spoil: Callable[..., str]) -> None:
    for table, name in (("page", "title_raw"), ("event", "data"), ("page_text", "content")):
        url = spoil(f"UPDATE {table} SET {name} = CAST(x'ff' AS TEXT)")
        for line in ("verify", "vacuum", "export"):
            found = command(url, line)
            assert "Traceback" not in found.output
            assert isinstance(found.exception, (SystemExit, type(None))), found.exception


def holes(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for place in range(4096 * 5, len(data), 4096 * 5):
        data[place : place + 400] = b"\xff" * 400
    file.write_bytes(data)


def other_database(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE page (x)")


NULLABLE = (
    "PRAGMA writable_schema = 1 // UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') "
    "WHERE name = 'feed' // PRAGMA writable_schema = RESET // UPDATE feed SET meta = "
)
# How a file is broken, and what `verify` says of it.
BROKEN: list[tuple[Callable[[Path], object] | str, str]] = [
    (lambda file: file.write_bytes(random.Random(1).randbytes(400)), "estore"),
    (holes, "estore"), (lambda file: file.write_bytes(file.read_bytes()[:4096]), "estore"),
    (other_database, "is no database of landform"),
    ("DELETE FROM schema_migration WHERE name LIKE '0001%'", "0001_core is not marked"),
    ("ALTER TABLE schema_migration RENAME COLUMN name TO nome", "no such column"),
    ("PRAGMA writable_schema = 1 // UPDATE sqlite_master SET sql = CAST(replace(CAST(sql AS BLOB), "
     "'CREATE TABLE', x'ff') AS TEXT) WHERE name = 'page'", "cannot be opened as a database"),
    *((f"{NULLABLE}{value}", "table feed is not that")
      for value in ("NULL", "CAST(x'ff' AS TEXT)")),
]  # fmt: skip


@FILE_ONLY
@pytest.mark.parametrize("how", range(len(BROKEN)))
def test_every_command_reports_a_broken_database_in_a_sentence(
    spoil: Callable[..., str], how: int, tmp_path: Path
) -> None:
    broken, told = BROKEN[how]
    for line in ("verify", "vacuum", "migrate", "export", f"backup {tmp_path}/copy.db --force"):
        url = spoil(*(broken.split(" // ") if isinstance(broken, str) else ()))
        if callable(broken):
            broken(Path(url.removeprefix("sqlite:///")))
        found = command(url, *line.split())
        assert "Traceback" not in found.output
        assert isinstance(found.exception, (SystemExit, type(None))), found.exception
        if line == "verify":
            assert (found.exit_code, told in found.output) == (1, True), found.output
        if line == "export" and how > 4:
            assert found.exit_code == 1


# What follows from other rows, in SQL that both engines speak.
DERIVED = (
    "SELECT id, title_key, form, languages, opens_utc FROM page ORDER BY id",
    "SELECT id, title, content FROM page_text ORDER BY id",
    "SELECT status, pages FROM page_count WHERE pages <> 0 ORDER BY status",
    "SELECT name FROM resource_version ORDER BY name",
)
SPOILED = {
    "UPDATE page SET title_key = 'wrong', form = '9', opens_utc = NULL": 0,
    "UPDATE page_text SET content = 'wrong'": 1,
    "DELETE FROM page_text WHERE id = 3": 1,
    "UPDATE page_count SET pages = pages + 1": 2,
    "DELETE FROM resource_version WHERE name = 'feed'": 3,
    # Without it a cached response could outlive a revoked key.
    "DELETE FROM resource_version WHERE name = 'api_key'": 3,
}
SCHEMA = {
    "DROP INDEX page_by_title": "index page_by_title is missing",
    "DROP TRIGGER page_version ON page": "trigger page_version is missing",
    "DROP FUNCTION page_counted CASCADE": "function page_counted is missing",
}


def test_vacuum_makes_the_derived_data_of_any_engine_anew(database_url: str) -> None:
    fill(database_url)
    store = migrated(database_url)
    before = [run_sql(database_url, query) for query in DERIVED]
    for statement, place in SPOILED.items():
        run_sql(database_url, statement)
        if "api_key" not in statement or store.database.on_server:
            assert run_sql(database_url, DERIVED[place]) != before[place], statement
    for statement, told in SCHEMA.items():
        if "INDEX" in statement or store.database.on_server:
            run_sql(database_url, statement)
            found = "".join(verify.find_problems(store))
            assert told in found, (statement, found)
    rebuild.rebuild(store)
    assert [run_sql(database_url, query) for query in DERIVED] == before
    assert list(verify.find_problems(store)) == []
    with store.connection():
        assert listing.list_pages(store, {**LIST, "search": "page words"}, ["id"]).total == 4
        new = {**pages.get(store, 1), "slug": "", "date": None, "meta": {}}
        del new["id"]
        assert pages.create(store, new)["slug"] == "page-0-a-2"
    store.dispose()
    run_sql(database_url, "DELETE FROM store")
    assert command(database_url, "vacuum").exit_code == 0
    assert run_sql(database_url, "SELECT count(*) FROM store") == [(1,)]
    run_sql(database_url, "DROP TABLE failed_attempt")
    assert "failed_attempt is missing. Restore" in command(database_url, "verify").output
