"""Files that are broken, of another time, or half-way there: said clearly, and never made worse."""

import shutil
from pathlib import Path

import pytest
from conftest import Start
from databases import check
from files import dump, new_file
from processes import python

from landform.storage import DatabaseUnusable, Store
from landform.storage.migrating import MIGRATIONS

pytestmark = pytest.mark.sqlite("the file is PostgreSQL's")

MORE = """
def up(migrator, db):
    db.execute_sql("ALTER TABLE page ADD COLUMN extra TEXT NOT NULL DEFAULT ''")
    db.execute_sql("UPDATE page SET extra = title_raw, title_raw = 'half'")
    db.execute_sql("CREATE TABLE another (id INTEGER)")
    {event}
    db.execute_sql("INSERT INTO another VALUES (1)")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with a hundred pages, closed, all of it in one file."""
    return new_file(tmp_path / "landform.db", 100)


@pytest.mark.parametrize("first", [0, 4096], ids=["all of it", "all but its beginning"])
def test_a_file_spoilt_while_it_is_served_is_a_503_until_it_is_whole_again(
    start_server: Start, file: Path, first: int
) -> None:
    server = start_server(LANDFORM_WORKERS="1", LANDFORM_BUSY_TIMEOUT="0.1")
    copy = shutil.copy(file, file.with_name("copy.db"))
    with file.open("r+b") as written:
        written.seek(first)
        written.write(b"\xff" * (file.stat().st_size - first))
    statuses = set()
    for number in range(1, 20):
        requests = [("GET", f"/pages/{number}", None), ("GET", f"/pages?page={number}", None)]
        requests.append(("GET", "/feeds", None))
        for request in requests:
            status, answer = server.call(*request)
            statuses.add(status)
            assert status in (200, 503), (request, answer)
            assert status == 200 or answer["data"] == {"status": status}
    assert 503 in statuses
    with file.open("r+b") as written:
        written.write(Path(copy).read_bytes())
    for _ in range(8):
        server.call("GET", "/pages")
    assert len(server.call("GET", "/pages?search=t&per_page=100")[1]) == 100
    assert server.call("POST", "/pages", {"title": "After"})[0] == 201
    check(f"sqlite:///{file}")


@pytest.mark.parametrize("event", ["import os; os.kill(os.getpid(), 9)", "raise ZeroDivisionError"])
def test_a_migration_that_breaks_off_changed_nothing_and_can_be_repeated(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    folder = shutil.copytree(MIGRATIONS, tmp_path / "migrations")
    before = dump(file)
    (folder / "9998_more.py").write_text(MORE.format(event=event))
    script = "import pathlib; from landform.storage import Store, migrating; "
    script += (
        f"migrating.MIGRATIONS = pathlib.Path('{folder}'); Store('sqlite:///{file}').migrate()"
    )
    assert python("-c", script).returncode != 0
    assert dump(file) == before
    assert Store(f"sqlite:///{file}").migrate() == []
    (folder / "9998_more.py").write_text(MORE.format(event=""))
    assert python("-c", script).returncode == 0
    with pytest.raises(DatabaseUnusable, match="newer schema"):
        Store(f"sqlite:///{file}").migrate()
