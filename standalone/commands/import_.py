"""`landform import`."""

from collections.abc import Mapping
from pathlib import Path

import click

from landform.standalone.commands._lines import Line, LinesFile, WrongLine
from landform.standalone.commands._tools import form_map, open_store
from landform.storage import ImportRefused
from landform.storage.maintenance import transfer

NOTHING = "Nothing was imported."


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
    mapped = form_map(forms)
    store = open_store()
    store.migrate()
    lines = LinesFile(file)
    # Read twice: what is wrong with the lines themselves is found before anybody has to wait.
    if wrong := list(lines.check()):
        raise click.ClickException("\n".join([NOTHING, *wrong]))
    rows = ((number, _mapped(row, mapped)) for number, row in lines.rows())
    try:
        counts = transfer.import_rows(store, rows, by, keep=not dry_run, lines=lines.lines)
    except (ImportRefused, WrongLine) as refused:
        raise click.ClickException(f"{NOTHING}\n{refused}") from refused
    summary = ", ".join(f"{counts[what]} {what}" for what in ("created", "changed", "unchanged"))
    click.echo(f"{summary}{' (not kept)' if dry_run else ''}")


def _mapped(row: Line, forms: Mapping[int, int]) -> Line:
    """Change the ids of forms in a row."""
    if row["resource"] == "feed":
        row["form_id"] = forms.get(row["form_id"], row["form_id"])
    elif forms and str(row["meta"].get("form_id", "")).isdecimal():
        form = int(row["meta"]["form_id"])
        row["meta"]["form_id"] = str(forms.get(form, row["meta"]["form_id"]))
    return row
