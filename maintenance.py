"""Commands that keep a database well: backup, restore, verify and vacuum."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from landform.app import read_settings
from landform.storage import Clock, Store, sqlite, verify
from landform.storage.backup import Progress
from landform.storage.backup import backup as copy
from landform.storage.backup import restore as put_back

FILE = click.Path(dir_okay=False, path_type=Path)


def open_store() -> Store:
    """Return the store that the settings name."""
    settings = read_settings()
    return Store(settings["DATABASE_URL"], Clock(settings["TIMEZONE"]))


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace the file where it is there already.")
def backup(file: Path, force: bool) -> None:
    """Copy the database to FILE while it is served; .gz and .zst are compressed."""
    with _shown() as progress:
        copy(open_store().path, file, force=force, progress=progress)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")


@click.command()
@click.argument("file", type=FILE)
def restore(file: Path) -> None:
    """Put the backup FILE in the place of the database; the service has to be stopped."""
    store = open_store()
    kept = put_back(file, store.path, lambda path: Store(f"sqlite:///{path}").check())
    click.echo(f"{store.path} is what {file} held; the next start brings its schema up to date.")
    if kept:
        click.echo(f"What was there before is {kept}.")


@click.command("verify")
def verify_database() -> None:
    """Say whether the database is whole: the file, the index of words, the kept counts."""
    store = open_store()
    store.check()
    wrong = list(verify.findings(store))
    for finding in wrong:
        click.echo(finding)
    if wrong:
        sys.exit(1)
    click.echo("Nothing is wrong.")


@click.command()
def vacuum() -> None:
    """Make the file as small as it can be, and the index of words anew."""
    store = open_store()
    store.migrate()
    before = Path(store.path).stat().st_size
    with store.connection() as db:
        sqlite.compact(db)
    store.dispose()
    click.echo(f"{before:,} bytes before, {Path(store.path).stat().st_size:,} now")


COMMANDS = [backup, restore, verify_database, vacuum]


@contextmanager
def _shown() -> Iterator[Progress]:
    """Show progress as a bar, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    with click.progressbar(length=1, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield show
