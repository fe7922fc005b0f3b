"""What was imported from another site: which row came from where, and how far an import is."""

from landform.storage.engines.database import EngineDatabase

IMPORT_ORIGIN = """
    source {text} NOT NULL,
    resource {text} NOT NULL,
    source_id BIGINT NOT NULL,
    target_id BIGINT NOT NULL,
    digest {text} NOT NULL,
    stored {text} NOT NULL,
    slug {text} NOT NULL,
    link {text} NOT NULL,
    run BIGINT NOT NULL,
    outcome {text} NOT NULL,
    notes {text} NOT NULL,
    PRIMARY KEY (source, resource, source_id)
"""
IMPORT_RUN = "source {text} PRIMARY KEY, run BIGINT NOT NULL, state {text} NOT NULL"


def up(migrator: object, db: EngineDatabase) -> None:
    """Create both tables."""
    for name, columns in (("import_origin", IMPORT_ORIGIN), ("import_run", IMPORT_RUN)):
        db.execute_sql(f"CREATE TABLE {name} ({columns.format(**db.dialect.types)})")
