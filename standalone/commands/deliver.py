"""`landform deliver`: deliver events to webhooks, in a process of its own."""

from typing import Any

import click

from landform.app import create_app


@click.command("deliver")
@click.option("--once", is_flag=True, help="Deliver what can be delivered now, and end.")
def deliver(once: bool) -> None:
    """Deliver events to webhooks until it is stopped; see LANDFORM_DELIVER."""
    blueprint: Any = create_app().blueprints["landform"]
    blueprint.deliver(forever=not once)
