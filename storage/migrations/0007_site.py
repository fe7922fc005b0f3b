"""Windows of pages as columns, the secret of the site, and revoked previews."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import PreviewRevocation, SiteSecret
from landform.storage.pages import scheduling, stored_meta_columns

BATCH = 500
SELECT = "SELECT id, meta FROM page WHERE id > {} ORDER BY id LIMIT {}"
UPDATE = "UPDATE page SET {} WHERE id = {}"


def up(migrator: object, db: EngineDatabase) -> None:
    """Add the columns with what the meta of each page means, their indexes, and the tables."""
    for name in scheduling.WINDOW_COLUMNS:
        db.execute_sql(f"ALTER TABLE page ADD COLUMN {name} {db.dialect.text}")
    _fill(db)
    for name in scheduling.WINDOW_COLUMNS:
        # With the status in it, so that pages can be counted without a look at them.
        columns = f"page_{name} ON page ({name}, status) WHERE {name} IS NOT NULL"
        db.execute_sql(f"CREATE INDEX {columns}")
    for model in (SiteSecret, PreviewRevocation):
        db.dialect.create_table(db, model)


def _fill(db: EngineDatabase) -> None:
    """Set the columns of the pages whose meta names a form, a language or a window."""
    mark, last = db.param, 0
    select = SELECT.format(mark, BATCH)
    while rows := db.execute_sql(select, (last,)).fetchall():
        for number, meta in rows:
            columns = stored_meta_columns(meta)
            if any(columns.values()):
                changes = ", ".join(f"{name} = {mark}" for name in columns)
                db.execute_sql(UPDATE.format(changes, mark), (*columns.values(), number))
        last = rows[-1][0]
