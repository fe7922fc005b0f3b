"""Commands that keep a database well: backup, restore, verify, vacuum, export, import, copy."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
from marshmallow import Schema, ValidationError

from landform.schemas.export import FeedLine, PageLine
from landform.service.http.json_codec import dumps, loads
from landform.service.stores import new_maintenance_store
from landform.standalone.settings import read_settings
from landform.storage import ImportRefused, Store
from landform.storage.atomic_file import replace, temporary_file
from landform.storage.engines.base import Progress
from landform.storage.maintenance import copying, repair, transfer, verify

FILE = click.Path(dir_okay=False, path_type=Path)


def open_store(url: str | None = None) -> Store:
    """Return the store that the settings name, or another one by its URL, with their options."""
    return new_maintenance_store(read_settings(), url)


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace the file where it is there already.")
def backup(file: Path, force: bool) -> None:
    """Copy the database to FILE while it is served; .gz and .zst are compressed."""
    with _shown() as progress:
        open_store().engine.backup(file, force=force, progress=progress)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")


@click.command()
@click.argument("file", type=FILE)
def restore(file: Path) -> None:
    """Put the backup FILE in the place of the database; the service has to be stopped."""
    store = open_store()
    kept = store.engine.restore(file, _check_file)
    click.echo(
        f"{store.engine.name} is what {file} held; the next start brings its schema up to date."
    )
    if kept:
        click.echo(f"What was there before is {kept}.")


@click.command("verify")
def verify_database() -> None:
    """Say whether the database is whole: the file, the schema, each column, what is derived."""
    store = open_store()
    store.check()
    wrong = list(verify.find_problems(store))
    for finding in wrong:
        click.echo(finding)
    if wrong:
        sys.exit(1)
    click.echo("Nothing is wrong.")


@click.command()
def vacuum() -> None:
    """Compact the database, and make anew whatever can be derived from the rest of it."""
    store = open_store()
    store.check(current=True)
    before = store.engine.size()
    repair.repair(store)
    with store.connection() as db:
        store.engine.compact(db)
    store.dispose()
    click.echo(f"{before:,} bytes before, {store.engine.size():,} now")


@click.command("export")
@click.argument("file", type=FILE, required=False)
@click.option("--pages", "only", flag_value="page", help="Pages only.")
@click.option("--feeds", "only", flag_value="feed", help="Feeds only.")
def export_rows(file: Path | None, only: str | None) -> None:
    """Write every page and feed to FILE or standard output, a line of JSON each.

    All that is stored is in it, passwords of pages too: keep it secret.
    """
    store, resources = open_store(), (only,) if only else tuple(LINES)
    store.check()
    if file and store.engine.owns_file(file):
        raise click.UsageError(f"{file} is the database itself.")
    with _shown() as progress, _lines_out(file) as out, store.connection():
        most = transfer.total(store, resources)
        for done, row in enumerate(transfer.rows(store, resources), 1):
            out.write(dumps(row) + b"\n")
            progress(done, most)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--by", type=click.Choice(["id", "slug"]), default="id", show_default=True,
    help="By what a page that is there is found; by slug, new ones get ids of their own.",
)  # fmt: skip
@click.option("--map-form", "forms", multiple=True, metavar="OLD=NEW", help="Change a form's id.")
@click.option("--dry-run", is_flag=True, help="Tell what would happen, and keep nothing of it.")
def import_rows(file: Path, by: str, forms: tuple[str, ...], dry_run: bool) -> None:
    """Write the pages and feeds in FILE, as `landform export` wrote it; all of them, or none."""
    if not file.is_file():
        raise click.UsageError(f"{file} is no file that can be read twice.")
    mapped = _form_map(forms)
    store = open_store()
    store.migrate()
    # Read twice: what is wrong with the lines themselves is found before anybody has to wait.
    wrong = [f"line {number}: {row}" for number, row in _read(file, mapped) if isinstance(row, str)]
    if wrong:
        raise click.ClickException("\n".join(["Nothing was imported.", *wrong]))
    rows = ((number, row) for number, row in _read(file, mapped) if isinstance(row, dict))
    try:
        counts = transfer.import_rows(store, rows, by, keep=not dry_run)
    except ImportRefused as refused:
        raise click.ClickException(f"Nothing was imported.\n{refused}") from refused
    told = ", ".join(f"{counts[what]} {what}" for what in ("created", "changed", "unchanged"))
    click.echo(f"{told}{' (not kept)' if dry_run else ''}")


@click.command("copy")
@click.argument("source")
@click.argument("target")
@click.option("--resume", is_flag=True, help="Go on with a copy: make TARGET equal to SOURCE.")
def copy_store(source: str, target: str, resume: bool) -> None:
    """Copy the database of the URL SOURCE to that of the URL TARGET, ids kept, and compare them.

    The copy is what SOURCE holds when it begins.
    """
    if source == target:
        raise click.UsageError("SOURCE and TARGET are the same.")
    stores = [open_store(url) for url in (source, target)]
    stores[0].check(current=True)
    stores[1].migrate(unfinished=True)
    with _shown() as progress:
        rows = copying.copy(*stores, resume=resume, progress=progress)
    wrong = list(verify.find_problems(stores[1]))
    for finding in wrong:
        click.echo(finding)
    if wrong:
        sys.exit(1)
    click.echo(f"{stores[1].engine.name} holds the {rows:,} rows of {stores[0].engine.name}.")


COMMANDS = [backup, restore, verify_database, vacuum, export_rows, import_rows, copy_store]
LINES: dict[str, Schema] = {"page": PageLine(), "feed": FeedLine()}


def _check_file(path: str) -> None:
    """Raise where a file is none that can be served, and leave no connection to it."""
    store = open_store(f"sqlite:///{path}")
    try:
        store.check()
    finally:
        store.dispose()


def _form_map(given: tuple[str, ...]) -> dict[int, int]:
    pairs = [re.fullmatch(r"([0-9]{1,18})=([0-9]{1,18})", text) for text in given]
    if not all(pairs):
        raise click.BadParameter("it must look like 3=17", param_hint="--map-form")
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair}


def _read(file: Path, forms: Mapping[int, int]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the number of each line and its row, or what is wrong with it; with a bar."""
    with _shown() as progress, file.open("rb") as opened:
        done, size = 0, file.stat().st_size
        for number, line in enumerate(opened, 1):
            done += len(line)
            progress(done, size)
            if line.strip():
                yield number, _row(line, forms)


