"""`landform deliver`: deliver events to webhooks, in a process of its own."""

import click

from landform.service.blueprint import make_blueprint
from landform.service.webhooks.delivery import Deliverer
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import read_settings


@click.command("deliver")
@click.option("--once", is_flag=True, help="Deliver what can be delivered now, and end.")
def deliver(once: bool) -> None:
    """Deliver events to webhooks until it is stopped; see LANDFORM_DELIVER."""
    settings = read_settings()
    set_up_logging(settings)
    deliverer = Deliverer(make_blueprint(settings).service)
    if once:
        deliverer.deliver()
    else:
        deliverer.run()
