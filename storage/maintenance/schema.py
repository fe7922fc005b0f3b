"""The schema of a store, compared with the one that the migrations create."""

from collections.abc import Iterator

from landform.storage.engines.database import INDEX, EngineDatabase, Named, Schema
from landform.storage.migrating import runner
from landform.storage.models import TABLES

VACUUM = "`landform vacuum` repairs that."
RESTORE = "Restore a backup, or export what is there and import it into a new database."
# The parts of the full-text index go with it.
REPLACEABLE = {
    INDEX.name,
    *(one._meta.table_name for one in TABLES if one.traits.replaceable),
}


def problems(db: EngineDatabase) -> Iterator[str]:
    """Yield which parts of the schema are missing, or are not those of this version.

    Other tables and their indexes are not landform's; a trigger may change what is written.
    """
    found, wanted = db.schema(), _wanted(db)
    for part, sql in wanted.items():
        remedy = VACUUM if _is_replaceable(part, db) else RESTORE
        if part not in found:
            yield f"The {part.kind} {part.name} is missing. {remedy}"
        elif not _is_same(part, found[part], sql):
            yield f"The {part.kind} {part.name} is not that of this version. {remedy}"
    migrations = runner(db)
    for name in sorted({one.name for one in migrations.migrations()} - set(migrations.applied())):
        yield f"The migration {name} is not marked as applied. {RESTORE}"
    for part in found:
        if part.kind == "trigger" and part not in wanted:
            yield f"The trigger {part.name} is not one of landform's: remove it with DROP TRIGGER."


def repair(db: EngineDatabase) -> None:
    """Create the replaceable parts again where they are missing, or not those of this version."""
    wanted = _wanted(db)
    while broken := _broken(db.schema(), wanted, db):
        parts = [part for part in broken if _is_index_part(part)]
        # The full-text index is dropped and created with all of its parts.
        for part in dict.fromkeys([INDEX, *broken] if parts else broken):
            if part not in parts:
                db.drop(part)
                db.execute_sql(wanted[part])


def recreate_search_index(db: EngineDatabase) -> None:
    """Create the full-text index again with all of its parts, where it is a table."""
    sql = _wanted(db).get(INDEX)
    if sql is not None:
        db.drop(INDEX)
        db.execute_sql(sql)


def _broken(found: Schema, wanted: Schema, db: EngineDatabase) -> list[Named]:
    broken = [part for part, sql in wanted.items() if not _is_same(part, found.get(part), sql)]
    return [part for part in broken if _is_replaceable(part, db)]


def _is_same(part: Named, found: str | None, wanted: str) -> bool:
    # SQLite decides itself how it creates the parts of the full-text index.
    return found is not None if _is_index_part(part) else found == wanted


def _is_index_part(part: Named) -> bool:
    return part.kind == "table" and part.name.startswith(f"{INDEX.name}_")


def _wanted(db: EngineDatabase) -> Schema:
    wanted: Schema = db.reference_schema(lambda other: runner(other).up())
    return wanted


def _is_replaceable(part: Named, db: EngineDatabase) -> bool:
    if part.kind != "table":
        return True
    return db.remakes_tables and (part.name in REPLACEABLE or _is_index_part(part))
