"""`landform import`."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from landform.standalone.commands._files import REPORT, File, write_report
from landform.standalone.commands._lines import Line, LinesFile, WrongLine
from landform.standalone.commands._tools import DRY_RUN, MAP_FORM, open_store, report
from landform.storage import ImportRefused
from landform.storage.maintenance import transfer

NOTHING = "Nothing was imported."


@click.command("import")
@click.argument("file", type=File(exists=True))
@click.option(
    "--by", type=click.Choice(["id", "slug"]), default="id", show_default=True,
    help="What identifies a page that exists; with slug, new ones get new ids.",
)  # fmt: skip
@MAP_FORM
@click.option("--atomic", is_flag=True, help="All lines, or none; other writers wait meanwhile.")
@DRY_RUN
@REPORT
def command(file: Path, by: str, forms: dict[int, int], **given: Any) -> None:
    """Write the pages and feeds of FILE, which `landform export` wrote, a few at a time.

    A line that is refused stops no other. After an interruption, run it again: what is there
    already is not written twice.
    """
    if not file.is_file():
        raise click.UsageError(f"{file} is no file that can be read twice.")
    dry_run, report_file = given["dry_run"], given["report_file"]
    store = open_store()
    store.migrate()
    lines = LinesFile(file)
    # What is written from here on no line replaces. A dry run replaces nothing anyway.
    known = None if dry_run else transfer.known_rows(store)
    if not dry_run:
        transfer.reserve_ids(store, {} if by == "slug" else lines.highest_ids())
    # Read twice: what is wrong with the lines themselves is found before anybody has to wait.
    if wrong := list(lines.check()):
        raise click.ClickException("\n".join([NOTHING, *wrong]))
    rows = ((number, _mapped(row, forms)) for number, row in lines.rows())
    importing = transfer.Import(store, by, known)
    try:
        if given["atomic"] or dry_run:
            importing.run_whole(rows, keep=not dry_run)
        else:
            importing.run(rows)
    except (ImportRefused, WrongLine) as reason:
        done = _summary(importing.counts) if importing.counts else NOTHING
        raise click.ClickException(f"{done}\n{reason}") from reason
    counts, refused = importing.counts, importing.refused
    if report_file:
        told = [{"line": number, "text": text} for number, text in refused]
        write_report(report_file, {"counts": counts, "refused": told, "dry_run": dry_run})
    click.echo(f"{_summary(counts)}{' (not kept)' if dry_run else ''}")
    report([f"line {number}: {text}" for number, text in refused])


def _summary(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[what]} {what}" for what in ("created", "changed", "unchanged"))


def _mapped(row: Line, forms: Mapping[int, int]) -> Line:
    """Change the ids of forms in a row."""
    if row["resource"] == "feed":
        row["form_id"] = forms.get(row["form_id"], row["form_id"])
    elif forms and str(row["meta"].get("form_id", "")).isdecimal():
        form = int(row["meta"]["form_id"])
        row["meta"]["form_id"] = str(forms.get(form, row["meta"]["form_id"]))
    return row
