"""SQLite: one file, one writer at a time, and all SQL that only SQLite speaks."""

import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import peewee

from landform.storage.engines import backup, files
from landform.storage.engines.base import UNUSABLE, Progress
from landform.storage.errors import Busy, DatabaseUnusable, Full, StorageError, Unavailable

TURN = "UPDATE resource_version SET version = version + 1 WHERE name = '{}'"
ROLLED_BACK = re.compile("no transaction is active|no such savepoint")
# What the driver says of a file that is out of reach or spoilt.
BROKEN = ("readonly", "unable to open", "disk i/o", "malformed", "not a database")
# As little room as a write may find: a page of the largest size, and its place in the log.
ROOM_BYTES = 16 * 1024 * 1024


class SQLiteDialect:
    """The SQL of SQLite, see `Dialect`."""

    # AUTOINCREMENT: an id is never given out twice, not even the highest one after its deletion.
    identity = "id INTEGER PRIMARY KEY AUTOINCREMENT"
    integer = boolean = "INTEGER"
    text = "TEXT"
    # The trigram index finds words of three characters or more; shorter ones are looked for by
    # scan.
    shortest_indexed = 3
    hinted = merges = True

    def key(self, column: str) -> str:
        """See `Dialect`."""
        return column

    def same(self, column: Any, value: Any) -> Any:
        """See `Dialect`."""
        return column == value

    def sorted(self, column: Any, direction: str) -> Any:
        """See `Dialect`."""
        return peewee.NodeList((column, peewee.SQL(direction)))

    def contains(self, column: Any, text: Any) -> Any:
        """See `Dialect`."""
        return peewee.fn.INSTR(column, text) > 0

    holds = contains

    def listed(self, column: Any, values: Any) -> Any:
        """See `Dialect`."""
        found = peewee.Select([peewee.fn.json_each(values)], [peewee.SQL("value")])
        return column.in_(found)

    def unindexed(self, column: Any) -> Any:
        """See `Dialect`."""
        return peewee.NodeList((peewee.SQL("+"), column), glue="")

    def indexed_words(
        self, words: Iterable[str], without: Iterable[str], columns: Iterable[str]
    ) -> str:
        """See `Dialect`."""
        found, left_out = (
            ['"{}"'.format(word.replace('"', '""')) for word in some] for some in (words, without)
        )
        wanted = " AND ".join(found)
        if left_out:
            unwanted = " OR ".join(left_out)
            wanted = f"({wanted}) NOT ({unwanted})" if found else unwanted
        return f"{{{' '.join(columns)}}} : ({wanted})"

    def indexed(self, words: Any) -> Any:
        """See `Dialect`."""
        match = peewee.NodeList((peewee.SQL("page_index MATCH"), words))
        return peewee.Select([peewee.SQL("page_index")], [peewee.SQL("rowid")]).where(match)

    def create_search_index(self, db: Any) -> None:
        """Create the trigram index over `page_text`, and the triggers that keep it true."""
        db.execute_sql(
            "CREATE VIRTUAL TABLE page_index USING fts5 (title, content, content='page_text', "
            "content_rowid='id', tokenize='trigram case_sensitive 1')"
        )
        add = (
            "INSERT INTO page_index (rowid, title, content) VALUES (new.id, new.title, new.content)"
        )
        drop = (
            "INSERT INTO page_index (page_index, rowid, title, content) "
            "VALUES ('delete', old.id, old.title, old.content)"
        )
        for event, body in (("INSERT", add), ("DELETE", drop), ("UPDATE", f"{drop}; {add}")):
            _create_trigger(db, "page_text", f"{event} ON page_text", body)

    def create_counters(self, db: Any, counted: Mapping[str, str]) -> None:
        """See `Dialect`."""
        plus = (
            "INSERT INTO page_count (counted, status, value, pages) "
            "VALUES ('{0}', new.status, {1}, 1) "
            "ON CONFLICT (counted, status, value) DO UPDATE SET pages = pages + 1"
        )
        minus = (
            "UPDATE page_count SET pages = pages - 1 "
            "WHERE counted = '{0}' AND status = old.status AND value = {1}"
        )
        for name, value in counted.items():
            new, old = value.format(row="new."), value.format(row="old.")
            add, drop = plus.format(name, new), minus.format(name, old)
            changed = f"(old.status, {old}) IS NOT (new.status, {new})"
            for event, when, body in (
                ("INSERT", "", add),
                ("DELETE", "", drop),
                ("UPDATE", f"WHEN {changed}", f"{drop}; {add}"),
            ):
                _create_trigger(db, f"page_count_{name}", f"{event} ON page {when}", body)
        for table in ("page", "feed"):
            turn = TURN.format(table)
            for event in ("INSERT", "DELETE", "UPDATE"):
                _create_trigger(db, f"{table}_version", f"{event} ON {table}", turn)


