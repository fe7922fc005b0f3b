"""`landform copy`."""

import click

from landform.standalone.commands._files import UrlOrFile
from landform.standalone.commands._lines import check_stored
from landform.standalone.commands._tools import open_store, progress_bar, report
from landform.storage.maintenance import copying, verify


@click.command("copy")
@click.argument("source", type=UrlOrFile())
@click.argument("target", type=UrlOrFile(is_written=True))
def command(source: str, target: str) -> None:
    """Copy the database of the URL SOURCE to that of the URL TARGET, and compare them.

    TARGET has to be empty. Ids stay the same. The copy is what SOURCE holds when it begins.
    """
    if source == target:
        raise click.UsageError("SOURCE and TARGET are the same.")
    stores = [open_store(url) for url in (source, target)]
    stores[0].check(current=True)
    stores[1].migrate()
    with progress_bar("rows, each written and compared") as progress:
        rows = copying.copy(stores[0], stores[1], progress)
    report(list(verify.find_problems(stores[1], check_stored)))
    click.echo(f"{stores[1].database.name} holds the {rows:,} rows of {stores[0].database.name}.")
