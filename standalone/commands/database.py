"""The commands for a database as a whole."""

import logging
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory

import click

from landform.standalone.commands.tools import (
    File,
    Progress,
    end_with,
    migrated_store,
    open_store,
    part_lines,
    say,
)
from landform.storage import DatabaseUnusable, StorageError, Store, api_keys, migrating, signatures
from landform.storage.maintenance import copying, rebuild, verify


@click.command("backup")
@click.argument("file", type=File(is_written=True))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def backup(file: Path, force: bool) -> None:
    """Copy the database to FILE while it is served.

    A FILE that ends in .gz is compressed.
    """
    store = open_store()
    store.check()
    store.dispose()
    with Progress("Copying"):
        # Before and after, since others add and delete rows meanwhile.
        lines = part_lines("backup", store, file)
        store.database.backup(file, force=force)
        lines += part_lines("backup", store, file)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")
    for line in lines:
        say(line)


@click.command("restore")
@click.argument("file", type=File())
@click.option("--force", is_flag=True, help="Also replace the database of another program.")
@click.option("--keep-revoked", is_flag=True, help="End keys, previews and cookies again.")
def restore(file: Path, force: bool, keep_revoked: bool) -> None:
    """Replace the database by a backup.

    The service has to be stopped.
    """
    store = open_store()
    before = _keys(store)
    with Progress("Restoring"):
        previous = store.database.restore(file, _check, force=force)
        lines = part_lines("restore", store, file)
    click.echo(f"{store.database.name} is what {file} held.")
    for line in lines:
        say(line)
    with store.connection() as db:
        is_earlier = migrating.is_earlier(db)
    store.dispose()
    if is_earlier:
        click.echo("Its schema is that of an earlier version: run `landform migrate`.")
    if previous:
        click.echo(f"What was there before is {previous}.")
    if before is None and previous:
        click.echo("Which keys were revoked since is not known: see `landform key list`.")
    active = [key for key in _keys(store) or () if key.active]
    revived = [] if before is None else [key for key in active if key not in before]
    if keep_revoked:
        with migrated_store() as store:
            signatures.rotate_secret(store)
            for key in revived:
                api_keys.revoke(store, str(key.id))
        names = "".join(f", key {key.name}" for key in revived)
        click.echo(f"Ended again: previews, cookies{names}.")
    elif previous:
        click.echo(
            "Previews and cookies that were ended since are valid again: see "
            "`landform secret rotate`."
        )
        for key in revived:
            click.echo(
                f"The key {key.name} (id {key.id}) is valid again: see `landform key revoke`."
            )


def _keys(store: Store) -> list[api_keys.Key] | None:
    """Return the keys of a store, or None if it cannot be read, and close its connection."""
    try:
        store.check()
        with store.connection():
            return api_keys.list_all(store)
    except StorageError:
        return None
    finally:
        store.dispose()


def _check(path: str) -> None:
    """Raise if a backup cannot be served."""
    with TemporaryDirectory(dir=Path(path).parent) as folder:
        # An earlier schema is migrated first, and then compared.
        store = open_store(f"sqlite:///{copy2(path, f'{folder}/copy.db')}")
        try:
            # Only a trial: nothing is logged.
            store.migrate(create=False, log_level=logging.DEBUG)
        except DatabaseUnusable as error:
            message = str(error).replace(store.database.name, "The backup")
            raise click.ClickException(message) from error
        problems = list(verify.find_problems(store, rows=False))
        store.dispose()
    if problems:
        raise click.ClickException(f"The backup is not as landform makes it: {problems[0]}")


@click.command("migrate")
@click.option("--identity", is_flag=True, help="Print nothing but the identity of the store.")
def migrate(identity: bool) -> None:
    """Bring the database up to date; create it if needed."""
    store = open_store()
    applied = store.migrate()
    if identity:
        click.echo(store.identity)
        return
    for name in applied:
        click.echo(f"applied {name}")
    click.echo("The database is up to date.")


@click.command("verify")
def verify_database() -> None:
    """Check the file, the schema, the texts and the JSON."""
    store = open_store()
    store.check()
    end_with(_problems(store))
    click.echo("Nothing is wrong.")


def _problems(store: Store) -> list[str]:
    """Return the problems of a store, and close its connection."""
    with Progress("Checking"):
        # Parts need the tables of this version.
        problems = list(verify.find_problems(store)) or part_lines("verify", store)
    store.dispose()
    return problems


@click.command("vacuum")
def vacuum() -> None:
    """Compact the database and make all derived data anew.

    The full-text index is part of that.
    """
    store = open_store()
    store.check(current=True)
    before = store.database.size()
    with Progress("Rebuilding"):
        rebuild.rebuild(store)
        lines = part_lines("vacuum", store)
        with store.connection() as db:
            db.compact()
    store.dispose()
    for line in lines:
        say(line)
    click.echo(f"{before:,} bytes before, {store.database.size():,} now")


@click.command("copy")
@click.argument("source", type=File(is_url=True))
@click.argument("target", type=File(is_url=True, is_written=True))
def copy(source: str, target: str) -> None:
    """Copy a database to an empty one, and compare them.

    SOURCE and TARGET are URLs. Ids stay the same. The copy is what SOURCE holds when it begins.
    """
    if source == target:
        raise click.UsageError("SOURCE and TARGET are the same.")
    left, right = open_store(source), open_store(target)
    left.check(current=True)
    right.migrate()
    with Progress("Copying") as progress:
        rows = copying.copy(left, right, progress.count)
        lines = part_lines("copy", left, right)
    for line in lines:
        say(line)
    end_with(_problems(right))
    click.echo(f"{right.database.name} holds the {rows:,} rows of {left.database.name}.")


@click.group("secret")
def secret() -> None:
    """Replace the secret that signs previews and cookies."""


@secret.command("rotate")
def rotate_secret() -> None:
    """End every preview, and every cookie of a protected page, at once."""
    with migrated_store() as store:
        signatures.rotate_secret(store)
    click.echo("The secret was replaced: every preview has ended, and passwords are asked again.")