def _create_trigger(db: Any, name: str, event: str, body: str) -> None:
    """Create a trigger for an event such as `INSERT ON page`, and name it after that too."""
    verb = event.partition(" ")[0].lower()
    db.execute_sql(f"CREATE TRIGGER {name}_{verb} AFTER {event} BEGIN {body}; END")


class SQLite:
    """The engine of a SQLite file, see `Engine`."""

    remedy = "It is left as it is; `landform restore` puts a backup in its place."

    def __init__(self, path: str, synchronous: str, busy_timeout: float) -> None:
        self.name = self.path = path
        self.database = files.database(path, synchronous, busy_timeout, SQLiteDialect())
        self._watch = files.Watch(path)

    def create(self) -> None:
        """See `Engine`."""
        files.create_file(self.path)

    def check(self) -> None:
        """See `Engine`."""
        if not Path(self.path).is_file():
            raise DatabaseUnusable(f"There is no database {self.path}.")

    def before_migration(self, migration: str) -> None:
        """Copy the file to one beside it, named after the migration."""
        backup.backup(self.path, Path(f"{self.path}.before-{migration}"), force=True)

    def complaint(self, error: BaseException) -> StorageError | None:
        """See `Engine`."""
        # A full disk makes SQLite roll back by itself; what is raised then is that Peewee cannot.
        while ROLLED_BACK.search(str(error)) and error.__context__:
            error = error.__context__
        if files.is_busy(error):
            return Busy("Another writer holds the database.")
        text = str(error).lower()
        if "full" in text:
            return Full("There is no room left to write.")
        if any(sign in text for sign in BROKEN):
            return Unavailable(UNUSABLE)
        return None

    def version(self) -> Hashable | None:
        """See `Engine`."""
        return self._watch.version()

    def unready(self) -> str | None:
        """See `Engine`."""
        folder = Path(self.path).absolute().parent
        if not (os.access(self.path, os.W_OK) and os.access(folder, os.W_OK)):
            return "The database cannot be written to."
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < ROOM_BYTES:
            return "There is no room left on the disk."
        return None

    def damage(self, db: Any) -> Iterator[str]:
        """Yield in words what is wrong with the file, its references and the index of words."""
        for (found,) in db.execute_sql("PRAGMA integrity_check").fetchall():
            if found != "ok":
                yield f"SQLite says: {found}."
        for table, row, *_ in db.execute_sql("PRAGMA foreign_key_check").fetchall():
            yield f"The row {row} of {table} refers to a row that is not there."
        check = "INSERT INTO page_index (page_index, rank) VALUES ('integrity-check', 1)"
        try:
            db.execute_sql(check)
        except peewee.DatabaseError as error:
            if files.is_busy(error):
                raise
            yield "The index of words is not that of the texts; `landform vacuum` makes it anew."

    def compact(self, db: Any) -> None:
        """See `Engine`."""
        db.execute_sql("INSERT INTO page_index (page_index) VALUES ('rebuild')")
        db.execute_sql("INSERT INTO page_index (page_index) VALUES ('optimize')")
        db.execute_sql("VACUUM")
        db.execute_sql("PRAGMA optimize")
        db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def size(self) -> int:
        """See `Engine`."""
        return Path(self.path).stat().st_size

    def backup(self, target: Path, *, force: bool, progress: Progress) -> None:
        """See `Engine`."""
        backup.backup(self.path, target, force=force, progress=progress)

    def restore(self, source: Path, check: Callable[[str], None]) -> Path | None:
        """See `Engine`."""
        return backup.restore(source, self.path, check)

    def close(self) -> None:
        """See `Engine`."""
        self.database.close_idle()
        self._watch.close()