def _row(line: bytes, forms: Mapping[int, int]) -> dict[str, Any] | str:
    try:
        given = loads(line.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return "this is no JSON"
    resource = given.pop("resource", None) if isinstance(given, dict) else None
    if not isinstance(resource, str) or resource not in LINES:
        return "this is neither a page nor a feed"
    try:
        row = LINES[resource].load(given)
    except ValidationError as error:
        told: Any = error.messages
        return "; ".join(f"{name}: {text}" for name, text in told.items())
    if resource == "feed":
        row["form_id"] = forms.get(row["form_id"], row["form_id"])
    elif str(row["meta"].get("form_id", "")).isdecimal():
        form = int(row["meta"]["form_id"])
        row["meta"]["form_id"] = str(forms.get(form, row["meta"]["form_id"]))
    return {"resource": resource, **row}


@contextmanager
def _lines_out(file: Path | None) -> Iterator[IO[bytes]]:
    """Lend standard output, or a file of mode 600 that has its name once it is whole.

    A device or a pipe is written to as it is.
    """
    if file is None:
        yield sys.stdout.buffer
        return
    try:
        if file.exists() and not file.is_file():
            with file.open("wb") as out:
                yield out
            return
        file = file.resolve()
        with temporary_file(file) as unfinished:
            with unfinished.open("wb") as out:
                yield out
            replace(unfinished, file)
    except OSError as error:
        raise click.ClickException(f"{file} could not be written: {error.strerror}.") from error


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
