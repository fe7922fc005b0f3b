"""The schema of a SQLite file: read, and taken apart even where it is damaged."""

import sqlite3

from landform.storage.engines.database import INDEX, EngineDatabase, Named, Schema

RENEW = "UPDATE store SET generation = lower(hex(randomblob(5)))"
# The sequences tell whether it ever held anything, and the last id of an event.
RESTORED = """
    INSERT INTO event (id, type, created_utc, data)
    SELECT max(last + 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
        'store.restored', strftime('%Y-%m-%dT%H:%M:%S', 'now'), '{"resource":"store","id":null}'
    FROM (SELECT max((name = 'event') * seq) AS last, max(seq) AS highest FROM sqlite_sequence)
    WHERE highest > 0
"""


def read(db: EngineDatabase) -> Schema:
    """Return the parts of the schema."""
    rows = db.execute_sql("SELECT type, name, sql FROM sqlite_master WHERE sql <> ''")
    return {
        Named(kind, name): " ".join(sql.split())
        for kind, name, sql in rows.fetchall()
        if not name.startswith("sqlite_")
    }


def is_foreign(connection: sqlite3.Connection) -> bool:
    """Return whether a database holds something, but nothing that a migration has made."""
    tables = {name for (name,) in connection.execute("SELECT tbl_name FROM sqlite_master")}
    return bool(tables) and "schema_migration" not in tables


def renew(connection: sqlite3.Connection) -> bool:
    """Give a file that may be a backup another generation, and tell so in its log of events.

    The event has the time in milliseconds as its id: no id is given out twice, though the file
    knows nothing of those after the backup. Return whether it has a log: one of an earlier version
    has none, or no generation either.
    """
    tables = {name for (name,) in connection.execute("SELECT tbl_name FROM sqlite_master")}
    for table, sql in (("event", RESTORED), ("store", RENEW)):
        if table in tables:
            connection.execute(sql)
    return "event" in tables


def drop(db: EngineDatabase, part: Named) -> None:
    """Drop a part of the schema, where it is there."""
    if part == INDEX:
        # SQLite opens a full-text index before it drops it, and cannot where a part is missing.
        _forget(db, part)
        for kind, name in read(db):
            if kind == "table" and name.startswith(f"{part.name}_"):
                db.execute_sql(f'DROP TABLE "{name}"')
    elif part.kind == "trigger":
        # SQLite drops it by the name in its SQL, which damage may have made another one.
        _forget(db, part)
    else:
        db.execute_sql(f'DROP {part.kind} IF EXISTS "{part.name}"')


def _forget(db: EngineDatabase, part: Named) -> None:
    db.execute_sql("PRAGMA writable_schema = ON")
    db.execute_sql("DELETE FROM sqlite_master WHERE (type, name) = (?, ?)", part)
    db.execute_sql("PRAGMA writable_schema = RESET")
