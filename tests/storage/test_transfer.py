"""Export, import and copy: all of it there and back, told by line what is wrong, nothing half."""

import json
import os
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import LIST, migrated
from conftest import PAGE as A_PAGE
from databases import run_sql
from files import command, written

from landform.parts import all_parts
from landform.standalone.cli import main
from landform.storage import ImportRefused, Store, api_keys, feeds, idempotency_keys, pages
from landform.storage.idempotency_keys import IdempotencyKey
from landform.storage.maintenance import tables, transfer, verify
from landform.storage.models import all_tables
from landform.storage.pages import listing
from landform.storage.sql import read_generation

PAGE = {
    **A_PAGE, "title_raw": "Ünï", "title_rendered": "Ünï", "author": 2, "password": "secret",
    "content_rendered": "<p>some words</p>",
    "meta": {"form_id": "3", "language": ["en"], "starts_at": "2026-06-01"},
}  # fmt: skip


@pytest.fixture
def store(make_database: Callable[[], str]) -> Store:
    store = migrated(make_database())
    with store.connection():
        for status in ("publish", "draft", "private", "future"):
            pages.create(store, {**PAGE, "status": status})
        pages.trash(store, 1)
        pages.create(store, PAGE)
        for form in (3, 4):
            meta = {"big": 2**80, "nested": {"a": [1, None, 1.5]}}
            feeds.create(store, {"form_id": form, "addon_slug": "a", "meta": meta})
    store.dispose()
    return store


@pytest.fixture
def other(make_database: Callable[[], str]) -> Store:
    return migrated(make_database())


def exported(store: Store, *options: str) -> list[dict[str, Any]]:
    result = command(store, "export", *options)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_an_imported_export_makes_the_same_rows(store: Store, tmp_path: Path, other: Store) -> None:
    file = tmp_path / "all.ndjson"
    assert command(store, "export", file).exit_code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    first = command(other, "import", file)
    assert (first.exit_code, first.output) == (0, "7 created, 0 changed, 0 unchanged\n")
    again = command(other, "import", file)
    assert again.output == "0 created, 0 changed, 7 unchanged\n"
    assert exported(other) == exported(store)
    assert list(verify.find_problems(other)) == []
    with other.connection():
        assert pages.create(other, PAGE)["id"] == 6


def test_an_export_has_the_resource_that_was_asked_for_in_the_order_of_ids(store: Store) -> None:
    assert [row["id"] for row in exported(store, "--pages")] == [1, 2, 3, 4, 5]
    assert {row["resource"] for row in exported(store, "--feeds")} == {"feed"}
    assert exported(store)[0]["password"] == "secret"


def test_forms_are_mapped_in_feeds_and_pages(store: Store, tmp_path: Path, other: Store) -> None:
    file = written(tmp_path / "rows", exported(store))
    assert command(other, "import", file, "--map-form", "3=17", "--map-form", "4=3").exit_code == 0
    rows = exported(other)
    assert {row["meta"]["form_id"] for row in rows if row["resource"] == "page"} == {"17"}
    assert [row["form_id"] for row in rows if row["resource"] == "feed"] == [17, 3]


# Lines, and values of a page that are wrong.
WRONG: list[Any] = [
    "{", [1], {"resource": "form"}, {"resource": ["page"]}, {"resource": "page", "id": 1},
    '{"resource": "page", "resource": "page"}', '{"resource": NaN}', {"\x1b]52;c;eA==\x07": 1},
    {"id": 0}, {"id": "x"}, {"id": 2**63}, {"status": "any"}, {"slug": "Ä b"}, {"slug": ""},
    {"date": ""}, {"date": "2026-01-01"}, {"meta": []}, {"meta": {"unknown": 1}}, {"author": 0},
    {"version": 0}, {"title_raw": None}, {"unknown": 1}, {"block_version": 2},
    {"password": "a\0b"},
]  # fmt: skip


def test_of_a_wrong_line_nothing_is_imported(store: Store, tmp_path: Path, other: Store) -> None:
    good = exported(store)
    for bad in WRONG:
        if isinstance(bad, dict) and "resource" not in bad:
            bad = {**good[4], **bad}  # noqa: PLW2901
        refused = command(other, "import", written(tmp_path / "rows", [good[0], "", bad, good[1]]))
        assert refused.exit_code == 1, (bad, refused.output)
        assert "line 3: " in refused.output, bad
        assert "line 1" not in refused.output
        assert "\x1b" not in refused.output
    assert exported(other) == []


def test_an_export_is_all_of_one_moment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BATCH", 2)
    before = rows(store)
    reading, other = transfer.rows(store, ["page", "feed"]), Store(store.url)
    found = [next(reading)]
    with other.connection():
        pages.update(other, 4, {"author": 9})
        pages.delete(other, 5)
        feeds.delete(other, 2)
    assert [*found, *reading] == before
    other.dispose()


