"""A file and the log of writes beside it: each log goes into its own file only, or into none."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import LIST
from conftest import PAGE as A_PAGE

from landform.standalone.cli import main
from landform.storage import Store, Unavailable, pages
from landform.storage.engines.sqlite import backup as sqlite_backup
from landform.storage.engines.sqlite import log as sqlite_log
from landform.storage.engines.sqlite import pool as sqlite_files
from landform.storage.engines.sqlite.log import FOREIGN, IN_USE, file_id, is_in_use, log_problem
from landform.storage.errors import BackupRefused
from landform.storage.pages import listing

pytestmark = [
    pytest.mark.servers,
    pytest.mark.sqlite("the log is PostgreSQL's"),
]

PAGE = {**A_PAGE, "content_raw": "C"}
# Executes statements on a file in WAL mode and is killed: the log stays.
CRASH = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
for statement in sys.argv[2:]:
    db.execute(statement)
os.kill(os.getpid(), 9)
"""
# Counts the pages each time that it is asked, and keeps its connection meanwhile.
READER = """
import sys
from landform.storage import Store
store = Store(sys.argv[1])
store.migrate()
for _ in sys.stdin:
    with store.connection() as db:
        print(db.execute_sql("SELECT count(*) FROM page").fetchone()[0], flush=True)
"""
# The first page, which has the stamp, is in a log with that; an update alone need not write it.
WRITE = "CREATE TABLE more (x)"
UPDATE = "UPDATE page SET author = author + 1 WHERE id = 1"
FRAME = 24 + 4096


def new_file(file: Path, count: int = 1) -> Path:
    """Return a whole file that is closed, with some pages."""
    store = Store(f"sqlite:///{file}")
    store.migrate()
    with store.connection():
        for _ in range(count):
            pages.create(store, PAGE)
    store.dispose()
    return file


def crash(file: Path, *statements: str) -> bytes:
    """Leave a log beside a file, as a crash does, and return it."""
    command = [sys.executable, "-c", CRASH, str(file), *statements]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    return Path(f"{file}-wal").read_bytes()


def first_pages(log: bytes) -> list[bytes]:
    """Return the frames of a log that hold the first page."""
    frames = [log[at : at + FRAME] for at in range(32, len(log), FRAME)]
    return [frame for frame in frames if frame[:4] == (1).to_bytes(4, "big")]


def count(file: Path) -> int:
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM page").fetchone()[0])


def stamp(file: Path) -> int:
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def told(file: Path) -> str | None:
    found = file_id(str(file))
    assert found
    return log_problem(str(file), found, replaced=False)


def total(store: Store) -> int:
    with store.connection():
        return listing.list_pages(store, LIST, ["id"]).total


def command(file: Path, *arguments: Any) -> Result:
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{file}"}
    return CliRunner().invoke(main, [str(one) for one in arguments], env=environment)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return new_file(tmp_path / "file.db")


@pytest.fixture
def live(file: Path) -> Iterator[Store]:
    """A store that has the file open, with writes in its log."""
    store = Store(f"sqlite:///{file}")
    store.migrate()
    with store.connection():
        pages.create(store, PAGE)
        yield store
    store.dispose()


def test_a_file_that_goes_between_the_look_and_the_opening_is_not_begun_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    admit = sqlite_files.Place.admit

    def admit_and_lose(*arguments: Any) -> Any:
        found = admit(*arguments)
        file.unlink()
        return found

    monkeypatch.setattr(sqlite_files.Place, "admit", admit_and_lose)
    with pytest.raises(Unavailable), store.connection():
        pass
    assert not file.exists()


@pytest.mark.parametrize("arguments", [["verify"], ["vacuum"], ["export"], ["backup", "copy.db"]])
def test_an_empty_file_stays_empty_whatever_is_asked_of_it(
    tmp_path: Path, arguments: list[str]
) -> None:
    file = tmp_path / "empty.db"
    file.touch()
    refused = command(file, *arguments)
    assert refused.exit_code == 1
    assert "Traceback" not in refused.output
    assert (file.stat().st_size, list(tmp_path.iterdir())) == (0, [file])


