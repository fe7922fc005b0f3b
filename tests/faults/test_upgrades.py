"""The upgrade of a database of the schema before, interrupted by `kill -9` and run again."""

import gzip
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from conftest import LIST
from figures import IS_LONG, ROUNDS, record

from landform.storage import Store
from landform.storage.maintenance import verify
from landform.storage.pages import listing

pytestmark = pytest.mark.sqlite("a transaction of PostgreSQL is that server's own")

FIXTURE = Path(__file__).parent.parent / "storage" / "fixtures" / "schema-0009.db.gz"
PAGES = 100_000 if IS_LONG else 1_000
MANY = "WITH RECURSIVE n (i) AS (SELECT 6 UNION ALL SELECT i + 1 FROM n WHERE i < {})"


def made(file: Path) -> Path:
    """Return a database of the schema before this one with many pages."""
    with gzip.open(FIXTURE) as packed, file.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(page)")]
        text = "'word' || (i % 977) || ' lorem ipsum dolor ' || (i * 7919 % 100003)"
        title = "'title ' || i"
        given = {"id": "i", "slug": "'copy-' || i", "content_raw": text,
                 **dict.fromkeys(("title_key", "title_raw"), title)}  # fmt: skip
        values = ", ".join(given.get(name, f"page.{name}") for name in names)
        numbers = MANY.format(PAGES)
        db.execute("BEGIN")
        db.execute(f"INSERT INTO page {numbers} SELECT {values} FROM n, page WHERE page.id = 1")
        db.execute(f"INSERT INTO page_text {numbers} SELECT i, {title}, {text} FROM n")
        db.execute("COMMIT")
    file.chmod(0o600)
    return file


def test_an_upgrade_that_was_killed_is_run_again_and_loses_nothing(tmp_path: Path) -> None:
    old, file = made(tmp_path / "old.db"), tmp_path / "landform.db"
    command = [sys.executable, "-m", "landform.standalone", "migrate",
               "--database", f"sqlite:///{file}"]  # fmt: skip
    shutil.copy(old, file)
    began = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    took, chance, interrupted = time.monotonic() - began, random.Random(5), 0
    for number in range(ROUNDS):
        for left in tmp_path.glob("landform.db*"):
            left.unlink()
        shutil.copy(old, file)
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(took * (number + chance.random()) / ROUNDS)
        interrupted += process.poll() is None
        process.kill()
        process.wait()
        with closing(sqlite3.connect(file)) as db:
            names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            # It is of the one schema or of the other.
            assert (
                ("page_language" in names) == ("page_indexed" in names) == ("page_by_id" in names)
            )
            assert db.execute("SELECT count(*) FROM page").fetchone() == (PAGES,)
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
        check(file)
    size = sum(left.stat().st_size for left in tmp_path.glob("landform.db*"))
    shown = f"{PAGES} pages: {took:.1f} s, {size / old.stat().st_size:.1f} times the disk space"
    record("`kill -9` of an upgrade", ROUNDS, interrupted, 0, shown)


def check(file: Path) -> None:
    """Assert that the pages are all there, listed, counted and found."""
    store = Store(f"sqlite:///{file}")
    query = {**LIST, "status": ["any", "trash"]}
    with store.connection():
        assert listing.list_pages(store, query, ["id"]).total == PAGES
        found = listing.list_pages(store, {**query, "search": "word976 lorem"}, ["id"])
        assert found.total == sum(number % 977 == 976 for number in range(6, PAGES + 1))
    if not IS_LONG:
        assert list(verify.find_problems(store)) == []
    store.dispose()
