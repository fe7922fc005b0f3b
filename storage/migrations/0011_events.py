"""The log of events, the webhooks that it is delivered to, and who delivers."""

from landform.storage.engines.database import EngineDatabase

EVENT = """
    type {text} NOT NULL,
    resource_id BIGINT,
    created_utc {text} NOT NULL,
    data {text} NOT NULL
"""
WEBHOOK = """
    url {text} NOT NULL,
    types {text} NOT NULL,
    description {text} NOT NULL,
    active {boolean} NOT NULL,
    reason {text} NOT NULL,
    secret {text} NOT NULL,
    previous_secret {text} NOT NULL,
    previous_until DOUBLE PRECISION NOT NULL,
    cursor BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    failing_since DOUBLE PRECISION,
    next_try DOUBLE PRECISION NOT NULL,
    delivered BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    set_aside {text} NOT NULL,
    resend {text} NOT NULL,
    deliveries {text} NOT NULL,
    created_utc {text} NOT NULL
"""
STATE = "name {text} PRIMARY KEY, number DOUBLE PRECISION NOT NULL, holder {text} NOT NULL"


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables."""
    speaks = db.dialect
    for name, columns in (("event", EVENT), ("webhook", WEBHOOK)):
        typed = columns.format(text=speaks.text, boolean=speaks.boolean)
        db.execute_sql(f"CREATE TABLE {name} ({speaks.identity}, {typed})")
    db.execute_sql(f"CREATE TABLE event_state ({STATE.format(text=speaks.text)})")
