"""The table of webhooks."""

from landform.storage.engines.database import EngineDatabase

WEBHOOK = """
    {identity},
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


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table."""
    db.execute_sql(f"CREATE TABLE webhook ({WEBHOOK.format(**db.dialect.types)})")
