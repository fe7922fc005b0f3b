"""What a table takes part in is said beside its columns, and everything else follows from that."""

from conftest import migrated

from landform.storage import models
from landform.storage.models import TABLES


def test_the_models_are_the_tables_that_the_migrations_create(new_database: str) -> None:
    store = migrated(new_database)
    with store.connection() as db:
        tables = set(db.get_tables())
        versions = db.execute_sql("SELECT name FROM resource_version").fetchall()
        given = db.last_ids()
    own = {name for name in tables if not name.startswith("page_index")}
    assert own - {"schema_migration", "sqlite_sequence"} == {one._meta.table_name for one in TABLES}
    assert {name for (name,) in versions} == store.database.versioned
    assert set(given) == set(models.NUMBERED)