def test_an_import_changes_rows_and_keeps_the_higher_version(store: Store, tmp_path: Path) -> None:
    rows = exported(store)
    for row, version in ((rows[1], 9), (rows[2], 1)):
        row |= {"title_raw": "Other", "title_rendered": "Other", "version": version}
    file = tmp_path / "rows"
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(map(json.dumps, rows)).encode())
    told = command(store, "import", file, "--dry-run").output
    assert told == "0 created, 2 changed, 5 unchanged (not kept)\n"
    assert exported(store)[1]["title_raw"] == "Ünï"
    assert command(store, "import", file).output == "0 created, 2 changed, 5 unchanged\n"
    assert [row["version"] for row in exported(store)[1:3]] == [9, 2]
    assert list(verify.find_problems(store)) == []
    assert command(store, "import", file, "--map-form", "a=b").exit_code == 2


def test_nothing_is_imported_from_a_pipe(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    # It would have to be read twice.
    refused = command(store, "import", tmp_path / "pipe")
    assert (refused.exit_code, "is no file" in refused.output) == (2, True)


@pytest.fixture
def ten(make_database: Callable[[], str]) -> Store:
    """Ten pages and two feeds."""
    store = migrated(make_database())
    with store.connection():
        for number in range(10):
            texts = {"title_raw": f"Tïtle {number}", "content_raw": f"word{number} in common"}
            pages.create(store, {**A_PAGE, **texts})
        for form in (1, 2):
            feeds.create(store, {"form_id": form, "addon_slug": "a", "meta": {"a": 1, "b": 2}})
    return store


def rows(store: Store) -> list[dict[str, Any]]:
    return list(transfer.rows(store, ["page", "feed"]))


def taken(store: Store, lines: list[dict[str, Any]], by: str = "id") -> dict[str, int]:
    importing = transfer.Import(store, by)
    importing.run(enumerate(lines, 1), whole=True)
    return dict(importing.counts)


def test_a_slug_is_free_for_the_lines_after_the_one_that_gives_it_up(ten: Store) -> None:
    one, two, *_ = rows(ten)
    freed = [{**one, "slug": "elsewhere"}, {**two, "slug": one["slug"]}]
    with pytest.raises(ImportRefused, match=f"line 1: the slug {one['slug']} is that of page 1$"):
        taken(ten, freed[::-1])
    assert rows(ten)[:2] == [one, two]
    new = {**two, "id": 50}
    assert taken(ten, [*freed, new]) == {"changed": 2, "created": 1}
    assert [row["slug"] for row in rows(ten)[:2]] == ["elsewhere", one["slug"]]
    again = [{**one, "id": 60, "slug": "new"}, {**two, "id": 61, "slug": "new"}]
    with pytest.raises(ImportRefused, match=r"^line 2: the slug new is that of page 60$"):
        taken(ten, again)


REFUSED_SLUG = "a page without a slug cannot be found by it"


@pytest.mark.parametrize("how", ["wrong", "refused", "atomic"])
def test_many_lines_with_one_fault_are_one_line_with_their_count(
    store: Store, other: Store, tmp_path: Path, how: str
) -> None:
    page = next(line for line in exported(store) if line["resource"] == "page")
    fault = {"status": "publisht"} if how == "wrong" else {"slug": "", "status": "draft"}
    lines = [json.dumps({**page, "id": number, **fault}) for number in range(1, 1_001)]
    options = {"wrong": (), "refused": ("--by", "slug"), "atomic": ("--by", "slug", "--atomic")}
    file = written(tmp_path / "many.ndjson", lines)
    told = command(other, "import", file, *options[how])
    assert told.exit_code == 1
    assert "1,000 lines (1, 2, 3, 4, 5, ...): " in told.output
    assert told.output.count("\n") == 2, told.output[:500]
    assert (REFUSED_SLUG if how != "wrong" else "status: ") in told.output


def test_an_export_replaces_no_file_unless_it_is_forced_to(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "all.ndjson"
    file.write_text("something else")
    refused = command(store, "export", file)
    assert (refused.exit_code, file.read_text()) == (1, "something else")
    assert refused.output == f"Error: {file} is there already; --force replaces it.\n"
    link = tmp_path / "link.ndjson"
    link.symlink_to(file)
    assert command(store, "export", link).exit_code == 1
    assert file.read_text() == "something else"
    assert command(store, "export", file, "--force").exit_code == 0
    assert len(file.read_text().splitlines()) == 7
    for place in ("/dev/null", "/dev/stdout"):
        assert command(store, "export", place).exit_code == 0
        assert command(store, "export", place, "--force").exit_code == 0


def test_an_import_leaves_out_refused_rows_and_an_atomic_one_writes_none(
    store: Store, other: Store, tmp_path: Path
) -> None:
    rows, report = exported(store), tmp_path / "report.json"
    file = written(tmp_path / "rows", [*rows, {**rows[4], "id": 99}])
    assert (command(other, "import", file, "--atomic").exit_code, exported(other)) == (1, [])
    told = command(other, "import", file, "--report", report)
    problem = f"the slug {rows[4]['slug']} is that of page 5"
    assert (told.exit_code, exported(other)) == (1, rows)
    assert told.output == f"7 created, 0 changed, 0 unchanged\nline 8: {problem}\n"
    assert json.loads(report.read_bytes()) == {
        "counts": {"created": 7}, "refused": [{"line": 8, "text": problem}], "dry_run": False,
    }  # fmt: skip


def test_an_export_reports_the_number_of_rows(store: Store, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert command(store, "export", tmp_path / "rows", "--report", report).exit_code == 0
    forms = {"form": 0} if "leads" in all_parts() else {}
    assert json.loads(report.read_bytes()) == {"counts": {**forms, "page": 5, "feed": 2}}


# Copies to another engine.
COPIED = {**A_PAGE, "title_raw": "Ünï", "title_rendered": "Ünï", "content_raw": "some words \\ % _"}


def copy(source: str, target: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["copy", *options, source, target])


def held(url: str) -> dict[str, list[Any]]:
    store = Store(url)
    with store.connection() as db:
        found = {
            model._meta.table_name: sorted(
                model.select(*model._meta.sorted_fields).tuples().execute(db), key=repr
            )
            for model in all_tables()
            if model.copied
        }
        found["last ids"] = sorted(db.last_ids().items())
    store.dispose()
    return found


@pytest.fixture
def source(tmp_path: Path) -> str:
    """The URL of a file with something of everything."""
    store = migrated(f"sqlite:///{tmp_path}/source.db")
    with store.connection():
        for status in ("publish", "draft", "private", "trash", "future"):
            date = datetime(2099, 1, 1) if status == "future" else None
            pages.create(store, {**COPIED, "status": status, "date": date, "password": "x"})
        for number in range(3):
            feeds.create(store, {"form_id": number, "addon_slug": "a", "meta": {"big": 2**80}})
        api_keys.create(store, "news", ["pages:read"], 7, None)
        for number in range(3 * tables.BATCH):
            key = IdempotencyKey(f"me{number % 2}", f"key {number}", "d" * 64)
            idempotency_keys.add(store, key, "{}")
        pages.create(store, COPIED)
        pages.delete(store, 6)
        feeds.delete(store, 3)
    store.dispose()
    return store.url


def test_a_store_goes_there_and_back_whole(source: str, new_database: str, tmp_path: Path) -> None:
    with (first := Store(source)).connection():
        generation = read_generation(first)
    first.dispose()
    there, back = copy(source, new_database), copy(new_database, f"sqlite:///{tmp_path}/back.db")
    assert (there.exit_code, back.exit_code) == (0, 0), there.output + back.output
    assert "holds the 177 rows of" in there.output
    whole = held(source)
    assert held(new_database) == whole
    assert held(f"sqlite:///{tmp_path}/back.db") == whole
    for url in (new_database, f"sqlite:///{tmp_path}/back.db"):
        store = Store(url)
        assert list(verify.find_problems(store)) == []
        with store.connection():
            # The same version of the same page may be another one in a store that goes on.
            assert read_generation(store) != generation
            found = listing.list_pages(store, {**LIST, "search": "words"}, ["id"])
            assert found.total == 1
            # No id that was ever given out is given out again.
            assert pages.create(store, COPIED)["id"] == 7
            assert feeds.create(store, {"form_id": 1, "addon_slug": "a", "meta": {}})["id"] == 4
        store.dispose()


NO_TEXT = "UPDATE page_text SET content = CAST(x'ff' AS TEXT) WHERE id = 2"
NUL = "UPDATE page SET title_raw = 'a' || char(0) WHERE id = 2"


@pytest.mark.parametrize(
    ("url", "sql", "complaint"),
    [
        ("sqlite:////none.db", "", "There is no database"),
        ("mysql://x", "", "must look like"),
        ("", NO_TEXT, "Not every row of page_text can be copied"),
        pytest.param("", NUL, "can be copied, the last read is 2", marks=pytest.mark.postgresql),
    ],
)
def test_a_store_that_cannot_be_copied_is_an_error_in_a_sentence(
    source: str, database_url: str, url: str, sql: str, complaint: str
) -> None:
    if sql:
        run_sql(source, sql)
    refused = copy(url or source, database_url)
    assert (refused.exit_code, complaint in refused.output) == (1, True), refused.output
    assert isinstance(refused.exception, SystemExit)
