"""`landform settings`."""

import json
import re

import click

from landform.standalone.settings import DEFAULT, PREFIX, all_settings, find_settings, warnings

# The key of the variables that options have set, in a context.
SET_BY_OPTIONS = "landform.flags"
# A link of docs/settings.md.
LINK = re.compile(r"\[(.*?)\]\(.*?\)")


@click.command("settings")
@click.option("--json", "as_json", is_flag=True, help="As a JSON array.")
def list_settings(as_json: bool) -> None:
    """List every setting, its value and its meaning.

    Also where the value came from, and the default. Secrets are not shown.
    """
    settings, sources = find_settings()
    for variable in click.get_current_context().meta.get(SET_BY_OPTIONS, []):
        sources[variable.removeprefix(PREFIX)] = "flag"
    rows = []
    for name, declared in all_settings().items():
        value, kind = settings.value_of(name), declared.metadata["kind"]
        rows.append(
            {
                "name": PREFIX + name,
                "value": kind.hide(value) if value and kind.hide else value,
                "source": sources.get(name, DEFAULT),
                "default": declared.default,
                "accepts": kind.description,
                "meaning": LINK.sub(r"\1", declared.metadata["meaning"]),
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for row in rows:
            click.echo(_text(row))
    for warning in warnings():
        click.echo(warning, err=True)


def _text(row: dict[str, object]) -> str:
    value, default = text_of(row["value"]), text_of(row["default"])
    value += f" ({row['source']}; default: {default})" if row["source"] != DEFAULT else " (default)"
    return f"{row['name']} = {value}\n    {row['meaning']} [{row['accepts']}]\n"


def text_of(value: object) -> str:
    """Return the text of a value for a variable; `none` if it is empty."""
    if isinstance(value, tuple):
        value = ",".join(value)
    if isinstance(value, bool | float):
        return f"{value:g}"
    return "none" if value in (None, "") else str(value)
