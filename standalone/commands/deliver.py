"""`landform deliver`, which does background work."""

import os
import signal
from functools import partial
from threading import Thread
from time import sleep

import click

from landform.service.background import Background
from landform.service.cli import current_group
from landform.service.pipeline.call import Service


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
