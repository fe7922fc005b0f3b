"""`landform vacuum`."""

import click

from landform.standalone.commands._tools import open_store, progress_bar
from landform.storage.maintenance import derived


@click.command("vacuum")
def command() -> None:
    """Compact the database and rebuild the full-text index and all other derived data."""
    store = open_store()
    store.check(current=True)
    before = store.database.size()
    with progress_bar("steps") as progress:
        derived.rebuild(store, lambda done: progress(done, derived.STEPS + 1))
        with store.connection() as db:
            db.compact()
        progress(derived.STEPS + 1, derived.STEPS + 1)
    store.dispose()
    click.echo(f"{before:,} bytes before, {store.database.size():,} now")
