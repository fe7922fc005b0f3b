"""Migrations: bring the schema of a database up to date, or check that it is.

The core has its migrations in `migrations`, and so has each part in its folder. One history has
all of them, those of a part as `<part>.0001_<name>`.
"""

import re
from collections.abc import Collection
from pathlib import Path

import peewee
from playhouse.migrations import Migration, Runner

from landform.parts import all_parts
from landform.storage.engines.database import HISTORY, EngineDatabase
from landform.storage.errors import DatabaseUnusable
from landform.storage.models import Page, StoreInfo

MIGRATIONS = Path(__file__).parent / "migrations"
PARTS_FOLDER = Path(__file__).parents[1] / "parts"
NO_STORE = "{} is no database of landform, and is left as it is: name another one."
# The first migration of the versions before 0001_core, none of which was released.
PRE_RELEASE = "0001_pages_and_feeds"
EXPORT_FIRST = (
    "{} was made by a pre-release of landform: export it with that version, and import the export "
    "into a new database with this one."
)


def all_migrations() -> dict[str, Migration]:
    """Return the migrations by their names, in the order in which they are applied."""
    folders = {"": MIGRATIONS}
    folders |= {f"{part}.": PARTS_FOLDER / part / "migrations" for part in all_parts()}
    return {
        f"{prefix}{migration.name}": migration
        for prefix, folder in folders.items()
        for migration in Migration.load_directory(str(folder))
    }


def read_history(db: EngineDatabase) -> list[str]:
    """Return the names of the migrations that were applied."""
    exists = db.table_exists("schema_migration")
    return [name for (name,) in db.execute_sql(HISTORY).fetchall()] if exists else []


def missing_parts(history: Collection[str]) -> list[str]:
    """Return the parts that a database was used with, and that are not installed."""
    return sorted({part_of(name) for name in history} - {"", *all_parts()})


def part_of(migration: str) -> str:
    """Return the part that a migration belongs to, empty for the core."""
    return migration.rpartition(".")[0]


def upgrade(db: EngineDatabase, *, create: bool) -> list[str]:
    """Apply the migrations that are missing, one process at a time, and return their names.

    From then on the database accepts connections to this store only. Raises `DatabaseUnusable`,
    also for a database without a store unless it may `create` one. Use inside `connected()`.
    """
    # In one query: another process may be creating them.
    tables = db.get_tables()
    if "schema_migration" not in tables and (not create or (tables and not db.on_server)):
        raise DatabaseUnusable(NO_STORE.format(db.name))
    db.without_timeout()
    applied, history = list[str](), read_history(db)
    if pending(db, history):
        applied, history = _apply_pending(db)
    identities = list(StoreInfo.select(StoreInfo.identity).tuples().execute(db))
    if len(identities) != 1:
        raise DatabaseUnusable(
            f"{db.name} has lost its identity; `landform vacuum` gives it a new one."
        )
    db.identity, db.history = identities[0][0], history
    db.after_migration()
    return applied


def check(db: EngineDatabase, *, current: bool) -> None:
    """Raise `DatabaseUnusable` for a database without a store, or with a newer schema.

    With `current`, also for one with an earlier schema. Use inside `connected()`.
    """
    if not db.table_exists("schema_migration") or not db.table_exists(Page):
        raise DatabaseUnusable(NO_STORE.format(db.name))
    if pending(db, read_history(db)) and current:
        raise DatabaseUnusable(
            f"{db.name} has the schema of an earlier version: run `landform migrate`."
        )


def is_earlier(db: EngineDatabase) -> bool:
    """Return whether a store has the schema of an earlier version."""
    history, names = read_history(db), list(all_migrations())
    return names[0] in history and not set(names) <= set(history)


def pending(db: EngineDatabase, history: Collection[str]) -> list[str]:
    """Return the migrations that were not applied yet; `DatabaseUnusable` for unknown ones."""
    if PRE_RELEASE in history:
        raise DatabaseUnusable(EXPORT_FIRST.format(db.name))
    migrations, unknown = all_migrations(), missing_parts(history)
    later = [name for name in history if name not in migrations and part_of(name) not in unknown]
    if later:
        raise DatabaseUnusable(
            f"{db.name} has a newer schema ({', '.join(later)}) than this version of landform "
            "knows."
        )
    return [name for name in migrations if name not in history]


def apply(db: EngineDatabase, names: Collection[str]) -> None:
    """Apply migrations in the transaction that is open."""
    runner, migrations = Runner(db), all_migrations()
    runner.History.create_table()
    for name in names:
        # The runner itself would write to a log of the host.
        migrations[name].load().up(runner.migrator, db)
        runner.History.create(name=name)


def _apply_pending(db: EngineDatabase) -> tuple[list[str], list[str]]:
    """Apply the migrations that are missing; return their names, and the whole history."""
    with db.atomic():
        # Another process may have applied them while this one waited for the lock.
        names = pending(db, read_history(db))
        if names and db.table_exists(Page):
            db.before_migration(re.split("_[^.]*$", names[0])[0])
        try:
            apply(db, names)
            return names, read_history(db)
        except peewee.DatabaseError as error:
            if db.translate_error(error):
                raise
            raise db.unusable(f"cannot be brought up to date: {error}.") from error
