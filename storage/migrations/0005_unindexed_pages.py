"""Changed texts wait beside the full-text index until there are enough of them."""

from landform.storage.engines.database import EngineDatabase


def up(migrator: object, db: EngineDatabase) -> None:
    """Let the index take them in batches, where the engine has no list of such for it itself."""
    db.dialect.batch_search_index(db)
