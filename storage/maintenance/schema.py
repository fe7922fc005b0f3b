"""The schema of a store, compared with the one that the migrations make."""

from collections.abc import Iterator

from landform.storage.engines.database import INDEX, EngineDatabase, Named, Schema
from landform.storage.migrating import all_migrations, apply, read_history

VACUUM = "`landform vacuum` repairs that."
RESTORE = "Restore a backup, or export what is there and import it into a new database."


def schema_problems(db: EngineDatabase) -> Iterator[str]:
    """Yield each part of the schema that is missing or differs, as a sentence with advice.

    Other tables and their indexes may be those of another program.
    """
    schema, expected = db.schema(), expected_schema(db)
    for part, sql in expected.items():
        if schema.get(part) != sql:
            problem = "not that of this version" if part in schema else "missing"
            remedy = RESTORE if part.kind == "table" and part != INDEX else VACUUM
            yield f"The {part.kind} {part.name} is {problem}. {remedy}"
    history = read_history(db)
    for name in all_migrations().keys() - set(history):
        yield f"The migration {name} is not marked as applied. {RESTORE}"
    was_removed = bool(set(history) - all_migrations().keys())
    # A trigger or view of another program may change rows.
    for part in schema.keys() - expected.keys():
        if part.kind == "trigger" and was_removed and table_of(schema[part]) not in expected:
            # That of a part whose tables are kept without it.
            continue
        if part.kind in ("trigger", "view"):
            yield (
                f"The {part.kind} {part.name} is not one of landform's: remove it with "
                f"DROP {part.kind.upper()}."
            )


def expected_schema(db: EngineDatabase) -> Schema:
    """Return the schema that the migrations of this version make."""
    return db.reference_schema(lambda empty: apply(empty, all_migrations()))


def table_of(sql: str) -> Named:
    """Return the table of a trigger or an index."""
    return Named("table", sql.partition(" ON ")[2].split()[0])
