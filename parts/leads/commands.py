"""`landform entries`, which exports the entries of a form, and erases those of a person."""

from pathlib import Path

import click

from landform.parts.leads.entry_schemas import ANY_STATUS, ENTRY_STATUSES
from landform.parts.leads.exporting import csv_of
from landform.parts.leads.retention import erase_entries
from landform.parts.leads.storage.forms import find_form
from landform.parts.leads.storage.searching import EntrySearch
from landform.standalone.commands import tools

STATUSES = [*ENTRY_STATUSES, ANY_STATUS]


@click.group()
def entries() -> None:
    """Export entries, or erase those of one person."""


@entries.command("export")
@click.argument("form_id", metavar="FORM", type=click.IntRange(1))
@click.argument("file", type=tools.File(is_written=True), required=False)
@click.option("--status", type=click.Choice(STATUSES), default="active", show_default=True)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def export(form_id: int, file: Path | None, *, status: str, force: bool) -> None:
    """Write the entries of a form as CSV, the oldest first, to FILE or standard output."""
    tools.refuse_existing(file, force=force)
    chosen = ENTRY_STATUSES if status == ANY_STATUS else [status]
    store = tools.open_store()
    store.check(current=True)
    with store.connection():
        form = find_form(store, form_id)
    if form is None:
        raise click.ClickException(f"There is no form {form_id}.")
    with tools.open_output(file) as out:
        for lines in csv_of(store, form, EntrySearch(chosen)):
            out.write(lines)


@entries.command()
@click.argument("email")
@click.confirmation_option(prompt="Delete all entries of this address for good?")
def erase(email: str) -> None:
    """Delete every entry with an e-mail address, in all forms and statuses, for good."""
    with tools.migrated_store() as store:
        click.echo(f"{erase_entries(store, email)} erased")


COMMANDS = (entries,)
