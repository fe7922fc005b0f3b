"""Runs of feeds: which feed was run for which entry, and how that ended."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import FeedRun

INDEXES = {
    "feed_run_by_feed": "feed_run (feed_id, id)",
    "feed_run_by_form": "feed_run (form_id, id)",
    "feed_run_by_state": "feed_run (state, id)",
    "feed_run_by_age": "feed_run (modified_utc, id)",
    "feed_run_due": "feed_run (due_utc, id) WHERE due_utc IS NOT NULL",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table; a feed has one run for each entry."""
    db.dialect.create_table(db, FeedRun)
    db.execute_sql("CREATE UNIQUE INDEX feed_run_by_entry ON feed_run (entry_id, feed_id)")
    for name, indexed in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {indexed}")
