"""Feeds whose attempts fail."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table."""
    text = db.dialect.types["text"]
    columns = (
        f"feed_id BIGINT NOT NULL PRIMARY KEY, failures BIGINT NOT NULL, next_utc {text} NOT NULL"
    )
    db.execute_sql(f"CREATE TABLE failing_feed ({columns})")
