"""The runs of feeds that the service itself carries out."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Add the column, and the indexes of the queue and of runs that expire."""
    db.execute_sql(
        "ALTER TABLE feed_run ADD COLUMN queued {boolean} NOT NULL DEFAULT FALSE".format(
            **db.dialect.types
        )
    )
    db.execute_sql(
        "CREATE INDEX feed_run_queue ON feed_run (feed_id, due_utc, id) "
        "WHERE queued AND due_utc IS NOT NULL"
    )
    db.execute_sql("CREATE INDEX feed_run_expiring ON feed_run (modified_utc, id) WHERE NOT queued")
