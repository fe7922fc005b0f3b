"""`landform verify` finds whatever is wrong, and `landform vacuum` mends what can be derived."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from applications import fill
from conftest import LIST, PAGE, migrated
from databases import run_sql
from files import command
from part_tables import filled_tables, tables
from peewee import TextField

from landform.storage import Store, pages
from landform.storage.engines.database import INDEX
from landform.storage.maintenance import derived, verify
from landform.storage.models import Page
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
    "DELETE FROM resource_version WHERE name = 'page'": "version of all rows of page is missing",
    "UPDATE page_index_data SET block = 'future'": "full-text index is not that of the texts",
    "INSERT INTO store VALUES ('ab', 'cd')": "not have exactly one identity",
    "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'page'": "next id of page",
    "PRAGMA foreign_keys = 0 // DELETE FROM page WHERE id = 2": "refers to a missing row",
    "UPDATE page SET slug = '' WHERE id = 2": "whose slug: ",
    "UPDATE page SET title_raw = '', title_key = '', content_raw = '' WHERE id = 2 // "
    "UPDATE page_text SET title = '', content = '' WHERE id = 2": "whose title_raw: ",
}
UNMENDED = ("trigger mine", "The view mine", "table feed is not", "whose slug", "whose title_raw")


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
        check_and_mend(url, f"The table {name} is missing.", True)
        with Store(url).connection() as db:
            found = db.execute_sql("SELECT count(*) FROM page_index('words')").fetchone()
        assert found == (4,), name


META = ["[]", "{", "[" * 5000, '{"form_id": NaN}', '{"form_id": 1, "form_id": 2}']
WRONG: dict[str, list[Any]] = {
    "page.status": ["published"], "page.date": ["2026-02-30T00:00:00", "2026-01-01", ""],
    "page.date_utc": ["2026-01-01T00:00:00Z"], "page.date_floats": [2], "page.version": [0, 1.5],
    "page.author": [0], "page.slug": ["A b", "x" * 201], "page.meta": META, "page.form": ["7"],
    "page.block_version": [2], "page.opens_utc": ["2026-01-01"],
    "page.closes_local": ["2026-01-01T00:00:00"], "page.languages": ["[null]", '["a","a"]'],
    "feed.form_id": [-1], "feed.addon_slug": [""], "feed.meta": ["null", '{"a": NaN}'],
    "resource_version.name": ["other"], "event.data": ["", "{", "[]", '{"a": NaN}', "[" * 5000],
    "event.created_utc": ["yesterday", "2026-02-30T00:00:00"],
    "kept_answer.answer": ["", "[]"],
}  # fmt: skip
for table in tables("DAMAGED"):
    WRONG |= table
# By table, each wrong value of each column: also a text that is not UTF-8, or stands for a number.
CASES: dict[str, list[tuple[str, str, Any]]] = {
    model._meta.table_name: [
        (model._meta.table_name, field.name, value)
        for field in model._meta.sorted_fields
        for value in (
            *([b"\xff" if isinstance(field, TextField) else "x"] * (field.name != "name")),
            *WRONG.get(f"{model._meta.table_name}.{field.name}", ()),
        )
        if field.name != "id"
    ]
    for model in filled_tables()
    if not model.derived
}
# One in each round of the tables from which others are derived, and one of each of the others.
ALONE = ("page", "resource_version", "store")
ROUNDS = [[case] for table in ALONE for case in CASES.pop(table)]
ROUNDS += [[*filter(None, cases)] for cases in zip_longest(*CASES.values())]
# What is said of a name that is lost, and of a title.
NAMED = {"resource_version.name": "version of all rows", "page.title_raw": "whose title_raw"}


def test_a_mended_store_gives_out_no_id_and_no_tag_again(store: Store, database_url: str) -> None:
    with store.connection():
        for _ in range(3):
            pages.create(store, PAGE)
        pages.delete(store, 3)
        before = current_version(store, "page")
    derived.rebuild(store)
    run_sql(database_url, "DELETE FROM resource_version WHERE name = 'page'")
    derived.rebuild(store)
    with store.connection():
        assert current_version(store, "page") > before
        assert pages.create(store, PAGE)["id"] == 4


@FILE_ONLY
@pytest.mark.parametrize("cases", ROUNDS, ids=range(len(ROUNDS)))
def test_garbage_in_any_column_is_named_and_never_a_traceback(
    spoil: Callable[..., str], cases: list[tuple[str, str, Any]]
) -> None:
    url = spoil()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
        for table, name, garbage in cases:
            stored = "CAST(? AS TEXT)" if isinstance(garbage, bytes) else "?"
            first = f"rowid = (SELECT min(rowid) FROM {table})"
            db.execute(f"UPDATE {table} SET {name} = {stored} WHERE {first}", [garbage])
        db.commit()
    found = command(url, "verify")
    assert (found.exit_code, "Traceback" in found.output) == (1, False), cases
    assert isinstance(found.exception, SystemExit), (cases, found.exception)
    for table, name, garbage in cases:
        other = f" {name} " if table == "page" and name in Page.computed else f"whose {name}"
        if NAMED.get(f"{table}.{name}", other) not in found.output:
            # A damaged key cannot be read beyond.
            assert f"The rows of {table} cannot be checked" in found.output, (garbage, found.output)
            assert isinstance(garbage, bytes) or table not in ("page", "feed")
    for line in found.output.splitlines():
        assert "landform vacuum" in line or "estore a backup" in line
    assert isinstance(command(url, "vacuum").exception, (SystemExit, type(None))), cases


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


def test_vacuum_mends_a_store_of_any_engine(database_url: str) -> None:
    fill(database_url)
    store = migrated(database_url)
    assert list(verify.find_problems(store)) == []
    of_server = {
        "DROP TRIGGER page_version ON page": "trigger page_version is missing",
        "DROP FUNCTION page_counted CASCADE": "function page_counted is missing",
        # Without it a cached response could outlive a revoked key.
        "DELETE FROM resource_version WHERE name = 'api_key'": "version of all rows of api_key",
    }
    for statement, told in {
        "DROP INDEX page_by_title": "index page_by_title is missing",
        "UPDATE page SET title_key = 'wrong' WHERE id = 2": "title_key of pages",
        "DELETE FROM page_text WHERE id = 3": "text for searching",
        "UPDATE page_count SET pages = pages + 1": "counts of pages",
        "DELETE FROM resource_version WHERE name = 'feed'": "version of all rows of feed",
        **(of_server if store.database.on_server else {}),
    }.items():
        run_sql(database_url, statement)
        assert any(told in finding for finding in verify.find_problems(store)), statement
    derived.rebuild(store)
    assert list(verify.find_problems(store)) == []
    with store.connection():
        assert listing.list_pages(store, {**LIST, "search": "page words"}, ["id"]).total == 4
        new = {**pages.get(store, 1), "slug": "", "date": None, "meta": {}}
        del new["id"]
        assert pages.create(store, new)["slug"] == "page-0-a-2"
    assert list(verify.find_problems(store)) == []
    run_sql(database_url, "DROP TABLE failed_attempt")
    found = [text for text in verify.find_problems(store) if "table" in text]
    assert "failed_attempt is missing. Restore" in found[0]
