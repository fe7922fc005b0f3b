"""`landform export`."""

from collections import Counter
from pathlib import Path

import click

from landform.service.json_codec import dumps
from landform.standalone.commands._files import REPORT, File, write_report, written
from landform.standalone.commands._lines import SCHEMAS
from landform.standalone.commands._tools import open_store, progress_bar
from landform.storage.maintenance import transfer


@click.command("export")
@click.argument("file", type=File(is_written=True), required=False)
@click.option("--pages", "only", flag_value="page", help="Pages only.")
@click.option("--feeds", "only", flag_value="feed", help="Feeds only.")
@REPORT
def command(file: Path | None, only: str | None, report_file: Path | None) -> None:
    """Write every page and feed to FILE or standard output, one line of JSON each.

    It holds all that is stored, passwords of pages too: keep it secret.
    """
    store, resources = open_store(), (only,) if only else tuple(SCHEMAS)
    store.check()
    counts = Counter(dict.fromkeys(resources, 0))
    with progress_bar("pages and feeds") as progress, written(file) as out, store.connection():
        total = transfer.total(store, resources)
        for done, row in enumerate(transfer.rows(store, resources), 1):
            out.write(dumps(row) + b"\n")
            counts[row["resource"]] += 1
            progress(done, total)
    if report_file:
        write_report(report_file, {"counts": counts})
