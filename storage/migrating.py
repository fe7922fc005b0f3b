"""Bringing the schema of a database up to date, and looking whether it can be served."""

from pathlib import Path

import peewee
from playhouse.migrations import Runner

from landform.storage.engines.base import Engine
from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import DatabaseUnusable
from landform.storage.models import TABLES, Page, StoreInfo

MIGRATIONS = Path(__file__).parent / "migrations"
NO_STORE = "is no database of landform."


def runner(db: EngineDatabase) -> Runner:
    """Return what knows the migrations, and which of them were applied."""
    return Runner(db, str(MIGRATIONS))


def upgrade(engine: Engine, *, create: bool) -> list[str]:
    """Apply the migrations that are missing, one process at a time, and return their names.

    Then the connections of the database lead to its store only. Raises `DatabaseUnusable`, also
    where there is no store and none is to be created. Use inside `connection()`.
    """
    is_begun = engine.database.table_exists("schema_migration")
    if not is_begun and (not create or engine.is_foreign()):
        raise engine.unusable(NO_STORE)
    engine.database.without_timeout()
    migrations = runner(engine.database)
    applied = [] if _is_current(engine, migrations) else _apply(engine, migrations)
    engine.database.identity = _read_identity(engine)
    engine.adopt()
    return applied


def check(engine: Engine, *, current: bool) -> None:
    """Raise `DatabaseUnusable` where there is no store, or none that this version knows.

    One of an earlier version will do, unless it has to be `current`. Use inside `connection()`.
    """
    db = engine.database
    if not db.table_exists("schema_migration") or not db.table_exists(Page):
        raise engine.unusable(NO_STORE)
    if not _is_current(engine, runner(db)) and current:
        raise DatabaseUnusable(
            f"{engine.name} has the schema of an earlier version; `landform migrate` brings it up "
            "to date."
        )


def _apply(engine: Engine, migrations: Runner) -> list[str]:
    db = engine.database
    with db.atomic():
        # Another process may have done it while this one waited for the lock.
        if _is_current(engine, migrations):
            return []
        done = migrations.applied()
        pending = [one for one in migrations.migrations() if one.name not in done]
        if _holds_something(db):
            engine.before_migration(pending[0].name[:4])
        try:
            migrations.History.create_table()
            for migration in pending:
                # Not by the runner itself, which would write to a log of the host.
                migration.load().up(migrations.migrator, db)
                migrations.History.create(name=migration.name)
        except peewee.DatabaseError as error:
            if engine.translate_error(error):
                raise
            raise engine.unusable(f"cannot be brought up to date: {error}.") from error
    engine.after_migration()
    return [migration.name for migration in pending]


def _is_current(engine: Engine, migrations: Runner) -> bool:
    known = {migration.name for migration in migrations.migrations()}
    applied = set(migrations.applied())
    if applied - known:
        raise DatabaseUnusable(
            f"{engine.name} has a newer schema ({', '.join(sorted(applied - known))}) than this "
            "version of landform knows."
        )
    return applied == known


def _holds_something(db: EngineDatabase) -> bool:
    numbered = [model for model in TABLES if model.traits.numbered and db.table_exists(model)]
    ids = [model.select(model._meta.primary_key).limit(1).tuples() for model in numbered]
    return any(query.execute(db) for query in ids)


def _read_identity(engine: Engine) -> str:
    rows = list(StoreInfo.select(StoreInfo.identity).tuples().execute(engine.database))
    if len(rows) != 1:
        raise DatabaseUnusable(
            f"{engine.name} has lost its identity; `landform vacuum` gives it a new one."
        )
    return str(rows[0][0])
