"""The schema of a store, compared with the one that the migrations create."""

from collections.abc import Iterator

from landform.storage.engines.database import INDEX, EngineDatabase, Named, Schema
from landform.storage.migrating import runner

VACUUM = "`landform vacuum` repairs that."
RESTORE = "Restore a backup, or export what is there and import it into a new database."


def problems(db: EngineDatabase) -> Iterator[str]:
    """Yield which parts of the schema are missing, or are not those of this version.

    Other tables and their indexes are not landform's.
    """
    found, wanted = db.schema(), _wanted(db)
    for part, sql in wanted.items():
        remedy = RESTORE if part.kind == "table" and not _is_index_part(part) else VACUUM
        if part not in found:
            yield f"The {part.kind} {part.name} is missing. {remedy}"
        elif found[part] != sql and (part == INDEX or not _is_index_part(part)):
            yield f"The {part.kind} {part.name} is not that of this version. {remedy}"
    migrations = runner(db)
    for name in sorted({one.name for one in migrations.migrations()} - set(migrations.applied())):
        yield f"The migration {name} is not marked as applied. {RESTORE}"
    for part in foreign_parts(found, wanted):
        yield (
            f"The {part.kind} {part.name} is not one of landform's: remove it with "
            f"DROP {part.kind.upper()}."
        )


def foreign_parts(found: Schema, wanted: Schema) -> list[Named]:
    """Return the triggers and views that no migration creates: they may change what is written."""
    return [part for part in found if part.kind in ("trigger", "view") and part not in wanted]


def rebuild(db: EngineDatabase) -> None:
    """Create again the full-text index, and other parts but tables that are not as they should."""
    wanted = _wanted(db)
    if INDEX in wanted:
        # With all of its parts, whatever is wrong with them.
        db.drop(INDEX)
        db.execute_sql(wanted[INDEX])
    found = db.schema()
    for part, sql in wanted.items():
        if part.kind != "table" and found.get(part) != sql:
            db.drop(part)
            db.execute_sql(sql)


def _wanted(db: EngineDatabase) -> Schema:
    wanted: Schema = db.reference_schema(lambda other: runner(other).up())
    return wanted


def _is_index_part(part: Named) -> bool:
    """Return whether a part belongs to the full-text index; SQLite decides how it is made."""
    return part.kind == "table" and part.name.startswith(INDEX.name)
