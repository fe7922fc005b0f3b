"""The tables of forms, entries and their values."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import ResourceVersion

TABLES = {
    "form": """
        {identity},
        title {text} NOT NULL,
        is_active {boolean} NOT NULL,
        is_trash {boolean} NOT NULL,
        date_created_utc {text} NOT NULL,
        modified_utc {text} NOT NULL,
        version BIGINT NOT NULL,
        meta {text} NOT NULL
    """,
    "entry": """
        {identity},
        form_id BIGINT NOT NULL,
        status {text} NOT NULL,
        is_read {boolean} NOT NULL,
        is_starred {boolean} NOT NULL,
        created_utc {text} NOT NULL,
        modified_utc {text} NOT NULL,
        version BIGINT NOT NULL,
        source_url {text} NOT NULL,
        ip {text} NOT NULL,
        user_agent {text} NOT NULL,
        created_by BIGINT,
        properties {text} NOT NULL,
        digest {text} NOT NULL
    """,
    "entry_value": """
        entry_id BIGINT NOT NULL,
        form_id BIGINT NOT NULL,
        key {text} NOT NULL,
        value {text} NOT NULL,
        folded {text} NOT NULL,
        number DOUBLE PRECISION,
        PRIMARY KEY (entry_id, key)
    """,
}
INDEXES = {
    "entry_by_status": "entry (status, created_utc, id)",
    "entry_by_form": "entry (form_id, status, created_utc, id)",
    "entry_by_digest": "entry (digest, id) WHERE digest <> ''",
    # The beginning of a value, see storage/filters.py: an index takes no long texts.
    "entry_value_by_text": "entry_value (substr(folded, 1, 100), key, form_id, entry_id)",
    "entry_value_by_form": "entry_value (form_id, key)",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables and their indexes."""
    for name, columns in TABLES.items():
        db.execute_sql(f"CREATE TABLE {name} ({columns.format(**db.dialect.types)})")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")
    # Pages with a form are cached until a form changes.
    db.dialect.create_version(db, "form")
    ResourceVersion.insert(name="form", version=1).execute(db)
