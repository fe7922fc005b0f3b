"""`landform events`, which prints events, and `deliver`, which does background work."""

import os
import signal
from contextlib import suppress
from functools import partial
from threading import Thread
from time import sleep

import click

from landform.service.background import Background
from landform.service.call import Service
from landform.service.cli import current_group
from landform.service.events import dump_event, public_urls
from landform.service.json_codec import dumps
from landform.standalone.commands.tools import ChoiceOf, open_store
from landform.storage.errors import EventsExpired
from landform.storage.event_types import type_patterns
from landform.storage.events import read
from landform.storage.rows import MAX_INTEGER

LOOK_SECONDS = 0.5
EXPIRED = "Events after {} are not kept, or the id is of another store; begin without --after."


@click.command("events")
@click.option(
    "--after", type=click.IntRange(0, MAX_INTEGER), help="Only events after this id; default: all."
)
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="TYPE",
    type=ChoiceOf(type_patterns),
    help="Only events of this type, such as page.published or page.*.",
)
@click.option("--follow", is_flag=True, help="Wait for more.")
def events(after: int | None, types: tuple[str, ...], follow: bool) -> None:
    """Print events as lines of JSON, the oldest first."""
    open_store().check(current=True)
    service = current_group().service()
    store, urls = service.store, public_urls(service)
    # Ctrl-C is how it ends.
    with suppress(KeyboardInterrupt):
        while True:
            try:
                with store.connection():
                    rows, after = read(store, after, types)
            except EventsExpired:
                raise click.ClickException(EXPIRED.format(after)) from None
            for event in filter(None, (dump_event(row, urls) for row in rows)):
                click.echo(dumps(event))
            if not rows:
                if not follow:
                    return
                sleep(LOOK_SECONDS)


@click.command("deliver")
@click.option("--once", is_flag=True, help="Do what is due now, and end.")
def deliver(once: bool) -> None:
    """Publish due pages, and do other work in the background.

    It goes on until it is stopped; see LANDFORM_DELIVER.
    """
    service = current_group().service()
    background = Background(service)
    if once:
        background.run_once()
    else:
        # In a thread, since what the signal interrupts may hold a lock.
        stop = partial(Thread, target=_stop, args=(service,), daemon=True)
        signal.signal(signal.SIGTERM, lambda *_: stop().start())
        background.run()


def _stop(service: Service) -> None:
    """Let feeds and webhooks that are being sent end: otherwise they would be sent again."""
    service.stop()
    sleep(service.sending_seconds)
    os._exit(0)
