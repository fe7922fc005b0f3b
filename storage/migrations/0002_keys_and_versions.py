"""Keys, version counters for conditional writes, kept answers of creates, failed attempts."""

from landform.storage.engines.database import EngineDatabase

KEY = """
    name {text} NOT NULL,
    digest {text} NOT NULL UNIQUE,
    scopes {text} NOT NULL,
    author BIGINT NOT NULL,
    created {text} NOT NULL,
    expires {text}
"""
KEPT_ANSWER = """
    caller {text} NOT NULL,
    idempotency_key {text} NOT NULL,
    body_digest {text} NOT NULL,
    answer {text} NOT NULL,
    location {text} NOT NULL,
    created {text} NOT NULL,
    PRIMARY KEY (caller, idempotency_key)
"""
FAILED_ATTEMPT = """
    address {text} NOT NULL,
    minute BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (address, minute)
"""


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables; every row that is there is at its first version."""
    text = db.dialect.text
    db.execute_sql(f"CREATE TABLE api_key ({db.dialect.identity}, {KEY.format(text=text)})")
    db.execute_sql(f"CREATE TABLE kept_answer ({KEPT_ANSWER.format(text=text)})")
    db.execute_sql("CREATE INDEX kept_answer_by_age ON kept_answer (created)")
    db.execute_sql(f"CREATE TABLE failed_attempt ({FAILED_ATTEMPT.format(text=text)})")
    for table in ("page", "feed"):
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN version BIGINT NOT NULL DEFAULT 1")
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN modified_utc {text} NOT NULL DEFAULT ''")
    db.execute_sql(
        f"CREATE TABLE resource_version (name {text} PRIMARY KEY, version BIGINT NOT NULL)"
    )
    db.execute_sql("INSERT INTO resource_version (name, version) VALUES ('page', 1), ('feed', 1)")
