"""The table of the previews that were made, so that they can be listed."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the table. Earlier previews still work, and are not listed."""
    columns = "page BIGINT NOT NULL, expires BIGINT NOT NULL, PRIMARY KEY (page, expires)"
    db.execute_sql(f"CREATE TABLE preview_link ({columns})")
