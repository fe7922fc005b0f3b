"""Keys, version counters for conditional writes, kept answers of creates, failed attempts."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import ApiKey, FailedAttempt, IdempotencyRecord, ResourceVersion


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables; every row that is there is at its first version."""
    for model in (ApiKey, IdempotencyRecord, FailedAttempt, ResourceVersion):
        db.dialect.create_table(db, model)
    db.execute_sql("CREATE INDEX kept_answer_by_age ON kept_answer (created)")
    for table in ("page", "feed"):
        text = f"{db.dialect.text} NOT NULL DEFAULT ''"
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN version BIGINT NOT NULL DEFAULT 1")
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN modified_utc {text}")
    db.execute_sql("INSERT INTO resource_version (name, version) VALUES ('page', 1), ('feed', 1)")
