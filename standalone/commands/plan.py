"""`landform plan`."""

import sys
from pathlib import Path

import click
from marshmallow import ValidationError

from landform.schemas.feed_plan import PlanRequest
from landform.service.json_codec import dumps, loads
from landform.service.planning import plan as planning
from landform.standalone.commands.tools import File, open_store


@click.command("plan")
@click.argument("form", type=click.IntRange(0))
@click.option(
    "--entry",
    "file",
    type=File(exists=True, allow_dash=True),
    required=True,
    help="A JSON object of fields and their values; - is standard input.",
)
@click.option(
    "--properties",
    type=File(exists=True, allow_dash=True),
    help="A JSON object of the entry's properties.",
)
@click.option("--entry-id", help="The id of the entry: leave out what has been run for it.")
@click.option("--addon", help="The feeds of this add-on only.")
@click.option("--event-type", help="The feeds of this event type only.")
@click.option("--first-only", multiple=True, metavar="ADDON", help="One feed of this add-on only.")
@click.option("--form-0", is_flag=True, help="The feeds of form 0 too.")
@click.option("--explain", is_flag=True, help="Say why the other feeds do not run.")
def plan(form: int, file: Path, properties: Path | None, **options: object) -> None:
    """Print which feeds of a form run for an entry.

    They come in their order. Changes nothing.
    """
    request = {name: value for name, value in options.items() if value is not None}
    request["first_only"] = list(options["first_only"])  # type: ignore[call-overload]
    request["entry"] = _read(file, "--entry")
    if properties:
        request["properties"] = _read(properties, "--properties")
    store = open_store()
    store.check(current=True)
    try:
        with store.connection():
            planned = planning.plan(store, form, PlanRequest().load(request))
    except ValidationError as error:
        messages = error.normalized_messages()  # type: ignore[no-untyped-call]
        raise click.ClickException("; ".join(text for (text, *_) in messages.values())) from error
    click.echo(dumps(planned))


def _read(file: Path, option: str) -> object:
    """Return the JSON in a file. The message of an error shows none of it."""
    try:
        return loads(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())
    except ValueError:
        raise click.BadParameter("this is no JSON", param_hint=option) from None
