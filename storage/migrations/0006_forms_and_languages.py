"""Pages are found by their form and by their languages."""

from collections.abc import Iterator

from landform.storage.engines.database import EngineDatabase, Record
from landform.storage.pages.meta_keys import stored_meta_columns

BATCH = 500
SELECT = "SELECT id, meta FROM page WHERE id > {} ORDER BY id LIMIT {}"
UPDATE = """
    WITH found (id, form, languages) AS (VALUES {rows})
    UPDATE page SET form = found.form, languages = found.languages
    FROM found WHERE page.id = found.id
"""


def up(migrator: object, db: EngineDatabase) -> None:
    """Add the columns, and fill them from the meta of the pages."""
    for column in ("form", "languages"):
        text = f"{db.dialect.text} DEFAULT '' NOT NULL"
        db.execute_sql(f"ALTER TABLE page ADD COLUMN {column} {text}")
    with db.lenient():
        for pages in _batches(db):
            _fill(db, pages)


def _batches(db: EngineDatabase) -> Iterator[list[Record]]:
    last = 0
    select = SELECT.format(db.param, BATCH)
    while found := db.execute_sql(select, (last,)).fetchall():
        yield found
        last = found[-1][0]


def _fill(db: EngineDatabase, pages: list[Record]) -> None:
    values: list[object] = []
    for page_id, meta in pages:
        columns = stored_meta_columns(meta)
        if any(columns.values()):
            values += [page_id, columns["form"], columns["languages"]]
    if values:
        rows = ", ".join([f"({db.param}, {db.param}, {db.param})"] * (len(values) // 3))
        db.execute_sql(UPDATE.format(rows=rows), values)