def test_a_file_that_was_emptied_is_no_database(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    os.truncate(file, 0)
    with pytest.raises(Unavailable), store.connection():
        pass
    assert file.stat().st_size == 0


def test_the_stamp_of_a_file_is_given_once(file: Path) -> None:
    before = stamp(file)
    assert before
    Store(f"sqlite:///{file}").migrate()
    assert stamp(file) == before


def test_a_file_of_an_earlier_schema_gets_a_stamp(tmp_path: Path) -> None:
    packed = Path(__file__).parent / "fixtures" / "schema-0001.db.gz"
    file = tmp_path / "old.db"
    restored = command(file, "restore", packed)
    assert restored.exit_code == 0, restored.output
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 0")
    Store(f"sqlite:///{file}").migrate()
    assert stamp(file)


def test_another_file_is_another_version_though_nobody_wrote(file: Path, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    before = store.watched_versions()
    shutil.copy(file, tmp_path / "copy.db").rename(file)
    assert None not in (before, store.watched_versions())
    assert store.watched_versions() != before
    store.dispose()


def test_a_child_of_a_fork_opens_another_file_once_the_parent_has_closed_its_own(
    file: Path, tmp_path: Path
) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    store.hold()
    shutil.copy(file, tmp_path / "copy.db").rename(file)
    closed, close = os.pipe()
    if (child := os.fork()) == 0:
        os.read(closed, 1)
        try:
            os._exit(0 if total(store) == 1 else 1)
        finally:
            os._exit(2)
    store.dispose()
    os.write(close, b".")
    assert os.waitpid(child, 0)[1] == 0
    os.close(closed)
    os.close(close)


def test_a_fork_uses_no_connection_of_its_parent(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    store.hold()
    held = store.database.watch._connection
    if (child := os.fork()) == 0:
        try:
            store.hold()
            os._exit(0 if store.database.watch._connection is not held else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    store.dispose()


def test_a_closed_connection_keeps_no_other_file_away(file: Path, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    with store.connection() as db:
        kept = db.connection()
    store.dispose()
    shutil.copy(file, tmp_path / "copy.db").rename(file)
    assert total(store) == 1
    assert kept.file != file_id(str(file))
    store.dispose()


def test_its_own_log_is_taken_in(file: Path) -> None:
    crash(file, WRITE)
    assert told(file) is None
    crash(file, "DELETE FROM page")
    assert count(file) == 0


@pytest.mark.parametrize("is_quiet", [False, True])
def test_the_log_of_another_file_is_refused_whether_or_not_anybody_holds_a_lock(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_quiet: bool
) -> None:
    if is_quiet:
        (tmp_path / "locks").write_text("")
        monkeypatch.setattr(sqlite_log, "LOCKS", tmp_path / "locks")
    other = new_file(tmp_path / "other.db")
    before = file.read_bytes()
    log = crash(other, WRITE)
    Path(f"{file}-wal").write_bytes(log)
    assert told(file) == FOREIGN
    for refused in (["migrate"], ["backup", tmp_path / "copy.db"]):
        done = command(file, *refused)
        assert (done.exit_code, "log of writes" in done.output) == (1, True), refused
    assert (file.read_bytes(), Path(f"{file}-wal").read_bytes()) == (before, log)


def test_the_log_of_a_file_of_another_length_is_refused_without_a_first_page(
    file: Path, tmp_path: Path
) -> None:
    other = new_file(tmp_path / "other.db")
    with closing(sqlite3.connect(other)) as db:
        db.execute(WRITE)
    log = crash(other, UPDATE)
    assert not first_pages(log)
    Path(f"{file}-wal").write_bytes(log)
    assert told(file) == FOREIGN
    assert told(other) is None


def test_a_lock_that_slips_by_while_others_come_and_go_is_seen_with_the_next_look(
    file: Path, live: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inode = f":{file.stat().st_ino} "

    class Slipping:
        looks = 0

        def read_text(self) -> str:
            self.looks += 1
            lines = Path("/proc/locks").read_text().splitlines()
            return "\n".join(line for line in lines if self.looks > 1 or inode not in line)

    monkeypatch.setattr(sqlite_log, "LOCKS", Slipping())
    assert is_in_use(str(file))
    monkeypatch.setattr(sqlite_log, "LOCKS", Slipping())
    assert told(file) is None


def test_where_the_system_tells_no_locks_a_file_is_replaced_as_carefully(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_log, "LOCKS", tmp_path / "none")
    copies = [Path(shutil.copy(file, tmp_path / f"{number}.db")) for number in range(2)]
    store = Store(f"sqlite:///{file}")
    store.migrate()
    with store.connection(), ThreadPoolExecutor(1) as pool:
        copies[0].rename(file)
        with pytest.raises(Unavailable):
            pool.submit(total, store).result()
    assert total(store) == 1
    store.dispose()
    crash(file, WRITE)
    copies[1].rename(file)
    with pytest.raises(Unavailable):
        total(store)


def test_where_the_system_tells_no_locks_no_file_is_opened_to_look(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_log, "LOCKS", tmp_path / "none")
    Path(f"{file}-wal").write_bytes(crash(new_file(tmp_path / "other.db"), WRITE))
    assert told(file) is None


def test_a_log_with_pages_of_another_size_is_refused(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    log = crash(other, "CREATE TABLE x (y)")
    assert log[8:12] == (4096).to_bytes(4, "big")
    Path(f"{file}-wal").write_bytes(log[:8] + (1024).to_bytes(4, "big") + log[12:])
    assert told(file) == FOREIGN


def test_a_log_of_the_largest_pages_is_its_own(tmp_path: Path) -> None:
    file = tmp_path / "large.db"
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA page_size = 65536")
        db.execute("CREATE TABLE page (x)")
        db.execute("PRAGMA user_version = 7")
    crash(file, "INSERT INTO page VALUES (1)")
    assert told(file) is None


def test_the_log_that_gives_a_file_its_stamp_is_its_own(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE page (x)")
    crash(file, "PRAGMA user_version = 7")
    assert told(file) is None


def test_what_sqlite_would_not_replay_makes_no_log_a_foreign_one(
    file: Path, tmp_path: Path
) -> None:
    own, other = crash(file, WRITE), crash(new_file(tmp_path / "other.db"), WRITE, "VACUUM")
    first = first_pages(other)[0]
    uncommitted = first[:4] + bytes(4) + own[16:24] + first[16:]
    logs = {
        "frames of before": own + first, "not committed": own + uncommitted,
        "cut": own[:10], "a frame that is cut": own + uncommitted[:10],
    }  # fmt: skip
    for what, log in logs.items():
        Path(f"{file}-wal").write_bytes(log)
        assert told(file) is None, what
    Path(f"{file}-wal").write_bytes(own + uncommitted[:4] + (9).to_bytes(4, "big")
                                    + uncommitted[8:])  # fmt: skip
    assert told(file) == FOREIGN


def test_a_journal_and_a_file_too_short_to_tell_are_left_to_sqlite(
    file: Path, tmp_path: Path
) -> None:
    Path(f"{file}-journal").write_bytes(b"x" * 5000)
    assert told(file) is None
    short = tmp_path / "short.db"
    short.write_bytes(b"short")
    Path(f"{short}-wal").write_bytes(crash(file, WRITE))
    assert told(short) is None


def test_a_log_lies_where_a_link_leads(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "link.db"
    link.parent.mkdir()
    link.symlink_to(file)
    Path(f"{file}-wal").write_bytes(crash(new_file(tmp_path / "other.db"), WRITE))
    assert told(link) == FOREIGN


def test_an_older_copy_in_the_place_of_a_file_gets_nothing_of_its_log(
    file: Path, tmp_path: Path
) -> None:
    """The copy has the same stamp, so that only who saw both files can tell."""
    older = Path(shutil.copy(file, tmp_path / "older.db"))
    store = Store(f"sqlite:///{file}")
    store.migrate()
    assert total(store) == 1
    store.dispose()
    crash(file, WRITE)
    before = older.read_bytes()
    older.rename(file)
    with pytest.raises(Unavailable) as refused, store.connection():
        pass
    assert "log of writes" in str(refused.value)
    assert file.read_bytes() == before


def test_a_file_in_the_place_of_one_that_is_still_open_is_opened_by_nobody(
    file: Path, live: Store, tmp_path: Path
) -> None:
    copy = Path(shutil.copy(file, tmp_path / "copy.db"))
    before = copy.read_bytes()
    file.rename(tmp_path / "aside.db")
    copy.rename(file)
    assert told(file) == IN_USE
    with pytest.raises(Unavailable), Store(f"sqlite:///{file}", identity="x").connection():
        pass
    assert file.read_bytes() == before
    (tmp_path / "aside.db").rename(file)


def test_nothing_is_written_where_another_process_has_the_file_that_was_there(
    file: Path, tmp_path: Path
) -> None:
    """When it came to close that, it would move what is new in the log there."""
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, f"sqlite:///{file}"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert reader.stdin
    assert reader.stdout

    def read() -> str:
        reader.stdin.write("\n")
        reader.stdin.flush()
        return reader.stdout.readline().strip()

    assert read() == "1"
    store = Store(f"sqlite:///{file}")
    store.migrate()
    with store.connection():
        for _ in range(3):
            pages.create(store, PAGE)
    (tmp_path / "copy.db").rename(file)
    with pytest.raises(Unavailable), store.connection():
        pages.create(store, PAGE)
    assert read() == "1"
    for number in (2, 3):
        with store.connection():
            assert pages.create(store, PAGE)["id"] == number
        assert read() == str(number)
    reader.communicate()
    store.dispose()
    assert command(file, "verify").output == "Nothing is wrong.\n"


def test_a_backup_in_a_process_that_serves_takes_no_lock_away(
    file: Path, live: Store, tmp_path: Path
) -> None:
    live.engine.backup(tmp_path / "copy.db", force=False, progress=lambda *_: None)
    found = Path("/proc/locks").read_text()
    assert str(file.stat().st_ino) in found
    assert count(tmp_path / "copy.db") == 2


def test_a_restore_waits_for_whoever_has_a_moved_file_open(
    file: Path, live: Store, tmp_path: Path
) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    file.rename(tmp_path / "aside.db")
    before = Path(f"{file}-wal").read_bytes()
    refused = command(file, "restore", tmp_path / "copy.db")
    assert (refused.exit_code, "in use" in refused.output) == (1, True)
    assert Path(f"{file}-wal").read_bytes() == before
    (tmp_path / "aside.db").rename(file)


def test_a_restore_forgets_no_write_that_a_crash_left_and_brings_none_of_them_back(
    file: Path, tmp_path: Path
) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    crash(file, "DELETE FROM page", WRITE)
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    (kept,) = tmp_path.glob("file.db.before-restore-*")
    assert (count(file), count(kept)) == (1, 0)
    assert command(file, "verify").output == "Nothing is wrong.\n"


def test_a_restore_replays_no_foreign_log_into_what_it_keeps(file: Path, tmp_path: Path) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    before, log = file.read_bytes(), crash(new_file(tmp_path / "other.db", 9), WRITE)
    Path(f"{file}-wal").write_bytes(log)
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    kept = {path.name[-4:]: path.read_bytes() for path in tmp_path.glob("*.before-restore-*")}
    assert kept.pop("-wal") == log
    assert list(kept.values()) == [before]
    assert command(file, "verify").output == "Nothing is wrong.\n"


def test_nobody_opens_a_file_while_it_is_replaced(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    set_aside, reasons = sqlite_backup._set_aside, []

    def write_meanwhile(*arguments: Any, **options: Any) -> Any:
        with closing(sqlite3.connect(file, timeout=0)) as db:
            try:
                db.execute(WRITE)
            except sqlite3.OperationalError as error:
                reasons.append(str(error))
        return set_aside(*arguments, **options)

    monkeypatch.setattr(sqlite_backup, "_set_aside", write_meanwhile)
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    assert reasons == ["database is locked"]


def test_each_restore_and_each_backup_is_told_from_every_other(file: Path, tmp_path: Path) -> None:
    copies = [tmp_path / "a.db", tmp_path / "b.db"]
    stamps = [stamp(file)]
    for copy in copies:
        assert command(file, "backup", copy).exit_code == 0
        stamps.append(stamp(copy))
    for _ in range(2):
        assert command(file, "restore", copies[0]).exit_code == 0
        stamps.append(stamp(file))
    assert len(set(stamps)) == len(stamps)


def test_a_restored_file_is_whose_the_one_before_it_was(file: Path, tmp_path: Path) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    file.chmod(0o660)
    if os.geteuid() == 0:
        os.chown(file, 12345, 12346)
    before = file.stat()
    assert command(file, "restore", tmp_path / "copy.db").exit_code == 0
    after = file.stat()
    assert [(one.st_mode, one.st_uid, one.st_gid) for one in (after,)] == [
        (before.st_mode, before.st_uid, before.st_gid)
    ]


def test_a_copy_is_what_was_committed_when_it_began(file: Path, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE large (x)")
        db.execute("INSERT INTO large VALUES (zeroblob(20000000))")
        db.commit()
    steps: list[int] = []

    def write_meanwhile(done: int, most: int) -> None:
        steps.append(done)
        if len(steps) < 4:
            with store.connection():
                pages.create(store, PAGE)

    store.engine.backup(tmp_path / "copy.db", force=False, progress=write_meanwhile)
    assert (count(file), count(tmp_path / "copy.db")) == (4, 1)
    assert steps == sorted(set(steps))
    store.dispose()


def test_a_copy_needs_nothing_beside_it(file: Path, tmp_path: Path) -> None:
    assert command(file, "backup", tmp_path / "copy.db").exit_code == 0
    with closing(sqlite3.connect(f"file:{tmp_path}/copy.db?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert count(tmp_path / "copy.db") == 1
    assert not list(tmp_path.glob("copy.db-*"))


def test_a_hard_link_is_the_database_too(file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / "link.db")
    for done in (["backup", "--force"], ["restore"], ["export"]):
        refused = command(file, *done, tmp_path / "link.db")
        assert refused.exit_code in (1, 2)
        assert "database itself" in refused.output, done


def test_what_cannot_be_restored_is_told_by_its_reason(file: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    for database in (file, tmp_path / "none.db"):
        assert "holds no database" in command(database, "restore", empty).output
        assert "There is no file" in command(database, "restore", tmp_path / "x").output
    store = Store(f"sqlite:///{file}")
    with pytest.raises(BackupRefused, match="is there already"):
        store.engine.backup(tmp_path, force=True, progress=lambda *_: None)
    assert command(tmp_path / "none.db", "backup", file, "--force").exit_code == 1


def test_the_log_is_cut_again_after_a_large_write(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    store.migrate()
    log = Path(f"{file}-wal")
    with store.connection() as db, closing(sqlite3.connect(file)) as reader:
        db.execute_sql("CREATE TABLE large (x)")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM page").fetchone()
        db.execute_sql("INSERT INTO large VALUES (zeroblob(70000000))")
        assert log.stat().st_size > 70_000_000
        reader.rollback()
        for _ in range(3):
            db.execute_sql("PRAGMA wal_checkpoint")
            pages.create(store, PAGE)
        assert log.stat().st_size <= 64 * 1024 * 1024
    store.dispose()


def test_a_vacuum_beside_a_service_gives_its_room_back(file: Path, live: Store) -> None:
    live.database.execute_sql("CREATE TABLE large (x)")
    live.database.execute_sql("INSERT INTO large VALUES (zeroblob(5000000))")
    live.database.execute_sql("DROP TABLE large")
    live.database.execute_sql("PRAGMA wal_checkpoint")
    before = file.stat().st_size
    assert before > 5_000_000
    done = command(file, "vacuum")
    assert done.exit_code == 0, done.output
    assert file.stat().st_size < before / 4
