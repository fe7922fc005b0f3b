"""`landform settings`."""

import json
import re
import sys

import click

from landform.service.option_kinds import Option
from landform.standalone.commands._tools import FLAGS
from landform.standalone.settings import (
    DEFAULT,
    GROUPS,
    PREFIX,
    SETTINGS,
    Found,
    find_settings,
    warnings,
)

# A link of docs/settings.md.
LINK = re.compile(r"\[(.*?)\]\(.*?\)")


@click.command("settings")
@click.option("--json", "as_json", is_flag=True, help="As a JSON array.")
def list_settings(as_json: bool) -> None:
    """List every setting, its value and its meaning.

    Also where the value came from, and the default. Secrets are not shown. The exit code is 1 where
    a value cannot be used.
    """
    found = find_settings()
    for name in click.get_current_context().meta.get(FLAGS, []):
        if one := found.get(name.removeprefix(PREFIX)):
            found[name.removeprefix(PREFIX)] = one._replace(source="flag")
    rows = {name: _row(name, one, found[name]) for name, one in SETTINGS.items()}
    if as_json:
        click.echo(json.dumps(list(rows.values()), indent=2, ensure_ascii=False))
    else:
        for title, group in GROUPS.items():
            click.echo(f"{title}\n")
            for name, setting in group.items():
                click.echo(_text(rows[name], default_text(setting)))
    problems = [one.problem for one in found.values() if one.problem]
    for warning in (*problems, *warnings()):
        click.echo(warning, err=True)
    if problems:
        sys.exit(1)


def _row(name: str, one: Option, found: Found) -> dict[str, object]:
    return {
        "name": PREFIX + name,
        "value": _shown(one, found.value),
        "source": found.source,
        "default": _shown(one, one.default),
        "accepts": one.kind.wanted,
        "meaning": LINK.sub(r"\1", one.meaning),
        "problem": found.problem or None,
    }


def _shown(one: Option, value: object) -> object:
    """Return a value with nothing secret in it."""
    return one.kind.hide(value) if value and one.kind.hide else value


def _text(row: dict[str, object], default: str) -> str:
    value = f"{default} (default)"
    if row["source"] != DEFAULT:
        given = "cannot be used" if row["problem"] else _text_of(row["value"])
        value = f"{given} ({row['source']}; default: {default})"
    return f"{row['name']} = {value}\n    {row['meaning']} [{row['accepts']}]\n"


def default_text(one: Option) -> str:
    """Return the default of a setting, in words where a value says little."""
    return one.shown or _text_of(one.default)


def _text_of(value: object) -> str:
    """Return a value as it is written in a variable; `none` for one that is empty."""
    if value in (None, (), ""):
        return "none"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)
