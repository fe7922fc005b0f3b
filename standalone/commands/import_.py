"""`landform import`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import click
from marshmallow import ValidationError

from landform.service.http.json_codec import loads
from landform.standalone.commands._lines import LINES, Line
from landform.standalone.commands._tools import open_store, progress_bar
from landform.storage import ImportRefused
from landform.storage.maintenance import transfer


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--by", type=click.Choice(["id", "slug"]), default="id", show_default=True,
    help="What identifies a page that exists; with slug, new ones get new ids.",
)  # fmt: skip
@click.option("--map-form", "forms", multiple=True, metavar="OLD=NEW", help="Change a form's id.")
@click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
def command(file: Path, by: str, forms: tuple[str, ...], dry_run: bool) -> None:
    """Write the pages and feeds of FILE, which `landform export` wrote: all of them, or none."""
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
    summary = ", ".join(f"{counts[what]} {what}" for what in ("created", "changed", "unchanged"))
    click.echo(f"{summary}{' (not kept)' if dry_run else ''}")


def _form_map(given: tuple[str, ...]) -> dict[int, int]:
    pairs = [re.fullmatch(r"([0-9]{1,18})=([0-9]{1,18})", text) for text in given]
    if not all(pairs):
        raise click.BadParameter("it must look like 3=17", param_hint="--map-form")
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair}


def _read(file: Path, forms: Mapping[int, int]) -> Iterator[tuple[int, Line | str]]:
    """Yield the number of each line and its row, or what is wrong with it; show progress."""
    with progress_bar() as progress, file.open("rb") as opened:
        done, size = 0, file.stat().st_size
        for number, line in enumerate(opened, 1):
            done += len(line)
            progress(done, size)
            if line.strip():
                yield number, _row(line, forms)


def _row(line: bytes, forms: Mapping[int, int]) -> Line | str:
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
        messages = cast(dict[str, object], error.messages)
        return "; ".join(f"{name}: {text}" for name, text in messages.items())
    if resource == "feed":
        row["form_id"] = forms.get(row["form_id"], row["form_id"])
    elif str(row["meta"].get("form_id", "")).isdecimal():
        form = int(row["meta"]["form_id"])
        row["meta"]["form_id"] = str(forms.get(form, row["meta"]["form_id"]))
    return {"resource": resource, **row}
