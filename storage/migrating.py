"""Bringing the schema of a database up to date, and looking whether it can be served."""

from pathlib import Path

import peewee
from playhouse.migrations import Migration, Runner

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import DatabaseUnusable
from landform.storage.models import Page, StoreInfo

MIGRATIONS = Path(__file__).parent / "migrations"
NO_STORE = "{} is no database of landform, and is left as it is: name another one."
# The first migration of the versions before 0001_core, none of which was released.
PRE_RELEASE = "0001_pages_and_feeds"
EXPORT_FIRST = (
    "{} was made by a pre-release of landform: export it with that version, and import the export "
    "into a new database with this one."
)


def runner(db: EngineDatabase) -> Runner:
    """Return what knows the migrations, and which of them were applied."""
    return Runner(db, str(MIGRATIONS))


def upgrade(db: EngineDatabase, *, create: bool) -> list[str]:
    """Apply the migrations that are missing, one process at a time, and return their names.

    Then the connections of the database lead to its store only. Raises `DatabaseUnusable`, also
    where there is no store and none is to be created. Use inside `connected()`.
    """
    # In one look: another process may be creating them.
    tables = db.get_tables()
    if "schema_migration" not in tables and (not create or (tables and not db.on_server)):
        raise DatabaseUnusable(NO_STORE.format(db.name))
    db.without_timeout()
    applied = _apply(db) if _pending(db) else []
    identities = list(StoreInfo.select(StoreInfo.identity).tuples().execute(db))
    if len(identities) != 1:
        raise DatabaseUnusable(
            f"{db.name} has lost its identity; `landform vacuum` gives it a new one."
        )
    db.identity, db.migration = identities[0][0], _last(db)
    db.after_migration()
    return applied


def check(db: EngineDatabase, *, current: bool) -> None:
    """Raise `DatabaseUnusable` where there is no store, or none that this version knows.

    One of an earlier version will do, unless it has to be `current`. Use inside `connected()`.
    """
    if not db.table_exists("schema_migration") or not db.table_exists(Page):
        raise DatabaseUnusable(NO_STORE.format(db.name))
    if _pending(db) and current:
        raise DatabaseUnusable(
            f"{db.name} has the schema of an earlier version: run `landform migrate`."
        )


def _last(db: EngineDatabase) -> str:
    """Return the name of the last migration of this version."""
    return str(max(one.name for one in runner(db).migrations()))


def _apply(db: EngineDatabase) -> list[str]:
    with db.atomic():
        # Another process may have done it while this one waited for the lock.
        pending, migrations = _pending(db), runner(db)
        if pending and db.table_exists(Page):
            db.before_migration(pending[0].name[:4])
        try:
            migrations.History.create_table()
            for migration in pending:
                # Not by the runner itself, which would write to a log of the host.
                migration.load().up(migrations.migrator, db)
                migrations.History.create(name=migration.name)
        except peewee.DatabaseError as error:
            if db.translate_error(error):
                raise
            raise db.unusable(f"cannot be brought up to date: {error}.") from error
    return [migration.name for migration in pending]


def _pending(db: EngineDatabase) -> list[Migration]:
    """Return the migrations that were not applied yet."""
    migrations = runner(db)
    known, applied = migrations.migrations(), set(migrations.applied())
    if PRE_RELEASE in applied:
        raise DatabaseUnusable(EXPORT_FIRST.format(db.name))
    if later := sorted(applied - {one.name for one in known}):
        raise DatabaseUnusable(
            f"{db.name} has a newer schema ({', '.join(later)}) than this version of landform "
            "knows."
        )
    return [one for one in known if one.name not in applied]
