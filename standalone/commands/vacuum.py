"""`landform vacuum`."""

import click

from landform.standalone.commands._tools import open_store
from landform.storage.maintenance import repair


@click.command("vacuum")
def command() -> None:
    """Compact the database and rebuild the full-text index and all other derived data."""
    store = open_store()
    store.check(current=True)
    before = store.engine.size()
    repair.repair(store)
    with store.connection() as db:
        store.engine.compact(db)
    store.dispose()
    click.echo(f"{before:,} bytes before, {store.engine.size():,} now")
