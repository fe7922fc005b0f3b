"""Files of SQLite, as operators move them about and as crashes leave them."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from conftest import PAGE as A_PAGE

from landform.standalone.cli import main
from landform.storage import Store, pages

PAGE = {**A_PAGE, "content_raw": "C " * 1500}
# Writes pages until it is killed, after some statements; the log of writes stays.
WRITER = """
import os, sys
from landform.storage import Store, pages
store = Store(sys.argv[1])
store.migrate()
with store.connection() as db:
    for number in range(int(sys.argv[2])):
        pages.create(store, {page!r})
    for statement in sys.argv[3:]:
        db.execute_sql(statement)
    os.kill(os.getpid(), 9)
"""


def opened(file: Path) -> Store:
    """Return the store of a file, which begins there where there is none."""
    store = Store(f"sqlite:///{file}")
    store.migrate()
    return store


def new_file(file: Path, count: int = 1) -> Path:
    """Return a whole file that is closed, with some pages."""
    store = opened(file)
    with store.connection():
        for _ in range(count):
            pages.create(store, PAGE)
    store.dispose()
    return file


def crashed(file: Path, count: int, *statements: str) -> bytes:
    """Leave a file as a process does that was killed after some writes; return its log."""
    script = WRITER.format(page=PAGE)
    arguments = [sys.executable, "-c", script, f"sqlite:///{file}", str(count), *statements]
    assert subprocess.run(arguments, check=False).returncode == -signal.SIGKILL
    log = Path(f"{file}-wal").read_bytes()
    assert log
    return log


def count_pages(file: Path) -> int:
    """Count what a file holds, as somebody would who opens it for the first time."""
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM page").fetchone()[0])


def dump(file: Path) -> list[str]:
    """Return the statements that make a database what it is."""
    with closing(sqlite3.connect(file)) as db:
        return list(db.iterdump())


def written(file: Path, rows: list[Any]) -> Path:
    """Write an export of rows, or of lines as they are."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n")
    return file


def command(database: Path | str | Store, *arguments: Any, **variables: str) -> Result:
    """Run `landform ...` on a file, the database of a URL, or that of a store."""
    if isinstance(database, Store):
        database = getattr(database, "url", None) or database.database.path
    url = str(database) if "://" in str(database) else f"sqlite:///{database}"
    environment = {"LANDFORM_DATABASE_URL": url, "LANDFORM_CREDENTIALS": "", **variables}
    return CliRunner().invoke(main, [str(one) for one in arguments], env=environment)
