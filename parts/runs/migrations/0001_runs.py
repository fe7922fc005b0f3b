"""The runs of feeds for entries."""

from landform.storage.engines.database import EngineDatabase

FEED_RUN = """
    {identity},
    feed_id BIGINT NOT NULL,
    form_id BIGINT NOT NULL,
    entry_id {text} NOT NULL,
    state {text} NOT NULL,
    attempt BIGINT NOT NULL,
    due_utc {text},
    code {text} NOT NULL,
    message {text} NOT NULL,
    retryable {boolean} NOT NULL,
    created_utc {text} NOT NULL,
    modified_utc {text} NOT NULL,
    version BIGINT NOT NULL
"""
INDEXES = {
    "feed_run_by_feed": "feed_run (feed_id, id)",
    "feed_run_by_form": "feed_run (form_id, id)",
    "feed_run_by_state": "feed_run (state, id)",
    "feed_run_by_age": "feed_run (modified_utc, id)",
    "feed_run_due": "feed_run (due_utc, id) WHERE due_utc IS NOT NULL",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table and its indexes."""
    db.execute_sql(f"CREATE TABLE feed_run ({FEED_RUN.format(**db.dialect.types)})")
    db.execute_sql("CREATE UNIQUE INDEX feed_run_by_entry ON feed_run (entry_id, feed_id)")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")
