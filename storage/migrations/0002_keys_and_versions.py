"""Keys, version counters for conditional writes, kept answers of creates, failed attempts."""

from typing import Any

from landform.storage import sqlite

KEY = """
    name TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    author BIGINT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT
"""
KEPT_ANSWER = """
    caller TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    location TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (caller, idempotency_key)
"""
FAILED_ATTEMPT = """
    address TEXT NOT NULL,
    minute BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (address, minute)
"""


def up(migrator: Any, db: Any) -> None:
    """Create the tables; every row that is there is at its first version."""
    db.execute_sql(f"CREATE TABLE api_key ({sqlite.IDENTITY}, {KEY})")
    db.execute_sql(f"CREATE TABLE kept_answer ({KEPT_ANSWER})")
    db.execute_sql("CREATE INDEX kept_answer_by_age ON kept_answer (created)")
    db.execute_sql(f"CREATE TABLE failed_attempt ({FAILED_ATTEMPT})")
    for table in ("page", "feed"):
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN version BIGINT NOT NULL DEFAULT 1")
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN modified_utc TEXT NOT NULL DEFAULT ''")
    db.execute_sql("CREATE TABLE resource_version (name TEXT PRIMARY KEY, version BIGINT NOT NULL)")
    db.execute_sql("INSERT INTO resource_version (name, version) VALUES ('page', 1), ('feed', 1)")
