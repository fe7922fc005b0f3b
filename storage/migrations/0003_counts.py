"""Versions that turn by themselves, and the index of the pages that come due."""

from landform.storage.engines.database import EngineDatabase

# With the status in it, so that SQLite prefers it to the others that begin with a date.
DUE = "CREATE INDEX page_due ON page (status, date_utc) WHERE status = 'future'"


def up(migrator: object, db: EngineDatabase) -> None:
    """Let every later write increment a version."""
    db.execute_sql("DROP INDEX page_due")
    db.execute_sql(DUE)
    for table in ("page", "feed"):
        db.dialect.create_version(db, table)
    if db.on_server:
        # There is no file whose commits can be watched.
        db.dialect.create_version(db, "api_key")
        db.execute_sql("INSERT INTO resource_version (name, version) VALUES ('api_key', 1)")
