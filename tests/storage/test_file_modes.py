"""The files of a database hold passwords of pages: only their owner can read them."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import PAGE
from files import command

from landform.storage import Store, pages

pytestmark = pytest.mark.sqlite("PostgreSQL has no file of ours")


@pytest.fixture(autouse=True, params=[0o000, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(file: Path) -> str:
    return f"{stat.S_IMODE(file.stat().st_mode):o}"


def modes(folder: Path) -> dict[str, str]:
    return {file.name: mode(file) for file in folder.iterdir() if file.is_file()}


def write(file: Path, **options: Any) -> Store:
    """Open a store and write to it; it stays open."""
    store = Store(f"sqlite:///{file}", **options)
    store.migrate()
    store.watched_versions()
    with store.connection():
        pages.create(store, PAGE)
    return store


@pytest.mark.parametrize(("group", "expected"), [(False, "600"), (True, "660")])
def test_a_new_database_and_its_logs_are_private_unless_a_group_is_asked_for(
    tmp_path: Path, group: bool, expected: str
) -> None:
    store = write(tmp_path / "x.db", group_access=group)
    assert modes(tmp_path) == dict.fromkeys(["x.db", "x.db-wal", "x.db-shm"], expected)
    store.dispose()
    variables = {"LANDFORM_GROUP_ACCESS": str(int(group))}
    assert command(tmp_path / "y.db", "migrate", **variables).exit_code == 0
    assert mode(tmp_path / "y.db") == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [(0o644, "600"), (0o640, "600"), (0o666, "660"), (0o660, "660"), (0o444, "400")],
)  # fmt: skip
def test_a_file_of_an_older_version_becomes_private_and_keeps_what_is_meant(
    tmp_path: Path, before: int, after: str
) -> None:
    file = tmp_path / "x.db"
    write(file).dispose()
    file.chmod(before)
    Store(f"sqlite:///{file}").migrate()
    assert mode(file) == after


def test_files_made_of_a_database_are_private(tmp_path: Path) -> None:
    file, made = tmp_path / "x.db", tmp_path / "made"
    made.mkdir()
    write(file).dispose()
    for name in ("a.db", "a.db.gz"):
        assert command(file, "backup", made / name).exit_code == 0
    assert command(file, "export", made / "a.ndjson").exit_code == 0
    assert command(made / "b.db", "import", made / "a.ndjson").exit_code == 0
    copied = command(file, "copy", f"sqlite:///{file}", f"sqlite:///{made}/c.db")
    assert copied.exit_code == 0, copied.output
    assert command(made / "d.db", "restore", made / "a.db.gz").exit_code == 0
    (made / "d.db").chmod(0o644)
    assert command(made / "d.db", "restore", made / "a.db").exit_code == 0
    assert len(modes(made)) == 7
    assert set(modes(made).values()) == {"600"}


def test_a_file_that_cannot_be_changed_is_served_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "x.db"
    write(file).dispose()
    file.chmod(0o644)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chmod", refuse)
    write(file).dispose()
    assert f"Every user can read {file}" in caplog.text
    monkeypatch.undo()
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT count(*) FROM page").fetchone() == (2,)
